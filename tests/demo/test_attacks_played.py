# SPDX-License-Identifier: GPL-2.0-or-later
"""Real engines play demos of sessions with attacks: none may carry out a command that --sanitize
has to take out. Each attack has a marker of its own, which an engine calls an unknown command."""

import os
import re
import shutil
import subprocess
import unittest

from attacks import (MARKER, Game, Q2_STUFFTEXT, QUAKE2, QUAKE_BEGIN, QUAKEWORLD, STUFFTEXT, lines,
                     achievement, dropped_update, quake2_attacks, quake_attacks,
                     quakeworld_attacks)
from tool import SHARED, ToolTest

TOOLS = SHARED.parent / "tools"
EZQUAKE, QUAKESPASM = "/usr/lib/games/ezquake/ezquake", "/usr/games/quakespasm"
DARKPLACES = "/usr/games/darkplaces"
LIMIT = "1200"  # seconds: a full machine draws slowly


def numbered(attacks):
    """With a marker each; as long as before, since the lengths of some texts matter."""
    return [attack.replace(MARKER, b"marked_%07d" % i) for i, attack in enumerate(attacks.values())]


@unittest.skipUnless(TOOLS.is_dir(), "needs the players of demos and game data beside the checkout")
class Played(ToolTest):
    def demo(self, capture, *options):
        folder = self.folder / "out"
        self.run_tool("--quiet", "--force", "--output", f"{folder}/", *options,
                      self.write("attack.pcap", capture))
        return max(folder.iterdir(), key=lambda path: path.stat().st_size)

    def executed(self, player, demo, *options, **environment):
        """The markers that the engine took for commands."""
        logs = self.folder / "console"
        shutil.rmtree(logs, ignore_errors=True)
        logs.mkdir()
        keep = {"LAB_KEEPLOG": f"{logs}/qwd", "KEEP": str(logs), "PLAYDM2_LOGDIR": str(logs)}
        subprocess.run([TOOLS / player, *options, demo, *([] if options else ["timedemo", LIMIT])],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                       env=os.environ | keep | environment)
        console = "".join(path.read_text(errors="replace") for path in logs.iterdir())
        self.assertGreater(len(console), 500, "the engine did not start")
        return set(re.findall("marked_[0-9]{7}", console))

    def check(self, player, game, plain, attacks, *options, **environment):
        demo = self.demo(game.attacked(*numbered(plain)))
        found = self.executed(player, demo, *options, **environment)
        self.assertGreater(len(found), 3, "the engine carries out nothing at all: nothing is shown")
        demo = self.demo(game.attacked(*numbered(attacks)), "--sanitize")
        self.assertEqual(self.executed(player, demo, *options, **environment), set())

    def need(self, program):
        if not os.access(program, os.X_OK):
            self.skipTest(f"needs {program}")

    def test_ezquake(self):
        self.need(EZQUAKE)
        self.check("play-qwd.sh", QUAKEWORLD, lines(STUFFTEXT) | dropped_update(),
                   quakeworld_attacks() | dropped_update())

    def test_ezquake_with_names_in_lists(self):
        """Entities have the models behind one whose name is unsafe; it ends the demo where none is."""
        self.need(EZQUAKE)
        demo = self.demo(Game(QUAKEWORLD.capture, lambda payload: b"progs/missile.mdl" in payload,
                              packets=2500).made(
            *[lambda payload: payload.replace(b"progs/missile", b"../../missile")] * 2), "--sanitize")
        self.assertFalse(b"../" in demo.read_bytes())
        played = subprocess.run([TOOLS / "play-qwd.sh", demo, "timedemo", LIMIT], stdout=subprocess.PIPE,
                                text=True)
        self.assertEqual(played.returncode, 0, played.stdout)

    def test_quakespasm(self):
        self.need(QUAKESPASM)
        self.check("play-dem.sh", QUAKE_BEGIN, lines(STUFFTEXT), quake_attacks())

    def test_darkplaces(self):
        self.need(DARKPLACES)
        # It draws some 20 frames a second without a graphics card.
        effects = {"effect": achievement(MARKER)}
        self.check("play-dem.sh", QUAKE_BEGIN, lines(STUFFTEXT) | effects,
                   quake_attacks() | effects, ENGINE="dp")

    @unittest.skipUnless("Q2PRO" in os.environ, "needs Q2PRO=")
    def test_quake2(self):
        self.check("play-dm2.sh", QUAKE2, lines(Q2_STUFFTEXT), quake2_attacks(), "-e",
                   "q2pro", "-t", LIMIT)
