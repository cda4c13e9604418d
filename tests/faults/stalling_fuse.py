"""A file system in user space, of one directory with two files in memory, that never answers one kind of request.

    python stalling_fuse.py MOUNTPOINT KIND

KIND is one of `_STALLED`. Reading and opening `well.txt` are answered always. SIGUSR1 makes it answer everything, what
it has held back first; after SIGUSR2 it stalls again. Speaks just enough of the kernel's FUSE protocol (linux/fuse.h);
needs the right to mount and no library.
"""

from __future__ import annotations

import ctypes
import os
import signal
import struct
import sys

_LOOKUP, _FORGET, _GETATTR, _SETATTR, _UNLINK, _RENAME, _OPEN, _READ, _WRITE = 1, 2, 3, 4, 10, 12, 14, 15, 16
_STATFS, _RELEASE, _FSYNC, _FLUSH, _INIT, _OPENDIR, _READDIR, _RELEASEDIR, _FSYNCDIR = (
    17,
    18,
    20,
    25,
    26,
    27,
    28,
    29,
    30,
)
_CREATE, _INTERRUPT, _BATCH_FORGET, _RENAME2 = 35, 36, 42, 45
_STALLED = {
    "read": (_READ,),
    "open": (_OPEN,),
    "opendir": (_OPENDIR,),
    "readdir": (_READDIR,),
    "getattr": (_GETATTR,),
    "lookup": (_LOOKUP,),
    "create": (_CREATE,),
    "write": (_WRITE,),
    "fsync": (_FSYNC,),
    "rename": (_RENAME, _RENAME2),
    "fsyncdir": (_FSYNCDIR,),
}
_NOT_IMPLEMENTED, _NOT_FOUND, _EXISTS = -38, -2, -17
_NO_REPLACE, _EXCHANGE = 1, 2
_SIZE_GIVEN, _MODE_GIVEN = 1 << 3, 1 << 0
_WITHOUT_REPLY = (_FORGET, _BATCH_FORGET, _INTERRUPT)
_OPENED = struct.pack("<QII", 1, 1, 0)
_ALWAYS = {
    _INIT: struct.pack("<IIIIHHIIHH8I", 7, 31, 65536, 0, 12, 10, 65536, 1, 16, 0, *([0] * 8)),
    _OPEN: _OPENED,
    _OPENDIR: _OPENED,
    **dict.fromkeys((_FLUSH, _RELEASE, _RELEASEDIR, _FSYNC, _FSYNCDIR), b""),
    _STATFS: bytes(80),
}

_names = {b"stalled.txt": 2, b"well.txt": 3}
_contents = {node: bytearray(b"needle\n" + b"x" * 993) for node in _names.values()}
_modes = dict.fromkeys(_names.values(), 0o100644)


def _attributes(node: int) -> bytes:
    mode, size = (0o40755, 0) if node == 1 else (_modes[node], len(_contents[node]))
    return struct.pack("<6Q10I", node, size, 1, 1, 1, 1, 0, 0, 0, mode, 1, 0, 0, 0, 4096, 0)


def _entry(node: int) -> bytes:
    return struct.pack("<QQQQII", node, 0, 0, 0, 0, 0) + _attributes(node)


