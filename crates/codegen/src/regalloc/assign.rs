//! Linear scan: assigns consecutive bytes of general registers to each virtual register.
//!
//! Virtual registers are placed in the order of their first position. Each slot (32 bytes) of a virtual register has
//! its own live interval, so parts of a wide value can free their registers at different times. Values smaller than a
//! general register share one, in units of four bytes, if there is no room for one each ([`Strategy::Apart`]). If there
//! is no free place for a value, either cheaper values are evicted and spilled, or the value itself is spilled. The scan
//! then continues, so that one round finds all registers to spill. It stops at the first failure if spilling is not
//! allowed or would not help.
//!
//! The data structure is one `Track` of disjoint intervals per register (and per unit, where small values share a
//! register). A place is free for a value if its interval overlaps none in the track.

mod relations;

use crate::ir::{Cfg, Class, Function, GRF_BYTES, Operand, Vreg, VregInfo};
use crate::lists::Lists;
use crate::target::{MAX_REGISTERS, Registers};

use super::accesses::GRF_COUNT;
use super::liveness::{Interval, Liveness};
use super::spill::costs;
use relations::Relations;

/// Size of the unit in which small values are placed, in bytes.
const UNIT_BYTES: u32 = 4;
const UNITS: usize = (GRF_BYTES / UNIT_BYTES) as usize;

/// The owner of an interval in a track.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owner {
    Payload,
    Vreg(Vreg),
}

/// The disjoint intervals during which one register or unit is occupied, in order.
#[derive(Clone, Debug, Default)]
struct Track(Vec<(Interval, Owner)>);

impl Track {
    /// Whether the track is free during an interval.
    fn is_free(&self, interval: Interval) -> bool {
        // Values are placed in the order of their starts, so the comparison with the last interval usually suffices.
        match self.0.last() {
            None => true,
            Some((last, _)) if last.start <= interval.end => last.end < interval.start,
            Some(_) => self.overlapping(interval).next().is_none(),
        }
    }

    /// The interval with the latest start.
    fn last(&self) -> Interval {
        self.0.last().map_or(Interval::EMPTY, |(last, _)| *last)
    }

    /// The owners of the track's intervals that overlap an interval.
    fn overlapping(&self, interval: Interval) -> impl Iterator<Item = Owner> + '_ {
        let from = self.0.partition_point(|(held, _)| held.end < interval.start);
        self.0[from..]
            .iter()
            .take_while(move |(held, _)| held.start <= interval.end)
            .map(|(_, owner)| *owner)
    }

    /// Adds an interval.
    fn insert(&mut self, interval: Interval, owner: Owner) {
        if self.0.capacity() == 0 {
            self.0.reserve(16);
        }
        // Values are placed in the order of their starts, but the parts of one value can start later than the next
        // value.
        if self.last().start <= interval.start || self.0.is_empty() {
            self.0.push((interval, owner));
            return;
        }
        let at = self.0.partition_point(|(held, _)| held.start < interval.start);
        self.0.insert(at, (interval, owner));
    }

    /// Removes the interval of an owner that overlaps `interval`.
    fn remove(&mut self, interval: Interval, owner: Owner) {
        let from = self.0.partition_point(|(held, _)| held.end < interval.start);
        if let Some(at) = self.0[from..].iter().position(|(_, held)| *held == owner) {
            self.0.remove(from + at);
        }
    }
}

/// The tracks of one general register: `whole` for values of at least a register, `units` for smaller values.
#[derive(Clone, Debug, Default)]
struct Register {
    whole: Track,
    units: Option<Box<[Track; UNITS]>>,
}

impl Register {
    fn is_free(&self, interval: Interval) -> bool {
        self.whole.is_free(interval)
            && self.units.as_ref().is_none_or(|units| units.iter().all(|u| u.is_free(interval)))
    }

