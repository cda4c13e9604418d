//! The rules of one ignore file.

use std::path::Path;
use std::sync::OnceLock;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::bytes::as_path;
use crate::rules::need::{Need, Rule, parse};
use crate::rules::table::{Probe, Table};

/// What the rules say about a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Ignore,
    /// A `!` rule: the path is not ignored, nor hidden.
    Keep {
        /// The rule has the very name and not only a pattern for it.
        named: bool,
    },
}

/// Rules are compiled in groups of this many, and only when a path comes that one of the group may match: most ignore
/// files have rules for what is not there.
const GROUP: usize = 8;

/// A line longer than this cannot be meant; paths are shorter.
const MAX_LINE: usize = 4096;

/// Rules beyond these are left out, which bounds what a hostile ignore file costs for each path.
const MAX_RULES: usize = 50_000;
const MAX_VAGUE_RULES: usize = 2_000;

/// An ignore file, parsed but for the most part not yet compiled.
#[derive(Debug, Default)]
pub(crate) struct RuleFile {
    /// All rules together: one look spares a look at every group.
    needs: Needs,
    groups: Vec<Group>,
    cut: bool,
}

#[derive(Debug, Default)]
struct Needs {
    for_files: Table,
    for_dirs: Table,
}

#[derive(Debug, Default)]
struct Group {
    needs: Needs,
    lines: Vec<String>,
    matcher: OnceLock<Gitignore>,
}

impl RuleFile {
    /// Takes the lines of an ignore file; those that are no UTF-8 hold no rule, as in ripgrep.
    pub(crate) fn parse(content: &[u8]) -> Self {
        let content = content.strip_prefix("\u{feff}".as_bytes()).unwrap_or(content);
        let lines = content.split(|&byte| byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
        Self::from_lines(lines.filter_map(|line| std::str::from_utf8(line).ok()))
    }

    pub(crate) fn from_lines<'a>(lines: impl Iterator<Item = &'a str>) -> Self {
        let mut file = Self::default();
        let (mut rules, mut vague) = (0, 0);
        for line in lines {
            let Some(rule) = parse(line) else { continue };
            rules += 1;
            vague += usize::from(!rule.needs.iter().all(|need| matches!(need, Need::Name(_) | Need::Extension(_))));
            if line.len() > MAX_LINE || rules > MAX_RULES || vague > MAX_VAGUE_RULES {
                file.cut = true;
                continue;
            }
            if file.groups.last().is_none_or(|group| group.lines.len() == GROUP) {
                file.groups.push(Group::default());
            }
            let Some(group) = file.groups.last_mut() else { continue };
            group.needs.add(&rule);
            file.needs.add(&rule);
            group.lines.push(line.to_owned());
        }
        file
    }

    /// Whether there were too many rules, or too long ones, and some were left out.
    pub(crate) fn is_cut(&self) -> bool {
        self.cut
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// `path` is relative to the directory of the ignore file. The last rule that matches counts.
    pub(crate) fn verdict(&self, path: &[u8], probe: &Probe<'_>, is_dir: bool) -> Option<Verdict> {
        if !self.needs.may_match(probe, path, is_dir) {
            return None;
        }
        self.groups.iter().rev().find_map(|group| {
            if !group.needs.may_match(probe, path, is_dir) {
                return None;
            }
            match group.matcher().matched(as_path(path), is_dir) {
                Match::None => None,
                Match::Ignore(_) => Some(Verdict::Ignore),
                Match::Whitelist(rule) => {
                    Some(Verdict::Keep { named: rule.actual().as_bytes().ends_with(probe.name()) })
                }
            }
        })
    }
}

impl Needs {
    fn add(&mut self, rule: &Rule) {
        for need in &rule.needs {
            self.for_dirs.add(need);
            if !rule.dirs_only {
                self.for_files.add(need);
            }
        }
    }

    fn may_match(&self, probe: &Probe<'_>, path: &[u8], is_dir: bool) -> bool {
        let table = if is_dir { &self.for_dirs } else { &self.for_files };
        table.may_match(probe, path)
    }
}

impl Group {
    fn matcher(&self) -> &Gitignore {
        self.matcher.get_or_init(|| {
            let mut builder = GitignoreBuilder::new(Path::new(""));
            for line in &self.lines {
                // A line that is no glob has no effect, as in ripgrep.
                let _ = builder.add_line(None, line);
            }
            builder.build().unwrap_or_else(|_| Gitignore::empty())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(content: &str, path: &str, is_dir: bool) -> Option<Verdict> {
        let name = path.rsplit('/').next().unwrap();
        RuleFile::parse(content.as_bytes()).verdict(path.as_bytes(), &Probe::new(name.as_bytes()), is_dir)
    }

    #[test]
    fn table() {
        use Verdict::Ignore;
        let keep = |named| Some(Verdict::Keep { named });
        let many = (0..100).map(|n| format!("name{n}\n")).collect::<String>();
        for (content, path, is_dir, expected) in [
            ("*.o\n", "a/b.o", false, Some(Ignore)),
            ("*.o\r\n!keep.o\r\n", "keep.o", false, keep(true)),
            ("!keep.o\n*.o\n", "keep.o", false, Some(Ignore)),
            ("\u{feff}*.o\n", "b.o", false, Some(Ignore)),
            ("build/\n", "build", false, None),
            ("build/\n", "build", true, Some(Ignore)),
            ("/a/*\n!/a/b\n", "a/b", true, keep(true)),
            ("a[\n*.x\n", "b.x", false, Some(Ignore)),
            (&format!("{many}!name3\n"), "name3", false, keep(true)),
            (&format!("{many}!name3\n"), "name4", false, Some(Ignore)),
            (&format!("!name3\n{many}"), "name3", false, Some(Ignore)),
        ] {
            assert_eq!(verdict(content, path, is_dir), expected, "{content:?} {path}");
        }
    }

    #[test]
    fn too_many_vague_rules_are_left_out() {
        let content: String = (0..30_000).map(|n| format!("*{n}*x*\n")).collect();
        let file = RuleFile::parse(content.as_bytes());

        assert!(file.is_cut());
        assert_eq!(file.groups.len(), MAX_VAGUE_RULES.div_ceil(GROUP));
    }
}
