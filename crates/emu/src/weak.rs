//! The weak memory model: which accesses of a thread the other threads of its workgroup see, and when.
//!
//! A write is first put into the buffer of its thread. It reaches memory at any later time. The writes of a thread may reach memory in
//! any order, except for writes to the same bytes. A fence moves the buffered writes to memory at once. A fence without commit does so
//! only on generations whose data ports execute in order; on other generations it only keeps later writes behind earlier ones.
//!
//! A read may return any value that the bytes had since the last fence or barrier that the thread waited for. It never returns a
//! value older than what the thread read or wrote there before, and it always sees the thread's own writes through the same
//! [`Path`]. Atomics access memory directly. The seed determines which of the allowed results happens.
//!
//! This model is weaker than any known generation: it guarantees only what the manuals state (PRM, "Memory access ordering"). So
//! code that lacks a fence gives wrong results for some seed. A message to the gateway does not complete accesses; therefore barriers
//! need fences. But reads after a wait are not older than the wait. Code of other compilers shows that gen8 and gen9 complete accesses
//! to shared memory before a barrier without a fence (docs/isa-notes.md).

use crate::buffer::{Buffer, load_bytes, store_bytes};
use std::collections::HashMap;

/// Waiting writes of a thread above which some reach memory.
const MOST_WAITING: usize = 256;
/// Waiting writes that reach memory between two turns at most.
const MOST_AT_ONCE: usize = 16;
/// Earlier values of a word that reads may still give.
const MOST_VERSIONS: usize = 4;
/// Words of which earlier values are known; beyond, all are forgotten, which only loses chances.
const MOST_WORDS: usize = 1 << 16;
/// The number of shared memory among the targets; buffers count from 0.
pub(crate) const SHARED: usize = usize::MAX;

/// The way of an access through the data ports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Path {
    /// Untyped, scattered and block messages to buffers.
    Data,
    /// Typed messages.
    Typed,
    /// Messages to shared memory.
    Shared,
}

/// A set of paths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Paths(u8);

impl Paths {
    const ALL: Paths = Paths(7);

    const fn with(self, path: Path, present: bool) -> Paths {
        Paths(self.0 | (present as u8) << path as u8)
    }

    const fn has(self, path: Path) -> bool {
        self.0 >> path as u8 & 1 == 1
    }
}

/// What a fence is sent to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fence {
    /// The data cache.
    Data,
    /// Shared memory alone, where it has a fence of its own.
    Shared,
    /// The render cache.
    Render,
}

/// Which caches a generation's accesses go through.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ports {
    /// Typed messages go through the render cache.
    pub(crate) typed_apart: bool,
    /// Shared memory has a fence of its own.
    pub(crate) shared_apart: bool,
    /// A fence without commit comes before what other threads send later.
    pub(crate) in_order: bool,
}

impl Ports {
    /// The accesses that a fence is about.
    fn fenced(self, fence: Fence) -> Paths {
        let none = Paths::default();
        match fence {
            Fence::Data => none
                .with(Path::Data, true)
                .with(Path::Typed, !self.typed_apart)
                .with(Path::Shared, !self.shared_apart),
            Fence::Shared => none.with(Path::Shared, true),
            Fence::Render => none.with(Path::Typed, self.typed_apart),
        }
    }
}

/// A generator of numbers that follow from a seed (splitmix64).
#[derive(Clone, Debug)]
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// A number below `end`, which is not 0.
    fn below(&mut self, end: usize) -> usize {
        ((u128::from(self.next()) * end as u128) >> 64) as usize
    }
}

/// Some bytes of a buffer or of shared memory.
#[derive(Clone, Copy, Debug)]
struct Bytes {
    target: usize,
    path: Path,
    offset: u64,
    /// 1 to 4.
    size: usize,
}

impl Bytes {
    fn overlap(&self, other: &Bytes) -> bool {
        self.target == other.target
            && self.offset < other.offset + other.size as u64
            && other.offset < self.offset + self.size as u64
    }

    /// The words that contain the bytes.
    fn words(&self) -> impl Iterator<Item = Word> + use<> {
        let target = self.target;
        let end = (self.offset + self.size as u64).div_ceil(4);
        (self.offset / 4..end).map(move |index| (target, index))
    }
}

/// An aligned word of memory: target, and byte offset divided by four.
type Word = (usize, u64);

/// What waits in a thread's buffer.
#[derive(Clone, Copy, Debug)]
enum Waiting {
    Write {
        bytes: Bytes,
        value: u32,
    },
    /// A fence without commit: later writes of its paths stay behind earlier ones.
    Order(Paths),
}

/// A value that a word had.
#[derive(Clone, Copy, Debug)]
struct Version {
    /// When it was replaced.
    until: u64,
    value: u32,
}

