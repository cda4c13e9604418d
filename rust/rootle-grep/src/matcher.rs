//! A compiled search pattern.

use std::sync::Arc;

use rootle_base::Result;

use crate::fancy::Fancy;
use crate::linear::{self, Compiled, Linear};
use crate::pattern::PatternSpec;
use crate::recall::Recall;
use crate::recent::Recent;

/// The patterns of a search, compiled. Cheap to clone; matchers of the same [`PatternSpec`] made one after the other
/// share their compiled form.
#[derive(Clone, Debug)]
pub struct Matcher(Arc<Inner>);

/// What the clones of a matcher share.
#[derive(Debug)]
pub(crate) struct Inner {
    pub spec: Arc<PatternSpec>,
    engine: Engine,
}

impl Inner {
    pub fn compile(spec: &PatternSpec) -> Result<Self> {
        let engine = match linear::compile(spec)? {
            Compiled::Linear(linear) => Engine::Linear(linear),
            Compiled::Backtracking { fold } => Engine::Fancy(Arc::new(Fancy::compile(spec, fold)?)),
        };
        Ok(Self { spec: Arc::new(spec.clone()), engine })
    }
}

/// Who runs the patterns.
#[derive(Debug)]
pub(crate) enum Engine {
    Linear(Linear),
    Fancy(Arc<Fancy>),
}

/// In which lines the same matches are found again, given the text alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Again {
    /// In none: the bounds of the backtracking engine look at the clock and at the rest of the file.
    Never,
    /// In ASCII: where a match can end inside a character, the text that is given depends on the matches.
    Ascii,
    /// In all that are UTF-8.
    Utf8,
}

/// Compiled patterns kept for the next search; agents repeat themselves.
const KEPT: usize = 32;

static COMPILED: Recent<PatternSpec, Matcher> = Recent::new(KEPT);

impl Matcher {
    /// Compiles `spec`, or finds it among the last ones compiled.
    pub fn new(spec: &PatternSpec) -> Result<Self> {
        spec.check()?;
        if let Some(matcher) = COMPILED.get(spec) {
            return Ok(matcher);
        }
        let matcher = Self(Arc::new(Inner::compile(spec)?));
        COMPILED.put(spec.clone(), matcher.clone());
        Ok(matcher)
    }

    /// The engine's name: `regex` takes time linear in the text, `fancy-regex` backtracks within bounds.
    #[must_use]
    pub fn engine(&self) -> &'static str {
        match self.0.engine {
            Engine::Linear(_) => "regex",
            Engine::Fancy(_) => "fancy-regex",
        }
    }

    /// What it was made of.
    #[must_use]
    pub fn spec(&self) -> &PatternSpec {
        &self.0.spec
    }

    /// What finds the matches of a line again when the search is over.
    pub(crate) fn recall(&self) -> Recall {
        Recall::new(&self.0)
    }

    /// Which lines it finds its matches in again, given their text.
    pub(crate) fn again(&self) -> Again {
        match &self.0.engine {
            Engine::Linear(linear) if linear.splits_chars => Again::Ascii,
            Engine::Linear(_) => Again::Utf8,
            Engine::Fancy(_) => Again::Never,
        }
    }

    /// Whether a match can hold a line feed.
    pub(crate) fn spans_lines(&self) -> bool {
        match &self.0.engine {
            Engine::Linear(linear) => !linear::stays_in_line(&linear.matcher) && self.0.spec.multiline,
            Engine::Fancy(_) => self.0.spec.multiline,
        }
    }

    /// Whether a match can hold characters.
    pub(crate) fn consumes(&self) -> bool {
        match &self.0.engine {
            Engine::Linear(linear) => linear.consumes,
            Engine::Fancy(_) => true,
        }
    }

    pub(crate) fn inner(&self) -> &Engine {
        &self.0.engine
    }
}

impl From<Arc<Inner>> for Matcher {
    fn from(inner: Arc<Inner>) -> Self {
        Self(inner)
    }
}
