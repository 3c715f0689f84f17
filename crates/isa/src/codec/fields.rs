//! Instruction fields: one row each, in the order of the manuals, a column per layout.
//!
//! Source: the "EU instruction formats" of the public PRMs; each field of gen7.5 and later
//! exercised against iga64, each of gen4-9 against intel-gen4asm.
//!
//! Positions are `hi:lo` of the 128-bit instruction. Ranges joined by `+` form one field, most
//! significant part first. Fields of different formats may share bits; the functions of the other
//! `codec` modules define which fields each format has.

/// Position of a field: up to five ranges, least significant first.
///
/// Most fields have one range. [`Field::get`] and [`Field::put`] loop over the ranges only for the
/// others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Field {
    /// Name, as in the table.
    pub(crate) name: &'static str,
    /// Total width in bits; 0 if the layout lacks the field.
    pub(crate) width: u32,
    /// The bits of the field in the instruction.
    pub(crate) mask: u128,
    /// Lowest bit and width of each range; unused entries have width 0.
    pub(crate) parts: [(u32, u32); 5],
}

/// The `width` lowest bits.
const fn low_bits(width: u32) -> u64 {
    if width == 0 { 0 } else { u64::MAX >> (64 - width) }
}

impl Field {
    /// Builds a field from `[hi, lo]` ranges, most significant first.
    const fn new(name: &'static str, ranges: &[[u32; 2]]) -> Field {
        let mut field = Field { name, width: 0, mask: 0, parts: [(0, 0); 5] };
        let mut i = 0;
        while i < ranges.len() {
            let [hi, lo] = ranges[ranges.len() - 1 - i];
            assert!(lo <= hi && hi < 128);
            let width = hi - lo + 1;
            let mask = (low_bits(width) as u128) << lo;
            assert!(field.mask & mask == 0, "a field names a bit twice");
            field.parts[i] = (lo, width);
            field.width += width;
            field.mask |= mask;
            i += 1;
        }
        field
    }

    /// Whether the layout has the field.
    #[inline(always)]
    pub(crate) const fn exists(self) -> bool {
        self.width != 0
    }

    /// Position of the least significant bit.
    #[inline(always)]
    pub(crate) const fn lowest_bit(self) -> u32 {
        self.parts[0].0
    }

    /// Extracts the field's value.
    #[inline(always)]
    pub(crate) const fn get(self, bits: u128) -> u64 {
        let (lo, width) = self.parts[0];
        if width == self.width {
            (bits >> lo) as u64 & low_bits(width)
        } else {
            self.get_split(bits)
        }
    }

    /// Returns `value` at the position of the field. Bits beyond the field's width are dropped;
    /// callers check the width first.
    #[inline(always)]
    pub(crate) const fn put(self, value: u64) -> u128 {
        let (lo, width) = self.parts[0];
        if width == self.width {
            ((value & low_bits(width)) as u128) << lo
        } else {
            self.put_split(value)
        }
    }

    /// [`Field::get`] for a field of several ranges.
    #[inline(never)]
    const fn get_split(self, bits: u128) -> u64 {
        let mut value = 0;
        let mut at = 0;
        let mut i = 0;
        while i < 5 && self.parts[i].1 != 0 {
            let (lo, width) = self.parts[i];
            value |= ((bits >> lo) as u64 & low_bits(width)) << at;
            at += width;
            i += 1;
        }
        value
    }

    /// [`Field::put`] for a field of several ranges.
    #[inline(never)]
    const fn put_split(self, value: u64) -> u128 {
        let mut bits = 0;
        let mut at = 0;
        let mut i = 0;
        while i < 5 && self.parts[i].1 != 0 {
            let (lo, width) = self.parts[i];
            bits |= ((value >> at & low_bits(width)) as u128) << lo;
            at += width;
            i += 1;
        }
        bits
    }
}

macro_rules! ranges {
    (-) => {
        &[]
    };
    ($hi:literal : $lo:literal $(+ $more_hi:literal : $more_lo:literal)*) => {
        &[[$hi, $lo] $(, [$more_hi, $more_lo])*]
    };
}

macro_rules! fields {
    ($($name:ident [$($g4:tt)*] [$($g5:tt)*] [$($g6:tt)*] [$($g7:tt)*] [$($g8:tt)*] [$($g9:tt)*]
       [$($g12:tt)*] [$($g125:tt)*];)*) => {
        /// One column of the field table: the position of each field in one group of generations.
        pub(crate) trait Layout {
            $(const $name: Field;)*
        }
        layout!(Gen4, $($name [$($g4)*])*);
        layout!(Gen5, $($name [$($g5)*])*);
        layout!(Gen6, $($name [$($g6)*])*);
        layout!(Gen7, $($name [$($g7)*])*);
        layout!(Gen8, $($name [$($g8)*])*);
        layout!(Gen9, $($name [$($g9)*])*);
        layout!(Gen12, $($name [$($g12)*])*);
        layout!(Gen125, $($name [$($g125)*])*);
    };
}

macro_rules! layout {
    ($layout:ident, $($name:ident [$($range:tt)*])*) => {
        /// Layout of the generation with this name, and of later ones up to the next layout.
        pub(crate) struct $layout;

        impl Layout for $layout {
            $(const $name: Field = Field::new(stringify!($name), ranges!($($range)*));)*
        }
    };
}

