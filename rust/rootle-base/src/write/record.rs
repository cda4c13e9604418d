//! What a journal says, as bytes: fields with their lengths, closed by a hash, so that a journal that was not written
//! to its end is told from a whole one.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

const MAGIC: &[u8] = b"rootle journal 1\n";
const HASH_BYTES: usize = 32;

/// A file that is being overwritten in place.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Overwrite {
    /// The root's own path.
    pub(crate) root: PathBuf,
    /// The file's real path beneath it.
    pub(crate) path: PathBuf,
    pub(crate) old: Vec<u8>,
    pub(crate) new: Vec<u8>,
}

/// Several files that are being changed together.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Commit {
    pub(crate) root: PathBuf,
    pub(crate) steps: Vec<Step>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StepKind {
    Create,
    Replace,
    Remove,
    Overwrite,
}

/// One file of a commit.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) kind: StepKind,
    /// The file's real path beneath the root.
    pub(crate) path: PathBuf,
    /// The temporary file beside it that holds the new content, or will hold the old; of a file that is overwritten,
    /// its journal.
    pub(crate) temp: String,
    /// Hash of the content before; `None` if there was no file.
    pub(crate) old: Option<[u8; HASH_BYTES]>,
    /// Hash of the content after; `None` if there will be no file.
    pub(crate) new: Option<[u8; HASH_BYTES]>,
}

const KINDS: [(StepKind, &[u8]); 4] = [
    (StepKind::Create, b"create"),
    (StepKind::Replace, b"replace"),
    (StepKind::Remove, b"remove"),
    (StepKind::Overwrite, b"overwrite"),
];
const STEP_FIELDS: usize = 5;

impl Overwrite {
    pub(crate) fn encode(&self) -> Vec<u8> {
        encode(&[b"overwrite", path_bytes(&self.root), path_bytes(&self.path), &self.old, &self.new])
    }

    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let [kind, root, path, old, new] = decode(bytes)?.try_into().ok()?;
        (kind == b"overwrite").then(|| Self {
            root: to_path(root),
            path: to_path(path),
            old: old.to_vec(),
            new: new.to_vec(),
        })
    }
}

impl Commit {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut fields: Vec<&[u8]> = vec![b"commit", path_bytes(&self.root)];
        for step in &self.steps {
            let kind = KINDS.iter().find(|(kind, _)| *kind == step.kind).map_or(&b""[..], |(_, word)| word);
            fields.push(kind);
            fields.push(path_bytes(&step.path));
            fields.push(step.temp.as_bytes());
            fields.push(step.old.as_ref().map_or(&[], |hash| hash));
            fields.push(step.new.as_ref().map_or(&[], |hash| hash));
        }
        encode(&fields)
    }

    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let fields = decode(bytes)?;
        let [b"commit", root, rest @ ..] = fields.as_slice() else { return None };
        if rest.len() % STEP_FIELDS != 0 {
            return None;
        }
        let steps = rest.chunks(STEP_FIELDS).map(Step::of).collect::<Option<Vec<_>>>()?;
        Some(Self { root: to_path(root), steps })
    }
}

impl Step {
    fn of(fields: &[&[u8]]) -> Option<Self> {
        let [kind, path, temp, old, new] = fields else { return None };
        let hash = |field: &[u8]| match field {
            [] => Some(None),
            field => field.try_into().ok().map(Some),
        };
        Some(Self {
            kind: KINDS.iter().find(|(_, word)| word == kind)?.0,
            path: to_path(path),
            temp: std::str::from_utf8(temp).ok().filter(|name| !name.contains('/'))?.to_owned(),
            old: hash(old)?,
            new: hash(new)?,
        })
    }
}

fn path_bytes(path: &Path) -> &[u8] {
    path.as_os_str().as_bytes()
}

fn to_path(bytes: &[u8]) -> PathBuf {
    PathBuf::from(OsString::from_vec(OsStr::from_bytes(bytes).as_bytes().to_vec()))
}

fn encode(fields: &[&[u8]]) -> Vec<u8> {
    let mut out = MAGIC.to_vec();
    for field in fields {
        out.extend_from_slice(&(field.len() as u64).to_le_bytes());
        out.extend_from_slice(field);
    }
    let hash = blake3::hash(&out);
    out.extend_from_slice(hash.as_bytes());
    out
}

fn decode(bytes: &[u8]) -> Option<Vec<&[u8]>> {
    let (body, hash) = bytes.split_at_checked(bytes.len().checked_sub(HASH_BYTES)?)?;
    if blake3::hash(body).as_bytes() != hash {
        return None;
    }
    let mut rest = body.strip_prefix(MAGIC)?;
    let mut fields = Vec::new();
    while !rest.is_empty() {
        let (length, after) = rest.split_first_chunk()?;
        let (field, after) = after.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
        fields.push(field);
        rest = after;
    }
    Some(fields)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn overwrite() -> Overwrite {
        Overwrite { root: "/r".into(), path: "a/b".into(), old: b"old\0".to_vec(), new: Vec::new() }
    }

    #[test]
    fn records_come_back() {
        assert_eq!(Overwrite::decode(&overwrite().encode()), Some(overwrite()));
        let commit = || Commit {
            root: "/r".into(),
            steps: vec![
                Step { kind: StepKind::Create, path: "new".into(), temp: "t".into(), old: None, new: Some([1; 32]) },
                Step { kind: StepKind::Remove, path: "x/y".into(), temp: "u".into(), old: Some([2; 32]), new: None },
            ],
        };
        assert_eq!(Commit::decode(&commit().encode()), Some(commit()));
        assert_eq!(Commit::decode(&overwrite().encode()), None);
        assert_eq!(Overwrite::decode(&commit().encode()), None);
    }

    #[test]
    fn a_cut_or_changed_record_is_none() {
        let whole = overwrite().encode();
        for end in 0..whole.len() {
            assert_eq!(Overwrite::decode(&whole[..end]), None, "{end}");
        }
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 1;
            assert_eq!(Overwrite::decode(&changed), None, "{at}");
        }
    }
}
