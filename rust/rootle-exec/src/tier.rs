//! How processes are held together.

use crate::wire::{Malformed, Reader};

/// What holds a command's processes together, so that all of them can be ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tier {
    /// The helper adopts every orphan of the command.
    Subreaper,
    /// As `Subreaper`, and the command runs in a control group of its own, which the kernel ends at once.
    Cgroup,
    /// The command runs in a process namespace of its own: it sees no other process, and all of them end with the first.
    PidNamespace,
    /// The command runs in namespaces and with a file system that `bwrap` makes: [`crate::protocol::Request::bubblewrap`].
    Bubblewrap,
}

impl Tier {
    /// The name of the tier.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Subreaper => "subreaper",
            Self::Cgroup => "cgroup",
            Self::PidNamespace => "pid_namespace",
            Self::Bubblewrap => "bubblewrap",
        }
    }

    /// From its number.
    pub(crate) fn take(reader: &mut Reader<'_>) -> Result<Self, Malformed> {
        let all = [Self::Subreaper, Self::Cgroup, Self::PidNamespace, Self::Bubblewrap];
        all.get(usize::from(reader.byte()?)).copied().ok_or(Malformed)
    }
}
