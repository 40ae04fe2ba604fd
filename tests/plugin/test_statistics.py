# SPDX-License-Identifier: GPL-2.0-or-later
"""Wireshark's statistics are those of `pcap2demo --stats`, in every small capture."""

import collections
import json
import os
import re
import subprocess
import unittest

from wireshark import CAPTURES, PluginTest, SECOND, rows, stored_packets, to_server

PROTOCOLS = [row[0] for row in rows("protocol")]
ROOTS = ("Packets", "Bytes", "Messages", "Bytes of messages")


def tool_report(path):
    result = subprocess.run([os.environ["PCAP2DEMO"], "--stats", "--json", str(path)],
                            capture_output=True, encoding="utf-8")
    return json.loads(result.stdout)


def trees(output):
    """Root, session and name of each line of the trees: its count, of all protocols together."""
    found = collections.Counter()
    path = []
    for line in output.splitlines():
        match = re.match(r"( *)(\S.*?) {2,}(\d+) ", line)
        if not match:
            continue
        level, name, count = len(match[1]), match[2], int(match[3])
        path[level:] = [name]
        if path[0] in ROOTS and len(path) == 3:
            found[tuple(path)] += count
    return found


def tables(output):
    """The rows of the tables of sessions, by number, as dictionaries by their columns."""
    found, names = {}, []
    for line in output.splitlines():
        cells = [cell.strip() for cell in line.split("|")[:-1]]
        if cells and cells[0] == "Session":
            names = [f"{index} {cell}" for index, cell in enumerate(cells)]
        elif cells and cells[0].isdigit():
            found[int(cells[0])] = dict(zip(names, cells))
    return found


def response_times(output):
    """Calls, least, most and mean by what was asked, of all protocols together."""
    rows = re.findall(r"(?m)^ *\d+  (\S.*?) +(\d+) +([\d.]+) +([\d.]+) +([\d.]+) +[\d.]+$", output)
    return sorted((name, int(calls), *map(float, times)) for name, calls, *times in rows)


