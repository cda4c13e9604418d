//! File types by name: ripgrep's definitions.

use std::sync::OnceLock;

use ignore::types::{FileTypeDef, TypesBuilder};
use rootle_base::{Error, Result};

/// All known types, ordered by name.
#[must_use]
pub fn file_types() -> &'static [FileTypeDef] {
    static TYPES: OnceLock<Vec<FileTypeDef>> = OnceLock::new();
    TYPES.get_or_init(|| TypesBuilder::new().add_defaults().definitions())
}

/// The globs of a type; `all` stands for every type.
pub(crate) fn globs(name: &str) -> Result<Vec<String>> {
    let types = file_types();
    if name == "all" {
        return Ok(types.iter().flat_map(|known| known.globs().iter().cloned()).collect());
    }
    match types.binary_search_by(|known| known.name().cmp(name)) {
        Ok(at) => Ok(types[at].globs().to_vec()),
        Err(_) => Err(Error::UnknownFileType { name: name.to_owned(), suggestions: near(name) }),
    }
}

/// Types whose files have the name as their extension, then types with a similar name.
fn near(name: &str) -> Vec<String> {
    const SHOWN: usize = 5;
    const ALIKE: f64 = 0.8;
    let name = name.trim_start_matches("*.").trim_start_matches('.').to_lowercase();
    let extension = format!("*.{name}");
    let mut scored: Vec<(f64, &str)> = file_types()
        .iter()
        .map(|known| {
            let by_extension = known.globs().contains(&extension);
            let alike = strsim::jaro_winkler(known.name(), &name);
            (if by_extension { 1.0 + alike } else { alike }, known.name())
        })
        .filter(|(score, _)| *score >= ALIKE)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    scored.into_iter().take(SHOWN).map(|(_, known)| known.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_types() {
        assert!(globs("rust").unwrap().contains(&"*.rs".to_owned()));
        assert!(globs("all").unwrap().len() > 500);
    }

    #[test]
    fn unknown_types_get_suggestions() {
        for (name, expected) in [("rs", "rust"), ("pyhton", "python"), (".tsx", "typescript"), ("*.rb", "ruby")] {
            let Err(Error::UnknownFileType { suggestions, .. }) = globs(name) else { panic!("{name} is known") };
            assert!(suggestions.iter().any(|near| near == expected), "{name} {suggestions:?}");
        }
        assert!(matches!(globs("zzzzzz"), Err(Error::UnknownFileType { suggestions, .. }) if suggestions.is_empty()));
    }
}
