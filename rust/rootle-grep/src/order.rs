//! The order of the files in a result.

use std::cmp::Ordering;

use rootle_walk::path_order;

/// Where a file comes in the order asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Key {
    /// Latest first; the same for all where paths alone count.
    pub mtime_ns: Option<i64>,
    pub path: Vec<u8>,
}

impl Ord for Key {
    fn cmp(&self, other: &Self) -> Ordering {
        other.mtime_ns.cmp(&self.mtime_ns).then_with(|| path_order(&self.path, &other.path))
    }
}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A path shortly before `path` in path order, or the root: a walk that goes on after it comes to `path`.
pub(crate) fn before(path: &[u8]) -> Option<Vec<u8>> {
    let mut shorter = path.split_last()?.1;
    while let [rest @ .., b'/'] = shorter {
        shorter = rest;
    }
    (!shorter.is_empty()).then(|| shorter.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latest_first_then_by_path() {
        let key = |mtime_ns, path: &[u8]| Key { mtime_ns, path: path.to_vec() };
        let mut keys = vec![key(Some(1), b"a"), key(Some(2), b"b/c"), key(Some(2), b"b-c"), key(Some(-1), b"a")];
        keys.sort();
        assert_eq!(keys, [key(Some(2), b"b/c"), key(Some(2), b"b-c"), key(Some(1), b"a"), key(Some(-1), b"a")]);
    }

    #[test]
    fn a_walk_after_it_comes_to_the_path() {
        for (path, expected) in [("a/bc", Some("a/b")), ("a/b", Some("a")), ("ab", Some("a")), ("a", None), ("", None)]
        {
            let found = before(path.as_bytes());
            assert_eq!(found.as_deref(), expected.map(str::as_bytes));
            if let Some(found) = found {
                assert_eq!(path_order(&found, path.as_bytes()), Ordering::Less);
            }
        }
    }
}
