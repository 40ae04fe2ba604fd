# SPDX-License-Identifier: GPL-2.0-or-later
"""Packets in made-up names end no session, and cost no memory however many names there are."""

import json
import resource
import signal
import subprocess
import time
import unittest

import capture
import damages
import traffic
from tool import PROGRAM, SAMPLE, SANITIZED

_, PLAYER = capture.read(SAMPLE)
SERVER = capture.ends(PLAYER[0])[1]
FIRST = traffic.FIRST[traffic.QUAKEWORLD]

REPORTS = [["--list"], ["--list", "--json"], ["--check"], ["--check", "--json"],
           ["--check", "--junit", "report.xml"], ["--check", "--golden", "goldens", "--update"],
           ["--stats"], ["--stats", "--json"], ["--dump"], ["--output", "demos"]]


class Floods(traffic.TrafficTest):
    def demos(self, path, *options, status=0):
        """The demos of a capture, in the order of their names; and messages."""
        (self.folder / "demos").mkdir(exist_ok=True)
        for old in (self.folder / "demos").iterdir():
            old.unlink()
        _, error = self.tool("--quiet", "--output", "demos", *options, path, status=status)
        return [demo.read_bytes() for demo in sorted((self.folder / "demos").iterdir())], error

    def sessions(self, path, *options, status=0):
        output, error = self.tool("--list", "--json", *options, path, status=status)
        report = json.loads(output)
        return report["sessions"], report["others"], error

    # --- A player among them

    def test_a_player_among_requests_has_the_same_demo_and_nobody_else_has_one(self):
        alone, _ = self.demos(SAMPLE)
        for each_second, options in ((5000, {}), (2500, {"answer": traffic.CHALLENGE}), (5000, {"payload": FIRST})):
            frames = traffic.with_flood(PLAYER, SERVER, each_second, **options)
            demos, error = self.demos(self.capture("flood.pcap", frames), status=None)
            self.assertEqual(demos, alone, (options, error))

    def test_following(self):
        """A recording has the player's demo, and no file of others."""
        (self.folder / "ring").mkdir()
        for number, options in enumerate(({}, {"answer": traffic.CHALLENGE})):
            demos = self.folder / f"followed-{number}"
            self.capture("ring/wire.pcap", traffic.with_flood(PLAYER, SERVER, 5000, **options))
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

    def test_more_sessions_than_the_option_allows_are_left_out(self):
        path = self.capture("many.pcap", damages.at_once(PLAYER[:200], 30))
        sessions, _, error = self.sessions(path, "--max-sessions", 10, status=1)
        self.assertEqual([session["number"] for session in sessions], list(range(1, 11)))
        self.assertEqual(len({session["packets"] for session in sessions}), 1)
        self.assertEqual(error.count("\n"), 1)
        self.assertIn("(--max-sessions 10, or memory): 0 were ended early, 20 left out", error)

    def test_idle_sessions_end_first(self):
        path = self.capture("turns.pcap", damages.in_turn(PLAYER[:200], 4, 30 * 10**9))
        sessions, _, error = self.sessions(path, "--max-sessions", 1, status=1)
        self.assertEqual(len(sessions), 4)
        self.assertIn("3 were ended early, 0 left out", error)
        self.sessions(path)

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
        """Sign-ons of possible donors are kept once."""
        few = self.capture("few.pcap", traffic.late(50, 20))
        many = self.capture("many.pcap", traffic.late(250, 20))
        sessions, _, _ = self.sessions(few)
        self.assertIn("the beginning of a level", sessions[-1]["demo"]["lacks"])
        self.assertIsNone(sessions[0]["demo"]["lacks"])
        grown = self.measure("--list", many)[1] - self.measure("--list", few)[1]
        self.assertLess(grown, 40)  # MiB; not 125

    # --- Clients that get no answer

    def test_sessions_without_content_are_counted_together(self):
        path = self.capture("nobody.pcap", traffic.spoofed(1000, traffic.QUAKEWORLD, [FIRST]))
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
        self.assertEqual([session["number"] for session in self.sessions(path, "-s", 500)[0]], [500])

    def test_order_of_long_reports(self):
        packets = [bytes([number]) + bytes(3) + FIRST[4:] for number in range(1, 5)]
        path = self.capture("long.pcap", traffic.spoofed(6000, traffic.QUAKEWORLD, packets))
        checked, _ = self.tool("--check", "--json", path, status=1)
        for sessions in self.sessions(path)[0], json.loads(checked)["sessions"]:
            self.assertEqual([session["number"] for session in sessions], list(range(1, 6001)))
        output, _ = self.tool("--list", path)
        self.assertEqual([int(line.split()[0]) for line in output.splitlines()[1:]], list(range(1, 6001)))

    @unittest.skipIf(SANITIZED, "sanitizers keep what was freed")
    def test_memory_does_not_grow_with_names(self):
        for port, payload in traffic.FIRST.items():
            few = self.capture("few.pcap", traffic.spoofed(6000, port, [payload] * 5))  # as many packets
            many = self.capture("many.pcap", traffic.spoofed(30000, port, [payload]))
            for options in REPORTS if port == traffic.QUAKEWORLD else [["--list"], ["--stats"]]:
                with self.subTest(port=port, options=options):
                    grown = self.measure(*options, many)[1] - self.measure(*options, few)[1]
                    self.assertLess(grown, 8)  # MiB; not 100
