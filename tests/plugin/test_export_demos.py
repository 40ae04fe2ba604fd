# SPDX-License-Identifier: GPL-2.0-or-later
"""Export Objects: the demos of sessions are those that pcap2demo writes, byte for byte."""

import pathlib
import struct
import tempfile

from wireshark import CAPTURES, OOB, PluginTest, to_client, to_server, tool


class Demos(PluginTest):
    def assert_same(self, capture, *options):
        """Returns how many demos there are. pcap2demo's names begin with the capture's."""
        with tempfile.TemporaryDirectory() as folder:
            tool("-q", "-o", folder, capture)
            stem = pathlib.Path(capture).name.partition(".")[0]
            expected = {path.name.removeprefix(f"{stem}-"): path.read_bytes()
                        for path in pathlib.Path(folder).iterdir()}
        found = self.exported(capture, "quake_demos", *options)
        self.assertEqual(sorted(found), sorted(expected))
        self.assertTrue(found == expected, "other bytes")
        return len(found)

    def test_small_captures(self):
        total = 0
        for names, path, _ in self.joined(sorted(CAPTURES[0].rglob("*.pcap*"))):
            with self.subTest(names):
                total += self.assert_same(path)
        self.assertGreater(total, 40)

    def test_two_passes(self):
        for name in ("qw-lossy", "q2-vanilla", "nq-bjp", "qw-qtv"):
            with self.subTest(name):
                self.assert_same(self.stored(name), "-2")

    def test_captures_made_of_demos(self):
        for demo in sorted(CAPTURES[0].glob("*.dm2"))[:1] + sorted(CAPTURES[0].glob("*.qwd"))[:1]:
            capture = self.folder / f"{demo.stem}.pcapng"
            tool("-q", "--pcap", capture, demo)
            with self.subTest(demo.name):
                self.assertEqual(self.assert_same(capture), 1)

    def test_name_of_a_hostile_player_is_safe(self):
        packets = [to_server(5001, 27500, OOB + b'connect 28 7 1 "\\name\\../../etc/x"\n'),
                   to_client(5001, 27500, OOB + b"j"),
                   to_server(5001, 27500, struct.pack("<IIH", 1, 0, 7) + b"\x04new\0"),
                   to_client(5001, 27500, struct.pack("<II", 1, 1) + b"\x01")]
        name, = self.exported(self.capture(packets), "quake_demos")
        self.assertRegex(name, r"^[\w+-]+\.qwd$")

    def test_demos_can_be_exported_though_they_are_no_protocol(self):
        self.assertIn("quake_demos", self.run_tshark("--export-objects", "nothing").stderr)
