//! The weak memory model: which accesses of a thread the other threads of its workgroup see, and when.
//!
//! A write is first put into the buffer of its thread. It reaches memory at any later time. The writes of a thread may
//! reach memory in any order, except for writes to the same bytes. A fence moves the buffered writes to memory at once.
//! A fence without commit does so only on generations whose data ports execute in order; on other generations it only
//! keeps later writes behind earlier ones.
//!
//! A read may return any value that the bytes had since the last fence or barrier that the thread waited for. It never
//! returns a value older than what the thread read or wrote there before, and it always sees the thread's own writes
//! through the same [`Path`]. Atomics access memory directly. The seed determines which of the allowed results happens.
//!
//! This model is weaker than any known generation: it guarantees only what the manuals state (PRM, "Memory access
//! ordering"). So code that lacks a fence gives wrong results for some seed. A message to the gateway does not complete
//! accesses; therefore barriers need fences. But reads after a wait are not older than the wait. Code of other
//! compilers shows that gen8 and gen9 complete accesses to shared memory before a barrier without a fence
//! (docs/isa-notes.md).

use crate::buffer::{Buffer, load_bytes, store_bytes};
use std::collections::HashMap;

/// The most waiting writes of a thread. If there are more after its turn, random ones reach memory.
const MOST_WAITING: usize = 256;
/// The most waiting writes that reach memory between two turns.
const MOST_AT_ONCE: usize = 16;
/// The most earlier values of a word that are kept for reads.
const MOST_VERSIONS: usize = 4;
/// The most words whose earlier values are kept. With more, all earlier values are dropped; then fewer of the allowed
/// results can happen.
const MOST_WORDS: usize = 1 << 16;
/// The number of shared memory as a target. Buffers are numbered from 0.
pub(crate) const SHARED: usize = usize::MAX;

/// The way of an access through the data ports. A thread sees its own waiting writes only on the same path.
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

/// The cache that a fence is sent to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fence {
    /// The data cache.
    Data,
    /// Shared memory only, on generations that have a separate fence for it.
    Shared,
    /// The render cache.
    Render,
}

/// The caches that a generation's accesses go through.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ports {
    /// Typed messages go through the render cache, not the data cache.
    pub(crate) typed_apart: bool,
    /// Shared memory has a separate fence.
    pub(crate) shared_apart: bool,
    /// A fence without commit is ordered before messages that any thread sends later.
    pub(crate) in_order: bool,
}

impl Ports {
    /// The paths whose accesses a fence orders.
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

/// A pseudo-random number generator (splitmix64).
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

/// An entry of a thread's write buffer.
#[derive(Clone, Copy, Debug)]
enum Waiting {
    Write {
        bytes: Bytes,
        value: u32,
    },
    /// A fence without commit: later writes on these paths stay after earlier ones.
    Order(Paths),
}

/// An earlier value of a word.
#[derive(Clone, Copy, Debug)]
struct Version {
    /// The time ([`Weak::clock`]) at which the next value replaced it.
    until: u64,
    value: u32,
}

/// The waiting writes of a thread, and a lower bound of the age of values that it may read.
#[derive(Debug, Default)]
struct View {
    waiting: Vec<Waiting>,
    /// The time of the last fence or barrier that the thread waited for. No read returns a value replaced before.
    fenced: u64,
    /// Per word, the time before which its values are too old for the thread: it has read or written a later one.
    known: HashMap<Word, u64>,
}

impl View {
    /// Number of waiting writes.
    fn writes(&self) -> usize {
        self.waiting.iter().filter(|waiting| matches!(waiting, Waiting::Write { .. })).count()
    }

    /// The index of a waiting write that must reach memory before the one at `index`: an earlier write to the same
    /// bytes on the same path, or one that a fence orders before it. `None` if there is none.
    fn before(&self, index: usize) -> Option<usize> {
        let Waiting::Write { bytes, .. } = self.waiting.get(index)? else { return None };
        // Walks back over earlier entries. `ordered`: the paths whose writes the fences passed so far order before this
        // write.
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

/// The memory that several threads share.
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

    /// The value of a word. Bytes beyond the memory's end are zero.
    fn word(&self, (target, index): Word) -> u32 {
        let offset = 4 * index;
        let size = self.len(target).saturating_sub(offset).min(4) as usize;
        if size == 0 { 0 } else { self.load(target, offset, size) }
    }
}

/// The state of weak memory for a running workgroup.
#[derive(Debug)]
pub(crate) struct Weak {
    ports: Ports,
    seed: u64,
    random: Random,
    /// Number of writes that have reached memory. It serves as the time.
    clock: u64,
    threads: Vec<View>,
    /// Earlier values of words, oldest first.
    versions: HashMap<Word, Vec<Version>>,
    /// On average, waiting writes reach memory after one in this many turns.
    patience: usize,
    /// The thread that had the last turn.
    last: usize,
}

impl Weak {
    /// The state for workgroups of `threads` threads.
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