    fn units_free(&self, units: std::ops::Range<usize>, interval: Interval) -> bool {
        self.whole.is_free(interval)
            && self.units.as_ref().is_none_or(|all| all[units].iter().all(|u| u.is_free(interval)))
    }

    fn owners(&self, interval: Interval) -> impl Iterator<Item = Owner> + '_ {
        let units = self.units.iter().flat_map(|units| units.iter());
        std::iter::once(&self.whole).chain(units).flat_map(move |t| t.overlapping(interval))
    }
}

/// The result of one scan.
#[derive(Clone, Debug)]
pub struct Assignment {
    /// First byte of each virtual register, counted from g0. `None` for flags, for spilled registers and for
    /// registers with an empty interval.
    pub places: Vec<Option<u32>>,
    /// Registers to spill, ascending. Empty if all registers were placed.
    pub spilled: Vec<Vreg>,
    /// A register that cannot be placed even if all others are spilled.
    pub impossible: Option<Vreg>,
}

/// The order in which places are tried, and what happens if none is free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// As [`Strategy::Spread`], but a small value gets a register of its own if there are enough registers during its
    /// whole life. It then starts at byte 0. The compacted forms of instructions have few combinations of other start
    /// bytes, so more instructions are compacted.
    Apart,
    /// Tries registers in a cyclic order, so that a freed register is reused late; this leaves the scheduler after
    /// allocation more freedom. The scan ends at the first register without a place.
    Spread,
    /// Tries the lowest registers first, for the least fragmentation. The scan ends at the first register without a
    /// place, unless `spill` is set.
    Dense {
        /// Whether the scan continues after a failure to find all registers to spill.
        spill: bool,
    },
}

impl Strategy {
    fn spills(self) -> bool {
        self == Strategy::Dense { spill: true }
    }

    /// Whether free registers are tried in a cyclic order.
    fn is_cyclic(self) -> bool {
        matches!(self, Strategy::Apart | Strategy::Spread)
    }
}

/// Scans all virtual registers in the order of their first position. Returns their places and the registers that must
/// be spilled.
pub fn assign(
    function: &Function,
    liveness: &Liveness,
    cfg: &Cfg,
    file: Registers,
    strategy: Strategy,
) -> Assignment {
    let mut scan = Scan::new(function, liveness, cfg, file, strategy);
    let count = positions(liveness);
    // The lists return the newest entry first, so registers are added in descending order.
    let mut starting = Lists::with_room(count, function.vregs.len());
    for number in (0..function.vregs.len() as u32).rev() {
        let interval = liveness.vreg(Vreg(number));
        if function.vregs[Vreg(number)].class == Class::Grf && !interval.is_empty() {
            starting.push(interval.start as usize, (Vreg(number), interval));
        }
    }
    'scan: for position in 0..count {
        scan.held.advance(position as u32);
        for (vreg, interval) in starting.of(position) {
            scan.place(*vreg, *interval);
            if scan.impossible.is_some() || !strategy.spills() && !scan.spilled.is_empty() {
                break 'scan;
            }
        }
    }
    scan.spilled.sort_unstable();
    Assignment { places: scan.places, spilled: scan.spilled, impossible: scan.impossible }
}

/// The largest number of general registers in use at once, a lower bound for any assignment. Small values count by
/// their bytes, as if there were no fragmentation.
pub fn peak(function: &Function, liveness: &Liveness) -> u32 {
    let fixed = liveness.intervals.iter().take(GRF_COUNT).map(|interval| (*interval, GRF_BYTES));
    let values = function.vregs.iter().filter(|(_, info)| info.class == Class::Grf);
    let values = values.flat_map(|(vreg, info)| {
        let bytes = info.bytes.min(GRF_BYTES);
        liveness.slots.of(vreg).map(move |slot| (liveness.intervals[slot], bytes))
    });
    most(positions(liveness) as u32, fixed.chain(values))
}

