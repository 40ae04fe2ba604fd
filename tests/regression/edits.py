# SPDX-License-Identifier: GPL-2.0-or-later
"""Edits of a recording's packets, as a changed engine would send them: alone or together.

An edit returns patches: (offset in the payload, bytes that go, bytes that come). Offsets of messages are those of
the dump as JSON.
"""

import struct

from demos import flat
from tool import Capture

LINK_HEADERS = {1: 14, 101: 0, 113: 16, 276: 20}  # Ethernet, none, Linux' two of "any"
UDP = 8
NQ_LENGTH = 0x0000ffff  # in the word that a NetQuake packet begins with
SND_VOLUME_QW, SND_VOLUME = 0x80, 1  # in the high byte of a word; in a byte of flags
UPDATES = {"qw.svc_playerinfo", "q2.svc_frame", "nq.svc_clientdata", "nq.svc_entities"}
REMOVE = {"qw": b"\x3c\x40", "q2": b"\x40\x3c", "nq": b"\x3c\x80"}  # entity 60
REMOVE_AT = {"qw.svc_deltapacketentities": 2, "q2.entity": 0, "nq.svc_entities": 9}
NEW = {"qw": 34, "q2": 6, "nq": 27}  # svc_smallkick, svc_nop, svc_killedmonster: of one byte


def messages(packet, name):
    return [field for field in packet["fields"] if field["name"] == name]


def extra(game, payload, packet, state):
    """A message of one byte more, 15 times a second, while the server sends updates."""
    if packet["time"] < state.get("next", 0) or UPDATES.isdisjoint(field["name"] for field in packet["fields"]):
        return []
    state["next"] = max(state.get("next", 0) + 1 / 15, packet["time"] - 1)
    return [(len(payload), 0, bytes([NEW[game]]))]


def removal(game, payload, packet, state):
    """One entity more that is removed, in each update of entities."""
    places = ([each for each in flat([field]) if each["name"] in REMOVE_AT]
              for field in packet["fields"])
    return [(found[0]["offset"] + REMOVE_AT[found[0]["name"]], 0, REMOVE[game]) for found in places if found]


def sound(game, payload, packet, state):
    """Each svc_sound with its volume, a byte."""
    patches = []
    for field in messages(packet, f"{game}.svc_sound"):
        at = field["offset"] + 1
        if game == "qw" and not payload[at + 1] & SND_VOLUME_QW:
            patches += [(at + 1, 1, bytes([payload[at + 1] | SND_VOLUME_QW])), (at + 2, 0, b"\x64")]
        elif game != "qw" and not payload[at] & SND_VOLUME:
            patches += [(at, 1, bytes([payload[at] | SND_VOLUME])), (at + (2 if game == "q2" else 1), 0, b"\x64")]
    return patches


def statistic(game, payload, packet, state):
    """QuakeWorld's svc_updatestat as svc_updatestatlong."""
    return [patch for field in messages(packet, "qw.svc_updatestat")
            for patch in ((field["offset"], 1, b"\x26"), (field["offset"] + 3, 0, bytes(3)))]


def edited(path, packets, edits):
    """(the capture with these edits, the number of packets that changed)."""
    capture = Capture.read(path)
    changed, state = 0, {}
    link = LINK_HEADERS[capture.link_type]
    for packet in packets:
        if packet["direction"] != "s2c" or not packet.get("session"):
            continue
        time, frame = capture.frames[packet["packet"] - 1]
        game, start = packet["protocol"], link + 4 * (frame[link] & 15) + UDP
        payload = bytearray(frame[start:])
        patches = [patch for edit in edits for patch in edit(game, bytes(payload), packet, state)]
        if not patches:
            continue
        for offset, gone, come in sorted(patches, reverse=True):
            payload[offset:offset + gone] = come
        if game == "nq":
            word, = struct.unpack(">I", payload[:4])
            payload[:4] = struct.pack(">I", word & ~NQ_LENGTH | len(payload))
        frame = bytearray(frame[:start]) + payload
        frame[link + 2:link + 4] = struct.pack(">H", len(frame) - link)
        frame[start - 4:start] = struct.pack(">HH", UDP + len(payload), 0)
        capture.frames[packet["packet"] - 1] = time, bytes(frame)
        changed += 1
    return capture, changed
