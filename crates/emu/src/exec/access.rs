//! Loads sources from registers into arrays with one value per channel, and stores results.

use super::lane::{Lane, int_range};
use crate::Problem;
use crate::mask::lanes_of;
use crate::plan::{Destination, DestinationKind, IndirectLanes, Modifier, Source, SourceKind};
use crate::registers::{ByteSet, GRF_END, Registers};
use crate::thread::Thread;
use crestline_isa::Type;
use crestline_isa::semantics::{Float, FloatEnv, Half};

/// Bits for destination dwords whose value is undefined: a NaN, and an unlikely integer.
const NO_MEANING: u64 = 0xffe5_a5a5;

/// Converts the bits of an element of type `ty` to a lane value.
#[inline(always)]
pub(crate) fn from_bits<L: Lane>(ty: Type, bits: u64, env: &FloatEnv) -> L {
    match ty {
        Type::F | Type::Vf => L::from_f32(f32::from_bits(bits as u32), env),
        Type::Hf => L::from_half(Half(bits as u16), env),
        Type::Df | Type::Nf => L::from_f64(f64::from_bits(bits), env),
        Type::Uq => L::from_int(i128::from(bits)),
        Type::Ub => L::from_int((bits as u8).into()),
        Type::B => L::from_int((bits as u8).cast_signed().into()),
        Type::Uw | Type::Uv => L::from_int((bits as u16).into()),
        Type::W | Type::V => L::from_int((bits as u16).cast_signed().into()),
        Type::Ud => L::from_int((bits as u32).into()),
        Type::D => L::from_int((bits as u32).cast_signed().into()),
        _ => L::from_int(int_range(ty).extend(bits).into()),
    }
}

/// Applies a source modifier.
#[inline(never)]
fn modify<L: Lane>(values: &mut [L], modifier: Modifier) {
    for value in values {
        *value = match modifier {
            Modifier::None => *value,
            Modifier::Negate => value.negate(),
            Modifier::Absolute => value.absolute(),
            Modifier::NegateAbsolute => value.absolute().negate(),
            Modifier::Invert => value.invert(),
        };
    }
}

/// Makes the compiler keep an array in memory. It would keep single elements in registers, and then collect them for vector
/// instructions in a costly way.
#[inline(always)]
pub(crate) fn keep_in_memory<T, const N: usize>(values: &mut [T; N]) {
    if N > 1 {
        std::hint::black_box(values);
    }
}

impl Thread {
    /// The values of a source. See [`load_into`](Self::load_into).
    #[inline(always)]
    pub(crate) fn load<L: Lane, const N: usize>(&mut self, source: &Source, mask: u32) -> [L; N] {
        let mut values = [L::default(); N];
        self.load_into(source, mask, &mut values);
        values
    }

    /// Sets `values` to those of a source, with its modifier applied. Channels outside of `mask` get unspecified values. If a
    /// channel of `mask` reads bytes that were never written, this is reported. Compilers handle arrays in memory as vectors,
    /// but arrays that functions return often as single elements.
    #[inline(always)]
    pub(crate) fn load_into<L: Lane, const N: usize>(
        &mut self,
        source: &Source,
        mask: u32,
        values: &mut [L; N],
    ) {
        match &source.kind {
            SourceKind::Packed(offset) if L::is_native(source.ty) => {
                *values = L::from_words(self.registers.packed(usize::from(*offset)));
            }
            SourceKind::Scalar(offset) if L::is_native(source.ty) && offset % 4 == 0 => {
                let word = self.registers.words()[usize::from(*offset) / 4];
                *values = [L::from_word(word); N];
            }
            SourceKind::Immediate(bits) if L::is_native(source.ty) => {
                *values = [L::from_word(*bits as u32); N];
            }
            _ => self.gather(source, mask, &mut values[..]),
        }
        if !self.registers.is_written(&source.bytes) {
            self.check_written(source, mask);
        }
        if source.modifier != Modifier::None {
            modify(&mut values[..], source.modifier);
        }
        keep_in_memory(values);
    }