/// For each position, the number of positions up to it at which there would be too few registers if each small value had
/// one of its own. A value lives only where there are enough if the numbers before its start and at its end are equal.
fn crowded(function: &Function, liveness: &Liveness, file: Registers) -> Vec<u32> {
    let fixed = liveness.intervals.iter().take(GRF_COUNT);
    let values = function.vregs.iter().filter(|(_, info)| info.class == Class::Grf);
    let slots = values.flat_map(|(vreg, _)| liveness.slots.of(vreg));
    let values = fixed.chain(slots.map(|slot| &liveness.intervals[slot]));
    let mut sum = 0;
    let over = uses(positions(liveness) as u32, values.map(|interval| (*interval, 1)));
    over.map(|registers| {
        sum += u32::from(registers > i64::from(file.count));
        sum
    })
    .collect()
}

/// A fast estimate of [`peak`] without liveness, in registers. A value counts with all its bytes from the first to
/// the last instruction that names it; the payload does not count. The estimate is too low if a value must survive
/// the rest of a loop after its last use, if the payload stays live, or if lowering needs temporary registers. It is
/// too high if a value or its parts are not needed between two uses, or if later optimisation and scheduling shorten
/// live ranges.
pub fn pressure_estimate(function: &Function) -> u32 {
    let mut intervals = vec![Interval::EMPTY; function.vregs.len()];
    let mut count = 0;
    for inst in function.insts() {
        for vreg in inst.srcs.iter().chain([&inst.dst]).filter_map(Operand::vreg) {
            let interval = &mut intervals[vreg.index()];
            interval.start = interval.start.min(count);
            interval.end = count;
        }
        count += 1;
    }
    let values = function.vregs.iter().filter(|(_, info)| info.class == Class::Grf);
    most(count, values.map(|(vreg, info)| (intervals[vreg.index()], info.bytes)))
}

/// The largest number of registers needed at one of `count` positions. `values` are live intervals with their sizes
/// in bytes.
fn most(count: u32, values: impl Iterator<Item = (Interval, u32)>) -> u32 {
    (uses(count, values).max().unwrap_or(0) as u32).div_ceil(GRF_BYTES)
}

/// The sum of the sizes of live values at each of `count` positions. `values` are live intervals with their sizes.
fn uses(count: u32, values: impl Iterator<Item = (Interval, u32)>) -> impl Iterator<Item = i64> {
    // For each position, the sizes that become live there minus the sizes whose interval ended one position before.
    let mut changes = vec![0i64; count as usize + 1];
    for (interval, size) in values.filter(|(interval, _)| !interval.is_empty()) {
        changes[interval.start as usize] += i64::from(size);
        changes[interval.end as usize + 1] -= i64::from(size);
    }
    let mut now = 0;
    changes.into_iter().map(move |change| {
        now += change;
        now
    })
}

/// Number of positions, including the one after the last.
fn positions(liveness: &Liveness) -> usize {
    let count = liveness.block_starts.last().map_or(0, |count| *count as usize);
    2 * count + 2
}

/// A set of registers is a `u128` with one bit per register.
const _: () = assert!(MAX_REGISTERS <= u128::BITS);

/// The registers and units that are occupied at the current position of the scan, one bit each.
struct HeldNow {
    /// Registers occupied by values of at least a register.
    whole: u128,
    /// Occupied units of each register.
    units: [u8; GRF_COUNT],
}

impl HeldNow {
    fn set(&mut self, place: usize, held: bool) {
        match place.checked_sub(GRF_COUNT) {
            None => self.whole = self.whole & !(1 << place) | u128::from(held) << place,
            Some(unit) => {
                let (units, unit) = (&mut self.units[unit / UNITS], unit % UNITS);
                *units = *units & !(1 << unit) | u8::from(held) << unit;
            }
        }
    }
}

/// Tracks which places are occupied at the current position. A place is a register held whole, or a unit of a
/// register. Only the interval with the latest start is considered for each place. The result is a filter that
/// excludes most candidates before the exact test of the tracks.
struct Held {
    position: u32,
    now: HeldNow,
    /// For each place, the interval with the latest start: first the registers, then the units of all registers.
    last: Vec<Interval>,
    /// For each position, the places whose latest interval starts there or ended one position before.
    turns: Lists<u16>,
}

