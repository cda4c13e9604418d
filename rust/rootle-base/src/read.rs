//! Reading a slice of a file's lines. The file streams through a fixed buffer: neither its size nor the length of a
//! line changes how much memory a reading takes.

use std::path::Path;

use crate::collect::{Collector, Start};
use crate::lines::Newlines;
use crate::source::{BLOCK_BYTES, Source};
use crate::text::{SNIFF_BYTES, Sniff, bom, sniff};
use crate::{Context, Encoding, Error, LineEnds, Metadata, OpenFile, Result, Root, Stop};

/// Hidden characters reported at most.
pub(crate) const MAX_HIDDEN: usize = 20;

/// Which part of a file is wanted, and within which limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadRequest {
    /// The first line, counted from 1; negative counts from the end, -1 being the last line. Before the beginning
    /// means from the beginning.
    pub start_line: i64,
    /// Lines given at most.
    pub max_lines: usize,
    /// The first character given of the first line, counted from 1.
    pub start_column: usize,
    /// Characters given of one line at most.
    pub max_line_chars: usize,
    /// Characters given at most, each line's end counting as one.
    pub max_chars: usize,
    /// The encoding, if it is known; a byte order mark in the file says more. The file is then taken for text even if
    /// it looks binary.
    pub encoding: Option<Encoding>,
    /// Whether to guess at encodings from before Unicode.
    pub guess_legacy: bool,
    /// Files up to this size are hashed.
    pub max_hash_bytes: u64,
    /// In files up to this size the lines are counted. Also the bytes read at most to learn how long a line is.
    pub max_count_bytes: u64,
    /// Files up to this size that are hashed are given whole too, as bytes.
    pub keep_bytes: u64,
}

/// One line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Its number, counted from 1; negative, counted from the end, if the file was read from its end and is too large
    /// for its lines to be counted.
    pub number: i64,
    /// The text without line terminator, or the part of it from `column` on.
    pub text: String,
    /// The column of the text's first character, counted in characters from 1.
    pub column: usize,
    /// Characters in the whole line; `None` if the line was not read to its end.
    pub total_chars: Option<u64>,
    /// Whether the line goes on after the text.
    pub cut: bool,
}

/// Which limit left text out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truncation {
    /// The limit on lines.
    Lines,
    /// A limit on characters.
    Chars,
}

impl Truncation {
    /// The word for it: `lines` or `chars`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Lines => "lines",
            Self::Chars => "chars",
        }
    }
}

/// Lines of a file, and what was learnt of the file on the way.
#[derive(Clone, Debug)]
pub struct ReadSlice {
    /// The lines; none past the end, and none of a file that is binary from its beginning.
    pub lines: Vec<Line>,
    /// Lines in the whole file; `None` if the file is larger than `max_count_bytes` and was not read to its end, if it
    /// is binary, or if the time limit came first.
    pub total_lines: Option<u64>,
    /// The file's size in bytes when it was opened; nothing after that was read.
    pub size: u64,
    /// The encoding.
    pub encoding: Encoding,
    /// Whether there is a byte order mark.
    pub bom: bool,
    /// Whether U+FFFD stands in the lines for bytes without meaning in the encoding.
    pub lossy: bool,
    /// Whether the bytes read hold a NUL (and are not UTF-16 or UTF-32). If it is among the first [`SNIFF_BYTES`] and
    /// no encoding was given, the file is not text and there are no lines.
    pub binary: bool,
    /// How the lines that were read through end: all if `total_lines` is known.
    pub line_ends: LineEnds,
    /// Whether the file ends with a line feed; `None` if it is empty or binary.
    pub final_newline: Option<bool>,
    /// Which limit left text out after the last line given. Lines cut by `max_line_chars` before that say so themselves.
    pub truncated_by: Option<Truncation>,
    /// Where to go on: line and column of the first text left out after the last line given.
    pub next: Option<(i64, usize)>,
    /// BLAKE3 of all the file's bytes, if it is not larger than `max_hash_bytes` and did not change meanwhile.
    pub hash: Option<[u8; 32]>,
    /// All the file's bytes, if there is a hash of them and they are not more than `keep_bytes`.
    pub content: Option<Vec<u8>>,
    /// What the system said about the file when it was opened.
    pub meta: Metadata,
    /// Whether the file's size or time stamps changed between opening it and the end of the reading: the lines may be
    /// of two versions.
    pub changed_while_reading: bool,
    /// Characters in the lines that a reader does not see, with line and column; at most twenty.
    pub hidden_unicode: Vec<(i64, usize, char)>,
}

