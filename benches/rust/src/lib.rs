//! Benchmarks of the core crates.
