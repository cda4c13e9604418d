/*!
Searches files for patterns.
*/

mod clip;
mod cursor;
mod decoder;
mod engine;
mod fancy;
mod file;
mod first;
mod found;
mod grep;
mod hint;
mod linear;
mod long_line;
mod matcher;
mod options;
mod order;
mod pace;
mod pattern;
mod poll;
mod recent;
mod relax;
mod result;
mod scan;
mod source;
mod syntax;
mod want;
mod window;
mod worker;

pub use grep::grep;
pub use hint::{HiddenHint, hidden_hint};
pub use matcher::Matcher;
pub use options::{GrepOptions, MAX_LINE_CHARS, MAX_MULTILINE_BYTES, Mode, Sort};
pub use pattern::{Case, MAX_PATTERN_BYTES, PatternSpec, SIZE_LIMIT, STEP_LIMIT};
pub use result::{ContextLine, Coverage, FileMatches, GrepResult, Hit, StopReason};
