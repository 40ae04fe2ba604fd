# SPDX-License-Identifier: GPL-2.0-or-later
"""DEM files, read independently of the project's own reader."""

import struct

import recordings


class Block:
    def __init__(self, angles, messages):
        self.angles = angles
        self.messages = messages

    def looks_as(self, other, tolerance):
        """The same view, whole turns aside."""
        return all(abs((a - b + 180) % 360 - 180) <= tolerance
                   for a, b in zip(self.angles, other.angles))


def read(path):
    """(header line, blocks)"""
    data = recordings.read(path)
    at = data.index(b"\n") + 1
    header, blocks = data[:at], []
    while at < len(data):
        size, *angles = struct.unpack_from("<I3f", data, at)
        messages = data[at + 16:at + 16 + size]
        if len(messages) != size:
            raise ValueError(f"{path}: cut at {at}")
        blocks.append(Block(angles, messages))
        at += 16 + size
    return header, blocks
