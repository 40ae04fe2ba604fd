# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures that begin late, made of whole ones: by dropping packets, and adding another client."""

import struct

from tool import ETHERNET, Capture

ETHERNET_SIZE, IP_SIZE, UDP_SIZE = 14, 20, 8
PAYLOAD = ETHERNET_SIZE + IP_SIZE + UDP_SIZE
SOURCE, DESTINATION = ETHERNET_SIZE + 12, ETHERNET_SIZE + 16


def cut(capture, first):
    """Without its first packets."""
    return Capture(capture.link_type, capture.frames[first:])


def readdressed(capture, client, server=None):
    """The same session of another client, whose address the first packet tells: what it sends differs
    a little, or it would be the same one on the other side of a translation of addresses."""
    assert capture.link_type == ETHERNET
    old = capture.frames[0][1][SOURCE:SOURCE + 4]
    return Capture(capture.link_type, [(time, identified(with_address(frame, old, bytes(client), server), client[3]))
                                       for time, frame in capture.frames])


def identified(frame, number):
    """With an IP identification of its own."""
    at = ETHERNET_SIZE + 4
    return frame[:at] + bytes([frame[at] ^ number]) + frame[at + 1:]


def with_address(frame, old, new, server=None):
    """On loopback both ends may have the same address: the client's is the higher port."""
    source_port, destination_port = struct.unpack_from(">HH", frame, ETHERNET_SIZE + IP_SIZE)
    at = SOURCE if source_port > destination_port else DESTINATION
    assert frame[at:at + 4] == old
    readdressed_frame = frame[:at] + new + frame[at + 4:]
    if server:
        other = SOURCE + DESTINATION - at
        readdressed_frame = readdressed_frame[:other] + server + readdressed_frame[other + 4:]
    return of_another_client(readdressed_frame, new[-1]) if at == SOURCE else readdressed_frame


def of_another_client(frame, number):
    """Another impulse (Quake), or another qport."""
    payload = bytearray(frame[PAYLOAD:])
    if payload[:2] == b"\0\x10":
        payload[-1] ^= 0x40 ^ number
    elif payload[:4] != b"\xff\xff\xff\xff" and payload[:1] != b"\x80" and len(payload) > 10:
        payload[8] ^= 0x40 ^ number
    return frame[:PAYLOAD] + bytes(payload)


def moved(capture, microseconds):
    """So much later."""
    return Capture(capture.link_type, [(time + microseconds, frame) for time, frame in capture.frames])


def joined(late, *others):
    """The late session, and others that begin just behind it."""
    start = late.frames[0][0]
    return merged(late, *(moved(other, start - other.frames[0][0] + 1000 * number)
                          for number, other in enumerate(others, 1)))


def merged(*captures):
    """All in one, in the order of time."""
    frames = sorted((frame for capture in captures for frame in capture.frames),
                    key=lambda frame: frame[0])
    return Capture(captures[0].link_type, frames)
