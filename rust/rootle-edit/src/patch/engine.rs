//! Hunks whose old lines are not in the file exactly: left to the engine that makes single edits.

use super::place::offset;
use crate::resolve::{Resolved, Scene, resolve};
use crate::{Edit, Options, Reason, Refusal};

/// Bytes of the file that the engine may go over for all hunks together.
const BYTES: usize = 32 * 1024 * 1024;
/// Hunks that get the full budget of an edit; the ones after them get a part.
const FULL: usize = 64;
/// What part.
const PART: u64 = 16;
/// Hunks that the engine takes at most.
const MAX_CALLS: usize = 2_000;
/// Hunks that it takes however large the file is.
const MIN_CALLS: usize = 1;

/// The engine on one file.
pub(super) struct Engine<'a> {
    full: Scene<'a>,
    part: Scene<'a>,
    calls: usize,
}

/// A file's options with a smaller budget, for [`Engine::new`].
pub(super) fn part_of(options: &Options) -> Options {
    Options { budget: options.budget / PART, ..*options }
}

impl<'a> Engine<'a> {
    pub(super) fn new(full: Scene<'a>, part: Scene<'a>) -> Self {
        Self { full, part, calls: 0 }
    }

    pub(super) fn scene(&self) -> &Scene<'a> {
        &self.full
    }

    /// Makes the edit. Its hint and scope count only where it has several places, and the hint only if one of them is on
    /// that very line.
    pub(super) fn edit(&mut self, edit: &Edit, expected: Option<usize>) -> Result<Resolved, Refusal> {
        let plain = Edit { near_line: None, scope: Vec::new(), ..edit.clone() };
        let refusal = match self.attempt(&plain) {
            Err(refusal) if refusal.reason == Reason::Ambiguous => refusal,
            result => return result,
        };
        let on_line = |line: &usize| refusal.candidates.iter().any(|place| offset(place.lines.first, *line) == 0);
        if let Some(line) = expected.filter(on_line) {
            return self.attempt(&Edit { near_line: Some(line as u64 + 1), ..plain });
        }
        if !edit.scope.is_empty()
            && let Ok(done) = self.attempt(&Edit { scope: edit.scope.clone(), ..plain })
        {
            return Ok(done);
        }
        Err(refusal)
    }

    fn attempt(&mut self, edit: &Edit) -> Result<Resolved, Refusal> {
        let spent = self.calls.saturating_mul(self.full.text().len());
        if self.calls >= MAX_CALLS || self.calls >= MIN_CALLS && spent > BYTES {
            return Err(budget());
        }
        self.calls += 1;
        resolve(if self.calls <= FULL { &self.full } else { &self.part }, edit)
    }
}

pub(super) fn budget() -> Refusal {
    Refusal::new(Reason::Budget, "the search for this hunk took more work than allowed; send fewer hunks at once")
}
