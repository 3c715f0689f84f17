//! The instruction set of Intel EUs: tables, codec, text, validation, semantics.
