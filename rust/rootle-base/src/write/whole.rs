//! All bytes of a file, of one version.

use std::fs::File;
use std::io::ErrorKind;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::Instant;

use crate::relative::shown;
use crate::{Context, Error, Metadata, OpenFile, Result, Root};

/// How often a file that changes meanwhile is read again.
const ATTEMPTS: u32 = 3;
/// Bytes read at once: between them the call can be ended.
const BLOCK: usize = 1024 * 1024;

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
pub fn read_whole(root: &Root, path: &Path, max_bytes: u64, ctx: &Context) -> Result<WholeFile> {
    let OpenFile { file, .. } = root.open_file(path)?;
    read_open(&file, path, max_bytes, ctx)
}

/// Reads an open file.
pub(crate) fn read_open(file: &File, given: &Path, max_bytes: u64, ctx: &Context) -> Result<WholeFile> {
    let stat = || Metadata::of(file).map_err(|source| Error::Io { path: shown(given), operation: "read", source });
    let mut polled = Instant::now();
    for _ in 0..ATTEMPTS {
        let meta = stat()?;
        let too_large = || Error::FileTooLarge { path: shown(given), size: meta.size, limit: max_bytes };
        if meta.size > max_bytes {
            return Err(too_large());
        }
        let size = usize::try_from(meta.size).map_err(|_| too_large())?;
        let mut bytes = Vec::new();
        // A sparse file can be larger than any memory.
        bytes.try_reserve_exact(size).map_err(|_| too_large())?;
        bytes.resize(size, 0);
        let mut read = 0;
        while read < bytes.len() {
            if let Some(stop) = ctx.poll_interrupt(&mut polled) {
                return Err(ctx.error(stop));
            }
            let end = bytes.len().min(read + BLOCK);
            match file.read_at(&mut bytes[read..end], read as u64) {
                Ok(0) => break,
                Ok(count) => read += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(source) => return Err(Error::Io { path: shown(given), operation: "read", source }),
            }
        }
        if read == bytes.len() && stat()?.same_version(&meta) {
            let hash = blake3::hash(&bytes).into();
            return Ok(WholeFile { bytes, meta, hash });
        }
    }
    Err(Error::StaleFile { path: shown(given), expected: None, current: None })
}
