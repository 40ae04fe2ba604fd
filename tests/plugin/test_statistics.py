# SPDX-License-Identifier: GPL-2.0-or-later
"""Wireshark's statistics are those of `pcap2demo --stats`, in every small capture."""

import collections
import json
import re
import struct

from wireshark import (CAPTURES, OOB, PROTOCOLS, SECOND, PluginTest, damaged_captures, stored_packets, to_client,
                       to_server, tool)

WITH_REQUESTS = [name for name in PROTOCOLS if name != "acknex"]
CAPTURED = [path for folder in (CAPTURES[0], CAPTURES[0] / "lines")
            for path in sorted(folder.glob("*.pcap*"))
            # The tool drops what the network repeated.
            if path.name not in ("nq-lossy.pcap", "q2-lossy.pcap")]
SKIP = 6, 7, 8, 10  # of damaged captures: clients that move; one that waits, whose time the tool leaves out
DIRECTIONS = {"C→S": "c2s", "S→C": "s2c", "?": "unknown"}


def table(output):
    """The rows of a table, as dictionaries by their columns."""
    lines = [[cell.strip() for cell in line.split(" |")[:-1]]
             for line in output.splitlines() if " |" in line]
    return [dict(zip(lines[0], line, strict=True)) for line in lines[1:]]


def number(text):
    return float(text) if text else None


def figure(value, format_):
    """A figure of the tool's report as the table has it."""
    return "" if value is None else format(value, format_)


def loss(line):
    limit = figure(line["loss_at_most"], ".1f")
    return figure(line["loss"], ".1f") or limit and f"≤{limit}"


def response_times(output):
    """Rows of a request's name, calls, least, most and mean time, of all protocols together."""
    rows = re.findall(r"(?m)^ *\d+  (\S.*?) +(\d+) +([\d.]+) +([\d.]+) +([\d.]+) +[\d.]+$", output)
    return sorted((name, int(calls), *map(float, times)) for name, calls, *times in rows)


