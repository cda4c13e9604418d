//! Overwriting a file where it is, for directories that let no other file take its name. Both contents are in a journal
//! before the first byte changes: whoever comes next finishes what was left half done.

use std::path::Path;

use rustix::fs::{Mode, fchmod, ftruncate};
use rustix::io::retry_on_intr;

use super::call::{Call, Trouble};
use super::journal::{Journal, OVERWRITE};
use super::lock::Target;
use super::place::Place;
use super::record::Overwrite;
use super::stage::{sync, write_at};
use super::whole::read_open;
use crate::relative::shown;
use crate::{Error, Metadata};

pub(crate) fn journal_name(meta: &Metadata) -> String {
    format!("{OVERWRITE}{}-{}", meta.dev, meta.ino)
}

/// Writes the journal; refuses where overwriting would change what has another name or is running.
pub(crate) fn prepare(
    call: &Call<'_>,
    place: &Place,
    given: &Path,
    target: &Target,
    old: &[u8],
    new: &[u8],
) -> Result<Journal, Trouble> {
    let refuse = |reason: String| Trouble::Error(Error::Unwritable { path: shown(given), reason });
    if target.meta.nlink > 1 {
        return Err(refuse(
            "its directory allows no replacing, and it has other names that would change with it".into(),
        ));
    }
    if !target.writable {
        return Err(refuse("its directory allows no replacing, and it is a program that runs".into()));
    }
    let record = Overwrite {
        root: call.root.path().to_path_buf(),
        path: place.path.clone(),
        old: old.to_vec(),
        new: new.to_vec(),
    };
    call.journals.write(&journal_name(&target.meta), &record.encode())?.map_err(|errno| {
        refuse(format!("its directory allows no replacing, and there is no directory for a journal: {errno}"))
    })
}

/// Overwrites the file; on failure the old content is put back. What cannot be put back stays in the journal.
pub(crate) fn overwrite(target: &Target, journal: Journal, old: &[u8], new: &[u8]) -> Result<(), Trouble> {
    let failure = match put(target, new) {
        Ok(()) => {
            // Writing takes the setuid bits of a file away.
            let _ = fchmod(&target.file, Mode::from_raw_mode(target.meta.mode));
            journal.finish();
            return Ok(());
        }
        Err(failure) => failure,
    };
    match put(target, old) {
        Ok(()) => journal.finish(),
        Err(_) => journal.keep(),
    }
    Err(failure)
}

/// What lies beyond the old end is written first: if there is no room for it, not one old byte has changed yet.
fn put(target: &Target, new: &[u8]) -> Result<(), Trouble> {
    let size = Metadata::of(&target.file)?.size;
    let end = usize::try_from(size).unwrap_or(usize::MAX).min(new.len());
    if let Err(failure) = write_at(&target.file, &new[end..], end as u64, || Ok(())) {
        retry_on_intr(|| ftruncate(&target.file, size))?;
        return Err(failure);
    }
    write_at(&target.file, &new[..end], 0, || Ok(()))?;
    retry_on_intr(|| ftruncate(&target.file, new.len() as u64))?;
    sync(&target.file)?;
    Ok(())
}

/// What became of a file that a journal tells of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Healed {
    /// It held one of the two contents.
    Whole,
    /// It was half written and has the new content now.
    Completed,
    /// It was half written and has the old content again.
    Restored,
    /// It holds something else: someone has written it since.
    Changed,
}

/// Looks for a journal of the locked file and finishes what it tells of.
pub(crate) fn heal(call: &Call<'_>, given: &Path, target: &Target) -> Result<Option<Healed>, Error> {
    let Some((journal, bytes)) = call.journals.find(&journal_name(&target.meta)) else { return Ok(None) };
    let Some(record) = Overwrite::decode(&bytes) else {
        journal.finish();
        return Ok(None);
    };
    settle(call, given, target, journal, &record, false).map(Some)
}

/// Finishes an overwriting. With `forward` a file that still has its old content gets the new one, too.
pub(crate) fn settle(
    call: &Call<'_>,
    given: &Path,
    target: &Target,
    journal: Journal,
    record: &Overwrite,
    forward: bool,
) -> Result<Healed, Error> {
    let now = if target.meta.size > record.old.len().max(record.new.len()) as u64 {
        None
    } else {
        Some(read_open(&target.file, given, u64::MAX, call.ctx)?.bytes)
    };
    let healed = match now {
        Some(now) if now == record.new || (now == record.old && !forward) => Healed::Whole,
        Some(now) if is_torn(&now, &record.old, &record.new) => {
            if put(target, &record.new).is_ok() {
                Healed::Completed
            } else {
                put(target, &record.old).map_err(|trouble| call.explain(given, trouble))?;
                Healed::Restored
            }
        }
        _ => Healed::Changed,
    };
    journal.finish();
    Ok(healed)
}

/// Whether the bytes can be what an overwriting left half done: each is that of the old content or of the new one. Any
/// other edit moves or changes a byte to something else, and is left alone.
fn is_torn(now: &[u8], old: &[u8], new: &[u8]) -> bool {
    let lengths = old.len().min(new.len())..=old.len().max(new.len());
    let byte = |at: usize, byte: u8| {
        let grown = at >= old.len() && byte == 0;
        old.get(at) == Some(&byte) || new.get(at) == Some(&byte) || grown
    };
    lengths.contains(&now.len()) && now.iter().enumerate().all(|(at, &b)| byte(at, b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn torn_contents_are_told_from_edits() {
        for (now, old, new, torn) in [
            ("NEWold", "oldold", "NEWNEW", true),
            ("oldold", "oldold", "NEWNEW", true),
            ("oldoldNEW", "oldold", "NEWNEWNEW", true),
            ("oldoldN", "oldold", "NEWNEWNEW", true),
            ("oldold\0\0", "oldold", "NEWNEWNEW", true),
            ("NEWold", "oldold", "NEW", true),
            ("NE", "oldold", "NEW", false),
            ("oldoldNEWx", "oldold", "NEWNEWNEW", false),
            ("odlold", "oldold", "NEWNEW", false),
            ("\0ldold", "oldold", "NEWNEW", false),
        ] {
            assert_eq!(is_torn(now.as_bytes(), old.as_bytes(), new.as_bytes()), torn, "{now}");
        }
    }
}
