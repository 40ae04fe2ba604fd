#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
Rebuilds demos of two short sessions, made byte by byte, with a TE_RAILTRAIL2: it drops clients of id's engine and of
yquake2, so a demo of protocol 34 must not have it; a demo with extended limits, which only Q2PRO plays, must.

    railtrail.py PCAP2DEMO
"""

import pathlib
import struct
import subprocess
import sys
import tempfile

CLIENT, SERVER = 40000, 27910
OUT_OF_BAND = b"\xff" * 4


def frame(source, destination, payload):
    """An Ethernet frame, without checksums."""
    udp = struct.pack(">HHHH", source, destination, 8 + len(payload), 0) + payload
    ends = (b"\x0a\0\0\1", b"\x0a\0\0\2") if source == CLIENT else (b"\x0a\0\0\2", b"\x0a\0\0\1")
    ip = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(udp), 0, 0, 64, 17, 0) + b"".join(ends)
    return b"\x02" * 12 + b"\x08\0" + ip + udp


def pcap(packets):
    data = struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1)
    for i, packet in enumerate(packets):
        data += struct.pack("<IIII", 1, i * 100000, len(packet), len(packet)) + packet
    return data


def to_server(payload):
    return frame(CLIENT, SERVER, payload)


def to_client(payload):
    return frame(SERVER, CLIENT, payload)


def session(connect, signon, first_frame):
    """A session of a sign-on and one frame."""
    return [
        to_server(OUT_OF_BAND + connect),
        to_client(OUT_OF_BAND + b"client_connect"),
        to_client(struct.pack("<II", 1, 0) + signon),
        to_client(struct.pack("<II", 2, 0) + first_frame),
    ]


def serverdata(version):
    return b"\x0c" + struct.pack("<iiB", version, 1, 0) + b"\0" + struct.pack("<h", 0) + b"lab\0"


# svc_temp_entity, TE_RAILTRAIL2, two positions of three coordinates; even ones have two bytes in both forms.
TRAIL = b"\x03\x1f" + struct.pack("<6h", 80, 160, 240, -80, -160, -240)

PLAIN = session(
    b'connect 34 7 1 "\\name\\x"\n',
    serverdata(34) + b"\x0d" + struct.pack("<H", 33) + b"maps/lab.bsp\0",
    # svc_frame 1 in full, svc_playerinfo and svc_packetentities with nothing in them
    b"\x14" + struct.pack("<iiBB", 1, -1, 0, 0) + b"\x11" + struct.pack("<HI", 0, 0) + b"\x12\0\0" + TRAIL)

EXTENDED = session(
    b'connect 36 7 1 "\\name\\x" 1390 0 0 1026\n',
    # minor version 1026, a running game, extended limits of version 2; config strings up to 13630; no baselines
    serverdata(36) + struct.pack("<HBH", 1026, 2, 24) +
    b"\x19" + struct.pack("<H", 63) + b"maps/lab.bsp\0" + struct.pack("<H", 13630) + b"\x1a\0\0",
    # frame 1 in full, in one message
    b"\x14" + struct.pack("<IBB", 1 | 31 << 27, 0, 0) + struct.pack("<H", 0) + b"\0\0" + TRAIL)


def demo_of(tool, packets):
    with tempfile.TemporaryDirectory() as folder:
        capture = pathlib.Path(folder) / "made.pcap"
        capture.write_bytes(pcap(packets))
        subprocess.run([tool, "-o", folder, capture], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                       check=False)
        demos = [path.read_bytes() for path in pathlib.Path(folder).rglob("*.dm2")]
    return demos[0] if len(demos) == 1 else b""


def main():
    good = True
    for name, packets, version, expected in ("34", PLAIN, 34, False), ("extended limits", EXTENDED, 3436, True):
        demo = demo_of(sys.argv[1], packets)
        right = demo[4:9] == b"\x0c" + struct.pack("<i", version) and (TRAIL in demo) == expected
        print(f"{'ok  ' if right else 'FAIL'} {name}: a demo of {len(demo)} bytes, "
              f"{'with' if TRAIL in demo else 'without'} TE_RAILTRAIL2")
        good = good and right
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
