# SPDX-License-Identifier: GPL-2.0-or-later
"""Values that sessions in a lab do not have, from bytes written by hand.

What is expected follows from the clients' sources, which each test names.
"""

import re
import struct

from demos import flat
from tool import ETHERNET, Capture, ToolTest, udp

CLIENT, SERVER = (1, 27001), (2, 27500)
FTE_MODELDBL, FTE_ENTITYDBL, FTE_ENTITYDBL2 = 0x1000, 0x2000, 0x4000


def serverdata(extensions=b"", level=b"A level", version=28):
    """svc_serverdata, of player 0: CL_ParseServerData of cl_parse.c. Ten floats for moves from
    protocol 25 on."""
    return (b"\x0b" + extensions + struct.pack("<II", version, 1) + b"qw\0\0" + level + b"\0" +
            (bytes(40) if version >= 25 else b""))


def fte_serverdata(flags):
    return serverdata(b"FTEX" + struct.pack("<I", flags))


def userinfo(player, name):
    return b"\x28" + bytes([player]) + struct.pack("<I", 100) + b"\\name\\" + name + b"\0"


class Values(ToolTest):
    def setUp(self):
        super().setUp()
        self.frames = []
        self.sequence = self.acknowledged = 0
        self.client(b"\x04new\0")

    def send(self, source, destination, payload):
        self.frames.append((len(self.frames) * 1000,
                            bytes(12) + b"\x08\x00" + udp(source, destination, payload)))

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
        return self.dump(self.write("in.pcap", Capture(ETHERNET, self.frames).pcap()))

    def last(self):
        """The fields of the last packet."""
        return list(flat(self.packets()[-1]["fields"]))

    def values(self, name):
        return [field["value"] for field in self.last() if field["name"] == name]

    def value(self, name):
        value, = self.values(name)
        return value

    def expect(self, **expected):
        """Names have two underscores where the fields' have dots, and no "qw." in front."""
        for name, value in expected.items():
            with self.subTest(name):
                self.assertEqual(self.value("qw." + name.replace("__", ".")), value)


