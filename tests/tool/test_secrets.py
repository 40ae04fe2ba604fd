# SPDX-License-Identifier: GPL-2.0-or-later
"""Passwords are printed only with --show-secrets."""

from tool import CAPTURES, RAW, ToolTest, udp

PASSWORD = b"hunter2"
CLIENT, SERVER = (1, 40000), (2, 27500)
QUAKE2, QUAKE = (2, 27910), (2, 26000)
OOB = b"\xff\xff\xff\xff"

# Packets with passwords: the receiver, and the payload.
PACKETS = [
    (SERVER, OOB + b"rcon %s status" % PASSWORD),
    (SERVER, OOB + b"rcon %s set rcon_password %s" % (PASSWORD, PASSWORD)),
    (SERVER, OOB + b'connect 28 1 2 "\\name\\anna\\password\\%s"\n' % PASSWORD),
    (SERVER, OOB + b'connect 28 1 2 "\\name\\anna"\n0x44495547 "%s"\n' % PASSWORD),
    (SERVER, b"\1\0\0\0\0\0\0\0\1\0\4setinfo password %s\0" % PASSWORD),
    (SERVER, b"\2\0\0\0\0\0\0\0\1\0\4setinfo \"password\" \"%s\"\0\xfe\4rcon %s\0" %
     (PASSWORD, PASSWORD)),
    (QUAKE2, OOB + b"rcon %s status\0" % PASSWORD),
    (QUAKE2, OOB + b'connect 34 1 2 "\\name\\anna\\password\\%s"\n' % PASSWORD),
    (QUAKE2, b"\1\0\0\0\0\0\0\0\1\0\3\\name\\anna\\spectator\\%s\0" % PASSWORD),
    (QUAKE2, b"\2\0\0\0\0\0\0\0\1\0\4login anna %s\0" % PASSWORD),
    (QUAKE, b"\x80\0\0\x14\5%s\0status\0" % PASSWORD),
    (QUAKE, OOB + b"rcon %s status" % PASSWORD),
    (QUAKE, OOB + b"connect\\protocol\\darkplaces 3\\password\\%s" % PASSWORD),
]


class Secrets(ToolTest):
    def setUp(self):
        super().setUp()
        self.capture = self.write_capture("secrets.pcap", [(1000 * i, udp(CLIENT, receiver, payload))
                                                           for i, (receiver, payload) in enumerate(PACKETS)], RAW)

    def assert_hidden(self, text):
        self.assertNotIn(PASSWORD.decode(), text)
        self.assertNotIn(PASSWORD.hex(), text)
        self.assertIn("*****", text)

    def test_dumps(self):
        """Also if one packet has 40 passwords."""
        commands = b"".join(b"\4set rcon_password %s%d\0" % (PASSWORD, i) for i in range(40))
        many = self.write_capture("many.pcap", [(0, udp(CLIENT, SERVER, b"\1\0\0\0\0\0\0\0\1\0" + commands))], RAW)
        for capture, count in (self.capture, 14), (many, 40):
            for form in ("--dump", "--dump=json"):
                with self.subTest(form):
                    self.assert_hidden(self.tool(form, capture)[0])
                    shown, _ = self.tool(form, "--show-secrets", capture)
                    self.assertGreaterEqual(shown.count(PASSWORD.decode()), count)

    def test_golden(self):
        check = ("--check", "--no-rebuild", "--golden", "goldens", self.capture)
        _, error = self.tool(*check, "--update", status=1)
        self.assertIn("secrets.pcap: contains 14 passwords; ", error)
        golden = self.folder / "goldens" / "secrets.golden"
        self.assert_hidden(golden.read_text())
        self.tool(*check, "--update", "--show-secrets", status=2)

    def test_nothing_else_is_hidden(self):
        for capture in ("qw-vanilla.pcap", "q2-vanilla.pcap", "nq-protocol15.pcap"):
            with self.subTest(capture):
                self.assertEqual(self.tool("--dump", CAPTURES / capture),
                                 self.tool("--dump", "--show-secrets", CAPTURES / capture))
