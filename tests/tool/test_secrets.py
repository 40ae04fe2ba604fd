# SPDX-License-Identifier: GPL-2.0-or-later
"""Passwords: what is printed of a capture does not show them, unless that is asked for."""


from tool import CAPTURES, RAW, Capture, ToolTest, udp

PASSWORD = b"hunter2"
CLIENT, SERVER = (1, 40000), (2, 27500)
QUAKE2, QUAKE = (2, 27910), (2, 26000)
OOB = b"\xff\xff\xff\xff"

# Where a password may stand: the packet's receiver, and its payload.
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
        frames = [(1000 * i, udp(CLIENT, receiver, payload))
                  for i, (receiver, payload) in enumerate(PACKETS)]
        self.capture = self.write("secrets.pcap", Capture(RAW, frames).pcap())

    def assert_hidden(self, text):
        self.assertNotIn(PASSWORD.decode(), text)
        self.assertNotIn(PASSWORD.hex(), text)
        self.assertIn("*****", text)

    def test_dumps(self):
        for form in ("--dump", "--dump=json"):
            with self.subTest(form):
                hidden, _ = self.tool(form, self.capture)
                shown, _ = self.tool(form, "--show-secrets", self.capture)
                self.assert_hidden(hidden)
                self.assertGreaterEqual(shown.count(PASSWORD.decode()), 14)

    def test_many(self):
        """However many passwords a packet has, none is shown."""
        commands = b"".join(b"\4set rcon_password %s%d\0" % (PASSWORD, i) for i in range(40))
        path = self.write("many.pcap", Capture(RAW, [
            (0, udp(CLIENT, SERVER, b"\1\0\0\0\0\0\0\0\1\0" + commands))]).pcap())
        for form in ("--dump", "--dump=json"):
            shown, _ = self.tool(form, "--show-secrets", path)
            self.assertGreaterEqual(shown.count(PASSWORD.decode()), 40)
            self.assert_hidden(self.tool(form, path)[0])

    def test_golden(self):
        check = ("--check", "--no-rebuild", "--golden", "goldens", self.capture)
        _, error = self.tool(*check, "--update", status=1)
        self.assertIn("secrets.pcap: holds 14 passwords: ", error)
        golden = self.folder / "goldens" / "secrets.golden"
        self.assert_hidden(golden.read_text())
        self.tool(*check, "--update", "--show-secrets", status=2)

    def test_nothing_else_is_hidden(self):
        for capture in ("qw-vanilla.pcap", "q2-vanilla.pcap", "nq-protocol15.pcap"):
            with self.subTest(capture):
                dump, _ = self.tool("--dump", CAPTURES / capture)
                self.assertEqual(dump, self.tool("--dump", "--show-secrets",
                                                 CAPTURES / capture)[0])