class Numbers(Values):
    def test_nail(self):
        """CL_ParseProjectiles: 12 bits each, times 2, less 4096; 4 bits of pitch, 8 of yaw."""
        self.server(serverdata())
        self.server(b"\x2b\x01" + bytes([0xff, 0x1f, 0x00, 0x00, 0x88, 0xc0]))
        # x 0xfff, y 0x001, z 0x800, pitch 8 of 16, which is half a turn, yaw 0xc0 of 256
        self.expect(nail__origin__x=4094, nail__origin__y=-4094, nail__origin__z=0,
                    nail__pitch=-180, nail__yaw=-90)

    def test_nail_pitch(self):
        self.server(serverdata())
        for bits, pitch in ((0, 0), (1, 22.5), (7, 157.5), (8, -180), (9, -157.5), (15, -22.5)):
            self.server(b"\x2b\x01" + bytes([0, 0, 0, 0, bits << 4, 0]))
            self.expect(nail__pitch=pitch)

    def test_numbered_nails(self):
        self.server(serverdata())
        self.server(b"\x36\x02" + bytes([200, 0, 8, 0x80, 0, 8, 0, 7, 0, 8, 0x80, 0, 0xf8, 0x80]))
        self.assertEqual(self.values("qw.nail.number"), [200, 7])
        self.assertEqual(self.values("qw.nail.pitch"), [0, -22.5])
        self.assertEqual(self.values("qw.nail.yaw"), [0, -180])

    def test_setangle(self):
        """MSG_ReadAngle: a signed byte times 360/256."""
        self.server(serverdata())
        self.server(b"\x0a\x40\x80\xc0")
        self.expect(setangle__angles__pitch=90, setangle__angles__yaw=-180,
                    setangle__angles__roll=-90)

    def test_usercmd(self):
        """MSG_ReadDeltaUsercmd: angles of 16 bits times 360/65536, moves that are signed."""
        self.server(serverdata())
        self.client(b"\x03\x00\x00" + b"\x00\x0d" + b"\x00\x0d" +
                    b"\xff" + struct.pack("<HHHhhhBBB", 0xc000, 0x8000, 0xe000, -400, -32768, 32767,
                                          0x82, 0xff, 0xfe))
        for name, last in (("angles.pitch", -90), ("angles.yaw", -180), ("angles.roll", -45),
                           ("forwardmove", -400), ("sidemove", -32768), ("upmove", 32767),
                           ("buttons", 0x82), ("impulse", 0xff), ("msec", 0xfe)):
            with self.subTest(name):
                self.assertEqual(self.values("qw.usercmd." + name)[-1], last)

    def test_usercmd_goes_on(self):
        """What is not sent is as in the command before, with its sign."""
        self.server(serverdata())
        self.client(b"\x03\x00\x00" + b"\x97" + struct.pack("<HHHhhB", 0xc000, 0x8000, 0xe000, -400,
                                                                -32768, 1) + b"\x00\x02\x00\x03")
        for name, value in (("angles.pitch", -90), ("angles.yaw", -180), ("angles.roll", -45),
                            ("forwardmove", -400), ("upmove", -32768)):
            with self.subTest(name):
                self.assertEqual(self.values("qw.usercmd." + name), [value] * 3)
        self.assertEqual(self.values("qw.usercmd.msec"), [1, 2, 3])

    def test_narrow_usercmd(self):
        """ezquake com_msg.c, MSG_ReadDeltaUsercmd up to protocol 26: the yaw is always there, what
        is CM_ANGLE2 later announces the duration, and moves are bytes, in steps of 8."""
        self.server(serverdata(version=26))
        yaw = struct.pack("<H", 0x8000)
        self.client(b"\x03\x00\x00" + b"\x80" + yaw + b"\x0d" + b"\x00" + yaw +
                    b"\x0c" + struct.pack("<Hbb", 0x4000, -50, 127))
        for name, values in (("angles.yaw", [-180, -180, 90]), ("msec", [13, 13, 13]),
                             ("forwardmove", [0, 0, -400]), ("sidemove", [0, 0, 1016])):
            with self.subTest(name):
                self.assertEqual(self.values("qw.usercmd." + name), values)

    def test_protocols_with_and_without_settings_of_moves(self):
        for version, count in (24, 0), (25, 1), (26, 1):
            self.server(serverdata(version=version) + b"\x08\x02behind it\n\0")
            self.assertEqual(len(self.values("qw.serverdata.gravity")), count)
            self.expect(print__text="behind it\n")

    def test_recorded_command(self):
        """ezquake cl_demo.c, CL_WriteDemoCmd: the angles sent from 0 to 360, and those of the view,
        of which pitch and roll have a sign."""
        self.server(serverdata() + b"\x2e\0\0\0" + b"\x2d\x00maps/a.bsp\0\0\0")
        self.client(b"\x03\x00\x00" + b"\x00\x0d" + b"\x00\x0d" +
                    b"\x83" + struct.pack("<HHHB", 0xc000, 0x8000, 0xe000, 13))
        self.server(b"\x2a\x00" + struct.pack("<HhhhB", 0, 8, 8, 8, 1) + b"\x2f\x00\x00")
        self.packets()
        self.tool("--quiet", "--output", "out.qwd", "in.pcap")
        command = [packet for packet in self.dump("out.qwd") if packet["summary"] == "C→S command"][-1]
        values = {field["name"]: field.get("value") for field in flat(command["fields"])}
        for angle, sent, view in ("pitch", 270, -90), ("yaw", 180, 180), ("roll", 315, -45):
            self.assertEqual(values["qw.usercmd.angles." + angle], sent)
            self.assertEqual(values["qw.block.viewangles." + angle], view)

    def test_words_from_0x8000_on(self):
        """MSG_ReadShort is signed; MSG_ReadCoord is a short in eighths."""
        self.server(serverdata())
        self.server(b"\x0e\x00" + struct.pack("<h", -32768) + b"\x24\x01" + struct.pack("<h", -1) +
                    b"\x13\xff\xfe" + struct.pack("<hhh", -32768, 32767, -1))
        self.expect(updatefrags__frags=-32768, updateping__ping=-1, damage__armor=255,
                    damage__health=254, damage__origin__x=-4096, damage__origin__y=4095.875,
                    damage__origin__z=-0.125)

    def test_sound_word(self):
        """CL_ParseStartSoundPacket: bit 15 announces a volume, 14 an attenuation in 64ths."""
        self.server(serverdata())
        self.server(b"\x06" + struct.pack("<HBBBhhh", 0xc000 | 1023 << 3 | 7, 51, 128, 9, 8, -8, 0))
        self.expect(sound__entity=1023, sound__channel=7, sound__volume=0.2, sound__attenuation=2,
                    sound__origin__x=1, sound__origin__y=-1)

    def test_player_velocity(self):
        """CL_ParsePlayerinfo: whole units, in the order of the bits."""
        self.server(serverdata())
        self.server(b"\x2a\x05" + struct.pack("<HhhhB", 0x001c, -8, 16, -32768, 3) +
                    struct.pack("<hhh", -32768, 32767, -320))
        self.expect(playerinfo__origin__x=-1, playerinfo__origin__y=2, playerinfo__origin__z=-4096,
                    playerinfo__velocity__x=-32768, playerinfo__velocity__y=32767,
                    playerinfo__velocity__z=-320)

    def test_long_statistic(self):
        self.server(serverdata())
        self.server(b"\x26\x0f\x00\x00\x00\x80")
        self.expect(updatestatlong__value=-0x80000000)

    def test_qport(self):
        self.client(b"\x01", qport=0xfffe)
        self.expect(qport=0xfffe)

    def test_choked(self):
        """svc_chokecount is a byte: of the numbers that are missing so many were not sent."""
        self.server(serverdata())
        self.sequence += 200
        self.server(b"\x2c" + bytes([200]))
        self.expect(chokecount__count=200)
        note, = self.notes_of_choking()
        self.assertEqual(re.findall(r"\d+", note), ["200"])  # all of them
        self.sequence += 9
        self.server(b"\x2c\x08")
        note, = self.notes_of_choking()
        self.assertEqual(re.findall(r"\d+", note), ["9", "8"])
        self.sequence += 8
        self.server(b"\x01")
        self.assertEqual(self.notes_of_choking(), [])

    def notes_of_choking(self):
        return [field["note"] for field in self.last() if "choked" in field.get("note", "")]


