# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures as lists of frames: reading and writing pcap files, and the addresses in frames."""

import collections
import pathlib
import struct

import recordings

NANOSECONDS = 10**9
ETHERNET_HEADER, IP_HEADER, UDP_HEADER = 14, 20, 8

# time in nanoseconds; `size`: bytes that were sent, of which `data` may be the first.
Frame = collections.namedtuple("Frame", "time data size")


def read(path):
    """(link type, frames) of a pcap file in little-endian order, which may be compressed by gzip."""
    data = recordings.read(path)
    units = {b"\xd4\xc3\xb2\xa1": 1000, b"\x4d\x3c\xb2\xa1": 1}[data[:4]]
    frames, at = [], 24
    while at < len(data):
        seconds, fraction, captured, size = struct.unpack_from("<4I", data, at)
        frames.append(Frame(seconds * NANOSECONDS + fraction * units,
                            data[at + 16:at + 16 + captured], size))
        at += 16 + captured
    return struct.unpack_from("<I", data, 20)[0], frames


def split(data):
    """The header of a pcap file, then each record with its own."""
    parts, at = [data[:24]], 24
    while at < len(data):
        end = at + 16 + struct.unpack_from("<I", data, at + 8)[0]
        parts.append(data[at:end])
        at = end
    return parts


def write(path, link_type, frames):
    out = [struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 262144, link_type)]
    for frame in frames:
        seconds, fraction = divmod(frame.time, NANOSECONDS)
        out.append(struct.pack("<4I", seconds, fraction, len(frame.data), frame.size) + frame.data)
    pathlib.Path(path).write_bytes(b"".join(out))


def is_udp(frame):
    """Over IPv4 without options and Ethernet, as all the captures are that are damaged."""
    return (frame.data[12:14] == b"\x08\x00" and frame.data[14:15] == b"\x45"
            and frame.data[23:24] == b"\x11")


def ends(frame):
    """((address, port) of the source, the same of the destination), as bytes and number."""
    ip, udp = ETHERNET_HEADER, ETHERNET_HEADER + IP_HEADER
    source, destination = struct.unpack_from(">HH", frame.data, udp)
    return ((frame.data[ip + 12:ip + 16], source), (frame.data[ip + 16:ip + 20], destination))


def with_ends(frame, source, destination):
    """The frame between two other ends; checksums are not made anew."""
    data = bytearray(frame.data)
    ip, udp = ETHERNET_HEADER, ETHERNET_HEADER + IP_HEADER
    data[ip + 12:ip + 20] = source[0] + destination[0]
    struct.pack_into(">HH", data, udp, source[1], destination[1])
    return frame._replace(data=bytes(data))


def payload(frame):
    return frame.data[ETHERNET_HEADER + IP_HEADER + UDP_HEADER:]
