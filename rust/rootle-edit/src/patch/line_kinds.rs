//! The line-by-line difference of a block's old and new text.

use imara_diff::{Algorithm, Diff, InternedInput};

use super::build::HunkBuilder;
use super::error::Result;
use super::model::LineKind;

/// Adds to `hunk` what leads from `old` to `new`, with the lines that both have as context.
pub(super) fn push_difference(hunk: &mut HunkBuilder, old: &[&str], new: &[&str], at: usize) -> Result<()> {
    let mut input = InternedInput::default();
    input.update_before(old.iter().copied());
    input.update_after(new.iter().copied());
    let diff = Diff::compute(Algorithm::Histogram, &input);
    let mut done = 0;
    for change in diff.hunks() {
        for line in &old[done..change.before.start as usize] {
            hunk.push(LineKind::Context, line, at)?;
        }
        for line in &old[change.before.start as usize..change.before.end as usize] {
            hunk.push(LineKind::Removed, line, at)?;
        }
        for line in &new[change.after.start as usize..change.after.end as usize] {
            hunk.push(LineKind::Added, line, at)?;
        }
        done = change.before.end as usize;
    }
    for line in &old[done..] {
        hunk.push(LineKind::Context, line, at)?;
    }
    Ok(())
}
