//! The needs of many rules, tested together.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

use memchr::{memmem, memrchr};

use crate::rules::need::Need;

/// A name with what the tables ask about it, worked out once for all of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Probe<'a> {
    name: &'a [u8],
    hash: u64,
    extension: Option<u64>,
}

impl<'a> Probe<'a> {
    pub(crate) fn new(name: &'a [u8]) -> Self {
        let extension = memrchr(b'.', name).map(|dot| hash(&name[dot..]));
        Self { name, hash: hash(name), extension }
    }

    pub(crate) fn name(&self) -> &'a [u8] {
        self.name
    }
}

/// Says whether some rule may match. It may say yes wrongly, never no.
#[derive(Debug, Default)]
pub(crate) struct Table {
    names: HashSet<u64, Ready>,
    /// By the hash of the last dot and what follows.
    extensions: HashMap<u64, Ends, Ready>,
    suffixes: Vec<Vec<u8>>,
    lasts: Bytes,
    prefixes: Vec<Vec<u8>>,
    firsts: Bytes,
    inner: Vec<Vec<u8>>,
    paths: Vec<Vec<u8>>,
    always: bool,
}

/// Hashes stand for the texts: where two fall together, the crate is asked in vain.
type Ready = BuildHasherDefault<AsItIs>;

/// A set of bytes, to spare most names the look at the texts.
#[derive(Debug, Default)]
struct Bytes([u64; 4]);

impl Bytes {
    fn add(&mut self, byte: Option<&u8>) {
        if let Some(byte) = byte {
            self.0[usize::from(byte >> 6)] |= 1 << (byte & 63);
        }
    }

    fn has(&self, byte: Option<&u8>) -> bool {
        byte.is_some_and(|byte| self.0[usize::from(byte >> 6)] & 1 << (byte & 63) != 0)
    }
}

/// How a name with a certain extension must end.
#[derive(Debug, Default)]
struct Ends {
    anyhow: bool,
    suffixes: Vec<Vec<u8>>,
}

impl Table {
    pub(crate) fn add(&mut self, need: &Need) {
        match need {
            Need::Name(name) => {
                self.names.insert(hash(name));
            }
            Need::Extension(extension) => {
                self.extensions.entry(hash(extension)).or_default().anyhow = true;
            }
            Need::Suffix(text) => match memrchr(b'.', text) {
                Some(dot) => push(&mut self.extensions.entry(hash(&text[dot..])).or_default().suffixes, text),
                None => {
                    self.lasts.add(text.last());
                    push(&mut self.suffixes, text);
                }
            },
            Need::Prefix(text) => {
                self.firsts.add(text.first());
                push(&mut self.prefixes, text);
            }
            Need::Contains(text) => push(&mut self.inner, text),
            Need::PathPrefix(text) => push(&mut self.paths, text),
            Need::Always => self.always = true,
        }
    }

    /// `path` is relative to the directory of the ignore file.
    pub(crate) fn may_match(&self, probe: &Probe<'_>, path: &[u8]) -> bool {
        self.always
            || self.names.contains(&probe.hash)
            || probe.extension.and_then(|hash| self.extensions.get(&hash)).is_some_and(|ends| ends.fits(probe.name))
            || self.lasts.has(probe.name.last()) && self.suffixes.iter().any(|text| probe.name.ends_with(text))
            || self.firsts.has(probe.name.first()) && self.prefixes.iter().any(|text| probe.name.starts_with(text))
            || self.inner.iter().any(|text| memmem::find(probe.name, text).is_some())
            || self.paths.iter().any(|text| path.starts_with(text))
    }
}

impl Ends {
    fn fits(&self, name: &[u8]) -> bool {
        self.anyhow || self.suffixes.iter().any(|text| name.ends_with(text))
    }
}

fn push(texts: &mut Vec<Vec<u8>>, text: &[u8]) {
    if !texts.iter().any(|known| known == text) {
        texts.push(text.to_vec());
    }
}

/// A multiplicative hash, eight bytes at a time.
fn hash(bytes: &[u8]) -> u64 {
    const K: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix = |state: u64, word: u64| (state ^ word).wrapping_mul(K).rotate_left(29);
    let (words, rest) = bytes.as_chunks::<8>();
    let mut state = bytes.len() as u64;
    for word in words {
        state = mix(state, u64::from_le_bytes(*word));
    }
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    mix(state, u64::from_le_bytes(last)).wrapping_mul(K)
}

/// Takes a hash as it is.
#[derive(Debug, Default)]
struct AsItIs(u64);

impl Hasher for AsItIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = hash(bytes);
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = value;
    }
}

#[cfg(test)]
mod tests {
    use ignore::gitignore::GitignoreBuilder;
    use proptest::prelude::*;

    use super::*;
    use crate::rules::need::parse;

    fn table(line: &str, is_dir: bool) -> Table {
        let mut table = Table::default();
        if let Some(rule) = parse(line)
            && (is_dir || !rule.dirs_only)
        {
            rule.needs.iter().for_each(|need| table.add(need));
        }
        table
    }

    #[test]
    fn spares_the_crate_on_plain_names() {
        for (line, name, asked) in [
            ("*.py[cod]", "a.py", false),
            ("*.py[cod]", "a.pyc", true),
            ("build/", "build", false),
            ("node_modules", "node_module", false),
            (".*", "x", false),
            ("*.log", "log", false),
            ("*.mod.c", "a.c", false),
            ("*.mod.c", "a.mod.c", true),
        ] {
            assert_eq!(
                table(line, false).may_match(&Probe::new(name.as_bytes()), name.as_bytes()),
                asked,
                "{line} {name}"
            );
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]
        #[test]
        fn never_misses_what_the_crate_matches(
            line in r"(!|\\!|\\#|#)?/?([abc.]|\*|\?|/|\*\*|\\|\[a\]|\[!a\]|\[\^b\]|\[a-c\]|\[|\]|\{a,b\}|\{a/b,c\}|\{|\}|,|-| |\\ |é|\[\]a\]|\[a/\]|\[é.\]|\[\[:alpha:\]\]){0,7}/?( |\\ )?",
            path in r"[abcé. *\[\]!#{},\\-]{1,3}(/[abcé.]{1,2}){0,3}",
            is_dir: bool,
        ) {
            let mut builder = GitignoreBuilder::new("");
            if builder.add_line(None, &line).is_ok()
                && let Ok(matcher) = builder.build()
                && !matcher.matched(&path, is_dir).is_none()
            {
                let name = path.rsplit('/').next().unwrap();
                prop_assert!(table(&line, is_dir).may_match(&Probe::new(name.as_bytes()), path.as_bytes()));
            }
        }
    }
}