class Entities(Values):
    def entity(self, data):
        self.server(b"\x2f" + data + b"\0\0")

    def test_angles(self):
        """CL_ParseDelta: origin 1, angle 1, origin 2, angle 2, origin 3, angle 3."""
        self.server(serverdata())
        self.entity(struct.pack("<HB", 0x9e00 | 77, 0x03) +
                    struct.pack("<hbhbhb", -8, -64, 8, 64, -32768, -32))
        self.expect(entity__number=77, entity__origin__x=-1, entity__angles__pitch=-90,
                    entity__origin__y=1, entity__angles__yaw=90, entity__origin__z=-4096,
                    entity__angles__roll=-45)

    def test_numbers_of_more_than_nine_bits(self):
        """fteqw CLQW_ParseDelta: the bits of the third byte add 512 and 1024."""
        self.server(fte_serverdata(FTE_ENTITYDBL | FTE_ENTITYDBL2))
        for evenmore, number in ((0x20, 512 + 5), (0x40, 1024 + 5), (0x60, 1536 + 5)):
            self.entity(struct.pack("<HBBh", 0x8205, 0x80, evenmore, 8))
            self.expect(entity__number=number, entity__origin__x=1)

    def test_removal_of_a_high_number(self):
        self.server(fte_serverdata(FTE_ENTITYDBL | FTE_ENTITYDBL2))
        self.entity(struct.pack("<HBB", 0xc1ff, 0x80, 0x40))
        self.expect(entity__number=1024 + 511)

    def test_removal_without_extensions(self):
        """Nothing follows the word."""
        self.server(serverdata())
        self.entity(struct.pack("<H", 0xc005))
        self.expect(entity__number=5)

    def test_models_of_more_than_a_byte(self):
        """U_MODEL and MODELDBL: a byte, 256 on; MODELDBL alone: a short."""
        self.server(fte_serverdata(FTE_MODELDBL))
        self.entity(struct.pack("<HBBB", 0x8005, 0x84, 0x08, 7) + struct.pack("<HBBH", 0x8006, 0x80,
                                                                             0x08, 0x8001))
        self.assertEqual(self.values("qw.entity.model"), [7, 0x8001])
        self.assertEqual(self.values("qw.entity.number"), [5, 6])


