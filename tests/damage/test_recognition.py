# SPDX-License-Identifier: GPL-2.0-or-later
"""
Sessions that run when the capture begins, on ports that say nothing, are found by their numbers; and
nothing else is. Without their first packets, what keeps its meaning is still decoded: the protocol, the
qport's width and the direction have to be found out from the packets alone.

    test_recognition.py PCAP2DEMO CAPTURES
"""

import pathlib
import random
import struct
import sys

import capture
import damages
from truth import report

CLIENT, SERVER = (b"\x0a\x00\x00\x01", 40001), (b"\x0a\x00\x00\x02", 5555)
HEADER = bytes(12) + b"\x08\x00" + b"\x45" + bytes(8) + b"\x11" + bytes(2 + 8)
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


def is_found(tool, path):
    """Each packet, also those before it was clear what they are."""
    link_type, frames = capture.read(path)
    capture_ports = {27500, 27910, 27920, 27930, 26000}
    servers = {port for frame in frames if capture.is_udp(frame)
               for _, port in capture.ends(frame) if port < 30000} | capture_ports
    late = [moved(frame, servers) for frame in damages.begin_late(frames, 0.5)]
    found = report(tool, "--check", late)
    return link_type == 1 and found["sessions"] and found["files"][0]["packets"] == len(late)


def is_decoded(tool, path, undecoded):
    """Whatever of the first packets is missing."""
    _, frames = capture.read(path)
    found = [report(tool, "--check", frames[cut:])["files"][0] for cut in CUTS]
    return all(file["undecoded_bytes"] <= undecoded and "malformed" not in file["notes"]
               for file in found)


# --- What is of no game


def conversation(payloads):
    """Packets that the two ends send in turns."""
    frames = []
    for index, payload in enumerate(payloads):
        size = struct.pack(">H", 20 + 8 + len(payload))
        data = HEADER[:16] + size + HEADER[18:] + bytes(8) + payload
        frame = capture.Frame(index * 10**7, data, len(data))
        ends = (CLIENT, SERVER) if index % 2 == 0 else (SERVER, CLIENT)
        frame = capture.with_ends(frame, *ends)
        data = bytearray(frame.data)
        struct.pack_into(">H", data, 14 + 20 + 4, 8 + len(payload))
        frames.append(frame._replace(data=bytes(data)))
    return frames


def dns(dice):
    return [struct.pack(">HHHHHH", dice.randrange(65536), 0x8180 if i % 2 else 0x100, 1, i % 2, 0, 0)
            + b"\x03www\x07example\x03com\0\0\1\0\1" for i in range(200)]


def rtp(dice):
    return [struct.pack(">BBHII", 0x80, 96, i // 2, i * 160, 7) + dice.randbytes(160)
            for i in range(200)]


def quic(dice):
    return [bytes([0x40 | dice.randrange(64)]) + b"connid00" + dice.randbytes(dice.randrange(20, 1200))
            for i in range(200)]


def noise(dice):
    return [dice.randbytes(dice.randrange(1, 600)) for _ in range(200)]


def numbered(dice):
    """The same header as QuakeWorld's, with other bytes behind it (as Half-Life's games have)."""
    return [struct.pack("<II", i // 2 + 1, (i + 1) // 2) + dice.randbytes(dice.randrange(0, 200))
            for i in range(200)]


def numbered_text(dice):
    """Numbers, and a text that does not end."""
    return [struct.pack("<IIH", i // 2 + 1, (i + 1) // 2, 0) + b"\x04hello %d" % dice.randrange(9)
            for i in range(200)]


def numbered_nothing(dice):
    """Headers alone are no evidence."""
    del dice
    return [struct.pack("<II", i // 2 + 1, (i + 1) // 2) for i in range(200)]


NOT_GAMES = [dns, rtp, quic, noise, numbered, numbered_text, numbered_nothing]


def is_left_alone(tool, make):
    for seed in range(3):
        found = report(tool, "--check", conversation(make(random.Random(seed))))
        if found["sessions"] or found["files"][0]["packets"]:
            return False
    return True


def main():
    tool, captures = sys.argv[1], pathlib.Path(sys.argv[2]) / "fidelity"
    results = {name: is_found(tool, captures / f"{name}.pcap.gz") for name in CAPTURES}
    results.update((f"{name} without its beginning",
                    is_decoded(tool, captures / f"{name}.pcap.gz", undecoded))
                   for name, undecoded in UNDECODED.items())
    results.update((make.__name__, is_left_alone(tool, make)) for make in NOT_GAMES)
    for name, good in results.items():
        print(f"{'ok  ' if good else 'FAIL'} {name}")
    return results.values()
