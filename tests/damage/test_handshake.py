# SPDX-License-Identifier: GPL-2.0-or-later
"""
The demo of a connection whose accept the capture lacks is that of the whole capture; also if an older
connection of the same ends left a packet. The values of a connect belong to the session that it begins,
also if another player gets the port of a client that has crashed.
"""

import struct

import capture
import truth

OOB = b"\xff\xff\xff\xff"
CONTROL = b"\x80\x00"
CCREQ_CONNECT, CCREP_ACCEPT = 0x01, 0x81
UNRELIABLE = 0x00100000
CAPTURES = ["qw-vanilla", "qw-extended", "qw-id", "qw-fte", "q2-protocol34", "q2-protocol35",
            "q2-protocol36", "q2-playerupdate", "q2-aqtion", "nq-protocol15", "nq-protocol666",
            "nq-dp7"]
NEXT = [("qw-vanilla", "qw-id", 27500), ("qw-extended", "qw-vanilla", 27500),
        ("q2-protocol36", "q2-protocol34", 27910), ("q2-protocol34", "q2-protocol35", 27910)]
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
    """A client's message that does nothing, of the game of the requests."""
    requests = list(filter(is_request, frames))
    if any(capture.payload(frame).startswith((CONTROL, OOB + b"connect\\")) for frame in requests):
        data = struct.pack(">II", UNRELIABLE | 9, number) + b"\x01"
    else:
        data = struct.pack("<IIH", number, number - 2, 0) + b"\x01"
    head = bytearray(requests[0].data[:-len(capture.payload(requests[0]))])
    struct.pack_into(">H", head, capture.ETHERNET_HEADER + 2, 28 + len(data))
    struct.pack_into(">HH", head, len(head) - 4, 8 + len(data), 0)
    data = bytes(head) + data
    return requests[0]._replace(data=data, size=len(data), time=frames[0].time)


def tries(path):
    _, frames = capture.read(path)
    whole = truth.convert(frames).demos
    without = [frame for frame in frames if not is_accept(frame)]
    yield "" if whole and len(without) < len(frames) else "no demo, or no accept"
    for older in [], *([client_packet(frames, number)] for number in NUMBERS):
        yield "" if truth.convert(older + without).demos == whole else f"another demo, behind {older}"


def sessions(frames):
    """Player and version of each."""
    return [(session["player"], session["version"]) for session in truth.report("--list", frames)["sessions"]]


def at_port(name, port):
    """The frames of the first client, which is then at another address, up to three quarters."""
    _, frames = capture.read(truth.own(name))
    client, server = capture.ends(next(filter(is_request, frames)))
    there = {client: (b"\x0a\0\0\x05", 27001), server: (b"\x0a\0\0\x01", port)}
    frames = [capture.with_ends(frame, *(there[end] for end in capture.ends(frame)))
              for frame in frames
              if capture.is_udp(frame) and set(capture.ends(frame)) == {client, server}]
    return frames[:len(frames) * 3 // 4]


def tries_of_next(first, second, port):
    """Each of two sessions at a port stays as it is, and the second is found without its handshake, too."""
    one, other = at_port(first, port), at_port(second, port)
    later = one[-1].time + 2 * capture.NANOSECONDS - other[0].time
    other = [frame._replace(time=frame.time + later) for frame in other]
    found, expected = sessions(one + other), sessions(one) + sessions(other)
    yield "" if found == expected and len(expected) > 1 else f"{found}, not {expected}"
    found = sessions(one + other[BEGINNING:])
    yield "" if len(found) == len(expected) else f"without its handshake {found}, not {expected}"


def main():
    faults = [(*names, fault) for names in NEXT for fault in tries_of_next(*names) if fault]
    print(*faults, sep="\n")
    return truth.check(tries, [truth.own(name) for name in CAPTURES]) or bool(faults)
