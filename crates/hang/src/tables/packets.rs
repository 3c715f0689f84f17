//! The packets of the command streamer, and their fields.
//!
//! Source: Intel's manuals, volume "Command Reference: Instructions" of each generation, in the form of Mesa's genxml (version
//! 19.3). Fields for the caching of memory (MOCS) are left out.

use super::{Bits, Field, Kind, Packet, bits, field_table, packet_table};

packet_table! {
    0x0000_0000 0xff80_0000 "MI_NOOP" 0 [1 1 1 1 1 1];
    0x0080_0000 0xff80_0000 "MI_SET_PREDICATE" 0 [0 1 1 1 1 1];
    0x0100_0000 0xff80_0000 "MI_USER_INTERRUPT" 0 [1 1 1 1 1 1];
    0x0180_0000 0xff80_0000 "MI_WAIT_FOR_EVENT" 0 [1 1 1 1 1 1];
    0x0200_0000 0xff80_0000 "MI_FLUSH" 0 [1 1 0 0 0 0];
    0x0200_0000 0xff80_0000 "MI_WAIT_FOR_EVENT_2" 0 [0 0 0 0 1 1];
    0x0280_0000 0xff80_0000 "MI_ARB_CHECK" 0 [1 1 1 1 1 1];
    0x0300_0000 0xff80_0000 "MI_RS_CONTROL" 0 [0 1 1 1 1 1];
    0x0380_0000 0xff80_0000 "MI_REPORT_HEAD" 0 [1 1 1 1 1 1];
    0x0400_0000 0xff80_0000 "MI_ARB_ON_OFF" 0 [1 1 1 1 1 1];
    0x0480_0000 0xff80_0000 "MI_URB_ATOMIC_ALLOC" 0 [0 1 1 1 0 0];
    0x0500_0000 0xff80_0000 "MI_BATCH_BUFFER_END" 0 [1 1 1 1 1 1];
    0x0580_0000 0xff80_0000 "MI_SUSPEND_FLUSH" 0 [1 1 1 1 1 1];
    0x0600_0000 0xff80_0000 "MI_PREDICATE" 0 [1 1 1 1 1 1];
    0x0680_0000 0xff80_0000 "MI_TOPOLOGY_FILTER" 0 [1 1 1 1 1 1];
    0x0780_0000 0xff80_0000 "MI_RS_CONTEXT" 0 [0 1 1 1 1 1];
    0x0900_0000 0xff80_0000 "MI_LOAD_SCAN_LINES_INCL" 6 [0 1 1 1 1 1];
    0x0980_0000 0xff80_0000 "MI_LOAD_SCAN_LINES_EXCL" 6 [0 1 1 1 1 1];
    0x0a00_0000 0xff80_0000 "MI_DISPLAY_FLIP" 8 [0 0 0 1 1 1];
    0x0b00_0000 0xff80_0000 "MI_SEMAPHORE_MBOX" 8 [1 1 0 0 0 0];
    0x0c00_0000 0xff80_0000 "MI_SET_CONTEXT" 8 [1 1 1 1 1 1];
    0x0c80_0000 0xff80_0000 "MI_URB_CLEAR" 8 [1 1 1 0 0 0];
    0x0d00_0000 0xff80_0000 "MI_MATH" 8 [0 1 1 1 1 1];
    0x0d80_0000 0xff80_0000 "MI_SEMAPHORE_SIGNAL" 8 [0 0 1 1 1 1];
    0x0e00_0000 0xff80_0000 "MI_SEMAPHORE_WAIT" 8 [0 0 1 1 1 1] MI_SEMAPHORE_WAIT;
    0x0e80_0000 0xff80_0000 "MI_FORCE_WAKEUP" 8 [0 0 0 1 1 1];
    0x1000_0000 0xff80_0000 "MI_STORE_DATA_IMM" 10 [1 1 1 1 1 1] MI_STORE_DATA_IMM;
    0x1080_0000 0xff80_0000 "MI_STORE_DATA_INDEX" 8 [1 1 1 1 1 1];
    0x1100_0000 0xff80_0000 "MI_LOAD_REGISTER_IMM" 8 [1 1 1 1 1 1] MI_LOAD_REGISTER_IMM;
    0x1200_0000 0xff80_0000 "MI_STORE_REGISTER_MEM" 8 [1 1 1 1 1 1];
    0x1380_0000 0xff80_0000 "MI_CLFLUSH" 10 [1 1 1 1 1 1];
    0x1400_0000 0xff80_0000 "MI_REPORT_PERF_COUNT" 6 [1 1 1 1 1 1];
    0x1480_0000 0xff80_0000 "MI_LOAD_REGISTER_MEM" 8 [1 1 1 1 1 1];
    0x1500_0000 0xff80_0000 "MI_LOAD_REGISTER_REG" 8 [0 1 1 1 1 1];
    0x1580_0000 0xff80_0000 "MI_RS_STORE_DATA_IMM" 8 [0 1 1 1 1 1];
    0x1600_0000 0xff80_0000 "MI_LOAD_URB_MEM" 8 [0 1 1 1 0 0];
    0x1680_0000 0xff80_0000 "MI_STORE_URB_MEM" 8 [0 1 1 1 0 0];
    0x1700_0000 0xff80_0000 "MI_COPY_MEM_MEM" 8 [0 0 1 1 1 1];
    0x1780_0000 0xff80_0000 "MI_ATOMIC" 8 [0 0 1 1 1 1];
    0x1880_0000 0xff80_0000 "MI_BATCH_BUFFER_START" 8 [1 1 1 1 1 1] MI_BATCH_BUFFER_START;
    0x1b00_0000 0xff80_0000 "MI_CONDITIONAL_BATCH_BUFFER_END" 8 [1 1 1 1 1 1];
    0x6003_0000 0xffff_0000 "STATE_PREFETCH" 8 [1 1 1 1 0 0];
    0x6101_0000 0xffff_0000 "STATE_BASE_ADDRESS" 8 [1 1 1 1 1 1] STATE_BASE_ADDRESS;
    0x6102_0000 0xffff_0000 "STATE_SIP" 8 [1 1 1 1 1 1] STATE_SIP;
    0x6103_0000 0xffff_0000 "SWTESS_BASE_ADDRESS" 8 [1 1 1 0 0 0];
    0x6104_0000 0xffff_0000 "GPGPU_CSR_BASE_ADDRESS" 8 [0 1 1 1 0 0];
    0x680b_0000 0xffff_0000 "3DSTATE_VF_STATISTICS" 0 [1 1 1 1 1 1];
    0x6904_0000 0xffff_0000 "PIPELINE_SELECT" 0 [1 1 1 1 1 1] PIPELINE_SELECT;
    0x7000_0000 0xffff_0000 "MEDIA_VFE_STATE" 16 [1 1 1 1 1 1] MEDIA_VFE_STATE;
    0x7001_0000 0xffff_0000 "MEDIA_CURBE_LOAD" 16 [1 1 1 1 1 1] MEDIA_CURBE_LOAD;
    0x7002_0000 0xffff_0000 "MEDIA_INTERFACE_DESCRIPTOR_LOAD" 16 [1 1 1 1 1 1] MEDIA_INTERFACE_DESCRIPTOR_LOAD;
    0x7004_0000 0xffff_0000 "MEDIA_STATE_FLUSH" 16 [1 1 1 1 1 1];
    0x7100_0000 0xffff_0000 "MEDIA_OBJECT" 16 [1 1 1 1 1 1];
    0x7102_0000 0xffff_0000 "MEDIA_OBJECT_PRT" 16 [1 1 1 1 1 1];
    0x7103_0000 0xffff_0000 "MEDIA_OBJECT_WALKER" 16 [1 1 1 1 1 1];
    0x7104_0000 0xffff_0000 "GPGPU_OBJECT" 8 [1 1 0 0 0 0];
    0x7105_0000 0xffff_0000 "GPGPU_WALKER" 8 [1 1 1 1 1 1] GPGPU_WALKER;
    0x7106_0000 0xffff_0000 "MEDIA_OBJECT_GRPID" 16 [0 0 1 1 1 1];
    0x7800_0000 0xffff_0000 "3DSTATE_DEPTH_BOUNDS" 8 [0 0 0 0 0 1];
    0x7804_0000 0xffff_0000 "3DSTATE_CLEAR_PARAMS" 8 [1 1 1 1 1 1];
    0x7805_0000 0xffff_0000 "3DSTATE_DEPTH_BUFFER" 8 [1 1 1 1 1 1];
    0x7806_0000 0xffff_0000 "3DSTATE_STENCIL_BUFFER" 8 [1 1 1 1 1 1];
    0x7807_0000 0xffff_0000 "3DSTATE_HIER_DEPTH_BUFFER" 8 [1 1 1 1 1 1];
    0x7808_0000 0xffff_0000 "3DSTATE_VERTEX_BUFFERS" 8 [1 1 1 1 1 1];
    0x7809_0000 0xffff_0000 "3DSTATE_VERTEX_ELEMENTS" 8 [1 1 1 1 1 1];
    0x780a_0000 0xffff_0000 "3DSTATE_INDEX_BUFFER" 8 [1 1 1 1 1 1];
    0x780c_0000 0xffff_0000 "3DSTATE_VF" 8 [0 1 1 1 1 1];
    0x780d_0000 0xffff_0000 "3DSTATE_MULTISAMPLE" 8 [0 0 1 1 1 1];
    0x780e_0000 0xffff_0000 "3DSTATE_CC_STATE_POINTERS" 8 [1 1 1 1 1 1];
    0x780f_0000 0xffff_0000 "3DSTATE_SCISSOR_STATE_POINTERS" 8 [1 1 1 1 1 1];
    0x7810_0000 0xffff_0000 "3DSTATE_VS" 8 [1 1 1 1 1 1] SHADER VERTICES CLIPPING D3DSTATE_VS;
    0x7811_0000 0xffff_0000 "3DSTATE_GS" 8 [1 1 1 1 1 1] SHADER VERTICES D3DSTATE_GS;
    0x7812_0000 0xffff_0000 "3DSTATE_CLIP" 8 [1 1 1 1 1 1];
    0x7813_0000 0xffff_0000 "3DSTATE_SF" 8 [1 1 1 1 1 1];
    0x7814_0000 0xffff_0000 "3DSTATE_WM" 8 [1 1 1 1 1 1];
    0x7815_0000 0xffff_0000 "3DSTATE_CONSTANT_VS" 8 [1 1 1 1 1 1];
    0x7816_0000 0xffff_0000 "3DSTATE_CONSTANT_GS" 8 [1 1 1 1 1 1];
    0x7817_0000 0xffff_0000 "3DSTATE_CONSTANT_PS" 8 [1 1 1 1 1 1];
    0x7818_0000 0xffff_0000 "3DSTATE_SAMPLE_MASK" 8 [1 1 1 1 1 1];
    0x7819_0000 0xffff_0000 "3DSTATE_CONSTANT_HS" 8 [1 1 1 1 1 1];
    0x781a_0000 0xffff_0000 "3DSTATE_CONSTANT_DS" 8 [1 1 1 1 1 1];
    0x781b_0000 0xffff_0000 "3DSTATE_HS" 8 [1 1 1 1 1 1] D3DSTATE_HS;
    0x781c_0000 0xffff_0000 "3DSTATE_TE" 8 [1 1 1 1 1 1] D3DSTATE_TE;
    0x781d_0000 0xffff_0000 "3DSTATE_DS" 8 [1 1 1 1 1 1] SHADER VERTICES CLIPPING D3DSTATE_DS;
    0x781e_0000 0xffff_0000 "3DSTATE_STREAMOUT" 8 [1 1 1 1 1 1];
    0x781f_0000 0xffff_0000 "3DSTATE_SBE" 8 [1 1 1 1 1 1];
    0x7820_0000 0xffff_0000 "3DSTATE_PS" 8 [1 1 1 1 1 1] SHADER D3DSTATE_PS;
    0x7821_0000 0xffff_0000 "3DSTATE_VIEWPORT_STATE_POINTERS_SF_CLIP" 8 [1 1 1 1 1 1];
    0x7823_0000 0xffff_0000 "3DSTATE_VIEWPORT_STATE_POINTERS_CC" 8 [1 1 1 1 1 1];
    0x7824_0000 0xffff_0000 "3DSTATE_BLEND_STATE_POINTERS" 8 [1 1 1 1 1 1];
    0x7825_0000 0xffff_0000 "3DSTATE_DEPTH_STENCIL_STATE_POINTERS" 8 [1 1 0 0 0 0];
    0x7826_0000 0xffff_0000 "3DSTATE_BINDING_TABLE_POINTERS_VS" 8 [1 1 1 1 1 1];
    0x7827_0000 0xffff_0000 "3DSTATE_BINDING_TABLE_POINTERS_HS" 8 [1 1 1 1 1 1];
    0x7828_0000 0xffff_0000 "3DSTATE_BINDING_TABLE_POINTERS_DS" 8 [1 1 1 1 1 1];
    0x7829_0000 0xffff_0000 "3DSTATE_BINDING_TABLE_POINTERS_GS" 8 [1 1 1 1 1 1];
    0x782a_0000 0xffff_0000 "3DSTATE_BINDING_TABLE_POINTERS_PS" 8 [1 1 1 1 1 1];
    0x782b_0000 0xffff_0000 "3DSTATE_SAMPLER_STATE_POINTERS_VS" 8 [1 1 1 1 1 1];
    0x782c_0000 0xffff_0000 "3DSTATE_SAMPLER_STATE_POINTERS_HS" 8 [1 1 1 1 1 1];
    0x782d_0000 0xffff_0000 "3DSTATE_SAMPLER_STATE_POINTERS_DS" 8 [1 1 1 1 1 1];
    0x782e_0000 0xffff_0000 "3DSTATE_SAMPLER_STATE_POINTERS_GS" 8 [1 1 1 1 1 1];
    0x782f_0000 0xffff_0000 "3DSTATE_SAMPLER_STATE_POINTERS_PS" 8 [1 1 1 1 1 1];
    0x7830_0000 0xffff_0000 "3DSTATE_URB_VS" 8 [1 1 1 1 1 1];
    0x7831_0000 0xffff_0000 "3DSTATE_URB_HS" 8 [1 1 1 1 1 1];
    0x7832_0000 0xffff_0000 "3DSTATE_URB_DS" 8 [1 1 1 1 1 1];
    0x7833_0000 0xffff_0000 "3DSTATE_URB_GS" 8 [1 1 1 1 1 1];
    0x7834_0000 0xffff_0000 "3DSTATE_GATHER_CONSTANT_VS" 8 [0 1 1 1 1 1];
    0x7835_0000 0xffff_0000 "3DSTATE_GATHER_CONSTANT_GS" 8 [0 1 1 1 1 1];
    0x7836_0000 0xffff_0000 "3DSTATE_GATHER_CONSTANT_HS" 8 [0 1 1 1 1 1];
    0x7837_0000 0xffff_0000 "3DSTATE_GATHER_CONSTANT_DS" 8 [0 1 1 1 1 1];
    0x7838_0000 0xffff_0000 "3DSTATE_GATHER_CONSTANT_PS" 8 [0 1 1 1 1 1];
    0x7843_0000 0xffff_0000 "3DSTATE_BINDING_TABLE_EDIT_VS" 9 [0 1 1 1 1 1];
    0x7844_0000 0xffff_0000 "3DSTATE_BINDING_TABLE_EDIT_GS" 9 [0 1 1 1 1 1];
    0x7845_0000 0xffff_0000 "3DSTATE_BINDING_TABLE_EDIT_HS" 9 [0 1 1 1 1 1];
    0x7846_0000 0xffff_0000 "3DSTATE_BINDING_TABLE_EDIT_DS" 9 [0 1 1 1 1 1];
    0x7847_0000 0xffff_0000 "3DSTATE_BINDING_TABLE_EDIT_PS" 9 [0 1 1 1 1 1];
    0x7849_0000 0xffff_0000 "3DSTATE_VF_INSTANCING" 8 [0 0 1 1 1 1];
    0x784a_0000 0xffff_0000 "3DSTATE_VF_SGVS" 8 [0 0 1 1 1 1];
    0x784b_0000 0xffff_0000 "3DSTATE_VF_TOPOLOGY" 8 [0 0 1 1 1 1];
    0x784c_0000 0xffff_0000 "3DSTATE_WM_CHROMAKEY" 8 [0 0 1 1 1 1];
    0x784d_0000 0xffff_0000 "3DSTATE_PS_BLEND" 8 [0 0 1 1 1 1];
    0x784e_0000 0xffff_0000 "3DSTATE_WM_DEPTH_STENCIL" 8 [0 0 1 1 1 1];
    0x784f_0000 0xffff_0000 "3DSTATE_PS_EXTRA" 8 [0 0 1 1 1 1] D3DSTATE_PS_EXTRA;
    0x7850_0000 0xffff_0000 "3DSTATE_RASTER" 8 [0 0 1 1 1 1];
    0x7851_0000 0xffff_0000 "3DSTATE_SBE_SWIZ" 8 [0 0 1 1 1 1];
    0x7852_0000 0xffff_0000 "3DSTATE_WM_HZ_OP" 8 [0 0 1 1 1 1];
    0x7854_0000 0xffff_0000 "3DSTATE_RS_CONSTANT_POINTER" 8 [0 0 0 1 1 1];
    0x7855_0000 0xffff_0000 "3DSTATE_VF_COMPONENT_PACKING" 8 [0 0 0 1 1 1];
    0x7856_0000 0xffff_0000 "3DSTATE_VF_SGVS_2" 8 [0 0 0 0 1 1];
    0x7860_0000 0xffff_0000 "3DSTATE_SO_BUFFER_INDEX_0" 8 [0 0 0 0 0 1];
    0x7861_0000 0xffff_0000 "3DSTATE_SO_BUFFER_INDEX_1" 8 [0 0 0 0 0 1];
    0x7862_0000 0xffff_0000 "3DSTATE_SO_BUFFER_INDEX_2" 8 [0 0 0 0 0 1];
    0x7863_0000 0xffff_0000 "3DSTATE_SO_BUFFER_INDEX_3" 8 [0 0 0 0 0 1];
    0x7900_0000 0xffff_0000 "3DSTATE_DRAWING_RECTANGLE" 8 [1 1 1 1 1 1];
    0x7902_0000 0xffff_0000 "3DSTATE_SAMPLER_PALETTE_LOAD0" 8 [1 1 1 1 1 1];
    0x7904_0000 0xffff_0000 "3DSTATE_CHROMA_KEY" 8 [1 1 1 1 1 1];
    0x7906_0000 0xffff_0000 "3DSTATE_POLY_STIPPLE_OFFSET" 8 [1 1 1 1 1 1];
    0x7907_0000 0xffff_0000 "3DSTATE_POLY_STIPPLE_PATTERN" 8 [1 1 1 1 1 1];
    0x7908_0000 0xffff_0000 "3DSTATE_LINE_STIPPLE" 8 [1 1 1 1 1 1];
    0x790a_0000 0xffff_0000 "3DSTATE_AA_LINE_PARAMETERS" 8 [1 1 1 1 1 1];
    0x790c_0000 0xffff_0000 "3DSTATE_SAMPLER_PALETTE_LOAD1" 8 [1 1 1 1 1 1];
    0x790d_0000 0xffff_0000 "3DSTATE_MULTISAMPLE" 8 [1 1 0 0 0 0];
    0x790e_0000 0xffff_0000 "3DSTATE_RAST_MULTISAMPLE" 8 [0 1 0 0 0 0];
    0x7911_0000 0xffff_0000 "3DSTATE_MONOFILTER_SIZE" 8 [1 1 1 1 1 1];
    0x7912_0000 0xffff_0000 "3DSTATE_PUSH_CONSTANT_ALLOC_VS" 8 [1 1 1 1 1 1];
    0x7913_0000 0xffff_0000 "3DSTATE_PUSH_CONSTANT_ALLOC_HS" 8 [1 1 1 1 1 1];
    0x7914_0000 0xffff_0000 "3DSTATE_PUSH_CONSTANT_ALLOC_DS" 8 [1 1 1 1 1 1];
    0x7915_0000 0xffff_0000 "3DSTATE_PUSH_CONSTANT_ALLOC_GS" 8 [1 1 1 1 1 1];
    0x7916_0000 0xffff_0000 "3DSTATE_PUSH_CONSTANT_ALLOC_PS" 8 [1 1 1 1 1 1];
    0x7917_0000 0xffff_0000 "3DSTATE_SO_DECL_LIST" 9 [1 1 1 1 1 1];
    0x7918_0000 0xffff_0000 "3DSTATE_SO_BUFFER" 8 [1 1 1 1 1 1];
    0x7919_0000 0xffff_0000 "3DSTATE_BINDING_TABLE_POOL_ALLOC" 8 [0 1 1 1 1 1];
    0x791a_0000 0xffff_0000 "3DSTATE_GATHER_POOL_ALLOC" 8 [0 1 1 1 1 1];
    0x791c_0000 0xffff_0000 "3DSTATE_SAMPLE_PATTERN" 8 [0 0 1 1 1 1];
    0x791d_0000 0xffff_0000 "3DSTATE_URB_CLEAR" 8 [0 0 0 1 1 1];
    0x791e_0000 0xffff_0000 "3DSTATE_3D_MODE" 8 [0 0 0 0 1 1];
    0x7920_0000 0xffff_0000 "3DSTATE_SLICE_TABLE_STATE_POINTERS" 8 [0 0 0 0 1 1];
    0x7a00_0000 0xffff_0000 "PIPE_CONTROL" 8 [1 1 1 1 1 1] PIPE_CONTROL;
    0x7b00_0000 0xffff_0000 "3DPRIMITIVE" 8 [1 1 1 1 1 1] D3DPRIMITIVE;
}

