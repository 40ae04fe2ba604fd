# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures that begin late, made of whole ones: by dropping packets, and adding another client."""

import struct

from tool import ETHERNET, Capture

ETHERNET_SIZE, IP_SIZE = 14, 20
SOURCE, DESTINATION = ETHERNET_SIZE + 12, ETHERNET_SIZE + 16


def cut(capture, first):
    """Without its first packets."""
    return Capture(capture.link_type, capture.frames[first:])


def readdressed(capture, client):
    """The same session of a client with another address, whose first packet tells the old one."""
    assert capture.link_type == ETHERNET
    old = capture.frames[0][1][SOURCE:SOURCE + 4]
    return Capture(capture.link_type, [(time, with_address(frame, old, bytes(client)))
                                       for time, frame in capture.frames])


def with_address(frame, old, new):
    """On loopback both ends may have the same address: the client's is the higher port."""
    source_port, destination_port = struct.unpack_from(">HH", frame, ETHERNET_SIZE + IP_SIZE)
    at = SOURCE if source_port > destination_port else DESTINATION
    assert frame[at:at + 4] == old
    return frame[:at] + new + frame[at + 4:]


def merged(*captures):
    """All in one, in the order of time."""
    frames = sorted((frame for capture in captures for frame in capture.frames),
                    key=lambda frame: frame[0])
    return Capture(captures[0].link_type, frames)
