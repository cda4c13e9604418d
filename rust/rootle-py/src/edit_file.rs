//! Edits and whole writings of one file, from reading it to having it on disk, with its lock held.

use std::path::{Path, PathBuf};

use pyo3::prelude::*;
use rootle_base::{
    Context, Encoding, Error, Expect, Modified, Result, Root as CoreRoot, WholeFile, WriteOptions, Written,
    modify_file, read_whole, sniff, write_file,
};
use rootle_edit::{Changes, Edit, Options, Refusal, plan_edits, rewrite};

use crate::call::{CancelToken, Limits, run};
use crate::convert::PathArg;
use crate::edit::{EditArg, EditLimits};
use crate::errors::to_py;
use crate::file_edit::{FileEdit, Told};
use crate::refusal::refused;
use crate::root::Root;

/// How often a file that comes and goes meanwhile is tried.
const ATTEMPTS: u32 = 16;

/// Content hash as Python gives it.
pub fn expectation(hash: Option<&[u8]>) -> Result<Expect> {
    match hash {
        None => Ok(Expect::Anything),
        Some(bytes) => bytes.try_into().map(Expect::Hash).map_err(|_| Error::InvalidArgument {
            name: "expected_hash",
            reason: format!("a content hash has 32 bytes, not {}", bytes.len()),
        }),
    }
}

/// A file before and after, as Rust has it; or why the engine refused.
type Outcome<T> = std::result::Result<T, Refusal>;

struct Done {
    path: PathBuf,
    before: Option<Side>,
    /// None if nothing changes.
    after: Option<(Vec<u8>, [u8; 32])>,
    encoding: Encoding,
    outcomes: Vec<rootle_edit::Outcome>,
    written: Option<Written>,
}

struct Side {
    bytes: Vec<u8>,
    hash: [u8; 32],
    mode: u32,
}

/// Replaces pieces of one file.
#[pyfunction]
#[pyo3(signature = (*, root, path, edits, expected_hash, encoding, exact_only, allow_placeholders, dry_run, allow_git_internals, budget, max_bytes, timeout_s, cancel))]
#[expect(clippy::too_many_arguments, reason = "one keyword an option")]
pub fn edit_file(
    py: Python<'_>,
    root: &Bound<'_, Root>,
    path: PathArg,
    edits: Vec<EditArg>,
    expected_hash: Option<&[u8]>,
    encoding: Option<&str>,
    exact_only: bool,
    allow_placeholders: bool,
    dry_run: bool,
    allow_git_internals: bool,
    budget: u64,
    max_bytes: u64,
    timeout_s: Option<f64>,
    cancel: Option<&Bound<'_, CancelToken>>,
) -> PyResult<FileEdit> {
    let root = &root.get().inner;
    let edits: Vec<Edit> = edits.into_iter().map(EditArg::into_edit).collect();
    let expect = expectation(expected_hash).map_err(|error| to_py(py, error))?;
    let limits = EditLimits { encoding, exact_only, allow_placeholders, budget, max_bytes };
    let options = limits.options().map_err(|error| to_py(py, error))?;
    let given = path.0.clone();
    let done = run(py, Limits::new(timeout_s, cancel), |context| {
        root.apart_until_committed(context, &path.0, move |root, context| {
            if dry_run {
                return tried(root, &given, context, &edits, &options, max_bytes);
            }
            let writing = WriteOptions { expect, allow_git_internals, max_bytes, ..WriteOptions::default() };
            change(root, &given, &writing, context, &edits, &options)
        })
    })?;
    give(py, done, &path)
}

fn tried(
    root: &CoreRoot,
    path: &Path,
    context: &Context,
    edits: &[Edit],
    options: &Options,
    max_bytes: u64,
) -> Result<Outcome<Done>> {
    let whole = read_whole(root, path, max_bytes, context)?;
    Ok(plan_edits(&whole.bytes, edits, options).map(|changes| {
        let new = changed(&changes, &whole);
        finish(root, path, whole, new, (changes.encoding, changes.outcomes))
    }))
}

fn change(
    root: &CoreRoot,
    path: &Path,
    writing: &WriteOptions,
    context: &Context,
    edits: &[Edit],
    options: &Options,
) -> Result<Outcome<Done>> {
    let (modified, outcome) = modify_file(root, path, writing, context, |whole| {
        Ok(match plan_edits(&whole.bytes, edits, options) {
            Ok(changes) => (changed(&changes, whole), Ok((whole.hash, changes.encoding, changes.outcomes))),
            Err(refusal) => (None, Err(refusal)),
        })
    })?;
    Ok(outcome.map(|(hash, encoding, outcomes)| done(root, path, modified, hash, (encoding, outcomes))))
}

/// The new content, if it is one.
fn changed(changes: &Changes, whole: &WholeFile) -> Option<Vec<u8>> {
    if changes.replaced.is_empty() {
        return None;
    }
    let mut new = vec![0; changes.len_of(whole.bytes.len())];
    changes.write(&whole.bytes, &mut new);
    (new != whole.bytes).then_some(new)
}

/// What is known once the file was written, or left. `hash` is that of its content before.
fn done(
    root: &CoreRoot,
    path: &Path,
    modified: Modified,
    hash: [u8; 32],
    (encoding, outcomes): (Encoding, Vec<rootle_edit::Outcome>),
) -> Done {
    match modified {
        Modified::Left(whole) => finish(root, path, whole, None, (encoding, outcomes)),
        Modified::Written(mut written, new) => {
            let side = |bytes| Side { bytes, hash, mode: written.before_mode.unwrap_or(written.meta.mode) };
            Done {
                path: written.path.clone(),
                before: written.before.take().map(side),
                after: Some((new, written.hash.unwrap_or_default())),
                encoding,
                outcomes,
                written: Some(written),
            }
        }
    }
}