/// What a thread has written and seen.
#[derive(Debug, Default)]
struct View {
    waiting: Vec<Waiting>,
    /// The time of the last fence that was waited for, or barrier.
    fenced: u64,
    /// The earliest time whose value of a word the thread may still read.
    known: HashMap<Word, u64>,
}

impl View {
    fn writes(&self) -> usize {
        self.waiting.iter().filter(|waiting| matches!(waiting, Waiting::Write { .. })).count()
    }

    /// A write that must reach memory before the one at `index`.
    fn before(&self, index: usize) -> Option<usize> {
        let Waiting::Write { bytes, .. } = self.waiting.get(index)? else { return None };
        let mut ordered = Paths::default();
        for (i, earlier) in self.waiting[..index].iter().enumerate().rev() {
            match earlier {
                Waiting::Order(paths) if paths.has(bytes.path) => {
                    ordered = Paths(ordered.0 | paths.0)
                }
                Waiting::Order(_) => {}
                Waiting::Write { bytes: other, .. } => {
                    let same = other.path == bytes.path && other.overlap(bytes);
                    if same || ordered.has(other.path) {
                        return Some(i);
                    }
                }
            }
        }
        None
    }
}

/// All memory that more than one thread sees.
pub(crate) struct Backing<'a> {
    pub(crate) buffers: &'a [&'a Buffer],
    pub(crate) shared: &'a mut [u8],
}

impl Backing<'_> {
    fn load(&self, target: usize, offset: u64, size: usize) -> u32 {
        match self.buffers.get(target) {
            Some(buffer) => buffer.load(offset as usize, size),
            None => load_bytes(self.shared, offset as usize, size),
        }
    }

    fn store(&mut self, target: usize, offset: u64, size: usize, value: u32) {
        match self.buffers.get(target) {
            Some(buffer) => buffer.store(offset as usize, size, value),
            None => store_bytes(self.shared, offset as usize, size, value),
        }
    }

    fn len(&self, target: usize) -> u64 {
        match self.buffers.get(target) {
            Some(buffer) => buffer.len() as u64,
            None => self.shared.len() as u64,
        }
    }

    /// A whole word, or what the memory has of it.
    fn word(&self, (target, index): Word) -> u32 {
        let offset = 4 * index;
        let size = self.len(target).saturating_sub(offset).min(4) as usize;
        if size == 0 { 0 } else { self.load(target, offset, size) }
    }
}

/// The memory of a running workgroup, as its threads see it.
#[derive(Debug)]
pub(crate) struct Weak {
    ports: Ports,
    seed: u64,
    random: Random,
    /// Writes that reached memory.
    clock: u64,
    threads: Vec<View>,
    /// What words were before.
    versions: HashMap<Word, Vec<Version>>,
    /// One in so many turns lets waiting writes reach memory.
    patience: usize,
    /// The thread whose turn it was.
    last: usize,
}

impl Weak {
    /// For workgroups of so many threads.
    pub(crate) fn new(seed: u64, ports: Ports, threads: usize) -> Weak {
        Weak {
            ports,
            seed,
            random: Random(seed),
            clock: 0,
            threads: (0..threads).map(|_| View::default()).collect(),
            versions: HashMap::new(),
            patience: 1,
            last: 0,
        }
    }

    /// Begins with the workgroup of that number.
    pub(crate) fn begin(&mut self, unit: u64) {
        self.random = Random(self.seed ^ unit.wrapping_mul(0xd6e8_feb8_6659_fd93));
        self.patience = [1, 4, 64][self.random.below(3)];
        self.clock = 0;
        self.versions.clear();
        self.threads.fill_with(View::default);
    }

    /// The thread whose turn it is: often the one whose turn it was, so that some run ahead.
    pub(crate) fn turn(&mut self) -> usize {
        if self.random.below(4) == 0 {
            self.last = self.random.below(self.threads.len().max(1));
        }
        self.last
    }

    /// What happens between turns: now and then writes reach memory, and always some of too many.
    pub(crate) fn pass(&mut self, thread: usize, backing: &mut Backing<'_>) {
        while self.threads[thread].writes() > MOST_WAITING {
            self.finish_one(thread, backing);
        }
        if self.random.below(self.patience) == 0 {
            let thread = self.random.below(self.threads.len());
            for _ in 0..=self.random.below(MOST_AT_ONCE) {
                self.finish_one(thread, backing);
            }
        }
    }

    /// Lets all waiting writes reach memory: the workgroup has ended.
    pub(crate) fn end(&mut self, backing: &mut Backing<'_>) {
        for thread in 0..self.threads.len() {
            self.finish(thread, Paths::ALL, backing);
        }
    }

    /// A thread waited, for a barrier or a fence: what it reads from now on was there, whichever
    /// way it reads, since no read happens before it is sent.
    pub(crate) fn waited(&mut self, thread: usize) {
        if let Some(view) = self.threads.get_mut(thread) {
            view.fenced = self.clock;
            view.known.clear();
        }
    }

