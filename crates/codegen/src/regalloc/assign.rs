//! Linear scan: each virtual register gets consecutive bytes of the general registers.
//!
//! Registers are placed in order of their first position. Every slot of a register has its own
//! interval, so the parts of a wide value free their place one by one. Values of less than a
//! general register share one, in units of four bytes. A value that finds no place either
//! displaces cheaper ones or is spilled itself; the scan goes on, so that one round finds
//! everything that must be spilled. Where that would be in vain the scan ends there.

use crate::ir::{Cfg, Class, File, Function, GRF_BYTES, Inst, Operand, Vreg, VregInfo};
use crate::lists::Lists;
use crate::target::{MAX_REGISTERS, Registers};

use super::accesses::{GRF_COUNT, is_early_clobber};
use super::liveness::{Interval, Liveness};
use super::spill::costs;

/// Bytes of the unit that small values are placed in.
const UNIT_BYTES: u32 = 4;
const UNITS: usize = (GRF_BYTES / UNIT_BYTES) as usize;

/// What occupies a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owner {
    Payload,
    Vreg(Vreg),
}

/// Occupation of one place over time: disjoint intervals in order.
#[derive(Clone, Debug, Default)]
struct Track(Vec<(Interval, Owner)>);

impl Track {
    fn is_free(&self, interval: Interval) -> bool {
        // Values come in the order of their starts, so the last interval mostly decides.
        match self.0.last() {
            None => true,
            Some((last, _)) if last.start <= interval.end => last.end < interval.start,
            Some(_) => self.overlapping(interval).next().is_none(),
        }
    }

    /// The interval that begins last.
    fn last(&self) -> Interval {
        self.0.last().map_or(Interval::EMPTY, |(last, _)| *last)
    }

    fn overlapping(&self, interval: Interval) -> impl Iterator<Item = Owner> + '_ {
        let from = self.0.partition_point(|(held, _)| held.end < interval.start);
        self.0[from..]
            .iter()
            .take_while(move |(held, _)| held.start <= interval.end)
            .map(|(_, owner)| *owner)
    }

    fn insert(&mut self, interval: Interval, owner: Owner) {
        if self.0.capacity() == 0 {
            self.0.reserve(16);
        }
        // Values come in the order of their starts, but their parts need not.
        if self.last().start <= interval.start || self.0.is_empty() {
            self.0.push((interval, owner));
            return;
        }
        let at = self.0.partition_point(|(held, _)| held.start < interval.start);
        self.0.insert(at, (interval, owner));
    }

    fn remove(&mut self, interval: Interval, owner: Owner) {
        let from = self.0.partition_point(|(held, _)| held.end < interval.start);
        if let Some(at) = self.0[from..].iter().position(|(_, held)| *held == owner) {
            self.0.remove(from + at);
        }
    }
}

/// One general register: held whole, or in units.
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

/// A source that dies where a register is first written, or the register where a source dies: the
/// two may share bytes only in exactly the same place, since a wide instruction executes part by
/// part.
#[derive(Clone, Copy, Debug)]
struct Hazard {
    other: Vreg,
    /// Byte offset of this register's operand minus that of the other's; `None` where no sharing
    /// is safe.
    shift: Option<i32>,
}

/// Bytes of general registers that an instruction reads while it writes a register, or writes
/// while it reads one, part by part.
#[derive(Clone, Copy, Debug)]
struct Fixed {
    start: u32,
    end: u32,
    /// The one place of the register that may share bytes with them.
    exact: Option<u32>,
}

/// The outcome of one scan.
#[derive(Clone, Debug)]
pub struct Assignment {
    /// First byte of each virtual register, counted from g0; `None` if it has no interval or is
    /// a flag or was spilled.
    pub places: Vec<Option<u32>>,
    /// What must be spilled first, ascending; empty means success.
    pub spilled: Vec<Vreg>,
    /// A register that cannot be placed whatever is spilled.
    pub impossible: Option<Vreg>,
}

/// Where to look first, and what to do when nothing is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// Everywhere in turn: freed registers rest, so that scheduling afterwards is freer. Ends with the first register
    /// that finds no place.
    Spread,
    /// At the lowest place: least fragmentation. Ends like that too, unless registers may be spilled.
    Dense {
        /// Whether the scan goes on and finds all that must be spilled.
        spill: bool,
    },
}

impl Strategy {
    fn spills(self) -> bool {
        self == Strategy::Dense { spill: true }
    }
}

