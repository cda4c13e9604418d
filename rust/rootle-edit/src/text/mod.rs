//! The file as text, and texts as lines.

mod block;
mod document;
mod fold;
mod keys;
mod quotes;
mod splice;
mod sums;
mod table;

pub(crate) use block::{Block, is_blank, leading, trim_space};
pub(crate) use document::Document;
pub(crate) use fold::fold;
pub(crate) use keys::{is_word, line_tier, loose, loose_hash};
pub(crate) use quotes::quotes_alike;
pub(crate) use splice::Splice;
pub(crate) use table::{Key, Table};
