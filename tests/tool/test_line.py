# SPDX-License-Identifier: GPL-2.0-or-later
"""Figures of the line against the log of a relay that made it: loss by direction, ping, choke, throttle.

tests/captures/lines has three runs, ../shared/lines many. What a place of capture cannot tell is unknown,
and what the capture itself lacks is no loss of the line."""

import json
import os
import random
import struct
import subprocess

from tool import ACKNEX, ACKNEX, CAPTURES, PROGRAM, SHARED, Capture, ToolTest

OWN = CAPTURES / "lines"
LINES = SHARED.parent / "lines"

LOSS, PERFECT = 1.2, 0.5  # percent
PING = 5, 0.10            # milliseconds, or that part
P95 = 12, 0.15
CLIENT = bytes([10, 9, 1, 2])


def runs():
    """Name, side, path and truth of each capture."""
    for name, truth in json.loads((OWN / "truth.json").read_text()).items():
        for path in OWN.glob(f"{name}-*"):
            yield name, path.name.split("-")[-1].split(".")[0], path, truth
    for folder in sorted(LINES.glob("*/truth.json")):
        for side in "client", "server":
            path, = folder.parent.glob(f"{side}.pcap*")
            yield folder.parent.name, side, path, json.loads(folder.read_text())


def true_loss(truth):
    """Quake's reliable messages are sent again: they have no part in it."""
    return truth.get("unreliable_loss_percent", truth["loss_percent"])


