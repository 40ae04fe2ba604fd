#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes a long capture of a short one: TIMES copies, one after the other.

    multiply.py IN.pcap OUT.pcap TIMES [FIRST]

Each copy lies behind the one before it in time and has IPv4 addresses of its own, so that its
sessions are sessions of their own. Ports stay: they tell which game it is. With FIRST (0), the first
copy is that of a longer capture, whose copies before it are left out.
"""

import struct
import sys

MAGICS = {b"\xd4\xc3\xb2\xa1": ("<", 10**6), b"\xa1\xb2\xc3\xd4": (">", 10**6),
          b"\x4d\x3c\xb2\xa1": ("<", 10**9), b"\xa1\xb2\x3c\x4d": (">", 10**9)}
# Bytes before the IP header, by link type: null, Ethernet, raw, Linux cooked v1 and v2.
LINK_HEADERS = {0: 4, 1: 14, 12: 0, 101: 0, 113: 16, 276: 20}
PAUSE = 30  # seconds between copies: more than any engine's time-out matters little here


def checksum(header):
    total = sum(struct.unpack(f">{len(header) // 2}H", header))
    total = (total & 0xFFFF) + (total >> 16)
    return ~((total & 0xFFFF) + (total >> 16)) & 0xFFFF


class Capture:
    """A pcap file as one buffer, and where in it the things stand that differ between copies."""

    def __init__(self, data):
        if data[:4] not in MAGICS:
            sys.exit("multiply.py: not a pcap file")
        self.order, self.fraction = MAGICS[data[:4]]
        self.head, self.body = data[:24], bytearray(data[24:])
        link = struct.unpack_from(self.order + "I", data, 20)[0] & 0xFFFF
        if link not in LINK_HEADERS:
            sys.exit(f"multiply.py: link type {link} is not supported")
        self.records, self.ips = [], []
        self.find(LINK_HEADERS[link])

    def find(self, link_header):
        at = 0
        while at + 16 <= len(self.body):
            seconds, fraction, size, _ = struct.unpack_from(self.order + "4I", self.body, at)
            self.records.append((at, seconds * self.fraction + fraction))
            ip = at + 16 + link_header
            if size >= link_header + 28 and self.body[ip] == 0x45:
                self.ips.append(ip)
            at += 16 + size

    def length(self):
        """In units of its time stamps."""
        times = [time for _, time in self.records]
        return max(times) - min(times) + PAUSE * self.fraction

    def copy(self, number):
        """The records of copy `number`, in place."""
        shift = number * self.length()
        for at, time in self.records:
            seconds, fraction = divmod(time + shift, self.fraction)
            struct.pack_into(self.order + "2I", self.body, at, seconds, fraction)
        for ip in self.ips:
            self.set_addresses(ip, number)
        return self.body

    def set_addresses(self, ip, number):
        for address in (ip + 12, ip + 16):
            struct.pack_into(">H", self.body, address + 1, number)
        struct.pack_into(">H", self.body, ip + 10, 0)
        struct.pack_into(">H", self.body, ip + 10, checksum(self.body[ip:ip + 20]))
        if self.body[ip + 9] == 17:
            struct.pack_into(">H", self.body, ip + 26, 0)  # UDP without a checksum

    def at_once(self, sessions, packets):
        """The first packets of so many copies that go on at the same time."""
        ends = [at for at, _ in self.records[1:]]
        for (at, _), end, ip in list(zip(self.records, ends, self.ips))[:packets]:
            for number in range(sessions):
                self.set_addresses(ip, number)
                yield self.body[at:end]


def multiply(source, target, times, first=0):
    with open(source, "rb") as file:
        capture = Capture(file.read())
    with open(target, "wb") as file:
        file.write(capture.head)
        for number in range(first, first + times):
            file.write(capture.copy(number))


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    multiply(*sys.argv[1:3], *map(int, sys.argv[3:]))