def _listing() -> bytes:
    names = enumerate(_names.items(), 1)
    return b"".join(
        struct.pack("<QQII", node, place, len(name), 8) + name.ljust(-(-len(name) // 8) * 8, b"\0")
        for place, (name, node) in names
    )


def _rename(old: bytes, new: bytes, flags: int) -> bytes | int:
    if old not in _names:
        return _NOT_FOUND
    if flags == _NO_REPLACE and new in _names:
        return _EXISTS
    if flags == _EXCHANGE:
        _names[old], _names[new] = _names[new], _names[old]
    else:
        _names[new] = _names.pop(old)
    return b""


def _write(opcode: int, node: int, body: bytes) -> bytes | int:
    """Answer a request that changes something."""
    if opcode == _CREATE:
        name = body[16:].rstrip(b"\0")
        made = max(_contents) + 1
        _names[name], _contents[made], _modes[made] = made, bytearray(), struct.unpack_from("<4xI", body)[0]
        return _entry(made) + _OPENED
    if opcode == _WRITE:
        offset, size = struct.unpack_from("<8xQI", body)
        content = _contents[node]
        content.extend(bytes(max(0, offset + size - len(content))))
        content[offset : offset + size] = body[40 : 40 + size]
        return struct.pack("<II", size, 0)
    if opcode == _SETATTR:
        valid, size, mode = struct.unpack_from("<I12xQ44xI", body)
        if valid & _MODE_GIVEN:
            _modes[node] = mode
        if valid & _SIZE_GIVEN:
            _contents[node][size:] = bytes(max(0, size - len(_contents[node])))
        return struct.pack("<QII", 0, 0, 0) + _attributes(node)
    if opcode == _UNLINK:
        return b"" if _names.pop(body.rstrip(b"\0"), None) else _NOT_FOUND
    if opcode in (_RENAME, _RENAME2):
        head, flags = (8, 0) if opcode == _RENAME else (16, struct.unpack_from("<8xI", body)[0])
        old, new = body[head:].split(b"\0")[:2]
        return _rename(old, new, flags)
    return _ALWAYS.get(opcode, _NOT_IMPLEMENTED)


def _answer(opcode: int, node: int, body: bytes) -> bytes | int:
    """Give the reply's body, or an error number."""
    if opcode == _LOOKUP:
        found = _names.get(body.rstrip(b"\0"))
        return _NOT_FOUND if found is None else _entry(found)
    if opcode == _GETATTR:
        return struct.pack("<QII", 0, 0, 0) + _attributes(node)
    if opcode == _READ:
        offset, size = struct.unpack_from("<8xQI", body)
        return bytes(_contents[node][offset : offset + size])
    if opcode == _READDIR:
        return b"" if struct.unpack_from("<QQ", body)[1] else _listing()
    return _write(opcode, node, body)


def _mount(target: str) -> int:
    device = os.open("/dev/fuse", os.O_RDWR)
    libc = ctypes.CDLL(None, use_errno=True)
    options = f"fd={device},rootmode=40000,user_id=0,group_id=0,allow_other".encode()
    if libc.mount(b"rootle-test", os.fsencode(target), b"fuse", 0, options):
        raise OSError(ctypes.get_errno(), "mount")
    return device


def main() -> None:
    """Mount and serve until killed."""
    stalled = stalling = _STALLED[sys.argv[2]]
    device = _mount(sys.argv[1])
    held: list[bytes] = []

    def reply(request: bytes) -> None:
        _, opcode, unique, node = struct.unpack_from("<IIQQ", request)
        answer = _answer(opcode, node, request[40:])
        error, body = (answer, b"") if isinstance(answer, int) else (0, answer)
        try:
            os.write(device, struct.pack("<IiQ", 16 + len(body), error, unique) + body)
        except FileNotFoundError:
            # Whoever asked has gone.
            return

    def release(*_: object) -> None:
        nonlocal stalling
        stalling = ()
        while held:
            reply(held.pop(0))

    def stall(*_: object) -> None:
        nonlocal stalling
        stalling = stalled

    signal.signal(signal.SIGUSR1, release)
    signal.signal(signal.SIGUSR2, stall)
    print("mounted", flush=True)
    while True:
        request = os.read(device, 1 << 20)
        _, opcode, _, node = struct.unpack_from("<IIQQ", request)
        if opcode in _WITHOUT_REPLY:
            continue
        if opcode in stalling and not (node == 3 and opcode in (_READ, _OPEN)):
            held.append(request)
        else:
            reply(request)


if __name__ == "__main__":
    main()