// name                           gen4, gen4.5  gen5  gen6  gen7, gen7.5  gen8  gen9, gen11  gen12  gen12.5
#[rustfmt::skip]
fields! {
    // Common to all formats.
    OPCODE                        [6:0]           [6:0]           [6:0]           [6:0]           [6:0]             [6:0]             [6:0]          [6:0];
    RESERVED7                     [7:7]           [7:7]           [7:7]           [7:7]           [7:7]             [7:7]             [7:7]          [7:7];
    ACCESS_MODE                   [8:8]           [8:8]           [8:8]           [8:8]           [8:8]             [8:8]             [-]            [-];
    SWSB                          [-]             [-]             [-]             [-]             [-]               [-]               [15:8]         [15:8];
    NO_DD_CLEAR                   [10:10]         [10:10]         [10:10]         [10:10]         [9:9]             [9:9]             [-]            [-];
    NO_DD_CHECK                   [11:11]         [11:11]         [11:11]         [11:11]         [10:10]           [10:10]           [-]            [-];
    NIB_CTRL                      [-]             [-]             [-]             [47:47]         [11:11]           [11:11]           [19:19]        [19:19];
    QTR_CTRL                      [13:12]         [13:12]         [13:12]         [13:12]         [13:12]           [13:12]           [21:20]        [21:20];
    THREAD_CTRL                   [15:14]         [15:14]         [15:14]         [15:14]         [15:14]           [15:14]           [-]            [-];
    ATOMIC_CTRL                   [-]             [-]             [-]             [-]             [-]               [-]               [32:32]        [32:32];
    PRED_CTRL                     [19:16]         [19:16]         [19:16]         [19:16]         [19:16]           [19:16]           [27:24]        [27:24];
    PRED_INV                      [20:20]         [20:20]         [20:20]         [20:20]         [20:20]           [20:20]           [28:28]        [28:28];
    EXEC_SIZE                     [23:21]         [23:21]         [23:21]         [23:21]         [23:21]           [23:21]           [18:16]        [18:16];
    COND_MOD                      [27:24]         [27:24]         [27:24]         [27:24]         [27:24]           [27:24]           [95:92]        [95:92];
    ACC_WR_EN                     [-]             [-]             [28:28]         [28:28]         [28:28]           [28:28]           [33:33]        [33:33];
    MASK_CTRL_EX                  [-]             [28:28]         [-]             [-]             [-]               [-]               [-]            [-];
    COMPACT_CTRL                  [29:29]         [29:29]         [29:29]         [29:29]         [29:29]           [29:29]           [29:29]        [29:29];
    DEBUG_CTRL                    [30:30]         [30:30]         [30:30]         [30:30]         [30:30]           [30:30]           [30:30]        [30:30];
    SATURATE                      [31:31]         [31:31]         [31:31]         [31:31]         [31:31]           [31:31]           [34:34]        [34:34];
    MASK_CTRL                     [9:9]           [9:9]           [9:9]           [9:9]           [34:34]           [34:34]           [31:31]        [31:31];
    FLAG_REG_NR                   [-]             [-]             [-]             [90:90]         [33:33]           [33:33]           [23:23]        [23:23];
    FLAG_SUBREG_NR                [89:89]         [89:89]         [89:89]         [89:89]         [32:32]           [32:32]           [22:22]        [22:22];
    // Two sources, Align1; also one source, math, and (up to gen11) send.
    DST_REG_FILE                  [33:32]         [33:32]         [33:32]         [33:32]         [36:35]           [36:35]           [50:50]        [50:50];
    DST_TYPE                      [36:34]         [36:34]         [36:34]         [36:34]         [40:37]           [40:37]           [39:36]        [39:36];
    DST_HSTRIDE                   [62:61]         [62:61]         [62:61]         [62:61]         [62:61]           [62:61]           [49:48]        [49:48];
    DST_ADDR_MODE                 [63:63]         [63:63]         [63:63]         [63:63]         [63:63]           [63:63]           [35:35]        [35:35];
    DST_REG_NR                    [60:53]         [60:53]         [60:53]         [60:53]         [60:53]           [60:53]           [63:56]        [63:56];
    DST_SUBREG_NR                 [52:48]         [52:48]         [52:48]         [52:48]         [52:48]           [52:48]           [55:51]        [55:51];
    DST_IND_ADDR_SUBREG_NR        [60:58]         [60:58]         [60:58]         [60:58]         [60:57]           [60:57]           [63:60]        [63:60];
    DST_IND_ADDR_IMM              [57:48]         [57:48]         [57:48]         [57:48]         [47:47+56:48]     [47:47+56:48]     [59:50]        [59:50];
    SRC0_REG_FILE                 [38:37]         [38:37]         [38:37]         [38:37]         [42:41]           [42:41]           [66:66]        [66:66];
    SRC0_IS_IMM                   [-]             [-]             [-]             [-]             [-]               [-]               [46:46]        [46:46];
    SRC0_TYPE                     [41:39]         [41:39]         [41:39]         [41:39]         [46:43]           [46:43]           [43:40]        [43:40];
    SRC0_VSTRIDE                  [88:85]         [88:85]         [88:85]         [88:85]         [88:85]           [88:85]           [87:84]        [87:84];
    SRC0_WIDTH                    [84:82]         [84:82]         [84:82]         [84:82]         [84:82]           [84:82]           [83:81]        [83:81];
    SRC0_HSTRIDE                  [81:80]         [81:80]         [81:80]         [81:80]         [81:80]           [81:80]           [65:64]        [65:64];
    SRC0_ADDR_MODE                [79:79]         [79:79]         [79:79]         [79:79]         [79:79]           [79:79]           [80:80]        [80:80];
    SRC0_NEGATE                   [78:78]         [78:78]         [78:78]         [78:78]         [78:78]           [78:78]           [45:45]        [45:45];
    SRC0_ABS                      [77:77]         [77:77]         [77:77]         [77:77]         [77:77]           [77:77]           [44:44]        [44:44];
    SRC0_REG_NR                   [76:69]         [76:69]         [76:69]         [76:69]         [76:69]           [76:69]           [79:72]        [79:72];
    SRC0_SUBREG_NR                [68:64]         [68:64]         [68:64]         [68:64]         [68:64]           [68:64]           [71:67]        [71:67];
    SRC0_IND_ADDR_SUBREG_NR       [76:74]         [76:74]         [76:74]         [76:74]         [76:73]           [76:73]           [79:76]        [79:76];
    SRC0_IND_ADDR_IMM             [73:64]         [73:64]         [73:64]         [73:64]         [95:95+72:64]     [95:95+72:64]     [75:66]        [75:66];
    SRC1_REG_FILE                 [43:42]         [43:42]         [43:42]         [43:42]         [90:89]           [90:89]           [98:98]        [98:98];
    SRC1_IS_IMM                   [-]             [-]             [-]             [-]             [-]               [-]               [47:47]        [47:47];
    SRC1_TYPE                     [46:44]         [46:44]         [46:44]         [46:44]         [94:91]           [94:91]           [91:88]        [91:88];
    SRC1_VSTRIDE                  [120:117]       [120:117]       [120:117]       [120:117]       [120:117]         [120:117]         [119:116]      [119:116];
    SRC1_WIDTH                    [116:114]       [116:114]       [116:114]       [116:114]       [116:114]         [116:114]         [115:113]      [115:113];
    SRC1_HSTRIDE                  [113:112]       [113:112]       [113:112]       [113:112]       [113:112]         [113:112]         [97:96]        [97:96];
    SRC1_ADDR_MODE                [111:111]       [111:111]       [111:111]       [111:111]       [111:111]         [111:111]         [112:112]      [112:112];
    SRC1_NEGATE                   [110:110]       [110:110]       [110:110]       [110:110]       [110:110]         [110:110]         [121:121]      [121:121];
    SRC1_ABS                      [109:109]       [109:109]       [109:109]       [109:109]       [109:109]         [109:109]         [120:120]      [120:120];
    SRC1_REG_NR                   [108:101]       [108:101]       [108:101]       [108:101]       [108:101]         [108:101]         [111:104]      [111:104];
    SRC1_SUBREG_NR                [100:96]        [100:96]        [100:96]        [100:96]        [100:96]          [100:96]          [103:99]       [103:99];
    SRC1_IND_ADDR_SUBREG_NR       [108:106]       [108:106]       [108:106]       [108:106]       [108:105]         [108:105]         [111:108]      [111:108];
    SRC1_IND_ADDR_IMM             [105:96]        [105:96]        [105:96]        [105:96]        [121:121+104:96]  [121:121+104:96]  [107:98]       [107:98];
    // Two sources, Align16: where it differs from Align1.
    A16_DST_SUBREG_NR_16B         [52:52]         [52:52]         [52:52]         [52:52]         [52:52]           [52:52]           [-]            [-];
    A16_DST_CHAN_EN               [51:48]         [51:48]         [51:48]         [51:48]         [51:48]           [51:48]           [-]            [-];
    A16_DST_IND_ADDR_IMM_16B      [57:52]         [57:52]         [57:52]         [57:52]         [47:47+56:52]     [47:47+56:52]     [-]            [-];
    A16_SRC0_SUBREG_NR_16B        [68:68]         [68:68]         [68:68]         [68:68]         [68:68]           [68:68]           [-]            [-];
    A16_SRC0_SWIZZLE              [83:80+67:64]   [83:80+67:64]   [83:80+67:64]   [83:80+67:64]   [83:80+67:64]     [83:80+67:64]     [-]            [-];
    A16_SRC0_MME                  [-]             [-]             [-]             [-]             [67:64]           [67:64]           [-]            [-];
    A16_SRC0_MME_PAD              [-]             [-]             [-]             [-]             [83:80]           [83:80]           [-]            [-];
    A16_SRC0_IND_ADDR_IMM_16B     [73:68]         [73:68]         [73:68]         [73:68]         [95:95+72:68]     [95:95+72:68]     [-]            [-];
    A16_SRC1_SUBREG_NR_16B        [100:100]       [100:100]       [100:100]       [100:100]       [100:100]         [100:100]         [-]            [-];
    A16_SRC1_SWIZZLE              [115:112+99:96] [115:112+99:96] [115:112+99:96] [115:112+99:96] [115:112+99:96]   [115:112+99:96]   [-]            [-];
    A16_SRC1_MME                  [-]             [-]             [-]             [-]             [99:96]           [99:96]           [-]            [-];
    A16_SRC1_MME_PAD              [-]             [-]             [-]             [-]             [115:112]         [115:112]         [-]            [-];
    A16_SRC1_IND_ADDR_IMM_16B     [105:100]       [105:100]       [105:100]       [105:100]       [121:121+104:100] [121:121+104:100] [-]            [-];
    // Immediates.
    IMM32                         [127:96]        [127:96]        [127:96]        [127:96]        [127:96]          [127:96]          [127:96]       [127:96];
    IMM16                         [111:96]        [111:96]        [111:96]        [111:96]        [111:96]          [111:96]          [111:96]       [111:96];
    IMM16_COPY                    [127:112]       [127:112]       [127:112]       [127:112]       [127:112]         [127:112]         [127:112]      [127:112];
    IMM64                         [-]             [-]             [-]             [127:64]        [127:64]          [127:64]          [95:64+127:96] [95:64+127:96];
    // Three sources, Align16.
    T16_DST_REG_FILE              [-]             [-]             [32:32]         [-]             [-]               [-]               [-]            [-];
    T16_DST_TYPE                  [-]             [-]             [-]             [45:44]         [48:46]           [48:46]           [-]            [-];
    T16_SRC_TYPE                  [-]             [-]             [-]             [43:42]         [45:43]           [45:43]           [-]            [-];
    T16_SRC1_TYPE_HF              [-]             [-]             [-]             [-]             [36:36]           [36:36]           [-]            [-];
    T16_SRC2_TYPE_HF              [-]             [-]             [-]             [-]             [35:35]           [35:35]           [-]            [-];
    T16_FLAG_REG_NR               [-]             [-]             [-]             [34:34]         [33:33]           [33:33]           [-]            [-];
    T16_FLAG_SUBREG_NR            [-]             [-]             [33:33]         [33:33]         [32:32]           [32:32]           [-]            [-];
    T16_NIB_CTRL                  [-]             [-]             [-]             [47:47]         [11:11]           [11:11]           [-]            [-];
    T16_DST_REG_NR                [-]             [-]             [63:56]         [63:56]         [63:56]           [63:56]           [-]            [-];
    T16_DST_SUBREG_NR_4B          [-]             [-]             [55:53]         [55:53]         [55:53]           [55:53]           [-]            [-];
    T16_DST_CHAN_EN               [-]             [-]             [52:49]         [52:49]         [52:49]           [52:49]           [-]            [-];
    T16_SRC0_REP_CTRL             [-]             [-]             [64:64]         [64:64]         [64:64]           [64:64]           [-]            [-];
    T16_SRC0_CHAN_SEL             [-]             [-]             [72:65]         [72:65]         [72:65]           [72:65]           [-]            [-];
    T16_SRC0_SUBREG_NR_4B         [-]             [-]             [75:73]         [75:73]         [75:73]           [75:73]           [-]            [-];
    T16_SRC0_SUBREG_NR_BIT1       [-]             [-]             [-]             [-]             [84:84]           [84:84]           [-]            [-];
    T16_SRC0_REG_NR               [-]             [-]             [83:76]         [83:76]         [83:76]           [83:76]           [-]            [-];
    T16_SRC0_NEGATE               [-]             [-]             [37:37]         [37:37]         [38:38]           [38:38]           [-]            [-];
    T16_SRC0_ABS                  [-]             [-]             [36:36]         [36:36]         [37:37]           [37:37]           [-]            [-];
    T16_SRC1_REP_CTRL             [-]             [-]             [85:85]         [85:85]         [85:85]           [85:85]           [-]            [-];
    T16_SRC1_CHAN_SEL             [-]             [-]             [93:86]         [93:86]         [93:86]           [93:86]           [-]            [-];
    T16_SRC1_SUBREG_NR_4B         [-]             [-]             [96:94]         [96:94]         [96:94]           [96:94]           [-]            [-];
    T16_SRC1_SUBREG_NR_BIT1       [-]             [-]             [-]             [-]             [105:105]         [105:105]         [-]            [-];
    T16_SRC1_REG_NR               [-]             [-]             [104:97]        [104:97]        [104:97]          [104:97]          [-]            [-];
    T16_SRC1_NEGATE               [-]             [-]             [39:39]         [39:39]         [40:40]           [40:40]           [-]            [-];
    T16_SRC1_ABS                  [-]             [-]             [38:38]         [38:38]         [39:39]           [39:39]           [-]            [-];
    T16_SRC2_REP_CTRL             [-]             [-]             [106:106]       [106:106]       [106:106]         [106:106]         [-]            [-];
    T16_SRC2_CHAN_SEL             [-]             [-]             [114:107]       [114:107]       [114:107]         [114:107]         [-]            [-];
    T16_SRC2_SUBREG_NR_4B         [-]             [-]             [117:115]       [117:115]       [117:115]         [117:115]         [-]            [-];
    T16_SRC2_SUBREG_NR_BIT1       [-]             [-]             [-]             [-]             [126:126]         [126:126]         [-]            [-];
    T16_SRC2_REG_NR               [-]             [-]             [125:118]       [125:118]       [125:118]         [125:118]         [-]            [-];
    T16_SRC2_NEGATE               [-]             [-]             [41:41]         [41:41]         [42:42]           [42:42]           [-]            [-];
    T16_SRC2_ABS                  [-]             [-]             [40:40]         [40:40]         [41:41]           [41:41]           [-]            [-];
    // Three sources, Align1.
    T1_EXEC_TYPE                  [-]             [-]             [-]             [-]             [-]               [35:35]           [39:39]        [39:39];
    T1_DST_REG_FILE               [-]             [-]             [-]             [-]             [-]               [36:36]           [50:50]        [50:50];
    T1_DST_TYPE                   [-]             [-]             [-]             [-]             [-]               [48:46]           [38:36]        [38:36];
    T1_DST_REG_NR                 [-]             [-]             [-]             [-]             [-]               [63:56]           [63:56]        [63:56];
    T1_DST_SUBREG_NR_8B           [-]             [-]             [-]             [-]             [-]               [55:54]           [55:54]        [-];
    T1_DST_SUBREG_NR              [-]             [-]             [-]             [-]             [-]               [-]               [-]            [55:51];
    T1_DST_MME_NR                 [-]             [-]             [-]             [-]             [-]               [55:52]           [54:51]        [54:51];
    T1_DST_HSTRIDE                [-]             [-]             [-]             [-]             [-]               [49:49]           [48:48]        [48:48];
    T1_SRC0_REG_FILE              [-]             [-]             [-]             [-]             [-]               [43:43]           [66:66]        [66:66];
    T1_SRC0_IS_IMM                [-]             [-]             [-]             [-]             [-]               [-]               [46:46]        [46:46];
    T1_SRC1_REG_FILE              [-]             [-]             [-]             [-]             [-]               [44:44]           [98:98]        [98:98];
    T1_SRC2_REG_FILE              [-]             [-]             [-]             [-]             [-]               [45:45]           [114:114]      [114:114];
    T1_SRC2_IS_IMM                [-]             [-]             [-]             [-]             [-]               [-]               [47:47]        [47:47];
    T1_SRC0_TYPE                  [-]             [-]             [-]             [-]             [-]               [66:64]           [42:40]        [42:40];
    T1_SRC0_REG_NR                [-]             [-]             [-]             [-]             [-]               [83:76]           [79:72]        [79:72];
    T1_SRC0_SUBREG_NR             [-]             [-]             [-]             [-]             [-]               [75:71]           [71:67]        [71:67];
    T1_SRC0_VSTRIDE               [-]             [-]             [-]             [-]             [-]               [68:67]           [43:43+35:35]  [43:43+35:35];
    T1_SRC0_HSTRIDE               [-]             [-]             [-]             [-]             [-]               [70:69]           [65:64]        [65:64];
    T1_SRC0_NEGATE                [-]             [-]             [-]             [-]             [-]               [38:38]           [45:45]        [45:45];
    T1_SRC0_ABS                   [-]             [-]             [-]             [-]             [-]               [37:37]           [44:44]        [44:44];
    T1_SRC1_TYPE                  [-]             [-]             [-]             [-]             [-]               [87:85]           [90:88]        [90:88];
    T1_SRC1_REG_NR                [-]             [-]             [-]             [-]             [-]               [104:97]          [111:104]      [111:104];
    T1_SRC1_SUBREG_NR             [-]             [-]             [-]             [-]             [-]               [96:92]           [103:99]       [103:99];
    T1_SRC1_VSTRIDE               [-]             [-]             [-]             [-]             [-]               [89:88]           [91:91+83:83]  [91:91+83:83];
    T1_SRC1_HSTRIDE               [-]             [-]             [-]             [-]             [-]               [91:90]           [97:96]        [97:96];
    T1_SRC1_NEGATE                [-]             [-]             [-]             [-]             [-]               [40:40]           [87:87]        [87:87];
    T1_SRC1_ABS                   [-]             [-]             [-]             [-]             [-]               [39:39]           [86:86]        [86:86];
    T1_SRC2_TYPE                  [-]             [-]             [-]             [-]             [-]               [108:106]         [82:80]        [82:80];
    T1_SRC2_REG_NR                [-]             [-]             [-]             [-]             [-]               [125:118]         [127:120]      [127:120];
    T1_SRC2_SUBREG_NR             [-]             [-]             [-]             [-]             [-]               [117:113]         [119:115]      [119:115];
    T1_SRC2_HSTRIDE               [-]             [-]             [-]             [-]             [-]               [112:111]         [113:112]      [113:112];
    T1_SRC2_NEGATE                [-]             [-]             [-]             [-]             [-]               [42:42]           [85:85]        [85:85];
    T1_SRC2_ABS                   [-]             [-]             [-]             [-]             [-]               [41:41]           [84:84]        [84:84];
    T1_SRC0_IMM16                 [-]             [-]             [-]             [-]             [-]               [82:67]           [79:64]        [79:64];
    T1_SRC2_IMM16                 [-]             [-]             [-]             [-]             [-]               [124:109]         [127:112]      [127:112];
    // Flow control.
    JUMP_COUNT                    [111:96]        [111:96]        [63:48]         [-]             [-]               [-]               [-]            [-];
    POP_COUNT                     [115:112]       [115:112]       [-]             [-]             [-]               [-]               [-]            [-];
    JIP                           [-]             [-]             [111:96]        [111:96]        [127:96]          [127:96]          [127:96]       [127:96];
    UIP                           [-]             [-]             [127:112]       [127:112]       [95:64]           [95:64]           [95:64]        [95:64];
    JIP_IS_IMM                    [-]             [-]             [-]             [-]             [-]               [-]               [46:46]        [46:46];
    UIP_IS_IMM                    [-]             [-]             [-]             [-]             [-]               [-]               [47:47]        [47:47];
    BRANCH_CTRL                   [-]             [-]             [-]             [-]             [28:28]           [28:28]           [33:33]        [33:33];
    JMPI_OFFSET                   [127:96]        [127:96]        [127:96]        [127:96]        [127:96]          [127:96]          [127:96]       [127:96];
    CALL_OFFSET                   [-]             [-]             [127:96]        [127:96]        [127:96]          [127:96]          [127:96]       [127:96];
    // Math, sync.
    MATH_FC                       [-]             [-]             [27:24]         [27:24]         [27:24]           [27:24]           [95:92]        [95:92];
    SYNC_FC                       [-]             [-]             [-]             [-]             [-]               [-]               [95:92]        [95:92];
    // Send.
    SEND_SFID                     [123:120]       [95:92]         [27:24]         [27:24]         [27:24]           [27:24]           [95:92]        [95:92];
    SEND_EOT                      [127:127]       [127:127]       [127:127]       [127:127]       [127:127]         [127:127]         [34:34]        [34:34];
    SEND_BASE_MRF                 [27:24]         [27:24]         [-]             [-]             [-]               [-]               [-]            [-];
    SEND_DESC_IMM                 [119:96]        [124:96]        [124:96]        [124:96]        [124:96]          [126:96]          [123:122+71:67+55:51+121:113+91:81] [123:122+71:67+55:51+121:113+91:81];
    SEND_DESC_REG_SELECT          [-]             [-]             [-]             [-]             [-]               [-]               [48:48]        [48:48];
    SEND_EX_DESC_IMM              [-]             [-]             [-]             [-]             [-]               [94:91+88:85+83:80+67:64] [127:124+97:96+65:64+47:35+103:99] [127:124+97:96+65:64+47:35+103:99];
    SEND_EX_DESC_REG_SELECT       [-]             [-]             [-]             [-]             [-]               [-]               [49:49]        [49:49];
    SEND_EX_DESC_ADDR_SUBREG      [-]             [-]             [-]             [-]             [-]               [-]               [42:40]        [42:40];
    SEND_EX_BSO                   [-]             [-]             [-]             [-]             [-]               [-]               [-]            [39:39];
    SEND_CPS_LOD_COMP             [-]             [-]             [-]             [-]             [-]               [-]               [-]            [35:35];
    SEND_SRC1_LENGTH              [-]             [-]             [-]             [-]             [-]               [-]               [103:99]       [103:99];
    SEND_FUSION_CTRL              [-]             [-]             [-]             [-]             [-]               [-]               [33:33]        [33:33];
    SEND_DST_REG_FILE             [-]             [-]             [-]             [-]             [-]               [-]               [50:50]        [50:50];
    SEND_DST_REG_NR               [-]             [-]             [-]             [-]             [-]               [-]               [63:56]        [63:56];
    SEND_SRC0_REG_FILE            [-]             [-]             [-]             [-]             [-]               [-]               [66:66]        [66:66];
    SEND_SRC0_REG_NR              [-]             [-]             [-]             [-]             [-]               [-]               [79:72]        [79:72];
    SEND_SRC1_REG_FILE            [-]             [-]             [-]             [-]             [-]               [-]               [98:98]        [98:98];
    SEND_SRC1_REG_NR              [-]             [-]             [-]             [-]             [-]               [-]               [111:104]      [111:104];
    // Split send (gen9 to gen11).
    SENDS_DESC_IMM                [-]             [-]             [-]             [-]             [-]               [126:96]          [-]            [-];
    SENDS_DESC_REG_SELECT         [-]             [-]             [-]             [-]             [-]               [77:77]           [-]            [-];
    SENDS_EX_DESC_IMM             [-]             [-]             [-]             [-]             [-]               [95:80+67:64]     [-]            [-];
    SENDS_EX_DESC_REG_SELECT      [-]             [-]             [-]             [-]             [-]               [61:61]           [-]            [-];
    SENDS_EX_DESC_ADDR_SUBREG     [-]             [-]             [-]             [-]             [-]               [82:80]           [-]            [-];
    SENDS_DST_REG_FILE            [-]             [-]             [-]             [-]             [-]               [35:35]           [-]            [-];
    SENDS_DST_REG_NR              [-]             [-]             [-]             [-]             [-]               [60:53]           [-]            [-];
    SENDS_DST_SUBREG_NR_16B       [-]             [-]             [-]             [-]             [-]               [52:52]           [-]            [-];
    SENDS_DST_ADDR_MODE           [-]             [-]             [-]             [-]             [-]               [63:63]           [-]            [-];
    SENDS_DST_IND_ADDR_SUBREG_NR  [-]             [-]             [-]             [-]             [-]               [60:57]           [-]            [-];
    SENDS_DST_IND_ADDR_IMM_16B    [-]             [-]             [-]             [-]             [-]               [62:62+56:52]     [-]            [-];
    SENDS_SRC0_REG_NR             [-]             [-]             [-]             [-]             [-]               [76:69]           [-]            [-];
    SENDS_SRC0_SUBREG_NR_16B      [-]             [-]             [-]             [-]             [-]               [68:68]           [-]            [-];
    SENDS_SRC0_ADDR_MODE          [-]             [-]             [-]             [-]             [-]               [79:79]           [-]            [-];
    SENDS_SRC0_IND_ADDR_SUBREG_NR [-]             [-]             [-]             [-]             [-]               [76:73]           [-]            [-];
    SENDS_SRC0_IND_ADDR_IMM_16B   [-]             [-]             [-]             [-]             [-]               [78:78+72:68]     [-]            [-];
    SENDS_SRC1_REG_FILE           [-]             [-]             [-]             [-]             [-]               [36:36]           [-]            [-];
    SENDS_SRC1_REG_NR             [-]             [-]             [-]             [-]             [-]               [51:44]           [-]            [-];
    // Boolean function and systolic (gen12.5).
    BOOLEAN_FC                    [-]             [-]             [-]             [-]             [-]               [-]               [-]            [95:92+87:84];
    DPAS_SYSTOLIC_DEPTH           [-]             [-]             [-]             [-]             [-]               [-]               [-]            [49:48];
    DPAS_REPEAT_COUNT             [-]             [-]             [-]             [-]             [-]               [-]               [-]            [45:43];
    DPAS_SRC1_SUB_BYTE            [-]             [-]             [-]             [-]             [-]               [-]               [-]            [87:86];
    DPAS_SRC2_SUB_BYTE            [-]             [-]             [-]             [-]             [-]               [-]               [-]            [85:84];
}