field_table! { MI_BATCH_BUFFER_START:
    "Address Space Indicator" Flag [0 8 8] [0 8 8] [0 8 8] [0 8 8] [0 8 8] [0 8 8];
    "Clear Command Buffer Enable" Flag [0 11 11] [0 11 11] [] [] [] [];
    "Batch Buffer Start Address" Address [1 31 2] [1 31 2] [1 47 2] [1 63 2] [1 63 2] [1 63 2];
    "Resource Streamer Enable" Flag [] [0 10 10] [0 10 10] [0 10 10] [0 10 10] [0 10 10];
    "Non-Privileged" Flag [] [0 13 13] [] [] [] [];
    "Predication Enable" Flag [] [0 15 15] [0 15 15] [0 15 15] [0 15 15] [0 15 15];
    "Add Offset Enable" Flag [] [0 16 16] [0 16 16] [0 16 16] [] [];
    "Second Level Batch Buffer" Flag [] [0 22 22] [0 22 22] [0 22 22] [0 22 22] [0 22 22];
}

field_table! { MI_LOAD_REGISTER_IMM:
    "Byte Write Disables" Number [0 11 8] [0 11 8] [0 11 8] [0 11 8] [0 11 8] [0 11 8];
    "Register Offset" Address [1 22 2] [1 22 2] [1 22 2] [1 22 2] [1 22 2] [1 22 2];
    "Data DWord" Hex [2 31 0] [2 31 0] [2 31 0] [2 31 0] [2 31 0] [2 31 0];
    "Add CS MMIO Start Offset" Flag [] [] [] [] [0 19 19] [0 19 19];
}

