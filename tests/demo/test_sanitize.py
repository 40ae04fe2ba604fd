# SPDX-License-Identifier: GPL-2.0-or-later
"""--sanitize: what a hostile server sends so that some engine carries it out is not in the demo.

Each attack is put into a packet of a real session, and must be in the demo as long as nobody asks
for less: an attack that never arrives proves nothing.
"""

import gzip
import os
import struct
import subprocess
import unittest

from tool import CAPTURES, ToolTest

READER = os.environ["ENGINE_READER"]  # tests/engine_reader

MARKER = b"marked_command"
PRINT, STUFFTEXT = 8, 9
ETHERNET, IP, UDP = 14, 20, 8
PAYLOAD = ETHERNET + IP + UDP


def text(message, content):
    return bytes([message]) + content + b"\0"


# What a command line, read in one way or another, may hide. Sources: DarkPlaces cmd.c,
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
}


def strings(print_message, stufftext):
    """Texts that end elsewhere for some engine: id common.c, MSG_ReadString, MSG_ReadChar."""
    command = text(stufftext, MARKER + b"\n")
    return {
        "a text of 2047 bytes": text(print_message, b"\2" + b"A" * 2046 + command[:-1]),
        "a text with 0xff": text(print_message, b"\2x\xff" + command[:-1]),
    }


def from_server(frame):
    """By the port; Quake's server goes on from one of its own."""
    return struct.unpack_from(">H", frame, ETHERNET + IP)[0] in (27500, 27920, 40264)


class Sanitize(ToolTest):
    def records(self, capture):
        data = gzip.decompress((CAPTURES / capture).read_bytes())
        at = 24
        yield data[:24]
        while at < len(data):
            size, = struct.unpack_from("<I", data, at + 8)
            yield data[at:at + 16 + size]
            at += 16 + size

    def grown(self, capture, is_target, change):
        """The capture with another payload in the middle one of the server's packets that fit."""
        records = list(self.records(capture))
        targets = [index for index, record in enumerate(records[1:], 1)
                   if from_server(record[16:]) and is_target(record[16 + PAYLOAD:])]
        target = targets[len(targets) // 2]
        record = records[target]
        payload = change(record[16 + PAYLOAD:])
        frame = bytearray(record[16:16 + PAYLOAD] + payload)
        struct.pack_into(">H", frame, ETHERNET + 2, len(frame) - ETHERNET)
        struct.pack_into(">HH", frame, ETHERNET + IP + 4, UDP + len(payload), 0)
        records[target] = record[:8] + struct.pack("<II", len(frame), len(frame)) + bytes(frame)
        return b"".join(records)

    def demos(self, capture, *options):
        folder = self.folder / "out"
        folder.mkdir()
        self.run_tool("--quiet", "--output", folder, *options, self.write("x.pcap", capture))
        demos = {path.name: path.read_bytes() for path in sorted(folder.iterdir())}
        for path in folder.iterdir():
            path.unlink()
        folder.rmdir()
        return demos

    def is_clean(self, demos):
        """Whether no engine would carry out anything, and all of it can be read."""
        names = [self.write(name, demo) for name, demo in demos.items()]
        result = subprocess.run([READER, *names], stdout=subprocess.PIPE, text=True,
                                errors="replace", timeout=60)
        return result.returncode == 0 and result.stdout.count(" commands, 0 of ") == len(demos)

    def check(self, capture, is_target, change, attacks):
        for name, attack in attacks.items():
            with self.subTest(name):
                made = self.grown(capture, is_target, lambda payload: change(payload, attack))
                plain, sanitized = self.demos(made), self.demos(made, "--sanitize")
                self.assertTrue(MARKER in b"".join(plain.values()), "it never arrives")
                self.assertEqual(list(sanitized), list(plain))
                self.assertFalse(MARKER in b"".join(sanitized.values()))
                self.assertFalse(self.is_clean(plain), "the second reader does not see it")
                self.assertTrue(self.is_clean(sanitized))
                for path in sanitized:
                    self.assertGreater(len(sanitized[path]), len(plain[path]) // 2)

    def test_quakeworld(self):
        def playerinfo(payload):
            return payload[8:] and payload[8] == 42

        attacks = {name: text(STUFFTEXT, line) for name, line in LINES.items()}
        attacks |= strings(PRINT, STUFFTEXT)
        attacks["behind an unknown message"] = b"\x4e" + text(STUFFTEXT, MARKER + b"\n")
        self.check("fidelity/qw-vanilla.pcap.gz", playerinfo, lambda payload, attack:
                   payload + attack, attacks)

    def test_quake(self):
        def unreliable(payload):
            return payload[:2] == b"\0\x10" and payload[8] == 7

        def grow(payload, attack):
            payload += attack
            return payload[:2] + struct.pack(">H", len(payload)) + payload[4:]

        attacks = {name: text(STUFFTEXT, line) for name, line in LINES.items()}
        attacks |= strings(PRINT, STUFFTEXT)
        attacks["behind an unknown message"] = b"\x4e" + text(STUFFTEXT, MARKER + b"\n")
        self.check("fidelity/nq-protocol15.pcap.gz", unreliable, grow, attacks)

    def test_quake2(self):
        """Of the byte with a message's id R1Q2 and Q2PRO take five bits, others all."""
        def frame(payload):
            return payload[8:] and payload[8] & 0x1f == 20

        attacks = {name: text(11, line) for name, line in LINES.items()}
        attacks |= strings(10, 11)
        del attacks["a text of 2047 bytes"]  # it is longer than a demo's block
        for bits in range(0x20, 0x100, 0x20):
            attacks[f"id with bits {bits:#x}"] = text(11 | bits, MARKER + b"\n")
        self.check("fidelity/q2-protocol36.pcap.gz", frame, lambda payload, attack:
                   payload + attack, attacks)

    def test_protocol_that_is_not_decoded(self):
        """Nobody can say what is in its messages."""
        version = struct.pack("<I", 15)

        def serverinfo(payload):
            return b"\x0b" + version in payload[:120]

        made = self.grown("fidelity/nq-protocol15.pcap.gz", serverinfo, lambda payload:
                          payload.replace(b"\x0b" + version, b"\x0b" + struct.pack("<I", 77)))
        for path in self.demos(made, "--sanitize").values():
            self.assertFalse(b"\x0b\x4d\0\0\0" in path)


if __name__ == "__main__":
    unittest.main()
