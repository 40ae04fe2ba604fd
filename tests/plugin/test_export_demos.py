# SPDX-License-Identifier: GPL-2.0-or-later
"""Export Objects: the demos of sessions are those that pcap2demo writes, byte for byte."""

import os
import pathlib
import re
import struct
import subprocess
import tempfile

from wireshark import CAPTURES, PluginTest, to_client, to_server

PCAP2DEMO = os.environ["PCAP2DEMO"]
MARK = b"\xff\xff\xff\xff"


class Demos(PluginTest):
    def folder_for(self, name):
        folder = pathlib.Path(tempfile.mkdtemp(prefix=name, dir=self.folder / "home"))
        folder.chmod(0o777)
        return folder

    def export(self, capture, *options):
        folder = self.folder_for("tshark")
        self.tshark("-q", "-r", capture, "--export-objects", f"quake_demos,{folder}", *options)
        return {path.name: path.read_bytes() for path in folder.iterdir()}

    def rebuild(self, capture, *options):
        """The same by pcap2demo, whose names begin with the capture's."""
        folder = self.folder_for("pcap2demo")
        subprocess.run([PCAP2DEMO, "-q", "-o", folder, *options, capture], capture_output=True)
        stem = pathlib.Path(capture).name.partition(".")[0]
        return {path.name.removeprefix(f"{stem}-"): path.read_bytes() for path in folder.iterdir()}

    def assert_same(self, capture, *options):
        wanted = self.rebuild(capture)
        found = self.export(capture, *options)
        self.assertEqual(sorted(found), sorted(wanted))
        self.assertTrue(all(found[name] == wanted[name] for name in wanted), "other bytes")
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
                self.assert_same(self.readable(CAPTURES[0] / f"{name}.pcap"), "-2")

    def test_captures_made_of_demos(self):
        """As pcap2demo makes them of it."""
        for demo in sorted(CAPTURES[0].glob("*.dm2"))[:1] + sorted(CAPTURES[0].glob("*.qwd"))[:1]:
            capture = self.folder_for("made") / f"{demo.stem}.pcapng"
            subprocess.run([PCAP2DEMO, "-q", "--pcap", capture, demo], capture_output=True, check=True)
            capture.chmod(0o644)
            with self.subTest(demo.name):
                self.assert_same(capture)

    def test_names_are_safe(self):
        """A player's name is the network's, and no path."""
        hostile = b"\\name\\../../etc/x\n"
        packets = [to_server(5001, 27500, MARK + b'connect 28 7 1 "' + hostile.strip() + b'"\n'),
                   to_client(5001, 27500, MARK + b"j"),
                   to_server(5001, 27500, struct.pack("<IIH", 1, 0, 7) + b"\x04new\0"),
                   to_client(5001, 27500, struct.pack("<II", 1, 1) + b"\x01")]
        for name in self.export(self.capture(packets)):
            self.assertRegex(name, re.compile(r"^[\w+-]+\.qwd$"))

    def test_it_is_no_protocol(self):
        """It is there to be exported, but not to be turned off."""
        help_text = self.run_tshark("--export-objects", "nothing").stderr
        self.assertIn("quake_demos", help_text)
