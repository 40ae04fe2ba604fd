# SPDX-License-Identifier: GPL-2.0-or-later
"""Datagrams of other people's protocols: random ones, and those shaped like the protocols that games
meet on the same hosts. Each generator gives one payload; what is not fixed by the protocol is random.
"""

import struct


def blob(random, low, high):
    return random.randbytes(random.randint(low, high))


def noise(random):
    return blob(random, 1, 1200)


def rtp(random):
    """RFC 3550: audio of the common kinds; the sequence number meets the packet's own length."""
    size = random.choice((20, 33, 80, 160, 160, 160, 240, 320))
    kind = random.choice((0, 0, 0, 8, 18, 96, 111)) | random.choice((0, 0, 0x80))
    number = 12 + size if random.random() < 0.1 else random.getrandbits(16)
    audio = random.choice((random.randbytes(size), bytes([random.choice((0, 0xff, 0xd5))]) * size,
                           random.randbytes(size - 1) + b"\0"))
    return struct.pack(">BBHII", 0x80, kind, number, random.getrandbits(32),
                       random.getrandbits(32)) + audio


def name_of_host(random):
    labels = [bytes(random.choices(b"abcdefghijklmnopqrstuvwxyz0123456789-", k=random.randint(1, 12)))
              for _ in range(random.randint(2, 4))]
    return b"".join(bytes([len(label)]) + label for label in labels) + b"\0"


def dns(random):
    """RFC 1035: a query or its answer."""
    query = name_of_host(random) + struct.pack(">HH", random.choice((1, 28, 15, 33)), 1)
    if random.random() < 0.5:
        return struct.pack(">6H", random.getrandbits(16), 0x0100, 1, 0, 0, 0) + query
    answer = struct.pack(">HHHIH", 0xC00C, 1, 1, random.randint(1, 86400), 4) + random.randbytes(4)
    return struct.pack(">6H", random.getrandbits(16), 0x8180, 1, 1, 0, 0) + query + answer


def quic(random):
    """RFC 9000: long headers of the handshake, short ones behind it."""
    if random.random() < 0.3:
        return (bytes([0xC0 | random.getrandbits(6)]) + b"\0\0\0\1\x08" + random.randbytes(8) + b"\0"
                + random.randbytes(1180))
    return bytes([0x40 | random.getrandbits(6)]) + blob(random, 20, 1200)


def dtls(random):
    """RFC 6347: records of the handshake and of data."""
    size = random.randint(13, 1200)
    return struct.pack(">BHHHIH", random.choice((20, 21, 22, 23, 23, 23)),
                       random.choice((0xFEFD, 0xFEFF)), random.choice((0, 1)), 0,
                       random.randint(0, 5000), size) + random.randbytes(size)


def sip(random):
    """RFC 3261: requests, answers and the empty lines that keep addresses open."""
    if random.random() < 0.1:
        return b"\r\n\r\n"
    first = random.choice((b"REGISTER sip:%d.example.net SIP/2.0", b"INVITE sip:%d@example.net SIP/2.0",
                           b"SIP/2.0 200 OK (%d)", b"OPTIONS sip:%d@example.net SIP/2.0"))
    return first % random.getrandbits(16) + b"\r\nVia: SIP/2.0/UDP 192.0.2.1:5060;branch=z9hG4bK" + \
        random.randbytes(8).hex().encode() + b"\r\nContent-Length: 0\r\n\r\n"


def stun(random):
    """RFC 8489: a binding request, and its answer."""
    if random.random() < 0.5:
        return struct.pack(">HHI", 1, 0, 0x2112A442) + random.randbytes(12)
    return struct.pack(">HHI", 0x0101, 12, 0x2112A442) + random.randbytes(12) + \
        struct.pack(">HHBBH", 0x20, 8, 0, 1, random.getrandbits(16)) + random.randbytes(4)


def a2s(random):
    """Valve's server queries, and answers; https://developer.valvesoftware.com/wiki/Server_queries"""
    mark = b"\xff\xff\xff\xff"
    return mark + random.choice((
        b"TSource Engine Query\0",
        b"TSource Engine Query\0" + random.randbytes(4),
        b"U" + random.randbytes(4),
        b"V" + random.randbytes(4),
        b"A" + random.randbytes(4),
        b"I\x11A server\0de_dust2\0cstrike\0Counter-Strike\0\x0a\0\x05\x10\0dl\0\x011.0.0.0\0",
        b"D\x02\0anna\0" + random.randbytes(8) + b"\1bob\0" + random.randbytes(8),
        b"E\x02\0sv_gravity\x00800\0mp_timelimit\x0030\0",
    ))


def bittorrent(random):
    """BEP 5, the DHT, and BEP 29, uTP."""
    if random.random() < 0.5:
        return b"d1:ad2:id20:" + random.randbytes(20) + b"9:info_hash20:" + random.randbytes(20) + \
            b"e1:q9:get_peers1:t2:" + random.randbytes(2) + b"1:y1:qe"
    return struct.pack(">BBHIIIHH", random.choice((0x01, 0x11, 0x21, 0x41)), 0,
                       random.getrandbits(16), random.getrandbits(32), random.getrandbits(32), 1 << 20,
                       random.getrandbits(16), random.getrandbits(16)) + blob(random, 0, 1000)


def steam(random):
    """Valve's own datagrams."""
    size = random.randint(0, 1200)
    return b"VS01" + struct.pack("<HBB", size, random.randint(1, 7), 0) + random.randbytes(28 + size)


SHAPES = {shape.__name__: shape for shape in (noise, rtp, dns, quic, dtls, sip, stun, a2s, bittorrent,
                                              steam)}
