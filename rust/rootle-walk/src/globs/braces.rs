//! `{a,b}` written out.

/// All the texts that a glob with brace groups stands for, or `None` if there are more than `limit`, if the braces do
/// not balance, or if the glob has parts (classes with braces in them) where that is not simple to tell.
pub(crate) fn expand_braces(glob: &str, limit: usize) -> Option<Vec<String>> {
    if !glob.contains(['{', '}']) {
        return Some(vec![glob.to_owned()]);
    }
    if glob.contains('[') {
        return None;
    }
    let mut done = Vec::new();
    let mut open = vec![glob.to_owned()];
    while let Some(text) = open.pop() {
        match first_group(&text)? {
            None => done.push(text),
            Some((start, end, commas)) => {
                let mut from = start + 1;
                for to in commas.into_iter().chain([end]) {
                    open.push(format!("{}{}{}", &text[..start], &text[from..to], &text[end + 1..]));
                    from = to + 1;
                }
            }
        }
        if done.len() + open.len() > limit {
            return None;
        }
    }
    done.reverse();
    Some(done)
}

/// Where the first group opens and closes, and its own commas; the outer `None` is for braces that do not balance.
#[allow(clippy::type_complexity)]
fn first_group(text: &str) -> Option<Option<(usize, usize, Vec<usize>)>> {
    let (mut start, mut depth, mut commas) = (0, 0_usize, Vec::new());
    let mut bytes = text.bytes().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'\\' => {
                bytes.next();
            }
            b'{' => {
                if depth == 0 {
                    start = at;
                }
                depth += 1;
            }
            b'}' if depth == 0 => return None,
            b'}' => {
                depth -= 1;
                if depth == 0 {
                    return Some(Some((start, at, commas)));
                }
            }
            b',' if depth == 1 => commas.push(at),
            _ => {}
        }
    }
    if depth == 0 { Some(None) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table() {
        for (glob, expected) in [
            ("a", Some(vec!["a"])),
            ("{a,b}c", Some(vec!["ac", "bc"])),
            ("x{a,b{c,d}}", Some(vec!["xa", "xbc", "xbd"])),
            ("{a}", Some(vec!["a"])),
            ("{,a}", Some(vec!["", "a"])),
            (r"\{a,b\}", Some(vec![r"\{a,b\}"])),
            ("{a", None),
            ("a}", None),
            ("{a,[}]}", None),
        ] {
            let expected: Option<Vec<String>> = expected.map(|texts| texts.into_iter().map(str::to_owned).collect());
            assert_eq!(expand_braces(glob, 8), expected, "{glob}");
        }
    }

    #[test]
    fn is_bounded() {
        assert_eq!(expand_braces(&"{a,b}".repeat(22), 64), None);
        assert_eq!(expand_braces(&"{".repeat(100_000), 64), None);
    }
}