/// The fields of a source in the two-source formats, so that one function can visit either source.
pub(crate) struct SrcFields {
    pub(crate) reg_file: Field,
    pub(crate) is_imm: Field,
    pub(crate) ty: Field,
    pub(crate) vstride: Field,
    pub(crate) width: Field,
    pub(crate) hstride: Field,
    pub(crate) addr_mode: Field,
    pub(crate) negate: Field,
    pub(crate) abs: Field,
    pub(crate) reg_nr: Field,
    pub(crate) subreg_nr: Field,
    pub(crate) ind_addr_subreg_nr: Field,
    pub(crate) ind_addr_imm: Field,
    pub(crate) subreg_nr_16b: Field,
    pub(crate) swizzle: Field,
    pub(crate) mme: Field,
    pub(crate) mme_pad: Field,
    pub(crate) ind_addr_imm_16b: Field,
}

/// The fields of a source in the Align16 three-source format.
pub(crate) struct Src16Fields {
    pub(crate) rep_ctrl: Field,
    pub(crate) chan_sel: Field,
    pub(crate) subreg_nr_4b: Field,
    pub(crate) subreg_nr_bit1: Field,
    pub(crate) reg_nr: Field,
    pub(crate) negate: Field,
    pub(crate) abs: Field,
}

/// The fields of a source in the Align1 three-source format.
pub(crate) struct Src1Fields {
    pub(crate) reg_file: Field,
    pub(crate) is_imm: Field,
    pub(crate) ty: Field,
    pub(crate) reg_nr: Field,
    pub(crate) subreg_nr: Field,
    pub(crate) vstride: Field,
    pub(crate) hstride: Field,
    pub(crate) negate: Field,
    pub(crate) abs: Field,
    pub(crate) imm16: Field,
}

