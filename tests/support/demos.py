# SPDX-License-Identifier: GPL-2.0-or-later
"""For tests of demos as input: running pcap2demo, demos beside the project, small demos."""

import io
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import zipfile
import zlib

PROGRAM = os.environ["PCAP2DEMO"]
SOURCE = pathlib.Path(os.environ["PROJECT_SOURCE_DIR"])
CAPTURES = SOURCE / "tests" / "captures"
SHARED = SOURCE.parent / "shared"
SKIPPED = 77


def stored_demos():
    """All demos beside the project, smallest first."""
    found = [path for path in SHARED.glob("*/**/*.*") if path.suffix in (".qwd", ".mvd", ".mvd2", ".dm2", ".dem")]
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


def dumped(*paths):
    """The packets or blocks of files, one at a time."""
    with subprocess.Popen([PROGRAM, "--dump=json", *map(str, paths)], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL) as process:
        for line in process.stdout:
            yield json.loads(line)


def flat(fields):
    """Fields in order, groups before what is in them."""
    waiting = fields[::-1]
    while waiting:
        field = waiting.pop()
        yield field
        waiting += field.get("fields", ())[::-1]


# --- QWD

def qwd_head(time, kind):
    return struct.pack("<fB", time, kind)


def qwd_read(time, packet):
    return qwd_head(time, 1) + struct.pack("<i", len(packet)) + packet


def qwd_packet(sequence, messages, acknowledged=0):
    return struct.pack("<II", sequence, acknowledged) + messages


def qwd_cmd(time, msec=13, angles=(0.0, 90.0, 0.0), moves=(320, 0, -8), buttons=1, impulse=7,
            view=(0.25, 90.0, 0.0)):
    return qwd_head(time, 0) + struct.pack("<B3x3f3hBB3f", msec, *angles, *moves, buttons, impulse, *view)


def qwd_cmd_37(*arguments, impulse_pred=7, **values):
    """As ezQuake 3.7 has it: impulse_pred and padding before the view angles."""
    classic = qwd_cmd(*arguments, **values)
    return classic[:29] + bytes([impulse_pred, 0, 0, 0]) + classic[29:]


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


def qwd_demo_37():
    """The same in ezQuake 3.7's form, with commands one after the other."""
    blocks = qwd_demo()
    blocks[0] = qwd_cmd_37(1.5)
    blocks[4:5] = [qwd_cmd_37(1.75 + i / 64, moves=(-400, 40, 0), view=(0.1, 48.87, 0.0))
                   for i in range(9)]
    return blocks


def appendix():
    """A zip archive, as ezQuake reads them behind demos."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, text in (("autoexec.cfg", "echo hello\n"), ("voice/1.txt", "a" * 99)):
            archive.writestr(zipfile.ZipInfo(name, (2026, 11, 21, 20, 0, 0)), text)
    return data.getvalue()


# --- MVD: qwprot's protocol.h, where the blocks and hidden messages are described

READ, SET, MULTIPLE, SINGLE, STATS, ALL = range(1, 7)


def mvd_block(kind, messages, player=0, players=None, milliseconds=0):
    mask = b"" if players is None else struct.pack("<I", players)
    return (bytes([milliseconds, kind | player << 3]) + mask + struct.pack("<I", len(messages)) +
            messages)


def mvd_set(outgoing, incoming):
    return bytes([0, SET]) + struct.pack("<II", outgoing, incoming)


def mvd_hidden(*messages):
    return mvd_block(MULTIPLE, b"".join(messages), players=0)


def hidden(kind, body):
    return struct.pack("<IH", len(body), kind) + body


def serverdata_mvd(*extensions):
    words = b"".join(key + struct.pack("<I", value) for key, value in extensions)
    return (b"\x0b" + words + struct.pack("<ii", 28, 1) + b"qw\0" + struct.pack("<f", 12.5) +
            b"A level\0" + struct.pack("<10f", 800, 320, 500, 10, 10, 0.7, 10, 4, 6, 1))


def userinfo(player, name):
    return b"\x28" + struct.pack("<Bi", player, 100 + player) + b"\\name\\" + name + b"\0"


def lists():
    return b"\x2d\0maps/dm4.bsp\0progs/player.mdl\0\0\0" + b"\x2e\0misc/talk.wav\0\0\0"


HIDDEN = [
    hidden(0, struct.pack("<BBIff", 3, 2, 230, 20.625, 20.5) +
           struct.pack("<B3fBB3f", 3, 272, -952, 24.03125, 0, 0, 0, 0, 0) +
           struct.pack("<B3fBB3f", 0x87, 1.5, 2.5, 3.5, 13, 2, 4.5, 5.5, 6.5)),
    hidden(1, struct.pack("<BBB3f3hBB", 3, 1, 13, 1.5, 90.0, 0.0, 400, -200, 8, 3, 7)),
    hidden(2, struct.pack("<BI5B", 3, 0x1103, 25, 50, 5, 6, 7) + b"\x07\x05\0"),
    hidden(3, struct.pack("<h", 1) + b'{"version": 3,'),
    hidden(3, struct.pack("<h", 0) + b' "map": "dm4"}'),
    hidden(4, b"\x01talk"),
    hidden(5, b"\x01\x80\x81"),
    hidden(6, b"\x02a text"),
    hidden(7, struct.pack("<HHHh", 0x8007, 4, 8, 110)),
    hidden(8, struct.pack("<BI5B", 7, 0x1103, 25, 50, 5, 6, 5) + b"\x05\0"),
    hidden(9, struct.pack("<BBiI", 7, 0x61, 231, 3) + bytes([7, 5, 2, 0, 0, 0, 0, 0, 0, 0])),
    hidden(10, b"\x4d"),
    hidden(11, struct.pack("<Q", 1795190083513)),
]


def mvd_beginning():
    return [mvd_block(ALL, serverdata_mvd((b"MVD1", 0x20)) + lists()),
            mvd_block(ALL, userinfo(3, b"anna") + userinfo(7, b"bert"))]


def mvd_hidden_demo():
    """Each hidden message; the last block has no length, as mvdsv's streams have it."""
    return mvd_beginning() + [mvd_hidden(*HIDDEN), mvd_block(READ, HIDDEN[7]),
                              mvd_hidden(b"\x0a\x00\x1e")]


