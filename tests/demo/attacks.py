# SPDX-License-Identifier: GPL-2.0-or-later
"""Sessions with messages of a hostile server that some engine carries out, or stops at."""

import io
import itertools
import struct
import zipfile

import capture
import recordings
from tool import CAPTURES

MARKER = b"marked_command"
PRINT, STUFFTEXT = 8, 9
Q2_PRINT, Q2_STUFFTEXT = 10, 11
ETHERNET, IP, UDP = 14, 20, 8
PAYLOAD = ETHERNET + IP + UDP


def text(message, content):
    return bytes([message]) + content + b"\0"


# Commands that a line hides from some readers. Sources: DarkPlaces cmd.c,
# Cbuf_NextCmd, and common.c, COM_ParseToken_Console; id cmd.c, Cbuf_Execute.
LINES = {
    "alone": MARKER + b"\n",
    "behind a semicolon": b"bf;" + MARKER + b"\n",
    "behind a carriage return": b"bf \r" + MARKER + b"\n",
    "in a comment": b"bf // x\r" + MARKER + b"\n",
    "comment alone": b"//\r" + MARKER + b"\n",
    "comment with an end": b"//x;" + MARKER + b"\n",
    "behind an escaped quote": b'bf "\\";' + MARKER + b';\\""\n',
    "in quotes": b'play ";' + MARKER + b'\n',
    "behind a macro": b"play $x;" + MARKER + b"\n",
    "without an end": MARKER,
    "in a remark that FTE carries out": b"//set x " + MARKER + b"\n",
    "in a remark that names an alias": b"//exectrigger " + MARKER + b"\n",
    "in a remark's quotes": b'//tinfo 1 "a;' + MARKER + b'"\n',
    "behind a remark's quotes": b'//tinfo 1 "a" "' + MARKER + b"\n",
    "in a remark, as a macro": b"//tinfo 1 $" + MARKER + b"\n",
}
# Lines in several packets.
PARTS = {
    "without an end, and its end": (MARKER[:6], MARKER[6:] + b"\n"),
    "behind one that begins before": (b"b", b"f;" + MARKER + b"\n"),
    "in quotes that begin before": (b'//tinfo 1 "a;', MARKER + b'"\n'),
    "as a remark's end": (b"//set x ", MARKER + b"\n"),
}


def strings(print_message, stufftext):
    """Texts that end elsewhere for some engine: id common.c, MSG_ReadString, MSG_ReadChar."""
    command = text(stufftext, MARKER + b"\n")
    return {
        "a text of 2047 bytes": text(print_message, b"\2" + b"A" * 2046 + command[:-1]),
        "a text with 0xff": text(print_message, b"\2x\xff" + command[:-1]),
    }


SERVERS = 26000, 27500, 27504, 27506, 27910, 27920, 36603, 40264


def from_server(frame):
    """By the port; a server of Quake sends from a port of its own after the handshake."""
    return struct.unpack_from(">H", frame, ETHERNET + IP)[0] in SERVERS


def records_of(name):
    return capture.split(recordings.read(CAPTURES / name))


def changed(record, change):
    """The record of a packet with another payload."""
    payload = change(record[16 + PAYLOAD:])
    frame = bytearray(record[16:16 + PAYLOAD] + payload)
    struct.pack_into(">H", frame, ETHERNET + 2, len(frame) - ETHERNET)
    struct.pack_into(">HH", frame, ETHERNET + IP + 4, UDP + len(payload), 0)
    return record[:8] + struct.pack("<II", len(frame), len(frame)) + bytes(frame)


