# SPDX-License-Identifier: GPL-2.0-or-later
"""Values that sessions in a lab do not have, from bytes written by hand.

The expected values follow from the clients' sources, which each row names.
"""

import re
import struct

from demos import flat, userinfo
from tool import ToolTest, udp_frame

CLIENT, SERVER = (1, 27001), (2, 27500)
FTE_MODELDBL, FTE_ENTITYDBL, FTE_ENTITYDBL2 = 0x1000, 0x2000, 0x4000


def serverdata(extensions=b"", level=b"A level", version=28):
    """svc_serverdata, of player 0: CL_ParseServerData of cl_parse.c. Ten floats for moves from
    protocol 25 on."""
    return (b"\x0b" + extensions + struct.pack("<II", version, 1) + b"qw\0\0" + level + b"\0" +
            (bytes(40) if version >= 25 else b""))


def fte_serverdata(flags):
    return serverdata(b"FTEX" + struct.pack("<I", flags))


def entity(data):
    return b"\x2f" + data + b"\0\0"


def usercmds(*commands):
    """clc_move of three commands, each a change to the one before."""
    return b"\x03\0\0" + b"".join(commands)


PLAYER_WITH_MODEL = b"\x2a\0" + struct.pack("<HhhhBB", 0x0020, 0, 0, 0, 0, 2)
FRAGS_OF_3_AND_4 = b"\x0e\x03\x01\0" + b"\x0e\x04\x01\0"
ENTITYDBLS = fte_serverdata(FTE_ENTITYDBL | FTE_ENTITYDBL2)