field_table! { MI_SEMAPHORE_WAIT:
    "Compare Operation" Number [] [] [0 14 12] [0 14 12] [0 14 12] [0 14 12];
    "Wait Mode" Flag [] [] [0 15 15] [0 15 15] [0 15 15] [0 15 15];
    "Memory Type" Flag [] [] [0 22 22] [0 22 22] [0 22 22] [0 22 22];
    "Semaphore Data Dword" Number [] [] [1 31 0] [1 31 0] [1 31 0] [1 31 0];
    "Semaphore Address" Address [] [] [2 31 2] [2 63 2] [2 63 2] [2 63 2];
    "Semaphore Address High" Address [] [] [3 15 0] [] [] [];
    "Register Poll Mode" Flag [] [] [] [0 16 16] [0 16 16] [0 16 16];
}

field_table! { MI_STORE_DATA_IMM:
    "Use Global GTT" Flag [0 22 22] [0 22 22] [0 22 22] [0 22 22] [0 22 22] [0 22 22];
    "Core Mode Enable" Flag [2 0 0] [2 0 0] [1 0 0] [1 0 0] [1 0 0] [1 0 0];
    "Address" Address [2 31 2] [2 31 2] [1 47 2] [1 47 2] [1 47 2] [1 47 2];
    "Immediate Data" Hex [3 63 0] [3 63 0] [3 63 0] [3 63 0] [3 63 0] [3 63 0];
    "Store Qword" Flag [] [] [0 21 21] [0 21 21] [0 21 21] [0 21 21];
    "Force Write Completion Check" Flag [] [] [] [] [] [0 10 10];
}