/// Finds places for all registers.
pub fn assign(
    function: &Function,
    liveness: &Liveness,
    cfg: &Cfg,
    file: Registers,
    strategy: Strategy,
) -> Assignment {
    let mut scan = Scan::new(function, liveness, cfg, file, strategy);
    let count = positions(liveness);
    // Last first, so that those of a position are ascending.
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

/// General registers in use at once, at most, bytes of small values counted together: no assignment needs fewer.
pub fn peak(function: &Function, liveness: &Liveness) -> u32 {
    let fixed = liveness.intervals.iter().take(GRF_COUNT).map(|interval| (*interval, GRF_BYTES));
    let values = function.vregs.iter().filter(|(_, info)| info.class == Class::Grf);
    let values = values.flat_map(|(vreg, info)| {
        let bytes = info.bytes.min(GRF_BYTES);
        liveness.slots.of(vreg).map(move |slot| (liveness.intervals[slot], bytes))
    });
    let count = liveness.block_starts.last().map_or(0, |count| *count);
    most(2 * count + 1, fixed.chain(values))
}

/// An estimate of [`peak`] without liveness: values count whole from where the program first names them to where it last does, and
/// nothing else counts. That is no bound either way: too little where a value must survive the rest of a loop after its
/// last use, where the payload is alive and where lowering needs registers of its own; too much where a value or its
/// parts are not needed between two uses, and where optimisation and scheduling will make values shorter.
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

/// The most registers that values in use in intervals of `count` positions need at once; of each its interval and bytes.
fn most(count: u32, values: impl Iterator<Item = (Interval, u32)>) -> u32 {
    // Bytes more at each position, less those that were held until the one before.
    let mut changes = vec![0i64; count as usize + 1];
    for (interval, bytes) in values.filter(|(interval, _)| !interval.is_empty()) {
        changes[interval.start as usize] += i64::from(bytes);
        changes[interval.end as usize + 1] -= i64::from(bytes);
    }
    let (mut now, mut most) = (0, 0);
    for change in changes {
        now += change;
        most = most.max(now);
    }
    (most as u32).div_ceil(GRF_BYTES)
}

/// Number of positions, the one after the last included.
fn positions(liveness: &Liveness) -> usize {
    let count = liveness.block_starts.last().map_or(0, |count| *count as usize);
    2 * count + 2
}

/// A set of registers is the bits of a `u128`.
const _: () = assert!(MAX_REGISTERS <= u128::BITS);

/// Places that are held, one bit each.
struct HeldNow {
    /// Registers held whole.
    whole: u128,
    /// Units held of each register.
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

/// For each place, held whole or as a unit, whether the interval that begins last there covers the position where the
/// scan stands. That mostly decides whether a place is free.
struct Held {
    position: u32,
    now: HeldNow,
    /// The interval that begins last at each place: registers, then their units.
    last: Vec<Interval>,
    /// Places whose interval begins at a position or ended just before.
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

    /// Goes on to the next position.
    fn advance(&mut self, position: u32) {
        self.position = position;
        for place in self.turns.of(position as usize) {
            let place = usize::from(*place);
            self.now.set(place, self.last[place].contains(position));
        }
    }

    /// Tells the interval that begins last at a place.
    fn set_last(&mut self, place: usize, last: Interval) {
        self.last[place] = last;
        self.now.set(place, last.contains(self.position));
        if !last.is_empty() {
            for turn in [last.start, last.end + 1].into_iter().filter(|at| *at > self.position) {
                self.turns.push(turn as usize, place as u16);
            }
        }
    }

    /// First registers of places for parts that live for `parts`, without those where a part begins now that meets a
    /// register held whole.
    fn open(&self, parts: &[Interval]) -> u128 {
        let now = parts.iter().enumerate().filter(|(_, part)| part.start == self.position);
        !now.fold(0, |blocked, (part, _)| blocked | self.now.whole >> part)
    }
}

/// The registers of even numbers.
const EVEN: u128 = u128::MAX / 3;

/// The registers from one on.
fn from_on(register: u32) -> u128 {
    u128::MAX.checked_shl(register).unwrap_or(0)
}

/// The registers of a set, ascending.
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
    /// See [`values`]; empty where nothing may be spilled.
    values: Vec<f32>,
    strategy: Strategy,
    /// What registers there are.
    file: Registers,
    registers: Vec<Register>,
    held: Held,
    places: Vec<Option<u32>>,
    relations: Relations,
    spilled: Vec<Vreg>,
    impossible: Option<Vreg>,
    next: u32,
    /// Registers that hold units, in the order they were opened.
    opened: Vec<u32>,
}

impl<'a> Scan<'a> {
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
        }
    }

    fn bytes(&self, vreg: Vreg) -> u32 {
        self.function.vregs[vreg].bytes
    }

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

    /// Whether the registers from a byte on are free for all slots, and no hazard forbids it.
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

    /// Whether the last register of a value may be the one before `end`: a message's response
    /// keeps off the last register of all ([`Registers::response_end`]).
    fn end_allowed(&self, vreg: Vreg, end: usize) -> bool {
        end <= self.file.response_end() as usize || !self.relations.responses[vreg.index()]
    }

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
        // Pairs on even registers keep later pairs from falling between.
        let pairs = count.is_multiple_of(2);
        let start = match self.strategy {
            Strategy::Spread if pairs => self.next / 2 * 2,
            Strategy::Spread => self.next,
            Strategy::Dense { .. } => lowest,
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

    fn find_small(&mut self, vreg: Vreg, interval: Interval) -> Option<u32> {
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
                .filter(|register| self.registers[*register].units.is_none())
                .find_map(|register| in_register(self, register as u32))?;
            self.opened.push(fresh / GRF_BYTES);
            Some(fresh)
        })
    }

    fn occupy(&mut self, vreg: Vreg, place: u32) {
        self.for_tracks(vreg, place, |track, interval| {
            track.insert(interval, Owner::Vreg(vreg));
        });
        self.places[vreg.index()] = Some(place);
    }

    fn evict(&mut self, vreg: Vreg) {
        if let Some(place) = self.places[vreg.index()].take() {
            self.for_tracks(vreg, place, |track, interval| {
                track.remove(interval, Owner::Vreg(vreg));
            });
            self.spilled.push(vreg);
        }
    }

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

    /// Spills what stands in the way at the cheapest place, or the register itself.
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