    /// Resets the state for workgroup number `unit`.
    pub(crate) fn begin(&mut self, unit: u64) {
        self.random = Random(self.seed ^ unit.wrapping_mul(0xd6e8_feb8_6659_fd93));
        self.patience = [1, 4, 64][self.random.below(3)];
        self.clock = 0;
        self.versions.clear();
        self.threads.fill_with(View::default);
    }

    /// The thread that runs next: in most cases the same as before, so that some threads get far ahead of others.
    pub(crate) fn turn(&mut self) -> usize {
        if self.random.below(4) == 0 {
            self.last = self.random.below(self.threads.len().max(1));
        }
        self.last
    }

    /// Called after a turn of `thread`. Lets its excess of waiting writes reach memory, and sometimes writes of a
    /// random thread.
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

    /// Lets all waiting writes reach memory. Called when the workgroup has ended.
    pub(crate) fn end(&mut self, backing: &mut Backing<'_>) {
        for thread in 0..self.threads.len() {
            self.finish(thread, Paths::ALL, backing);
        }
    }

    /// Called when a thread has waited for a barrier or a fence. Its later reads, on any path, return no value that was
    /// replaced before now, because a read does not happen before it is sent.
    pub(crate) fn waited(&mut self, thread: usize) {
        if let Some(view) = self.threads.get_mut(thread) {
            view.fenced = self.clock;
            view.known.clear();
        }
    }

    /// Executes a fence of a thread.
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

    /// Lets all of a thread's waiting writes on these paths reach memory, in random order.
    fn finish(&mut self, thread: usize, paths: Paths, backing: &mut Backing<'_>) {
        self.finish_all(thread, backing, |bytes| paths.has(bytes.path));
    }

    /// Lets all of a thread's waiting writes for which `which` is true reach memory, in random order.
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

    /// Lets a random waiting write of a thread reach memory, if there is one.
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

    /// Lets the waiting write at `index` reach memory, or one that must come before it.
    fn write(&mut self, thread: usize, mut index: usize, backing: &mut Backing<'_>) {
        while let Some(before) = self.threads[thread].before(index) {
            index = before;
        }
        if let Waiting::Write { bytes, value } = self.threads[thread].waiting.remove(index) {
            self.change(thread, &bytes, value, backing);
        }
    }

    /// Changes memory, and records the values that it had before.
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

    /// The value that a read of a thread returns.
    fn read(&mut self, thread: usize, bytes: &Bytes, backing: &mut Backing<'_>) -> u32 {
        let mut value = match self.earlier(thread, bytes) {
            Some(word) => word >> (8 * (bytes.offset % 4)) & u32::MAX >> (32 - 8 * bytes.size),
            None => backing.load(bytes.target, bytes.offset, bytes.size),
        };
        // A thread always sees its own waiting writes on the same path.
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

    /// Selects an earlier value of the word for a read; `None` for the current value of memory.
    fn earlier(&mut self, thread: usize, bytes: &Bytes) -> Option<u32> {
        let word = (bytes.target, bytes.offset / 4);
        let versions = self.versions.get(&word)?;
        let view = &mut self.threads[thread];
        let known = view.known.get(&word).copied().unwrap_or(0);
        // The thread may not read values that were replaced at or before this time.
        let since = known.max(view.fenced);
        let first = versions.partition_point(|version| version.until <= since);
        // The index after the last version stands for the current value. Reads across two words get current values.
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

/// The access of one message to memory that several threads share.
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

    /// Replaces words by the result of `change`, as one atomic step. The thread's own waiting writes to them come
    /// first.
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
                // Writes to the same bytes reach memory in program order.
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
