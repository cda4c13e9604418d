/*!
Commands that end on time with everything they started, and give back what they printed.

[`run`] hands a command to the helper executable of this crate, which owns the command's processes, so that nothing of the
calling process's own state is changed: it becomes no subreaper, handles no signal, changes no directory and has no child.
The host reads the output into bounded memory and sets the time; the helper ends the tree. [`protocol`] is what they say to
each other.

The helper is a *guardian*, one beside each host, and for each command a *supervisor*, a fork of it. The guardian is started
with the first command, so that the next ones cost no start of a program but their own, and keeps one supervisor ready. It ends
when it was idle for a minute or its host is gone.

# What holds the processes together

| | `subreaper` | `cgroup` | `pid_namespace`, `bubblewrap` |
|---|---|---|---|
| background children, own sessions, double forks, stopped processes are ended | yes | yes | yes |
| the host is killed outright: all end within a second | yes | yes | yes |
| `kill -9 $PPID` | the guardian ends the rest | the guardian ends the rest | has no effect |
| both processes of the helper are killed | what kept its environment | all | cannot be done |
| a fork bomb | rounds of killing | at once | at once |
| `kill -9 -1` | ends the host too, if it is the same user's | same | cannot leave the namespace |

A tier that cannot be had is an error, not a silent step down.
*/

pub mod packets;
pub mod processes;
pub mod protocol;
mod tier;
pub mod wire;

#[cfg(feature = "host")]
mod host;

#[cfg(feature = "host")]
pub use host::{Captured, Command, Ended, HeadTail, Outcome, Spill, Spilled, Stdin, Streams, run};
