//! The properties of an instruction that the rules' checks use, computed once per instruction.

use std::cell::OnceCell;

use crestline_device::{Device, Gen};

use crate::inst::{Dst, Imm, Inst, Place, Reg, Region, Src, SrcReg, VStride};
use crate::message::{Descriptor, DescriptorError};
use crate::tables::{AccessMode, ArfKind, CondMod, Form, Opcode, Type, TypeClass};

/// Bytes of a general register.
pub(super) const GRF: u32 = 32;

/// Number of general registers.
pub(super) const GRF_COUNT: u32 = 128;

/// A set of properties of an instruction. A rule's check runs only on instructions that have the
/// properties it needs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Facts(u32);

impl Facts {
    /// No property: all instructions.
    pub(super) const ANY: Facts = Facts(0);
    /// An instruction of the forms with one or two sources, or `math`, whose operands have the
    /// usual regions.
    pub(super) const BASIC: Facts = Facts(1);
    /// [`BASIC`](Facts::BASIC) with two sources.
    pub(super) const TWO: Facts = Facts(1 << 1);
    /// An instruction of the forms with three sources.
    pub(super) const THREE: Facts = Facts(1 << 2);
    /// Math.
    pub(super) const MATH: Facts = Facts(1 << 3);
    /// A message.
    pub(super) const SEND: Facts = Facts(1 << 4);
    /// Flow control.
    pub(super) const FLOW: Facts = Facts(1 << 5);
    /// Align1, and one to three sources.
    pub(super) const ALIGN1: Facts = Facts(1 << 6);
    /// Align16.
    pub(super) const ALIGN16: Facts = Facts(1 << 7);
    /// A destination that is not null.
    pub(super) const DST: Facts = Facts(1 << 8);
    /// An immediate source.
    pub(super) const IMM: Facts = Facts(1 << 9);
    /// An indirect operand.
    pub(super) const INDIRECT: Facts = Facts(1 << 10);
    /// Conversion rules apply: [`BASIC`](Facts::BASIC), a destination, more than one channel.
    pub(super) const CONVERTS: Facts = Facts(1 << 11);
    /// A 64-bit operation, or a product of dwords (gen8 on): see [`is_wide`].
    pub(super) const WIDE: Facts = Facts(1 << 12);
    /// A mixed float instruction: see [`is_mixed_float`].
    pub(super) const MIXED: Facts = Facts(1 << 13);
    /// An operand of type HF or BF.
    pub(super) const HALF: Facts = Facts(1 << 14);
    /// An operand of one byte.
    pub(super) const BYTE: Facts = Facts(1 << 15);
    /// An operand of eight bytes.
    pub(super) const QWORD: Facts = Facts(1 << 16);
    /// A float operand.
    pub(super) const FLOAT: Facts = Facts(1 << 17);
    /// An integer operand.
    pub(super) const INT: Facts = Facts(1 << 18);
    /// A source modifier.
    pub(super) const MODIFIER: Facts = Facts(1 << 19);
    /// A conditional modifier.
    pub(super) const COND: Facts = Facts(1 << 20);
    /// An architecture register other than null, or an implicit accumulator.
    pub(super) const ARF: Facts = Facts(1 << 21);
    /// `mul`.
    pub(super) const MUL: Facts = Facts(1 << 22);
    /// `cmp` or `cmpn`.
    pub(super) const CMP: Facts = Facts(1 << 23);
    /// A rare operation: not a move, logic operation, shift, sum, product, comparison or selection.
    pub(super) const RARE: Facts = Facts(1 << 24);
    /// The execution type is wider than the destination.
    pub(super) const NARROWS: Facts = Facts(1 << 25);
    /// An unusual source region or destination stride. The usual ones break no rule about a single
    /// region: destination strides 1, 2 and 4, scalar sources, and packed sources with rows that do
    /// not cross a register boundary.
    pub(super) const IRREGULAR: Facts = Facts(1 << 26);
    /// A direct destination in two registers.
    pub(super) const PAIR_DST: Facts = Facts(1 << 27);
    /// A direct Align1 source in two registers.
    pub(super) const PAIR_SRC: Facts = Facts(1 << 28);
    /// A systolic instruction.
    pub(super) const DPAS: Facts = Facts(1 << 29);

    /// The union of two sets.
    pub(super) const fn and(self, other: Facts) -> Facts {
        Facts(self.0 | other.0)
    }

