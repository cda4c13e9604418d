//! `grep`: matches in file contents.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::time::Duration;

use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};
use rootle_base::label;
use rootle_grep::{Case, GrepOptions, Matcher, Mode, PatternSpec, Sort, outside};
use rootle_walk::{Request, WalkOptions};

use crate::call::{CancelToken, Limits, run};
use crate::convert::{PathArg, choice, list, path_text};
use crate::found::{Found, GrepResult};
use crate::records::{Coverage, warnings};
use crate::root::Root;
use crate::rules::{Wanted, plain, starts};

/// Time for looking at what a search without a match left out: so much ...
const HINT_BUDGET: Duration = Duration::from_millis(2);
/// ... or this part of what the search took, if that is more.
const HINT_SHARE: u32 = 20;
/// Entries that were left out and are looked at.
const HINT_ENTRIES: usize = 500;

/// Searches file contents.
#[pyfunction]
#[pyo3(signature = (*, root, patterns, paths, glob, exclude, r#type, mode, fixed, word, ignore_case, smart_case, multiline, dotall, invert, only_matching, before, after, hidden, no_ignore, skip_dirs, extra_ignore, follow_links, max_depth, max_matches, max_per_file, max_filesize, max_line_chars, max_text_bytes, sort, encoding, guess_encoding, cursor, explain_empty, step_limit, size_limit, max_ignore_file_bytes, threads, timeout_s, cancel))]
#[expect(clippy::too_many_arguments, clippy::fn_params_excessive_bools, reason = "one keyword an option")]
pub fn grep(
    py: Python<'_>,
    root: &Bound<'_, Root>,
    patterns: Vec<String>,
    paths: Vec<PathArg>,
    glob: Vec<String>,
    exclude: Vec<String>,
    r#type: Vec<String>,
    mode: &str,
    fixed: bool,
    word: bool,
    ignore_case: bool,
    smart_case: bool,
    multiline: bool,
    dotall: bool,
    invert: bool,
    only_matching: bool,
    before: usize,
    after: usize,
    hidden: bool,
    no_ignore: bool,
    skip_dirs: Vec<OsString>,
    extra_ignore: Vec<String>,
    follow_links: bool,
    max_depth: Option<usize>,
    max_matches: Option<u64>,
    max_per_file: Option<u64>,
    max_filesize: Option<u64>,
    max_line_chars: usize,
    max_text_bytes: Option<u64>,
    sort: &str,
    encoding: Option<&str>,
    guess_encoding: bool,
    cursor: Option<String>,
    explain_empty: bool,
    step_limit: usize,
    size_limit: usize,
    max_ignore_file_bytes: u64,
    threads: usize,
    timeout_s: Option<f64>,
    cancel: Option<&Bound<'_, CancelToken>>,
) -> PyResult<GrepResult> {
    let root = &root.get().inner;
    let paths = crate::convert::paths(paths);
    let scope = format!("{paths:?}{glob:?}{exclude:?}{type:?}{hidden}{no_ignore}{skip_dirs:?}{extra_ignore:?}{follow_links}{max_depth:?}", type = r#type);
    let wanted = Wanted { glob, exclude, types: r#type };
    let case = case(ignore_case, smart_case);
    let spec = PatternSpec {
        patterns,
        fixed,
        word,
        case,
        multiline,
        dotall,
        step_limit,
        size_limit,
        ..PatternSpec::default()
    };
    let walk_options = WalkOptions {
        follow_links,
        max_depth,
        threads,
        note_dropped: if explain_empty { HINT_ENTRIES } else { 0 },
        ..plain(hidden, no_ignore, skip_dirs, extra_ignore, max_ignore_file_bytes)
    };
    let (mode, sort) = (mode.to_owned(), sort.to_owned());
    let encoding = encoding.map(str::to_owned);
    let (found, hint) = run(py, Limits::new(timeout_s, cancel), |context| {
        let options = GrepOptions {
            mode: choice("mode", &mode, &MODES)?,
            sort: choice("sort", &sort, &SORTS)?,
            before,
            after,
            invert,
            only_matching,
            max_matches,
            max_per_file,
            max_filesize,
            max_line_chars,
            max_text_bytes,
            encoding: encoding.as_deref().map(label).transpose()?,
            guess_encoding,
            scope: scope.into_bytes(),
            cursor,
            ..GrepOptions::default()
        };
        let matcher = Matcher::new(&spec)?;
        let starts = starts(root, &paths)?;
        let filter = wanted.filter(root, &starts, context)?;
        let request = Request { root, starts: &starts, options: &walk_options, filter: &filter, after: None };
        let found = rootle_grep::grep(&request, &matcher, &options, context)?;
        let hint = if explain_empty && found.complete && found.total_files == 0 {
            let budget = HINT_BUDGET.max(context.elapsed() / HINT_SHARE);
            rootle_grep::hidden_hint(&request, &matcher, &options, &found.coverage.summary, budget, context)?
        } else {
            None
        };
        Ok((found, hint))
    })?;
    let text = |text: &str| PyString::intern(py, text).unbind();
    let coverage = Coverage {
        files: found.coverage.searched,
        bytes: found.coverage.searched_bytes,
        binary: found.coverage.binary,
        too_large: found.coverage.too_large,
        lossy: found.coverage.lossy,
        unreadable: found.coverage.unreadable,
        step_limited: found.coverage.step_limited,
        long_lines_split: found.coverage.long_lines_split,
        ..Coverage::of_walk(&found.coverage.summary)
    };
    Ok(GrepResult {
        found: Found::new(found.files),
        total: found.total_matches,
        total_files: found.total_files,
        totals_exact: found.totals_exact,
        cursor: found.cursor.map(|cursor| PyString::new(py, &cursor).unbind()),
        engine: text(found.engine),
        hidden_matches: hint.map(|hint| hint.matches),
        hidden_files: hint.map(|hint| hint.files),
        complete: found.complete,
        stop: found.stop.map(|stop| text(stop.as_str())),
        coverage: Py::new(py, coverage)?,
        warnings: warnings(py, &found.coverage.summary.warnings)?,
        freshness: text("scan"),
        root: path_text(py, root.path().as_os_str().as_bytes())?.unbind(),
    })
}

const MODES: [(&str, Mode); 3] = [("content", Mode::Content), ("files", Mode::Files), ("count", Mode::Count)];

const SORTS: [(&str, Sort); 2] = [("path", Sort::Path), ("modified", Sort::Modified)];

/// Gives the patterns with which other programs find every line that may match: in ripgrep's syntax, and as an extended
/// regular expression.
#[pyfunction]
#[pyo3(signature = (*, patterns, fixed, ignore_case, smart_case, multiline, dotall, step_limit, size_limit))]
#[expect(clippy::too_many_arguments, clippy::fn_params_excessive_bools, reason = "one keyword an option")]
pub fn outside_patterns(
    py: Python<'_>,
    patterns: Vec<String>,
    fixed: bool,
    ignore_case: bool,
    smart_case: bool,
    multiline: bool,
    dotall: bool,
    step_limit: usize,
    size_limit: usize,
) -> PyResult<(Vec<String>, Option<String>)> {
    let case = case(ignore_case, smart_case);
    let spec =
        PatternSpec { patterns, fixed, case, multiline, dotall, step_limit, size_limit, ..PatternSpec::default() };
    let found = run(py, Limits::new(None, None), |_| outside(&spec))?;
    Ok((found.rust, found.posix))
}

fn case(ignore_case: bool, smart_case: bool) -> Case {
    match (ignore_case, smart_case) {
        (true, _) => Case::Insensitive,
        (false, true) => Case::Smart,
        (false, false) => Case::Sensitive,
    }
}

/// Gives the file types that filters know, each with its globs.
#[pyfunction]
pub fn file_types(py: Python<'_>) -> PyResult<Py<PyList>> {
    list(py, rootle_walk::file_types().iter().map(|known| Ok((known.name(), known.globs().to_vec()))))
}
