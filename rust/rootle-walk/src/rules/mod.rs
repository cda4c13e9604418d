//! Ignore rules: what each ignore file says, and which of them counts.

mod chain;
mod file;
mod load;
mod need;
mod table;

pub(crate) use chain::Chain;
pub(crate) use file::{RuleFile, Verdict};
pub(crate) use load::{Loader, Seen};
pub(crate) use table::Probe;
