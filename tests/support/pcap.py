# SPDX-License-Identifier: GPL-2.0-or-later
"""Cuts pcap files (little-endian, Ethernet, IPv4 without options) into records."""

import struct

HEADER, RECORD = 24, 16  # of the file and of each record
ETHERNET, IP, UDP = 14, 20, 8


def records(data):
    """Each packet with its record header."""
    at = HEADER
    while at < len(data):
        size, = struct.unpack_from("<I", data, at + 8)
        yield data[at:at + RECORD + size]
        at += RECORD + size


def source_port(record):
    return struct.unpack_from(">H", record, RECORD + ETHERNET + IP)[0]


def payload(record):
    return record[RECORD + ETHERNET + IP + UDP:]
