//! Output that is kept in bounded memory: its beginning and its end.

/// Keeps the first quarter and the last three quarters of what it may hold, and counts everything.
#[derive(Debug)]
pub struct HeadTail {
    head: Vec<u8>,
    head_max: usize,
    /// A ring once it is full; `at` is its oldest byte.
    tail: Vec<u8>,
    tail_max: usize,
    at: usize,
    total: u64,
}

/// What was kept of one stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Captured {
    /// The bytes, in order; what is missing is missing at `gap`.
    pub data: Vec<u8>,
    /// Where in `data` bytes are missing; `None` when all are there.
    pub gap: Option<usize>,
    /// Bytes that were written in all.
    pub total: u64,
}

impl HeadTail {
    /// Holds up to `max` bytes. Memory is taken as it is needed.
    #[must_use]
    pub fn new(max: usize) -> Self {
        let head_max = max / 4;
        Self { head: vec![], head_max, tail: vec![], tail_max: max - head_max, at: 0, total: 0 }
    }

    /// Bytes that were pushed.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Whether `more` bytes could be added without losing any.
    #[must_use]
    pub fn has_room_for(&self, more: usize) -> bool {
        self.total + more as u64 <= (self.head_max + self.tail_max) as u64
    }

    /// Adds bytes at the end.
    pub fn push(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let (head, rest) = bytes.split_at(bytes.len().min(self.head_max - self.head.len()));
        self.head.extend_from_slice(head);
        // Of a piece longer than the ring, the end is all that would stay.
        let rest = &rest[rest.len().saturating_sub(self.tail_max)..];
        let (fill, over) = rest.split_at(rest.len().min(self.tail_max - self.tail.len()));
        self.tail.extend_from_slice(fill);
        let (one, two) = over.split_at(over.len().min(self.tail.len() - self.at));
        self.tail[self.at..self.at + one.len()].copy_from_slice(one);
        self.tail[..two.len()].copy_from_slice(two);
        self.at = if two.is_empty() { self.at + one.len() } else { two.len() };
        if self.at == self.tail.len() {
            self.at = 0;
        }
    }

    /// Everything, as long as nothing is missing, in at most three pieces.
    pub(crate) fn pieces(&self) -> [&[u8]; 3] {
        let (newer, older) = self.tail.split_at(self.at);
        [&self.head, older, newer]
    }

    /// What was kept. Where bytes are missing, no UTF-8 character is cut: its remains on either side go too.
    #[must_use]
    pub fn finish(self) -> Captured {
        let lost = self.total > (self.head.len() + self.tail.len()) as u64;
        let [head, older, newer] = self.pieces();
        let tail = [older, newer].concat();
        if !lost {
            return Captured { data: [head, &tail].concat(), gap: None, total: self.total };
        }
        let head = &head[..whole_end(head)];
        let data = [head, &tail[whole_start(&tail)..]].concat();
        Captured { data, gap: Some(head.len()), total: self.total }
    }
}

/// The length of `text` without a last character that is not complete.
fn whole_end(text: &[u8]) -> usize {
    for back in 1..=text.len().min(3) {
        let at = text.len() - back;
        let needed = match text[at] {
            0x80..=0xBF => continue,
            0xC2..=0xDF => 2,
            0xE0..=0xEF => 3,
            0xF0..=0xF4 => 4,
            _ => 1,
        };
        return if needed > back { at } else { text.len() };
    }
    text.len()
}

/// How many bytes at the start of `text` are the rest of a character that began before it.
fn whole_start(text: &[u8]) -> usize {
    let rest = text.iter().take(4).take_while(|byte| (0x80..=0xBF).contains(*byte)).count();
    // More than three belong to no character.
    if rest > 3 { 0 } else { rest }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn kept(max: usize, pieces: &[Vec<u8>]) -> Captured {
        let mut buffer = HeadTail::new(max);
        pieces.iter().for_each(|piece| buffer.push(piece));
        buffer.finish()
    }

    proptest! {
        #[test]
        fn the_first_quarter_and_the_end_are_kept(max in 0_usize..40, pieces in prop::collection::vec(prop::collection::vec(0_u8..0x80, 0..50), 0..12)) {
            let all = pieces.concat();
            let captured = kept(max, &pieces);
            prop_assert_eq!(captured.total, all.len() as u64);
            if all.len() <= max {
                prop_assert_eq!((captured.data, captured.gap), (all, None));
            } else {
                let (head, tail) = (max / 4, max - max / 4);
                prop_assert_eq!(captured.gap, Some(head));
                prop_assert_eq!(captured.data, [&all[..head], &all[all.len() - tail..]].concat());
            }
        }

        #[test]
        fn no_character_is_cut(max in 0_usize..60, text in "[aäß€😀]{0,60}", size in 1_usize..9) {
            let pieces: Vec<Vec<u8>> = text.as_bytes().chunks(size).map(<[u8]>::to_vec).collect();
            let captured = kept(max, &pieces);
            let gap = captured.gap.unwrap_or(captured.data.len());
            let (head, tail) = captured.data.split_at(gap);
            prop_assert!(text.starts_with(std::str::from_utf8(head).unwrap()));
            prop_assert!(text.ends_with(std::str::from_utf8(tail).unwrap()));
            // Nothing goes that could stay.
            if captured.gap.is_some() {
                prop_assert!(captured.data.len() + 6 >= max.min(text.len()));
            }
        }
    }

    #[test]
    fn bytes_that_are_no_text_stay() {
        let noise: Vec<u8> = (0..=255).collect();
        assert_eq!(kept(256, std::slice::from_ref(&noise)).data, noise);
        let captured = kept(100, &[noise]);
        assert_eq!((captured.total, captured.gap), (256, Some(25)));
        assert_eq!(captured.data.len(), 100);
    }
}
