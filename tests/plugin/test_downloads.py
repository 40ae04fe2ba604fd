# SPDX-License-Identifier: GPL-2.0-or-later
"""Export Objects: files that servers sent to clients."""

import hashlib
import struct
import tempfile
import pathlib

from wireshark import PluginTest, quoted, to_client, to_server

from downloads import recorded


CONNECT = b"\xff\xff\xff\xffconnect 28 7 1 \"\\name\\me\"\n"
ACCEPT = b"\xff\xff\xff\xffj"


def server(number, messages):
    return to_client(5001, 27500, struct.pack("<II", number, number) + messages)


def client(number, messages):
    return to_server(5001, 27500, struct.pack("<IIH", number, max(number - 1, 0), 7) + messages)


def request(name):
    return b"\x04download " + name + b"\0"


def piece(data, percent):
    return b"\x29" + struct.pack("<hB", len(data), percent) + data


class Downloads(PluginTest):
    def export(self, capture, *options):
        """Name -> content of the files; tshark writes "/" as "%2f"."""
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.folder / "home"))
        folder.chmod(0o777)
        self.tshark("-q", "-r", capture, "--export-objects", f"quake_downloads,{folder}", *options)
        return {path.name.replace("%2f", "/"): path.read_bytes() for path in folder.iterdir()}

    def test_recorded_downloads_equal_the_originals(self):
        for capture, originals in recorded():
            for passes in ([], ["-2"]):
                with self.subTest(capture, passes=passes):
                    found = self.export(self.readable(capture), *passes)
                    self.assertEqual({file: hashlib.md5(data).hexdigest()
                                      for file, data in found.items()}, originals)

    def test_unfinished_and_unsafe(self):
        capture = self.capture([
            client(1, b"\x04download ../../escape\0"),
            server(1, piece(b"all", 100)),
            client(2, b"\x04download a.wav\0"),
            server(2, piece(b"half", 50)),
            client(3, b"\x04download b.wav\0"),
            server(3, b"\x29\xff\xff\x00"),
        ])
        self.assertEqual(self.export(capture),
                         {"..%2f..%2fescape".replace("%2f", "/"): b"all", "a.wav.partial": b"half"})

    def test_reconnect_ends_the_file(self):
        """A piece that no request of the new connection precedes belongs to no file of the old one."""
        capture = self.capture([
            client(8, request(b"a.wav")),
            server(8, piece(b"old", 50)),
            to_server(5001, 27500, CONNECT),
            to_client(5001, 27500, ACCEPT),
            client(1, b"\x01"),
            server(1, piece(b"new", 100)),
        ])
        for passes in ([], ["-2"]):
            self.assertEqual(self.export(capture, *passes), {"a.wav.partial": b"old"})

    def test_quoted_pieces_are_no_pieces(self):
        """What an error message quotes was sent before."""
        capture = self.capture([
            client(1, request(b"a.wav")),
            server(1, piece(b"half", 50)),
            quoted(server(2, piece(b"none", 60))),
            server(2, piece(b"rest", 100)),
        ])
        for passes in ([], ["-2"]):
            self.assertEqual(self.export(capture, *passes), {"a.wav": b"halfrest"})
