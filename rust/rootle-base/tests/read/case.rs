//! A file to read, and a request to change from.

use std::path::Path;

use rootle_base::{Context, Error, ReadRequest, ReadSlice, Root, read_slice};
use tempfile::TempDir;

pub struct File {
    pub dir: TempDir,
    pub root: Root,
}

impl File {
    pub fn new(bytes: impl AsRef<[u8]>) -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("f"), bytes).unwrap();
        let root = Root::open(dir.path()).unwrap();
        Self { dir, root }
    }

    pub fn read(&self, req: &ReadRequest) -> ReadSlice {
        self.try_read(req, &Context::unlimited()).unwrap()
    }

    pub fn try_read(&self, req: &ReadRequest, ctx: &Context) -> Result<ReadSlice, Error> {
        read_slice(&self.root, Path::new("f"), req, ctx)
    }
}

/// Everything, in a file that is small.
pub const ALL: ReadRequest = ReadRequest {
    start_line: 1,
    max_lines: usize::MAX,
    start_column: 1,
    max_line_chars: usize::MAX,
    max_chars: usize::MAX,
    encoding: None,
    guess_legacy: true,
    max_hash_bytes: 1 << 20,
    max_count_bytes: 1 << 20,
    keep_bytes: 0,
};

/// As if the file were too large to be read whole.
pub const LARGE: ReadRequest = ReadRequest { max_hash_bytes: 0, max_count_bytes: 0, ..ALL };

pub fn texts(slice: &ReadSlice) -> Vec<&str> {
    slice.lines.iter().map(|line| line.text.as_str()).collect()
}

pub fn numbers(slice: &ReadSlice) -> Vec<i64> {
    slice.lines.iter().map(|line| line.number).collect()
}
