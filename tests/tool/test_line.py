# SPDX-License-Identifier: GPL-2.0-or-later
"""The path quality (loss by direction, ping, choke, throttle) against the log of a relay that delayed and dropped packets.

tests/captures/lines has three runs, ../shared/lines many. A figure that cannot be measured at the capture point is
unknown, and packets that only the capture lacks are not lost."""

import json
import os
import random
import struct
import subprocess

from tool import ACKNEX, CAPTURES, PROGRAM, RAW, SHARED, Capture, ToolTest

OWN = CAPTURES / "lines"
LINES = SHARED.parent / "lines"

LOSS, PERFECT = 1.2, 0.5  # percent
PING = 5, 0.10            # milliseconds, or this share
P95 = 12, 0.15
CLIENT = bytes([10, 9, 1, 2])


# A run of each game, captured beside the server or the client.
THREE = "qw-g-server", "q2-c-client", "nq-b-server"
TRUTH = json.loads((OWN / "truth.json").read_text())
DIRECTIONS = "c2s", "s2c"


def runs():
    """Name, side, path and truth of each capture."""
    for name, truth in TRUTH.items():
        for path in OWN.glob(f"{name}-*"):
            yield name, path.name.split("-")[-1].split(".")[0], path, truth
    for folder in sorted(LINES.glob("*/truth.json")):
        for side in "client", "server":
            path, = folder.parent.glob(f"{side}.pcap*")
            yield folder.parent.name, side, path, json.loads(folder.read_text())


def true_loss(truth):
    """Without Quake's reliable messages, which are sent again."""
    return truth.get("unreliable_loss_percent", truth["loss_percent"])


