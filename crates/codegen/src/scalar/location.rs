//! Value locations: a [`ValueLocation`] for each component of each value.
//!
//! A location states where the elements are, how the bits are stored ([`Storage`]), and whether there is one element
//! per channel or one for the thread. Elements can have any distance: the half floats that arithmetic computes are
//! packed, loads and conversions write a value of 8 or 16 bits to the low part of a dword per channel, and the second
//! half of a dword of two values is the high part.

use crestline_isa::Type;
use crestline_ssa::ir::{Function, Ty, Value};

use crate::ir::{File, Operand, Region, Vreg};

/// How a component's bits are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Storage {
    /// A boolean: 32 bits of all ones or zeros.
    Mask,
    /// An element of 8 bits.
    Bits8,
    /// An element of 16 bits.
    Bits16,
    /// An element of 32 bits.
    Bits32,
    /// An element of 64 bits.
    Bits64,
}

impl Storage {
    /// The storage of a component of type `ty`.
    pub(super) fn of(ty: Ty) -> Storage {
        match ty.bits() {
            1 => Storage::Mask,
            8 => Storage::Bits8,
            16 => Storage::Bits16,
            64 => Storage::Bits64,
            _ => Storage::Bits32,
        }
    }

    /// Size of an element in bytes.
    fn bytes(self) -> u32 {
        match self {
            Storage::Bits8 => 1,
            Storage::Bits16 => 2,
            Storage::Mask | Storage::Bits32 => 4,
            Storage::Bits64 => 8,
        }
    }

    /// Number of dwords of a component.
    pub(super) fn dwords(self) -> usize {
        if self == Storage::Bits64 { 2 } else { 1 }
    }

    /// The register type of these dwords.
    pub(super) fn dword(self) -> Type {
        if self == Storage::Mask { Type::D } else { Type::Ud }
    }
}

/// The register or file that an element offset counts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Base {
    Vgrf(Vreg),
    Grf,
    Uniform,
}

/// The elements of a component in registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Elements {
    base: Base,
    /// Bytes from the base to the first element.
    offset: u32,
    /// Distance in bytes between the elements of two channels; 0 if the thread has one element.
    stride: u8,
    storage: Storage,
    /// Whether the instruction that wrote the elements wrote the whole dword of each. If not, only the element may be read.
    in_dwords: bool,
}

impl Elements {
    /// The elements at an operand's position. `None` if the operand is no register with a plain stride, has
    /// modifiers, or has elements smaller than the storage.
    pub(super) fn at(operand: Operand, storage: Storage) -> Option<Elements> {
        let base = match operand.file {
            File::Vgrf(vreg) => Base::Vgrf(vreg),
            File::Grf => Base::Grf,
            File::Uniform => Base::Uniform,
            _ => return None,
        };
        let Region::Stride(stride) = operand.region else { return None };
        let stride = u8::try_from(u32::from(stride) * operand.ty.size()).ok()?;
        let plain = !operand.has_modifiers() && operand.ty.size() >= storage.bytes();
        let in_dwords = operand.ty.size() >= Type::Ud.size();
        plain.then_some(Elements { base, offset: operand.offset, stride, storage, in_dwords })
    }

    /// Whether the thread has one element for all channels.
    pub(super) fn is_uniform(self) -> bool {
        self.stride == 0
    }

    /// The part of type `ty` that starts `bytes` after the start of each element; `None` if it is not aligned to its
    /// size.
    fn typed(self, ty: Type, bytes: u32) -> Option<Operand> {
        let (stride, size) = (u32::from(self.stride), ty.size());
        let region = Region::Stride(u8::try_from(stride / size).ok()?);
        let file = match self.base {
            Base::Vgrf(vreg) => File::Vgrf(vreg),
            Base::Grf => File::Grf,
            Base::Uniform => File::Uniform,
        };
        let offset = self.offset + bytes;
        let aligned = stride.is_multiple_of(size) && offset.is_multiple_of(size);
        aligned.then(|| Operand { file, offset, region, ..Operand::null(ty) })
    }

