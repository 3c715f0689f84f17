//! The table of message types: the code of each message type at its shared function, per
//! generation.
//!
//! Source: the "shared functions" volumes of the public PRMs; codes of gen9 and later
//! confirmed by iga64's descriptor decoder.

use crate::tables::{Sfid, gen_index};
use crestline_device::Gen;

const NONE: u8 = 0xff;

macro_rules! code {
    (-) => {
        NONE
    };
    ($code:literal) => {
        $code
    };
}

/// A message type. If a field of a [`Message`](super::Message) variant is part of the message type
/// code, the variant has several kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    OwordBlockRead,
    OwordBlockUnalignedRead,
    OwordBlockWrite,
    OwordDualBlockRead,
    OwordDualBlockWrite,
    DwordScatteredRead,
    DwordScatteredWrite,
    ByteScatteredRead,
    ByteScatteredWrite,
    UntypedRead,
    UntypedWrite,
    UntypedAtomic,
    UntypedAtomic4x2,
    UntypedAtomicWord,
    UntypedAtomicFloat,
    UntypedAtomicFloat4x2,
    UntypedAtomicHalf,
    TypedRead,
    TypedWrite,
    TypedAtomic,
    TypedAtomic4x2,
    AtomicCounter,
    AtomicCounter4x2,
    MediaBlockRead,
    MediaBlockWrite,
    A64ScatteredRead,
    A64ScatteredWrite,
    A64UntypedRead,
    A64UntypedWrite,
    A64Atomic,
    A64AtomicWord,
    A64AtomicFloat,
    A64AtomicHalf,
    A64BlockRead,
    A64BlockWrite,
    MemoryFence,
    RenderTargetWrite,
    RenderTargetRead,
    QwordScatteredRead,
    QwordScatteredWrite,
    HwordBlockWrite,
    TypedAtomicWord,
    TypedReadStatus,
    AtomicCounterWord,
    A64Atomic4x2,
    A64AtomicFloat4x2,
    UnormRead,
    LoopFilterRead,
    VertexWrite,
    UnormWrite,
    FlushRenderCache,
    DwordAtomicWrite,
    SurfaceInfo,
    TransposeRead,
}

/// A row of the table of message types.
struct Row {
    kind: Kind,
    /// The port: the shared function, except where [`shared_function`] returns another one.
    port: Sfid,
    codes: [u8; Gen::ALL.len()],
}

macro_rules! kinds {
    ($($kind:ident $port:ident [$($code:tt)*];)*) => {
        const ROWS: &[Row] = &[
            $(Row { kind: Kind::$kind, port: Sfid::$port, codes: [$(code!($code),)*] },)*
        ];
    };
}

