//! Reads of memory at places that are the same for all channels: one message reads neighbouring dwords, and later reads
//! use what it has read.

use crestline_isa::Type;
use crestline_ssa::analysis::{Address, wide_address};
use crestline_ssa::ir::{Access, Function, InstId, InstKind, Memory, RegionId, Src, Value};

use super::operands::is_thread_scalar;
use super::{SelectError, Selector};
use crate::ir::{Effect, Operand};
use crate::select::{Class, offset_of};
use crate::surface::{self, Surface};

/// Number of cached blocks; it is limited so that a shader that reads a long buffer does not keep all of it in
/// registers.
const CACHED_BLOCKS: usize = 8;

/// Number of instructions after a read that are searched for further reads of the same block.
const LOOK_AHEAD: usize = 64;

/// Largest number of dwords that one message reads, one in each channel.
const LARGEST_BLOCK: u8 = 16;

/// Bytes per dword.
const DWORD: i64 = 4;

/// How long the value that a load has read may be used in place of another load of the same bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reuse {
    /// Nothing writes the memory.
    Always,
    /// Until the thread may write the memory, or orders its accesses.
    UntilWritten,
    /// The load is volatile, or coherent: it must see what other invocations have written since.
    Never,
}

impl Reuse {
    /// The answer for a load.
    pub(super) fn of(memory: &Memory, access: Access) -> Reuse {
        if access.volatile || access.coherent && !access.readonly {
            Reuse::Never
        } else if memory.is_read_only() || access.readonly {
            Reuse::Always
        } else {
            Reuse::UntilWritten
        }
    }

    /// The effect of such a load.
    pub(super) fn effect(self) -> Effect {
        if self == Reuse::Always { Effect::Pure } else { Effect::Read }
    }
}

/// A place in memory: a constant number of bytes after a value, or after the start of a surface.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    origin: Origin,
    /// The number of bytes. After a value it is signed, because values are often followed by small negative numbers.
    at: i64,
}

/// What a place is counted from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Origin {
    /// The surface; `None` for 64-bit addresses.
    surface: Option<Surface>,
    /// An offset or address, and the number of one of its components; `None` for the start of the surface.
    value: Option<(Value, u8)>,
}

impl Place {
    /// The start of a surface.
    pub(super) fn start(surface: Surface) -> Place {
        Place { origin: Origin { surface: Some(surface), value: None }, at: 0 }
    }

    /// The place at a 32-bit offset in a surface.
    pub(super) fn in_surface(func: &Function, surface: Surface, offset: Src) -> Place {
        let Address { base: value, fixed } = Address::of(func, offset);
        let at = if value.is_some() { i64::from(fixed as i32) } else { i64::from(fixed) };
        Place { origin: Origin { surface: Some(surface), value }, at }
    }

    /// The place at a 64-bit address. A constant that a message could not add is part of the address.
    pub(super) fn at_address(func: &Function, address: Src) -> Place {
        let (value, at) = match wide_address(func, address) {
            (value, at) if i32::try_from(at).is_ok() => (value, at),
            _ => ((address.value, address.swizzle[0]), 0),
        };
        Place { origin: Origin { surface: None, value: Some(value) }, at }
    }
}

/// Registers with dwords that were read from memory, for reuse by later reads.
///
/// An entry is valid at instructions that its read dominates: at the end of a region, the cache of its beginning is
/// restored.
#[derive(Clone, Debug, Default)]
pub(super) struct BlockCache {
    entries: Vec<Block>,
}

/// Registers with the bytes from `start` to `end` of memory, in this order.
#[derive(Clone, Copy, Debug)]
struct Block {
    origin: Origin,
    start: i64,
    end: i64,
    /// The first dword, the same for all channels.
    first: Operand,
    /// If the memory may change: the region in which the dwords may be used, and the index of the first instruction there
    /// at which they may not.
    until: Option<(RegionId, usize)>,
}

impl Block {
    /// Whether the block has bytes `start` to `end` of an origin. The distance from the block's start is in whole dwords,
    /// because no operand has the dword elsewhere.
    fn has(&self, origin: Origin, (start, end): (i64, i64)) -> bool {
        let inside = self.start <= start && end <= self.end;
        self.origin == origin && inside && (start - self.start) % DWORD == 0
    }