def mvd_demo():
    """As mvdsv writes it: each kind of block."""
    return mvd_beginning() + [
        mvd_set(1, 2),
        mvd_block(ALL, b"\x2a\x03" + struct.pack("<HB3h3hBBBB", 0x0dff, 16, -64 * 8, 512 * 8, 4, 0,
                                                -0x4000, 0x2000, 2, 1, 0x48, 5), milliseconds=39),
        mvd_block(ALL, b"\x2a\x07" + struct.pack("<HBhh", 0x0212, 17, 33, -182) +
                  b"\x0a\x07\x00\x40\x00" + b"\x36\x01\x09\x01\x02\x03\x04\x05\x06",
                  milliseconds=255),
        mvd_block(ALL, b"\x2f" + struct.pack("<HhH", 0x0830, -2560, 0) +
                  b"\x30\x05" + struct.pack("<HhH", 0x0830, 80, 0)),
        mvd_block(SINGLE, b"\x08\x02for anna\n\0", player=3),
        mvd_block(STATS, b"\x03\x00\x4b" + b"\x26\x0f\x03\x11\x00\x00", player=7),
        mvd_block(MULTIPLE, b"\x08\x03for both\n\0", players=0x88),
        mvd_block(READ, b"\x08\x03for both, again\n\0"),
        mvd_hidden(HIDDEN[7]),
        mvd_block(ALL, b""),
        mvd_block(ALL, b"\x02EndOfDemo\0"),
    ]


