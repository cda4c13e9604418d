//! The helper's share of the processor.

use rustix::process::{getpriority_process, setpriority_process};

/// What the command had, if the helper's own was raised.
pub type Nice = Option<i32>;

/// Takes the best share that can be had, so that the helper has its turn when a command started thousands of processes. Only
/// the privileged may; others stay as they are.
pub fn raise() -> Nice {
    let before = getpriority_process(None).ok()?;
    setpriority_process(None, -20).ok()?;
    Some(before)
}

/// Goes back, for the command.
pub fn restore(nice: Nice) {
    if let Some(before) = nice {
        let _ = setpriority_process(None, before);
    }
}
