//! Edits and whole writings of one file, from reading it to having it on disk, with its lock held.

use std::path::PathBuf;

use pyo3::prelude::*;
use rootle_base::{
    Context, Encoding, Error, Expect, Result, Root as CoreRoot, WholeFile, WriteOptions, Written, modify_file,
    read_whole, sniff, write_file,
};
use rootle_edit::{Applied, Edit, Options, Refusal, apply_edits, rewrite};

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
    before: Option<WholeFile>,
    after: Vec<u8>,
    encoding: Encoding,
    outcomes: Vec<rootle_edit::Outcome>,
    written: Option<Written>,
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
    let done = run(py, Limits::new(timeout_s, cancel), |context| {
        let options = limits.options()?;
        if dry_run {
            let whole = read_whole(root, &path.0, max_bytes, context)?;
            let applied = apply_edits(&whole.bytes, &edits, &options);
            return Ok(applied.and_then(|applied| finish(root, &path.0, whole, applied, None)));
        }
        let writing = WriteOptions { expect, allow_git_internals, max_bytes, ..WriteOptions::default() };
        change(root, &path.0, &writing, context, &edits, &options)
    })?;
    give(py, done, &path)
}

fn change(
    root: &CoreRoot,
    path: &std::path::Path,
    writing: &WriteOptions,
    context: &Context,
    edits: &[Edit],
    options: &Options,
) -> Result<Outcome<Done>> {
    let (written, outcome) = modify_file(root, path, writing, context, |whole| {
        Ok(match apply_edits(&whole.bytes, edits, options) {
            Ok(applied) => {
                let new = (applied.bytes != whole.bytes).then(|| applied.bytes.clone());
                (new, Ok((whole.clone(), applied)))
            }
            Err(refusal) => (None, Err(refusal)),
        })
    })?;
    Ok(outcome.and_then(|(whole, applied)| finish(root, path, whole, applied, written)))
}

fn finish(
    root: &CoreRoot,
    path: &std::path::Path,
    whole: WholeFile,
    applied: Applied,
    written: Option<Written>,
) -> Outcome<Done> {
    let path = real(root, path, written.as_ref());
    Ok(Done {
        path,
        before: Some(whole),
        after: applied.bytes,
        encoding: applied.encoding,
        outcomes: applied.outcomes,
        written,
    })
}

/// The path that was written, or that would have been.
fn real(root: &CoreRoot, path: &std::path::Path, written: Option<&Written>) -> PathBuf {
    match written {
        Some(written) => written.path.clone(),
        None => root.real_path(path).or_else(|_| root.relative(path)).unwrap_or_else(|_| path.to_owned()),
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
    let done = run(py, Limits::new(timeout_s, cancel), |context| {
        let writing = WriteOptions { expect, make_parents, allow_git_internals, max_bytes, ..WriteOptions::default() };
        for _ in 0..ATTEMPTS {
            let exists = !create_only && (expect != Expect::Anything || root.stat_if_exists(&path.0)?.is_some());
            let attempt = if exists {
                overwrite(root, &path.0, &writing, context, &content, keep_form)
            } else {
                create(root, &path.0, &writing, context, &content)
            };
            match attempt {
                // It came or went between the look and the writing.
                Err(Error::AlreadyExists { .. }) if !create_only => {}
                Err(Error::PathNotFound { .. }) if exists && expect == Expect::Anything => {}
                other => return other,
            }
        }
        Err(Error::StaleFile { path: path.0.to_string_lossy().into_owned(), expected: None, current: None })
    })?;
    give(py, done, &path)
}

fn overwrite(
    root: &CoreRoot,
    path: &std::path::Path,
    writing: &WriteOptions,
    context: &Context,
    content: &Content,
    keep_form: bool,
) -> Result<Outcome<Done>> {
    let (written, outcome) = modify_file(root, path, writing, context, |whole| {
        let new = match content {
            Content::Bytes(bytes) => Ok((bytes.clone(), found_encoding(bytes))),
            Content::Text(text) if !keep_form => Ok((text.clone().into_bytes(), Encoding::Utf8)),
            Content::Text(text) => rewrite(&whole.bytes, text).map(|rewritten| (rewritten.bytes, rewritten.encoding)),
        };
        Ok(match new {
            Ok(new) => ((new.0 != whole.bytes).then(|| new.0.clone()), Ok((whole.clone(), new))),
            Err(refusal) => (None, Err(refusal)),
        })
    })?;
    Ok(outcome.map(|(whole, (after, encoding))| {
        let path = real(root, path, written.as_ref());
        Done { path, before: Some(whole), after, encoding, outcomes: Vec::new(), written }
    }))
}

fn create(
    root: &CoreRoot,
    path: &std::path::Path,
    writing: &WriteOptions,
    context: &Context,
    content: &Content,
) -> Result<Outcome<Done>> {
    let after = match content {
        Content::Bytes(bytes) => bytes.clone(),
        Content::Text(text) => text.clone().into_bytes(),
    };
    let writing = WriteOptions { expect: Expect::Absent, ..writing.clone() };
    let written = write_file(root, path, &after, &writing, context)?;
    let path = written.path.clone();
    let encoding = found_encoding(&after);
    Ok(Ok(Done { path, before: None, after, encoding, outcomes: Vec::new(), written: Some(written) }))
}

fn found_encoding(content: &[u8]) -> Encoding {
    sniff(content, true, true).encoding
}

fn give(py: Python<'_>, done: Outcome<Done>, path: &PathArg) -> PyResult<FileEdit> {
    match done {
        Ok(done) => Told {
            path: &done.path,
            before: done.before.as_ref().map(|whole| whole.bytes.as_slice()),
            mode: done.before.as_ref().map(|whole| whole.meta.mode),
            after: Some(&done.after),
            encoding: done.encoding,
            outcomes: &done.outcomes,
            written: done.written.as_ref(),
        }
        .record(py),
        Err(refusal) => Err(refused(py, &refusal, Some(&path.0.to_string_lossy()))),
    }
}
