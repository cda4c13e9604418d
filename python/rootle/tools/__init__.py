"""Which tools exist. Adding one: a module here, its words in `prompts/<name>.xml`, a line below, and a test."""

from rootle.tools.glob import glob
from rootle.tools.grep import grep
from rootle.tools.list_dir import list_dir
from rootle.tools.read_file import read_file

__all__ = ["BUILTIN", "glob", "grep", "list_dir", "read_file"]

BUILTIN = (glob, grep, list_dir, read_file)
