//! Selects the function that translates a SPIR-V instruction.

use rspirv::spirv::{Decoration, GlslStd450Op, Op};

use super::Translator;
use super::value::Val;
use crate::error::{ErrorCode, Result};
use crate::spirv::{Const, ExtSet, Inst, Type};

impl Translator<'_, '_> {
    /// Translates one instruction of a block.
    pub(super) fn inst(&mut self, inst: &Inst<'_>) -> Result<()> {
        self.exact = inst.result != 0 && self.module.has(inst.result, Decoration::NoContraction);
        self.set_loc(inst);
        let done = self.dispatch(inst);
        self.exact = false;
        done
    }

    /// Calls the function for the instruction's opcode.
    fn dispatch(&mut self, inst: &Inst<'_>) -> Result<()> {
        if let Some(row) = super::alu::row(inst.op) {
            return self.op_alu(inst, row);
        }
        match inst.op {
            // `OpAssumeTrueKHR` only helps optimisations; no pass uses it.
            Op::Line | Op::NoLine | Op::Nop | Op::AssumeTrueKHR => Ok(()),
            Op::Undef => {
                self.bind(inst.result, Val::Const(Const::Undef));
                Ok(())
            }
            Op::Variable => self.op_variable(inst),
            Op::Load => self.op_load(inst),
            Op::Store => self.op_store(inst),
            Op::CopyMemory => self.op_copy_memory(inst),
            Op::AccessChain | Op::InBoundsAccessChain => self.access_chain(inst, 1),
            Op::ArrayLength => self.op_array_length(inst),
            Op::PtrAccessChain | Op::InBoundsPtrAccessChain => self.ptr_access_chain(inst),
            Op::PtrEqual | Op::PtrNotEqual => self.op_ptr_equal(inst),
            Op::PtrDiff => self.op_ptr_diff(inst),
            Op::ConvertPtrToU | Op::ConvertUToPtr => self.op_convert_pointer(inst),
            Op::FunctionCall => self.op_call(inst),
            Op::CopyObject | Op::CopyLogical | Op::ExpectKHR => self.op_copy(inst),
            Op::CompositeConstruct => self.op_construct(inst),
            Op::CompositeExtract => self.op_extract(inst),
            Op::CompositeInsert => self.op_insert(inst),
            Op::VectorShuffle => self.op_shuffle(inst),
            Op::VectorExtractDynamic => self.op_extract_dynamic(inst),
            Op::VectorInsertDynamic => self.op_insert_dynamic(inst),
            Op::Select => self.op_select(inst),
            Op::Transpose => self.op_transpose(inst),
            Op::MatrixTimesScalar => self.op_matrix_times_scalar(inst),
            Op::MatrixTimesVector => self.op_matrix_times_vector(inst),
            Op::VectorTimesMatrix => self.op_vector_times_matrix(inst),
            Op::MatrixTimesMatrix => self.op_matrix_times_matrix(inst),
            Op::OuterProduct => self.op_outer_product(inst),
            Op::VectorTimesScalar => self.op_vector_times_scalar(inst),
            Op::Any | Op::All => self.op_any_all(inst),
            Op::Dot => self.op_dot(inst),
            Op::FMod | Op::FRem => self.op_float_remainder(inst),
            Op::IsNan | Op::IsInf => self.op_classify(inst),
            Op::Bitcast => self.op_bitcast(inst),
            Op::IAddCarry | Op::ISubBorrow | Op::UMulExtended | Op::SMulExtended => {
                self.op_two_results(inst)
            }
            Op::BitFieldInsert | Op::BitFieldSExtract | Op::BitFieldUExtract => {
                self.op_bit_field(inst)
            }
            Op::ShiftLeftLogical | Op::ShiftRightLogical | Op::ShiftRightArithmetic => {
                self.op_shift(inst)
            }
            Op::BitCount => self.op_bit_count(inst),
            Op::SDot | Op::UDot | Op::SUDot | Op::SDotAccSat | Op::UDotAccSat | Op::SUDotAccSat => {
                self.op_integer_dot(inst)
            }
            Op::ControlBarrier | Op::MemoryBarrier => self.op_barrier(inst),
            Op::EmitVertex | Op::EmitStreamVertex | Op::EndPrimitive | Op::EndStreamPrimitive => {
                self.op_stream(inst)
            }
            // The image is undefined: so is the result, and nothing need be written.
            op if uses_image(op) && self.is_undefined_image(inst)? => {
                if inst.result != 0 {
                    self.bind(inst.result, Val::Const(Const::Undef));
                }
                Ok(())
            }
            Op::ImageRead if self.is_texture(inst)? => self.op_texture_read(inst),
            Op::ImageRead => self.op_image_read(inst),
            Op::ImageWrite => self.op_image_write(inst),
            Op::ImageQuerySize if self.is_texture(inst)? => self.op_texture_size(inst),
            Op::ImageQuerySize => self.op_image_query_size(inst),
            Op::ImageQuerySizeLod => self.op_texture_size(inst),
            Op::ImageQueryLevels => self.op_texture_levels(inst),
            Op::ImageQueryLod => self.op_texture_lod(inst),
            Op::ImageQuerySamples => self.op_texture_samples(inst),
            Op::SampledImage => self.op_sampled_image(inst),
            Op::Image => self.op_image(inst),
            Op::ImageFetch => self.op_image_fetch(inst),
            op if is_sample(op) => self.op_image_sample(inst),
            Op::ImageGather | Op::ImageDrefGather => self.op_image_gather(inst),
            Op::ImageTexelPointer => self.op_image_texel_pointer(inst),
            Op::ExtInst => self.op_ext_inst(inst),
            Op::ReadClockKHR => self.op_clock(inst),
            op if super::atomic::is_atomic(op) => self.op_atomic(inst),
            op if super::vendor::is_vendor(op) => self.op_vendor(inst),
            op if super::subgroup::is_subgroup(op) => self.op_subgroup(inst),
            op if super::fragment::is_fragment(op) => self.op_fragment(inst),
            _ => Err(inst.error(
                ErrorCode::Unsupported,
                format!("expected a supported instruction, found Op{}", inst.name),
            )),
        }
    }

