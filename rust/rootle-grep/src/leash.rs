//! The backtracking engine on a short leash: it sees only lines that a plain over-approximation of the pattern matches,
//! every attempt has a step bound, in long lines every place is tried with an eye on the clock, and a file whose lines
//! keep meeting the bound is given up.

use std::borrow::Cow;
use std::cell::Cell;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use fancy_regex::RegexInput;
use grep_matcher::{LineMatchKind, LineTerminator, Match, Matcher, NoCaptures};
use grep_regex::RegexMatcher;

use crate::fancy::Fancy;
use crate::poll::Poll;

/// After this many attempts that met the step bound, the rest of the file is not searched.
const MAX_LIMITED: u32 = 32;
/// Time a long line may take beyond [`NANOS_PER_BYTE`] before it counts as having met the step bound.
const TIME_BASE: Duration = Duration::from_millis(50);
/// Several times what the engine needs for text without any match; unoptimised it is slower.
const NANOS_PER_BYTE: u64 = if cfg!(debug_assertions) { 10_000 } else { 500 };

/// How much text one attempt sees. An attempt may look at all of it again from each place where a match could begin, so
/// in longer text every place is tried by itself, with an eye on the clock.
#[derive(Clone, Copy, Debug)]
struct Reach {
    /// Text up to this length is searched at once.
    whole: usize,
    /// In longer text, what is around the place that is tried: look-around sees no farther, longer matches are cut.
    around: usize,
}

const LINE_REACH: Reach = Reach { whole: 512, around: 4 << 10 };
const MULTILINE_REACH: Reach = Reach { whole: 512, around: 16 << 10 };

/// The search must end: deadline, cancel or interrupt. The context says which.
#[derive(Debug)]
pub(crate) struct Halted;

impl fmt::Display for Halted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("stopped")
    }
}

/// [`Fancy`] in the hands of one thread.
#[derive(Debug)]
pub(crate) struct Leashed {
    fancy: Arc<Fancy>,
    /// A copy of its own: its caches are not shared between threads.
    plain: Option<RegexMatcher>,
    poll: Poll,
    /// Attempts in the current file that met a bound.
    limited: Cell<u32>,
    calls: Cell<u32>,
}

impl Leashed {
    pub fn new(fancy: &Arc<Fancy>, poll: Poll) -> Self {
        Self { fancy: fancy.clone(), plain: fancy.plain.clone(), poll, limited: Cell::new(0), calls: Cell::new(0) }
    }

    /// Whether attempts met a bound since this was asked last.
    pub fn take_limited(&self) -> bool {
        self.limited.replace(0) > 0
    }

    fn given_up(&self) -> bool {
        self.limited.get() >= MAX_LIMITED
    }

    fn met_bound(&self) -> Result<(), Halted> {
        self.limited.set(self.limited.get() + 1);
        if self.poll.stop().is_some() { Err(Halted) } else { Ok(()) }
    }

    fn look_up(&self) -> Result<(), Halted> {
        const EVERY: u32 = 64;
        let calls = self.calls.get().wrapping_add(1);
        self.calls.set(calls);
        if calls.is_multiple_of(EVERY) && self.poll.stop().is_some() { Err(Halted) } else { Ok(()) }
    }

    /// The leftmost match in `text` from `at` on; with `here`, one that begins at `at`. The text must be UTF-8.
    fn attempt(&self, text: &[u8], at: usize, here: bool) -> Result<Option<Match>, Halted> {
        // After an empty match the search goes on a byte farther, where the engine fails if that is inside a character.
        let inside = text[at..].iter().take_while(|byte| **byte & 0xC0 == 0x80).count();
        let at = at + inside;
        let mut best: Option<Match> = None;
        for regex in &self.fancy.regexes {
            match regex.find_input(RegexInput::new(text).from_pos(at).anchored(here)) {
                Ok(None) => {}
                Ok(Some(found)) => {
                    if best.is_none_or(|best| found.start() < best.start()) {
                        best = Some(Match::new(found.start(), found.end()));
                    }
                }
                Err(_) => self.met_bound()?,
            }
        }
        Ok(best)
    }