field_table! { STATE_BASE_ADDRESS:
    "General State Base Address Modify Enable" Flag [1 0 0] [1 0 0] [1 0 0] [1 0 0] [1 0 0] [1 0 0];
    "Stateless Data Port Access Force Write Thru" Flag [1 3 3] [] [] [] [] [];
    "General State Base Address" Address [1 31 12] [1 31 12] [1 63 12] [1 63 12] [1 63 12] [1 63 12];
    "Surface State Base Address Modify Enable" Flag [2 0 0] [2 0 0] [4 0 0] [4 0 0] [4 0 0] [4 0 0];
    "Surface State Base Address" Address [2 31 12] [2 31 12] [4 63 12] [4 63 12] [4 63 12] [4 63 12];
    "Dynamic State Base Address Modify Enable" Flag [3 0 0] [3 0 0] [6 0 0] [6 0 0] [6 0 0] [6 0 0];
    "Dynamic State Base Address" Address [3 31 12] [3 31 12] [6 63 12] [6 63 12] [6 63 12] [6 63 12];
    "Indirect Object Base Address Modify Enable" Flag [4 0 0] [4 0 0] [8 0 0] [8 0 0] [8 0 0] [8 0 0];
    "Indirect Object Base Address" Address [4 31 12] [4 31 12] [8 63 12] [8 63 12] [8 63 12] [8 63 12];
    "Instruction Base Address Modify Enable" Flag [5 0 0] [5 0 0] [10 0 0] [10 0 0] [10 0 0] [10 0 0];
    "Instruction Base Address" Address [5 31 12] [5 31 12] [10 63 12] [10 63 12] [10 63 12] [10 63 12];
    "General State Access Upper Bound Modify Enable" Flag [6 0 0] [6 0 0] [] [] [] [];
    "General State Access Upper Bound" Address [6 31 12] [6 31 12] [] [] [] [];
    "Dynamic State Access Upper Bound Modify Enable" Flag [7 0 0] [7 0 0] [] [] [] [];
    "Dynamic State Access Upper Bound" Address [7 31 12] [7 31 12] [] [] [] [];
    "Indirect Object Access Upper Bound Modify Enable" Flag [8 0 0] [8 0 0] [] [] [] [];
    "Indirect Object Access Upper Bound" Address [8 31 12] [8 31 12] [] [] [] [];
    "Instruction Access Upper Bound Modify Enable" Flag [9 0 0] [9 0 0] [] [] [] [];
    "Instruction Access Upper Bound" Address [9 31 12] [9 31 12] [] [] [] [];
    "General State Buffer Size Modify Enable" Flag [] [] [12 0 0] [12 0 0] [12 0 0] [12 0 0];
    "General State Buffer Size" Number [] [] [12 31 12] [12 31 12] [12 31 12] [12 31 12];
    "Dynamic State Buffer Size Modify Enable" Flag [] [] [13 0 0] [13 0 0] [13 0 0] [13 0 0];
    "Dynamic State Buffer Size" Number [] [] [13 31 12] [13 31 12] [13 31 12] [13 31 12];
    "Indirect Object Buffer Size Modify Enable" Flag [] [] [14 0 0] [14 0 0] [14 0 0] [14 0 0];
    "Indirect Object Buffer Size" Number [] [] [14 31 12] [14 31 12] [14 31 12] [14 31 12];
    "Instruction Buffer size Modify Enable" Flag [] [] [15 0 0] [15 0 0] [15 0 0] [15 0 0];
    "Instruction Buffer Size" Number [] [] [15 31 12] [15 31 12] [15 31 12] [15 31 12];
    "Bindless Surface State Base Address Modify Enable" Flag [] [] [] [16 0 0] [16 0 0] [16 0 0];
    "Bindless Surface State Base Address" Address [] [] [] [16 63 12] [16 63 12] [16 63 12];
    "Bindless Surface State Size" Number [] [] [] [18 31 12] [18 31 12] [18 31 12];
    "Bindless Sampler State Base Address Modify Enable" Flag [] [] [] [] [19 0 0] [19 0 0];
    "Bindless Sampler State Base Address" Address [] [] [] [] [19 63 12] [19 63 12];
    "Bindless Sampler State Buffer Size" Number [] [] [] [] [21 31 12] [21 31 12];
}

field_table! { STATE_SIP:
    "System Instruction Pointer" Address [1 31 4] [1 31 4] [1 63 4] [1 63 4] [1 63 4] [1 63 4];
}

field_table! { PIPELINE_SELECT:
    "Pipeline Selection" Number [0 1 0] [0 1 0] [0 1 0] [0 1 0] [0 1 0] [0 1 0];
    "Media Sampler DOP Clock Gate Enable" Flag [] [] [] [0 4 4] [0 4 4] [0 4 4];
    "Force Media Awake" Flag [] [] [] [0 5 5] [0 5 5] [0 5 5];
    "Mask Bits" Number [] [] [] [0 15 8] [0 15 8] [0 15 8];
}

field_table! { MEDIA_VFE_STATE:
    "Per Thread Scratch Space" Number [1 3 0] [1 3 0] [1 3 0] [1 3 0] [1 3 0] [1 3 0];
    "Scratch Space Base Pointer" Address [1 31 10] [1 31 10] [1 47 10] [1 47 10] [1 47 10] [1 47 10];
    "GPGPU Mode" Flag [2 2 2] [2 2 2] [] [] [] [];
    "Gateway MMIO Access Control" Number [2 4 3] [] [] [] [] [];
    "Bypass Gateway Control" Flag [2 6 6] [2 6 6] [3 6 6] [] [] [];
    "Reset Gateway Timer" Flag [2 7 7] [2 7 7] [3 7 7] [3 7 7] [] [];
    "Number of URB Entries" Number [2 15 8] [2 15 8] [3 15 8] [3 15 8] [3 15 8] [3 15 8];
    "Maximum Number of Threads" Number [2 31 16] [2 31 16] [3 31 16] [3 31 16] [3 31 16] [3 31 16];
    "CURBE Allocation Size" Number [4 15 0] [4 15 0] [5 15 0] [5 15 0] [5 15 0] [5 15 0];
    "URB Entry Allocation Size" Number [4 31 16] [4 31 16] [5 31 16] [5 31 16] [5 31 16] [5 31 16];
    "Scoreboard Mask" Number [5 7 0] [5 7 0] [6 7 0] [6 7 0] [] [];
    "Scoreboard Type" Flag [5 30 30] [5 30 30] [6 30 30] [6 30 30] [] [];
    "Scoreboard Enable" Flag [5 31 31] [5 31 31] [6 31 31] [6 31 31] [] [];
    "Scoreboard 0 Delta X" Number [6 3 0] [6 3 0] [7 3 0] [7 3 0] [] [];
    "Scoreboard 0 Delta Y" Number [6 7 4] [6 7 4] [7 7 4] [7 7 4] [] [];
    "Scoreboard 1 Delta X" Number [6 11 8] [6 11 8] [7 11 8] [7 11 8] [] [];
    "Scoreboard 1 Delta Y" Number [6 15 12] [6 15 12] [7 15 12] [7 15 12] [] [];
    "Scoreboard 2 Delta X" Number [6 19 16] [6 19 16] [7 19 16] [7 19 16] [] [];
    "Scoreboard 2 Delta Y" Number [6 23 20] [6 23 20] [7 23 20] [7 23 20] [] [];
    "Scoreboard 3 Delta X" Number [6 27 24] [6 27 24] [7 27 24] [7 27 24] [] [];
    "Scoreboard 3 Delta Y" Number [6 31 28] [6 31 28] [7 31 28] [7 31 28] [] [];
    "Scoreboard 4 Delta X" Number [7 3 0] [7 3 0] [8 3 0] [8 3 0] [] [];
    "Scoreboard 4 Delta Y" Number [7 7 4] [7 7 4] [8 7 4] [8 7 4] [] [];
    "Scoreboard 5 Delta X" Number [7 11 8] [7 11 8] [8 11 8] [8 11 8] [] [];
    "Scoreboard 5 Delta Y" Number [7 15 12] [7 15 12] [8 15 12] [8 15 12] [] [];
    "Scoreboard 6 Delta X" Number [7 19 16] [7 19 16] [8 19 16] [8 19 16] [] [];
    "Scoreboard 6 Delta Y" Number [7 23 20] [7 23 20] [8 23 20] [8 23 20] [] [];
    "Scoreboard 7 Delta X" Number [7 27 24] [7 27 24] [8 27 24] [8 27 24] [] [];
    "Scoreboard 7 Delta Y" Number [7 31 28] [7 31 28] [8 31 28] [8 31 28] [] [];
    "Stack Size" Number [] [1 7 4] [1 7 4] [1 7 4] [1 7 4] [1 7 4];
    "Half-Slice Disable" Number [] [3 1 0] [] [] [] [];
    "Slice Disable" Number [] [] [4 1 0] [4 1 0] [] [];
    "Dispatch Load Balance" Flag [] [] [] [] [3 2 2] [3 2 2];
    "Maximum Number of Dual-Subslices" Number [] [] [] [] [4 7 0] [4 7 0];
}