// message type, port, code per generation [4 4.5 5 6 7 7.5 8 9 11 12 12.5]
#[rustfmt::skip]
kinds! {
    OwordBlockRead          DpRead         [ 0  0  0  -  -  -  -  -  -  -  -];
    OwordDualBlockRead      DpRead         [ 1  2  2  -  -  -  -  -  -  -  -];
    MediaBlockRead          DpRead         [ 2  4  4  -  -  -  -  -  -  -  -];
    DwordScatteredRead      DpRead         [ 3  6  6  -  -  -  -  -  -  -  -];
    UnormRead               DpRead         [ -  1  1  -  -  -  -  -  -  -  -];
    LoopFilterRead          DpRead         [ -  3  3  -  -  -  -  -  -  -  -];
    OwordBlockWrite         DpWrite        [ 0  0  0  -  -  -  -  -  -  -  -];
    OwordDualBlockWrite     DpWrite        [ 1  1  1  -  -  -  -  -  -  -  -];
    MediaBlockWrite         DpWrite        [ 2  2  2  -  -  -  -  -  -  -  -];
    DwordScatteredWrite     DpWrite        [ 3  3  3  -  -  -  -  -  -  -  -];
    RenderTargetWrite       DpWrite        [ 4  4  4  -  -  -  -  -  -  -  -];
    VertexWrite             DpWrite        [ 5  5  5  -  -  -  -  -  -  -  -];
    UnormWrite              DpWrite        [ -  6  6  -  -  -  -  -  -  -  -];
    FlushRenderCache        DpWrite        [ 7  7  7  -  -  -  -  -  -  -  -];
    OwordBlockRead          DpSamplerCache [ -  -  -  0  -  -  -  -  -  -  -];
    OwordBlockUnalignedRead DpSamplerCache [ -  -  -  5  1  1  1  4  4  4  4];
    MediaBlockRead          DpSamplerCache [ -  -  -  4  4  4  4  9  9  5  5];
    SurfaceInfo             DpSamplerCache [ -  -  -  -  -  0  - 10 10  6  6];
    UntypedRead             DataCache2     [ -  -  -  -  -  -  -  1  1  1  1];
    A64ScatteredRead        DataCache2     [ -  -  -  -  -  -  -  2  2  -  -];
    A64UntypedRead          DataCache2     [ -  -  -  -  -  -  -  3  3  -  -];
    ByteScatteredRead       DataCache2     [ -  -  -  -  -  -  -  4  4  4  4];
    UntypedWrite            DataCache2     [ -  -  -  -  -  -  -  9  9  9  9];
    A64UntypedWrite         DataCache2     [ -  -  -  -  -  -  - 10 10  -  -];
    A64ScatteredWrite       DataCache2     [ -  -  -  -  -  -  - 11 11  -  -];
    ByteScatteredWrite      DataCache2     [ -  -  -  -  -  -  - 12 12 12 12];
    OwordBlockRead          ConstantCache  [ -  -  -  0  0  0  0  0  0  0  0];
    OwordBlockUnalignedRead ConstantCache  [ -  -  -  5  1  1  1  1  1  1  1];
    OwordDualBlockRead      ConstantCache  [ -  -  -  2  2  2  2  2  2  -  -];
    DwordScatteredRead      ConstantCache  [ -  -  -  6  3  3  3  3  3  3  3];
    OwordBlockRead          RenderCache    [ -  -  -  0  -  -  -  -  -  -  -];
    UnormRead               RenderCache    [ -  -  -  1  -  -  -  -  -  -  -];
    OwordDualBlockRead      RenderCache    [ -  -  -  2  -  -  -  -  -  -  -];
    OwordBlockUnalignedRead RenderCache    [ -  -  -  5  -  -  -  -  -  -  -];
    DwordScatteredRead      RenderCache    [ -  -  -  6  -  -  -  -  -  -  -];
    DwordAtomicWrite        RenderCache    [ -  -  -  7  -  -  -  -  -  -  -];
    OwordBlockWrite         RenderCache    [ -  -  -  8  -  -  -  -  -  -  -];
    OwordDualBlockWrite     RenderCache    [ -  -  -  9  -  -  -  -  -  -  -];
    DwordScatteredWrite     RenderCache    [ -  -  - 11  -  -  -  -  -  -  -];
    VertexWrite             RenderCache    [ -  -  - 13  -  -  -  -  -  -  -];
    UnormWrite              RenderCache    [ -  -  - 14  -  -  -  -  -  -  -];
    MediaBlockRead          RenderCache    [ -  -  -  4  4  4  -  -  -  -  -];
    MediaBlockWrite         RenderCache    [ -  -  - 10 10 10  -  -  -  -  -];
    RenderTargetWrite       RenderCache    [ -  -  - 12 12 12 12 12 12 12 12];
    RenderTargetRead        RenderCache    [ -  -  -  -  -  - 13 13 13 13 13];
    TypedRead               RenderCache    [ -  -  -  -  5  -  -  -  -  -  -];
    TypedAtomic             RenderCache    [ -  -  -  -  6  -  -  -  -  -  -];
    TypedWrite              RenderCache    [ -  -  -  - 13  -  -  -  -  -  -];
    MemoryFence             RenderCache    [ -  -  -  -  7  7  -  -  -  -  -];
    OwordBlockRead          DataCache0     [ -  -  -  -  0  0  0  0  0  0  0];
    OwordBlockUnalignedRead DataCache0     [ -  -  -  -  1  1  1  1  1  1  1];
    OwordDualBlockRead      DataCache0     [ -  -  -  -  2  2  2  2  2  -  -];
    DwordScatteredRead      DataCache0     [ -  -  -  -  3  3  3  3  3  3  3];
    ByteScatteredRead       DataCache0     [ -  -  -  -  4  4  4  4  4  4  4];
    UntypedRead             DataCache0     [ -  -  -  -  5  -  -  -  -  -  -];
    QwordScatteredRead      DataCache0     [ -  -  -  -  -  -  -  5  5  5  5];
    UntypedAtomic           DataCache0     [ -  -  -  -  6  -  -  -  -  -  -];
    MemoryFence             DataCache0     [ -  -  -  -  7  7  7  7  7  7  7];
    OwordBlockWrite         DataCache0     [ -  -  -  -  8  8  8  8  8  8  8];
    HwordBlockWrite         DataCache0     [ -  -  -  -  -  -  -  -  -  -  9];
    OwordDualBlockWrite     DataCache0     [ -  -  -  - 10 10 10 10 10  -  -];
    DwordScatteredWrite     DataCache0     [ -  -  -  - 11 11 11 11 11 11 11];
    ByteScatteredWrite      DataCache0     [ -  -  -  - 12 12 12 12 12 12 12];
    UntypedWrite            DataCache0     [ -  -  -  - 13  -  -  -  -  -  -];
    QwordScatteredWrite     DataCache0     [ -  -  -  -  -  -  - 13 13 13 13];
    TransposeRead           DataCache1     [ -  -  -  -  -  -  0  0  0  -  -];
    UntypedRead             DataCache1     [ -  -  -  -  -  1  1  1  1  1  1];
    UntypedAtomic           DataCache1     [ -  -  -  -  -  2  2  2  2  2  2];
    UntypedAtomic4x2        DataCache1     [ -  -  -  -  -  3  3  3  3  -  -];
    UntypedAtomicWord       DataCache1     [ -  -  -  -  -  -  -  -  -  3  3];
    MediaBlockRead          DataCache1     [ -  -  -  -  -  4  4  4  4  4  4];
    TypedRead               DataCache1     [ -  -  -  -  -  5  5  5  5  5  5];
    TypedAtomic             DataCache1     [ -  -  -  -  -  6  6  6  6  6  6];
    TypedAtomic4x2          DataCache1     [ -  -  -  -  -  7  7  7  7  -  -];
    TypedAtomicWord         DataCache1     [ -  -  -  -  -  -  -  -  -  7  7];
    UntypedWrite            DataCache1     [ -  -  -  -  -  9  9  9  9  9  9];
    MediaBlockWrite         DataCache1     [ -  -  -  -  - 10 10 10 10 10 10];
    AtomicCounter           DataCache1     [ -  -  -  -  - 11 11 11 11 11 11];
    AtomicCounter4x2        DataCache1     [ -  -  -  -  - 12 12 12 12  -  -];
    AtomicCounterWord       DataCache1     [ -  -  -  -  -  -  -  -  - 12 12];
    TypedWrite              DataCache1     [ -  -  -  -  - 13 13 13 13 13 13];
    TypedReadStatus         DataCache1     [ -  -  -  -  -  -  -  -  - 14 14];
    A64ScatteredRead        DataCache1     [ -  -  -  -  -  - 16 16 16 16 16];
    A64UntypedRead          DataCache1     [ -  -  -  -  -  - 17 17 17 17 17];
    A64Atomic               DataCache1     [ -  -  -  -  -  - 18 18 18 18 18];
    A64Atomic4x2            DataCache1     [ -  -  -  -  -  - 19 19 19  -  -];
    A64AtomicWord           DataCache1     [ -  -  -  -  -  -  -  -  - 19 19];
    A64BlockRead            DataCache1     [ -  -  -  -  -  - 20 20 20 20 20];
    A64BlockWrite           DataCache1     [ -  -  -  -  -  - 21 21 21 21 21];
    UntypedAtomicFloat4x2   DataCache1     [ -  -  -  -  -  - 24  -  -  -  -];
    A64UntypedWrite         DataCache1     [ -  -  -  -  -  - 25 25 25 25 25];
    A64ScatteredWrite       DataCache1     [ -  -  -  -  -  - 26 26 26 26 26];
    UntypedAtomicFloat      DataCache1     [ -  -  -  -  -  -  - 27 27 27 27];
    UntypedAtomicFloat4x2   DataCache1     [ -  -  -  -  -  -  - 28 28  -  -];
    UntypedAtomicHalf       DataCache1     [ -  -  -  -  -  -  -  -  - 28 28];
    A64AtomicFloat          DataCache1     [ -  -  -  -  -  -  - 29 29 29 29];
    A64AtomicFloat4x2       DataCache1     [ -  -  -  -  -  -  - 30 30  -  -];
    A64AtomicHalf           DataCache1     [ -  -  -  -  -  -  -  -  - 30 30];
}