    /// Whether `self` includes all of `other`.
    pub(super) const fn contains(self, other: Facts) -> bool {
        self.0 & other.0 == other.0
    }

    /// Adds a property if `condition`.
    const fn when(self, condition: bool, fact: Facts) -> Facts {
        if condition { self.and(fact) } else { self }
    }
}

/// A direct register source with an Align1 region of strides.
#[derive(Clone, Copy, Debug)]
pub(super) struct RegionSrc {
    /// The operand.
    pub(super) reg: SrcReg,
    /// Unit of the strides in bytes: the element size, but 4 for DF on devices whose regions count
    /// dwords.
    pub(super) size: u32,
    /// Byte offset in the first register.
    pub(super) off: u32,
    /// Vertical stride in elements.
    pub(super) v: u32,
    /// Width in elements.
    pub(super) w: u32,
    /// Horizontal stride in elements.
    pub(super) h: u32,
    /// Execution size, in channels.
    pub(super) es: u32,
}

impl RegionSrc {
    /// Offset of the first byte of channel `i`, from the start of the first register.
    pub(super) fn byte(&self, i: u32) -> u32 {
        self.off + ((i / self.w) * self.v + (i % self.w) * self.h) * self.size
    }

    /// End of the last element: byte offset from the start of the first register, exclusive.
    pub(super) fn end(&self) -> u32 {
        let rows = (self.es / self.w).max(1);
        self.off + ((rows - 1) * self.v + (self.w - 1) * self.h + 1) * self.size
    }

    /// Whether the region is a scalar, or is packed and each row lies in one register.
    fn is_regular(&self) -> bool {
        let row = self.w * self.size;
        self.is_scalar()
            || self.v == self.w
                && self.h == 1
                && self.w > 1
                && self.w <= self.es
                && matches!(self.w, 2 | 4 | 8 | 16)
                && self.off.is_multiple_of(row)
                && row <= GRF
    }

    /// Whether the elements lie in two registers.
    pub(super) fn two_registers(&self) -> bool {
        self.end() > GRF
    }

    /// Whether all channels read one element: `<0;1,0>`.
    pub(super) fn is_scalar(&self) -> bool {
        self.v == 0 && self.h == 0 && self.w == 1
    }

    /// Whether the distance between consecutive elements is the same everywhere.
    pub(super) fn is_linear(&self) -> bool {
        self.v == self.w * self.h || self.h == 0 && self.w == 1
    }

    /// Distance between elements in bytes, as the rules for 64-bit regions define it.
    pub(super) fn byte_stride(&self) -> u32 {
        (if self.h != 0 { self.h } else { self.v }) * self.size
    }

    pub(super) fn is_acc(&self) -> bool {
        is_arf(self.reg.place, ArfKind::Accumulator)
    }
}

/// An instruction with the properties that the rules' checks use.
pub(super) struct Context<'a> {
    pub(super) inst: &'a Inst,
    pub(super) device: &'a Device,
    pub(super) generation: Gen,
    /// Execution size, in channels.
    pub(super) es: u32,
    pub(super) facts: Facts,
    /// Execution type; `None` for instructions that are not [`Facts::BASIC`] or have no source.
    pub(super) exec: Option<Type>,
    regions: [Option<RegionSrc>; 2],
    message: OnceCell<Option<Result<Descriptor, DescriptorError>>>,
    /// Number of register and immediate sources of the operation.
    pub(super) sources: usize,
}