field_table! { MEDIA_CURBE_LOAD:
    "CURBE Total Data Length" Number [2 16 0] [2 16 0] [2 16 0] [2 16 0] [2 16 0] [2 16 0];
    "CURBE Data Start Address" Number [3 31 0] [3 31 0] [3 31 0] [3 31 0] [3 31 0] [3 31 0];
}

field_table! { MEDIA_INTERFACE_DESCRIPTOR_LOAD:
    "Interface Descriptor Total Length" Number [2 16 0] [2 16 0] [2 16 0] [2 16 0] [2 16 0] [2 16 0];
    "Interface Descriptor Data Start Address" Address [3 31 0] [3 31 0] [3 31 0] [3 31 0] [3 31 0] [3 31 0];
}

field_table! { GPGPU_WALKER:
    "Predicate Enable" Flag [0 8 8] [0 8 8] [0 8 8] [0 8 8] [0 8 8] [0 8 8];
    "Indirect Parameter Enable" Flag [0 10 10] [0 10 10] [0 10 10] [0 10 10] [0 10 10] [0 10 10];
    "Interface Descriptor Offset" Number [1 4 0] [1 5 0] [1 5 0] [1 5 0] [1 5 0] [1 5 0];
    "Thread Width Counter Maximum" Number [2 5 0] [2 5 0] [4 5 0] [4 5 0] [4 5 0] [4 5 0];
    "Thread Height Counter Maximum" Number [2 13 8] [2 13 8] [4 13 8] [4 13 8] [4 13 8] [4 13 8];
    "Thread Depth Counter Maximum" Number [2 21 16] [2 21 16] [4 21 16] [4 21 16] [4 21 16] [4 21 16];
    "SIMD Size" Number [2 31 30] [2 31 30] [4 31 30] [4 31 30] [4 31 30] [4 31 30];
    "Thread Group ID Starting X" Number [3 31 0] [3 31 0] [5 31 0] [5 31 0] [5 31 0] [5 31 0];
    "Thread Group ID X Dimension" Number [4 31 0] [4 31 0] [7 31 0] [7 31 0] [7 31 0] [7 31 0];
    "Thread Group ID Starting Y" Number [5 31 0] [5 31 0] [8 31 0] [8 31 0] [8 31 0] [8 31 0];
    "Thread Group ID Y Dimension" Number [6 31 0] [6 31 0] [10 31 0] [10 31 0] [10 31 0] [10 31 0];
    "Thread Group ID Starting Z" Number [7 31 0] [7 31 0] [] [] [] [];
    "Thread Group ID Z Dimension" Number [8 31 0] [8 31 0] [12 31 0] [12 31 0] [12 31 0] [12 31 0];
    "Right Execution Mask" Hex [9 31 0] [9 31 0] [13 31 0] [13 31 0] [13 31 0] [13 31 0];
    "Bottom Execution Mask" Hex [10 31 0] [10 31 0] [14 31 0] [14 31 0] [14 31 0] [14 31 0];
    "Indirect Data Length" Number [] [] [2 16 0] [2 16 0] [2 16 0] [2 16 0];
    "Indirect Data Start Address" Address [] [] [3 31 6] [3 31 6] [3 31 6] [3 31 6];
    "Thread Group ID Starting/Resume Z" Number [] [] [11 31 0] [11 31 0] [11 31 0] [11 31 0];
}

// Fields of the packets that start a kernel, except 3DSTATE_HS.
field_table! { SHADER:
    "Software Exception Enable" Flag [2 7 7] [2 7 7] [3 7 7] [3 7 7] [3 7 7] [3 7 7];
    "Illegal Opcode Exception Enable" Flag [2 13 13] [2 13 13] [3 13 13] [3 13 13] [3 13 13] [3 13 13];
    "Floating Point Mode" Flag [2 16 16] [2 16 16] [3 16 16] [3 16 16] [3 16 16] [3 16 16];
    "Binding Table Entry Count" Number [2 25 18] [2 25 18] [3 25 18] [3 25 18] [3 25 18] [3 25 18];
    "Sampler Count" Number [2 29 27] [2 29 27] [3 29 27] [3 29 27] [3 29 27] [3 29 27];
    "Vector Mask Enable" Flag [2 30 30] [2 30 30] [3 30 30] [3 30 30] [3 30 30] [3 30 30];
    "Scratch Space Base Pointer" Address [3 31 10] [3 31 10] [4 63 10] [4 63 10] [4 63 10] [4 63 10];
}

// More fields of the packets whose kernels process vertices, except 3DSTATE_HS.
field_table! { VERTICES:
    "Kernel Start Pointer" Address [1 31 6] [1 31 6] [1 63 6] [1 63 6] [1 63 6] [1 63 6];
    "Per-Thread Scratch Space" Number [3 3 0] [3 3 0] [4 3 0] [4 3 0] [4 3 0] [4 3 0];
    "Enable" Flag [5 0 0] [5 0 0] [7 0 0] [7 0 0] [7 0 0] [7 0 0];
    "Statistics Enable" Flag [5 10 10] [5 10 10] [7 10 10] [7 10 10] [7 10 10] [7 10 10];
}

// Fields of the stages whose vertices may go to the clipper and have the same layout.
field_table! { CLIPPING:
    "Dispatch GRF Start Register For URB Data" Number [4 24 20] [4 24 20] [6 24 20] [6 24 20] [6 24 20] [6 24 20];
    "User Clip Distance Cull Test Enable Bitmask" Number [] [] [8 7 0] [8 7 0] [8 7 0] [8 7 0];
    "User Clip Distance Clip Test Enable Bitmask" Number [] [] [8 15 8] [8 15 8] [8 15 8] [8 15 8];
    "Vertex URB Entry Output Length" Number [] [] [8 20 16] [8 20 16] [8 20 16] [8 20 16];
    "Vertex URB Entry Output Read Offset" Number [] [] [8 26 21] [8 26 21] [8 26 21] [8 26 21];
}

field_table! { D3DSTATE_VS:
    "Single Vertex Dispatch" Flag [2 31 31] [2 31 31] [3 31 31] [3 31 31] [] [];
    "Vertex URB Entry Read Offset" Number [4 9 4] [4 9 4] [6 9 4] [6 9 4] [6 9 4] [6 9 4];
    "Vertex URB Entry Read Length" Number [4 16 11] [4 16 11] [6 16 11] [6 16 11] [6 16 11] [6 16 11];
    "Vertex Cache Disable" Flag [5 1 1] [5 1 1] [7 1 1] [7 1 1] [7 1 1] [7 1 1];
    "Maximum Number of Threads" Number [5 31 25] [5 31 23] [7 31 23] [7 31 23] [7 31 22] [7 31 22];
    "VS accesses UAV" Flag [] [2 12 12] [] [] [] [];
    "Thread Priority" Flag [] [2 17 17] [] [] [] [];
    "Accesses UAV" Flag [] [] [3 12 12] [3 12 12] [3 12 12] [3 12 12];
    "Thread Dispatch Priority" Flag [] [] [3 17 17] [3 17 17] [3 17 17] [3 17 17];
    "SIMD8 Dispatch Enable" Flag [] [] [7 2 2] [7 2 2] [7 2 2] [7 2 2];
    "SIMD8 Single Instance Dispatch Enable" Flag [] [] [] [] [7 9 9] [7 9 9];
}