    /// The elements as type `ty`, or the low part of each if `ty` is smaller.
    pub(super) fn operand(self, ty: Type) -> Option<Operand> {
        (ty.size() <= self.storage.bytes()).then(|| self.typed(ty, 0)).flatten()
    }

    /// The elements of 8 or 16 bits as unsigned integers; `None` for larger ones.
    pub(super) fn small(self) -> Option<Operand> {
        match self.storage {
            Storage::Bits8 => self.operand(Type::Ub),
            Storage::Bits16 => self.operand(Type::Uw),
            _ => None,
        }
    }

    /// Half `index` of each element of 32 bits, as a location of 16 bits.
    fn half(self, index: usize) -> Elements {
        let offset = self.offset + index as u32 * Type::Uw.size();
        Elements { offset, storage: Storage::Bits16, ..self }
    }

    /// Dword `index` of each element. For an element of 8 or 16 bits, this is the dword whose low part it is; `None`
    /// if there is none, or if only the element was written.
    pub(super) fn dword(self, index: usize) -> Option<Operand> {
        let exists = self.in_dwords && index < self.storage.dwords();
        exists.then(|| self.typed(self.storage.dword(), index as u32 * Type::Ud.size())).flatten()
    }
}

/// The location of one dword of a 64-bit component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DwordLocation {
    /// A constant.
    Constant(u32),
    /// Elements of 32 bits.
    Elements(Elements),
}

impl DwordLocation {
    /// The location of a dword, given as an operand; `None` if the operand cannot be a location.
    fn of(operand: Operand) -> Option<DwordLocation> {
        match operand.imm_bits() {
            Some(bits) => Some(DwordLocation::Constant(bits as u32)),
            None => Elements::at(operand, Storage::Bits32).map(DwordLocation::Elements),
        }
    }

    /// The dword as an operand.
    fn operand(self) -> Option<Operand> {
        match self {
            DwordLocation::Constant(bits) => Some(Operand::imm_ud(bits)),
            DwordLocation::Elements(elements) => elements.dword(0),
        }
    }
}

/// The location of a component of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueLocation {
    /// A constant, which becomes an immediate of each instruction that reads it. Bits above the value's size are
    /// undefined; booleans are masks.
    Constant(u64, Storage),
    /// In registers.
    Elements(Elements),
    /// A 64-bit component whose two dwords are in different places.
    Dwords([DwordLocation; 2]),
    /// A boolean that is computed in a flag by a comparison at each use. It cannot be read as data.
    Flags,
}

impl ValueLocation {
    /// The location of a constant component of type `ty`.
    pub(super) fn constant(bits: u64, ty: Ty) -> ValueLocation {
        let storage = Storage::of(ty);
        let bits = match storage {
            Storage::Mask => u64::from(if bits & 1 == 1 { u32::MAX } else { 0 }),
            Storage::Bits64 => bits,
            _ => bits & u64::from(u32::MAX),
        };
        ValueLocation::Constant(bits, storage)
    }

    /// The location of a component of at most 32 bits: the low part of an operand, or a constant. `None` if the
    /// operand cannot be a location.
    pub(super) fn of(operand: Operand, storage: Storage) -> Option<ValueLocation> {
        match operand.imm_bits() {
            _ if storage == Storage::Bits64 => None,
            Some(bits) => Some(ValueLocation::Constant(bits & u64::from(u32::MAX), storage)),
            None => Elements::at(operand, storage).map(ValueLocation::Elements),
        }
    }

    /// The location of a 64-bit component, given by its low and high dwords.
    pub(super) fn of_dwords(dwords: [Operand; 2]) -> Option<ValueLocation> {
        if let [Some(low), Some(high)] = dwords.map(|dword| dword.imm_bits()) {
            let bits = low & u64::from(u32::MAX) | high << 32;
            return Some(ValueLocation::Constant(bits, Storage::Bits64));
        }
        if let Some(whole) = together(dwords) {
            return Some(ValueLocation::Elements(whole));
        }
        let [low, high] = dwords.map(DwordLocation::of);
        Some(ValueLocation::Dwords([low?, high?]))
    }

