"""How a program in Python is started: apart from everything that lies where it runs.

The interpreter runs with `-I`: neither the working directory, nor the directory of a script, nor `PYTHONPATH` and other
variables, nor the user's own packages are on its path, so that no file of the root takes the place of a module, at the
start (`sitecustomize`) or later (`json`). With `import_root` the working directory comes last on the path.

The source comes first on standard input, its length as an argument; what follows is the program's own input. So it may
have any length, leaves no file, and works on any machine that has an interpreter.
"""

from __future__ import annotations

__all__ = ["LAUNCHER", "SOURCE_NAME"]

SOURCE_NAME = "<program>"
"""What the program is called in its tracebacks."""

# Output is not buffered: what was printed before a time limit is there. Nothing is left in the root by importing it.
_OPTIONS = ["-I", "-u", "-B", "-X", "utf8"]

# Runs as `__main__`, whose names the program then has; tracebacks show its lines and nothing of this.
_START = f"""
def _start():
    import linecache, os, sys, traceback
    name, size, root = {SOURCE_NAME!r}, int(sys.argv[1]), sys.argv[2]
    parts = []
    while size:
        part = os.read(0, min(size, 1 << 20))
        if not part:
            sys.exit("the program did not arrive whole")
        parts.append(part)
        size -= len(part)
    source = b"".join(parts)
    sys.argv[:] = [name, *sys.argv[3:]]
    if root:
        sys.path.append(os.getcwd())
    text = source.decode("utf-8", "replace")
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    def hook(kind, error, trace):
        while trace is not None and trace.tb_frame.f_code.co_filename != name:
            trace = trace.tb_next
        traceback.print_exception(kind, error, trace)
    sys.excepthook = hook
    del globals()["_start"]
    return compile(source, name, "exec", dont_inherit=True)
exec(_start())
"""

LAUNCHER = (*_OPTIONS, "-c", _START)
"""Arguments of the interpreter; the source's length, whether the root is on the path, and the program's own follow."""
