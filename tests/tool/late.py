# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures that begin late, or have sessions of several clients, made of whole ones."""

import struct

from tool import ETHERNET

IDENTIFICATION, SOURCE, DESTINATION, PORTS, PAYLOAD = 18, 26, 30, 34, 42


def cut(capture, first):
    """Without its first packets."""
    return capture.of(capture.frames[first:])


def readdressed(capture, client, server=None):
    """The session of a client with another address, with other IP identifications and another qport (in Quake, another
    impulse): without them it would be the same session behind a NAT."""
    assert capture.link_type == ETHERNET
    old = capture.frames[0][1][SOURCE:SOURCE + 4]
    return capture.of((time, readdressed_frame(frame, old, bytes(client), server)) for time, frame in capture.frames)


def readdressed_frame(frame, old, new, server):
    """On loopback both ends may have the same address: the client has the higher port."""
    frame, number = bytearray(frame), new[-1]
    source_port, destination_port = struct.unpack_from(">HH", frame, PORTS)
    from_client = source_port > destination_port
    at, other = (SOURCE, DESTINATION) if from_client else (DESTINATION, SOURCE)
    assert frame[at:at + 4] == old
    frame[at:at + 4] = new
    if server:
        frame[other:other + 4] = server
    frame[IDENTIFICATION] ^= number
    payload = frame[PAYLOAD:]
    if from_client and payload[:2] == b"\0\x10":
        frame[-1] ^= 0x40 ^ number
    elif from_client and payload[:4] != b"\xff\xff\xff\xff" and payload[:1] != b"\x80" and len(payload) > 10:
        frame[PAYLOAD + 8] ^= 0x40 ^ number
    return bytes(frame)


def moved(capture, microseconds):
    """Later by this time."""
    return capture.of((time + microseconds, frame) for time, frame in capture.frames)


def joined(late, *others):
    """The late session, and others that begin just behind it."""
    start = late.frames[0][0]
    return merged(late, *(moved(other, start - other.frames[0][0] + 1000 * number)
                          for number, other in enumerate(others, 1)))


def merged(*captures):
    """All packets in the order of time."""
    return captures[0].of(sorted((frame for capture in captures for frame in capture.frames), key=lambda frame: frame[0]))