impl<'a> Context<'a> {
    /// Computes the properties of an instruction on a device.
    pub(super) fn new(inst: &'a Inst, device: &'a Device) -> Context<'a> {
        let generation = device.generation();
        let op = inst.opcode;
        let form = op.form();
        let sources = match inst.math() {
            Some(function) => function.sources(),
            None => op.sources(generation),
        };
        let basic = matches!(form, Form::One | Form::Two | Form::Math);
        let three = matches!(form, Form::Three | Form::Bfn);
        let align1 = inst.access_mode == AccessMode::Align1;
        let es = u32::from(inst.exec_size);
        let has_dst = (basic || three || op.is_send()) && !inst.dst.place.is_null();
        let used = &inst.srcs[..sources.min(3)];
        let exec = basic.then(|| instruction_exec_type(inst, used, generation)).flatten();
        let limit = element_limit(device);
        let mut regions = [None; 2];
        if basic && align1 {
            for (region, src) in regions.iter_mut().zip(used) {
                *region = region_src(src, es, limit);
            }
        }
        let operands = operand_facts(inst, used, has_dst);
        let mixed =
            basic && operands.contains(Facts::HALF) && is_mixed_float(inst, used, generation);
        let wide = (basic || three) && is_wide(inst, used, exec, generation);
        let direct_dst =
            has_dst && (basic || three) && matches!(inst.dst.place, Place::Direct { .. });
        let dst_end = match inst.dst.place {
            Place::Direct { sub, .. } => {
                let stride = u32::from(inst.dst.hstride);
                u32::from(sub) + (es.saturating_sub(1) * stride + 1) * inst.dst.ty.size().min(limit)
            }
            Place::Indirect { .. } => 0,
        };
        let irregular = !matches!(inst.dst.hstride, 1 | 2 | 4)
            || regions.iter().flatten().any(|region| !region.is_regular());
        let pair_src = regions.iter().flatten().any(RegionSrc::two_registers);
        let facts = operands
            .when(basic, Facts::BASIC)
            .when(basic && sources == 2, Facts::TWO)
            .when(three, Facts::THREE)
            .when(form == Form::Math, Facts::MATH)
            .when(op.is_send(), Facts::SEND)
            .when(op.is_flow_control(), Facts::FLOW)
            .when(form == Form::Dpas, Facts::DPAS)
            .when(align1 && (basic || three), Facts::ALIGN1)
            .when(!align1, Facts::ALIGN16)
            .when(has_dst, Facts::DST)
            .when(basic && has_dst && es > 1, Facts::CONVERTS)
            .when(wide, Facts::WIDE)
            .when(mixed, Facts::MIXED)
            .when(has_cond_mod(inst), Facts::COND)
            .when(op == Opcode::Mul, Facts::MUL)
            .when(matches!(op, Opcode::Cmp | Opcode::Cmpn), Facts::CMP)
            .when(is_rare(op), Facts::RARE)
            .when(exec.is_some_and(|ty| ty.size() > inst.dst.ty.size()), Facts::NARROWS)
            .when(irregular, Facts::IRREGULAR)
            .when(direct_dst && dst_end > GRF, Facts::PAIR_DST)
            .when(pair_src, Facts::PAIR_SRC);
        Context {
            inst,
            device,
            generation,
            es,
            facts,
            exec,
            regions,
            message: OnceCell::new(),
            sources,
        }
    }

    pub(super) fn op(&self) -> Opcode {
        self.inst.opcode
    }

    pub(super) fn dst(&self) -> &Dst {
        &self.inst.dst
    }

    /// Destination stride in elements.
    pub(super) fn hd(&self) -> u32 {
        u32::from(self.inst.dst.hstride)
    }

    /// Size of a destination element in bytes.
    pub(super) fn dst_size(&self) -> u32 {
        self.inst.dst.ty.size()
    }

    /// Unit of the destination stride in bytes: the element size, but 4 for DF on devices whose
    /// regions count dwords.
    pub(super) fn dst_region_size(&self) -> u32 {
        self.dst_size().min(element_limit(self.device))
    }

    /// Byte offset of a direct destination in its register; 0 otherwise.
    pub(super) fn dst_off(&self) -> u32 {
        match self.inst.dst.place {
            Place::Direct { sub, .. } => u32::from(sub),
            Place::Indirect { .. } => 0,
        }
    }

    /// End of the last element of a direct Align1 destination: byte offset from the start of its
    /// first register, exclusive.
    pub(super) fn dst_end(&self) -> u32 {
        self.dst_off() + ((self.es - 1) * self.hd() + 1) * self.dst_region_size()
    }

    /// Whether the destination is direct and lies in two registers.
    pub(super) fn dst_two_registers(&self) -> bool {
        self.has(Facts::PAIR_DST)
    }

    pub(super) fn is_direct_dst(&self) -> bool {
        matches!(self.inst.dst.place, Place::Direct { .. })
    }

    /// Whether the instruction has all of these properties.
    pub(super) fn has(&self, facts: Facts) -> bool {
        self.facts.contains(facts)
    }

    /// The sources that the operation has.
    pub(super) fn srcs(&self) -> &'a [Src] {
        &self.inst.srcs[..self.sources.min(3)]
    }

    /// The register sources that the operation has, with their positions.
    pub(super) fn reg_srcs(&self) -> impl Iterator<Item = (usize, &'a SrcReg)> {
        self.srcs().iter().enumerate().filter_map(|(i, s)| Some((i, s.as_reg()?)))
    }

    /// The immediate sources.
    pub(super) fn imms(&self) -> impl Iterator<Item = &'a Imm> {
        self.srcs().iter().filter_map(Src::as_imm)
    }

    /// The direct, non-null sources with Align1 regions ([`Facts::BASIC`] only).
    pub(super) fn regions(&self) -> impl Iterator<Item = &RegionSrc> {
        self.regions.iter().flatten()
    }

    /// The registers and byte offsets of the direct destination and sources.
    pub(super) fn direct_regs(&self) -> impl Iterator<Item = (Reg, u8)> {
        let dst = (self.has(Facts::BASIC) || self.has(Facts::THREE) || self.has(Facts::SEND))
            .then_some(self.inst.dst.place);
        dst.into_iter().chain(self.reg_srcs().map(|(_, r)| r.place)).filter_map(|place| match place
        {
            Place::Direct { reg, sub } => Some((reg, sub)),
            Place::Indirect { .. } => None,
        })
    }

    /// Number of channels that the instruction works on. This is the execution size, except on
    /// devices whose execution size counts dwords: there it is half of that for instructions with
    /// 8-byte operands.
    pub(super) fn channels(&self) -> u32 {
        let wide = self.exec_size_bytes() == 8
            || self.dst_size() == 8
            || self.reg_srcs().any(|(_, r)| r.ty.size() == 8);
        if self.device.df_exec_size_counts_dwords() && wide { self.es / 2 } else { self.es }
    }

    /// End of the last element of a direct source: byte offset from the start of its register,
    /// exclusive. For Align16 sources, computed with the greatest component of the swizzle. 0 for
    /// indirect sources.
    pub(super) fn src_reach(&self, src: &SrcReg) -> u32 {
        let Place::Direct { sub, .. } = src.place else { return 0 };
        let size = src.ty.size();
        let unit = size.min(element_limit(self.device));
        let last = self.es.saturating_sub(1);
        let strides = |(v, w, h): (u32, u32, u32)| {
            let w = w.max(1);
            (last / w * v + last.min(w - 1) * h) * unit
        };
        // Align16: `bytes` is the distance between rows of four elements, or of two 64-bit
        // elements.
        let rows = |bytes: u32, swizzle: [u8; 4]| {
            let in_row = if size == 8 { 2 } else { 4 };
            let last = self.channels().saturating_sub(1);
            let used = self.channels().min(4) as usize;
            let component = swizzle.iter().take(used).max().map_or(0, |&c| u32::from(c));
            let within = if size == 8 { component / 2 * 8 } else { component * size };
            last / in_row * bytes + within
        };
        let reach = match src.region {
            Region::Align1 { vstride: VStride::VxH, .. }
            | Region::ThreeAlign16 { rep: true, .. } => 0,
            Region::Align1 { .. } | Region::ThreeAlign1 { .. } => {
                strides(src.region.strides().unwrap_or((0, 1, 0)))
            }
            Region::Align16 { vstride: 0, swizzle } => rows(0, swizzle.0),
            Region::Align16 { vstride, swizzle } => {
                rows(if size == 8 { 16 } else { u32::from(vstride) * size }, swizzle.0)
            }
            Region::ThreeAlign16 { rep: false, swizzle } => {
                rows(if size == 8 { 16 } else { 4 * size }, swizzle.0)
            }
        };
        u32::from(sub) + reach + unit
    }

    /// End of the last element of the destination: byte offset from the start of its register,
    /// exclusive.
    pub(super) fn dst_reach(&self) -> u32 {
        let stride = self.hd().max(1) * self.dst_region_size();
        self.dst_off() + self.es.saturating_sub(1) * stride + self.dst_region_size()
    }

    /// The registers of the direct operands of arithmetic instructions, each with the end of its
    /// last element as from [`Context::src_reach`].
    pub(super) fn reaches(&self) -> impl Iterator<Item = (Reg, u32)> {
        let computes = self.has(Facts::BASIC) || self.has(Facts::THREE);
        let direct = move |place: Place, reach: u32| match place {
            Place::Direct { reg, .. } if computes && reg != Reg::NULL => Some((reg, reach)),
            _ => None,
        };
        let dst = direct(self.dst().place, self.dst_reach());
        dst.into_iter()
            .chain(self.reg_srcs().filter_map(move |(_, r)| direct(r.place, self.src_reach(r))))
    }

    /// The decoded message, or the error of its descriptor. `None` if the descriptor is in a
    /// register, or the instruction is not a `send`. Decoded at most once.
    pub(super) fn message(&self) -> Option<Result<&Descriptor, &DescriptorError>> {
        let decode = || {
            let send = self.inst.send()?;
            let ex_desc = send.ex_desc.imm().unwrap_or(0);
            Some(Descriptor::decode(self.generation, send.sfid, send.desc.imm()?, ex_desc))
        };
        Some(self.message.get_or_init(decode).as_ref()?.as_ref())
    }

    /// Size of the execution type in bytes; 0 if there is none.
    pub(super) fn exec_size_bytes(&self) -> u32 {
        self.exec.map_or(0, Type::size)
    }

    /// Whether the instruction copies bits: a `mov` without saturation and modifiers, between types
    /// that are equal or differ only in signedness.
    pub(super) fn is_raw_move(&self) -> bool {
        let inst = self.inst;
        inst.opcode == Opcode::Mov
            && !inst.saturate
            && match &inst.srcs[0] {
                Src::Reg(r) => !r.negate && !r.abs && same_but_sign(inst.dst.ty, r.ty),
                Src::Imm(imm) => !imm.ty.is_packed_vector() && same_but_sign(inst.dst.ty, imm.ty),
                Src::None => false,
            }
    }

    /// Whether the device is one of the low-power devices of gen8 and gen9, on which the regions of
    /// sources and destination of 64-bit operations must match.
    pub(super) fn is_low_power_64(&self) -> bool {
        self.device.has_aligned_64bit_regions_only() && self.generation < Gen::Gen11
    }

    /// Whether a mixed float instruction may have a packed destination that is narrower than the
    /// execution type.
    pub(super) fn relaxed_mixed_float(&self) -> bool {
        self.generation >= Gen::Gen9 || self.is_low_power_64()
    }
}

