//! What was left half done by a process that died.

use std::path::{Path, PathBuf};

use super::call::Call;
use super::forward::finish_commit;
use super::in_place::{self, Healed};
use super::journal::{COMMIT, OVERWRITE};
use super::lock::Target;
use super::options::{Notice, WriteOptions};
use super::place::Place;
use super::record::Overwrite;
use crate::{Context, Error, Result, Root};

/// A file that a dead process had begun to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recovered {
    /// Its path relative to the root.
    pub path: PathBuf,
    /// `completed`: it has the new content now. `restored`: it has the old content again. `changed`: someone has
    /// written it since, so it was left alone.
    pub action: &'static str,
}

impl Recovered {
    pub(crate) fn notice(&self) -> Notice {
        let path = self.path.to_string_lossy();
        let text = match self.action {
            "completed" => format!("a writing of {path:?} that was cut off is completed"),
            "restored" => format!("a writing of {path:?} that was cut off is taken back"),
            _ => format!("a writing of {path:?} was cut off; the file has changed since and is left alone"),
        };
        Notice::new("recovered", text)
    }
}

/// Finishes what processes that died left half done beneath the root: files overwritten in place, and commits. Writing
/// calls do so by themselves for commits, and for the files that they touch.
///
/// # Errors
/// What ends a call. A file that cannot be recovered now stays in its journal.
pub fn recover(root: &Root, options: &WriteOptions, ctx: &Context) -> Result<Vec<Recovered>> {
    let options = thorough(options);
    let call = Call::new(root, &options, ctx);
    let mut recovered = commits(&call)?;
    for journal in call.journals.list(OVERWRITE) {
        call.check()?;
        let Some(bytes) = journal.read() else { continue };
        let Some(record) = Overwrite::decode(&bytes) else {
            journal.finish();
            continue;
        };
        if record.root != root.path() {
            continue;
        }
        let Some((_, target)) = locked(&call, &record.path)? else { continue };
        // Whoever held the lock may have finished.
        if journal.read().as_deref() != Some(&bytes) {
            continue;
        }
        match in_place::settle(&call, &record.path, &target, journal, &record, false) {
            Ok(healed) => recovered.extend(outcome(healed, &record.path)),
            Err(error) if ends(&error) => return Err(error),
            Err(_) => {}
        }
    }
    Ok(recovered)
}

/// Finishes commits of this root whose process died; called by every writing call. What it cannot do now is left to the
/// next one.
pub(crate) fn finish_commits(call: &Call<'_>) -> Vec<Notice> {
    let options = thorough(call.options);
    let call = Call::new(call.root, &options, call.ctx);
    commits(&call).unwrap_or_default().iter().map(Recovered::notice).collect()
}

/// What was begun is finished, whatever the present call may not begin.
fn thorough(options: &WriteOptions) -> WriteOptions {
    WriteOptions { allow_git_internals: true, max_bytes: u64::MAX, ..options.clone() }
}

fn commits(call: &Call<'_>) -> Result<Vec<Recovered>> {
    let mut recovered = Vec::new();
    for journal in call.journals.list(COMMIT) {
        call.check()?;
        recovered.extend(finish_commit(call, journal)?);
    }
    Ok(recovered)
}

/// The file of a journal, open and locked; `None` if it is not there, or not to be written.
pub(crate) fn locked(call: &Call<'_>, path: &Path) -> Result<Option<(Place, Target)>> {
    let Ok(place) = Place::find(call, path, false) else { return Ok(None) };
    let Ok(Some(mut target)) = Target::open(call, &place, path) else { return Ok(None) };
    match target.lock(call, &place) {
        Ok(true) => Ok(Some((place, target))),
        Ok(false) => Ok(None),
        Err(trouble) => match call.explain(path, trouble) {
            error if ends(&error) => Err(error),
            _ => Ok(None),
        },
    }
}

/// Whether the error is the end of the call rather than of one file.
fn ends(error: &Error) -> bool {
    matches!(error, Error::DeadlineExceeded { .. } | Error::Cancelled | Error::Interrupted)
}

pub(crate) fn outcome(healed: Healed, path: &Path) -> Option<Recovered> {
    let action = match healed {
        Healed::Whole => return None,
        Healed::Completed => "completed",
        Healed::Restored => "restored",
        Healed::Changed => "changed",
    };
    Some(Recovered { path: path.to_path_buf(), action })
}

/// What a caller who touched the file is told.
pub(crate) fn told(healed: Healed, path: &Path) -> Option<Notice> {
    outcome(healed, path).map(|recovered| recovered.notice())
}
