"""Which tools exist. Adding one: a module here, its words in `prompts/<name>.xml`, a line below, and a test."""

from rootle.tools.apply_diff import apply_diff
from rootle.tools.bash import bash
from rootle.tools.bash_kill import bash_kill
from rootle.tools.bash_output import bash_output
from rootle.tools.git_clone import git_clone
from rootle.tools.git_diff import git_diff
from rootle.tools.glob import glob
from rootle.tools.grep import grep
from rootle.tools.list_dir import list_dir
from rootle.tools.read_file import read_file
from rootle.tools.run_python import run_python
from rootle.tools.run_tests import run_tests
from rootle.tools.update_file import update_file
from rootle.tools.write_file import write_file

__all__ = [
    "BUILTIN",
    "apply_diff",
    "bash",
    "bash_kill",
    "bash_output",
    "git_clone",
    "git_diff",
    "glob",
    "grep",
    "list_dir",
    "read_file",
    "run_python",
    "run_tests",
    "update_file",
    "write_file",
]

BUILTIN = (
    glob,
    grep,
    list_dir,
    read_file,
    write_file,
    update_file,
    apply_diff,
    bash,
    bash_output,
    bash_kill,
    run_python,
    run_tests,
    git_diff,
    git_clone,
)