    /// The leftmost match in a text too long to be searched at once.
    fn attempt_by_place(&self, text: &[u8], at: usize, reach: Reach) -> Result<Option<Match>, Halted> {
        /// Places for which the same piece of text is cut out.
        const STRIP: usize = 256;
        const LOOK_UP_EVERY: usize = 16;
        let began = Instant::now();
        let limited = self.limited.get();
        let mut tried = 0usize;
        let mut place = at;
        while place <= text.len() {
            if let Some(plain) = &self.plain {
                let seen = text.len().min(place + 16 * reach.around);
                // The linear engine's error has no value.
                match plain.find_at(&text[..seen], place).ok().flatten() {
                    Some(found) => place = found.start(),
                    None if seen == text.len() => return Ok(None),
                    None => {
                        place = seen - reach.around;
                        continue;
                    }
                }
            }
            let end = text.len().min(place + STRIP);
            let left = char_start(text, place.saturating_sub(reach.around));
            let right = char_start(text, text.len().min(end + reach.around));
            let seen = clean(&text[left..right]);
            while place <= end {
                if let Some(found) = self.attempt(&seen, place - left, true)? {
                    return Ok(Some(found.offset(left)));
                }
                place = next_char(text, place);
                tried += 1;
                if !tried.is_multiple_of(LOOK_UP_EVERY) {
                    continue;
                }
                if self.poll.stop().is_some() {
                    return Err(Halted);
                }
                let passed = u64::try_from(place - at).unwrap_or(u64::MAX);
                let allowed = TIME_BASE + Duration::from_nanos(NANOS_PER_BYTE.saturating_mul(passed));
                if began.elapsed() > allowed || self.limited.get() > limited {
                    self.met_bound()?;
                    return Ok(None);
                }
            }
        }
        Ok(None)
    }
}

/// The text with a control character for each byte that is no part of a character, at the same places. The engine steps
/// over as many bytes as the first byte of a sequence announces, whether they follow or not.
fn clean(text: &[u8]) -> Cow<'_, [u8]> {
    const STAND_IN: u8 = 0x1A;
    if std::str::from_utf8(text).is_ok() {
        return Cow::Borrowed(text);
    }
    let mut cleaned = Vec::with_capacity(text.len());
    for chunk in text.utf8_chunks() {
        cleaned.extend_from_slice(chunk.valid().as_bytes());
        cleaned.resize(cleaned.len() + chunk.invalid().len(), STAND_IN);
    }
    Cow::Owned(cleaned)
}

/// The start of the character that holds byte `at`; in text that is not UTF-8, some byte near.
fn char_start(text: &[u8], at: usize) -> usize {
    let back = (0..4.min(at)).find(|back| text.get(at - back).is_none_or(|byte| byte & 0xC0 != 0x80));
    at - back.unwrap_or(0)
}

/// Where the character after the one at `at` begins.
fn next_char(text: &[u8], at: usize) -> usize {
    let follows = text.get(at + 1..).unwrap_or_default().iter().take(3);
    at + 1 + follows.take_while(|byte| **byte & 0xC0 == 0x80).count()
}

impl Matcher for Leashed {
    type Captures = NoCaptures;
    type Error = Halted;

    fn find_at(&self, text: &[u8], at: usize) -> Result<Option<Match>, Halted> {
        self.look_up()?;
        if self.given_up() {
            return Ok(None);
        }
        let (text, reach) = if self.fancy.multiline {
            (text, MULTILINE_REACH)
        } else {
            // The text is one line; a carriage return at its end is not part of it.
            (text.strip_suffix(b"\r").unwrap_or(text), LINE_REACH)
        };
        if at > text.len() {
            return Ok(None);
        }
        if text.len() <= reach.whole {
            return self.attempt(&clean(text), at, false);
        }
        self.attempt_by_place(text, at, reach)
    }

    fn new_captures(&self) -> Result<NoCaptures, Halted> {
        Ok(NoCaptures::new())
    }

    fn line_terminator(&self) -> Option<LineTerminator> {
        (!self.fancy.multiline).then(|| LineTerminator::byte(b'\n'))
    }

    fn find_candidate_line(&self, text: &[u8]) -> Result<Option<LineMatchKind>, Halted> {
        self.look_up()?;
        if self.given_up() || text.is_empty() {
            return Ok(None);
        }
        let Some(plain) = &self.plain else {
            return Ok(Some(LineMatchKind::Candidate(0)));
        };
        Ok(plain.find_candidate_line(text).ok().flatten().and_then(|found| {
            let (LineMatchKind::Confirmed(at) | LineMatchKind::Candidate(at)) = found;
            // Past the last line feed there is no line any more.
            (at < text.len() || text.last() != Some(&b'\n')).then_some(LineMatchKind::Candidate(at))
        }))
    }
}
