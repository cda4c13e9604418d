//! Slices of lines as their readers see them.

mod case;
mod laws;
mod limits;
mod slices;
