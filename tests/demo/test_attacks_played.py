# SPDX-License-Identifier: GPL-2.0-or-later
"""Real engines play demos of sessions with attacks. Without --sanitize the engine carries out commands, and some attack
stops it; with --sanitize it carries out nothing, and plays to the end. Each attack prints a marker of its own."""

import itertools
import os
import re
import shutil
import subprocess
import unittest

from attacks import (MARKER, Game, Q2_STUFFTEXT, QUAKE2, QUAKE_BEGIN, QUAKEWORLD, QUAKEWORLD_FTE, STUFFTEXT, lines,
                     achievement, dropped_update, quake2_attacks, quake2_files, quake2_stoppers,
                     quake_ambiguities, quake_attacks, quake_files, quake_stoppers,
                     quakeworld_attacks, quakeworld_files, quakeworld_fte_attacks, quakeworld_stoppers, remarks, text)
from tool import SHARED, SOURCE, ToolTest

TOOLS = SHARED.parent / "tools"
EZQUAKE, QUAKESPASM = "/usr/lib/games/ezquake/ezquake", "/usr/games/quakespasm"
DARKPLACES = "/usr/games/darkplaces"
LIMIT = "1200"  # seconds: a busy machine draws slowly
QUAKE2_LEVEL = Game(QUAKE2.capture, QUAKE2.is_target, packets=1000)  # the first one


def marked(groups):
    """Commands are as long as before, since the lengths of some texts matter."""
    attacks = itertools.chain.from_iterable(group.values() for group in groups)
    return [attack.replace(MARKER, b"echo marked_%02x" % i) for i, attack in enumerate(attacks)]


@unittest.skipUnless(TOOLS.is_dir(), "needs the players of demos and game data beside the checkout")
class Played(ToolTest):
    def play(self, player, capture, *options, **environment):
        """The player's exit status, the markers that the engine printed, and its console."""
        folder, logs = self.folder / "out", self.folder / "console"
        for made in folder, logs:
            shutil.rmtree(made, ignore_errors=True)
            made.mkdir()
        self.run_tool("--quiet", "--output", folder, *options, self.write("attack.pcap", capture))
        demo = max(folder.iterdir(), key=lambda path: path.stat().st_size)
        keep = {"LAB_KEEPLOG": f"{logs}/qwd", "KEEP": str(logs), "PLAYDM2_LOGDIR": str(logs)}
        program, *first = player
        for _ in range(3):  # on a busy machine DarkPlaces sometimes ends before it plays
            played = subprocess.run([TOOLS / program, *first, demo, *([] if first else ["timedemo", LIMIT])],
                                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                    env=os.environ | keep | environment)
            if played.returncode != 3:
                break
        console = "".join(path.read_text(errors="replace") for path in logs.iterdir())
        self.assertGreater(len(console), 500, "the engine did not start")
        return played.returncode, set(re.findall(r"^marked_\w\w\s*$", console, re.M)), console

    def check(self, player, game, plain, stoppers, more, **environment):
        _, printed, _ = self.play(player, game.attacked(*marked(plain)), **environment)
        self.assertGreater(len(printed), 5, "the engine carries out nothing at all: nothing is shown")
        status, *_ = self.play(player, game.attacked(*marked([stoppers])), **environment)
        self.assertNotEqual(status, 0, "nothing stops the engine")
        attacks = marked([*plain, stoppers, *more])
        status, printed, console = self.play(player, game.attacked(*attacks), "--sanitize",
                                             **environment)
        self.assertEqual((status, printed), (0, set()), console[-2000:])
        # A text that engines end at 0xff is one text now, which is printed.
        self.assertEqual([line for line in console.splitlines()
                          if "marked" in line and not re.search(r"x\t?echo marked", line)], [])

    def need(self, program):
        if not os.access(program, os.X_OK):
            self.skipTest(f"needs {program}")

    def test_ezquake(self):
        self.need(EZQUAKE)
        self.check(["play-qwd.sh"], QUAKEWORLD, [lines(STUFFTEXT), dropped_update()],
                   quakeworld_stoppers(), [quakeworld_attacks(), quakeworld_files(), remarks()],
                   MAXDROPS="0")

    def test_ezquake_with_names_in_lists(self):
        """ezQuake ends a demo at an entity whose model has no name: an unsafe name is replaced."""
        self.need(EZQUAKE)
        made = Game(QUAKEWORLD.capture, lambda payload: b"progs/missile.mdl" in payload,
                    packets=2500).made(
            *[lambda payload: payload.replace(b"progs/missile", b"../../missile")] * 2)
        status, _, console = self.play(["play-qwd.sh"], made, "--sanitize")
        self.assertEqual(status, 0, console[-2000:])
        self.assertNotIn("../", console)

    def check_quake(self, more, **environment):
        self.check(["play-dem.sh"], QUAKE_BEGIN, [lines(STUFFTEXT), more],
                   quake_stoppers(), [quake_attacks(), quake_files(), quake_ambiguities()],
                   **environment)

    def test_quakespasm(self):
        self.need(QUAKESPASM)
        self.check_quake({})

    def test_darkplaces(self):
        self.need(DARKPLACES)
        self.check_quake({"effect": achievement(MARKER)}, ENGINE="dp")

    def check_quake2(self, engine, **environment):
        self.check(["play-dm2.sh", "-e", engine, "-t", LIMIT], QUAKE2_LEVEL, [lines(Q2_STUFFTEXT)],
                   quake2_stoppers() | {"status bar": b"\x0d\5\0pic 99\0"},
                   [quake2_attacks(), quake2_files()], **environment)

    @unittest.skipUnless("Q2PRO" in os.environ, "needs Q2PRO=")
    def test_q2pro(self):
        """It carries out commands of demos if the option compat asks for that."""
        program = self.write("q2pro", f'#!/bin/sh\nexec {os.environ["Q2PRO"]} "$@" compat\n'.encode())
        program.chmod(0o755)
        self.check_quake2("q2pro", Q2PRO=str(program))

    @unittest.skipUnless("FTE" in os.environ, "needs FTE=")
    def test_fte(self):
        more = {"alias": text(STUFFTEXT, b"alias y \"" + MARKER + b"\"\ny\n"),
                "behind a setting": text(STUFFTEXT, b"set x 1;" + MARKER + b"\n")}
        self.check([SOURCE / "tests/demo/play_fte.sh"], QUAKEWORLD_FTE, [more, lines(STUFFTEXT)],
                   quakeworld_fte_attacks(), [quakeworld_attacks(), quakeworld_files(), remarks()],
                   DATA=str(SHARED.parent / "gamedata"))

    @unittest.skipUnless("YQUAKE2" in os.environ, "needs YQUAKE2=")
    def test_yquake2(self):
        self.check_quake2("yquake2")
