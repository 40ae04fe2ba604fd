# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares a rebuilt demo with the client's recording, by the tool compare_dm2."""

import collections
import re
import struct
import subprocess

# Of the recording: frames and other messages, and how many of them the rebuilt demo has and lacks; blocks
# that are the same byte for byte. Of the rebuilt demo: bad blocks, and frames without their reference.
Comparison = collections.namedtuple("Comparison", "same frames lacks messages same_blocks blocks bad")


def compare(tool, rebuilt, recording, modelled_only):
    """None where one of the two cannot be read."""
    options = ["--modelled-only"] if modelled_only else []
    run = subprocess.run([tool, *options, rebuilt, recording], capture_output=True, text=True)
    numbers = [int(number) for number in re.findall(r"\d+", run.stdout)]
    return Comparison(*numbers) if len(numbers) == len(Comparison._fields) else None


def blocks_of(path):
    """Of a DM2 demo."""
    data, at, found = path.read_bytes(), 0, []
    while data[at:at + 4] not in (b"", b"\xff" * 4):
        size, = struct.unpack_from("<I", data, at)
        found.append(data[at + 4:at + 4 + size])
        at += 4 + size
    return found