    /// Whether the dwords may be used by the instruction at an index of a region.
    fn holds(&self, (region, index): (RegionId, usize)) -> bool {
        self.until.is_none_or(|(until, end)| until == region && index < end)
    }
}

impl Selector<'_> {
    /// Reads `wanted` dwords (1 to 4) at a place that is the same for all channels; `offset` is its offset or address. The
    /// result may have further dwords. The dwords come from an earlier read if it has them and they may be reused; if
    /// not, the message also reads what later reads need.
    pub(super) fn uniform_read(
        &mut self,
        place: Place,
        offset: Operand,
        wanted: usize,
        reuse: Reuse,
    ) -> Result<Vec<Operand>, SelectError> {
        let origin = place.origin;
        let bytes = wanted as i64 * DWORD;
        // Only invalid layouts have dwords at other constant offsets.
        let odd = origin.value.is_none() && place.at % DWORD != 0;
        if odd || reuse == Reuse::Never {
            let first = self.read_block(origin, offset, bytes, reuse)?;
            return Ok(dwords(first, bytes));
        }
        let wanted = (place.at, place.at + bytes);
        let found = |e: &&Block| e.has(origin, wanted) && e.holds(self.place);
        let block = match self.blocks.entries.iter().find(found) {
            Some(&block) => block,
            None => self.new_block(origin, offset, wanted, reuse)?,
        };
        let first = block.first.byte_offset((place.at - block.start) as u32);
        Ok(dwords(first, block.end - place.at))
    }

    /// Reads a block with the wanted bytes, and adds it to the cache.
    fn new_block(
        &mut self,
        origin: Origin,
        offset: Operand,
        wanted: (i64, i64),
        reuse: Reuse,
    ) -> Result<Block, SelectError> {
        let hull = self.hull(origin, wanted, reuse);
        let (start, end) = hull.bounds;
        let place = match origin.value {
            _ if start == wanted.0 => offset,
            None => Operand::imm_ud(start as u32),
            Some(value) => {
                let value = self.origin_operand(origin, value);
                if start == 0 {
                    value
                } else {
                    let place = self.out.scalar(value.ty);
                    self.b().uniform().add(place, value, Operand::imm_d(start as i32)).dst
                }
            }
        };
        let first = self.read_block(origin, place, end - start, reuse)?;
        let block = Block { origin, start, end, first, until: hull.until };
        if self.blocks.entries.len() == CACHED_BLOCKS {
            self.blocks.entries.remove(0);
        }
        self.blocks.entries.push(block);
        Ok(block)
    }

    /// Emits the read of a block of `bytes` bytes.
    fn read_block(
        &mut self,
        origin: Origin,
        offset: Operand,
        bytes: i64,
        reuse: Reuse,
    ) -> Result<Operand, SelectError> {
        let count = (bytes / DWORD) as u32;
        let count = (count, self.pool.steps(&mut self.out, count));
        let (target, effect, b) = (self.target, reuse.effect(), &mut self.b());
        let dwords = match origin.surface {
            Some(surface) => surface::read_block(b, target, surface, offset, count, effect)?,
            None => surface::read_block_at_address(b, target, offset, count, effect)?,
        };
        Ok(dwords.with_stride(0))
    }

    /// The operand of the value that an origin has.
    fn origin_operand(&mut self, origin: Origin, (value, comp): (Value, u8)) -> Operand {
        let src = Src::new(value).select(usize::from(comp));
        match origin.surface {
            Some(_) => self.src(src, Class::Unsigned),
            None => self.whole(src).retype(Type::Uq),
        }
    }

    /// The bytes to read with the wanted ones: those of later reads in the current region, as long as one message reads
    /// all of them. Only reads that are certain to be executed count, so that nothing is read that the shader does not
    /// read. At constant offsets of memory that does not change, the reads of conditionals and loops count too.
    fn hull(&mut self, origin: Origin, wanted: (i64, i64), reuse: Reuse) -> Hull {
        let channels = match origin.surface {
            Some(_) => LARGEST_BLOCK,
            None => self.target.messages.address_channels.min(LARGEST_BLOCK),
        };
        let movable = match origin.value {
            Some(value) => is_thread_scalar(&self.origin_operand(origin, value)),
            None => true,
        };
        let lowest = if movable { i64::MIN } else { wanted.0 };
        let (region, index) = self.place;
        let mut hull = Hull {
            origin,
            lowest,
            largest: i64::from(channels) * DWORD,
            bounds: wanted,
            nested: origin.value.is_none() && reuse == Reuse::Always,
            left: LOOK_AHEAD,
            until: None,
        };
        let reached = self.extend(&mut hull, region, index + 1, reuse);
        if reuse == Reuse::UntilWritten {
            hull.until = Some((region, reached));
        }
        hull
    }

    /// Extends a hull by the reads of a region from instruction `first` on. Returns the index of the instruction at which
    /// the search ended.
    fn extend(&self, hull: &mut Hull, region: RegionId, first: usize, reuse: Reuse) -> usize {
        let func = &self.shader.func;
        let insts = &func.region(region).insts;
        for (index, &id) in insts.iter().enumerate().skip(first) {
            let kind = &func.inst(id).kind;
            let written = reuse == Reuse::UntilWritten && may_write(kind);
            if hull.left == 0 || written || (kind.regions().len() != 0 && !hull.nested) {
                hull.left = 0;
                return index;
            }
            hull.left -= 1;
            for region in kind.regions() {
                self.extend(hull, region, 0, reuse);
            }
            if let Some(bytes) = self.bytes_read(id, hull.origin, reuse) {
                hull.add(bytes);
            }
        }
        insts.len()
    }

    /// The bytes that an instruction reads from an origin.
    fn bytes_read(&self, id: InstId, origin: Origin, reuse: Reuse) -> Option<(i64, i64)> {
        let func = &self.shader.func;
        let inst = func.inst(id);
        let InstKind::Load { memory, offset, access, .. } = &inst.kind else { return None };
        let &result = inst.results.first()?;
        let ty = func.ty(result);
        if ty.bits() != 32 || Reuse::of(memory, *access) != reuse || !self.uniform.is(result) {
            return None;
        }
        let place = match memory {
            Memory::Global(address) if self.bits(address.value) == 64 => {
                Place::at_address(func, *address)
            }
            _ => {
                let surface = self.known_surface(memory)?;
                Place::in_surface(func, surface, offset_of(memory, *offset))
            }
        };
        let bytes = ty.comps() as i64 * DWORD;
        // These dwords are in the payload.
        let pushed = || self.interface.pushed(memory, place.at as u32, bytes as u32).is_some();
        if place.origin.value.is_none() && pushed() {
            return None;
        }
        (place.origin == origin).then_some((place.at, place.at + bytes))
    }

    /// The surface of a memory, if its index is known without further instructions.
    fn known_surface(&self, memory: &Memory) -> Option<Surface> {
        match memory {
            Memory::ConstData => self.interface.const_data.map(Surface::Index),
            Memory::Shared => Some(Surface::Shared),
            Memory::Ubo(resource) | Memory::Ssbo(resource) if resource.element.is_none() => {
                self.interface.surfaces.get(&resource.binding).map(|&index| Surface::Index(index))
            }
            Memory::Global(address) if self.bits(address.value) == 32 => Some(Surface::Stateless),
            _ => None,
        }
    }
}