/// The shared function of a port. From gen9 the messages of the sampler cache are sent to the
/// constant cache; for other ports the two are the same.
pub(super) const fn shared_function(port: Sfid, generation: Gen) -> Sfid {
    match port {
        Sfid::DpSamplerCache if gen_index(generation) >= gen_index(Gen::Gen9) => {
            Sfid::ConstantCache
        }
        port => port,
    }
}

/// An index of the table: positions in [`ROWS`], or [`NONE`].
struct Index {
    /// The row of each generation, shared function and code.
    by_code: [[[u8; 32]; Sfid::ALL.len()]; Gen::ALL.len()],
    /// The last row of each generation and kind.
    by_kind: [[u8; Kind::TransposeRead as usize + 1]; Gen::ALL.len()],
}

static INDEX: Index = {
    let mut index = Index {
        by_code: [[[NONE; 32]; Sfid::ALL.len()]; Gen::ALL.len()],
        by_kind: [[NONE; Kind::TransposeRead as usize + 1]; Gen::ALL.len()],
    };
    assert!(ROWS.len() < NONE as usize, "a row's position is a byte");
    let mut at = 0;
    while at < ROWS.len() {
        let row = &ROWS[at];
        let mut column = 0;
        while column < Gen::ALL.len() {
            let code = row.codes[column];
            if code != NONE {
                let sfid = shared_function(row.port, Gen::ALL[column]);
                let slot = &mut index.by_code[column][sfid as usize][code as usize];
                assert!(*slot == NONE, "two message types share a code");
                *slot = at as u8;
                index.by_kind[column][row.kind as usize] = at as u8;
            }
            column += 1;
        }
        at += 1;
    }
    index
};