    /// A thread's fence.
    pub(crate) fn fence(
        &mut self,
        thread: usize,
        fence: Fence,
        commit: bool,
        backing: &mut Backing<'_>,
    ) {
        let paths = self.ports.fenced(fence);
        if !commit && !self.ports.in_order {
            self.threads[thread].waiting.push(Waiting::Order(paths));
            return;
        }
        self.finish(thread, paths, backing);
        if commit {
            self.waited(thread);
        }
    }

    /// Lets all of a thread's writes on some paths reach memory.
    fn finish(&mut self, thread: usize, paths: Paths, backing: &mut Backing<'_>) {
        self.finish_all(thread, backing, |bytes| paths.has(bytes.path));
    }

    fn finish_all(
        &mut self,
        thread: usize,
        backing: &mut Backing<'_>,
        which: impl Fn(&Bytes) -> bool,
    ) {
        loop {
            let waiting = &self.threads[thread].waiting;
            let chosen: Vec<usize> = (0..waiting.len())
                .filter(|&i| matches!(&waiting[i], Waiting::Write { bytes, .. } if which(bytes)))
                .collect();
            if chosen.is_empty() {
                return;
            }
            let index = chosen[self.random.below(chosen.len())];
            self.write(thread, index, backing);
        }
    }

    /// Lets any write of a thread reach memory, if one waits.
    fn finish_one(&mut self, thread: usize, backing: &mut Backing<'_>) {
        let waiting = &self.threads[thread].waiting;
        let last = waiting.iter().rposition(|waiting| matches!(waiting, Waiting::Write { .. }));
        match last {
            Some(last) => {
                let chosen = self.random.below(last + 1);
                let waiting = &self.threads[thread].waiting;
                let write = |i: &usize| matches!(waiting[*i], Waiting::Write { .. });
                let index = (chosen..=last).find(write).unwrap_or(last);
                self.write(thread, index, backing);
            }
            None => self.threads[thread].waiting.clear(),
        }
    }

    /// Writes the waiting write at `index`, or one that must come before it.
    fn write(&mut self, thread: usize, mut index: usize, backing: &mut Backing<'_>) {
        while let Some(before) = self.threads[thread].before(index) {
            index = before;
        }
        if let Waiting::Write { bytes, value } = self.threads[thread].waiting.remove(index) {
            self.change(thread, &bytes, value, backing);
        }
    }

    /// Changes memory.
    fn change(&mut self, thread: usize, bytes: &Bytes, value: u32, backing: &mut Backing<'_>) {
        self.clock += 1;
        if self.versions.len() >= MOST_WORDS {
            self.versions.clear();
        }
        for word in bytes.words() {
            let version = Version { until: self.clock, value: backing.word(word) };
            let versions = self.versions.entry(word).or_default();
            if versions.len() >= MOST_VERSIONS {
                versions.remove(0);
            }
            versions.push(version);
            self.threads[thread].known.insert(word, self.clock);
        }
        backing.store(bytes.target, bytes.offset, bytes.size, value);
    }

    /// What a thread reads.
    fn read(&mut self, thread: usize, bytes: &Bytes, backing: &mut Backing<'_>) -> u32 {
        let mut value = match self.earlier(thread, bytes) {
            Some(word) => word >> (8 * (bytes.offset % 4)) & u32::MAX >> (32 - 8 * bytes.size),
            None => backing.load(bytes.target, bytes.offset, bytes.size),
        };
        // The thread's own writes are there, wherever they are.
        for waiting in &self.threads[thread].waiting {
            if let Waiting::Write { bytes: written, value: new } = waiting
                && written.path == bytes.path
                && written.overlap(bytes)
            {
                for i in 0..bytes.size as u64 {
                    let at = (bytes.offset + i).wrapping_sub(written.offset);
                    if at < written.size as u64 {
                        let byte = new >> (8 * at) & 0xff;
                        value = value & !(0xff << (8 * i)) | byte << (8 * i);
                    }
                }
            }
        }
        value
    }

    /// A word that a read gives instead of what memory holds now.
    fn earlier(&mut self, thread: usize, bytes: &Bytes) -> Option<u32> {
        let word = (bytes.target, bytes.offset / 4);
        let versions = self.versions.get(&word)?;
        let view = &mut self.threads[thread];
        let known = view.known.get(&word).copied().unwrap_or(0);
        let since = known.max(view.fenced);
        let first = versions.partition_point(|version| version.until <= since);
        // After the last version comes what memory holds.
        let one_word = bytes.offset % 4 + bytes.size as u64 <= 4;
        let chosen = match one_word {
            true => first + self.random.below(versions.len() - first + 1),
            false => versions.len(),
        };
        if let Some(before) = chosen.checked_sub(1) {
            view.known.insert(word, versions[before].until.max(since));
        }
        versions.get(chosen).map(|version| version.value)
    }
}

