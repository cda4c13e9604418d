//! How much text is searched between two looks at the clock.

use std::time::Duration;

/// Sizes that tests make small.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sizes {
    /// The first read of a file; most files end in it.
    pub first_read: usize,
    /// Larger files are searched in windows of this size.
    pub window: usize,
    /// In a line longer than the window, no match shorter than this is lost.
    pub overlap: usize,
    /// A multiline search skips larger files.
    pub multiline: u64,
}

impl Default for Sizes {
    fn default() -> Self {
        Self {
            first_read: 128 << 10,
            window: 1 << 20,
            overlap: 64 << 10,
            multiline: crate::options::MAX_MULTILINE_BYTES,
        }
    }
}

/// The piece size that fits the pattern. A cancelled search must end within 200 ms, and an engine may do a gigabyte a
/// second or a hundred kilobytes.
#[derive(Debug)]
pub(crate) struct Pace {
    piece: usize,
    most: usize,
}

const START: usize = 256 << 10;
const LEAST: usize = 8 << 10;
/// Smaller pieces say little.
const TELLING: usize = LEAST;
const FAST: Duration = Duration::from_millis(15);
const SLOW: Duration = Duration::from_millis(60);

impl Pace {
    pub fn new(sizes: &Sizes) -> Self {
        Self { piece: START.min(sizes.window), most: sizes.window }
    }

    /// How many bytes to search at once.
    pub fn piece(&self) -> usize {
        self.piece
    }

    /// Learns from a piece of `bytes` that took `took`.
    pub fn learn(&mut self, bytes: usize, took: Duration) {
        if took > SLOW {
            self.piece = (self.piece / 4).max(LEAST.min(self.most));
        } else if took < FAST && bytes >= TELLING {
            self.piece = (self.piece * 2).min(self.most);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn learns() {
        let mut pace = Pace::new(&Sizes::default());
        for (took_ms, piece) in [(1, 512 << 10), (1, 1 << 20), (1, 1 << 20), (30, 1 << 20), (900, 256 << 10)] {
            pace.learn(pace.piece(), Duration::from_millis(took_ms));
            assert_eq!(pace.piece(), piece);
        }
        for _ in 0..9 {
            pace.learn(LEAST, Duration::from_secs(1));
        }
        assert_eq!(pace.piece(), LEAST);
    }
}
