//! Loading sources into channels and storing results.

use super::lane::{Lane, int_range};
use super::operand::{Destination, DestinationKind, Modifier, Source, SourceKind};
use super::thread::Thread;
use crestline_isa::Type;
use crestline_isa::semantics::{Float, FloatEnv, Half};

/// The channels of a mask, lowest first.
#[inline(always)]
pub(crate) fn lanes_of(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (mask != 0).then(|| {
            let lane = mask.trailing_zeros() as usize;
            mask &= mask - 1;
            lane
        })
    })
}

/// A value from the bits of an element of a type.
#[inline(always)]
pub(crate) fn from_bits<L: Lane>(ty: Type, bits: u64, env: &FloatEnv) -> L {
    match ty {
        Type::F | Type::Vf => L::from_f32(f32::from_bits(bits as u32), env),
        Type::Hf => L::from_half(Half(bits as u16), env),
        Type::Df | Type::Nf => L::from_f64(f64::from_bits(bits), env),
        Type::Uq => L::from_int(i128::from(bits)),
        Type::V => L::from_int(int_range(Type::W).extend(bits).into()),
        Type::Uv => L::from_int(int_range(Type::Uw).extend(bits).into()),
        _ => L::from_int(int_range(ty).extend(bits).into()),
    }
}

impl Thread {
    /// The values of a source, its modifier applied. Channels outside of `mask` hold
    /// anything; only those inside are checked for bytes never written.
    #[inline(always)]
    pub(crate) fn load<L: Lane, const N: usize>(&mut self, source: &Source, mask: u32) -> [L; N] {
        let mut values = [L::default(); N];
        match &source.kind {
            SourceKind::Packed(offset) if L::is_native(source.ty) => {
                let bytes = &self.registers.bytes()[*offset..*offset + N * L::SIZE];
                for (value, bytes) in values.iter_mut().zip(bytes.chunks_exact(L::SIZE)) {
                    *value = L::from_native(bytes);
                }
            }
            SourceKind::Scalar(offset) if L::is_native(source.ty) => {
                let value = L::from_native(&self.registers.bytes()[*offset..*offset + L::SIZE]);
                values = [value; N];
            }
            SourceKind::Immediate(bits) if L::is_native(source.ty) => {
                values = [L::from_native(&bits.to_le_bytes()); N];
            }
            _ => self.gather(source, mask, &mut values),
        }
        if !source.bytes.is_some_and(|set| self.registers.is_written(&set)) {
            self.check_written(source, mask);
        }
        match source.modifier {
            Modifier::None => {}
            Modifier::Negate => values.iter_mut().for_each(|v| *v = v.negate()),
            Modifier::Absolute => values.iter_mut().for_each(|v| *v = v.absolute()),
            Modifier::NegateAbsolute => {
                values.iter_mut().for_each(|v| *v = v.absolute().negate());
            }
            Modifier::Invert => values.iter_mut().for_each(|v| *v = v.invert()),
        }
        values
    }

    /// Every way of loading but the three quick ones.
    #[inline(never)]
    fn gather<L: Lane, const N: usize>(&mut self, source: &Source, mask: u32, values: &mut [L; N]) {
        let ty = source.ty;
        let env = self.env;
        match &source.kind {
            SourceKind::None => {}
            SourceKind::Immediate(bits) => *values = [from_bits(ty, *bits, &env); N],
            SourceKind::Vector(elements) => {
                for (lane, value) in values.iter_mut().enumerate() {
                    *value = from_bits(ty, elements[lane % 8], &env);
                }
            }
            SourceKind::Scalar(offset) => {
                *values = [self.element(ty, *offset); N];
            }
            SourceKind::Packed(offset) => {
                let size = ty.size() as usize;
                self.elements(ty, values, |lane| offset + lane * size);
            }
            SourceKind::Strided(offsets) => {
                self.elements(ty, values, |lane| usize::from(offsets[lane]));
            }
            SourceKind::Indirect(lanes) => {
                let size = ty.size() as usize;
                for lane in lanes_of(mask) {
                    if let Some(offset) = self.indirect_address(lanes, lane, size) {
                        if self.registers.first_unwritten(offset, size).is_some() {
                            self.report_unwritten(offset, size, Some(lane as u8));
                        }
                        values[lane] = self.element(ty, offset);
                    }
                }
            }
        }
    }

    #[inline(always)]
    fn element<L: Lane>(&self, ty: Type, offset: usize) -> L {
        let bits = match ty.size() {
            1 => u64::from(self.registers.bytes()[offset]),
            2 => u64::from(u16::from_le_bytes(self.registers.get(offset))),
            4 => u64::from(u32::from_le_bytes(self.registers.get(offset))),
            _ => u64::from_le_bytes(self.registers.get(offset)),
        };
        from_bits(ty, bits, &self.env)
    }