class Line(ToolTest):
    def sessions(self, *paths):
        return self.listed(*paths, status=None)

    def frames(self, name):
        path, = OWN.glob(f"{name}.*")
        return Capture.read(path).frames

    def require_lines(self):
        if not LINES.is_dir():
            self.skipTest(f"no {LINES}")

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
        """Which figures the engines' acknowledgements make known at that side."""
        game = name.split("-")[0]
        throttled = bool(line["c2s"]["throttle"])
        known = {"c2s": side == "server" and not throttled and game != "nq",
                 "s2c": game != "qw" if side == "client" else game == "qw" and not throttled}
        if game == "q2" and not throttled:
            known["c2s"] = True  # the server reports it
        for direction, expected in known.items():
            if expected:
                self.assertIsNotNone(line[direction]["loss"], direction)
        if side == "server" and game == "nq":  # nothing acknowledges the packets that the server receives
            self.assertTrue(line["c2s"]["loss"] == 0 or line["c2s"]["loss_at_most"] is not None)
        if side == "client" and game != "q2":
            self.assertIsNone(line["c2s"]["loss"])
            if game == "qw":
                self.assertIsNone(line["s2c"]["loss"])
        if side == "server" or game != "nq":
            self.assertIsNotNone(line["ping"])

    def check_times(self, line, truth):
        for name, true, (absolute, relative) in (("ping", truth["median"], PING), ("ping_p95", truth["p95"], P95)):
            if line[name] is not None:
                self.assertAlmostEqual(line[name], true, delta=max(absolute, relative * true))

    def check_game(self, line, truth):
        choke = truth["game_says"]["choke_percent"]
        left_out, sent = truth["c2s"]["numbers_never_sent"] or 0, truth["c2s"]["sent"]
        if choke is not None:
            self.assertAlmostEqual(line["s2c"]["choke"], choke, delta=LOSS)
            self.assertAlmostEqual(line["c2s"]["throttle"], 100 * left_out / (left_out + sent), delta=LOSS)
        else:
            self.assertIsNone(line["s2c"]["choke"])
            self.assertIsNone(line["c2s"]["throttle"])

    def test_figures_are_those_of_the_relay(self):
        """Demos lack no packet that the relay dropped: the clients never received it."""
        count = 0
        for name, side, path, truth in runs():
            _, error = self.tool("--quiet", "--output", f"{name}-{side}/", path)
            self.assertEqual(error, "", (name, side))
            for session in self.sessions(path):
                with self.subTest(name, side=side, client=session["client"]):
                    line, true = session["line"], truth["sessions"][session["client"]]
                    self.assertEqual(line["vantage"], side)
                    for direction in DIRECTIONS:
                        self.check_direction(line[direction], true[direction])
                    self.check_known(name, side, line)
                    self.check_times(line, true["rtt_line_ms"])
                    self.check_game(line, true)
                    self.assertLess(line["not_captured"], 0.5)
                    count += 1
        self.assertGreater(count, 3)

    def test_late_packets_and_duplicates_of_the_relay_are_counted(self):
        """By the receiver's side."""
        self.require_lines()
        for name in "qw-e", "q2-e", "nq-e":
            truth = json.loads((LINES / name / "truth.json").read_text())["sessions"]
            for side, direction in ("server", "c2s"), ("client", "s2c"):
                path, = (LINES / name).glob(f"{side}.pcap*")
                session, = self.sessions(path)
                found, true = session["line"][direction], truth[session["client"]][direction]
                self.assertAlmostEqual(found["late"], true["late"], delta=1)
                self.assertAlmostEqual(found["duplicates"], true["duplicated"], delta=2)
        client, server = (session["line"] for session in  # of a relay on the same host
                          self.sessions(SHARED / "quakeworld/d-lossy/d-lossy.pcap"))
        self.assertEqual((client["vantage"], server["vantage"]), ("client", "server"))
        self.assertIsNone(client["c2s"]["loss"])
        self.assertAlmostEqual(server["c2s"]["loss"], 100 * 105 / 2039, delta=0.05)  # as tshark counts

    def test_nothing_is_lost_on_loopback(self):
        count = 0
        for path in sorted((*CAPTURES.rglob("*.pcap*"), *SHARED.rglob("*.pcap"))):
            if path.parent == OWN or "lossy" in path.name:
                continue
            for session in self.sessions(path):
                if not (session["client"] or "").startswith("127."):
                    continue
                with self.subTest(path.name, session=session["number"]):
                    losses = [session["line"][direction]["loss"] for direction in DIRECTIONS]
                    self.assertLessEqual(set(losses), {0, None})
                    if session["packets"] > 600 and session["protocol"] != "acknex" and \
                            session["demo"] and "tv" not in path.name:
                        self.assertEqual(losses, [0, 0])
                        count += 1
        self.assertGreater(count, 5)

    def damaged(self, name, frames):
        """The lines of a run of which the capture has only these frames: the loss is the same, or unknown."""
        path = self.write_capture("damaged.pcap", frames, RAW)
        sessions = self.sessions(path)
        self.assertGreater(len(sessions), 0)
        for session in sessions:
            true = TRUTH[name.rsplit("-", 1)[0]]["sessions"][session["client"]]
            for direction in DIRECTIONS:
                line = session["line"][direction]
                with self.subTest(name, direction=direction, client=session["client"]):
                    if line["loss"] is not None:
                        self.assertAlmostEqual(line["loss"], true_loss(true[direction]), delta=1.5)
                    elif line["loss_at_most"] is not None:
                        self.assertGreaterEqual(line["loss_at_most"] + 0.3, true_loss(true[direction]))
        return [session["line"] for session in sessions]

    def test_packets_that_only_the_capture_lacks_are_not_lost(self):
        """Single ones, of one direction, or all of some moments: the other end acknowledges them."""
        for name in THREE:
            frames, rolls = self.frames(name), random.Random(7)
            self.damaged(name, [frame for frame in frames if rolls.random() > 0.02])
            self.damaged(name, [frame for frame in frames if not any(
                second <= (frame[0] - frames[0][0]) / 1e6 < second + 0.7 for second in (15, 25, 35, 45))])
            for client in True, False:
                rolls = random.Random(11)
                self.damaged(name, [frame for frame in frames if rolls.random() > 0.2 or (frame[1][12:16] == CLIENT) != client])

    def test_moment_that_the_capture_of_quake_lacks_is_a_share_of_its_packets(self):
        """Servers acknowledge no moves of a client."""
        frames = Capture.read(CAPTURES / "fidelity" / "nq-protocol15.pcap.gz").frames
        at = len(frames) // 2
        for count in 60, 200, 400:
            session, = self.sessions(self.write_capture("hole.pcap", frames[:at] + frames[at + count:]))
            self.assertAlmostEqual(session["line"]["not_captured"], 100 * count / len(frames), delta=0.1)

    def test_check_shows_the_loss_of_the_line_and_of_the_capture(self):
        for name in THREE:
            frames, rolls = self.frames(name), random.Random(7)
            path = self.write_capture("damaged.pcap", [frame for frame in frames if rolls.random() > 0.05], RAW)
            for session in self.sessions(path):
                self.assertAlmostEqual(session["line"]["not_captured"], 5, delta=2)
            self.assertRegex(self.tool("--check", path, status=None)[0], r"(?m)^  note: session \d: "
                             r"to the server: .* to the client: .*; the capture lacks about [3-6] %$")
        self.assertRegex(self.tool("--check", OWN / "q2-c-client.pcap.gz")[0],
                         r"(?m)to the server: 5\.\d % lost or late; to the client: 0\.0 % lost$")
        self.assertNotIn("to the", self.tool("--check", ACKNEX)[0])

    def test_late_start_and_one_direction(self):
        for name in THREE:
            frames = self.frames(name)
            for line in self.damaged(name, [frame for frame in frames if frame[0] - frames[0][0] > 15000000]):
                self.assertEqual(line["vantage"], name.rsplit("-", maxsplit=1)[-1])
            for line in self.damaged(name, [frame for frame in frames if frame[1][12:16] == CLIENT]):
                self.assertEqual((line["vantage"], line["c2s"]["loss"], line["ping"]), ("unknown", None, None))

    def test_two_files_give_the_figures_of_one(self):
        frames = self.frames("q2-c-client")
        parts, = self.sessions(self.write_capture("1.pcap", frames[:900], RAW), self.write_capture("2.pcap", frames[900:], RAW))
        whole, = self.sessions(OWN / "q2-c-client.pcap.gz")
        self.assertEqual(parts["line"], whole["line"])

    def test_merged_captures_of_both_ends(self):
        """Each packet that arrived is captured twice, also if one capture begins later or ends earlier."""
        self.require_lines()
        for name, begin, end in ((name, begin, end) for name in ("qw-b", "q2-c", "nq-c") for begin in (0, 0.2) for end in (1, 0.8)):
            client, server = (Capture.read(next((LINES / name).glob(f"{side}.pcap*"))) for side in ("client", "server"))
            part = slice(int(begin * len(client.frames)), int(end * len(client.frames)))
            frames = sorted(client.frames[part] + server.frames, key=lambda frame: frame[0])
            truth = json.loads((LINES / name / "truth.json").read_text())["sessions"]
            for session in self.sessions(self.write_capture("merged.pcap", frames, client.link_type)):
                self.assertEqual(session["line"]["vantage"], "both")
                self.assertAlmostEqual(session["line"]["ping"], truth[session["client"]]["rtt_line_ms"]["median"], delta=5)
                for direction in DIRECTIONS:
                    self.assertAlmostEqual(session["line"][direction]["loss"],
                                           true_loss(truth[session["client"]][direction]), delta=1 - (end - begin) / 2)
                    # One acknowledgement is sent twice.
                    self.assertLessEqual(session["line"][direction]["duplicates"], 1)

    def twice(self, frames, at, identified):
        """Each frame captured twice, with an IP identification (at this offset) or without."""
        out = []
        for number, (time, data) in enumerate(frames):
            data = data[:at] + struct.pack(">H", 1 + number if identified else 0) + data[at + 2:]
            out += [(time, data), (time + 20, data)]
        return out

    def test_duplicates_without_sequence_numbers(self):
        """Acknex has none: packets with the same bytes and identification are duplicates; without one, they may be
        sent twice."""
        frames = Capture.read(ACKNEX).frames
        for identified in True, False:
            session, = self.sessions(self.write_capture("twice.pcap", self.twice(frames, 18, identified)))
            self.assertEqual(session["packets"], (1 if identified else 2) * len(frames))
            self.assertIsNone(session["line"]["s2c"]["loss"])

    def test_each_packet_twice_gives_the_same_figures(self):
        """Without an identification, repeated packets may be duplicates, and their number is a limit."""
        for name in "qw-g-server", "q2-c-client":
            whole = [session["line"] for session in self.sessions(OWN / f"{name}.pcap.gz")]
            for identified in True, False:
                path = self.write_capture("twice.pcap", self.twice(self.frames(name), 4, identified), RAW)
                for session, once in zip(self.sessions(path), whole, strict=True):
                    for direction in DIRECTIONS:
                        for figure in "loss", "loss_at_most", "burst":
                            self.assertAlmostEqual(session["line"][direction][figure], once[direction][figure], delta=0.02)
                        self.assertEqual(session["line"][direction]["packets_at_most"], not identified)
                self.assertEqual("≤" in self.tool("--stats", path)[0], not identified)

    def test_list_shows_and_sorts_by_loss(self):
        path = OWN / "qw-g-server.pcap.gz"
        output, _ = self.tool("--list", "--wide", path)
        head, first, second = output.splitlines()
        self.assertRegex(head, r"duration +ping +loss↑ +loss↓ +demo ")
        self.assertRegex(first, r"anna .* +\d{2} +0\.0 +0\.0 +qwd")
        self.assertRegex(second, r"bert .* +1\d{2} +1\.9 +8\.\d +qwd")
        self.assertEqual(self.tool("--list", "--wide", "--sort=start", path)[0], output)
        self.assertEqual(self.tool("--list", "--wide", "--sort=loss", path)[0].splitlines(), [head, second, first])
        self.assertEqual([one["number"] for one in self.listed("--sort=loss", path)], [2, 1])
        # A session of which 5.01 % are lost, and an hour later one of 5.03 %.
        frames = self.frames("q2-c-client")
        paths = [self.write_capture("1.pcap", frames[:1000], RAW),
                 self.write_capture("2.pcap", [(time + 3600 * 10**6, frame) for time, frame in frames], RAW)]
        self.assertEqual([one["number"] for one in self.listed("--sort=loss", *paths)], [2, 1])

    def test_unknown_figures_are_dashes_and_null(self):
        self.assertRegex(self.tool("--list", ACKNEX)[0].splitlines()[1], r" \d:\d\d +- +- +- ")
        session, = self.sessions(ACKNEX)
        self.assertEqual((session["line"]["c2s"]["loss"], session["line"]["ping"]), (None, None))

    def test_limits_are_shown_in_ascii_too(self):
        self.require_lines()
        path = LINES / "qw-b" / "client.pcap"
        self.assertRegex(self.tool("--list", path)[0], r" +≤5\.\d +≤5\.\d +qwd")
        output = subprocess.run([PROGRAM, "--list", path], env=dict(os.environ, LC_ALL="C"),
                                capture_output=True, check=True).stdout.decode("ascii")
        self.assertRegex(output, r"loss up +loss down")
        self.assertRegex(output, r" +<=5\.\d +<=5\.\d +qwd")
