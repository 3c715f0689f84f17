//! An emulator that runs EU machine code from its metadata.
