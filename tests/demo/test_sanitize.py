# SPDX-License-Identifier: GPL-2.0-or-later
"""--sanitize: what a hostile server sends so that some engine carries it out is not in the demo.

Each attack is put into a packet of a real session, and must be in the demo as long as nobody asks
for less: an attack that never arrives proves nothing.
"""

import os
import struct
import subprocess
import unittest

from attacks import (MARKER, PAYLOAD, QUAKE, QUAKE2, QUAKEWORLD, STUFFTEXT, Game, changed,
                     grow_quake, quake2_attacks, quake_ambiguities, quake_attacks,
                     quakeworld_ambiguities, quakeworld_attacks, records_of, text)
from tool import ToolTest

READER = os.environ["ENGINE_READER"]  # tests/engine_reader


class Sanitize(ToolTest):
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

    def check(self, game, attacks):
        for name, attack in attacks.items():
            with self.subTest(name):
                made = game.attacked(attack)
                plain, sanitized = self.demos(made), self.demos(made, "--sanitize")
                self.assertTrue(MARKER in b"".join(plain.values()), "it never arrives")
                self.assertEqual(list(sanitized), list(plain))
                self.assertFalse(MARKER in b"".join(sanitized.values()))
                self.assertFalse(self.is_clean(plain), "the second reader does not see it")
                self.assertTrue(self.is_clean(sanitized))
                for path in sanitized:
                    self.assertGreater(len(sanitized[path]), len(plain[path]) // 2)

    def test_quakeworld(self):
        self.check(QUAKEWORLD, quakeworld_attacks())

    def test_quake(self):
        self.check(QUAKE, quake_attacks())

    def test_quake2(self):
        self.check(QUAKE2, quake2_attacks())

    def test_messages_that_engines_read_differently(self):
        """Where one engine still reads the message, another one is at the next."""
        for game, messages in ((QUAKEWORLD, quakeworld_ambiguities()),
                               (QUAKE, quake_ambiguities())):
            for name, message in messages.items():
                with self.subTest(name):
                    made = game.attacked(message)
                    self.assertIn(message, b"".join(self.demos(made).values()))
                    self.assertNotIn(message, b"".join(self.demos(made, "--sanitize").values()))

    def test_lent_messages_that_engines_read_differently(self):
        """DarkPlaces' svc_spawnstatic2 of 15 bytes is a sound of two to QuakeSpasm."""
        static = b"\x38" + b"\1" * 4 + text(STUFFTEXT, b"abcdefghi")
        head, *records = records_of(QUAKE.capture)
        greeting = b"\x08\x02\nFITZQUAKE", b"\x08\nServer: AA"
        lender = [changed(record, lambda payload: payload.replace(*greeting))
                  if greeting[0] in record else
                  changed(record, lambda payload: grow_quake(payload, static))
                  if record[16 + PAYLOAD + 8:][:1] == b"\x1d" else record for record in records]
        (demo,) = self.demos(b"".join([head, *lender])).values()
        self.assertIn(static, demo)
        options = "--sign-on", self.write("lender.dem", demo)
        late = b"".join([head, *records[len(records) // 3:]])
        (plain,), (sanitized,) = (self.demos(late, *options, *more).values()
                                  for more in ([], ["--sanitize"]))
        self.assertIn(static, plain)
        self.assertNotIn(static, sanitized)
        self.assertGreater(len(sanitized), len(plain) // 2)

    def test_protocol_that_is_not_decoded(self):
        """Nobody can say what is in its messages."""
        version = struct.pack("<I", 15)

        def serverinfo(payload):
            return b"\x0b" + version in payload[:120]

        made = Game(QUAKE.capture, serverinfo).made(lambda payload: payload.replace(
            b"\x0b" + version, b"\x0b" + struct.pack("<I", 77)))
        for path in self.demos(made, "--sanitize").values():
            self.assertFalse(b"\x0b\x4d\0\0\0" in path)


if __name__ == "__main__":
    unittest.main()
