"""A file system in user space of one directory with one file, that never answers one kind of request.

    python stalling_fuse.py MOUNTPOINT {read,open,readdir}

Speaks just enough of the kernel's FUSE protocol (linux/fuse.h); needs the right to mount and no library.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys

_LOOKUP, _FORGET, _GETATTR, _OPEN, _READ, _STATFS, _RELEASE, _FLUSH = 1, 2, 3, 14, 15, 17, 18, 25
_INIT, _OPENDIR, _READDIR, _RELEASEDIR, _INTERRUPT, _BATCH_FORGET = 26, 27, 28, 29, 36, 42
_STALLED = {"read": _READ, "open": _OPEN, "readdir": _READDIR}
_NOT_IMPLEMENTED = -38
_NOT_FOUND = -2
_WITHOUT_REPLY = (_FORGET, _BATCH_FORGET, _INTERRUPT)
_ALWAYS = {
    _INIT: struct.pack("<IIIIHHIIHH8I", 7, 31, 65536, 0, 12, 10, 65536, 1, 16, 0, *([0] * 8)),
    _OPEN: struct.pack("<QII", 1, 1, 0),
    _OPENDIR: struct.pack("<QII", 1, 1, 0),
    _READ: b"needle\n" + b"x" * 993,
    _STATFS: bytes(80),
    _FLUSH: b"",
    _RELEASE: b"",
    _RELEASEDIR: b"",
}


def _attributes(node: int) -> bytes:
    mode, size = (0o40755, 0) if node == 1 else (0o100644, 1000)
    return struct.pack("<6Q10I", node, size, 1, 1, 1, 1, 0, 0, 0, mode, 1, 0, 0, 0, 4096, 0)


def _entries() -> bytes:
    name = b"stalled.txt"
    return struct.pack("<QQII", 2, 1, len(name), 8) + name.ljust(16, b"\0")


def _answer(opcode: int, node: int, body: bytes) -> bytes | int:
    """Give the reply's body, or an error number."""
    if opcode == _LOOKUP:
        if body.rstrip(b"\0") != b"stalled.txt":
            return _NOT_FOUND
        return struct.pack("<QQQQII", 2, 0, 0, 0, 0, 0) + _attributes(2)
    if opcode == _GETATTR:
        return struct.pack("<QII", 0, 0, 0) + _attributes(node)
    if opcode == _READDIR:
        return b"" if struct.unpack_from("<QQ", body)[1] else _entries()
    return _ALWAYS.get(opcode, _NOT_IMPLEMENTED)


def main() -> None:
    """Mount and serve until killed."""
    target, stalled = sys.argv[1], _STALLED[sys.argv[2]]
    device = os.open("/dev/fuse", os.O_RDWR)
    libc = ctypes.CDLL(None, use_errno=True)
    options = f"fd={device},rootmode=40000,user_id=0,group_id=0,allow_other".encode()
    if libc.mount(b"rootle-test", os.fsencode(target), b"fuse", 0, options):
        raise OSError(ctypes.get_errno(), "mount")
    print("mounted", flush=True)
    while True:
        request = os.read(device, 1 << 20)
        _, opcode, unique, node = struct.unpack_from("<IIQQ", request)
        if opcode == stalled or opcode in _WITHOUT_REPLY:
            continue
        answer = _answer(opcode, node, request[40:])
        error, body = (answer, b"") if isinstance(answer, int) else (0, answer)
        os.write(device, struct.pack("<IiQ", 16 + len(body), error, unique) + body)


if __name__ == "__main__":
    main()