# Of the server: what it sends before, in a packet each; its last packet; what that shows, without "qw.".
SERVER_MESSAGES = {
    "nails, CL_ParseProjectiles: 12 bits each, times 2, less 4096; 4 bits of pitch, 8 of yaw":
        # x 0xfff, y 0x001, z 0x800, pitch 8 of 16, which is half a turn, yaw 0xc0 of 256
        ([serverdata()], b"\x2b\x01\xff\x1f\x00\x00\x88\xc0",
         {"nail.origin.x": 4094, "nail.origin.y": -4094, "nail.origin.z": 0, "nail.pitch": -180, "nail.yaw": -90}),
    "pitches of nails":
        ([serverdata()], b"\x2b\x06" + b"".join(bytes([0, 0, 0, 0, bits << 4, 0]) for bits in (0, 1, 7, 8, 9, 15)),
         {"nail.pitch": [0, 22.5, 157.5, -180, -157.5, -22.5]}),
    "numbered nails":
        ([serverdata()], b"\x36\x02" + bytes([200, 0, 8, 0x80, 0, 8, 0, 7, 0, 8, 0x80, 0, 0xf8, 0x80]),
         {"nail.number": [200, 7], "nail.pitch": [0, -22.5], "nail.yaw": [0, -180]}),
    "MSG_ReadAngle: a signed byte times 360/256":
        ([serverdata()], b"\x0a\x40\x80\xc0",
         {"setangle.angles.pitch": 90, "setangle.angles.yaw": -180, "setangle.angles.roll": -90}),
    "MSG_ReadShort is signed; MSG_ReadCoord is a short in eighths":
        ([serverdata()], b"\x0e\0" + struct.pack("<h", -32768) + b"\x24\x01" + struct.pack("<h", -1) +
         b"\x13\xff\xfe" + struct.pack("<hhh", -32768, 32767, -1),
         {"updatefrags.frags": -32768, "updateping.ping": -1, "damage.armor": 255, "damage.health": 254,
          "damage.origin.x": -4096, "damage.origin.y": 4095.875, "damage.origin.z": -0.125}),
    "CL_ParseStartSoundPacket: bit 15 announces a volume, 14 an attenuation in 64ths":
        ([serverdata()], b"\x06" + struct.pack("<HBBBhhh", 0xc000 | 1023 << 3 | 7, 51, 128, 9, 8, -8, 0),
         {"sound.entity": 1023, "sound.channel": 7, "sound.volume": 0.2, "sound.attenuation": 2,
          "sound.origin.x": 1, "sound.origin.y": -1}),
    "CL_ParsePlayerinfo: velocities in whole units, in the order of the bits":
        ([serverdata()], b"\x2a\x05" + struct.pack("<HhhhB", 0x001c, -8, 16, -32768, 3) +
         struct.pack("<hhh", -32768, 32767, -320),
         {"playerinfo.origin.x": -1, "playerinfo.origin.y": 2, "playerinfo.origin.z": -4096,
          "playerinfo.velocity.x": -32768, "playerinfo.velocity.y": 32767, "playerinfo.velocity.z": -320}),
    "a statistic of 32 bits": ([serverdata()], b"\x26\x0f\0\0\0\x80", {"updatestatlong.value": -0x80000000}),
    "settings of moves from protocol 25 on: none":
        ([], serverdata(version=24) + b"\x08\x02behind it\n\0",
         {"serverdata.gravity": [], "print.text": "behind it\n"}),
    "settings of moves in protocol 25":
        ([], serverdata(version=25) + b"\x08\x02behind it\n\0",
         {"serverdata.gravity": [0], "print.text": "behind it\n"}),
    "settings of moves in protocol 26":
        ([], serverdata(version=26) + b"\x08\x02behind it\n\0",
         {"serverdata.gravity": [0], "print.text": "behind it\n"}),

    "CL_ParseDelta: origin 1, angle 1, origin 2, angle 2, origin 3, angle 3":
        ([serverdata()], entity(struct.pack("<HB", 0x9e00 | 77, 0x03) +
                                struct.pack("<hbhbhb", -8, -64, 8, 64, -32768, -32)),
         {"entity.number": 77, "entity.origin.x": -1, "entity.angles.pitch": -90, "entity.origin.y": 1,
          "entity.angles.yaw": 90, "entity.origin.z": -4096, "entity.angles.roll": -45}),
    "fteqw, CLQW_ParseDelta: the bits of the third byte add 512 and 1024":
        ([ENTITYDBLS], entity(b"".join(struct.pack("<HBBh", 0x8205, 0x80, more, 8) for more in (0x20, 0x40, 0x60))),
         {"entity.number": [512 + 5, 1024 + 5, 1536 + 5], "entity.origin.x": [1, 1, 1]}),
    "removal of a number of more than nine bits":
        ([ENTITYDBLS], entity(struct.pack("<HBB", 0xc1ff, 0x80, 0x40)), {"entity.number": 1024 + 511}),
    "removal without extensions: nothing follows the word":
        ([serverdata()], entity(struct.pack("<H", 0xc005)), {"entity.number": 5}),
    "U_MODEL and MODELDBL: a byte, 256 on; MODELDBL alone: a short":
        ([fte_serverdata(FTE_MODELDBL)],
         entity(struct.pack("<HBBB", 0x8005, 0x84, 0x08, 7) + struct.pack("<HBBH", 0x8006, 0x80, 0x08, 0x8001)),
         {"entity.model": [7, 0x8001], "entity.number": [5, 6]}),

    "the last player: MAX_CLIENTS is 32":
        ([serverdata() + userinfo(30, b"late") + userinfo(31, b"last")],
         b"\x0e\x1f\x01\0" + b"\x27\x20\0" + b"\x27\x1f\0",  # entity 32 is player 31
         {"player.name": ["last", "last", "late"]}),
    "the last player of fteqw, whose MAX_CLIENTS is 255; number 255 stands for no player":
        ([serverdata() + userinfo(254, b"last") + userinfo(255, b"none")],
         b"\x0e\xfe\x01\0" + b"\x27\xff\0" + b"\x0e\xff\x01\0" + b"\x27\0\x01",
         {"player.name": ["last", "last"]}),
    "entity 0 is the world": ([serverdata() + userinfo(0, b"first")], b"\x27\0\0", {"player.name": []}),
    "names of players":
        ([serverdata() + userinfo(3, b"old") + userinfo(4, b"stays")], FRAGS_OF_3_AND_4,
         {"player.name": ["old", "stays"]}),
    "svc_serverdata wipes the client's state, CL_ClearState: names of players":
        ([serverdata() + userinfo(3, b"old"), serverdata(level=b"Another") + userinfo(4, b"stays")], FRAGS_OF_3_AND_4,
         {"player.name": ["stays"]}),
    "svc_modellist: the first number, names, an empty one, and the number to ask for next":
        ([serverdata() + b"\x2d\0maps/a.bsp\0progs/a.mdl\0\0\0"], PLAYER_WITH_MODEL, {"model.name": "progs/a.mdl"}),
    "svc_serverdata wipes the client's state: names of models":
        ([serverdata() + b"\x2d\0maps/a.bsp\0progs/a.mdl\0\0\0",
          serverdata(level=b"Another") + b"\x2d\0maps/b.bsp\0\0\0"], PLAYER_WITH_MODEL, {"model.name": []}),
    "svc_setinfo":
        ([serverdata() + userinfo(31, b"last") + b"\x33\x1fname\0new\0"], b"\x0e\x1f\x01\0", {"player.name": "new"}),
}