def mvd_fte_demo():
    """As FTE writes it: coordinates are floats, and entities are replacement deltas."""
    comments = b"\x09//protocolname FTE-Quake\n\0" + b"\x09//recorddate 2026-11-20T16:29:34Z\n\0"
    return [
        mvd_block(READ, comments + serverdata_mvd((b"FTEX", 0x8000), (b"FTE2", 0x6e)) + lists()),
        mvd_block(READ, userinfo(0, b"anna") + userinfo(31, b"bert")),
        mvd_set(0, 0),
        mvd_block(ALL, b"\x56" + struct.pack("<fHB3fH", 12.75, 1, 0x06, 1.5, 2.5, 3.5, 0),
                  milliseconds=13),
        mvd_block(STATS, b"\x03\x00\x64", player=31),
        mvd_block(READ, b"\x4f\x01" + struct.pack("<f", 0.5)),
        mvd_block(ALL, b"\x2a\x00" + struct.pack("<HBff", 0x0005, 16, 0.125, -0.5)),
        mvd_block(ALL, b"\x02EndOfDemo\0"),
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


def rerelease_blast(number, messages):
    packed = zlib.compress(messages)
    return bytes([number]) + struct.pack("<HH", len(packed), len(messages)) + packed


def rerelease_mask(bits, number):
    """An entity's mask: as many bytes as its highest bit needs."""
    size = max(1, (bits.bit_length() + 7) // 8)
    for more, byte in ((1 << 7, 2), (1 << 15, 3), (1 << 23, 4), (1 << 31, 5)):
        bits |= more if size >= byte else 0
    return bits.to_bytes(size, "little") + bytes([number])


def rerelease_entity(number):
    """Each field of an entity; its solid comes first of the fields behind its looks."""
    wide = (8, 6, 7, 15, 23, 31, 13, 17, 28)  # the number, removal, more bits; fields that are wider
    bits = sum(1 << bit for bit in range(36) if bit not in wide)
    return (rerelease_mask(bits, number) +
            struct.pack("<4BB4I", 1, 2, 3, 4, 7, 0x01020304, 0x11, 0x22, 0x33) +  # looks
            struct.pack("<I3f3f3f", 0x18181018, 1.5, -2.5, 3.25, 4, 5, 6, 90, 180, 270) +  # solid and place
            struct.pack("<H2B4BHH", 0xc005, 0xff, 0x40, 2, 0x80, 0x10, 1, 7, 9))  # the rest


def rerelease_player():
    """Each field of a player."""
    return (struct.pack("<BHH", 17, 0xffff, 3) +
            struct.pack("<B3f3fHHh3f", 0, 1.5, 2.5, 3.5, 10, 20, 30, 11, 12, 800, 1, 2, 3) +  # moves
            struct.pack("<3hb3f3h", 0, 0, 352, 22, 4, 5, 6, 7, 8, 9) +  # view
            struct.pack("<HH6fB", 0x2005, 0xfe00 | 0x105, *range(6), 10) +  # gun
            struct.pack("<4BBBIhhIh4BB", 16, 32, 48, 64, 90, 1, 3, 100, 7, 1 << 31, -1, 80, 96, 112, 128, 2))  # screen


def rerelease_frame(number, delta, entities):
    return (b"\x14" + struct.pack("<iiB", number, delta, 0) + b"\x01\xff" + rerelease_player() +
            b"\x12" + entities + b"\0\0")


def dm2_rerelease_demo(version=2023):
    """As q2proto's q2proto_proto_kex.c reads it. In 2022 an entity without a solid has short
    coordinates, and so have sounds and temporary entities."""
    def position(*units):
        if version == 2023:
            return struct.pack("<3f", *units)
        return struct.pack("<3h", *(int(8 * unit) for unit in units))

    serverdata = (b"\x0c" + struct.pack("<iiBB", version, 1, 1, 40) + b"\0" + struct.pack("<h", 0) +
                  b"A level\0")
    strings = b"".join(struct.pack("<H", index) + text + b"\0" for index, text in
                       ((63, b"maps/q2dm1.bsp"), (11582, b"anna\\male/grunt")))
    soft = rerelease_mask(1, 6) + (struct.pack("<f", 8) if version == 2023 else struct.pack("<h", 64))
    sound = b"\x09\x5f" + struct.pack("<H", 4) + b"\xff\x40\x05" + struct.pack("<I", 1 << 3 | 2)
    print_ = b"\x1a\x02" + b"$g_x\0" + b"\x02" + b"anna\0" + b"bert\0"
    messages = [
        b"\x15\x00", sound + position(1, 2, 3), print_,
        b"\x03\x05" + position(4, 5, 6), b"\x01" + struct.pack("<H", 1) + b"\x02",
        b"\x02" + struct.pack("<H", 9) + b"\x03", b"\x20" + struct.pack("<HH", 1, 300),
        b"\x19\x01\x25\x07", b"\x1b\x91\x08" + struct.pack("<fBHi", 0.5, 128, 100, 5),
        b"\x1e" + struct.pack("<HH3fHBB", 1, 2, 3, 4, 5, 6, 7, 1), b"\x1f\x01" + struct.pack("<3f", 1, 2, 3) + b"\x04",
        b"\x21" + b"an achievement\0", b"\x04a layout\0", b"\x0bprecache\n\0",
    ]
    return [
        dm2_block(serverdata + rerelease_blast(22, strings) +
                  rerelease_blast(23, rerelease_entity(5) + soft)),
        dm2_block(b"".join(messages)),
        dm2_block(rerelease_frame(1, -1, rerelease_mask(1, 5) + struct.pack("<f", 1) + soft)),
        dm2_block(rerelease_frame(2, 1, rerelease_mask(1 << 6, 5) + soft)),
        DM2_END,
    ]


# --- MVD2: Q2PRO's server/mvd.c, where the blocks are written

def mvd2_block(messages):
    return struct.pack("<H", len(messages)) + messages


MVD2_END = struct.pack("<H", 0)


def mvd2_carried(kind, messages, to=b""):
    """A multicast or unicast; `to` is the leaf or the client."""
    return bytes([kind | len(messages) >> 8 << 5, len(messages) & 255]) + to + messages


def mvd2_serverdata(minor, flags):
    word = struct.pack("<H", flags) if minor >= 2012 else b""
    return (bytes([4 if word else 4 | flags << 5]) + struct.pack("<iH", 37, minor) + word +
            struct.pack("<i", 77) + b"opentdm\0" + struct.pack("<h", 7))


def mvd2_gamestate(minor, flags):
    """Config strings up to the end mark, and the first frame, which has no message byte."""
    models, skins, most = (62, 12862, 13630) if flags & 4 else (32, 1312, 2080)
    strings = [(models + 1, b"maps/q2dm1.bsp"), (skins, b"anna\\male/grunt")]
    gone = b"\x01\0\x80" + (b"\x01" if flags & 8 else b"")  # player 1 is not there
    players = b"\0" + struct.pack("<HB", 0x1, 0) + gone + b"\xff"
    entities = b"\x03\x05" + struct.pack("<hh", 800, -160) + b"\0\0"
    return (mvd2_serverdata(minor, flags) +
            b"".join(struct.pack("<H", index) + text + b"\0" for index, text in strings) +
            struct.pack("<H", most) + b"\x01\x05" + players + entities)


def mvd2_player(flags):
    """Each field of a player's mask."""
    extended = flags & 8
    bits = 0x7fff
    origin = struct.pack("<hhh", 2 * 40, -2 * 40, 2 * 8)
    view = b"\0\0\x16" + struct.pack("<hhh", 1, 2, 3) + b"\x01\x02\x03"
    gun = (struct.pack("<H", 0x2005) if flags & 4 else b"\x05") + b"\x09" + b"\1\2\3" + b"\4\5\6"
    blend = b"\x13\x10\x20\x30" if extended else b"\x10\x20\x30\x40"
    stats = b"\x82\x01" + struct.pack("<hh", 100, 7) if extended else struct.pack("<Ih", 2, 100)
    return b"\0" + struct.pack("<HB", bits, 0) + origin + view + gun + blend + b"\x5a\x01" + stats


def mvd2_demo(minor=2010, flags=0):
    """Each message of MVD."""
    layout = mvd2_carried(8, b"\x04a layout\0", b"\x07")
    long = mvd2_carried(9, b"\x0a\x02" + b"x" * 700 + b"\0" + b"\x0b" + b"play a.wav\n\0", b"\0")
    flash = mvd2_carried(12, b"\x01" + struct.pack("<H", 1) + b"\x02", struct.pack("<H", 19))
    others = b"".join(mvd2_carried(kind, b"\x0a\x01to some\0", struct.pack("<H", 3))
                      for kind in (11, 14, 15))
    sound = bytes([16 | 1 << 5]) + b"\x13\x04\xff\x40\x05" + struct.pack("<H", 1 << 3 | 2)
    # The second entity is removed, but the block contains its origin.
    removed = b"\x41\x05" + struct.pack("<h", 80)
    frame = b"\x06\0" + mvd2_player(flags) + b"\xff" + removed + b"\0\0"
    skins = 12862 if flags & 4 else 1312
    return [b"MVD2", mvd2_block(mvd2_gamestate(minor, flags)),
            mvd2_block(mvd2_carried(10, b"\x0f" + b"welcome\0") + flash + others + long + frame +
                       layout + sound),
            mvd2_block(b"\x05" + struct.pack("<H", skins + 1) + b"bert\\male/grunt\0" +
                       b"\x11\x02bert entered\n\0" + b"\x01" +
                       mvd2_carried(13, b"\x06") + b"\x06\0\xff\0\0"),
            MVD2_END]


def mvd2_relay_demo():
    """A relay writes the minor version with 32 bits."""
    blocks = mvd2_demo(2013, 12)
    data = blocks[1][2:]
    blocks[1] = mvd2_block(data[:7] + b"\0\0" + data[7:])
    return blocks


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
    [("ezquake37.qwd", qwd_demo_37()), ("appendix.qwd", qwd_demo() + [appendix()]),
     ("appendix.mvd", mvd_demo() + [appendix()])] +
    [("mvdsv.mvd", mvd_demo()), ("hidden.mvd", mvd_hidden_demo()), ("fte.mvd", mvd_fte_demo())] +
    [(f"q2-{version}.dm2", dm2_demo(version)) for version in (26, 31, 34)] +
    [(f"rerelease{version}.dm2", dm2_rerelease_demo(version)) for version in (2022, 2023)] +
    [("server.dm2", dm2_server_demo()), ("relay.dm2", dm2_relay_demo())] +
    [("2009.mvd2", mvd2_demo(2009)), ("2011.mvd2", mvd2_demo(2011, 4)),
     ("2013.mvd2", mvd2_demo(2013, 12)), ("relay.mvd2", mvd2_relay_demo())] +
    [(f"nq{version}.dem", dem_demo(version)) for version in (15, 666, 999)] +
    [("track.dem", dem_demo(15, b"12"))]
)


def block_messages(error):
    """(block, offset, text) of each message that names them."""
    found = re.findall(r"block (\d+): offset (\d+): (.*)", error)
    return [(int(block), int(offset), text) for block, offset, text in found]