field_table! { D3DSTATE_HS:
    "Maximum Number of Threads" Number [1 6 0] [1 7 0] [2 16 8] [2 16 8] [2 16 8] [2 16 8];
    "Software Exception Enable" Flag [1 7 7] [1 12 12] [1 12 12] [1 12 12] [1 12 12] [1 12 12];
    "Illegal Opcode Exception Enable" Flag [1 13 13] [1 13 13] [1 13 13] [1 13 13] [1 13 13] [1 13 13];
    "Floating Point Mode" Flag [1 16 16] [1 16 16] [1 16 16] [1 16 16] [1 16 16] [1 16 16];
    "Binding Table Entry Count" Number [1 25 18] [1 25 18] [1 25 18] [1 25 18] [1 25 18] [1 25 18];
    "Sampler Count" Number [1 29 27] [1 29 27] [1 29 27] [1 29 27] [1 29 27] [1 29 27];
    "Instance Count" Number [2 3 0] [2 3 0] [2 3 0] [2 3 0] [2 3 0] [2 3 0];
    "Statistics Enable" Flag [2 29 29] [2 29 29] [2 29 29] [2 29 29] [2 29 29] [2 29 29];
    "Enable" Flag [2 31 31] [2 31 31] [2 31 31] [2 31 31] [2 31 31] [2 31 31];
    "Kernel Start Pointer" Address [3 31 6] [3 31 6] [3 63 6] [3 63 6] [3 63 6] [3 63 6];
    "Per-Thread Scratch Space" Number [4 3 0] [4 3 0] [5 3 0] [5 3 0] [5 3 0] [5 3 0];
    "Scratch Space Base Pointer" Address [4 31 10] [4 31 10] [5 63 10] [5 63 10] [5 63 10] [5 63 10];
    "Vertex URB Entry Read Offset" Number [5 9 4] [5 9 4] [7 9 4] [7 9 4] [7 9 4] [7 9 4];
    "Vertex URB Entry Read Length" Number [5 16 11] [5 16 11] [7 16 11] [7 16 11] [7 16 11] [7 16 11];
    "Dispatch GRF Start Register For URB Data" Number [5 23 19] [5 23 19] [7 23 19] [7 23 19] [7 23 19] [7 23 19];
    "Include Vertex Handles" Flag [5 24 24] [5 24 24] [7 24 24] [7 24 24] [7 24 24] [7 24 24];
    "Vector Mask Enable" Flag [5 26 26] [5 26 26] [7 26 26] [7 26 26] [7 26 26] [7 26 26];
    "Single Program Flow" Flag [5 27 27] [5 27 27] [7 27 27] [7 27 27] [7 27 27] [7 27 27];
    "Semaphore Handle" Address [6 11 0] [6 12 0] [] [] [] [];
    "Thread Dispatch Priority" Flag [] [1 17 17] [1 17 17] [1 17 17] [1 17 17] [1 17 17];
    "HS accesses UAV" Flag [] [5 25 25] [] [] [] [];
    "Accesses UAV" Flag [] [] [7 25 25] [7 25 25] [7 25 25] [7 25 25];
    "Include Primitive ID" Flag [] [] [] [7 0 0] [7 0 0] [7 0 0];
    "Dispatch Mode" Number [] [] [] [7 18 17] [7 18 17] [7 18 17];
    "Dispatch GRF Start Register For URB Data [5]" Flag [] [] [] [7 28 28] [7 28 28] [7 28 28];
}

field_table! { D3DSTATE_TE:
    "TE Enable" Flag [1 0 0] [1 0 0] [1 0 0] [1 0 0] [1 0 0] [1 0 0];
    "TE Mode" Number [1 2 1] [1 2 1] [1 2 1] [1 2 1] [1 2 1] [1 2 1];
    "TE Domain" Number [1 5 4] [1 5 4] [1 5 4] [1 5 4] [1 5 4] [1 5 4];
    "Output Topology" Number [1 9 8] [1 9 8] [1 9 8] [1 9 8] [1 9 8] [1 9 8];
    "Partitioning" Number [1 13 12] [1 13 12] [1 13 12] [1 13 12] [1 13 12] [1 13 12];
    "Maximum Tessellation Factor Odd" Number [2 31 0] [2 31 0] [2 31 0] [2 31 0] [2 31 0] [2 31 0];
    "Maximum Tessellation Factor Not Odd" Number [3 31 0] [3 31 0] [3 31 0] [3 31 0] [3 31 0] [3 31 0];
}

field_table! { D3DSTATE_DS:
    "Single Domain Point Dispatch" Flag [2 31 31] [2 31 31] [3 31 31] [] [] [];
    "Patch URB Entry Read Offset" Number [4 9 4] [4 9 4] [6 9 4] [6 9 4] [6 9 4] [6 9 4];
    "Patch URB Entry Read Length" Number [4 17 11] [4 17 11] [6 17 11] [6 17 11] [6 17 11] [6 17 11];
    "DS Cache Disable" Flag [5 1 1] [5 1 1] [] [] [] [];
    "Compute W Coordinate Enable" Flag [5 2 2] [5 2 2] [7 2 2] [7 2 2] [7 2 2] [7 2 2];
    "Maximum Number of Threads" Number [5 31 25] [5 29 21] [7 29 21] [7 29 21] [7 30 21] [7 30 21];
    "Accesses UAV" Flag [] [2 14 14] [3 14 14] [3 14 14] [3 14 14] [3 14 14];
    "Thread Dispatch Priority" Flag [] [2 17 17] [3 17 17] [3 17 17] [3 17 17] [3 17 17];
    "Cache Disable" Flag [] [] [7 1 1] [7 1 1] [7 1 1] [7 1 1];
    "Dispatch Mode" Flag [] [] [7 3 3] [7 4 3] [7 4 3] [7 4 3];
    "DUAL_PATCH Kernel Start Pointer" Address [] [] [] [9 63 6] [9 63 6] [9 63 6];
}

field_table! { D3DSTATE_GS:
    "Mask Stack Exception Enable" Flag [2 11 11] [2 11 11] [3 11 11] [3 11 11] [3 11 11] [3 11 11];
    "Thread Priority" Flag [2 17 17] [2 17 17] [] [] [] [];
    "Single Program Flow" Flag [2 31 31] [2 31 31] [3 31 31] [3 31 31] [3 31 31] [3 31 31];
    "Dispatch GRF Start Register For URB Data" Number [4 3 0] [4 3 0] [6 3 0] [6 3 0] [6 3 0] [6 3 0];
    "Vertex URB Entry Read Offset" Number [4 9 4] [4 9 4] [6 9 4] [6 9 4] [6 9 4] [6 9 4];
    "Include Vertex Handles" Flag [4 10 10] [4 10 10] [6 10 10] [6 10 10] [6 10 10] [6 10 10];
    "Vertex URB Entry Read Length" Number [4 16 11] [4 16 11] [6 16 11] [6 16 11] [6 16 11] [6 16 11];
    "Output Topology" Number [4 22 17] [4 22 17] [6 22 17] [6 22 17] [6 22 17] [6 22 17];
    "Output Vertex Size" Number [4 28 23] [4 28 23] [6 28 23] [6 28 23] [6 28 23] [6 28 23];
    "Discard Adjacency" Flag [5 1 1] [5 1 1] [7 1 1] [7 1 1] [7 1 1] [7 1 1];
    "Reorder Mode" Flag [5 2 2] [5 2 2] [7 2 2] [7 2 2] [7 2 2] [7 2 2];
    "Hint" Flag [5 3 3] [5 3 3] [7 3 3] [7 3 3] [7 3 3] [7 3 3];
    "Include Primitive ID" Flag [5 4 4] [5 4 4] [7 4 4] [7 4 4] [7 4 4] [7 4 4];
    "GS Invocations Increment Value" Number [5 9 5] [5 9 5] [] [] [] [];
    "Dispatch Mode" Number [5 12 11] [5 12 11] [7 12 11] [7 12 11] [7 12 11] [7 12 11];
    "Default StreamID" Number [5 14 13] [5 14 13] [] [] [] [];
    "Instance Control" Number [5 19 15] [5 19 15] [7 19 15] [7 19 15] [7 19 15] [7 19 15];
    "Control Data Header Size" Number [5 23 20] [5 23 20] [7 23 20] [7 23 20] [7 23 20] [7 23 20];
    "Control Data Format" Flag [5 24 24] [6 31 31] [8 31 31] [8 31 31] [8 31 31] [8 31 31];
    "Maximum Number of Threads" Number [5 31 25] [5 31 24] [7 31 24] [8 8 0] [8 8 0] [8 8 0];
    "Semaphore Handle" Address [6 11 0] [6 12 0] [] [] [] [];
    "GS accesses UAV" Flag [] [2 12 12] [] [] [] [];
    "Expected Vertex Count" Number [] [] [3 5 0] [3 5 0] [3 5 0] [3 5 0];
    "Accesses UAV" Flag [] [] [3 12 12] [3 12 12] [3 12 12] [3 12 12];
    "Thread Dispatch Priority" Flag [] [] [3 17 17] [3 17 17] [3 17 17] [3 17 17];
    "Invocations Increment Value" Number [] [] [7 9 5] [7 9 5] [7 9 5] [7 9 5];
    "Default Stream Id" Number [] [] [7 14 13] [7 14 13] [7 14 13] [7 14 13];
    "Static Output Vertex Count" Number [] [] [8 26 16] [8 26 16] [8 26 16] [8 26 16];
    "Static Output" Flag [] [] [8 30 30] [8 30 30] [8 30 30] [8 30 30];
    "User Clip Distance Cull Test Enable Bitmask" Number [] [] [9 7 0] [9 7 0] [9 7 0] [9 7 0];
    "User Clip Distance Clip Test Enable Bitmask" Number [] [] [9 15 8] [9 15 8] [9 15 8] [9 15 8];
    "Vertex URB Entry Output Length" Number [] [] [9 20 16] [9 20 16] [9 20 16] [9 20 16];
    "Vertex URB Entry Output Read Offset" Number [] [] [9 26 21] [9 26 21] [9 26 21] [9 26 21];
    "Dispatch GRF Start Register For URB Data [5:4]" Number [] [] [] [6 30 29] [6 30 29] [6 30 29];
}

