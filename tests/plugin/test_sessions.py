# SPDX-License-Identifier: GPL-2.0-or-later
"""In each pass, packets belong to sessions of the same numbers as pcap2demo has them.

The captures are those in the variable `CAPTURES` (by hand), or the stored ones and damaged ones.
"""

import os
import pathlib
import re
import subprocess

import capture
from wireshark import (CAPTURES, OOB, PROTOCOLS, PluginTest, captures_below, damaged_captures, some_captures,
                       to_client, to_server, tool)

FIELDS = [f"{protocol}.session" for protocol in PROTOCOLS]


def listed_by_tool(path):
    """By packet number, the sessions that it belongs to by the tool: one for each PDU in it."""
    dump = subprocess.run([os.environ["PCAP2DEMO"], "--dump", str(path)], capture_output=True).stdout
    sessions = {}
    # Dumps are long: this finds lines faster than an expression that begins with any number.
    for found in re.finditer(rb" packet\.session = (\d+)\n", dump):
        line = dump[dump.rfind(b"\n", 0, found.start()) + 1:found.start()]
        packet, _ = line.split()
        sessions.setdefault(int(packet), []).append(found[1].decode())
    return sessions


def listed(path):
    """The numbers in the tool's list of sessions."""
    return {line.split()[0] for line in tool("--list", path).splitlines()[1:]}


class Sessions(PluginTest):
    def shown(self, path, *options):
        """By packet number, the sessions that the plugin shows."""
        return {int(number): ",".join(filter(None, values)).split(",")
                for number, *values in self.fields(path, ["frame.number", *FIELDS], *options) if any(values)}

    def check(self, path):
        shown = self.shown(path)
        self.assertEqual(shown, listed_by_tool(path))
        self.assertEqual(self.shown(path, "-2"), shown)
        self.assertEqual({number for sessions in shown.values() for number in sessions}, listed(path))
        return sum(map(len, shown.values()))

    def test_numbers_are_those_of_the_tool(self):
        packets = 0
        (self.folder / "damaged").mkdir()
        paths = ([*map(pathlib.Path, os.environ.get("CAPTURES", "").split())] or
                 [*damaged_captures(self.folder / "damaged"),
                  *dict.fromkeys([*captures_below(CAPTURES[0]), *some_captures()])])
        for names, path, _ in self.joined(paths):
            with self.subTest(names):
                packets += self.check(path)
        self.assertGreater(packets, 0)

    def test_direction(self):
        path = self.capture([to_server(5000, 27500, OOB + b"getchallenge\n"),
                             to_client(5000, 27500, OOB + b"c1234\0")])
        for value, number in (0, "1"), (1, "2"):
            self.assertEqual(self.fields(path, ["frame.number"], "-Y", f"qw.from_server == {value}"), [[number]])

    def test_client_may_have_the_port_of_its_server(self):
        for name, port in (("qw-sample", 27500), ("nq-protocol666", 36603)):
            _, frames = capture.read(CAPTURES[0] / f"{name}.pcap")
            same = [capture.with_ends(frame, *(end if end[1] in (26000, port) else (b"\n\0\0\1", port)
                                               for end in capture.ends(frame))) for frame in frames]
            shown, moved = (self.fields(self.timed_capture(case), [f"{name[:2]}.from_server"]) for case in (frames, same))
            self.assertTrue(shown == moved, name)
