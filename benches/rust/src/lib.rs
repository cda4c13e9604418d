/*!
Trees for the benchmarks, the same on every machine: names and contents follow from the numbers alone.
*/

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use tempfile::TempDir;

/// A tree and what is known to be in it.
#[derive(Debug)]
pub struct Corpus {
    /// The directory, removed with this value.
    pub dir: TempDir,
    /// Files that the ignore rules leave.
    pub files: usize,
    /// Lines that hold [`RARE`].
    pub rare: usize,
}

/// A word that one file in a hundred has once.
pub const RARE: &str = "rare_needle_word";

/// A word that every file has.
pub const COMMON: &str = "return";

/// Makes `dirs` directories of `files` source files each, with an ignored object file beside every tenth.
///
/// # Panics
/// If the tree cannot be written.
#[must_use]
pub fn tree(dirs: usize, files: usize) -> Corpus {
    let dir = tempfile::tempdir().expect("a temporary directory");
    fs::write(dir.path().join(".gitignore"), "*.o\n/build/\n").expect("an ignore file");
    let mut rare = 0;
    for outer in 0..dirs {
        let folder = dir.path().join(format!("group{}/module{outer:04}", outer % 16));
        fs::create_dir_all(&folder).expect("a directory");
        for inner in 0..files {
            let number = outer * files + inner;
            let marked = number % 100 == 7;
            rare += usize::from(marked);
            write_source(&folder.join(format!("file_{inner:03}.c")), number, marked);
            if number.is_multiple_of(10) {
                fs::write(folder.join(format!("file_{inner:03}.o")), RARE).expect("an object file");
            }
        }
    }
    Corpus { dir, files: dirs * files, rare }
}

fn write_source(path: &Path, number: usize, marked: bool) {
    let mut text = String::new();
    for line in 0..200 + number % 300 {
        let value = (number * 31 + line * 17) % 9973;
        let _ = writeln!(text, "static int value_{value}(int argument) {{ {COMMON} argument + {line}; }}");
    }
    if marked {
        let _ = writeln!(text, "/* {RARE} */");
    }
    fs::write(path, text).expect("a source file");
}
