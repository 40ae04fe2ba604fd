# SPDX-License-Identifier: GPL-2.0-or-later
"""Export Objects: files that servers sent to clients."""

import hashlib
import struct

from downloads import recorded
from wireshark import OOB, PASSES, PluginTest, quoted, to_client, to_server


def server(number, messages):
    return to_client(5001, 27500, struct.pack("<II", number, number) + messages)


def client(number, messages):
    return to_server(5001, 27500, struct.pack("<IIH", number, max(number - 1, 0), 7) + messages)


def request(name):
    return b"\x04download " + name + b"\0"


def piece(data, percent):
    return b"\x29" + struct.pack("<hB", len(data), percent) + data


class Downloads(PluginTest):
    def assert_files(self, packets, expected):
        capture = self.capture(packets)
        for passes in PASSES:
            self.assertEqual(self.exported(capture, "quake_downloads", *passes), expected)

    def test_recorded_downloads_equal_the_originals(self):
        for capture, originals in recorded():
            for passes in PASSES:
                with self.subTest(capture, passes=passes):
                    found = self.exported(self.readable(capture), "quake_downloads", *passes)
                    self.assertEqual({file: hashlib.md5(data).hexdigest()
                                      for file, data in found.items()}, originals)

    def test_unfinished_and_unsafe_files(self):
        """The last one is refused by the server."""
        self.assert_files([
            client(1, request(b"../../escape")),
            server(1, piece(b"all", 100)),
            client(2, request(b"a.wav")),
            server(2, piece(b"half", 50)),
            client(3, request(b"b.wav")),
            server(3, b"\x29\xff\xff\x00"),
        ], {"../../escape": b"all", "a.wav.partial": b"half"})

    def test_reconnect_ends_the_file(self):
        """The second piece answers no request of the new connection, and is of no file of the old one."""
        self.assert_files([
            client(8, request(b"a.wav")),
            server(8, piece(b"old", 50)),
            to_server(5001, 27500, OOB + b'connect 28 7 1 "\\name\\me"\n'),
            to_client(5001, 27500, OOB + b"j"),
            client(1, b"\x01"),
            server(1, piece(b"new", 100)),
        ], {"a.wav.partial": b"old"})

    def test_quoted_pieces_are_ignored(self):
        """An error message quotes what was sent before."""
        self.assert_files([
            client(1, request(b"a.wav")),
            server(1, piece(b"half", 50)),
            quoted(server(2, piece(b"none", 60))),
            server(2, piece(b"rest", 100)),
        ], {"a.wav": b"halfrest"})
