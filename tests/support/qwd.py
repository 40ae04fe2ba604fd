# SPDX-License-Identifier: GPL-2.0-or-later
"""QWD files, read from the document alone: qwd-format section 3, common/quakeworld/PROTOCOL.md section 7."""

import collections
import struct

Cmd = collections.namedtuple("Cmd", "time usercmd viewangles")
Read = collections.namedtuple("Read", "time packet")
Set = collections.namedtuple("Set", "time outgoing incoming")


def split(data):
    """The bytes of each block."""
    pieces, at = [], 0
    while at < len(data):
        size = 5 + (36, 4, 8)[data[at + 4]]
        if data[at + 4] == 1:
            size += struct.unpack_from("<i", data, at + 5)[0]
        pieces.append(data[at:at + size])
        at += size
    return pieces


def blocks(data):
    """The blocks of a demo file; ValueError where it is none."""
    at = 0
    while at < len(data):
        if at + 5 > len(data):
            raise ValueError(f"cut at {at}")
        time, kind = struct.unpack_from("<fB", data, at)
        at += 5
        if kind == 0:
            yield Cmd(time, data[at:at + 24], struct.unpack_from("<3f", data, at + 24))
            at += 36
        elif kind == 1:
            (length,) = struct.unpack_from("<i", data, at)
            if length < 0 or at + 4 + length > len(data):
                raise ValueError(f"length {length} at {at}")
            yield Read(time, data[at + 4:at + 4 + length])
            at += 4 + length
        elif kind == 2:
            yield Set(time, *struct.unpack_from("<ii", data, at))
            at += 8
        else:
            raise ValueError(f"type {kind} at {at - 1}")


def is_connectionless(packet):
    return packet[:4] == b"\xff\xff\xff\xff"
