//! "Did you mean": existing paths near one that does not exist. Everything is looked up through the root, so nothing
//! outside it is ever suggested; and the search is bounded, so that a miss stays cheap in a tree of any size.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::{Dir, FileType};

use crate::likeness::Name;
use crate::{Root, components, distant, relative};

/// Suggestions given at most.
const MAX_SUGGESTIONS: usize = 3;
/// Directories with nothing that anyone means.
const NOT_ENTERED: [&str; 5] = [".git", "node_modules", "__pycache__", ".venv", ".tox"];
/// What a search may still cost.
pub(crate) struct Budget {
    until: Instant,
    entries: usize,
}

impl Budget {
    pub(crate) fn new() -> Self {
        Self { until: Instant::now() + Duration::from_millis(20), entries: 2000 }
    }

    fn spend(&mut self) -> bool {
        self.entries = self.entries.saturating_sub(1);
        self.entries > 0 && Instant::now() < self.until
    }
}

/// Up to three paths, relative to the root, that may have been meant by `rel`; best first.
pub(crate) fn suggest(root: &Root, rel: &Path, mut budget: Budget) -> Vec<String> {
    let names: Option<Vec<&str>> =
        relative::components(rel.as_os_str().as_encoded_bytes()).filter(|c| *c != ".").map(|c| c.to_str()).collect();
    let Some(names) = names else { return Vec::new() };
    let mut found = near_names(root, &names, &mut budget);
    found.extend(without_leading(root, &names));
    if found.is_empty() {
        found = same_name(root, &names, &mut budget);
    }
    let mut out: Vec<String> = Vec::new();
    for path in found {
        if !out.contains(&path) && out.len() < MAX_SUGGESTIONS {
            out.push(path);
        }
    }
    out
}

/// The first name that does not exist, replaced by a near one that leads to an existing path.
fn near_names(root: &Root, names: &[&str], budget: &mut Budget) -> Vec<String> {
    let Some(missing) = (0..names.len()).find(|&i| !exists(root, &names[..=i].join("/"))) else { return Vec::new() };
    let parent = match names[..missing].join("/") {
        parent if parent.is_empty() => PathBuf::from("."),
        parent => PathBuf::from(parent),
    };
    let rest = &names[missing + 1..];
    let wanted = Name::new(names[missing]);
    let mut near: Vec<(f64, String)> = Vec::new();
    for (name, _) in list(root, &parent) {
        if !budget.spend() {
            break;
        }
        if let Some(score) = wanted.likeness(&Name::new(&name)) {
            near.push((score, name));
        }
    }
    near.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    near.truncate(16);

    // With `..` in it, the path as given would be an odd thing to repeat.
    let shown = if names[..missing].contains(&"..") {
        components::real_path(root.anchor(), &parent).ok().and_then(|real| real.to_str().map(str::to_owned))
    } else {
        Some(names[..missing].join("/"))
    };
    let Some(shown) = shown else { return Vec::new() };
    near.into_iter()
        .map(|(_, name)| {
            let start = (!shown.is_empty()).then_some(shown.as_str());
            start.into_iter().chain([name.as_str()]).chain(rest.iter().copied()).collect::<Vec<_>>().join("/")
        })
        .filter(|path| rest.is_empty() || exists(root, path))
        .collect()
}

/// The path without its first names: paths are often given from a directory above the root.
fn without_leading(root: &Root, names: &[&str]) -> Vec<String> {
    (1..names.len())
        .filter(|&i| names[i] != "..")
        .map(|i| names[i..].join("/"))
        .find(|path| exists(root, path))
        .into_iter()
        .collect()
}

/// Files and directories of the same name elsewhere, those that share most of the path's end first.
fn same_name(root: &Root, names: &[&str], budget: &mut Budget) -> Vec<String> {
    let Some(wanted) = names.last().map(|name| name.to_lowercase()) else { return Vec::new() };
    let mut found: Vec<(usize, usize, String)> = Vec::new();
    let mut queue = VecDeque::from([String::new()]);
    'search: while let Some(dir) = queue.pop_front() {
        let at = if dir.is_empty() { Path::new(".") } else { Path::new(&dir) };
        for (name, kind) in list(root, at) {
            if !budget.spend() {
                break 'search;
            }
            let path = if dir.is_empty() { name.clone() } else { format!("{dir}/{name}") };
            if name.to_lowercase() == wanted {
                let shared = path.rsplit('/').zip(names.iter().rev()).take_while(|(a, b)| a == *b).count();
                found.push((shared, path.matches('/').count(), path.clone()));
            }
            let enter = matches!(kind, FileType::Directory | FileType::Unknown);
            if enter && !NOT_ENTERED.contains(&name.as_str()) && !distant::is_mounted_at(root, &path) {
                queue.push_back(path);
            }
        }
    }
    found.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)).then_with(|| a.2.cmp(&b.2)));
    found.into_iter().map(|(_, _, path)| path).collect()
}

