//! What runs in the host's process.

mod capture;
mod collect;
mod command;
mod descriptors;
mod guardian;
mod identity;
mod link;
mod run;
mod spill;
mod sweep;

pub use capture::{Captured, HeadTail};
pub use command::{Command, Ended, Outcome, Stdin, Streams};
pub use run::run;
pub use spill::{Spill, Spilled};