impl Held {
    fn new(positions: usize) -> Held {
        Held {
            position: 0,
            now: HeldNow { whole: 0, units: [0; GRF_COUNT] },
            last: vec![Interval::EMPTY; GRF_COUNT * (1 + UNITS)],
            turns: Lists::with_room(positions, 2 * positions),
        }
    }

    /// Advances to a position and updates `now`.
    fn advance(&mut self, position: u32) {
        self.position = position;
        for place in self.turns.of(position as usize) {
            let place = usize::from(*place);
            self.now.set(place, self.last[place].contains(position));
        }
    }

    /// Sets the interval with the latest start at a place, and records the later positions at which the place becomes
    /// occupied or free.
    fn set_last(&mut self, place: usize, last: Interval) {
        self.last[place] = last;
        self.now.set(place, last.contains(self.position));
        if !last.is_empty() {
            for turn in [last.start, last.end + 1].into_iter().filter(|at| *at > self.position) {
                self.turns.push(turn as usize, place as u16);
            }
        }
    }

    /// The registers at which a value may be placed, as a set of first registers. `parts` are the intervals of the
    /// value's slots. A first register is excluded if a part whose interval starts now would fall on a register that
    /// is held whole now.
    fn open(&self, parts: &[Interval]) -> u128 {
        let now = parts.iter().enumerate().filter(|(_, part)| part.start == self.position);
        !now.fold(0, |blocked, (part, _)| blocked | self.now.whole >> part)
    }
}

/// The set of all even registers.
const EVEN: u128 = u128::MAX / 3;

/// The set of registers from number `register` on.
fn from_on(register: u32) -> u128 {
    u128::MAX.checked_shl(register).unwrap_or(0)
}

/// The numbers of the registers in a set, ascending.
fn members(mut set: u128) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let register = (set != 0).then(|| set.trailing_zeros() as usize)?;
        set &= set - 1;
        Some(register)
    })
}

struct Scan<'a> {
    function: &'a Function,
    liveness: &'a Liveness,
    /// Spill cost per register, see [`values`]; empty if spilling is not allowed.
    values: Vec<f32>,
    strategy: Strategy,
    /// The number of registers and their special ranges.
    file: Registers,
    registers: Vec<Register>,
    held: Held,
    places: Vec<Option<u32>>,
    relations: Relations,
    spilled: Vec<Vreg>,
    impossible: Option<Vreg>,
    /// Where [`Strategy::Spread`] starts its next search.
    next: u32,
    /// Registers that small values share, in the order in which they were first used for them.
    opened: Vec<u32>,
    /// See [`crowded`]; empty unless the strategy is [`Strategy::Apart`].
    crowded: Vec<u32>,
}