class Game:
    """`changes` are made to packets of the server's that `is_target` picks by their payloads."""

    def __init__(self, capture, is_target, grow=bytes.__add__, packets=None):
        self.capture = capture
        self.packets = packets  # so many from the first; None: all
        self.is_target = is_target
        self.grow = grow  # a payload, and what follows it

    def made(self, *changes):
        """The capture with changes in as many packets, evenly spread."""
        records = list(itertools.islice(records_of(self.capture),
                                        self.packets and 1 + self.packets))
        targets = [index for index, record in enumerate(records[1:], 1) if changes
                   and from_server(record[16:]) and self.is_target(record[16 + PAYLOAD:])]
        for i, change in enumerate(changes):
            target = targets[len(targets) * (i + 1) // (len(changes) + 1)]
            records[target] = changed(records[target], change)
        return b"".join(records)

    def attacked(self, *attacks):
        return self.made(*(lambda payload, attack=attack: self.grow(payload, attack)
                           for attack in attacks))


def is_quakeworld_frame(payload):
    return payload[8:] and payload[8] == 42


def is_quake_frame(payload):
    return payload[:2] == b"\0\x10" and payload[8:9] == b"\7"


def is_quake2_frame(payload):
    return payload[8:] and payload[8] & 0x1f == 20


def grow_quake(payload, more):
    payload += more
    return payload[:2] + struct.pack(">H", len(payload)) + payload[4:]


# Its packets end with a change to entities, to which more is added.
QUAKEWORLD_ENTITIES = Game("fidelity/qw-vanilla.pcap.gz",
                           lambda payload: payload[-4:-3] == b"\x30" and payload[-2:] == b"\0\0",
                           lambda payload, more: payload[:-2] + more)
QUAKEWORLD = Game("fidelity/qw-vanilla.pcap.gz", is_quakeworld_frame)
QUAKEWORLD_FTE = Game("fidelity/qw-fte.pcap.gz", lambda payload: payload[8:11] == b"\0\0\x56")
QUAKE = Game("fidelity/nq-protocol15.pcap.gz", is_quake_frame, grow_quake)
FITZQUAKE = Game("fidelity/nq-protocol666.pcap.gz", is_quake_frame, grow_quake)
DARKPLACES = Game("fidelity/nq-dp7.pcap.gz", is_quake_frame, grow_quake)
QUAKE_FTE = Game("fidelity/nq-fte.pcap.gz", lambda payload: payload[:2] == b"\0\x10", grow_quake)
QUAKE_BEGIN = Game(QUAKE.capture, QUAKE.is_target, QUAKE.grow, packets=500)
QUAKE2_OLD = Game("fidelity/q2-protocol34.pcap.gz", is_quake2_frame)
QUAKE2 = Game("fidelity/q2-protocol36.pcap.gz", is_quake2_frame)


def lines(stufftext):
    return {name: text(stufftext, line) for name, line in LINES.items()}


def quake_attacks():
    """For QuakeWorld, too, which has the same numbers for these messages."""
    attacks = lines(STUFFTEXT) | strings(PRINT, STUFFTEXT)
    attacks["behind an unknown message"] = b"\x4e" + text(STUFFTEXT, MARKER + b"\n")
    return attacks


def quakeworld_ambiguities():
    """Qizmo's speech, which FTE takes for a message of the mod's (cl_parse.c svcfte_cgamepacket)."""
    return {"speech": b"\x53" + text(STUFFTEXT, MARKER + b"\n").rjust(34, b"\1")}


def quakeworld_attacks():
    return quake_attacks() | quakeworld_ambiguities()


def achievement(name):
    """To DarkPlaces svc_effect: three coordinates and four bytes, and then the next message."""
    return text(0x34, b"A" * 10 + b"\x09" + name + b"\n")


def quake_ambiguities():
    """In protocol 15: QuakeSpasm cl_parse.c, CL_ParseServerMessage, CL_ParseUpdate; DarkPlaces
    cl_parse.c, CL_ParseServerMessage, CL_ParseStartSoundPacket, CL_ParseEffect."""
    return {
        "achievement or effect": achievement(MARKER),
        "sound of the player alone": b"\x38\x00\x09",
        "update with U_TRANS": b"\x81\x80\x05" + text(STUFFTEXT, b"abcde\n"),
        "sound with a speed": b"\x06\x20" + b"\x08\0\1" + b"\1" * 4 + b"\x09a",
        "clientdata with SU_EXTEND1": b"\x0f\x00\x82\0" + b"\1" * 12,
        "sound with SND_LOOPING": b"\x06\x04" + b"\x08\0\1" + b"\1" * 6,
    }


def fitzquake_ambiguities():
    """FTE reads items where their bit is set only: cl_parse.c, CLNQ_ParseClientdata."""
    return {
        "clientdata without items": b"\x0f\0\0" + b"\1" * 12,
        "sound with SND_LOOPING": b"\x06\x04" + b"\x08\0\1" + b"\1" * 6,
        "hidden picture": b"\x24x\0",
        "sound of no entity": b"\x06\x08\xff\x7f\1\1" + bytes(6),
    }


def quake_fte_ambiguities():
    """The same of sessions with FTE's extensions, and what stops it: cl_ents.c, CLNQ_ParseEntity;
    cl_tent.c, CL_ParseEffect, CL_ParseTEnt_Sized."""
    return {
        "clientdata without items": b"\x0f\0\0" + b"\1" * 12,
        "hidden picture": b"\x24x\0",
        "update of an entity of three bytes": b"\x81\x40\1\x80",
        "effect of no model": b"\x34" + bytes(13) + b"\1\1\1",
        "unknown temporary entity": b"\x5b\1\x80\xfe",
    }


def darkplaces_ambiguities():
    """FTE plays DarkPlaces' protocols, too. DarkPlaces stops at players beyond its own number: cl_parse.c."""
    return {
        "picture": b"\x23x\0y\0" + bytes(4), "frags": b"\x0e\xfa\0\0",
        "sound with SND_LOOPING": b"\x06\x04" + b"\x08\0\1" + b"\1" * 12}


def remarks():
    """Arguments with which engines leave an array, stop, or carry out what follows: ezquake
    mvd_utils.c MVD_ItemTypeForEntity, cl_parse.c CL_ParseVWepPrecache, CL_ParseStufftext (//at);
    fteqw cl_parse.c CL_ParseWeaponStats, CL_ParseStuffCmd (//vwep)."""
    attacks = (b"at 1 " + MARKER, b"at x", b"cainfo 255 1 1 1 1 1 1", b"ezcmd " + MARKER, b"fui 0 \"\"",
               b"ktx bp 2048 1", b"ktx di 1 2", b"ktx drop 1 1 33", b"ktx expire -1", b"ktx race pm 9999",
               b"ktx timer 5000 20", b"ktx took 99999 20 1", b"ktx took 1 20 0", b"ktx " + MARKER,
               b"qul x 1 y", b"sn 1 999 1 1 1 1 1 1", b"tinfo -1 1 1 1 1 1 1", b"ucmd 1 x",
               b"vwep a..b", b"vwep " + b"x" * 60, b"vwep " + b"a " * 33 + b"b", b"wps -1 rl 1 1",
               b"wps 1 rl 99999999999 1")
    return {attack.decode(): text(STUFFTEXT, b"//" + attack + b"\n") for attack in attacks}


def quakeworld_stoppers():
    """Numbers that players' arrays do not have, and lists that empty them: ezquake cl_parse.c
    CL_ParseSoundlist, CL_ParseStatic, CL_SetStat, cl_ents.c CL_ParsePacketEntities,
    CL_LinkPacketEntities, CL_LinkPlayers, r_aliasmodel.c R_DrawViewModel."""
    return {
        "sounds in the game": b"\x2e\x01a.wav\0\0\0",
        "player": b"\x2a\1\x20\0" + bytes(6) + b"\0\xfa",
        "player's skin": b"\x2a\1\x60\0" + bytes(6) + b"\0\1\x80",
        "player's number": b"\x2a\x20\0\0" + bytes(7),
        "weapon": b"\x03\2\xfa",
        "weapon far away": b"\x26\2\xff\xff\xff\x7f",
        "baseline": b"\x16\x90\1\xfa" + bytes(12),
        "light style": b"\x0c\x40a\0",
        "frags": b"\x0e\x20\1\0",
        "ping": b"\x24\xff\1\0",
        "statistic": b"\x03\x20\1",
        "user info": b"\x28\x20\1\0\0\0\\name\\x\0",
        "setinfo": b"\x33\x20a\0b\0",
        "torches": (b"\x14\2" + bytes(12)) * 513,
        "entities": b"\x2f" + struct.pack("<311H", *range(1, 311), 0),
    }


def quakeworld_fte_attacks():
    """FTE reads the first in another order than its server writes it, and makes room for entities:
    cl_screen.c SCR_ShowPic_Move, cl_parse.c CLQW_ParseServerMessage, CL_ParseBaselineDelta,
    cl_tent.c CL_ParseEffect, CL_ParseTEnt_Sized, gl_heightmap.c CL_Parse_BrushEdit."""
    return {
        "picture that moves": b"\x47a\0\0\0\0\0" + bytes([STUFFTEXT]),
        "seats": b"\x58\2AB",
        "edited map": b"\x57" + b"A" * 7,
        "effect of no model": b"\x4a" + bytes(13) + b"\1\1\1",
        "flash of an entity of three bytes": b"\x27\2\xff\2",
        "ping": b"\x24\xff\1\0",
        "entity": b"\x56\0\0\xc0\x7f\xff\x7f\xff\1\5\0\0",
        "baseline": b"\x42\xff\xff\xff\0",
        "unknown temporary entity": b"\x5b\1\0\xfe",
    }


def quake_stoppers():
    """QuakeSpasm cl_parse.c CL_ParseUpdate, CL_ParseServerMessage, CL_NewTranslation, CL_ParseStatic,
    cl_tent.c CL_ParseTEnt, r_part.c R_ParticleExplosion2; ezquake cl_nqdemo.c CL_LinkPacketEntities;
    DarkPlaces cl_parse.c CL_ParseServerMessage, protocol.c EntityFrameQuake_ReadEntity."""
    return {
        "model": b"\x81\x04\x09\xfa",
        "colors": b"\x81\x08\x09\xfa",
        "baseline": b"\x16\x90\1\xfa\0\0\0" + bytes(9),
        "baseline's colors": b"\x16\x90\1\0\0\xfa\0" + bytes(9),
        "light style": b"\x0c\x40a\0",
        "name": b"\x0d\xfax\0",
        "frags": b"\x0e\xfa\0\0",
        "shirt": b"\x11\xfa\0",
        "statistic": b"\3\x20\1\0\0\0",
        "temporary entity": b"\x17\x39" + bytes(6),
        "beam": b"\x17\x0d\5\0" + bytes(12),
        "explosion of no color": b"\x17\x0c" + bytes(8),
        "the world": b"\x81\0\0\x28",
        "fog": b"\x29\1\2\3\4\0\0",
        "FitzQuake's torch": b"\x2b\0\1" + bytes(12),
        "torches": (b"\x14\2" + bytes(12)) * 1025,
    }


def quake2_stoppers():
    """Q2PRO parse.c CL_ParseStartSoundPacket, CL_ParseMuzzleFlashPacket, CL_ParseConfigstring;
    fteqw clq2_ents.c CLQ2_ParseMuzzleFlash; Q2PRO precache.c CL_UpdateConfigstring."""
    return {
        "config string": b"\x0d\xff\x7fx\0",
        "sound's entity": b"\x09\x08\1\xf8\xff",
        "flash": b"\1\xff\x7f\1",
        "flash of nobody": b"\6\1\0\0\x7b",
        "flash of no weapon": b"\1\1\0\x63",
        "sound with further flags": b"\x09\x80\1",
        "world": b"\x0d\x21\0x\0",
        "part of the world": b"\x0d\x3c\0*0\0",
        "no model": b"\x0d\x3c\0\0",
        "lightning": b"\3\x21\1\0\xff\xff" + bytes(12),
    }


def quake2_status_bars():
    """They name a statistic that is none."""
    return {"picture": text(4, b"xv 0 pic 99"), "text": b"\x0d\5\0xv 0 stat_string 99\0",
            "two strings": b"\x0d\5\0" + b"pi".rjust(64) + b" xyz\0\x0d\6\0c 99\0"}


def quake2_frames():
    """Times at which Q2PRO stops: entities.c, CL_DeltaFrame."""
    def numbered(number):
        return lambda payload: payload[:9] + struct.pack("<i", number) + payload[13:]
    return {"before zero": numbered(-5), "far ahead": numbered(1 << 29)}


# --- Files outside of the game, archives, removals ---

OUTSIDE = b"../../outside"


def quakeworld_files():
    """Names that lead out of the game's folders; ezquake fs.c, FS_OpenVFS; fteqw cl_parse.c,
    CL_CheckOrEnqueDownloadFile, for where missing files are fetched from."""
    return {
        "sound": b"\x2e\x50" + OUTSIDE + b".wav\0\0\0",
        "where files are fetched": text(0x34, b"sv_dlURL\0" + OUTSIDE),
        "where files are fetched, as a command":
            text(STUFFTEXT, b'fullserverinfo "\\a\\b\\sv_dlURL\\' + OUTSIDE + b'"\n'),
        "the same with a character that is replaced":
            text(STUFFTEXT, b'fullserverinfo "\\sv;dlURL\\' + OUTSIDE + b'"\n'),
        "skin": b"\x33\1skin\0" + OUTSIDE + b"\0",
        "skin of a new player": b"\x28\1\1\0\0\0" + text(0, b"\\name\\x\\skin\\" + OUTSIDE)[1:],
        "weapons": text(STUFFTEXT, b"//vwep w_axe " + OUTSIDE + b"\n"),
        "folder": text(0x34, b"*gamedir\0" + OUTSIDE),
        "a version that is not believed": text(0x34, b"*version\0MVDSV 0.30 " + OUTSIDE),
    }


def quake_files():
    """QuakeSpasm common.c, COM_FindFile; gl_sky.c, Sky_LoadSkyBox. JoeQuake cl_tent.c, TE_LIGHTNING4."""
    return {
        "sky": text(0x25, OUTSIDE),
        "sky that ends a line of settings": text(0x25, b"x\"\n" + OUTSIDE),
        "beam": b"\x17\x11" + OUTSIDE + b".mdl\0" + bytes(14),
        "command": text(STUFFTEXT, b"play " + OUTSIDE + b".wav\n"),
        "name that FTE has no room for": b"\x0d" + text(0, OUTSIDE.rjust(64, b"x")),
        "command with a volume": text(STUFFTEXT, b"playvol " + OUTSIDE + b".wav 1\n"),
    }


def quake2_files():
    """id files.c, FS_FOpenFile; Quake II shows a film where nobody plays: cl_parse.c,
    CL_ParseServerData."""
    strings = {"model": 60, "sound": 400, "picture": 600, "sky": 2, "track": 1, "status bar": 5}
    attacks = {name: b"\x0d" + struct.pack("<H", index) + OUTSIDE + b"\0"
               for name, index in strings.items()}
    attacks["player"] = b"\x0d" + struct.pack("<H", 1315) + b"..\\" + OUTSIDE + b"/x\0"
    attacks["neighbor"] = b"\x0d\x1f\0" + b"1".ljust(64) + OUTSIDE + b"\0"
    attacks["layout"] = text(4, b"xv 0 picn " + OUTSIDE)
    attacks["command"] = text(Q2_STUFFTEXT, b"play " + OUTSIDE + b".wav\n")
    return attacks


def archive(name, content):
    """A zip archive in the six bytes of each of many nails."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        file.writestr(name, content)
    data = packed.getvalue()
    data += bytes(-len(data) % 6)
    return b"\x2b" + bytes([len(data) // 6]) + data


# Bits of an entity's word: qwd-format 5.47.
REMOVE, ORIGIN1, MORE = 0x4000, 0x0200, 0x8000


def removals():
    """A player that drops the update reads a removal as a change: ezquake cl_ents.c,
    FlushEntityPacket. FTE reads a byte of further bits."""
    return {
        "removal with an origin": struct.pack("<HH", REMOVE | ORIGIN1 | 77, 0),
        "removal with further bits": struct.pack("<HH", REMOVE | MORE | 77, 0),
    }


def dropped_update():
    """A full update with a removal, at which ezQuake drops it and reads the rest as changes: with
    the three places that the next word announces it comes to the statistic, of which it takes the
    end for svc_stufftext. The marker is in a light style."""
    words = (REMOVE | 77, REMOVE | 0x0e00 | 78, REMOVE | 79, REMOVE | 80, 0)
    statistic = b"\x26\0\0\0" + bytes([STUFFTEXT]) + b";"
    return {"removal in a full update": b"\x2f" + struct.pack("<5H", *words) + statistic +
                                        b"\x0c\x3e;" + MARKER + b"\n\0"}


def quake2_attacks():
    """R1Q2 and Q2PRO read five bits of the byte with a message's id, others all."""
    attacks = lines(Q2_STUFFTEXT) | strings(Q2_PRINT, Q2_STUFFTEXT)
    del attacks["a text of 2047 bytes"]  # it is longer than a demo's block
    for bits in range(0x20, 0x100, 0x20):
        attacks[f"id with bits {bits:#x}"] = text(Q2_STUFFTEXT | bits, MARKER + b"\n")
    return attacks


# The game, attacks by name, and the part of each that must be gone; None: all of it.
ATTACKS = [
    (QUAKEWORLD, quakeworld_attacks(), MARKER),
    (QUAKE, quake_attacks(), MARKER),
    (QUAKE2, quake2_attacks(), MARKER),
    (QUAKEWORLD, quakeworld_ambiguities(), None),
    (QUAKE, quake_ambiguities(), None),
    (FITZQUAKE, fitzquake_ambiguities(), None),
    (QUAKE_FTE, quake_fte_ambiguities(), None),
    (DARKPLACES, darkplaces_ambiguities(), None),
    (QUAKEWORLD, quakeworld_files(), OUTSIDE),
    (QUAKE, quake_files(), OUTSIDE),
    (QUAKE2, quake2_files(), OUTSIDE),
    (QUAKE2, {"file in two strings of the status bar":
              b"\x0d\5\0%s..\0\x0d\6\0/outside\0" % b"1".ljust(62)}, b"/outside\0"),
    (QUAKEWORLD, quakeworld_stoppers(), None),
    (QUAKEWORLD_ENTITIES, {"entity": b"\xff\x81\x04\xfa\0\0"}, None),
    (QUAKE, quake_stoppers(), None),
    (QUAKE2, quake2_stoppers() | quake2_status_bars(), None),
    (QUAKEWORLD_FTE, quakeworld_fte_attacks(), None),
    (QUAKE2_OLD, {"baseline": b"\x0e\x80\1\xff\xff", "its bits": b"\x0e\x80\x80\x80\x80\1"}, None),
    # QuakeWorld's players leave the demo for the last server: ezquake CL_Reconnect_f.
    (QUAKEWORLD, remarks() | {"weapons": text(STUFFTEXT, b"//vwep w_axe /outside\n"),
                              "another server": text(STUFFTEXT, b"reconnect\n")}, None),
    (QUAKEWORLD_ENTITIES, removals(), None),
]
