# SPDX-License-Identifier: GPL-2.0-or-later
"""
Sessions that run when the capture begins, on ports that no game has, are found by their numbers; and
nothing else is. Without their first packets, what keeps its meaning is still decoded: the protocol, the
qport's width and the direction have to be found out from the packets alone.
"""

import random
import struct

import capture
import damages
import tool
import truth

PORTS = {27500, 27910, 27920, 27930, 26000}
CAPTURES = ["qw-vanilla", "qw-extended", "q2-protocol34", "q2-protocol35", "q2-protocol36",
            "nq-protocol15", "nq-protocol666", "nq-fte"]

# Bytes that no client can read, or only one that has seen the level's beginning.
UNDECODED = {"nq-dp7": 0, "nq-fte": 0, "nq-protocol15": 0, "nq-protocol666": 0, "q2-aqtion": 0,
             "q2-playerupdate": 840, "q2-protocol34": 6, "q2-protocol35": 22, "q2-protocol36": 22,
             "qw-fte": 0, "qw-id": 0, "qw-vanilla": 0}
CUTS = [1, 3, 5, 7, 10, 50, 700]


def moved(frame, ports):
    """Servers listen elsewhere."""
    if not capture.is_udp(frame):
        return frame
    source, destination = [(address, 5000 + port % 1000 if port in ports else port)
                           for address, port in capture.ends(frame)]
    return capture.with_ends(frame, source, destination)


def is_found(name):
    """Whether each packet is found, also those before the recognition."""
    _, frames = capture.read(truth.own(name))
    servers = {port for frame in frames if capture.is_udp(frame)
               for _, port in capture.ends(frame) if port < 30000} | PORTS
    late = [moved(frame, servers) for frame in damages.begin_late(frames, 0.5)]
    found = truth.report("--check", late)
    return found["sessions"] and found["files"][0]["packets"] == len(late)


def is_decoded(name):
    """However many of the first packets are missing."""
    _, frames = capture.read(truth.own(name))
    found = [truth.report("--check", frames[cut:])["files"][0] for cut in CUTS]
    return all(file["undecoded_bytes"] <= UNDECODED[name] and "malformed" not in file["notes"]
               for file in found)


# --- Payloads of no game


def numbers(i):
    """QuakeWorld's header, which also Half-Life's games have."""
    return struct.pack("<II", i // 2 + 1, (i + 1) // 2)


NOT_GAMES = {
    "DNS": lambda i, dice: struct.pack(">HHHHHH", dice.randrange(65536), 0x8180 if i % 2 else 0x100, 1, i % 2, 0, 0)
    + b"\x03www\x07example\x03com\0\0\1\0\1",
    "RTP": lambda i, dice: struct.pack(">BBHII", 0x80, 96, i // 2, i * 160, 7) + dice.randbytes(160),
    "QUIC": lambda i, dice: bytes([0x40 | dice.randrange(64)]) + b"connid00" + dice.randbytes(dice.randrange(20, 1200)),
    "noise": lambda i, dice: dice.randbytes(dice.randrange(1, 600)),
    "Half-Life's games": lambda i, dice: numbers(i) + dice.randbytes(dice.randrange(0, 200)),
    "a text that does not end": lambda i, dice: numbers(i) + b"\0\0\x04hello %d" % dice.randrange(9),
    "headers alone": lambda i, dice: numbers(i),
}


def is_left_alone(make):
    """A conversation of two ends that send in turns."""
    client, server = (1, 40001), (2, 5555)
    for seed in range(3):
        dice, frames = random.Random(seed), []
        for i in range(200):
            data = tool.udp_frame(*((server, client) if i % 2 else (client, server)), make(i, dice))
            frames.append(capture.Frame(i * 10**7, data, len(data)))
        found = truth.report("--check", frames)
        if found["sessions"] or found["files"][0]["packets"]:
            return False
    return True


def main():
    results = {name: is_found(name) for name in CAPTURES}
    results.update((f"{name} without its beginning", is_decoded(name)) for name in UNDECODED)
    results.update((name, is_left_alone(make)) for name, make in NOT_GAMES.items())
    for name, good in results.items():
        print(f"{'ok  ' if good else 'FAIL'} {name}")
    return results.values()