    /// [`load_into`](Self::load_into) for 32-bit floats, of which it gives the bits.
    #[inline(always)]
    pub(crate) fn load_float_bits<const N: usize>(
        &mut self,
        source: &Source,
        mask: u32,
        bits: &mut [u32; N],
    ) {
        match &source.kind {
            SourceKind::Packed(offset) if source.ty == Type::F => {
                self.registers.copy_packed(usize::from(*offset), bits);
            }
            SourceKind::Halves(offsets) => {
                for (half, offset) in bits.as_chunks_mut::<8>().0.iter_mut().zip(offsets) {
                    self.registers.copy_packed(usize::from(*offset), half);
                }
            }
            SourceKind::Scalar(offset) if source.ty == Type::F && offset % 4 == 0 => {
                *bits = [self.registers.words()[usize::from(*offset) / 4]; N];
            }
            SourceKind::Immediate(value) if source.ty == Type::F => *bits = [*value as u32; N],
            _ => {
                let mut values = [0f32; N];
                self.gather(source, mask, &mut values[..]);
                for (bits, value) in bits.iter_mut().zip(values) {
                    *bits = value.to_bits();
                }
            }
        }
        if !self.registers.is_written(&source.bytes) {
            self.check_written(source, mask);
        }
        const SIGN: u32 = 1 << 31;
        let (keep, flip) = match source.modifier {
            Modifier::None | Modifier::Invert => return,
            Modifier::Negate => (u32::MAX, SIGN),
            Modifier::Absolute => (!SIGN, 0),
            Modifier::NegateAbsolute => (!SIGN, SIGN),
        };
        for bits in bits {
            *bits = *bits & keep ^ flip;
        }
    }

    /// Loads a source of any kind. [`load`](Self::load) handles the three fast cases.
    #[inline(never)]
    fn gather<L: Lane>(&mut self, source: &Source, mask: u32, values: &mut [L]) {
        let ty = source.ty;
        let env = self.env;
        match &source.kind {
            SourceKind::None => {}
            SourceKind::Immediate(bits) => values.fill(from_bits(ty, *bits, &env)),
            SourceKind::Vector(elements) => {
                for (lane, value) in values.iter_mut().enumerate() {
                    *value = from_bits(ty, elements[lane % 8], &env);
                }
            }
            SourceKind::Scalar(offset) => {
                values.fill(self.element(ty, ty.size() as usize, usize::from(*offset)));
            }
            SourceKind::Packed(offset) => {
                let size = ty.size() as usize;
                let offset = usize::from(*offset);
                self.elements(ty, values, |lane| offset + lane * size);
            }
            SourceKind::Strided(offsets) => {
                self.elements(ty, values, |lane| usize::from(offsets[lane]));
            }
            SourceKind::Halves(halves) => {
                self.elements(ty, values, |lane| {
                    usize::from(halves[lane / 8 % 2]) + 4 * (lane % 8)
                });
            }
            SourceKind::Indirect(lanes) => {
                let size = ty.size() as usize;
                for lane in lanes_of(mask) {
                    if let Some(offset) = self.indirect_address(lanes, lane, size) {
                        if !self.registers.all_written(offset, size) {
                            self.report_unwritten(offset, size, Some(lane as u8));
                        }
                        values[lane] = self.element(ty, size, offset);
                    }
                }
            }
        }
    }

    #[inline(always)]
    fn element<L: Lane>(&self, ty: Type, size: usize, offset: usize) -> L {
        let bits = self.registers.bits(offset, size);
        from_bits(ty, bits, &self.env)
    }

    /// Elements at the given offsets. The type is matched once for all channels.
    #[inline(always)]
    fn elements<L: Lane>(&self, ty: Type, values: &mut [L], offset: impl Fn(usize) -> usize) {
        macro_rules! each {
            ($ty:expr, $size:expr) => {
                for (lane, value) in values.iter_mut().enumerate() {
                    *value = self.element($ty, $size, offset(lane));
                }
            };
        }
        // A word at an even offset is in one dword.
        macro_rules! each_word {
            ($ty:expr) => {
                for (lane, value) in values.iter_mut().enumerate() {
                    let offset = offset(lane);
                    *value = if offset % 2 == 0 {
                        let bits = self.registers.words()[offset / 4] >> (offset % 4 * 8) & 0xffff;
                        from_bits($ty, bits.into(), &self.env)
                    } else {
                        self.element($ty, 2, offset)
                    };
                }
            };
        }
        match ty {
            Type::Ub => each!(Type::Ub, 1),
            Type::B => each!(Type::B, 1),
            Type::Uw => each_word!(Type::Uw),
            Type::W => each_word!(Type::W),
            Type::Ud => each!(Type::Ud, 4),
            Type::D => each!(Type::D, 4),
            Type::F => each!(Type::F, 4),
            other => each!(other, other.size() as usize),
        }
    }