field_table! { D3DSTATE_PS:
    "Kernel Start Pointer 0" Address [1 31 6] [1 31 6] [1 63 6] [1 63 6] [1 63 6] [1 63 6];
    "Mask Stack Exception Enable" Flag [2 11 11] [2 11 11] [3 11 11] [3 11 11] [3 11 11] [3 11 11];
    "Rounding Mode" Number [2 15 14] [2 15 14] [3 15 14] [3 15 14] [3 15 14] [3 15 14];
    "Denormal Mode" Flag [2 26 26] [2 26 26] [] [] [] [];
    "Single Program Flow" Flag [2 31 31] [2 31 31] [3 31 31] [3 31 31] [3 31 31] [3 31 31];
    "Per Thread Scratch Space" Number [3 3 0] [3 3 0] [4 3 0] [4 3 0] [4 3 0] [4 3 0];
    "8 Pixel Dispatch Enable" Flag [4 0 0] [4 0 0] [6 0 0] [6 0 0] [6 0 0] [6 0 0];
    "16 Pixel Dispatch Enable" Flag [4 1 1] [4 1 1] [6 1 1] [6 1 1] [6 1 1] [6 1 1];
    "32 Pixel Dispatch Enable" Flag [4 2 2] [4 2 2] [6 2 2] [6 2 2] [6 2 2] [6 2 2];
    "Position XY Offset Select" Number [4 4 3] [4 4 3] [6 4 3] [6 4 3] [6 4 3] [6 4 3];
    "Render Target Resolve Enable" Flag [4 6 6] [4 6 6] [6 6 6] [] [] [];
    "Dual Source Blend Enable" Flag [4 7 7] [4 7 7] [] [] [] [];
    "Render Target Fast Clear Enable" Flag [4 8 8] [4 8 8] [6 8 8] [6 8 8] [6 8 8] [6 8 8];
    "oMask Present to RenderTarget" Flag [4 9 9] [4 9 9] [] [] [] [];
    "Attribute Enable" Flag [4 10 10] [4 10 10] [] [] [] [];
    "Push Constant Enable" Flag [4 11 11] [4 11 11] [6 11 11] [6 11 11] [6 11 11] [6 11 11];
    "Maximum Number of Threads" Number [4 31 24] [4 31 23] [] [] [] [];
    "Dispatch GRF Start Register For Constant/Setup Data 2" Number [5 6 0] [5 6 0] [7 6 0] [7 6 0] [7 6 0] [7 6 0];
    "Dispatch GRF Start Register For Constant/Setup Data 1" Number [5 14 8] [5 14 8] [7 14 8] [7 14 8] [7 14 8] [7 14 8];
    "Dispatch GRF Start Register For Constant/Setup Data 0" Number [5 22 16] [5 22 16] [7 22 16] [7 22 16] [7 22 16] [7 22 16];
    "Kernel Start Pointer 1" Address [6 31 6] [6 31 6] [8 63 6] [8 63 6] [8 63 6] [8 63 6];
    "Kernel Start Pointer 2" Address [7 31 6] [7 31 6] [10 63 6] [10 63 6] [10 63 6] [10 63 6];
    "Thread Priority" Flag [] [2 17 17] [] [] [] [];
    "PS Accesses UAV" Flag [] [4 5 5] [] [] [] [];
    "Sample Mask" Number [] [4 19 12] [] [] [] [];
    "Thread Dispatch Priority" Flag [] [] [3 17 17] [3 17 17] [3 17 17] [3 17 17];
    "Single Precision Denormal Mode" Flag [] [] [3 26 26] [3 26 26] [3 26 26] [3 26 26];
    "Maximum Number of Threads Per PSD" Number [] [] [6 31 23] [6 31 23] [6 31 23] [6 31 23];
    "Render Target Resolve Type" Number [] [] [] [6 7 6] [6 7 6] [6 7 6];
}

field_table! { D3DSTATE_PS_EXTRA:
    "Pixel Shader Uses Input Coverage Mask" Flag [] [] [1 1 1] [] [] [];
    "Pixel Shader Has UAV" Flag [] [] [1 2 2] [1 2 2] [1 2 2] [1 2 2];
    "Pixel Shader Is Per Sample" Flag [] [] [1 6 6] [1 6 6] [1 6 6] [1 6 6];
    "Pixel Shader Disables Alpha To Coverage" Flag [] [] [1 7 7] [1 7 7] [1 7 7] [1 7 7];
    "Attribute Enable" Flag [] [] [1 8 8] [1 8 8] [1 8 8] [1 8 8];
    "Pixel Shader Uses Source W" Flag [] [] [1 23 23] [1 23 23] [1 23 23] [1 23 23];
    "Pixel Shader Uses Source Depth" Flag [] [] [1 24 24] [1 24 24] [1 24 24] [1 24 24];
    "Force Computed Depth" Flag [] [] [1 25 25] [1 25 25] [1 25 25] [1 25 25];
    "Pixel Shader Computed Depth Mode" Number [] [] [1 27 26] [1 27 26] [1 27 26] [1 27 26];
    "Pixel Shader Kills Pixel" Flag [] [] [1 28 28] [1 28 28] [1 28 28] [1 28 28];
    "oMask Present to Render Target" Flag [] [] [1 29 29] [1 29 29] [1 29 29] [1 29 29];
    "Pixel Shader Does not write to RT" Flag [] [] [1 30 30] [1 30 30] [1 30 30] [1 30 30];
    "Pixel Shader Valid" Flag [] [] [1 31 31] [1 31 31] [1 31 31] [1 31 31];
    "Input Coverage Mask State" Number [] [] [] [1 1 0] [1 1 0] [1 1 0];
    "Pixel Shader Pulls Bary" Flag [] [] [] [1 3 3] [1 3 3] [1 3 3];
    "Pixel Shader Computes Stencil" Flag [] [] [] [1 5 5] [1 5 5] [1 5 5];
    "Simple PS Hint" Flag [] [] [] [] [1 9 9] [1 9 9];
    "Pixel Shader Requires Subpixel Sample Offsets" Flag [] [] [] [] [1 18 18] [1 18 18];
    "Pixel Shader Requires Non-Perspective Bary Plane Coefficients" Flag [] [] [] [] [1 19 19] [1 19 19];
    "Pixel Shader Requires Perspective Bary Plane Coefficients" Flag [] [] [] [] [1 20 20] [1 20 20];
    "Pixel Shader Requires Source Depth and/or W Plane Coefficients" Flag [] [] [] [] [1 21 21] [1 21 21];
}