class Line(ToolTest):
    def sessions(self, *paths):
        output, _ = self.tool("--list", "--json", *paths, status=None)
        return json.loads(output)["sessions"]

    def frames(self, name):
        """A run of the project, in memory."""
        path, = OWN.glob(f"{name}.*")
        return Capture.read(path)

    def check_direction(self, found, truth):
        loss, limit, true = found["loss"], found["loss_at_most"], true_loss(truth)
        if loss is not None:
            self.assertIsNone(limit)
            self.assertAlmostEqual(loss, true, delta=LOSS if truth["lost"] else PERFECT)
            if found["burst"] is not None:
                self.assertEqual(found["burst"] > 0, loss > 0)
        elif limit is not None:
            self.assertGreaterEqual(limit, true)

    def check_known(self, name, side, line):
        """What the engines' rules let a capture know there."""
        game = name.split("-")[0]
        throttled = bool(line["c2s"]["throttle"])
        known = {"c2s": side == "server" and not throttled and game != "nq",
                 "s2c": game != "qw" if side == "client" else game == "qw" and not throttled}
        if game == "q2" and not throttled:
            known["c2s"] = True  # the server says it
        for way, expected in known.items():
            if expected:
                self.assertIsNotNone(line[way]["loss"], way)
        if side == "server" and game == "nq":  # nothing acknowledges what the server receives
            self.assertTrue(line["c2s"]["loss"] == 0 or line["c2s"]["loss_at_most"] is not None)
        if side == "client" and game != "q2":
            self.assertIsNone(line["c2s"]["loss"])
            if game == "qw":
                self.assertIsNone(line["s2c"]["loss"])

    def check_times(self, line, truth):
        for name, true, (absolute, relative) in (("ping", truth["median"], PING),
                                                 ("ping_p95", truth["p95"], P95)):
            if line[name] is not None:
                self.assertAlmostEqual(line[name], true, delta=max(absolute, relative * true))

    def check_game(self, line, truth):
        choke = truth["game_says"]["choke_percent"]
        left_out, sent = truth["c2s"]["numbers_never_sent"] or 0, truth["c2s"]["sent"]
        if choke is not None:
            self.assertAlmostEqual(line["s2c"]["choke"], choke, delta=LOSS)
            self.assertAlmostEqual(line["c2s"]["throttle"], 100 * left_out / (left_out + sent),
                                   delta=LOSS)
        else:
            self.assertIsNone(line["s2c"]["choke"])
            self.assertIsNone(line["c2s"]["throttle"])

    def test_truth(self):
        count = 0
        for name, side, path, truth in runs():
            for session in self.sessions(path):
                with self.subTest(name, side=side, client=session["client"]):
                    line, true = session["line"], truth["sessions"][session["client"]]
                    self.assertEqual(line["vantage"], side)
                    for way in "c2s", "s2c":
                        self.check_direction(line[way], true[way])
                    self.check_known(name, side, line)
                    self.check_times(line, true["rtt_line_ms"])
                    self.check_game(line, true)
                    if side == "server" or not name.startswith("nq"):
                        self.assertIsNotNone(line["ping"])
                    count += 1
        self.assertGreater(count, 3)

    def test_demos_lack_nothing_that_the_line_lost(self):
        """The clients never had it, either. (../shared/lines has clients of Quake with lossy lines.)"""
        for name, side, path, _ in runs():
            with self.subTest(name, side=side):
                _, error = self.tool("--quiet", "--output", f"{name}-{side}/", path)
                self.assertEqual(error, "")

    def test_late_and_twice(self):
        """The receiver's side has what the relay delivered late and twice."""
        for name in "qw-e", "q2-e", "nq-e":
            if not (LINES / name).is_dir():
                self.skipTest(f"no {LINES}")
            truth = json.loads((LINES / name / "truth.json").read_text())["sessions"]
            for side, way in ("server", "c2s"), ("client", "s2c"):
                path, = (LINES / name).glob(f"{side}.pcap*")
                session, = self.sessions(path)
                found, true = session["line"][way], truth[session["client"]][way]
                self.assertAlmostEqual(found["late"], true["late"], delta=1)
                self.assertAlmostEqual(found["duplicates"], true["duplicated"], delta=2)
        client, server = (session["line"] for session in  # of a relay on the same host
                          self.sessions(SHARED / "quakeworld/d-lossy/d-lossy.pcap"))
        self.assertEqual((client["vantage"], server["vantage"]), ("client", "server"))
        self.assertIsNone(client["c2s"]["loss"])
        self.assertAlmostEqual(server["c2s"]["loss"], 100 * 105 / 2039, delta=0.05)  # as tshark counts

    def test_one_host(self):
        """Nothing is lost on loopback."""
        count = 0
        for path in sorted((*CAPTURES.rglob("*.pcap*"), *SHARED.rglob("*.pcap"))):
            if path.parent == OWN or "lossy" in path.name:
                continue
            for session in self.sessions(path):
                if not (session["client"] or "").startswith("127."):
                    continue
                with self.subTest(path.name, session=session["number"]):
                    for way in "c2s", "s2c":
                        self.assertIn(session["line"][way]["loss"], (0, None))
                    if session["packets"] > 600 and session["protocol"] != "acknex" and \
                            session["demo"] and "tv" not in path.name:
                        self.assertEqual(session["line"]["c2s"]["loss"], 0)
                        self.assertEqual(session["line"]["s2c"]["loss"], 0)
                        count += 1
        self.assertGreater(count, 5)

    def check_damaged(self, name, capture):
        """The same figures, or unknown ones."""
        truth = json.loads((OWN / "truth.json").read_text())
        path = self.write("damaged.pcap", capture.pcap())
        for session in self.sessions(path):
            true = truth[name.rsplit("-", 1)[0]]["sessions"][session["client"]]
            for way in "c2s", "s2c":
                line = session["line"][way]
                with self.subTest(name, way=way, client=session["client"]):
                    if line["loss"] is not None:
                        self.assertAlmostEqual(line["loss"], true_loss(true[way]), delta=1.5)
                    elif line["loss_at_most"] is not None:
                        self.assertGreaterEqual(line["loss_at_most"] + 0.3, true_loss(true[way]))
            yield session["line"]

    def test_capture_lacks_packets(self):
        for name in "qw-g-server", "q2-c-client", "nq-b-server":
            capture, rolls = self.frames(name), random.Random(7)
            some = [frame for frame in capture.frames if rolls.random() > 0.02]
            self.assertGreater(len(list(self.check_damaged(name, Capture(capture.link_type, some)))), 0)
            start = capture.frames[0][0]
            holes = [frame for frame in capture.frames
                     if not any(second <= (frame[0] - start) / 1e6 < second + 0.7
                                for second in (15, 25, 35, 45))]
            self.assertGreater(len(list(self.check_damaged(name, Capture(capture.link_type, holes)))), 0)

    def test_check_tells_the_line_from_the_capture(self):
        for name, side, path, _ in runs():
            for session in self.sessions(path):
                with self.subTest(name, side=side):
                    self.assertLess(session["line"]["not_captured"], 0.5)
        for name in "qw-g-server", "q2-c-client", "nq-b-server":
            capture, rolls = self.frames(name), random.Random(7)
            some = [frame for frame in capture.frames if rolls.random() > 0.05]
            path = self.write("damaged.pcap", Capture(capture.link_type, some).pcap())
            for session in self.sessions(path):
                self.assertAlmostEqual(session["line"]["not_captured"], 5, delta=2)
            self.assertRegex(self.tool("--check", path, status=None)[0], r"(?m)^  note: session \d: "
                             r"to the server: .* to the client: .*; the capture lacks about [3-6] %$")
        self.assertRegex(self.tool("--check", OWN / "q2-c-client.pcap.gz")[0],
                         r"(?m)to the server: 5\.\d % lost or late; to the client: 0\.0 % lost$")
        self.assertNotIn("to the", self.tool("--check", ACKNEX)[0])

    def test_late_start_and_one_direction(self):
        for name in "qw-g-server", "q2-c-client", "nq-b-server":
            capture = self.frames(name)
            late = [frame for frame in capture.frames
                    if frame[0] - capture.frames[0][0] > 15000000]
            for line in self.check_damaged(name, Capture(capture.link_type, late)):
                self.assertEqual(line["vantage"], name.rsplit("-", maxsplit=1)[-1])
            one = [frame for frame in capture.frames if frame[1][12:16] == CLIENT]
            for line in self.check_damaged(name, Capture(capture.link_type, one)):
                self.assertEqual(line["vantage"], "unknown")
                self.assertIsNone(line["c2s"]["loss"])
                self.assertIsNone(line["ping"])

    def test_split(self):
        capture = self.frames("q2-c-client")
        halves = [capture.frames[:900], capture.frames[900:]]
        paths = [self.write(f"{i}.pcap", Capture(capture.link_type, half).pcap())
                 for i, half in enumerate(halves)]
        whole, = self.sessions(OWN / "q2-c-client.pcap.gz")
        parts, = self.sessions(*paths)
        self.assertEqual(parts["line"], whole["line"])

    def test_both_ends_merged(self):
        """Of a capture of both ends all that arrived is there twice."""
        for name in "qw-b", "q2-c", "nq-c":
            if not (LINES / name).is_dir():
                self.skipTest(f"no {LINES}")
            frames = []
            for path in (LINES / name).glob("*.pcap*"):
                capture = Capture.read(path)
                frames += capture.frames
            merged = Capture(capture.link_type, sorted(frames, key=lambda frame: frame[0]))
            truth = json.loads((LINES / name / "truth.json").read_text())["sessions"]
            for session in self.sessions(self.write("merged.pcap", merged.pcap())):
                self.assertEqual(session["line"]["vantage"], "both")
                for way in "c2s", "s2c":
                    self.assertAlmostEqual(session["line"][way]["loss"],
                                           true_loss(truth[session["client"]][way]), delta=0.5)
                    # One acknowledgement is sent twice.
                    self.assertLessEqual(session["line"][way]["duplicates"], 1)

    def test_one_sided_loss_of_the_capture(self):
        """What the other end acknowledges was not lost on the line, and what nothing tells of is a limit."""
        for name in "qw-g-server", "q2-c-client", "nq-b-server":
            for client in True, False:
                capture, rolls = self.frames(name), random.Random(11)
                some = [frame for frame in capture.frames
                        if rolls.random() > 0.2 or (frame[1][12:16] == CLIENT) != client]
                self.assertGreater(len(list(self.check_damaged(name, Capture(capture.link_type, some)))), 0)

    def test_acknex_has_no_numbers(self):
        """Copies have the same bytes and identification; without one, they may be what was sent twice."""
        capture = Capture.read(ACKNEX)
        for identified in True, False:
            frames = []
            for number, (time, data) in enumerate(capture.frames):
                data = data[:18] + struct.pack(">H", 1 + number if identified else 0) + data[20:]
                frames += [(time, data), (time + 20, data)]
            session, = self.sessions(self.write("twice.pcap", Capture(capture.link_type, frames).pcap()))
            self.assertEqual(session["packets"], (1 if identified else 2) * len(capture.frames))
            self.assertIsNone(session["line"]["s2c"]["loss"])

    def test_each_packet_twice(self):
        """The same figures; without an identification, repeated packets may be copies."""
        for name in "qw-g-server", "q2-c-client":
            whole = [session["line"] for session in self.sessions(OWN / f"{name}.pcap.gz")]
            capture = self.frames(name)
            for identified in True, False:
                frames = []
                for time, data in capture.frames:
                    data = data if identified else data[:4] + bytes(2) + data[6:]
                    frames += [(time, data), (time + 20, data)]
                path = self.write("twice.pcap", Capture(capture.link_type, frames).pcap())
                for session, once in zip(self.sessions(path), whole, strict=True):
                    for way in "c2s", "s2c":
                        for figure in "loss", "loss_at_most", "burst":
                            self.assertEqual(session["line"][way][figure], once[way][figure])
                        self.assertEqual(session["line"][way]["packets_at_most"], not identified)
                self.assertEqual("≤" in self.tool("--stats", path)[0], not identified)

    def test_table(self):
        path = OWN / "qw-g-server.pcap.gz"
        output, _ = self.tool("--list", "--wide", path)
        head, first, second = output.splitlines()
        self.assertRegex(head, r"duration +ping +loss↑ +loss↓ +demo ")
        self.assertRegex(first, r"anna .* +\d{2} +0\.0 +0\.0 +qwd")
        self.assertRegex(second, r"bert .* +1\d{2} +1\.9 +8\.\d +qwd")
        self.assertEqual(self.tool("--list", "--wide", "--sort=start", path)[0], output)
        worst = self.tool("--list", "--wide", "--sort=loss", path)[0].splitlines()
        self.assertEqual(worst, [head, second, first])
        report = json.loads(self.tool("--list", "--json", "--sort=loss", path)[0])
        self.assertEqual([one["number"] for one in report["sessions"]], [2, 1])

    def test_what_is_not_known(self):
        output, _ = self.tool("--list", ACKNEX)
        self.assertRegex(output.splitlines()[1], r" \d:\d\d +- +- +- ")
        session, = self.sessions(ACKNEX)
        self.assertIsNone(session["line"]["c2s"]["loss"])
        self.assertIsNone(session["line"]["ping"])

    def test_limits(self):
        if not (LINES / "qw-b").is_dir():
            self.skipTest(f"no {LINES}")
        path = LINES / "qw-b" / "client.pcap"
        self.assertRegex(self.tool("--list", path)[0], r" +≤5\.\d +≤5\.\d +qwd")
        output = subprocess.run([PROGRAM, "--list", path], env=dict(os.environ, LC_ALL="C"),
                                capture_output=True, check=True).stdout.decode("ascii")
        self.assertRegex(output, r"loss up +loss down")
        self.assertRegex(output, r" +<=5\.\d +<=5\.\d +qwd")
