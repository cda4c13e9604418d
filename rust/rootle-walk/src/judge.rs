//! Decides whether an entry is passed over.

use std::collections::HashSet;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::sync::Arc;

use crate::rules::{Chain, Probe, RuleFile, Verdict};
use crate::{Filter, WalkOptions};

/// What becomes of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Pass,
    Ignored,
    Hidden,
    Skipped,
}

/// The part of the rules that is the same everywhere in a walk.
#[derive(Debug)]
pub(crate) struct Judge {
    hidden: bool,
    skip_dirs: HashSet<Vec<u8>>,
    extra: Option<RuleFile>,
    filter: Filter,
}

impl Judge {
    pub(crate) fn new(options: &WalkOptions, filter: &Filter) -> Self {
        let extra = RuleFile::from_lines(options.extra_ignore.iter().flat_map(|text| text.lines()));
        Self {
            hidden: options.hidden,
            skip_dirs: options.skip_dirs.iter().cloned().map(OsString::into_vec).collect(),
            extra: (!extra.is_empty()).then_some(extra),
            filter: filter.clone(),
        }
    }

    /// Judges by ignore rules, hidden names and the names of `skip_dirs`. Globs and types are another matter.
    pub(crate) fn outcome(&self, path: &[u8], name: &[u8], is_dir: bool, chain: Option<&Arc<Chain>>) -> Outcome {
        let skipped = || is_dir && !self.skip_dirs.is_empty() && self.skip_dirs.contains(name);
        match self.verdict(path, name, is_dir, chain) {
            Some(Verdict::Ignore) => Outcome::Ignored,
            // `!*/` is there for the sake of other rules; it asks for no `.git` and no `node_modules`.
            Some(Verdict::Keep { named: false }) | None if skipped() => Outcome::Skipped,
            Some(Verdict::Keep { .. }) => Outcome::Pass,
            None if !self.hidden && name.first() == Some(&b'.') && !self.filter.unhides(path, name) => Outcome::Hidden,
            None => Outcome::Pass,
        }
    }

    fn verdict(&self, path: &[u8], name: &[u8], is_dir: bool, chain: Option<&Arc<Chain>>) -> Option<Verdict> {
        if self.extra.is_none() && chain.is_none() {
            return None;
        }
        let probe = Probe::new(name);
        let extra = self.extra.as_ref().and_then(|rules| rules.verdict(path, &probe, is_dir));
        extra.or_else(|| chain?.verdict(path, &probe, is_dir))
    }
}
