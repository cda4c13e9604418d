//! The order of paths.

use std::cmp::Ordering;

/// Orders relative paths component by component, as `rg --sort path` does: everything below `a` comes before `a.b`.
#[must_use]
pub fn path_order(a: &[u8], b: &[u8]) -> Ordering {
    let common = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    match (a.get(common), b.get(common)) {
        (None, None) => Ordering::Equal,
        (None, Some(_)) => Ordering::Less,
        (Some(_), None) => Ordering::Greater,
        // The end of a component sorts before every byte that could go on with it.
        (Some(b'/'), Some(_)) => Ordering::Less,
        (Some(_), Some(b'/')) => Ordering::Greater,
        (Some(x), Some(y)) => x.cmp(y),
    }
}

/// Whether `path` is `dir` or lies below it. The empty path is the root.
pub(crate) fn is_under(path: &[u8], dir: &[u8]) -> bool {
    dir.is_empty() || path.strip_prefix(dir).is_some_and(|rest| rest.is_empty() || rest[0] == b'/')
}

/// `dir`/`name`, where an empty `dir` is the root.
pub(crate) fn join(dir: &[u8], name: &[u8]) -> Vec<u8> {
    let mut path = Vec::with_capacity(dir.len() + 1 + name.len());
    path.extend_from_slice(dir);
    if !dir.is_empty() {
        path.push(b'/');
    }
    path.extend_from_slice(name);
    path
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn table() {
        for (a, b, expected) in [
            ("", "a", Ordering::Less),
            ("a", "a", Ordering::Equal),
            ("a", "a/b", Ordering::Less),
            ("a/z", "a.b", Ordering::Less),
            ("a/z", "a-b/c", Ordering::Less),
            ("a/b", "a/b c", Ordering::Less),
            ("ab", "a/b", Ordering::Greater),
        ] {
            assert_eq!(path_order(a.as_bytes(), b.as_bytes()), expected, "{a} {b}");
        }
    }

    #[test]
    fn below() {
        for (path, dir, expected) in
            [("a", "", true), ("a/b", "a", true), ("a", "a", true), ("ab", "a", false), ("a", "a/b", false)]
        {
            assert_eq!(is_under(path.as_bytes(), dir.as_bytes()), expected, "{path} {dir}");
        }
    }

    proptest! {
        #[test]
        fn is_the_order_of_std(a in "[ab./]{0,8}", b in "[ab./]{0,8}") {
            let clean = |text: &str| text.split('/').filter(|c| !c.is_empty() && *c != ".").collect::<Vec<_>>().join("/");
            let (a, b) = (clean(&a), clean(&b));
            prop_assert_eq!(path_order(a.as_bytes(), b.as_bytes()), Path::new(&a).cmp(Path::new(&b)));
        }
    }
}