/// Whether an operation is rare, see [`Facts::RARE`]. Most rules about a single operation are about
/// rare ones.
fn is_rare(op: Opcode) -> bool {
    use Opcode::{Add, And, Asr, Cmp, Cmpn, Mad, Math, Mov, Mul, Not, Or, Sel, Shl, Shr, Xor};
    !matches!(
        op,
        Mov | Sel | Not | And | Or | Xor | Shr | Shl | Asr | Cmp | Cmpn | Add | Mul | Mad | Math
    )
}

/// The properties of types, places and modifiers of the operands.
fn operand_facts(inst: &Inst, used: &[Src], has_dst: bool) -> Facts {
    let mut facts = Facts::ANY.when(inst.acc_wr_en, Facts::ARF).and(type_facts(inst.dst.ty));
    if has_dst {
        facts = facts.and(place_facts(inst.dst.place));
    }
    for src in used {
        facts = match src {
            Src::None => facts,
            Src::Imm(imm) => facts.and(Facts::IMM).and(type_facts(imm.ty)),
            Src::Reg(reg) => facts
                .and(type_facts(reg.ty))
                .and(place_facts(reg.place))
                .when(reg.negate || reg.abs, Facts::MODIFIER),
        };
    }
    facts
}

/// The properties that follow from the place of an operand.
fn place_facts(place: Place) -> Facts {
    match place {
        Place::Direct { reg: Reg::Arf(ArfKind::Null, _) | Reg::Grf(_) | Reg::Mrf(_), .. } => {
            Facts::ANY
        }
        Place::Direct { reg: Reg::Arf(..), .. } => Facts::ARF,
        Place::Indirect { .. } => Facts::INDIRECT,
    }
}

