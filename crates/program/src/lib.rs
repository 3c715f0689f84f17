//! A compiled program: code, versioned metadata and statistics.