/// Reads lines of the file at `path`.
///
/// # Errors
/// Those of [`Root::open_file`]; [`Error::InvalidArgument`] for a line, column or limit of zero (`max_lines` may be);
/// [`Error::DeadlineExceeded`] if the time limit comes before the wanted lines were read.
pub fn read_slice(root: &Root, path: &Path, req: &ReadRequest, ctx: &Context) -> Result<ReadSlice> {
    req.check()?;
    let OpenFile { file, meta } = root.open_file(path)?;
    let mut source = Source::new(&file, meta.size, path, ctx);
    let mut block = Vec::new();
    source.read(0, SNIFF_BYTES, &mut block)?;
    let at_eof = block.len() as u64 == source.size();
    let Sniff { encoding, bom_len, binary } = req.sniff(&block, at_eof);

    let newlines = Newlines::new(encoding);
    let text_start = bom_len as u64;
    let hashing = meta.size <= req.max_hash_bytes;
    // A full reading begins at the first byte and goes on to the last.
    let full = hashing || (meta.size <= req.max_count_bytes && !binary);
    let mut offset = text_start;
    let mut collector = if binary {
        Collector::new(req, encoding, text_start, 1, Start::Never)
    } else if req.start_line > 0 {
        Collector::new(req, encoding, text_start, 1, Start::Lines(req.start_line.unsigned_abs() - 1))
    } else {
        let (start, lines) = source.tail(text_start, newlines, req.start_line.unsigned_abs())?;
        if full || start == text_start {
            Collector::new(req, encoding, text_start, 1, Start::Offset(start))
        } else {
            offset = start;
            let number = i64::try_from(lines).map_or(i64::MIN, |lines| -lines);
            Collector::new(req, encoding, start, number, Start::Offset(start))
        }
    };

    let mut hasher = hashing.then(blake3::Hasher::new);
    let mut content = (hashing && meta.size <= req.keep_bytes).then(Vec::new);
    let from_start = offset == text_start;
    if from_start {
        if let Some(hasher) = &mut hasher {
            hasher.update(&block);
        }
        if let Some(content) = &mut content {
            content.extend_from_slice(&block);
        }
        collector.push(&block[bom_len..]);
        offset = block.len() as u64;
    }
    let (mut total_lines, mut final_newline) = (None, None);
    loop {
        if offset >= source.size() {
            final_newline = Some(collector.at_line_start());
            let lines = collector.end();
            total_lines = (from_start && !binary).then_some(lines);
            break;
        }
        if collector.done() && !full {
            break;
        }
        if !full && collector.surplus > req.max_count_bytes {
            collector.give_up();
            break;
        }
        match source.stop() {
            None => {}
            // What is wanted is there; counting and hashing can be left.
            Some(Stop::Deadline) if collector.done() => {
                hasher = None;
                break;
            }
            Some(stop) => return Err(ctx.error(stop)),
        }
        source.read(offset, BLOCK_BYTES, &mut block)?;
        if let Some(hasher) = &mut hasher {
            hasher.update(&block);
        }
        if let Some(content) = &mut content {
            content.extend_from_slice(&block);
        }
        collector.push(&block);
        offset += block.len() as u64;
    }

    let size = source.size();
    let (truncated_by, next) = collector.rest(size);
    if binary || size <= text_start {
        final_newline = None;
    } else if final_newline.is_none() {
        let unit = newlines.unit() as u64;
        source.read(text_start + (size - text_start - 1) / unit * unit, newlines.unit(), &mut block)?;
        final_newline = Some(newlines.find(&block, 0).is_some());
    }
    let changed = source.shrunk() || Metadata::of(&file).map_or(true, |now| !now.same_version(&meta));
    Ok(ReadSlice {
        lines: collector.lines,
        total_lines,
        size: meta.size,
        encoding,
        bom: bom_len > 0,
        lossy: collector.lossy,
        binary: binary || collector.nul,
        line_ends: collector.counts.ends(),
        final_newline,
        truncated_by,
        next,
        content: content.filter(|_| hasher.is_some() && !changed),
        hash: hasher.filter(|_| !changed).map(|hasher| hasher.finalize().into()),
        meta,
        changed_while_reading: changed,
        hidden_unicode: collector.hidden,
    })
}

impl ReadRequest {
    fn check(&self) -> Result<()> {
        let zero = [
            ("start_line", self.start_line == 0),
            ("start_column", self.start_column == 0),
            ("max_line_chars", self.max_line_chars == 0),
            ("max_chars", self.max_chars == 0),
        ];
        match zero.into_iter().find(|(_, zero)| *zero) {
            Some((name, _)) => Err(Error::InvalidArgument { name, reason: "it must not be 0".to_owned() }),
            None => Ok(()),
        }
    }

    fn sniff(&self, head: &[u8], at_eof: bool) -> Sniff {
        match (self.encoding, bom(head)) {
            (Some(_), Some((encoding, bom_len))) => Sniff { encoding, bom_len, binary: false },
            (Some(encoding), None) => Sniff { encoding, bom_len: 0, binary: false },
            (None, _) => sniff(head, at_eof, self.guess_legacy),
        }
    }
}
