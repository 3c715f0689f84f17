//! Outside judges: lavapipe, iga64, gen4asm, ocloc and the oracle pack.
