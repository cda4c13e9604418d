"""A file system in user space of one directory with two files, that never answers one kind of request.

    python stalling_fuse.py MOUNTPOINT {read,open,opendir,readdir,getattr,lookup}

Reading and opening `well.txt` are answered always. Speaks just enough of the kernel's FUSE protocol
(linux/fuse.h); needs the right to mount and no library.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys

_LOOKUP, _FORGET, _GETATTR, _OPEN, _READ, _STATFS, _RELEASE, _FLUSH = 1, 2, 3, 14, 15, 17, 18, 25
_INIT, _OPENDIR, _READDIR, _RELEASEDIR, _INTERRUPT, _BATCH_FORGET = 26, 27, 28, 29, 36, 42
_STALLED = {
    "read": _READ,
    "open": _OPEN,
    "opendir": _OPENDIR,
    "readdir": _READDIR,
    "getattr": _GETATTR,
    "lookup": _LOOKUP,
}
_FILES = {b"stalled.txt": 2, b"well.txt": 3}
_CONTENT = b"needle\n" + b"x" * 993
_NOT_IMPLEMENTED = -38
_NOT_FOUND = -2
_WITHOUT_REPLY = (_FORGET, _BATCH_FORGET, _INTERRUPT)
_ALWAYS = {
    _INIT: struct.pack("<IIIIHHIIHH8I", 7, 31, 65536, 0, 12, 10, 65536, 1, 16, 0, *([0] * 8)),
    _OPEN: struct.pack("<QII", 1, 1, 0),
    _OPENDIR: struct.pack("<QII", 1, 1, 0),
    _STATFS: bytes(80),
    _FLUSH: b"",
    _RELEASE: b"",
    _RELEASEDIR: b"",
}


def _attributes(node: int) -> bytes:
    mode, size = (0o40755, 0) if node == 1 else (0o100644, 1000)
    return struct.pack("<6Q10I", node, size, 1, 1, 1, 1, 0, 0, 0, mode, 1, 0, 0, 0, 4096, 0)


def _entries() -> bytes:
    names = enumerate(_FILES.items(), 1)
    return b"".join(
        struct.pack("<QQII", node, place, len(name), 8) + name.ljust(-(-len(name) // 8) * 8, b"\0")
        for place, (name, node) in names
    )


def _answer(opcode: int, node: int, body: bytes) -> bytes | int:
    """Give the reply's body, or an error number."""
    if opcode == _LOOKUP:
        found = _FILES.get(body.rstrip(b"\0"))
        if found is None:
            return _NOT_FOUND
        return struct.pack("<QQQQII", found, 0, 0, 0, 0, 0) + _attributes(found)
    if opcode == _GETATTR:
        return struct.pack("<QII", 0, 0, 0) + _attributes(node)
    if opcode == _READ:
        offset, size = struct.unpack_from("<8xQI", body)
        return _CONTENT[offset : offset + size]
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
        well = node == _FILES[b"well.txt"] and opcode in (_READ, _OPEN)
        if (opcode == stalled and not well) or opcode in _WITHOUT_REPLY:
            continue
        answer = _answer(opcode, node, request[40:])
        error, body = (answer, b"") if isinstance(answer, int) else (0, answer)
        os.write(device, struct.pack("<IiQ", 16 + len(body), error, unique) + body)


if __name__ == "__main__":
    main()
