//! What a diff does to each of its files, and the changes that write it.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use rootle_base::{Change, Context, Expect, Result, Root, WriteOptions, check_writable_path, read_whole};
use rootle_edit::{FileOutcome, FilePatch, FileStatus, Op, Options, PatchError, PatchOptions, apply_file, parse_patch};

/// Where the files of a diff are.
pub enum Reader<'a> {
    /// Beneath a root.
    Root { root: &'a Root, context: &'a Context, options: &'a WriteOptions },
    /// In memory.
    Memory(&'a HashMap<String, Vec<u8>>),
}

/// One file of a diff.
pub struct Planned {
    pub patch: FilePatch,
    /// The file that is meant, of the readings of its name.
    pub path: String,
    pub before: Option<Vec<u8>>,
    pub outcome: FileOutcome,
    /// What is to be written; none if nothing is, or if nothing of the diff may be.
    pub change: Option<Change>,
}

struct Found {
    bytes: Vec<u8>,
    mode: u32,
}

/// Reads the diff and applies it to the files in memory. If something does not fit, no file has a change, unless
/// `allow_partial`.
pub fn plan(
    diff: &str,
    patch_options: &PatchOptions,
    reader: &Reader<'_>,
    options: &Options,
    allow_partial: bool,
) -> Result<std::result::Result<(&'static str, Vec<Planned>), PatchError>> {
    let patch = match parse_patch(diff, patch_options) {
        Ok(patch) => patch,
        Err(error) => return Ok(Err(error)),
    };
    let mut planned = Vec::with_capacity(patch.files.len());
    let leaving: HashSet<String> = patch
        .files
        .iter()
        .filter(|file| matches!(file.op, Op::Rename | Op::Delete))
        .map(|file| file.path.clone())
        .collect();
    for mut file in patch.files {
        // A new file may come where another one leaves.
        let made_anew = file.op == Op::Add && leaving.contains(&file.path);
        let (mut path, mut found) = if made_anew { (file.path.clone(), None) } else { reader.find(&file)? };
        // A rename whose source is gone may have been made before: its hunks are then looked for at the target.
        if let (Op::Rename, None, Some(moved)) = (file.op, &found, file.at_target())
            && let Some(there) = reader.look(&moved.path)?
        {
            (path, found, file) = (moved.path.clone(), Some(there), moved);
        }
        // A path that leads out, or to git's own files, refuses the whole diff before anything is worked out.
        reader.check(&path)?;
        if let Some(new_path) = &file.new_path {
            reader.check(new_path)?;
        }
        let outcome = apply_file(found.as_ref().map(|found| found.bytes.as_slice()), &file, options, allow_partial);
        let change = change(&file, &path, found.as_ref(), &outcome);
        planned.push(Planned { path, before: found.map(|found| found.bytes), outcome, change, patch: file });
    }
    if !allow_partial && planned.iter().any(|file| !file.outcome.conflicts.is_empty()) {
        planned.iter_mut().for_each(|file| file.change = None);
    }
    Ok(Ok((patch.dialect.as_str(), planned)))
}

impl Reader<'_> {
    /// Reads the file that a section means: the first of its readings that exists.
    fn find(&self, file: &FilePatch) -> Result<(String, Option<Found>)> {
        if let Some(found) = self.look(&file.path)? {
            return Ok((file.path.clone(), Some(found)));
        }
        if file.op != Op::Add {
            for other in &file.other_paths {
                if let Some(found) = self.look(other)? {
                    return Ok((other.clone(), Some(found)));
                }
            }
        }
        Ok((file.path.clone(), None))
    }

    fn check(&self, path: &str) -> Result<()> {
        match self {
            Self::Memory(_) => Ok(()),
            Self::Root { root, context, options } => check_writable_path(root, Path::new(path), options, context),
        }
    }

    fn look(&self, path: &str) -> Result<Option<Found>> {
        match self {
            Self::Memory(files) => Ok(files.get(path).map(|bytes| Found { bytes: bytes.clone(), mode: 0o644 })),
            Self::Root { root, context, options } => {
                if root.stat_if_exists(Path::new(path))?.is_none() {
                    return Ok(None);
                }
                let whole = read_whole(root, Path::new(path), options.max_bytes, context)?;
                Ok(Some(Found { bytes: whole.bytes, mode: whole.meta.mode }))
            }
        }
    }
}

fn change(file: &FilePatch, path: &str, found: Option<&Found>, outcome: &FileOutcome) -> Option<Change> {
    let expect = match found {
        Some(found) => Expect::Hash(blake3::hash(&found.bytes).into()),
        None => Expect::Absent,
    };
    let fits = outcome.conflicts.is_empty();
    let path = PathBuf::from(path);
    match (file.op, &outcome.bytes) {
        (Op::Delete, None) => found.map(|_| Change::Remove { path, expect }),
        (Op::Update | Op::Add | Op::Delete, Some(content)) => {
            let mode = mode(file.new_mode, found.map(|found| found.mode)).filter(|_| fits);
            let same = found.is_some_and(|found| found.bytes == *content);
            (!same || mode.is_some()).then(|| Change::Write { path, content: content.clone(), expect, mode })
        }
        (Op::Rename, Some(content)) if fits && outcome.status == FileStatus::Applied => {
            let same = found.is_some_and(|found| found.bytes == *content);
            let to = PathBuf::from(file.new_path.as_deref()?);
            Some(Change::Rename { from: path, to, content: (!same).then(|| content.clone()), expect })
        }
        (Op::Copy, Some(content)) if fits && outcome.status == FileStatus::Applied => {
            let path = PathBuf::from(file.new_path.as_deref()?);
            let mode = mode(file.new_mode.or(found.map(|found| found.mode)), None);
            Some(Change::Write { path, content: content.clone(), expect: Expect::Absent, mode })
        }
        _ => None,
    }
}

/// The permission bits that git's mode asks for: git knows executable or not. None if they are so already.
fn mode(wanted: Option<u32>, current: Option<u32>) -> Option<u32> {
    let executable = wanted? & 0o111 != 0;
    match current {
        // Who may read may execute.
        Some(current) if executable => Some(current | (current & 0o444) >> 2),
        Some(current) => Some(current & !0o111),
        None => Some(if executable { 0o777 } else { 0o666 }),
    }
    .filter(|mode| Some(*mode) != current)
}
