//! Runner of the data tests under tests/.
