//! Which of the files found are wanted.

use std::sync::Arc;

use rootle_base::Result;

use crate::globs::{Globs, Place, hidden_names, literal_brackets, places};
use crate::order::is_under;
use crate::types;

/// Include globs, exclude globs and file types, as a caller gives them.
///
/// A glob without a `/` is matched against the last name of a path, at any depth; one with a `/` against the path
/// relative to `base`. A leading `./` or `/` anchors a glob to the base. A glob that ends in `/` stands for everything
/// below that directory. Filters only narrow: what ignore rules drop stays dropped; but a glob that names a hidden file
/// or directory (`.github/*.yml`) un-hides it.
#[derive(Clone, Debug, Default)]
pub struct FilterSpec {
    /// A file must match one of them, if there are any. A leading `!` makes an exclude glob of it.
    pub include: Vec<String>,
    /// Files and whole directories to leave out.
    pub exclude: Vec<String>,
    /// Names of file types, such as `rust` or `py`; a file must be of one of them, if there are any.
    pub types: Vec<String>,
    /// Match globs without regard to case.
    pub ignore_case: bool,
    /// The directory, relative to the root, that globs with a `/` are relative to; empty for the root.
    pub base: Vec<u8>,
}

/// A compiled [`FilterSpec`]. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Filter(Arc<Compiled>);

#[derive(Debug, Default)]
struct Compiled {
    include: Option<Globs>,
    exclude: Globs,
    exclude_dirs: Globs,
    types: Option<Globs>,
    unhide: Globs,
    /// None if matches may lie anywhere.
    places: Option<Vec<Place>>,
    base: Vec<u8>,
}

impl Filter {
    /// Compiles the globs and looks up the types.
    ///
    /// # Errors
    /// [`rootle_base::Error::InvalidGlob`], [`rootle_base::Error::PatternTooLarge`] and
    /// [`rootle_base::Error::UnknownFileType`].
    pub fn new(spec: &FilterSpec) -> Result<Self> {
        let (mut include, mut exclude, mut exclude_dirs) = (Vec::new(), Vec::new(), Vec::new());
        for glob in &spec.include {
            match glob.strip_prefix('!') {
                Some(glob) => push_exclude(glob, &mut exclude, &mut exclude_dirs),
                None => include.push(anchored(glob).into_owned()),
            }
        }
        for glob in &spec.exclude {
            push_exclude(glob, &mut exclude, &mut exclude_dirs);
        }
        for glob in &mut include {
            if glob.len() > 1 && glob.ends_with('/') {
                glob.push_str("**");
            }
        }
        let mut type_globs = Vec::new();
        for name in &spec.types {
            type_globs.extend(types::globs(name)?);
        }
        let unhide: Vec<String> = include.iter().flat_map(|glob| hidden_names(glob)).collect();
        let everywhere = include.iter().map(|glob| places(glob, spec.ignore_case)).collect::<Option<Vec<_>>>();
        let brackets: Vec<String> = include.iter().filter_map(|glob| literal_brackets(glob)).collect();
        let globs = |globs: &[String]| Globs::new(globs, spec.ignore_case);
        Ok(Self(Arc::new(Compiled {
            places: everywhere.filter(|places| !places.is_empty()).map(|places| places.concat()),
            include: if include.is_empty() {
                None
            } else {
                // The plain reading first, so that an error names what the caller wrote.
                globs(&include)?;
                Some(globs(&[include, brackets].concat())?)
            },
            exclude: globs(&exclude)?,
            exclude_dirs: globs(&exclude_dirs)?,
            types: if spec.types.is_empty() { None } else { Some(Globs::new(&type_globs, false)?) },
            unhide: globs(&unhide).unwrap_or_default(),
            base: spec.base.clone(),
        })))
    }

    /// Lets every file pass.
    #[must_use]
    pub fn all() -> Self {
        Self::default()
    }

    /// Whether every file passes and every directory is entered.
    pub fn is_all(&self) -> bool {
        self.0.include.is_none()
            && self.0.types.is_none()
            && self.0.exclude.is_empty()
            && self.0.exclude_dirs.is_empty()
    }

    /// Whether a file passes.
    #[must_use]
    pub fn wants_file(&self, path: &[u8], name: &[u8]) -> bool {
        self.0.types.as_ref().is_none_or(|types| types.is_match(name, name))
            && self.wants(path, name)
            && !self.excludes(path, name, false)
    }

    /// Whether the path matches an include glob, if there are any.
    #[must_use]
    pub fn wants(&self, path: &[u8], name: &[u8]) -> bool {
        self.0.include.as_ref().is_none_or(|globs| globs.is_match(self.relative(path), name))
    }

    /// Whether an exclude glob drops the file, or the directory with all below it.
    #[must_use]
    pub fn excludes(&self, path: &[u8], name: &[u8], is_dir: bool) -> bool {
        let dropped = |globs: &Globs| !globs.is_empty() && globs.is_match(self.relative(path), name);
        dropped(&self.0.exclude) || is_dir && dropped(&self.0.exclude_dirs)
    }

    /// Whether an include glob names this hidden file or directory.
    #[must_use]
    pub fn unhides(&self, path: &[u8], name: &[u8]) -> bool {
        !self.0.unhide.is_empty() && self.0.unhide.is_match(self.relative(path), name)
    }

    /// Whether a wanted file can lie below the directory.
    #[must_use]
    pub fn may_contain(&self, dir: &[u8]) -> bool {
        let Some(places) = &self.0.places else { return true };
        if is_under(&self.0.base, dir) {
            return true;
        }
        let dir = self.relative(dir);
        let depth = if dir.is_empty() { 0 } else { dir.iter().filter(|byte| **byte == b'/').count() + 1 };
        places.iter().any(|place| {
            (is_under(dir, &place.below) || is_under(&place.below, dir))
                && place.names.is_none_or(|names| depth < names)
        })
    }

