"""A workspace in a sandbox: every operation through the three methods of a `SandboxClient`.

What decides is rootle itself, on this machine: which files count, what matches, where an edit goes. A *replica* is made
of what the sandbox tells (names, kinds, times, ignore files, the files that a search or an edit needs), in a private
directory, and the core works on that as on any tree. So the answers are those of a local workspace; the sandbox lists,
looks for candidates, gives contents and puts files in their places.
"""

from rootle.workspace.remote.backend import SandboxBackend

__all__ = ["SandboxBackend"]