class Statistics(PluginTest):
    def statistics(self, path, kind):
        options = [word for name in PROTOCOLS for word in ("-z", f"{name},{kind}")]
        return self.tshark("-q", "-r", path, *options)

    def compare_tree(self, report, output):
        expected = collections.Counter()
        for session in report["sessions"]:
            name = f"Session {session['number']}"
            for way, traffic in session["traffic"].items():
                expected["Packets", name, way] = traffic["packets"]
                expected["Bytes", name, way] = traffic["bytes"]
            for message in session["messages"]:
                key = name, f"{message['direction']} {message['name']}"
                expected["Messages", *key] = message["count"]
                expected["Bytes of messages", *key] = message["bytes"]
        found = {key: count for key, count in trees(output).items()
                 if key[1].startswith("Session ")}
        self.assertEqual({key: count for key, count in found.items() if count},
                         {key: count for key, count in expected.items() if count})
        # And all is what the sessions and the rest have.
        total = collections.Counter()
        for (root, group, name), count in trees(output).items():
            total[root, name] += count if group != "All" else -count
        self.assertEqual({key: count for key, count in total.items() if count}, {})

    def compare_row(self, session, row):
        values = [cell for _, cell in sorted(row.items(), key=lambda item: int(item[0].split()[0]))]
        texts, losses = values[1:6], values[16:18]
        numbers = [float(cell) if cell else None for cell in values[6:16] + values[18:]]
        self.assertEqual(texts[0], session["client"])
        self.assertEqual(texts[1], session["server"])
        self.assertEqual(texts[2], session["player"] or "")
        self.assertEqual(texts[3], session["version"] or "")
        self.assertEqual(texts[4], session["maps"][-1] if session["maps"] else "")
        expected = [session["duration"]]
        for way in "c2s", "s2c":
            traffic = session["traffic"].get(way, {})
            expected += [traffic.get("packets", 0), traffic.get("bytes", 0),
                         traffic.get("bytes_per_second", 0)]
        line = session["line"]
        expected += [line[name] for name in ("ping", "ping_p95", "jitter")]
        for way, loss in zip(("c2s", "s2c"), losses):
            known, limit = line[way]["loss"], line[way]["loss_at_most"]
            self.assertEqual(loss.strip(), f"{known:.1f}" if known is not None else
                             f"≤{limit:.1f}" if limit is not None else "")
        for way in "c2s", "s2c":
            rtt = session["rtt"][way]
            expected += [rtt[name] and rtt[name] * 1e3 for name in ("min", "mean", "max")]
        for found, value in zip(numbers, expected, strict=True):
            if value is None:
                self.assertIsNone(found)
            else:
                self.assertAlmostEqual(found, value, delta=0.501)  # rates are whole
        return None in numbers

    def compare_requests(self, report, output):
        expected = sorted((request["name"], request["time"]["count"], request["time"]["min"],
                           request["time"]["max"], request["time"]["mean"])
                          for request in report["requests"] if request["time"]["count"])
        found = response_times(output)
        self.assertEqual([row[:2] for row in found], [row[:2] for row in expected])
        for row, times in zip(found, expected):
            for value, time in zip(row[2:], times[2:]):
                self.assertAlmostEqual(value, time, delta=2e-6)
        return len(found)

    def test_captures(self):
        sessions = requests = unmeasured = 0
        for names, path, _ in self.joined(sorted(CAPTURES[0].glob("*.pcap*"))):
            with self.subTest(names):
                report = tool_report(path)
                self.compare_tree(report, self.statistics(path, "tree"))
                table = tables(self.statistics(path, "sessions"))
                self.assertEqual(set(table), {one["number"] for one in report["sessions"]})
                for session in report["sessions"]:
                    unmeasured += self.compare_row(session, table[session["number"]])
                sessions += len(table)
                requests += self.compare_requests(report, self.statistics(path, "srt"))
        self.assertGreater(sessions, 20)
        self.assertGreater(unmeasured, 5)
        self.assertGreater(requests, 20)

    def test_credentials(self):
        mark = b"\xff\xff\xff\xff"
        path = self.capture([
            to_server(27001, 27500, mark + b"rcon hunter2 status\n"),
            to_server(27001, 27500, mark + b'connect 28 1 2 "\\name\\anna\\password\\sesame"\n'),
            to_server(27001, 27500, mark + b'connect 28 1 2 "\\name\\anna\\password\\none"\n'),
            to_server(27901, 27910, mark + b"rcon secret map q2dm1\n"),
            to_server(27901, 27910, mark + b'connect 34 1 2 "\\name\\bert\\password\\word"\n'),
            to_server(26001, 26000, b"\x80\0\0\x14\x05letmein\0status\0"),
        ])
        lines = [line.split() for line in
                 self.tshark("-q", "-z", "credentials", "-r", path).splitlines()]
        self.assertEqual([line for line in lines if line and line[0].isdigit()], [
            ["1", "QW", "n.a.", "rcon"],
            ["2", "QW", "anna", "server", "password"],
            ["4", "Q2", "n.a.", "rcon"],
            ["5", "Q2", "bert", "server", "password"],
            ["6", "NQ", "n.a.", "rcon"],
        ])

    def test_fields_that_can_be_drawn(self):
        """The I/O graph's functions take RTT, rate and loss."""
        packets = list(stored_packets(CAPTURES[0] / "qw-sample.pcap"))
        # An interval without the game comes first: Wireshark 4.0 does not set the sums of floats
        # to 0 there (tap-iostat.c, register_io_tap).
        other = to_server(9, 9, b"")
        path = self.timed_capture([(packets[0][0] - 5 * SECOND, other, len(other)), *packets])
        output = self.tshark("-q", "-r", path, "-z",
                             "io,stat,5,AVG(qw.rtt)qw.rtt,MAX(qw.rate)qw.rate,"
                             "SUM(qw.line.choked)qw.line.choked")
        rows = re.findall(r"(?m)^\| +\d+ <> +\w+ *\|(.*)\|$", output)[1:]
        self.assertEqual(len(rows), 3)
        cells = [[float(cell.strip() or 0) for cell in row.split("|")] for row in rows]
        self.assertEqual(sum(row[2] for row in cells), 3)  # as --stats has it
        self.assertTrue(all(0 < row[0] < 1000 < row[1] for row in cells), output)


if __name__ == "__main__":
    unittest.main()