/// The entries of a directory whose names are text; nothing if it cannot be listed.
fn list(root: &Root, dir: &Path) -> impl Iterator<Item = (String, FileType)> {
    let entries = root.dir_at(dir, dir).ok().and_then(|fd| Dir::new(fd).ok());
    entries.into_iter().flatten().map_while(Result::ok).filter_map(|entry| {
        let name = entry.file_name().to_str().ok()?;
        (name != "." && name != "..").then(|| (name.to_owned(), entry.file_type()))
    })
}

fn exists(root: &Root, path: &str) -> bool {
    root.stat_if_exists(Path::new(path)).is_ok_and(|meta| meta.is_some())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn tree(paths: &[&str]) -> (tempfile::TempDir, Root) {
        let dir = tempfile::tempdir().unwrap();
        for path in paths {
            let path = dir.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let root = Root::open(dir.path()).unwrap();
        (dir, root)
    }

    #[test]
    fn what_was_meant_comes_first() {
        let (_dir, root) = tree(&[
            "README.md",
            "src/main.rs",
            "src/matcher.rs",
            "src/read_file.py",
            "src/a.py",
            "python/rootle/tools/grep.py",
            "python/rootle/grep.py",
            "node_modules/x/hidden.js",
            ".git/unseen",
        ]);
        for (given, expected) in [
            ("readme.md", &["README.md"][..]),
            ("README.txt", &["README.md"]),
            ("README", &["README.md"]),
            ("src/mian.rs", &["src/main.rs"]),
            ("src/read-file.py", &["src/read_file.py"]),
            ("src/readFile.py", &["src/read_file.py"]),
            ("SRC/main.rs", &["src/main.rs"]),
            ("scr/main.rs", &["src/main.rs", "main.rs"][..1]),
            ("src/../readme.md", &["README.md"]),
            ("project/src/main.rs", &["src/main.rs"]),
            ("tools/grep.py", &["python/rootle/tools/grep.py", "python/rootle/grep.py"]),
            ("main.rs", &["src/main.rs"]),
            ("src/b.py", &[]),
            ("hidden.js", &[]),
            ("unseen", &[]),
            ("nothing/like/it", &[]),
        ] {
            assert_eq!(root.suggest(Path::new(given)), expected, "{given}");
        }
    }

    #[test]
    fn at_most_three() {
        let (_dir, root) = tree(&["part1.c", "part2.c", "part3.c", "part4.c", "part5.c"]);
        assert_eq!(root.suggest(Path::new("part.c")), ["part1.c", "part2.c", "part3.c"]);
    }

    #[test]
    fn nothing_outside_is_suggested() {
        let outer = tempfile::tempdir().unwrap();
        fs::write(outer.path().join("secret.txt"), "").unwrap();
        fs::create_dir(outer.path().join("root")).unwrap();
        std::os::unix::fs::symlink("..", outer.path().join("root/up")).unwrap();
        let root = Root::open(&outer.path().join("root")).unwrap();
        for given in ["up/secret.tx", "secret.txt", "up/../secret.txt"] {
            assert!(root.suggest(Path::new(given)).is_empty(), "{given}");
        }
    }

    #[test]
    fn a_large_directory_costs_no_more_than_the_budget() {
        let dir = tempfile::tempdir().unwrap();
        let long = "n".repeat(90);
        for i in 0..3000 {
            fs::write(dir.path().join(format!("{long}{i}")), "").unwrap();
        }
        let root = Root::open(dir.path()).unwrap();
        let start = Instant::now();
        let _ = root.suggest(Path::new(&format!("{}x", "m".repeat(90))));
        assert!(start.elapsed() < Duration::from_millis(200), "{:?}", start.elapsed());
    }
}
