/*!
Searches a tree of files for regular expressions.

A [`Matcher`] is compiled from a [`PatternSpec`]; [`grep()`] runs it over the files that a walk of `rootle-walk` finds, as
[`GrepOptions`] say, and gives a [`GrepResult`]: files with their [`Hit`]s, true totals, and a [`Coverage`] that tells
what was not searched and why. It is fast where nothing matches, which is nearly everywhere: three system calls a file,
one look at the whole buffer, and nothing allocated.

Lines end at a line feed. A carriage return before it is not part of the line: `$` matches before it, and it is never in
the text given. Otherwise the matches are those of ripgrep, whose crates do the work; patterns with look-around or
back-references go to `fancy-regex`, bounded so that no pattern and no text makes a search hang.

```
use std::path::{Path, PathBuf};

use rootle_base::{Context, Root};
use rootle_grep::{GrepOptions, Matcher, PatternSpec, grep};
use rootle_walk::{Filter, Request, WalkOptions};

# fn main() -> rootle_base::Result<()> {
let root = Root::open(Path::new("."))?;
let starts = [PathBuf::from("src")];
let (options, filter) = (WalkOptions::default(), Filter::all());
let request = Request { root: &root, starts: &starts, options: &options, filter: &filter, after: None };
let matcher = Matcher::new(&PatternSpec::regex(r"^pub fn grep\("))?;
let found = grep(&request, &matcher, &GrepOptions::default(), &Context::unlimited())?;
assert_eq!(found.files[0].path, b"src/grep.rs");
# Ok(())
# }
```
*/

mod buffer;
mod clip;
mod cursor;
mod engine;
mod fancy;
mod file;
mod first;
mod found;
mod grep;
mod hint;
mod hit_ref;
mod hits;
mod leash;
mod linear;
mod lines;
mod long_line;
mod matcher;
mod options;
mod order;
mod outside;
mod pace;
mod pattern;
mod poll;
mod recall;
mod recent;
mod relax;
mod result;
mod scan;
mod source;
mod syntax;
mod trail;
mod want;
mod window;
mod worker;

pub use grep::grep;
pub use hint::{HiddenHint, hidden_hint};
pub use hit_ref::HitRef;
pub use hits::Hits;
pub use matcher::Matcher;
pub use options::{GrepOptions, MAX_LINE_CHARS, MAX_MULTILINE_BYTES, Mode, Sort};
pub use outside::{Outside, outside};
pub use pattern::{Case, MAX_PATTERN_BYTES, PatternSpec, SIZE_LIMIT, STEP_LIMIT};
pub use result::{ContextLine, Coverage, FileMatches, GrepResult, Hit, StopReason};
