//! What became of a patch in one file.

use std::fmt;

use rootle_base::Encoding;

use crate::{LineRange, Reason, Refusal, Tier, Warning};

/// What became of a file's section as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileStatus {
    /// There is something to write, to delete or to move.
    Applied,
    /// All is as the patch wants it.
    AlreadyApplied,
    /// Some hunk or the file's state is in the way. Nothing is to be written, unless partial application was allowed
    /// and some hunks could be applied.
    Conflict,
}

impl FileStatus {
    /// The word for it: `applied`, `already_applied` or `conflict`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Applied => "applied",
            Self::AlreadyApplied => "already_applied",
            Self::Conflict => "conflict",
        }
    }
}

/// A file's section applied.
#[derive(Clone, Debug, PartialEq)]
pub struct FileOutcome {
    /// What became of it as a whole.
    pub status: FileStatus,
    /// The content the file is to have; none if it is to be absent. With a conflict and no partial application these
    /// are the bytes that were given.
    pub bytes: Option<Vec<u8>>,
    /// Hunks that are in `bytes`; with a conflict and no partial application, those that could have been.
    pub applied: Vec<HunkOutcome>,
    /// Hunks whose change the file has already.
    pub already_applied: Vec<HunkOutcome>,
    /// What stands in the way.
    pub conflicts: Vec<Conflict>,
    /// The file's encoding, where it was read.
    pub encoding: Option<Encoding>,
}

/// Where a hunk went.
#[derive(Clone, Debug, PartialEq)]
pub struct HunkOutcome {
    /// The hunk, counted from 0 in the section's order.
    pub hunk: usize,
    /// Its header as the patch has it.
    pub header: String,
    /// How near its old lines are to the file's.
    pub tier: Tier,
    /// Likeness from 0 to 1.
    pub score: f64,
    /// The lines of the file that it covers, context and all, before the patch.
    pub before: LineRange,
    /// Those lines after the patch.
    pub after: LineRange,
    /// How many lines below the header's line the place is, where the header has one.
    pub offset: Option<i64>,
    /// What the author should know.
    pub warnings: Vec<Warning>,
}

/// Why a hunk or a section could not be applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ConflictReason {
    /// The hunk was refused as an edit.
    Edit(Reason),
    /// A file that is to be added is there, with other content.
    Exists,
    /// A file that is to be changed, moved or copied is not there.
    Absent,
    /// A file that is to be deleted has not the content that the patch deletes.
    Drifted,
    /// The patch has binary content.
    BinaryPatch,
    /// The file is a symbolic link or a submodule in the patch.
    SpecialFile,
}

impl ConflictReason {
    /// The word for it: that of the [`Reason`], or `exists`, `absent`, `drifted`, `binary_patch`, `special_file`.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::Edit(reason) => reason.code(),
            Self::Exists => "exists",
            Self::Absent => "absent",
            Self::Drifted => "drifted",
            Self::BinaryPatch => "binary_patch",
            Self::SpecialFile => "special_file",
        }
    }
}

/// Something that could not be applied.
#[derive(Clone, Debug, PartialEq)]
pub struct Conflict {
    /// The hunk, counted from 0; none if the section as a whole is meant.
    pub hunk: Option<usize>,
    /// The hunk's header as the patch has it.
    pub header: String,
    /// The line of the patch where the hunk or the section starts, from 1.
    pub patch_line: usize,
    /// The kind.
    pub reason: ConflictReason,
    /// What is wrong and what to do, in a sentence or two for a model.
    pub message: String,
    /// The engine's refusal with its candidates, for a hunk.
    pub refusal: Option<Refusal>,
    /// A hunk with the file's own lines that would apply and does what this one seems to want.
    pub suggested_hunk: Option<String>,
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}