/// The field of a source that lacks it.
const ABSENT: Field = Field::new("absent", &[]);

/// The fields of a layout grouped by source, so that one function handles all sources.
pub(crate) trait Sources: Layout {
    const SRC: [SrcFields; 2] = [
        SrcFields {
            reg_file: Self::SRC0_REG_FILE,
            is_imm: Self::SRC0_IS_IMM,
            ty: Self::SRC0_TYPE,
            vstride: Self::SRC0_VSTRIDE,
            width: Self::SRC0_WIDTH,
            hstride: Self::SRC0_HSTRIDE,
            addr_mode: Self::SRC0_ADDR_MODE,
            negate: Self::SRC0_NEGATE,
            abs: Self::SRC0_ABS,
            reg_nr: Self::SRC0_REG_NR,
            subreg_nr: Self::SRC0_SUBREG_NR,
            ind_addr_subreg_nr: Self::SRC0_IND_ADDR_SUBREG_NR,
            ind_addr_imm: Self::SRC0_IND_ADDR_IMM,
            subreg_nr_16b: Self::A16_SRC0_SUBREG_NR_16B,
            swizzle: Self::A16_SRC0_SWIZZLE,
            mme: Self::A16_SRC0_MME,
            mme_pad: Self::A16_SRC0_MME_PAD,
            ind_addr_imm_16b: Self::A16_SRC0_IND_ADDR_IMM_16B,
        },
        SrcFields {
            reg_file: Self::SRC1_REG_FILE,
            is_imm: Self::SRC1_IS_IMM,
            ty: Self::SRC1_TYPE,
            vstride: Self::SRC1_VSTRIDE,
            width: Self::SRC1_WIDTH,
            hstride: Self::SRC1_HSTRIDE,
            addr_mode: Self::SRC1_ADDR_MODE,
            negate: Self::SRC1_NEGATE,
            abs: Self::SRC1_ABS,
            reg_nr: Self::SRC1_REG_NR,
            subreg_nr: Self::SRC1_SUBREG_NR,
            ind_addr_subreg_nr: Self::SRC1_IND_ADDR_SUBREG_NR,
            ind_addr_imm: Self::SRC1_IND_ADDR_IMM,
            subreg_nr_16b: Self::A16_SRC1_SUBREG_NR_16B,
            swizzle: Self::A16_SRC1_SWIZZLE,
            mme: Self::A16_SRC1_MME,
            mme_pad: Self::A16_SRC1_MME_PAD,
            ind_addr_imm_16b: Self::A16_SRC1_IND_ADDR_IMM_16B,
        },
    ];
    const T16_SRC: [Src16Fields; 3] = [
        Src16Fields {
            rep_ctrl: Self::T16_SRC0_REP_CTRL,
            chan_sel: Self::T16_SRC0_CHAN_SEL,
            subreg_nr_4b: Self::T16_SRC0_SUBREG_NR_4B,
            subreg_nr_bit1: Self::T16_SRC0_SUBREG_NR_BIT1,
            reg_nr: Self::T16_SRC0_REG_NR,
            negate: Self::T16_SRC0_NEGATE,
            abs: Self::T16_SRC0_ABS,
        },
        Src16Fields {
            rep_ctrl: Self::T16_SRC1_REP_CTRL,
            chan_sel: Self::T16_SRC1_CHAN_SEL,
            subreg_nr_4b: Self::T16_SRC1_SUBREG_NR_4B,
            subreg_nr_bit1: Self::T16_SRC1_SUBREG_NR_BIT1,
            reg_nr: Self::T16_SRC1_REG_NR,
            negate: Self::T16_SRC1_NEGATE,
            abs: Self::T16_SRC1_ABS,
        },
        Src16Fields {
            rep_ctrl: Self::T16_SRC2_REP_CTRL,
            chan_sel: Self::T16_SRC2_CHAN_SEL,
            subreg_nr_4b: Self::T16_SRC2_SUBREG_NR_4B,
            subreg_nr_bit1: Self::T16_SRC2_SUBREG_NR_BIT1,
            reg_nr: Self::T16_SRC2_REG_NR,
            negate: Self::T16_SRC2_NEGATE,
            abs: Self::T16_SRC2_ABS,
        },
    ];
    const T1_SRC: [Src1Fields; 3] = [
        Src1Fields {
            reg_file: Self::T1_SRC0_REG_FILE,
            is_imm: Self::T1_SRC0_IS_IMM,
            ty: Self::T1_SRC0_TYPE,
            reg_nr: Self::T1_SRC0_REG_NR,
            subreg_nr: Self::T1_SRC0_SUBREG_NR,
            vstride: Self::T1_SRC0_VSTRIDE,
            hstride: Self::T1_SRC0_HSTRIDE,
            negate: Self::T1_SRC0_NEGATE,
            abs: Self::T1_SRC0_ABS,
            imm16: Self::T1_SRC0_IMM16,
        },
        Src1Fields {
            reg_file: Self::T1_SRC1_REG_FILE,
            is_imm: ABSENT,
            ty: Self::T1_SRC1_TYPE,
            reg_nr: Self::T1_SRC1_REG_NR,
            subreg_nr: Self::T1_SRC1_SUBREG_NR,
            vstride: Self::T1_SRC1_VSTRIDE,
            hstride: Self::T1_SRC1_HSTRIDE,
            negate: Self::T1_SRC1_NEGATE,
            abs: Self::T1_SRC1_ABS,
            imm16: ABSENT,
        },
        Src1Fields {
            reg_file: Self::T1_SRC2_REG_FILE,
            is_imm: Self::T1_SRC2_IS_IMM,
            ty: Self::T1_SRC2_TYPE,
            reg_nr: Self::T1_SRC2_REG_NR,
            subreg_nr: Self::T1_SRC2_SUBREG_NR,
            vstride: ABSENT,
            hstride: Self::T1_SRC2_HSTRIDE,
            negate: Self::T1_SRC2_NEGATE,
            abs: Self::T1_SRC2_ABS,
            imm16: Self::T1_SRC2_IMM16,
        },
    ];
}

impl<L: Layout> Sources for L {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_split_field_is_one_number() {
        let field = Gen6::T16_SRC1_SUBREG_NR_4B;
        assert_eq!(field.put(0b101), 1 << 96 | 1 << 94);
        assert_eq!(field.get(1 << 96 | 1 << 94), 0b101);
        let offset = Gen9::DST_IND_ADDR_IMM;
        assert_eq!(offset.put(1 << 9), 1 << 47);
        let wide = Gen12::IMM64;
        assert_eq!(wide.get(wide.put(0x0123_4567_89ab_cdef)), 0x0123_4567_89ab_cdef);
        assert_eq!(wide.put(0x0123_4567_89ab_cdef) >> 96, 0x89ab_cdef);
    }
}