class Statistics(PluginTest):
    def statistics(self, path, kind, *games):
        options = [word for name in games or ["quake"] for word in ("-z", f"{name},{kind}")]
        return self.tshark("-q", "-r", path, *options)

    def compare_messages(self, report, found):
        expected, total = collections.Counter(), collections.Counter()
        for session in report["sessions"]:
            for direction, traffic in session["traffic"].items():
                expected[session["number"], direction, "(packets)"] = traffic["packets"], traffic["bytes"]
            for message in session["messages"]:
                expected[session["number"], message["direction"], message["name"]] = \
                    message["count"], message["bytes"]
        by_key = {(int(row["Session (0: all)"]), DIRECTIONS[row["Direction"]],
                   row["Filter"] if "." in row["Filter"] else row["Message"]): row for row in found
                  if row["Session (0: all)"] != "0"}
        self.assertEqual({key: (int(row["Count"]), int(row["Bytes"])) for key, row in by_key.items()},
                         {key: count for key, count in expected.items() if count[0]})
        for row in found:  # session 0 has the counts of all sessions and of packets without one
            total[row["Filter"], row["Direction"], row["Session (0: all)"] == "0"] += int(row["Count"])
        for (name, direction, is_all), count in total.items():
            if not is_all:
                self.assertLessEqual(count, total[name, direction, True])

    def compare_session(self, session, row):
        line = session["line"]
        self.assertEqual([row[name] for name in ("Client", "Server", "Player", "Version", "Map")],
                         [session["client"], session["server"], session["player"] or "",
                          session["version"] or "", session["maps"][-1] if session["maps"] else ""])
        self.assertAlmostEqual(number(row["Duration (s)"]), session["duration"], delta=0.001)
        for direction, arrow in ("c2s", "C→S"), ("s2c", "S→C"):
            traffic = session["traffic"].get(direction, {})
            self.assertEqual(int(row[f"Packets {arrow}"]), traffic.get("packets", 0))
            self.assertEqual(int(row[f"Bytes {arrow}"]), traffic.get("bytes", 0))
            self.assertAlmostEqual(number(row[f"Bytes/s {arrow}"]),
                                   traffic.get("bytes_per_second", 0), delta=0.501)
            self.assertEqual(row[f"Lost {arrow} (%)"], loss(line[direction]))
        self.assertEqual(row["Ping (ms)"], figure(line["ping"], ".3f"))

    def compare_line(self, session, row):
        """Returns the number of figures that are known."""
        direction, line = DIRECTIONS[row["Direction"]], session["line"]
        rtt = session["rtt"]["s2c" if direction == "c2s" else "c2s"]
        expected = {"Lost (%)": loss(line[direction]), "Captured at": line["vantage"],
                    "Packets": str(line[direction]["packets"]), "Late": str(line[direction]["late"]),
                    "Twice": str(line[direction]["duplicates"]),
                    "Longest burst": figure(line[direction]["burst"], ".0f"),
                    "Choked (%)": figure(line[direction]["choke"], ".3f"),
                    "Throttled (%)": figure(line[direction]["throttle"], ".3f"),
                    "Unanswered (%)": figure(line["unanswered"] if direction == "c2s" else None, ".3f"),
                    "Ping (ms)": figure(line["ping"], ".3f"),
                    "p95 (ms)": figure(line["ping_p95"], ".3f"),
                    "Jitter (ms)": figure(line["jitter"], ".3f")}
        self.assertEqual({name: row[name] for name in expected}, expected)
        for column, name in (("Acknowledged after, min (ms)", "min"), ("mean (ms)", "mean"),
                             ("max (ms)", "max")):
            self.assertEqual(row[column] != "", rtt[name] is not None)
            if row[column]:
                self.assertAlmostEqual(number(row[column]), rtt[name] * 1e3, delta=0.001)
        return sum(value != "" for value in expected.values())

    def compare_requests(self, report, output):
        expected = sorted((request["name"], request["time"]["count"], request["time"]["min"],
                           request["time"]["max"], request["time"]["mean"])
                          for request in report["requests"] if request["time"]["count"]
                          and request["name"] not in ("create", "remove"))  # Acknex's
        found = response_times(output)
        self.assertEqual([row[:2] for row in found], [row[:2] for row in expected])
        for row, times in zip(found, expected):
            for value, time in zip(row[2:], times[2:]):
                self.assertAlmostEqual(value, time, delta=2e-6)
        return len(found)

    def compare(self, path):
        """Returns the number of figures of path quality that are known, and of requests."""
        report = json.loads(tool("--stats", "--json", path))
        sessions = {session["number"]: session for session in report["sessions"]}
        self.compare_messages(report, table(self.statistics(path, "messages")))
        found = {int(row["Session"]): row for row in table(self.statistics(path, "sessions"))}
        self.assertEqual(set(found), set(sessions))
        for index, row in found.items():
            self.compare_session(sessions[index], row)
        known = sum(self.compare_line(sessions[int(row["Session"])], row)
                    for row in table(self.statistics(path, "line")))
        return known, self.compare_requests(report, self.statistics(path, "srt", *WITH_REQUESTS))

    def test_tables_are_those_of_the_tool(self):
        known = requests = 0
        (self.folder / "damaged").mkdir()
        damaged = [path for number, path in enumerate(damaged_captures(self.folder / "damaged")) if number % 17 not in SKIP]
        for names, path, _ in self.joined([*CAPTURED, *damaged]):
            with self.subTest(names):
                counts = self.compare(path)
                known, requests = known + counts[0], requests + counts[1]
        self.assertGreater(known, 400)
        self.assertGreater(requests, 20)

    def test_player_and_map_stay_the_last_known(self):
        def packet(sequence, *messages):
            return to_client(5000, 27910, struct.pack("<II", sequence, 0) + b"".join(messages))

        serverdata = struct.pack("<BiiBxh9s", 12, 34, 1, 0, 0, b"The Edge")
        name = struct.pack("<BH", 13, 1312)  # a config string: CS_PLAYERSKINS
        model = struct.pack("<BH", 13, 33)  # the first: the map
        path = self.capture([packet(1, serverdata, name, b"anna\\male/grunt\0", model, b"maps/lab1.bsp\0"),
                             packet(2, name, b"\0"), packet(3, serverdata)])
        row, = table(self.statistics(path, "sessions"))
        self.assertEqual((row["Player"], row["Map"]), ("anna", "lab1"))

    def test_filter_and_statistics_agree(self):
        """A session has as many packets in its table as its filter shows: requests for a connection belong to none."""
        path = self.readable(CAPTURES[0] / "lines" / "qw-g-server.pcap.gz")
        for row in table(self.statistics(path, "line", "qw")):
            shown = self.tshark("-2", "-r", path, "-Y", row["Filter"]).splitlines()
            self.assertEqual(len(shown), int(row["Packets"]))
        self.assertEqual(table(self.statistics(path, "line", "q2")), [])

    def test_credentials_name_players_and_passwords_by_kind(self):
        path = self.capture([
            to_server(27001, 27500, OOB + b"rcon hunter2 status\n"),
            to_server(27001, 27500, OOB + b'connect 28 1 2 "\\name\\anna\\password\\sesame"\n'),
            to_server(27001, 27500, OOB + b'connect 28 1 2 "\\name\\anna\\password\\none"\n'),
            to_server(27901, 27910, OOB + b"rcon secret map q2dm1\n"),
            to_server(27901, 27910, OOB + b'connect 34 1 2 "\\name\\bert\\password\\word"\n'),
            to_server(26001, 26000, b"\x80\0\0\x14\x05letmein\0status\0"),
        ])
        lines = self.tshark("-q", "-r", path, "-z", "credentials").splitlines()
        self.assertEqual([re.split(" {2,}", line.strip()) for line in lines[3:-1]], [
            ["1", "QuakeWorld", "n.a.", "rcon"],
            ["2", "QuakeWorld", "anna", "server password"],
            ["4", "Quake II", "n.a.", "rcon"],
            ["5", "Quake II", "bert", "server password"],
            ["6", "Quake", "n.a.", "rcon"],
        ])

    @staticmethod
    def intervals(output):
        """The cells of each interval."""
        rows = re.findall(r"(?m)^\| +\d+ <> +\w+ *\|(.*)\|$", output)
        return [[float(cell.strip() or 0) for cell in row.split("|")] for row in rows]

    def test_fields_that_can_be_drawn(self):
        """The I/O graph's functions take ping, rate and loss."""
        packets = list(stored_packets(CAPTURES[0] / "qw-sample.pcap"))
        # An interval without the game comes first: Wireshark 4.0 does not set the sums of floats
        # to 0 there (tap-iostat.c, register_io_tap).
        other = to_server(9, 9, b"")
        path = self.timed_capture([(packets[0][0] - 5 * SECOND, other, len(other)), *packets])
        output = self.tshark("-q", "-r", path, "-z",
                             "io,stat,5,MAX(qw.rate)qw.rate,SUM(qw.line.choked)qw.line.choked")
        cells = self.intervals(output)[1:]
        self.assertEqual((len(cells), sum(row[1] for row in cells)), (3, 3))  # choked as in --stats
        self.assertTrue(all(row[0] > 1000 for row in cells), output)
        output = self.tshark("-q", "-r", self.readable(CAPTURES[0] / "lines" / "qw-g-server.pcap.gz"), "-z",
                             "io,stat,20,AVG(qw.ping)qw.ping && qw.session == 2")
        for ping, *_ in self.intervals(output)[1:]:
            self.assertTrue(100 < ping < 200, output)
