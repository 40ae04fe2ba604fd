#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes a long capture of a short one: TIMES copies, one after the other.

    multiply.py IN.pcap OUT.pcap TIMES [FIRST]

Each copy of a capture of Ethernet lies behind the one before it in time and has IPv4 addresses of its own, so that its
sessions are sessions of their own. Ports stay: they tell which game it is. With FIRST (0), the first
copy is that of a longer capture, whose copies before it are left out.
"""

import pathlib
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import capture

PAUSE = 30 * capture.NANOSECONDS  # between copies: more than any engine's time-out matters little here


def checksum(header):
    total = sum(struct.unpack(f">{len(header) // 2}H", header))
    total = (total & 0xFFFF) + (total >> 16)
    return ~((total & 0xFFFF) + (total >> 16)) & 0xFFFF


def with_addresses(frame, number):
    """The frame between two other hosts, without UDP's checksum."""
    ip, udp = capture.ETHERNET_HEADER, capture.ETHERNET_HEADER + capture.IP_HEADER
    if not capture.is_udp(frame):
        return frame
    data = bytearray(frame.data)
    for address in (ip + 12, ip + 16):
        struct.pack_into(">H", data, address + 1, number)
    struct.pack_into(">H", data, ip + 10, 0)
    struct.pack_into(">H", data, ip + 10, checksum(data[ip:udp]))
    struct.pack_into(">H", data, udp + 6, 0)
    return frame._replace(data=bytes(data))


def copies(frames, times, first=0):
    length = max(frame.time for frame in frames) - min(frame.time for frame in frames) + PAUSE
    for number in range(first, first + times):
        for frame in frames:
            yield with_addresses(frame._replace(time=frame.time + number * length), number)


def at_once(frames, sessions):
    """So many copies that go on at the same time."""
    for frame in frames:
        for number in range(sessions):
            yield with_addresses(frame, number)


def multiply(source, target, times, first=0):
    link_type, frames = capture.read(source)
    capture.write(target, link_type, copies(frames, times, first))


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    multiply(*sys.argv[1:3], *map(int, sys.argv[3:]))