    /// Elements at the given offsets, with the type told apart once for all channels.
    #[inline(always)]
    fn elements<L: Lane, const N: usize>(
        &self,
        ty: Type,
        values: &mut [L; N],
        offset: impl Fn(usize) -> usize,
    ) {
        macro_rules! each {
            ($ty:expr) => {
                for (lane, value) in values.iter_mut().enumerate() {
                    *value = self.element($ty, offset(lane));
                }
            };
        }
        match ty {
            Type::Ub => each!(Type::Ub),
            Type::B => each!(Type::B),
            Type::Uw => each!(Type::Uw),
            Type::W => each!(Type::W),
            Type::Ud => each!(Type::Ud),
            Type::D => each!(Type::D),
            Type::F => each!(Type::F),
            other => each!(other),
        }
    }

    /// Reports the channels of `mask` that read a byte never written.
    #[cold]
    #[inline(never)]
    pub(crate) fn check_written(&mut self, source: &Source, mask: u32) {
        let size = source.ty.size() as usize;
        for lane in lanes_of(mask) {
            let offset = match &source.kind {
                SourceKind::Packed(offset) => offset + lane * size,
                SourceKind::Scalar(offset) => *offset,
                SourceKind::Strided(offsets) => usize::from(offsets[lane]),
                // Looked at when they were read.
                SourceKind::Indirect(_) => return,
                SourceKind::None | SourceKind::Immediate(_) | SourceKind::Vector(_) => return,
            };
            if self.registers.first_unwritten(offset, size).is_some() {
                self.report_unwritten(offset, size, Some(lane as u8));
            }
        }
    }

    /// Stores the results of the channels of `mask`; `full` are all channels of the
    /// instruction.
    #[inline(always)]
    pub(crate) fn store<L: Lane, const N: usize>(
        &mut self,
        destination: &Destination,
        values: &[L; N],
        saturate: bool,
        mask: u32,
        full: u32,
    ) {
        match &destination.kind {
            DestinationKind::Packed(offset)
                if mask == full && L::is_native(destination.ty) && !saturate =>
            {
                let bytes = &mut self.registers.bytes_mut()[*offset..*offset + N * L::SIZE];
                for (value, bytes) in values.iter().zip(bytes.chunks_exact_mut(L::SIZE)) {
                    value.to_native(bytes);
                }
                if let Some(set) = &destination.bytes {
                    self.registers.mark_set(set);
                }
            }
            DestinationKind::Null => {}
            _ => self.scatter(destination, values, saturate, mask),
        }
    }

    /// Every way of storing but the quick one.
    #[inline(never)]
    fn scatter<L: Lane, const N: usize>(
        &mut self,
        destination: &Destination,
        values: &[L; N],
        saturate: bool,
        mask: u32,
    ) {
        let env = self.env;
        macro_rules! int {
            ($ty:expr, $bits:ident) => {{
                let range = int_range($ty);
                self.put(destination, mask, |lane| {
                    (values[lane].to_int(range, saturate, &env) as $bits).to_le_bytes()
                })
            }};
        }
        match destination.ty {
            Type::Ub => int!(Type::Ub, u8),
            Type::B => int!(Type::B, u8),
            Type::Uw | Type::Uv => int!(Type::Uw, u16),
            Type::W | Type::V => int!(Type::W, u16),
            Type::Ud => int!(Type::Ud, u32),
            Type::D => int!(Type::D, u32),
            Type::Uq => int!(Type::Uq, u64),
            Type::Q => int!(Type::Q, u64),
            Type::F | Type::Vf => self.put(destination, mask, |lane| {
                let value: f32 = values[lane].to_float(&env);
                let value = if saturate { Float::saturate(value) } else { value };
                value.to_bits().to_le_bytes()
            }),
            Type::Hf | Type::Bf => self.put(destination, mask, |lane| {
                let value: Half = values[lane].to_float(&env);
                let value = if saturate { Float::saturate(value) } else { value };
                value.0.to_le_bytes()
            }),
            Type::Df | Type::Nf => self.put(destination, mask, |lane| {
                let value: f64 = values[lane].to_float(&env);
                let value = if saturate { Float::saturate(value) } else { value };
                value.to_bits().to_le_bytes()
            }),
        }
    }

    #[inline(always)]
    fn put<const S: usize>(
        &mut self,
        destination: &Destination,
        mask: u32,
        value: impl Fn(usize) -> [u8; S],
    ) {
        match &destination.kind {
            DestinationKind::Null => {}
            DestinationKind::Packed(offset) => {
                for lane in lanes_of(mask) {
                    self.registers.set(offset + lane * S, value(lane));
                }
            }
            DestinationKind::Strided(offsets) => {
                for lane in lanes_of(mask) {
                    self.registers.set(usize::from(offsets[lane]), value(lane));
                }
            }
            DestinationKind::Indirect(lanes) => {
                for lane in lanes_of(mask) {
                    if let Some(offset) = self.indirect_address(lanes, lane, S) {
                        self.registers.set(offset, value(lane));
                    }
                }
            }
        }
    }
}