impl<'a> Scan<'a> {
    /// A scan in which only the payload occupies registers.
    fn new(
        function: &'a Function,
        liveness: &'a Liveness,
        cfg: &Cfg,
        file: Registers,
        strategy: Strategy,
    ) -> Scan<'a> {
        let count = file.count as usize;
        let mut registers = vec![Register::default(); count];
        let mut held = Held::new(positions(liveness));
        for (number, interval) in liveness.intervals.iter().take(count).enumerate() {
            if !interval.is_empty() {
                registers[number].whole.insert(*interval, Owner::Payload);
                held.set_last(number, *interval);
            }
        }
        let count = function.vregs.len();
        Scan {
            function,
            liveness,
            values: if strategy.spills() { values(function, liveness, cfg) } else { Vec::new() },
            strategy,
            file,
            registers,
            held,
            places: vec![None; count],
            relations: Relations::new(function),
            spilled: Vec::new(),
            impossible: None,
            next: 0,
            opened: Vec::new(),
            crowded: match strategy {
                Strategy::Apart => crowded(function, liveness, file),
                _ => Vec::new(),
            },
        }
    }

    fn bytes(&self, vreg: Vreg) -> u32 {
        self.function.vregs[vreg].bytes
    }

    /// Assigns a place to a register, or records that it must be spilled.
    fn place(&mut self, vreg: Vreg, interval: Interval) {
        let found = if self.bytes(vreg) < GRF_BYTES {
            self.find_small(vreg, interval)
        } else {
            self.find_whole(vreg)
        };
        match found {
            Some(place) => self.occupy(vreg, place),
            None if self.strategy.spills() => self.make_room(vreg, interval),
            None => self.spilled.push(vreg),
        }
    }

    /// Whether a value can start at byte `place`: its registers are free in all intervals of its slots, and no
    /// restriction is violated.
    fn fits(&self, vreg: Vreg, place: u32) -> bool {
        let base = (place / GRF_BYTES) as usize;
        let slots = self.liveness.slots.of(vreg);
        let last = base + slots.len();
        last <= self.registers.len()
            && self.end_allowed(vreg, last)
            && slots
                .zip(&self.registers[base..])
                .all(|(slot, register)| register.is_free(self.liveness.intervals[slot]))
            && self.hazards_allow(vreg, place)
    }

    /// Whether a value may end at the register before `end`. The response of a message must not include the last
    /// register of the device ([`Registers::response_end`]).
    fn end_allowed(&self, vreg: Vreg, end: usize) -> bool {
        end <= self.file.response_end() as usize || !self.relations.responses[vreg.index()]
    }

    /// Whether all hazards and fixed restrictions of a register allow it at byte `place`.
    fn hazards_allow(&self, vreg: Vreg, place: u32) -> bool {
        let end = place + self.bytes(vreg);
        let fixed =
            self.relations.fixed.of(vreg.index()).all(|fixed| {
                end <= fixed.start || fixed.end <= place || fixed.exact == Some(place)
            });
        fixed
            && self.relations.hazards.of(vreg.index()).all(|hazard| {
                let Some(other) = self.places[hazard.other.index()] else { return true };
                let disjoint =
                    place + self.bytes(vreg) <= other || other + self.bytes(hazard.other) <= place;
                disjoint || hazard.shift.is_some_and(|shift| place as i32 + shift == other as i32)
            })
    }

    /// Finds a place for a value of at least one register. Tries the places that copies suggest. Then tries free
    /// registers from `start` on, which depends on the strategy, and those below it; a value with an even number of
    /// registers first tries every second register.
    fn find_whole(&mut self, vreg: Vreg) -> Option<u32> {
        let count = self.liveness.slots.of(vreg).len() as u32;
        let lowest = u32::from(self.function.vregs[vreg].min_register);
        let last = self.file.count.checked_sub(count)?;
        for (other, shift) in self.relations.hints.of(vreg.index()) {
            let Some(place) = self.places[other.index()] else { continue };
            let wanted = place as i64 + i64::from(*shift);
            if let Ok(place) = u32::try_from(wanted)
                && place % GRF_BYTES == 0
                && (lowest..=last).contains(&(place / GRF_BYTES))
                && self.fits(vreg, place)
            {
                return Some(place);
            }
        }
        // Pairs start at even registers, so that no single free register remains between two pairs.
        let pairs = count.is_multiple_of(2);
        let start = match self.strategy {
            strategy if !strategy.is_cyclic() => lowest,
            _ if pairs => self.next / 2 * 2,
            _ => self.next,
        };
        let start = start.clamp(lowest, last.max(lowest));
        let open = self.held.open(&self.liveness.intervals[self.liveness.slots.of(vreg)]);
        let open = open & from_on(lowest) & !from_on(last + 1);
        let every_second = |first: u32| if pairs { EVEN << (first % 2) } else { u128::MAX };
        let candidates = members(open & from_on(start) & every_second(start))
            .chain(members(open & !from_on(start) & every_second(lowest)))
            .chain(members(open));
        let mut places = candidates.map(|base| base as u32 * GRF_BYTES);
        let found = places.find(|place| self.fits(vreg, *place))? / GRF_BYTES;
        self.next = found + count;
        Some(found * GRF_BYTES)
    }

    /// Whether a small value may have a register of its own: there are enough registers during its whole life.
    fn may_be_alone(&self, interval: Interval) -> bool {
        if self.strategy != Strategy::Apart {
            return false;
        }
        let before = interval.start.checked_sub(1).map_or(0, |at| self.crowded[at as usize]);
        before == self.crowded[interval.end as usize]
    }

    /// Finds a register that a small value does not share with others.
    fn find_alone(&mut self, vreg: Vreg, interval: Interval) -> Option<u32> {
        let open = self.held.open(&[interval]) & !from_on(self.file.count);
        let start = from_on(self.next);
        let candidates = members(open & start).chain(members(open & !start));
        let mut free = candidates.filter(|register| self.held.now.units[*register] == 0);
        let found = free.find(|register| self.fits(vreg, *register as u32 * GRF_BYTES))? as u32;
        self.next = found + 1;
        Some(found * GRF_BYTES)
    }

    /// Finds a place for a value smaller than a register: first in registers that hold small values already, then in
    /// others.
    fn find_small(&mut self, vreg: Vreg, interval: Interval) -> Option<u32> {
        if self.may_be_alone(interval)
            && let Some(place) = self.find_alone(vreg, interval)
        {
            return Some(place);
        }
        let bytes = self.bytes(vreg);
        let align = bytes.next_power_of_two().max(UNIT_BYTES);
        let in_register = |scan: &Self, register: u32| {
            let taken = scan.held.now.units[register as usize];
            if !scan.end_allowed(vreg, register as usize + 1) {
                return None;
            }
            (0..GRF_BYTES / align).map(|i| register * GRF_BYTES + i * align).find(|place| {
                let first = (place % GRF_BYTES / UNIT_BYTES) as usize;
                let units = first..first + bytes.div_ceil(UNIT_BYTES) as usize;
                taken >> first & ((1 << units.len()) - 1) as u8 == 0
                    && scan.registers[register as usize].units_free(units, interval)
                    && scan.hazards_allow(vreg, *place)
            })
        };
        let open = self.held.open(&[interval]) & !from_on(self.file.count);
        let opened = self.opened.iter().filter(|register| open >> **register & 1 == 1);
        opened.copied().find_map(|register| in_register(self, register)).or_else(|| {
            let fresh = members(open)
                .filter(|register| !self.opened.contains(&(*register as u32)))
                .find_map(|register| in_register(self, register as u32))?;
            self.opened.push(fresh / GRF_BYTES);
            Some(fresh)
        })
    }

    /// Records a register's place and occupies the tracks there.
    fn occupy(&mut self, vreg: Vreg, place: u32) {
        self.for_tracks(vreg, place, |track, interval| {
            track.insert(interval, Owner::Vreg(vreg));
        });
        self.places[vreg.index()] = Some(place);
    }

    /// Removes a register from its place and marks it as spilled.
    fn evict(&mut self, vreg: Vreg) {
        if let Some(place) = self.places[vreg.index()].take() {
            self.for_tracks(vreg, place, |track, interval| {
                track.remove(interval, Owner::Vreg(vreg));
            });
            self.spilled.push(vreg);
        }
    }

    /// Calls `visit` for the track of each register or unit of a value at `place`, with the value's interval there.
    fn for_tracks(&mut self, vreg: Vreg, place: u32, mut visit: impl FnMut(&mut Track, Interval)) {
        let base = (place / GRF_BYTES) as usize;
        let bytes = self.bytes(vreg);
        let slots = self.liveness.slots.of(vreg);
        if bytes < GRF_BYTES {
            let first = (place % GRF_BYTES / UNIT_BYTES) as usize;
            let count = bytes.div_ceil(UNIT_BYTES) as usize;
            let units = self.registers[base].units.get_or_insert_default();
            for (unit, track) in units.iter_mut().enumerate().skip(first).take(count) {
                visit(track, self.liveness.intervals[slots.start]);
                self.held.set_last(GRF_COUNT + base * UNITS + unit, track.last());
            }
            return;
        }
        for (number, slot) in (base..).zip(slots) {
            let interval = self.liveness.intervals[slot];
            if !interval.is_empty() {
                let track = &mut self.registers[number].whole;
                visit(track, interval);
                self.held.set_last(number, track.last());
            }
        }
    }

    /// Makes room for `vreg` after no free place was found. For each possible place, the cost is the sum of the spill
    /// costs of the registers that occupy it. At the place with the lowest cost, these are evicted, or, if spilling
    /// `vreg` is cheaper, it is spilled itself.
    fn make_room(&mut self, vreg: Vreg, interval: Interval) {
        let info = self.function.vregs[vreg];
        let slots = self.liveness.slots.of(vreg);
        let own = self.value(vreg);
        let lowest = u32::from(info.min_register);
        let Some(last) = self.file.count.checked_sub(slots.len() as u32) else {
            self.impossible = Some(vreg);
            return;
        };
        let mut best: Option<(f32, u32)> = None;
        for base in lowest..=last {
            if !self.end_allowed(vreg, base as usize + slots.len())
                || !self.hazards_allow(vreg, base * GRF_BYTES)
            {
                continue;
            }
            let mut cost = 0.0f32;
            let mut seen: smallvec::SmallVec<[Owner; 8]> = smallvec::SmallVec::new();
            for (slot, register) in slots.clone().zip(&self.registers[base as usize..]) {
                let span =
                    if info.bytes < GRF_BYTES { interval } else { self.liveness.intervals[slot] };
                for owner in register.owners(span) {
                    if !seen.contains(&owner) {
                        seen.push(owner);
                        cost += match owner {
                            Owner::Payload => f32::INFINITY,
                            Owner::Vreg(other) => self.value(other),
                        };
                    }
                }
                if cost.is_infinite() {
                    break;
                }
            }
            if best.is_none_or(|(least, _)| cost < least) {
                best = Some((cost, base));
            }
        }
        match best {
            Some((cost, base)) if cost < own => {
                let mut victims: Vec<Vreg> = Vec::new();
                for (slot, register) in slots.clone().zip(&self.registers[base as usize..]) {
                    let span = if info.bytes < GRF_BYTES {
                        interval
                    } else {
                        self.liveness.intervals[slot]
                    };
                    victims.extend(register.owners(span).filter_map(|owner| match owner {
                        Owner::Vreg(other) => Some(other),
                        Owner::Payload => None,
                    }));
                }
                victims.into_iter().for_each(|victim| self.evict(victim));
                self.occupy(vreg, base * GRF_BYTES);
            }
            _ if own.is_finite() => self.spilled.push(vreg),
            _ => self.impossible = Some(vreg),
        }
    }

    fn value(&self, vreg: Vreg) -> f32 {
        self.values[vreg.index()]
    }
}

/// The cost of spilling each virtual register, divided by the length of its interval and its size in registers: the
/// extra messages per freed position. Registers that must not be spilled have infinite cost.
fn values(function: &Function, liveness: &Liveness, cfg: &Cfg) -> Vec<f32> {
    let costs = costs(function, cfg);
    let value = |(vreg, info): (Vreg, &VregInfo)| {
        if info.no_spill {
            return f32::INFINITY;
        }
        let interval = liveness.vreg(vreg);
        let length = interval.end.saturating_sub(interval.start) + 1;
        let size = info.bytes.div_ceil(GRF_BYTES) as f32;
        costs[vreg.index()] / (length as f32 * size)
    };
    function.vregs.iter().map(value).collect()
}

#[cfg(test)]
mod tests;
