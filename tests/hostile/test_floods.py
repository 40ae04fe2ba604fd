# SPDX-License-Identifier: GPL-2.0-or-later
"""Packets in made-up names end no session, and cost no memory however many names there are."""

import json
import os
import resource
import signal
import subprocess
import time
import unittest

import capture
import damages
import floods
from tool import PROGRAM, SAMPLE, ToolTest

SANITIZED = bool(os.environ.get("SANITIZED"))
LINK_TYPE, PLAYER = capture.read(SAMPLE)
SERVER = capture.ends(PLAYER[0])[1]

REPORTS = [["--list"], ["--list", "--json"], ["--check"], ["--check", "--json"],
           ["--check", "--junit", "report.xml"], ["--check", "--golden", "goldens", "--update"],
           ["--stats"], ["--stats", "--json"], ["--dump"], ["--output", "demos"]]


class Floods(ToolTest):
    def setUp(self):
        super().setUp()
        for name in ("demos", "goldens"):
            (self.folder / name).mkdir()

    def capture(self, name, frames):
        path = self.folder / name
        capture.write(path, LINK_TYPE, frames)
        return path

    def demos(self, path, *options, status=0):
        """The demos of a capture, by name; and what was printed."""
        for old in (self.folder / "demos").iterdir():
            old.unlink()
        _, error = self.tool("--quiet", "--output", "demos", *options, path, status=status)
        return [demo.read_bytes() for demo in sorted((self.folder / "demos").iterdir())], error

    def sessions(self, path, *options, status=0):
        output, error = self.tool("--list", "--json", *options, path, status=status)
        report = json.loads(output)
        return report["sessions"], report["others"], error

    # --- A player among them

    def assert_survives(self, frames):
        alone, _ = self.demos(SAMPLE)
        demos, error = self.demos(self.capture("flood.pcap", frames), status=None)
        self.assertIn(alone[0], demos, error)
        self.assertEqual([demo for demo in demos if demo != alone[0]], [])

    def tool(self, *arguments, status=0, **options):
        if status is None:
            result = self.run_tool(*arguments, **options)
            return result.stdout.decode(), result.stderr.decode()
        return super().tool(*arguments, status=status, **options)

    def test_requests(self):
        self.assert_survives(floods.with_flood(PLAYER, SERVER, 5000))

    def test_requests_that_are_answered(self):
        self.assert_survives(floods.with_flood(PLAYER, SERVER, 2500, answer=floods.CHALLENGE))

    def test_packets_as_of_a_session(self):
        self.assert_survives(
            floods.with_flood(PLAYER, SERVER, 5000, payload=floods.FIRST[SERVER[1]]))

    def test_following(self):
        """A recording has the player's demo, and no file of others."""
        (self.folder / "ring").mkdir()
        for number, answer in enumerate((None, floods.CHALLENGE)):
            demos = self.folder / f"followed-{number}"
            frames = floods.with_flood(PLAYER, SERVER, 5000, **({"answer": answer} if answer else {}))
            self.capture("ring/wire.pcap", frames)
            process = subprocess.Popen([PROGRAM, "--follow", "ring", "-o", demos, "--min-free", "1M"],
                                       cwd=self.folder, stdout=subprocess.DEVNULL)
            until = time.monotonic() + 120
            while not list(demos.glob("[!.]*.qwd")) and time.monotonic() < until:
                time.sleep(0.1)
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(), 0)
            self.assertEqual([path.read_bytes() for path in demos.glob("*.qwd")], self.demos(SAMPLE)[0])
            self.assertEqual([path.name for path in demos.glob(".*")], [".pcap2demo-until"])

    # --- Many players

    def test_two_thousand_sessions(self):
        frames = PLAYER[:70]
        path = self.capture("many.pcap", damages.at_once(frames, 2000))
        sessions, others, _ = self.sessions(path)
        self.assertEqual(len(sessions), 2000)
        self.assertEqual(len({json.dumps([session["packets"], session["demo"]])
                              for session in sessions}), 1)
        self.assertEqual(others, {"sessions": 0, "packets": 0})
        alone, _ = self.demos(self.capture("one.pcap", frames))
        demos, _ = self.demos(path)
        self.assertEqual((len(demos), set(demos)), (2000, set(alone)))

    def test_more_than_the_option_allows(self):
        path = self.capture("many.pcap", damages.at_once(PLAYER[:200], 30))
        sessions, _, error = self.sessions(path, "--max-sessions", 10, status=1)
        self.assertEqual([session["number"] for session in sessions], list(range(1, 11)))
        self.assertEqual(len({session["packets"] for session in sessions}), 1)
        self.assertEqual(error.count("\n"), 1)
        self.assertIn("(--max-sessions 10, or memory): 0 were ended early, 20 left out", error)

    def test_idle_ones_go_first(self):
        path = self.capture("turns.pcap", damages.in_turn(PLAYER[:200], 4, 30 * 10**9))
        sessions, _, error = self.sessions(path, "--max-sessions", 1, status=1)
        self.assertEqual(len(sessions), 4)
        self.assertIn("3 were ended early, 0 left out", error)
        self.sessions(path)  # and all is well where there is room

    def test_wrong_numbers_of_sessions(self):
        for number in ("0", "-1", "many"):
            self.tool("--max-sessions", number, SAMPLE, status=2)

    @unittest.skipIf(SANITIZED, "sanitizers take more memory than this test gives")
    def test_memory_bounds_sessions(self):
        path = self.capture("many.pcap", damages.at_once(PLAYER[:60], 2000))
        limit = 160 << 20
        result = subprocess.run([PROGRAM, "--list", "--json", path], capture_output=True,
                                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
        self.assertEqual(result.returncode, 1, result.stderr)
        sessions = json.loads(result.stdout)["sessions"]
        self.assertGreater(len(sessions), 100)
        self.assertIn(f"0 were ended early, {2000 - len(sessions)} left out".encode(),
                      result.stderr)

    @unittest.skipIf(SANITIZED, "sanitizers keep what was freed")
    def test_memory_of_sessions_that_are_late(self):
        """What others might lend them is remembered once."""
        few = self.capture("few.pcap", floods.late(50, 20))
        many = self.capture("many.pcap", floods.late(250, 20))
        sessions, _, _ = self.sessions(few)
        self.assertIn("the beginning of a level", sessions[-1]["demo"]["lacks"])
        self.assertIsNone(sessions[0]["demo"]["lacks"])
        grown = self.measure("--list", many)[1] - self.measure("--list", few)[1]
        self.assertLess(grown, 40)  # MiB; it was 125

    # --- Nobody

    def test_sessions_without_content_are_counted_together(self):
        path = self.capture("nobody.pcap", floods.spoofed(1000, 27500, [floods.FIRST[27500]]))
        sessions, others, _ = self.sessions(path)
        self.assertLess(len(sessions), 10)
        self.assertEqual(len(sessions) + others["sessions"], 1000)
        self.assertEqual(len(sessions) + others["packets"], 1000)
        for options, status in ((["--list"], 0), (["--stats"], 0), (["--check"], 1),
                                (["--output", "demos"], 1)):
            output, error = self.tool(*options, path, status=status)
            self.assertIn(f"and {others['sessions']} more sessions, of {others['packets']} packets "
                          "in all", output + error)
            self.assertLess(error.count("\n"), 10)
        self.tool("--check", "--junit", "report.xml", path, status=1)
        report = (self.folder / "report.xml").read_text()
        self.assertRegex(report, r'name="rebuild"><failure')
        # Who asks for one of them gets it.
        self.assertEqual([session["number"] for session in self.sessions(path, "-s", 500)[0]],
                         [500])

    def test_order_of_long_reports(self):
        packets = [floods.FIRST[27500][:8].replace(b"\0\0\0\x80", bytes([number, 0, 0, 0])) +
                   floods.FIRST[27500][8:] for number in range(1, 5)]
        path = self.capture("long.pcap", floods.spoofed(6000, 27500, packets))
        sessions, _, _ = self.sessions(path)
        self.assertEqual([session["number"] for session in sessions], list(range(1, 6001)))
        output, _ = self.tool("--list", path)
        self.assertEqual([int(line.split()[0]) for line in output.splitlines()[1:]],
                         list(range(1, 6001)))
        output, _ = self.tool("--check", "--json", path, status=1)
        self.assertEqual([session["number"] for session in json.loads(output)["sessions"]],
                         list(range(1, 6001)))

    @unittest.skipIf(SANITIZED, "sanitizers keep what was freed")
    def test_memory_does_not_grow_with_names(self):
        for port, payload in floods.FIRST.items():
            few = self.capture("few.pcap", floods.spoofed(6000, port, [payload] * 5))  # as many packets
            many = self.capture("many.pcap", floods.spoofed(30000, port, [payload]))
            for options in REPORTS if port == 27500 else [["--list"], ["--stats"]]:
                with self.subTest(port=port, options=options):
                    grown = self.measure(*options, many)[1] - self.measure(*options, few)[1]
                    self.assertLess(grown, 8)  # MiB; it was 100 and more