    /// The location of the low part of each element, with storage `storage`; `None` if the elements are smaller.
    pub(super) fn narrowed(self, storage: Storage) -> Option<ValueLocation> {
        match self {
            ValueLocation::Constant(bits, from) if storage.bytes() <= from.bytes() => {
                Some(ValueLocation::Constant(bits, storage))
            }
            ValueLocation::Elements(from) if storage.bytes() <= from.storage.bytes() => {
                Some(ValueLocation::Elements(Elements { storage, ..from }))
            }
            ValueLocation::Dwords(_) if storage == Storage::Bits64 => Some(self),
            ValueLocation::Flags if storage == Storage::Mask => Some(self),
            _ => None,
        }
    }

    /// Half `index` of a component of 32 bits.
    pub(super) fn half(self, index: usize) -> Option<ValueLocation> {
        match self {
            ValueLocation::Constant(bits, Storage::Bits32) => {
                let bits = bits >> (16 * (index as u32 & 1)) & 0xffff;
                Some(ValueLocation::Constant(bits, Storage::Bits16))
            }
            ValueLocation::Elements(elements) if elements.storage == Storage::Bits32 => {
                Some(ValueLocation::Elements(elements.half(index)))
            }
            _ => None,
        }
    }

    /// Dword `index` of a component, which has two dwords if it has 64 bits.
    pub(super) fn dword(self, index: usize) -> Option<Operand> {
        match self {
            ValueLocation::Constant(bits, storage) => {
                let bits = (bits >> (32 * (index as u32 & 1))) as u32;
                let dword = Operand::imm(bits.into(), storage.dword());
                (index < storage.dwords()).then_some(dword)
            }
            ValueLocation::Elements(elements) => elements.dword(index),
            ValueLocation::Dwords(dwords) => dwords.get(index)?.operand(),
            ValueLocation::Flags => None,
        }
    }
}

/// If two operands are the low and the high dwords of 64-bit elements, these elements.
pub(super) fn together([low, high]: [Operand; 2]) -> Option<Elements> {
    let dword = |operand| Elements::at(operand, Storage::Bits32);
    let whole = Elements { storage: Storage::Bits64, ..dword(low)? };
    let parts = [whole.typed(Type::Ud, 0), whole.typed(Type::Ud, Type::Ud.size())];
    let aligned = low.in_grf() && whole.operand(Type::Df).is_some();
    (aligned && parts == [low, high].map(|part| Some(part.retype(Type::Ud)))).then_some(whole)
}

/// A register hint: the register in which a value should be computed, because it will be copied to it as a region
/// result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RegisterHint(pub(super) Elements);

/// The location of each component of each value.
#[derive(Debug)]
pub(super) struct Locations {
    /// For each value, the index of its first component in `components`.
    first: Vec<u32>,
    components: Vec<Option<ValueLocation>>,
}

impl Locations {
    /// A table in which no component has a location yet.
    pub(super) fn new(func: &Function) -> Locations {
        let mut count = 0;
        let first = func.value_types().map(|ty| {
            let first = count;
            count += ty.comps() as u32;
            first
        });
        let first: Vec<u32> = first.collect();
        Locations { first, components: vec![None; count as usize] }
    }

    fn number(&self, value: Value, comp: usize) -> usize {
        self.first[value.index()] as usize + comp
    }

    /// The location of a component.
    pub(super) fn get(&self, value: Value, comp: usize) -> Option<ValueLocation> {
        self.components[self.number(value, comp)]
    }

