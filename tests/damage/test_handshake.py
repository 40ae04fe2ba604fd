# SPDX-License-Identifier: GPL-2.0-or-later
"""
The demo of a connection whose accept the capture lacks is that of the whole capture; also where an
older connection of the same ends left a packet. What a connect says is of the session that it begins,
also where another player gets the port of a client that has crashed.

    test_handshake.py PCAP2DEMO CAPTURES
"""

import pathlib
import struct

import capture
from truth import convert, report

OOB = b"\xff\xff\xff\xff"
CONTROL = b"\x80\x00"
CCREQ_CONNECT, CCREP_ACCEPT = 0x01, 0x81
UNRELIABLE = 0x00100000
CAPTURES = ["qw-vanilla", "qw-extended", "qw-id", "qw-fte", "q2-protocol34", "q2-protocol35",
            "q2-protocol36", "q2-playerupdate", "q2-aqtion", "nq-protocol15", "nq-protocol666",
            "nq-dp7"]
BEGINNING = 24  # packets, with the handshake
# Of an older connection: more than one can be late, and so few that they might be.
NUMBERS = 5000, 12


def is_control(data, command):
    return data[:2] == CONTROL and data[4:5] == bytes([command])


def is_accept(frame):
    data = capture.payload(frame)
    return (data[:5] == OOB + b"j" or data.startswith((OOB + b"client_connect", OOB + b"accept")) or
            is_control(data, CCREP_ACCEPT))


def is_request(frame):
    data = capture.payload(frame)
    return data.startswith(OOB + b"connect") or is_control(data, CCREQ_CONNECT)


def client_packet(frames, number):
    """A client's message that does nothing, by the game that the first request is of."""
    request = next(filter(is_request, frames))
    if any(capture.payload(frame).startswith((CONTROL, OOB + b"connect\\")) and is_request(frame)
           for frame in frames):
        data = struct.pack(">II", UNRELIABLE | 9, number) + b"\x01"
    else:
        data = struct.pack("<IIH", number, number - 2, 0) + b"\x01"
    head = bytearray(request.data[:-len(capture.payload(request))])
    struct.pack_into(">H", head, capture.ETHERNET_HEADER + 2, 28 + len(data))
    struct.pack_into(">HH", head, len(head) - 4, 8 + len(data), 0)
    data = bytes(head) + data
    return request._replace(data=data, size=len(data), time=frames[0].time)


def check(tool, path):
    """How many ways of damaging it change a demo."""
    _, frames = capture.read(path)
    whole = convert(tool, frames).demos
    without = [frame for frame in frames if not is_accept(frame)]
    tries = [without, *([client_packet(frames, number), *without] for number in NUMBERS)]
    bad = [number for number, frames in enumerate(tries) if convert(tool, frames).demos != whole]
    if not whole or len(without) == len(frames):
        bad.append("nothing was tried")
    if bad:
        print(f"{path.name}: {bad}")
    return len(bad)


def sessions(tool, frames):
    """Player and version of each."""
    return [(session["player"], session["version"]) for session in report(tool, "--list", frames)["sessions"]]


def at_port(path, port):
    """The frames of the first client, which is then at another address, up to three quarters."""
    _, frames = capture.read(path)
    client, server = capture.ends(next(filter(is_request, frames)))
    there = {client: (b"\x0a\0\0\x05", 27001), server: (b"\x0a\0\0\x01", port)}
    frames = [capture.with_ends(frame, *(there[end] for end in capture.ends(frame)))
              for frame in frames
              if capture.is_udp(frame) and set(capture.ends(frame)) == {client, server}]
    return frames[:len(frames) * 3 // 4]


def check_next(tool, folder, first, second, port):
    """0: the two sessions keep what they are, and the second is there without its handshake, too."""
    one, other = (at_port(pathlib.Path(folder) / "fidelity" / f"{name}.pcap.gz", port)
                  for name in (first, second))
    later = one[-1].time + 2 * capture.NANOSECONDS - other[0].time
    other = [frame._replace(time=frame.time + later) for frame in other]
    found, expected = sessions(tool, one + other), sessions(tool, one) + sessions(tool, other)
    if found != expected or len(expected) < 2:
        print(f"{first}, {second}: {found}, not {expected}")
        return 1
    found = len(sessions(tool, one + other[BEGINNING:]))
    if found != len(expected):
        print(f"{first}, {second} without its handshake: {found} sessions, not {len(expected)}")
    return found != len(expected)


def main(tool, folder):
    paths = [pathlib.Path(folder) / "fidelity" / f"{name}.pcap.gz" for name in CAPTURES]
    bad = sum(check(tool, path) for path in paths)
    print(f"{len(paths)} captures, {bad} demos differ")
    for first, second, port in (("qw-vanilla", "qw-id", 27500), ("qw-extended", "qw-vanilla", 27500),
                                ("q2-protocol36", "q2-protocol34", 27910),
                                ("q2-protocol34", "q2-protocol35", 27910)):
        bad += check_next(tool, folder, first, second, port)
    return bad != 0
