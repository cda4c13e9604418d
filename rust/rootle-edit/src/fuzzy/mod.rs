//! Approximate matches: candidates by voting, an alignment of each, and the one that stands out, if any does.

mod align;
mod candidates;
mod choose;
mod definition;
mod evidence;
mod heads;
mod likeness;
mod material;
mod position;
mod safety;
mod wanted;

pub(crate) use align::Alignment;
pub(crate) use choose::{Choice, MIN_SCORE, choose, rank};
pub(crate) use likeness::{Likeness, is_equal};

pub(crate) use material::is_comment_tail;
pub(crate) use safety::{Doubt, check};
