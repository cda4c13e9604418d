//! A patch in short, so that tables of them can be read.
#![allow(dead_code)]

use rootle_edit::{Anchor, FilePatch, Hunk, LineKind, PatchOptions, PatchReason, parse_patch};

fn line(text: &str) -> String {
    text.strip_suffix('\n').map_or_else(|| format!("{text}$"), str::to_owned)
}

fn hunk(hunk: &Hunk) -> String {
    let near = hunk.edit.near_line.map_or("-".to_owned(), |near| near.to_string());
    let scope: String = hunk.edit.scope.iter().map(|scope| format!(" {{{scope}}}")).collect();
    let end = if hunk.edit.anchor == Anchor::End && !hunk.old_open_end && !hunk.new_open_end { " END" } else { "" };
    let lines: String = hunk
        .lines()
        .map(|(kind, text)| {
            let sign = match kind {
                LineKind::Context => ' ',
                LineKind::Removed => '-',
                LineKind::Added => '+',
            };
            format!("[{sign}{}]", line(text))
        })
        .collect();
    format!("@{near}{scope}{end} {lines}")
}

fn file(file: &FilePatch) -> String {
    let mut out = format!("{} {}", file.op.as_str(), file.path);
    if let Some(to) = &file.new_path {
        out += &format!(" -> {to}");
    }
    if file.old_mode.is_some() || file.new_mode.is_some() {
        let mode = |mode: Option<u32>| mode.map_or("-".to_owned(), |mode| format!("{mode:o}"));
        out += &format!(" {} {}", mode(file.old_mode), mode(file.new_mode));
    }
    if file.binary {
        out += " binary";
    }
    if file.was_empty {
        out += " empty";
    }
    for item in &file.hunks {
        out += "\n";
        out += &hunk(item);
    }
    out
}

/// Reads with options.
pub fn read_with(text: &str, options: &PatchOptions) -> Result<String, (PatchReason, usize)> {
    let patch = parse_patch(text, options).map_err(|error| (error.reason, error.line))?;
    Ok(patch.files.iter().map(file).collect::<Vec<_>>().join("\n"))
}

/// Reads what has to be readable.
pub fn read(text: &str) -> String {
    match parse_patch(text, &PatchOptions::default()) {
        Ok(_) => read_with(text, &PatchOptions::default()).unwrap(),
        Err(error) => panic!("{error}\n{text}"),
    }
}

/// Reads with the path of the file.
pub fn with_path(text: &str, path: &str) -> Result<String, (PatchReason, usize)> {
    read_with(text, &PatchOptions { path: Some(path.to_owned()), ..PatchOptions::default() })
}

/// Reads what has to be refused: why, and at which line.
pub fn faulty(text: &str) -> (PatchReason, usize) {
    match read_with(text, &PatchOptions::default()) {
        Ok(patch) => panic!("accepted: {patch}\n{text}"),
        Err(fault) => fault,
    }
}