fn finish(
    root: &CoreRoot,
    path: &Path,
    whole: WholeFile,
    new: Option<Vec<u8>>,
    (encoding, outcomes): (Encoding, Vec<rootle_edit::Outcome>),
) -> Done {
    Done {
        path: root.real_path(path).or_else(|_| root.relative(path)).unwrap_or_else(|_| path.to_owned()),
        before: Some(Side { bytes: whole.bytes, hash: whole.hash, mode: whole.meta.mode }),
        after: new.map(|new| {
            let hash = blake3::hash(&new).into();
            (new, hash)
        }),
        encoding,
        outcomes,
        written: None,
    }
}

/// What a file is given: text, in the form of the file it replaces, or bytes as they are.
#[derive(FromPyObject)]
pub enum Content {
    Text(String),
    Bytes(Vec<u8>),
}

/// Gives one file its whole content.
#[pyfunction]
#[pyo3(signature = (*, root, path, content, create_only, expected_hash, make_parents, keep_form, allow_git_internals, max_bytes, timeout_s, cancel))]
#[expect(clippy::too_many_arguments, reason = "one keyword an option")]
pub fn write_content(
    py: Python<'_>,
    root: &Bound<'_, Root>,
    path: PathArg,
    content: Content,
    create_only: bool,
    expected_hash: Option<&[u8]>,
    make_parents: bool,
    keep_form: bool,
    allow_git_internals: bool,
    max_bytes: u64,
    timeout_s: Option<f64>,
    cancel: Option<&Bound<'_, CancelToken>>,
) -> PyResult<FileEdit> {
    let root = &root.get().inner;
    let expect = expectation(expected_hash).map_err(|error| to_py(py, error))?;
    let given = path.0.clone();
    let writing = WriteOptions { expect, make_parents, allow_git_internals, max_bytes, ..WriteOptions::default() };
    let done = run(py, Limits::new(timeout_s, cancel), |context| {
        root.apart_until_committed(context, &path.0, move |root, context| {
            for _ in 0..ATTEMPTS {
                let exists = !create_only && (expect != Expect::Anything || root.stat_if_exists(&given)?.is_some());
                let attempt = if exists {
                    overwrite(root, &given, &writing, context, &content, keep_form)
                } else {
                    create(root, &given, &writing, context, &content)
                };
                match attempt {
                    // It came or went between the look and the writing.
                    Err(Error::AlreadyExists { .. }) if !create_only => {}
                    Err(Error::PathNotFound { .. }) if exists && expect == Expect::Anything => {}
                    other => return other,
                }
            }
            Err(Error::StaleFile { path: given.to_string_lossy().into_owned(), expected: None, current: None })
        })
    })?;
    give(py, done, &path)
}

fn overwrite(
    root: &CoreRoot,
    path: &Path,
    writing: &WriteOptions,
    context: &Context,
    content: &Content,
    keep_form: bool,
) -> Result<Outcome<Done>> {
    let (modified, outcome) = modify_file(root, path, writing, context, |whole| {
        let new = match content {
            Content::Bytes(bytes) => Ok((bytes.clone(), found_encoding(bytes))),
            Content::Text(text) if !keep_form => Ok((text.clone().into_bytes(), Encoding::Utf8)),
            Content::Text(text) => rewrite(&whole.bytes, text).map(|rewritten| (rewritten.bytes, rewritten.encoding)),
        };
        Ok(match new {
            Ok((new, encoding)) => ((new != whole.bytes).then_some(new), Ok((whole.hash, encoding))),
            Err(refusal) => (None, Err(refusal)),
        })
    })?;
    Ok(outcome.map(|(hash, encoding)| done(root, path, modified, hash, (encoding, Vec::new()))))
}

fn create(
    root: &CoreRoot,
    path: &Path,
    writing: &WriteOptions,
    context: &Context,
    content: &Content,
) -> Result<Outcome<Done>> {
    let new = match content {
        Content::Bytes(bytes) => bytes.clone(),
        Content::Text(text) => text.clone().into_bytes(),
    };
    let writing = WriteOptions { expect: Expect::Absent, ..writing.clone() };
    let written = write_file(root, path, &new, &writing, context)?;
    let encoding = found_encoding(&new);
    Ok(Ok(Done {
        path: written.path.clone(),
        before: None,
        after: Some((new, written.hash.unwrap_or_default())),
        encoding,
        outcomes: Vec::new(),
        written: Some(written),
    }))
}

fn found_encoding(content: &[u8]) -> Encoding {
    sniff(content, true, true).encoding
}

fn give(py: Python<'_>, done: Outcome<Done>, path: &PathArg) -> PyResult<FileEdit> {
    match done {
        Ok(done) => {
            let before = done.before.as_ref().map(|side| (&side.bytes[..], &side.hash));
            let after = done.after.as_ref().map(|(bytes, hash)| (&bytes[..], hash));
            Told {
                path: &done.path,
                before,
                mode: done.before.as_ref().map(|side| side.mode),
                after,
                encoding: done.encoding,
                outcomes: &done.outcomes,
                written: done.written.as_ref(),
            }
            .record(py)
        }
        Err(refusal) => Err(refused(py, &refusal, Some(&path.0.to_string_lossy()))),
    }
}