    fn relative<'a>(&self, path: &'a [u8]) -> &'a [u8] {
        if self.0.base.is_empty() || !is_under(path, &self.0.base) {
            return path;
        }
        path.get(self.0.base.len() + 1..).unwrap_or_default()
    }
}

/// `./a` means `a` right here.
fn anchored(glob: &str) -> std::borrow::Cow<'_, str> {
    match glob.strip_prefix("./") {
        Some(rest) => format!("/{}", rest.trim_start_matches('/')).into(),
        None => glob.into(),
    }
}

fn push_exclude(glob: &str, exclude: &mut Vec<String>, exclude_dirs: &mut Vec<String>) {
    let glob = anchored(glob);
    match glob.strip_suffix('/').filter(|rest| !rest.is_empty()) {
        Some(rest) => exclude_dirs.push(rest.to_owned()),
        None => exclude.push(glob.clone().into_owned()),
    }
    // Where everything below a directory is unwanted, it need not be entered.
    if let Some(rest) = glob.strip_suffix("/**").filter(|rest| !rest.is_empty() && *rest != "**") {
        let anchor = if rest.contains('/') { "" } else { "/" };
        exclude_dirs.push(format!("{anchor}{rest}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filter(include: &[&str], exclude: &[&str], types: &[&str], base: &str) -> Filter {
        let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        let (include, exclude, types) = (owned(include), owned(exclude), owned(types));
        Filter::new(&FilterSpec { include, exclude, types, ignore_case: false, base: base.as_bytes().to_vec() })
            .unwrap()
    }

    fn wants(filter: &Filter, path: &str) -> bool {
        filter.wants_file(path.as_bytes(), path.rsplit('/').next().unwrap().as_bytes())
    }

    #[test]
    fn files() {
        for (include, exclude, types, base, path, expected) in [
            (&[][..], &[][..], &[][..], "", "a", true),
            (&["*.py"], &[], &[], "", "a/b.py", true),
            (&["*.py"], &["test_*"], &[], "", "a/test_b.py", false),
            (&["*.py", "!test_*"], &[], &[], "", "a/test_b.py", false),
            (&["!test_*"], &[], &[], "", "a/b.c", true),
            (&["src/*.py"], &[], &[], "", "src/b.py", true),
            (&["src/*.py"], &[], &[], "a", "a/src/b.py", true),
            (&["src/*.py"], &[], &[], "a", "a/x/src/b.py", false),
            (&["./*.py"], &[], &[], "", "b.py", true),
            (&["./*.py"], &[], &[], "", "a/b.py", false),
            (&["src/"], &[], &[], "", "src/a/b", true),
            (&["src/"], &[], &[], "", "lib/a", false),
            (&["[id].tsx"], &[], &[], "", "a/[id].tsx", true),
            (&["[id].tsx"], &[], &[], "", "a/i.tsx", true),
            (&[], &[], &["rust"], "", "a/b.rs", true),
            (&[], &[], &["rust"], "", "a/b.py", false),
            (&[], &[], &["rust", "py"], "", "a/b.py", true),
            (&["a*"], &[], &["rust"], "", "b.rs", false),
        ] {
            assert_eq!(wants(&filter(include, exclude, types, base), path), expected, "{include:?} {exclude:?} {path}");
        }
    }

    #[test]
    fn directories_that_are_not_entered() {
        for (include, base, dir, expected) in [
            (&["src/**/*.py"][..], "", "src", true),
            (&["src/**/*.py"], "", "src/a/b", true),
            (&["src/**/*.py"], "", "lib", false),
            (&["a/b/*.py"], "", "a", true),
            (&["a/b/*.py"], "", "a/b", true),
            (&["a/b/*.py"], "", "a/b/c", false),
            (&["a/b/*.py", "*.c"], "", "z", true),
            (&["a/*"], "x/y", "x", true),
            (&["a/*"], "x/y", "x/y", true),
            (&["a/*"], "x/y", "x/y/b", false),
            (&["/*.py"], "", "a", false),
            (&[], "", "a", true),
        ] {
            assert_eq!(filter(include, &[], &[], base).may_contain(dir.as_bytes()), expected, "{include:?} {dir}");
        }
        for (exclude, dir, expected) in [
            ("build", "a/build", true),
            ("build/", "a/build", true),
            ("build/**", "build", true),
            ("build/**", "a/build", false),
            ("a/b/**", "a/b", true),
            ("**/x/**", "a/x", true),
            ("*.py", "a", false),
        ] {
            let name = dir.rsplit('/').next().unwrap();
            let excludes = filter(&[], &[exclude], &[], "").excludes(dir.as_bytes(), name.as_bytes(), true);
            assert_eq!(excludes, expected, "{exclude} {dir}");
        }
        assert!(!filter(&[], &["build/"], &[], "").excludes(b"build", b"build", false));
    }

    #[test]
    fn hidden_names_that_a_glob_names() {
        for (include, path, expected) in [
            (".env*", "a/.env.local", true),
            ("*.py", ".a.py", false),
            (".github/**", ".github", true),
            (".github/**", "a/.github", false),
            ("**/.x/*", "a/.x", true),
            ("./a", ".b", false),
        ] {
            let name = path.rsplit('/').next().unwrap();
            let unhides = filter(&[include], &[], &[], "").unhides(path.as_bytes(), name.as_bytes());
            assert_eq!(unhides, expected, "{include} {path}");
        }
    }
}
