//! The difference between the old and the new text, made in the file: lines that the edit leaves alone stay as the file
//! has them.

mod delta;
mod fragment;
mod indent;
mod inline;
mod pairs;
mod whole;

pub(crate) use delta::{Hunk, delta};
pub(crate) use fragment::merge_fragment;
pub(crate) use indent::{Indents, Unit};
pub(crate) use inline::{Token, merge_line, same_tokens, tokens};
pub(crate) use pairs::pairs;
pub(crate) use whole::merge_lines;

use crate::text::Splice as Change;

/// What a merge gives.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Merged {
    pub(crate) changes: Vec<Change>,
    pub(crate) indented: bool,
    pub(crate) kept_unicode: bool,
}