/// A thread's access to memory that others see too.
pub(crate) struct Window<'a> {
    pub(crate) weak: &'a mut Weak,
    pub(crate) backing: Backing<'a>,
    pub(crate) thread: usize,
    /// The number of the buffer, or [`SHARED`].
    pub(crate) target: usize,
    pub(crate) path: Path,
}

impl Window<'_> {
    pub(crate) fn len(&self) -> u64 {
        self.backing.len(self.target)
    }

    fn bytes(&self, offset: u64, size: usize) -> Bytes {
        Bytes { target: self.target, path: self.path, offset, size }
    }

    pub(crate) fn load(&mut self, offset: u64, size: usize) -> u32 {
        let bytes = self.bytes(offset, size);
        self.weak.read(self.thread, &bytes, &mut self.backing)
    }

    pub(crate) fn store(&mut self, offset: u64, size: usize, value: u32) {
        let bytes = self.bytes(offset, size);
        self.weak.threads[self.thread].waiting.push(Waiting::Write { bytes, value });
    }

    /// Replaces words by what `change` makes of them, at once.
    pub(crate) fn modify<const N: usize>(
        &mut self,
        offset: u64,
        change: impl FnOnce([u32; N]) -> [u32; N],
    ) {
        let words: [Bytes; N] = std::array::from_fn(|i| self.bytes(offset + 4 * i as u64, 4));
        let (thread, backing) = (self.thread, &mut self.backing);
        for word in &words {
            self.weak.finish_all(thread, backing, |bytes| {
                bytes.path == word.path && bytes.overlap(word)
            });
        }
        let old = words.map(|bytes| backing.load(bytes.target, bytes.offset, 4));
        for (bytes, new) in words.iter().zip(change(old)) {
            self.weak.change(thread, bytes, new, backing);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PORTS: Ports = Ports { typed_apart: true, shared_apart: false, in_order: false };

    fn window<'a>(
        weak: &'a mut Weak,
        buffers: &'a [&'a Buffer],
        thread: usize,
        path: Path,
    ) -> Window<'a> {
        let backing = Backing { buffers, shared: &mut [] };
        Window { weak, backing, thread, target: 0, path }
    }

    #[test]
    fn a_thread_sees_its_own_writes_and_never_goes_back() {
        let buffer = Buffer::new(&[0; 8]);
        for seed in 0..200 {
            let buffers = [&buffer];
            let mut weak = Weak::new(seed, PORTS, 2);
            weak.begin(0);
            let mut last = 0;
            for value in 1..20 {
                let mut writer = window(&mut weak, &buffers, 0, Path::Data);
                writer.store(0, 4, value << 8);
                writer.store(1, 1, 0);
                writer.store(1, 1, value);
                assert_eq!(writer.load(0, 4), value << 8, "seed {seed}");
                assert_eq!(writer.load(1, 1), value, "seed {seed}");
                weak.pass(0, &mut Backing { buffers: &buffers, shared: &mut [] });
                // Bytes of one word arrive one after the other, but never in another order.
                let seen = window(&mut weak, &buffers, 1, Path::Data).load(0, 4) >> 8;
                assert!(seen == 0 || seen >= last, "seed {seed}: {seen} after {last}");
                last = last.max(seen);
            }
            weak.end(&mut Backing { buffers: &buffers, shared: &mut [] });
            assert_eq!(buffer.to_bytes()[1], 19);
            window(&mut weak, &buffers, 0, Path::Data).modify(0, |[_]| [0]);
        }
    }

    #[test]
    fn a_fence_is_about_its_own_cache() {
        let buffer = Buffer::new(&[0; 8]);
        let buffers = [&buffer];
        let mut weak = Weak::new(3, PORTS, 1);
        weak.begin(0);
        window(&mut weak, &buffers, 0, Path::Data).store(0, 4, 1);
        window(&mut weak, &buffers, 0, Path::Typed).store(4, 4, 2);
        assert_eq!(window(&mut weak, &buffers, 0, Path::Data).load(4, 4), 0);
        weak.fence(0, Fence::Data, false, &mut Backing { buffers: &buffers, shared: &mut [] });
        assert_eq!(buffer.to_bytes(), [0; 8], "only a commit is waited for");
        weak.fence(0, Fence::Data, true, &mut Backing { buffers: &buffers, shared: &mut [] });
        assert_eq!(buffer.to_bytes(), [1, 0, 0, 0, 0, 0, 0, 0]);
        weak.fence(0, Fence::Render, true, &mut Backing { buffers: &buffers, shared: &mut [] });
        assert_eq!(buffer.to_bytes(), [1, 0, 0, 0, 2, 0, 0, 0]);
    }
}