    /// Sets the location of a component.
    pub(super) fn set(&mut self, value: Value, comp: usize, location: Option<ValueLocation>) {
        let number = self.number(value, comp);
        self.components[number] = location;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const V: Vreg = Vreg(3);

    fn channels(storage: Storage, stride: u8) -> Elements {
        Elements { base: Base::Vgrf(V), offset: 0, stride, storage, in_dwords: true }
    }

    #[test]
    fn a_location_is_much_smaller_than_the_operands_of_its_dwords() {
        assert!(size_of::<Option<ValueLocation>>() <= 32);
        assert!(size_of::<Option<RegisterHint>>() <= 16);
        assert!(size_of::<Option<ValueLocation>>() * 6 <= size_of::<Option<Operand>>() * 8);
    }

    #[test]
    fn elements_are_read_as_their_type_or_less() {
        let low = channels(Storage::Bits16, 4);
        assert_eq!(low.operand(Type::Uw), Some(Operand::vgrf(V, Type::Uw).with_stride(2)));
        assert_eq!(low.operand(Type::Ub), Some(Operand::vgrf(V, Type::Ub).with_stride(4)));
        assert_eq!(low.operand(Type::Ud), None);
        assert_eq!(low.dword(0), Some(Operand::vgrf(V, Type::Ud)));
        let packed = channels(Storage::Bits16, 2);
        assert_eq!(packed.operand(Type::W), Some(Operand::vgrf(V, Type::W)));
        assert_eq!(packed.dword(0), None);
        let double = channels(Storage::Bits64, 8);
        assert_eq!(double.operand(Type::Df), Some(Operand::vgrf(V, Type::Df)));
        let high = Operand::vgrf(V, Type::Ud).with_stride(2).byte_offset(4);
        assert_eq!((double.dword(1), double.dword(2)), (Some(high), None));
        let mask = Elements::at(Operand::scalar(V, Type::D), Storage::Mask);
        assert_eq!(mask.and_then(|mask| mask.dword(0)), Some(Operand::scalar(V, Type::D)));
    }

    #[test]
    fn two_dwords_of_one_register_are_native_64_bits() {
        let whole = Operand::vgrf(V, Type::Df);
        let dwords = [0, 1].map(|index| whole.subscript(Type::Ud, index).unwrap_or(whole));
        let native = ValueLocation::Elements(channels(Storage::Bits64, 8));
        assert_eq!(ValueLocation::of_dwords(dwords), Some(native));
        assert_eq!([0, 1].map(|index| native.dword(index)), dwords.map(Some));
        let [low, high] = dwords;
        let apart = ValueLocation::of_dwords([high, low]);
        assert!(matches!(apart, Some(ValueLocation::Dwords(_))), "{apart:?}");
        assert_eq!(apart.and_then(|apart| apart.dword(0)), Some(high));
        let constant = ValueLocation::of_dwords([Operand::imm_ud(1), Operand::imm_ud(2)]);
        assert_eq!(constant, Some(ValueLocation::Constant(0x2_0000_0001, Storage::Bits64)));
        let half = ValueLocation::of_dwords([low, Operand::imm_ud(7)]);
        assert_eq!(half.and_then(|half| half.dword(1)), Some(Operand::imm_ud(7)));
    }

    #[test]
    fn what_cannot_be_a_location_or_be_read_is_none() {
        let register = Operand::vgrf(V, Type::Ud);
        assert_eq!(ValueLocation::of(register.negated(), Storage::Bits32), None);
        assert_eq!(ValueLocation::of(Operand::vgrf(V, Type::Uw), Storage::Bits32), None);
        assert_eq!(ValueLocation::of(Operand::null(Type::Ud), Storage::Bits32), None);
        assert_eq!(ValueLocation::of(register, Storage::Bits64), None);
        assert_eq!(ValueLocation::Flags.dword(0), None);
        let word = ValueLocation::of(register, Storage::Bits16);
        assert_eq!(word.and_then(|word| word.narrowed(Storage::Bits32)), None);
        let byte = word.and_then(|word| word.narrowed(Storage::Bits8));
        assert_eq!(byte, Some(ValueLocation::Elements(channels(Storage::Bits8, 4))));
        assert_eq!(ValueLocation::Constant(1, Storage::Bits32).dword(1), None);
    }
}