field_table! { PIPE_CONTROL:
    "Depth Cache Flush Enable" Flag [1 0 0] [1 0 0] [1 0 0] [1 0 0] [1 0 0] [1 0 0];
    "Stall At Pixel Scoreboard" Flag [1 1 1] [1 1 1] [1 1 1] [1 1 1] [1 1 1] [1 1 1];
    "State Cache Invalidation Enable" Flag [1 2 2] [1 2 2] [1 2 2] [1 2 2] [1 2 2] [1 2 2];
    "Constant Cache Invalidation Enable" Flag [1 3 3] [1 3 3] [1 3 3] [1 3 3] [1 3 3] [1 3 3];
    "VF Cache Invalidation Enable" Flag [1 4 4] [1 4 4] [1 4 4] [1 4 4] [1 4 4] [1 4 4];
    "DC Flush Enable" Flag [1 5 5] [1 5 5] [1 5 5] [1 5 5] [1 5 5] [1 5 5];
    "Pipe Control Flush Enable" Flag [1 7 7] [1 7 7] [1 7 7] [1 7 7] [1 7 7] [1 7 7];
    "Notify Enable" Flag [1 8 8] [1 8 8] [1 8 8] [1 8 8] [1 8 8] [1 8 8];
    "Indirect State Pointers Disable" Flag [1 9 9] [1 9 9] [1 9 9] [1 9 9] [1 9 9] [1 9 9];
    "Texture Cache Invalidation Enable" Flag [1 10 10] [1 10 10] [1 10 10] [1 10 10] [1 10 10] [1 10 10];
    "Instruction Cache Invalidate Enable" Flag [1 11 11] [1 11 11] [1 11 11] [1 11 11] [1 11 11] [1 11 11];
    "Render Target Cache Flush Enable" Flag [1 12 12] [1 12 12] [1 12 12] [1 12 12] [1 12 12] [1 12 12];
    "Depth Stall Enable" Flag [1 13 13] [1 13 13] [1 13 13] [1 13 13] [1 13 13] [1 13 13];
    "Post Sync Operation" Number [1 15 14] [1 15 14] [1 15 14] [1 15 14] [1 15 14] [1 15 14];
    "Generic Media State Clear" Flag [1 16 16] [1 16 16] [1 16 16] [1 16 16] [1 16 16] [1 16 16];
    "TLB Invalidate" Flag [1 18 18] [1 18 18] [1 18 18] [1 18 18] [1 18 18] [1 18 18];
    "Global Snapshot Count Reset" Flag [1 19 19] [1 19 19] [1 19 19] [1 19 19] [1 19 19] [1 19 19];
    "Command Streamer Stall Enable" Flag [1 20 20] [1 20 20] [1 20 20] [1 20 20] [1 20 20] [1 20 20];
    "Store Data Index" Flag [1 21 21] [1 21 21] [1 21 21] [1 21 21] [1 21 21] [1 21 21];
    "LRI Post Sync Operation" Flag [1 23 23] [1 23 23] [1 23 23] [1 23 23] [1 23 23] [1 23 23];
    "Destination Address Type" Flag [1 24 24] [1 24 24] [1 24 24] [1 24 24] [1 24 24] [1 24 24];
    "Address" Address [2 31 2] [2 31 2] [2 47 2] [2 47 2] [2 47 2] [2 47 2];
    "Immediate Data" Hex [3 63 0] [3 63 0] [4 63 0] [4 63 0] [4 63 0] [4 63 0];
    "Flush LLC" Flag [] [] [] [1 26 26] [1 26 26] [1 26 26];
    "PSD Sync Enable" Flag [] [] [] [] [1 17 17] [1 17 17];
    "Tile Cache Flush Enable" Flag [] [] [] [] [] [1 28 28];
}

field_table! { D3DPRIMITIVE:
    "Predicate Enable" Flag [0 8 8] [0 8 8] [0 8 8] [0 8 8] [0 8 8] [0 8 8];
    "Indirect Parameter Enable" Flag [0 10 10] [0 10 10] [0 10 10] [0 10 10] [0 10 10] [0 10 10];
    "Primitive Topology Type" Number [1 5 0] [1 5 0] [1 5 0] [1 5 0] [1 5 0] [1 5 0];
    "Vertex Access Type" Flag [1 8 8] [1 8 8] [1 8 8] [1 8 8] [1 8 8] [1 8 8];
    "End Offset Enable" Flag [1 9 9] [1 9 9] [1 9 9] [1 9 9] [1 9 9] [1 9 9];
    "Vertex Count Per Instance" Number [2 31 0] [2 31 0] [2 31 0] [2 31 0] [2 31 0] [2 31 0];
    "Start Vertex Location" Number [3 31 0] [3 31 0] [3 31 0] [3 31 0] [3 31 0] [3 31 0];
    "Instance Count" Number [4 31 0] [4 31 0] [4 31 0] [4 31 0] [4 31 0] [4 31 0];
    "Start Instance Location" Number [5 31 0] [5 31 0] [5 31 0] [5 31 0] [5 31 0] [5 31 0];
    "Base Vertex Location" Number [6 31 0] [6 31 0] [6 31 0] [6 31 0] [6 31 0] [6 31 0];
    "UAV Coherency Required" Flag [] [0 9 9] [0 9 9] [0 9 9] [0 9 9] [0 9 9];
    "Extended Parameters Present" Flag [] [] [] [] [0 11 11] [0 11 11];
    "Extended Parameter 0" Number [] [] [] [] [7 31 0] [7 31 0];
    "Extended Parameter 1" Number [] [] [] [] [8 31 0] [8 31 0];
    "Extended Parameter 2" Number [] [] [] [] [9 31 0] [9 31 0];
}

field_table! { INTERFACE_DESCRIPTOR:
    "Kernel Start Pointer" Address [0 31 6] [0 31 6] [0 47 6] [0 47 6] [0 47 6] [0 47 6];
    "Software Exception Enable" Flag [1 7 7] [1 7 7] [2 7 7] [2 7 7] [2 7 7] [2 7 7];
    "Mask Stack Exception Enable" Flag [1 11 11] [1 11 11] [2 11 11] [2 11 11] [2 11 11] [2 11 11];
    "Illegal Opcode Exception Enable" Flag [1 13 13] [1 13 13] [2 13 13] [2 13 13] [2 13 13] [2 13 13];
    "Floating Point Mode" Flag [1 16 16] [1 16 16] [2 16 16] [2 16 16] [2 16 16] [2 16 16];
    "Thread Priority" Flag [1 17 17] [1 17 17] [2 17 17] [2 17 17] [2 17 17] [2 17 17];
    "Single Program Flow" Flag [1 18 18] [1 18 18] [2 18 18] [2 18 18] [2 18 18] [2 18 18];
    "Sampler Count" Number [2 4 2] [2 4 2] [3 4 2] [3 4 2] [3 4 2] [3 4 2];
    "Sampler State Pointer" Address [2 31 5] [2 31 5] [3 31 5] [3 31 5] [3 31 5] [3 31 5];
    "Binding Table Entry Count" Number [3 4 0] [3 4 0] [4 4 0] [4 4 0] [4 4 0] [4 4 0];
    "Binding Table Pointer" Address [3 15 5] [3 15 5] [4 15 5] [4 15 5] [4 15 5] [4 15 5];
    "Constant URB Entry Read Offset" Number [4 15 0] [] [5 15 0] [5 15 0] [5 15 0] [5 15 0];
    "Constant URB Entry Read Length" Number [4 31 16] [4 31 16] [5 31 16] [5 31 16] [5 31 16] [5 31 16];
    "Number of Threads in GPGPU Thread Group" Number [5 7 0] [5 7 0] [6 9 0] [6 9 0] [6 9 0] [6 9 0];
    "Shared Local Memory Size" Number [5 20 16] [5 20 16] [6 20 16] [6 20 16] [6 20 16] [6 20 16];
    "Barrier Enable" Flag [5 21 21] [5 21 21] [6 21 21] [6 21 21] [6 21 21] [6 21 21];
    "Rounding Mode" Number [5 23 22] [5 23 22] [6 23 22] [6 23 22] [6 23 22] [6 23 22];
    "Cross-Thread Constant Data Read Length" Number [] [6 7 0] [7 7 0] [7 7 0] [7 7 0] [7 7 0];
    "Denorm Mode" Flag [] [] [2 19 19] [2 19 19] [2 19 19] [2 19 19];
    "Global Barrier Enable" Flag [] [] [] [6 15 15] [6 15 15] [6 15 15];
}
