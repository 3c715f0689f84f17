//! What the processor of the host can do. Common operations are compiled twice: for every host of the target, and for hosts
//! with vectors of 256 bits and an instruction that rounds a sum with a product once. Both give the same bits.

#[cfg(target_arch = "x86_64")]
use fearless_simd::{Level, Simd, x86::Avx2};

/// The vector instructions of the host that common operations use.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Host {
    /// The proof that the host has AVX2 and FMA.
    #[cfg(target_arch = "x86_64")]
    avx2: Option<Avx2>,
}

/// Vectors of 256 bits.
#[cfg(target_arch = "x86_64")]
pub(crate) type Vectors = Avx2;

/// Vectors of 256 bits. No host of this architecture uses them.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) type Vectors = fearless_simd::Fallback;

#[cfg(target_arch = "x86_64")]
impl Host {
    /// The host on which this process runs.
    pub(crate) fn new() -> Host {
        Host { avx2: Level::new().as_avx2() }
    }

    /// A host whose special instructions are not used.
    #[cfg(test)]
    pub(crate) fn plain() -> Host {
        Host { avx2: None }
    }

    /// Whether [`run`](Self::run) calls the first one of its functions.
    #[inline(always)]
    pub(crate) fn is_wide(self) -> bool {
        self.avx2.is_some()
    }

    /// The vector instructions, if the host has them.
    #[inline(always)]
    pub(crate) fn vectors(self) -> Option<Vectors> {
        self.avx2
    }

    /// Calls `wide`, compiled for the host's vector instructions, or `plain` if the host has none. Only those functions that
    /// are inlined into `wide` are compiled so.
    #[inline(always)]
    pub(crate) fn run<S, R>(
        self,
        wide: impl FnOnce(S) -> R,
        state: S,
        plain: impl FnOnce(S) -> R,
    ) -> R {
        match self.avx2 {
            Some(avx2) => avx2.vectorize(
                #[inline(always)]
                || wide(state),
            ),
            None => plain(state),
        }
    }
}

#[cfg(not(target_arch = "x86_64"))]
impl Host {
    /// The host on which this process runs.
    pub(crate) fn new() -> Host {
        Host {}
    }

    /// A host whose special instructions are not used.
    #[cfg(test)]
    pub(crate) fn plain() -> Host {
        Host {}
    }

    /// The vector instructions: none.
    pub(crate) fn vectors(self) -> Option<Vectors> {
        None
    }

    /// Whether [`run`](Self::run) calls the first one of its functions.
    pub(crate) fn is_wide(self) -> bool {
        false
    }

    /// Calls `plain`.
    #[inline(always)]
    pub(crate) fn run<S, R>(
        self,
        _: impl FnOnce(S) -> R,
        state: S,
        plain: impl FnOnce(S) -> R,
    ) -> R {
        plain(state)
    }
}