    /// Reports each channel of `mask` that reads a byte which was never written.
    #[cold]
    #[inline(never)]
    pub(crate) fn check_written(&mut self, source: &Source, mask: u32) {
        let size = source.ty.size() as usize;
        // Most registers that are partly written were written for the same channels that read them now.
        if let SourceKind::Packed(offset) = source.kind
            && size == 4
            && offset % 4 == 0
            && self.registers.lanes_written(offset.into(), mask)
        {
            return;
        }
        for lane in lanes_of(mask) {
            let offset = match &source.kind {
                SourceKind::Packed(offset) => usize::from(*offset) + lane * size,
                SourceKind::Scalar(offset) => usize::from(*offset),
                SourceKind::Strided(offsets) => usize::from(offsets[lane]),
                SourceKind::Halves(halves) => usize::from(halves[lane / 8 % 2]) + 4 * (lane % 8),
                // `gather` has checked these.
                SourceKind::Indirect(_) => return,
                SourceKind::None | SourceKind::Immediate(_) | SourceKind::Vector(_) => return,
            };
            if !self.registers.all_written(offset, size) {
                self.report_unwritten(offset, size, Some(lane as u8));
            }
        }
    }

    /// Stores the results of the channels of `mask`. `full` is the mask of all channels of the instruction.
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
            // Floats are saturated before they are stored.
            DestinationKind::Packed(offset)
                if L::is_native(destination.ty) && (!saturate || destination.ty == Type::F) =>
            {
                let mut words = [0; N];
                for i in 0..N {
                    words[i] = values[i].to_word();
                }
                self.store_packed(usize::from(*offset), &words, mask, full, &destination.bytes);
            }
            DestinationKind::Packed(offset)
                if matches!(destination.ty, Type::D | Type::Ud | Type::F) && offset % 4 == 0 =>
            {
                let quick = match saturate && destination.ty == Type::F {
                    false => L::converted(destination.ty, values, &self.env),
                    true => None,
                };
                let words =
                    quick.unwrap_or_else(|| self.converted(destination.ty, values, saturate));
                self.store_packed(usize::from(*offset), &words, mask, full, &destination.bytes);
            }
            DestinationKind::Null => {}
            _ => self.scatter(destination, &values[..], saturate, mask),
        }
    }

    /// The bits of values as elements of a 32-bit type.
    #[inline(never)]
    fn converted<L: Lane, const N: usize>(
        &self,
        ty: Type,
        values: &[L; N],
        saturate: bool,
    ) -> [u32; N] {
        let env = self.env;
        match ty {
            Type::F => values.map(|value| {
                let value: f32 = value.to_float(&env);
                if saturate { Float::saturate(value).to_bits() } else { value.to_bits() }
            }),
            ty => {
                let range = int_range(ty);
                values.map(|value| value.to_int(range, saturate, &env) as u32)
            }
        }
    }

    /// [`store`](Self::store) for 32-bit floats, given by their bits, to a destination of floats.
    #[inline(always)]
    pub(crate) fn store_float_bits<const N: usize>(
        &mut self,
        destination: &Destination,
        bits: &[u32; N],
        mask: u32,
        full: u32,
    ) {
        match &destination.kind {
            DestinationKind::Packed(offset) => {
                self.store_packed(usize::from(*offset), bits, mask, full, &destination.bytes);
            }
            DestinationKind::Null => {}
            _ => self.put(destination, mask, |lane| bits[lane].into()),
        }
    }

    /// Stores dwords of the channels of `mask`. `offset` is that of channel 0 and a multiple of 4.
    #[inline(always)]
    fn store_packed<const N: usize>(
        &mut self,
        offset: usize,
        values: &[u32; N],
        mask: u32,
        full: u32,
        set: &ByteSet,
    ) {
        let Some(words) = self.registers.words_mut()[offset / 4..].first_chunk_mut::<N>() else {
            return;
        };
        if mask == full {
            *words = *values;
            self.registers.mark_set(set);
        } else {
            for i in 0..N {
                // Compilers vectorise this form even for hosts without per-lane shifts.
                let bit = 1 << i;
                let chosen = u32::from(mask & bit == bit).wrapping_neg();
                words[i] = values[i] & chosen | words[i] & !chosen;
            }
            // Skips the update if all bytes were written before, as usual in loops.
            if !self.registers.is_written(set) {
                self.registers.mark_lanes(offset, mask);
            }
        }
    }

    /// Converts and stores results to any kind of destination. [`store`](Self::store) handles the fast case.
    #[inline(never)]
    pub(crate) fn scatter<L: Lane>(
        &mut self,
        destination: &Destination,
        values: &[L],
        saturate: bool,
        mask: u32,
    ) {
        let env = self.env;
        macro_rules! int {
            ($ty:expr) => {{
                let range = int_range($ty);
                self.put(destination, mask, |lane| values[lane].to_int(range, saturate, &env))
            }};
        }
        match destination.ty {
            Type::Ub => int!(Type::Ub),
            Type::B => int!(Type::B),
            Type::Uw | Type::Uv => int!(Type::Uw),
            Type::W | Type::V => int!(Type::W),
            Type::Ud => int!(Type::Ud),
            Type::D => int!(Type::D),
            Type::Uq => int!(Type::Uq),
            Type::Q => int!(Type::Q),
            Type::F | Type::Vf => self.put(destination, mask, |lane| {
                let value: f32 = values[lane].to_float(&env);
                let value = if saturate { Float::saturate(value) } else { value };
                u64::from(value.to_bits())
            }),
            Type::Hf | Type::Bf => self.put(destination, mask, |lane| {
                let value: Half = values[lane].to_float(&env);
                let value = if saturate { Float::saturate(value) } else { value };
                u64::from(value.0)
            }),
            Type::Df | Type::Nf => self.put(destination, mask, |lane| {
                let value: f64 = values[lane].to_float(&env);
                let value = if saturate { Float::saturate(value) } else { value };
                value.to_bits()
            }),
        }
    }

    /// Writes `value(lane)` to the destination for each lane of `mask`.
    #[inline(always)]
    fn put(&mut self, destination: &Destination, mask: u32, value: impl Fn(usize) -> u64) {
        let size = destination.ty.size() as usize;
        match &destination.kind {
            DestinationKind::Null => {}
            // Words of all of an even number of channels: two in each dword.
            DestinationKind::Packed(offset)
                if size == 2
                    && offset % 4 == 0
                    && mask & mask.wrapping_add(1) == 0
                    && mask & 2 != 0 =>
            {
                let (offset, lanes) = (usize::from(*offset), mask.count_ones() as usize);
                for lane in (0..lanes - lanes % 2).step_by(2) {
                    let pair = value(lane) & 0xffff | value(lane + 1) << 16;
                    self.registers.words_mut()[offset / 4 + lane / 2] = pair as u32;
                }
                self.registers.mark_written(offset, 2 * (lanes - lanes % 2));
                if lanes % 2 == 1 {
                    let last = lanes - 1;
                    self.registers.set(offset + 2 * last, size, value(last));
                }
            }
            DestinationKind::Packed(offset) => {
                let offset = usize::from(*offset);
                for lane in lanes_of(mask) {
                    self.registers.set(offset + lane * size, size, value(lane));
                }
            }
            DestinationKind::Strided(offsets) => {
                for lane in lanes_of(mask) {
                    self.registers.set(usize::from(offsets[lane]), size, value(lane));
                }
            }
            DestinationKind::Pairs(offsets) => {
                for lane in lanes_of(mask) {
                    let offset = usize::from(offsets[lane]);
                    self.registers.set(offset, size, value(lane));
                    self.registers.set(offset + size, size, NO_MEANING);
                }
            }
            DestinationKind::Indirect(lanes) => {
                for lane in lanes_of(mask) {
                    if let Some(offset) = self.indirect_address(lanes, lane, size) {
                        self.registers.set(offset, size, value(lane));
                    }
                }
            }
        }
    }

    /// The register array offset of channel `lane` of an indirect operand whose elements have `size` bytes. Reports an
    /// address outside of the register file, and returns `None` for it. Also reports an unwritten address register and a
    /// row that crosses a register; these do not change the result.
    #[inline]
    fn indirect_address(
        &mut self,
        lanes: &IndirectLanes,
        lane: usize,
        size: usize,
    ) -> Option<usize> {
        let subregister = usize::from(lanes.subregister[lane]);
        let offset = Registers::address_offset(subregister);
        if !self.registers.all_written(offset, 2) {
            self.report_unwritten(offset, 2, Some(lane as u8));
        }
        let base = i32::from(self.registers.address(subregister));
        let delta = i32::from(lanes.delta[lane]);
        let dropped =
            lanes.drops_carry.map_or(0, |named| ((base & 31) + (i32::from(named) & 31)) & 32);
        let address = base + delta - dropped;
        if let Some((named, bytes)) = lanes.row {
            let row = base + i32::from(named);
            if row.rem_euclid(32) + i32::from(bytes) > 32 {
                self.report(Problem::RowCrossing { address: row }, Some(lane as u8));
            }
        }
        match usize::try_from(address) {
            Ok(place) if place + size <= GRF_END => Some(place),
            _ => {
                self.report(Problem::RegisterRange { address }, Some(lane as u8));
                None
            }
        }
    }
}