/// Whether an instruction may write memory that loads read, or keeps the order of accesses.
fn may_write(kind: &InstKind) -> bool {
    let facts = kind.facts();
    facts.orders || facts.volatile || !facts.writes.is_empty()
}

/// The bytes that one message shall read.
struct Hull {
    origin: Origin,
    /// The least possible start.
    lowest: i64,
    /// The largest size.
    largest: i64,
    bounds: (i64, i64),
    /// Whether the reads of conditionals and loops count.
    nested: bool,
    /// Number of instructions that are still searched.
    left: usize,
    /// See [`Block::until`].
    until: Option<(RegionId, usize)>,
}

impl Hull {
    /// Extends the bounds by a read, if one message can read both.
    fn add(&mut self, (start, end): (i64, i64)) {
        let bounds = (self.bounds.0.min(start), self.bounds.1.max(end));
        let aligned = (start - self.bounds.0) % DWORD == 0;
        let fits = bounds.1 - bounds.0 <= self.largest && i32::try_from(bounds.0).is_ok();
        if aligned && fits && bounds.0 >= self.lowest {
            self.bounds = bounds;
        }
    }
}

/// The dwords of `bytes` bytes from `first` on.
fn dwords(first: Operand, bytes: i64) -> Vec<Operand> {
    (0..bytes as u32).step_by(Type::Ud.size() as usize).map(|at| first.byte_offset(at)).collect()
}