    /// Whether operand 0 is an image, with or without a sampler, that is undefined.
    fn is_undefined_image(&mut self, inst: &Inst<'_>) -> Result<bool> {
        let (val, ty) = self.operand(inst, 0)?;
        let is_image =
            matches!(self.globals.types.get(ty), Some(Type::Image(_) | Type::SampledImage { .. }));
        Ok(is_image && matches!(val, Val::Const(Const::Undef)))
    }

    /// `OpExtInst`: an instruction of `GLSL.std.450`. Instructions of non-semantic sets are ignored; others are errors.
    fn op_ext_inst(&mut self, inst: &Inst<'_>) -> Result<()> {
        let (set, number) = (inst.word(0)?, inst.word(1)?);
        match self.module.ext_sets.get(&set) {
            Some(ExtSet::NonSemantic) => Ok(()),
            Some(ExtSet::Glsl450) => match GlslStd450Op::from_u32(number) {
                Some(op) => self.glsl450(inst, op),
                None => {
                    let detail = format!("expected an instruction of GLSL.std.450, found {number}");
                    Err(inst.error(ErrorCode::UnsupportedExt, detail))
                }
            },
            Some(ExtSet::TrinaryMinMax) => self.trinary_minmax(inst, number),
            Some(ExtSet::GcnShader) => self.gcn_shader(inst, number),
            Some(ExtSet::AmdBallot) => self.amd_ballot(inst, number),
            Some(ExtSet::Other(name)) => {
                let detail = format!("expected GLSL.std.450, found instruction {number} of {name}");
                Err(inst.error(ErrorCode::UnsupportedExt, detail))
            }
            None => {
                let detail =
                    format!("expected the id of an imported instruction set, found %{set}");
                Err(inst.error(ErrorCode::UndefinedId, detail))
            }
        }
    }
}

/// Whether operand 0 of an instruction is the value of an image, with or without a sampler.
fn uses_image(op: Op) -> bool {
    is_sample(op)
        || matches!(
            op,
            Op::ImageRead
                | Op::ImageWrite
                | Op::ImageQuerySize
                | Op::ImageQuerySizeLod
                | Op::ImageQueryLevels
                | Op::ImageQueryLod
                | Op::ImageQuerySamples
                | Op::SampledImage
                | Op::Image
                | Op::ImageFetch
                | Op::ImageGather
                | Op::ImageDrefGather
        )
}

/// Whether an instruction samples a texture: all but gathers.
fn is_sample(op: Op) -> bool {
    matches!(
        op,
        Op::ImageSampleImplicitLod
            | Op::ImageSampleExplicitLod
            | Op::ImageSampleDrefImplicitLod
            | Op::ImageSampleDrefExplicitLod
            | Op::ImageSampleProjImplicitLod
            | Op::ImageSampleProjExplicitLod
            | Op::ImageSampleProjDrefImplicitLod
            | Op::ImageSampleProjDrefExplicitLod
    )
}