# Of the client: the protocol; its packet; what that shows of each of the commands.
CLIENT_MESSAGES = {
    "MSG_ReadDeltaUsercmd: angles of 16 bits times 360/65536, moves that are signed":
        (28, usercmds(b"\0\x0d", b"\0\x0d", b"\xff" + struct.pack("<HHHhhhBBB", 0xc000, 0x8000, 0xe000, -400,
                                                                   -32768, 32767, 0x82, 0xff, 0xfe)),
         {"angles.pitch": [0, 0, -90], "angles.yaw": [0, 0, -180], "angles.roll": [0, 0, -45],
          "forwardmove": [0, 0, -400], "sidemove": [0, 0, -32768], "upmove": [0, 0, 32767], "buttons": [0, 0, 0x82],
          "impulse": [0, 0, 0xff], "msec": [13, 13, 0xfe]}),
    "what is not sent is as in the command before, with its sign":
        (28, usercmds(b"\x97" + struct.pack("<HHHhhB", 0xc000, 0x8000, 0xe000, -400, -32768, 1), b"\0\2", b"\0\3"),
         {"angles.pitch": [-90] * 3, "angles.yaw": [-180] * 3, "angles.roll": [-45] * 3, "forwardmove": [-400] * 3,
          "upmove": [-32768] * 3, "msec": [1, 2, 3]}),
    # ezquake com_msg.c
    "MSG_ReadDeltaUsercmd up to protocol 26: the yaw is always there, what is CM_ANGLE2 later announces the "
    "duration, and moves are bytes, in steps of 8":
        (26, usercmds(b"\x80\0\x80\x0d", b"\0\0\x80", b"\x0c" + struct.pack("<Hbb", 0x4000, -50, 127)),
         {"angles.yaw": [-180, -180, 90], "msec": [13, 13, 13], "forwardmove": [0, 0, -400], "sidemove": [0, 0, 1016]}),
}


class Values(ToolTest):
    def setUp(self):
        super().setUp()
        self.frames = []
        self.sequence = self.acknowledged = 0
        self.client(b"\x04new\0")

    def send(self, source, destination, payload):
        self.frames.append((len(self.frames) * 1000, udp_frame(source, destination, payload)))

    def client(self, messages, qport=4711):
        self.sequence += 1
        self.send(CLIENT, SERVER,
                  struct.pack("<IIH", self.sequence, self.acknowledged, qport) + messages)

    def server(self, messages):
        """A packet from the server, and one from the client in front of it."""
        self.client(b"")
        self.send(SERVER, CLIENT, struct.pack("<II", self.sequence, self.sequence) + messages)
        self.acknowledged = self.sequence

    def packets(self):
        """The fields of each packet."""
        packets = self.dump(self.write_capture("in.pcap", self.frames))
        return [list(flat(packet["fields"])) for packet in packets]

    def assert_values(self, fields, name, expected):
        values = [field["value"] for field in fields if field["name"] == "qw." + name]
        self.assertEqual(values, expected if isinstance(expected, list) else [expected], name)

    def test_server_messages(self):
        numbers = []
        for before, message, _ in SERVER_MESSAGES.values():
            for messages in [*before, message]:
                self.server(messages)
            numbers.append(len(self.frames) - 1)
        packets = self.packets()
        for number, (what, (_, _, expected)) in zip(numbers, SERVER_MESSAGES.items()):
            with self.subTest(what):
                for name, value in expected.items():
                    self.assert_values(packets[number], name, value)

    def test_client_messages(self):
        for version, messages, _ in CLIENT_MESSAGES.values():
            self.server(serverdata(version=version))
            self.client(messages)
        packets = self.packets()[-3 * len(CLIENT_MESSAGES) + 2::3]
        for fields, (what, (_, _, expected)) in zip(packets, CLIENT_MESSAGES.items()):
            with self.subTest(what):
                for name, value in expected.items():
                    self.assert_values(fields, "usercmd." + name, value)

    def test_recorded_command(self):
        """ezquake cl_demo.c, CL_WriteDemoCmd: the angles sent from 0 to 360, and those of the view,
        of which pitch and roll have a sign."""
        self.server(serverdata() + b"\x2e\0\0\0" + b"\x2d\0maps/a.bsp\0\0\0")
        self.client(usercmds(b"\0\x0d", b"\0\x0d", b"\x83" + struct.pack("<HHHB", 0xc000, 0x8000, 0xe000, 13)))
        self.server(b"\x2a\x00" + struct.pack("<HhhhB", 0, 8, 8, 8, 1) + b"\x2f\x00\x00")
        self.packets()
        self.tool("--quiet", "--output", "out.qwd", "in.pcap")
        command = [packet for packet in self.dump("out.qwd") if packet["summary"] == "C→S command"][-1]
        values = {field["name"]: field.get("value") for field in flat(command["fields"])}
        for angle, sent, view in ("pitch", 270, -90), ("yaw", 180, 180), ("roll", 315, -45):
            self.assertEqual(values["qw.usercmd.angles." + angle], sent)
            self.assertEqual(values["qw.block.viewangles." + angle], view)

    def test_qport(self):
        self.client(b"\x01", qport=0xfffe)
        self.assert_values(self.packets()[-1], "qport", 0xfffe)

    def test_choked(self):
        """svc_chokecount is a byte: of the numbers that are missing so many were not sent."""
        self.server(serverdata())
        for missing, choked, noted in (200, 200, ["200"]), (9, 8, ["9", "8"]), (8, None, []):
            self.sequence += missing
            self.server(b"\x01" if choked is None else bytes([0x2c, choked]))
            fields = self.packets()[-1]
            self.assert_values(fields, "chokecount.count", [] if choked is None else choked)
            notes = [field["note"] for field in fields if "choked" in field.get("note", "")]
            self.assertEqual([re.findall(r"\d+", note) for note in notes], [noted] if noted else [])