class Players(Values):
    def names(self):
        return self.values("qw.player.name")

    def test_last_player(self):
        """MAX_CLIENTS is 32, and entity 32 is player 31."""
        self.server(serverdata() + userinfo(30, b"late") + userinfo(31, b"last"))
        self.server(b"\x0e\x1f\x01\x00")
        self.assertEqual(self.names(), ["last"])
        self.server(b"\x27\x20\x00")
        self.assertEqual(self.names(), ["last"])
        self.server(b"\x27\x1f\x00")
        self.assertEqual(self.names(), ["late"])

    def test_last_player_of_an_extended_server(self):
        """fteqw's MAX_CLIENTS is 255; number 255 stands for no player."""
        self.server(serverdata() + userinfo(254, b"last") + userinfo(255, b"none"))
        self.server(b"\x0e\xfe\x01\x00" + b"\x27\xff\x00" + b"\x0e\xff\x01\x00" +
                    b"\x27\x00\x01")
        self.assertEqual(self.names(), ["last", "last"])

    def test_no_player(self):
        """Entity 0 is the world."""
        self.server(serverdata() + userinfo(0, b"first"))
        self.server(b"\x27\x00\x00")
        self.assertEqual(self.names(), [])

    def test_new_level(self):
        """svc_serverdata wipes the client's state: CL_ClearState."""
        self.server(serverdata() + userinfo(3, b"old") + userinfo(4, b"stays"))
        self.server(b"\x0e\x03\x01\x00" + b"\x0e\x04\x01\x00")
        self.assertEqual(self.names(), ["old", "stays"])
        self.server(serverdata(level=b"Another") + userinfo(4, b"stays"))
        self.server(b"\x0e\x03\x01\x00" + b"\x0e\x04\x01\x00")
        self.assertEqual(self.names(), ["stays"])

    def test_models_of_a_new_level(self):
        """svc_modellist: the first number, names, an empty one, and what to ask for next."""
        self.server(serverdata() + b"\x2d\x00maps/a.bsp\0progs/a.mdl\0\0\0")
        player = b"\x2a\x00" + struct.pack("<HhhhBB", 0x0020, 0, 0, 0, 0, 2)
        self.server(player)
        self.assertEqual(self.values("qw.model.name"), ["progs/a.mdl"])
        self.server(serverdata(level=b"Another") + b"\x2d\x00maps/b.bsp\0\0\0")
        self.server(player)
        self.assertEqual(self.values("qw.model.name"), [])

    def test_setinfo(self):
        self.server(serverdata() + userinfo(31, b"last"))
        self.server(b"\x33\x1fname\0new\0")
        self.server(b"\x0e\x1f\x01\x00")
        self.assertEqual(self.names(), ["new"])
