//! All bytes of a file, of one version.

use std::fs::File;
use std::path::Path;

use crate::relative::shown;
use crate::source::{BLOCK_BYTES, Source};
use crate::{Context, Error, Metadata, OpenFile, Result, Root};

/// How often a file that changes meanwhile is read again.
const ATTEMPTS: u32 = 3;

/// A file's content and what it is.
#[derive(Clone, Debug)]
pub struct WholeFile {
    /// All bytes.
    pub bytes: Vec<u8>,
    /// What the system said of the file when they were read.
    pub meta: Metadata,
    /// Their BLAKE3 hash.
    pub hash: [u8; 32],
}

/// Reads a file of at most `max_bytes` bytes as a whole.
///
/// # Errors
/// Those of [`Root::open_file`]; [`Error::FileTooLarge`]; [`Error::StaleFile`] if the file was changed each time while
/// it was read; what ends a call.
pub fn read_whole(root: &Root, path: &Path, max_bytes: u64, ctx: &Context<'_>) -> Result<WholeFile> {
    let OpenFile { file, .. } = root.open_file(path)?;
    read_open(&file, path, max_bytes, ctx)
}

/// Reads an open file.
pub(crate) fn read_open(file: &File, given: &Path, max_bytes: u64, ctx: &Context<'_>) -> Result<WholeFile> {
    let stat = || Metadata::of(file).map_err(|source| Error::Io { path: shown(given), operation: "read", source });
    for _ in 0..ATTEMPTS {
        let meta = stat()?;
        if meta.size > max_bytes {
            return Err(Error::FileTooLarge { path: shown(given), size: meta.size, limit: max_bytes });
        }
        let mut source = Source::new(file, meta.size, given, ctx);
        let mut bytes = Vec::with_capacity(usize::try_from(meta.size).unwrap_or(0));
        let mut block = Vec::new();
        while (bytes.len() as u64) < source.size() {
            if let Some(stop) = source.stop() {
                return Err(ctx.error(stop));
            }
            source.read(bytes.len() as u64, BLOCK_BYTES, &mut block)?;
            bytes.extend_from_slice(&block);
        }
        if !source.shrunk() && stat()?.same_version(&meta) {
            let hash = blake3::hash(&bytes).into();
            return Ok(WholeFile { bytes, meta, hash });
        }
    }
    Err(Error::StaleFile { path: shown(given), expected: None, current: None })
}
