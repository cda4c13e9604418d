//! Globs as callers write them.

mod braces;
mod pattern;
mod set;

pub(crate) use braces::expand_braces;
pub(crate) use pattern::{Place, hidden_names, literal_brackets, places};
pub(crate) use set::Globs;
