# SPDX-License-Identifier: GPL-2.0-or-later
"""What the tests of demos as input share: running pcap2demo, demos beside the project, small demos."""

import json
import os
import pathlib
import re
import struct
import subprocess
import sys

PROGRAM = os.environ["PCAP2DEMO"]
SHARED = pathlib.Path(os.environ["PROJECT_SOURCE_DIR"]).parent / "shared"
SKIPPED = 77


def stored_demos():
    """All demos beside the project, smallest first."""
    found = [path for path in SHARED.glob("*/**/*.*") if path.suffix in (".qwd", ".dm2", ".dem")]
    return sorted(found, key=lambda path: (path.stat().st_size, path.name))


def demos_or_skip():
    found = stored_demos()
    if not found:
        print(f"skipped: no demos below {SHARED}")
        sys.exit(SKIPPED)
    return found


def run(*arguments, data=None):
    """Exit status, standard output, standard error."""
    result = subprocess.run([PROGRAM, *map(str, arguments)], input=data, capture_output=True)
    return result.returncode, result.stdout.decode(), result.stderr.decode()


def report(*arguments, data=None):
    """Exit status and the JSON report on standard output."""
    status, output, _ = run(*arguments, "--json", data=data)
    return status, json.loads(output)


def dumped(path):
    """The packets or blocks of a file, one at a time."""
    with subprocess.Popen([PROGRAM, "--dump=json", str(path)], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL) as process:
        for line in process.stdout:
            yield json.loads(line)


def flat(fields):
    """Fields in order, groups before what is in them."""
    for field in fields:
        yield field
        yield from flat(field.get("fields", []))


# --- QWD

def qwd_head(time, kind):
    return struct.pack("<fB", time, kind)


def qwd_read(time, packet):
    return qwd_head(time, 1) + struct.pack("<i", len(packet)) + packet


def qwd_packet(sequence, messages, acknowledged=0):
    return struct.pack("<II", sequence, acknowledged) + messages


def qwd_cmd(time, msec=13, angles=(0.0, 90.0, 0.0), moves=(320, 0, -8), buttons=1, impulse=7,
            view=(0.25, 90.0, 0.0)):
    return (qwd_head(time, 0) + struct.pack("<B3x3f3hBB3f", msec, *angles, *moves, buttons, impulse,
                                            *view))


def qwd_set(time, outgoing, incoming):
    return qwd_head(time, 2) + struct.pack("<ii", outgoing, incoming)


def serverdata_qw(version):
    speeds = struct.pack("<10f", 800, 320, 500, 10, 10, 0.7, 10, 4, 6, 1) if version >= 25 else b""
    return (b"\x0b" + struct.pack("<ii", version, 1) + b"qw\0" + b"\x03" + b"A level\0" + speeds)


def qwd_demo(version=28):
    """The blocks of a demo that has each kind."""
    return [
        qwd_cmd(1.5),
        qwd_read(1.5, qwd_packet(1, serverdata_qw(version))),
        qwd_read(1.625, qwd_packet(2, b"\x08\x02hello\n\0", 1)),
        qwd_set(1.75, 4000, 2000),
        qwd_cmd(1.75, moves=(-400, 40, 0), view=(0.1, 1e-3, -0.0)),
        qwd_read(2.0, qwd_packet(2001, b"\x01", 4000)),
        qwd_read(2.0, b"\xff\xff\xff\xff\x02EndOfDemo\0"),
    ]


# --- DM2

def dm2_block(messages):
    return struct.pack("<i", len(messages)) + messages


DM2_END = struct.pack("<i", -1)


def serverdata_q2(version, record):
    return (b"\x0c" + struct.pack("<iiB", version, 1, record) + b"\0" + struct.pack("<h", 0) +
            b"A level\0")


def configstring(index, text):
    return b"\x0d" + struct.pack("<h", index) + text + b"\0"


def dm2_demo(version=34):
    return [
        dm2_block(serverdata_q2(version, 1) + configstring(33, b"maps/q2dm1.bsp")),
        dm2_block(configstring(30, b"4") + b"\x0bprecache\n\0"),
        dm2_block(b""),
        dm2_block(b"\x0a\x02hello\n\0"),
        DM2_END,
    ]


def dm2_server_demo():
    """A frame of a server's recording is its number, entities, and what else was sent."""
    frame = b"\x14" + struct.pack("<i", 7) + b"\x12" + b"\0\0" + b"\x0a\x02hello\n\0"
    return [dm2_block(serverdata_q2(34, 2) + configstring(33, b"maps/q2dm1.bsp")), dm2_block(frame)]


def dm2_relay_demo():
    return [
        dm2_block(serverdata_q2(34, 0x80) + configstring(33, b"maps/q2dm1.bsp")),
        dm2_block(b"\x8a\x05\x02for one\n\0" + b"\x0a\x02for all\n\0"),
        DM2_END,
    ]


def dm2_test_release_demo():
    """Its messages are numbered otherwise; files have no end mark."""
    return [dm2_block(b"\x07" + struct.pack("<i", 25) + b"\1\2\3"), dm2_block(b"\1\2\3")]


# --- DEM

def dem_block(messages, view=(1.0, 2.0, 3.0), from_client=False):
    return (struct.pack("<I", len(messages) | (0x80000000 if from_client else 0)) +
            struct.pack("<3f", *view) + messages)


def serverinfo(version):
    flags = struct.pack("<i", 0x82) if version == 999 else b""
    return (b"\x0b" + struct.pack("<i", version) + flags + b"\1\0" + b"A level\0" +
            b"maps/e1m1.bsp\0\0" + b"\0")


def dem_demo(version=15, track=b"-1"):
    return [
        track + b"\n",
        dem_block(serverinfo(version), (0.0, 0.0, 0.0)),
        dem_block(b"\x19\x03", (0.0, 0.0, 0.0)),
        dem_block(b"\x07" + struct.pack("<f", 400.0) + b"\x08hello\n\0", (0.1, 270.0, -0.0)),
        dem_block(b"\x04god\0", from_client=True),
        dem_block(b""),
        dem_block(b"\x02"),
    ]


SMALL = (
    [(f"qw{version}.qwd", qwd_demo(version)) for version in (24, 25, 26, 27, 28)] +
    [(f"q2-{version}.dm2", dm2_demo(version)) for version in (26, 31, 34)] +
    [("server.dm2", dm2_server_demo()), ("relay.dm2", dm2_relay_demo())] +
    [(f"nq{version}.dem", dem_demo(version)) for version in (15, 666, 999)] +
    [("track.dem", dem_demo(15, b"12"))]
)


def block_messages(error):
    """(block, offset, text) of each message that names them."""
    found = re.findall(r"block (\d+): offset (\d+): (.*)", error)
    return [(int(block), int(offset), text) for block, offset, text in found]