impl Kind {
    /// The kind and port of a message type code; `None` if the code is not assigned.
    pub(super) fn from_code(generation: Gen, sfid: Sfid, code: u32) -> Option<(Kind, Sfid)> {
        let rows = &INDEX.by_code[gen_index(generation)][sfid as usize];
        let row = ROWS.get(usize::from(*rows.get(code as usize)?))?;
        Some((row.kind, row.port))
    }

    /// The message type code of the kind at a port; `None` if the port does not have the kind.
    pub(super) fn code(self, generation: Gen, port: Sfid) -> Option<u32> {
        let column = gen_index(generation);
        let at_port = |row: &&Row| row.kind == self && row.port == port;
        let default = self.default_row(generation).filter(at_port);
        let row =
            default.or_else(|| ROWS.iter().filter(at_port).find(|r| r.codes[column] != NONE))?;
        Some(u32::from(row.codes[column]))
    }

    /// The port of the kind on a generation. If several have it, the last in the table: a data
    /// cache rather than other caches.
    pub(super) fn default_port(self, generation: Gen) -> Option<Sfid> {
        self.default_row(generation).map(|row| row.port)
    }

    /// The last row with the kind on a generation.
    fn default_row(self, generation: Gen) -> Option<&'static Row> {
        ROWS.get(usize::from(INDEX.by_kind[gen_index(generation)][self as usize]))
    }
}