/// The properties that follow from the type of an operand.
fn type_facts(ty: Type) -> Facts {
    match ty {
        Type::Ub | Type::B => Facts::BYTE.and(Facts::INT),
        Type::Uw | Type::W | Type::Ud | Type::D | Type::V | Type::Uv => Facts::INT,
        Type::Uq | Type::Q => Facts::QWORD.and(Facts::INT),
        Type::F | Type::Vf => Facts::FLOAT,
        Type::Hf | Type::Bf => Facts::HALF.and(Facts::FLOAT),
        Type::Df | Type::Nf => Facts::QWORD.and(Facts::FLOAT),
    }
}

/// Maximum unit of strides in bytes. On devices whose regions count dwords, an 8-byte element is
/// two units.
fn element_limit(device: &Device) -> u32 {
    if device.df_exec_size_counts_dwords() { 4 } else { 8 }
}

/// The direct Align1 region of a source, if it has one.
fn region_src(src: &Src, es: u32, limit: u32) -> Option<RegionSrc> {
    let reg = *src.as_reg()?;
    let Place::Direct { sub, .. } = reg.place else { return None };
    let Region::Align1 { vstride: VStride::Elements(v), width, hstride } = reg.region else {
        return None;
    };
    if reg.place.is_null() || width == 0 {
        return None;
    }
    let (v, w, h) = (u32::from(v), u32::from(width), u32::from(hstride));
    Some(RegionSrc { reg, size: reg.ty.size().min(limit), off: u32::from(sub), v, w, h, es })
}

