//! The marker lines of `*** Begin Patch`.

/// A marker line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Marker<'a> {
    Begin,
    End,
    Add(&'a str),
    Update(&'a str),
    Delete(&'a str),
    MoveTo(&'a str),
    EndOfFile,
}

/// The marker on `line`, white space around it aside. Letter case, the space after the stars and the colon are free.
pub(super) fn marker<'a>(line: &'a str) -> Option<Marker<'a>> {
    let text = line.trim().strip_prefix("***")?.trim_start();
    let starts =
        |word: &str| text.get(..word.len()).filter(|head| head.eq_ignore_ascii_case(word)).map(|_| &text[word.len()..]);
    let path = |rest: &'a str| {
        let path = rest.strip_prefix(':').or_else(|| rest.starts_with(' ').then_some(rest))?.trim();
        (!path.is_empty()).then_some(path)
    };
    if let Some(rest) = starts("Begin Patch") {
        return rest.trim_matches(['*', ' ']).is_empty().then_some(Marker::Begin);
    }
    if let Some(rest) = starts("End Patch") {
        return rest.trim_matches(['*', ' ']).is_empty().then_some(Marker::End);
    }
    if let Some(rest) = starts("End of File") {
        return rest.trim_matches(['*', ' ']).is_empty().then_some(Marker::EndOfFile);
    }
    const ADD: [&str; 3] = ["Add File", "Create File", "New File"];
    const UPDATE: [&str; 2] = ["Update File", "Modify File"];
    const DELETE: [&str; 2] = ["Delete File", "Remove File"];
    const MOVE: [&str; 1] = ["Move to"];
    let named = |words: &[&str]| words.iter().find_map(|word| starts(word).and_then(path)).map(clean);
    named(&ADD)
        .map(Marker::Add)
        .or_else(|| named(&UPDATE).map(Marker::Update))
        .or_else(|| named(&DELETE).map(Marker::Delete))
        .or_else(|| named(&MOVE).map(Marker::MoveTo))
}

/// A path without the quotes or backticks that are put around it.
fn clean(path: &str) -> &str {
    for quote in ['`', '"', '\''] {
        if let Some(inner) = path.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote)) {
            return if inner.is_empty() { path } else { inner };
        }
    }
    path
}