/// How much worse off the program is for each position freed, if each register were spilled.
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

/// What instructions ask of the places of their operands relative to each other.
struct Relations {
    /// Registers to keep apart from, per register.
    hazards: Lists<Hazard>,
    /// General registers to keep apart from, per register.
    fixed: Lists<Fixed>,
    /// Registers that a copy would like in the same place, and how many bytes further on.
    hints: Lists<(Vreg, i32)>,
    /// Registers that a message writes.
    responses: Vec<bool>,
}

impl Relations {
    fn new(function: &Function) -> Relations {
        let count = function.vregs.len();
        let mut all = Relations {
            hazards: Lists::with_room(count, 2 * count),
            fixed: Lists::with_room(count, count / 4),
            hints: Lists::with_room(count, count / 4),
            responses: vec![false; count],
        };
        // Last first, so that the lists are in the program's order.
        for block in function.blocks.iter().rev() {
            for inst in block.insts.iter().rev() {
                match inst.dst.file {
                    File::Vgrf(dst) => all.add(inst, dst),
                    File::Grf => all.add_fixed(inst),
                    _ => {}
                }
            }
        }
        all
    }

    /// The sources of an instruction that writes general registers.
    fn add_fixed(&mut self, inst: &Inst) {
        if inst.op.is_message() || is_one_part(inst) || is_early_clobber(inst) {
            return;
        }
        let (start, end) = (inst.dst.offset, inst.dst.offset + inst.size_written());
        for src in &inst.srcs {
            if let Some(source) = src.vreg() {
                let exact = start.checked_sub(src.offset).filter(|_| shares_lanes(inst, src));
                self.fixed.push(source.index(), Fixed { start, end, exact });
            }
        }
    }

    fn add(&mut self, inst: &Inst, dst: Vreg) {
        if is_copy(inst)
            && let Some(src) = inst.srcs[0].vreg()
            && src != dst
        {
            let shift = inst.srcs[0].offset as i32 - inst.dst.offset as i32;
            self.hints.push(dst.index(), (src, shift));
            self.hints.push(src.index(), (dst, -shift));
        }
        if inst.op.is_message() {
            self.responses[dst.index()] = true;
            return;
        }
        if is_one_part(inst) || is_early_clobber(inst) {
            return;
        }
        for (index, src) in inst.srcs.iter().enumerate() {
            if src.file == File::Grf && !src.is_scalar() {
                let (start, end) = (src.offset, src.offset + inst.size_read(index));
                let exact = src.offset.checked_sub(inst.dst.offset);
                let exact = exact.filter(|_| shares_lanes(inst, src));
                self.fixed.push(dst.index(), Fixed { start, end, exact });
            }
            if let Some(source) = src.vreg()
                && source != dst
            {
                let shift =
                    shares_lanes(inst, src).then(|| inst.dst.offset as i32 - src.offset as i32);
                self.hazards.push(dst.index(), Hazard { other: source, shift });
                // Where the destination is part of a wide value, that may have its place before the source has.
                let shift = shift.map(|shift| -shift);
                self.hazards.push(source.index(), Hazard { other: dst, shift });
            }
        }
    }
}

/// Whether no operand has more than one register, so that all is read before anything is written.
fn is_one_part(inst: &Inst) -> bool {
    inst.size_written() <= GRF_BYTES
        && (0..inst.srcs.len()).all(|index| inst.size_read(index) <= GRF_BYTES)
}

/// Whether each channel's destination bytes are exactly its source bytes when the two operands
/// start at the same place.
///
/// Vectors count as a whole: each is read before it is written.
fn shares_lanes(inst: &Inst, src: &Operand) -> bool {
    let stride = src.linear_stride(inst.exec_size);
    let vectors = src.vectors().is_some_and(|(_, step)| step == 4) && inst.dst.ty.size() == 8;
    let alike = stride.is_some() && stride == inst.dst.linear_stride(inst.exec_size);
    src.ty.size() == inst.dst.ty.size() && (alike || vectors)
}

/// Whether the instruction only moves bits of consecutive elements.
fn is_copy(inst: &Inst) -> bool {
    inst.is_mov()
        && inst.srcs[0].ty.size() == inst.dst.ty.size()
        && inst.srcs[0].is_packed()
        && inst.dst.is_packed()
        && !inst.srcs[0].has_modifiers()
}

#[cfg(test)]
mod tests;