/// Whether a place is a direct architecture register of a kind.
pub(super) fn is_arf(place: Place, kind: ArfKind) -> bool {
    matches!(place, Place::Direct { reg: Reg::Arf(k, _), .. } if k == kind)
}

/// Whether a place is a direct architecture register other than null.
pub(super) fn is_any_arf(place: Place) -> bool {
    matches!(place, Place::Direct { reg: Reg::Arf(k, _), .. } if k != ArfKind::Null)
}

pub(super) fn is_int(ty: Type) -> bool {
    matches!(ty.class(), TypeClass::Unsigned | TypeClass::Signed)
        || matches!(ty, Type::V | Type::Uv)
}

pub(super) fn is_dword_int(ty: Type) -> bool {
    matches!(ty, Type::D | Type::Ud)
}

/// Whether two types are equal, or are integers that differ only in signedness.
fn same_but_sign(a: Type, b: Type) -> bool {
    a == b || a.size() == b.size() && is_int(a) && is_int(b)
}

/// The execution type for one operand type.
fn operand_exec_type(ty: Type) -> Type {
    match ty {
        Type::Ub | Type::B | Type::Uw | Type::W | Type::V | Type::Uv => Type::W,
        Type::Ud | Type::D => Type::D,
        Type::Uq | Type::Q => Type::Q,
        Type::Vf => Type::F,
        Type::Hf | Type::F | Type::Df | Type::Nf | Type::Bf => ty,
    }
}

/// The execution type of an instruction, from the types of its sources and destination.
fn instruction_exec_type(inst: &Inst, used: &[Src], generation: Gen) -> Option<Type> {
    let first = operand_exec_type(used.first()?.ty()?);
    let Some(second) = used.get(1).and_then(Src::ty).map(operand_exec_type) else {
        return Some(if first == Type::Hf { inst.dst.ty } else { first });
    };
    let pair = |a: Type, b: Type| matches!((a, b), (Type::F, Type::Hf) | (Type::Hf, Type::F));
    if pair(first, second) || pair(first, inst.dst.ty) || pair(second, inst.dst.ty) {
        return Some(Type::F);
    }
    if first == second {
        return Some(first);
    }
    let either = |ty| first == ty || second == ty;
    if either(Type::Nf) {
        return Some(Type::Nf);
    }
    if generation < Gen::Gen6 && either(Type::F) {
        return Some(Type::F);
    }
    [Type::Q, Type::D, Type::W, Type::Df].into_iter().find(|&ty| either(ty)).or(Some(first))
}

/// Whether an instruction has both F and HF operands (gen8 on).
fn is_mixed_float(inst: &Inst, used: &[Src], generation: Gen) -> bool {
    if generation < Gen::Gen8 || inst.dst.place.is_null() {
        return false;
    }
    let types = || used.iter().filter_map(Src::ty).chain([inst.dst.ty]);
    types().any(|ty| ty == Type::F) && types().any(|ty| ty == Type::Hf)
}

/// Whether the destination or the execution type has 8 bytes, or the instruction is a product of
/// dwords (gen8 on).
fn is_wide(inst: &Inst, used: &[Src], exec: Option<Type>, generation: Gen) -> bool {
    let dword_mul = generation >= Gen::Gen8
        && inst.opcode == Opcode::Mul
        && used.iter().all(|s| s.ty().is_some_and(is_dword_int));
    let wide_dst = !inst.dst.place.is_null() && inst.dst.ty.size() == 8;
    wide_dst || exec.is_some_and(|ty| ty.size() == 8) || dword_mul
}

/// Whether the instruction has a conditional modifier.
pub(super) fn has_cond_mod(inst: &Inst) -> bool {
    inst.cond_mod != CondMod::None
}
