//! Which rules count at a place in the tree.

use std::sync::Arc;

use crate::rules::file::{RuleFile, Verdict};
use crate::rules::table::Probe;

/// The kinds of ignore files, the strongest first. A kind is asked from the deepest directory upwards, and the first
/// kind that has something to say decides.
pub(crate) const KINDS: usize = 4;
pub(crate) const ROOTLE_IGNORE: usize = 0;
pub(crate) const DOT_IGNORE: usize = 1;
pub(crate) const GIT_IGNORE: usize = 2;
pub(crate) const GIT_EXCLUDE: usize = 3;

/// The ignore files of one directory, and those of the directories above it. Directories without any have no link of
/// their own.
#[derive(Debug)]
pub(crate) struct Chain {
    files: [Option<RuleFile>; KINDS],
    strip: Strip,
    above: Option<Arc<Self>>,
}

/// How a path of the walk becomes relative to the directory of the ignore files.
#[derive(Clone, Debug)]
pub(crate) enum Strip {
    /// By leaving out so many bytes.
    Bytes(usize),
    /// The directory lies above a start that was reached through links: the start's path, so many bytes long, stands
    /// for this one.
    Replace(usize, Vec<u8>),
}

impl Chain {
    pub(crate) fn new(files: [Option<RuleFile>; KINDS], strip: Strip, above: Option<Arc<Self>>) -> Option<Arc<Self>> {
        if files.iter().all(Option::is_none) {
            return above;
        }
        Some(Arc::new(Self { files, strip, above }))
    }

    /// What the rules say about the last name of `path`.
    pub(crate) fn verdict(&self, path: &[u8], probe: &Probe<'_>, is_dir: bool) -> Option<Verdict> {
        let mut found = [None; KINDS];
        let mut link = Some(self);
        while let Some(chain) = link {
            let replaced;
            let relative = match &chain.strip {
                Strip::Bytes(count) => path.get(*count..).unwrap_or_default(),
                Strip::Replace(count, start) => {
                    replaced = [start, path.get(*count..).unwrap_or_default()].concat();
                    &replaced
                }
            };
            for (verdict, file) in found.iter_mut().zip(&chain.files) {
                if verdict.is_none()
                    && let Some(file) = file
                {
                    *verdict = file.verdict(relative, probe, is_dir);
                }
            }
            if found[0].is_some() {
                break;
            }
            link = chain.above.as_deref();
        }
        found.into_iter().flatten().next()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(files: [&str; KINDS], strip: Strip, above: Option<Arc<Chain>>) -> Option<Arc<Chain>> {
        let parse = |text: &str| (!text.is_empty()).then(|| RuleFile::parse(text.as_bytes()));
        Chain::new(files.map(parse), strip, above)
    }

    fn verdict(chain: &Arc<Chain>, path: &str) -> Option<Verdict> {
        let name = path.rsplit('/').next().unwrap();
        chain.verdict(path.as_bytes(), &Probe::new(name.as_bytes()), false)
    }

    #[test]
    fn the_stronger_kind_wins_over_the_deeper_directory() {
        let top = chain(["!a", "b", "", "e"], Strip::Bytes(0), None);
        let sub = chain(["", "a\n!b", "c\n!e", ""], Strip::Bytes(4), top).unwrap();
        for (path, expected) in [
            ("sub/a", Some(Verdict::Keep { named: true })),
            ("sub/b", Some(Verdict::Keep { named: true })),
            ("sub/c", Some(Verdict::Ignore)),
            ("sub/d", None),
            ("sub/e", Some(Verdict::Keep { named: true })),
        ] {
            assert_eq!(verdict(&sub, path), expected, "{path}");
        }
    }

    #[test]
    fn above_a_start_reached_through_links_the_real_path_counts() {
        let top = chain(["", "", "/real/dir/x", ""], Strip::Replace(4, b"real/dir".to_vec()), None).unwrap();

        assert_eq!(verdict(&top, "link/x"), Some(Verdict::Ignore));
        assert_eq!(verdict(&top, "link/y/x"), None);
    }

    #[test]
    fn a_directory_without_rules_adds_no_link() {
        let top = chain(["", "", "x", ""], Strip::Bytes(0), None).unwrap();
        let same = chain(["", "", "", ""], Strip::Bytes(2), Some(top.clone())).unwrap();

        assert!(Arc::ptr_eq(&top, &same));
    }
}
