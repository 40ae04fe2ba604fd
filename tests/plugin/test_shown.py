# SPDX-License-Identifier: GPL-2.0-or-later
"""What Wireshark shows of some captures, as a reader reviewed it: the packet list, tables, and objects to export."""

import pathlib

from tool import ToolTest
from wireshark import CAPTURES, PROTOCOLS, PluginTest

SHOWN = {  # captures, and how many packets of each are kept
    "qw-vanilla.pcap": 40, "q2-r1q2.pcap": 40, "nq-download.pcap": 40, "acknex-messages.pcap": 40, "qw-oob.pcap": 30,
    "q2-oob.pcap": 30, "q2-vanilla.pcap": 13, "nq-control.pcap": 40, "qw-qtv.pcap": 40, "lines/qw-g-server.pcap.gz": 1,
    "fidelity/q2-ipv6.pcap.gz": 12, "fidelity/q2-gtv.pcap.gz": 20}
SESSION = " || ".join(f"{game}.session" for game in PROTOCOLS) + ":0"  # a column
TAPS = [f"nstat:quake,{kind}" for kind in ("sessions", "line", "messages")] + ["eo:quake_demos", "eo:quake_downloads"]


def lines(frames, sessions):
    """Number, protocol, session and info of the packet list without backslashes, which versions escape differently."""
    cells = [[frame["c"][0], frame["c"][4], session["c"][0] or "-", frame["c"][6]]
             for frame, session in zip(frames, sessions, strict=True)]
    return [" ".join(row).replace("\\", "")[:200] for row in cells if row[1] not in ("TCP", "UDP")]


def rows(tap):
    """A tap's answer as lines: those of a table, or the objects of an export."""
    cells = [row for table in tap.get("tables", []) for row in table["i"]]
    cells += [map(found.get, ("pkt", "hostname", "type", "filename", "len")) for found in tap.get("objects", [])]
    return [" | ".join(map(str, row)) for row in cells]


class Shown(PluginTest):
    def test_captures_are_shown_as_was_reviewed(self):
        calls = [call for name, count in SHOWN.items()
                 for call in (("load", {"file": self.readable(CAPTURES[0] / name)}), ("frames", {"limit": count}),
                              ("frames", {"limit": count, "column0": SESSION}),
                              *[("tap", {"tap0": tap}) for tap in TAPS])]
        answers = [answer["result"] for answer in self.sharkd(calls)]
        printed = []
        for name in SHOWN:
            _, frames, sessions, *taps = answers[:3 + len(TAPS)]
            del answers[:3 + len(TAPS)]
            printed += [f"=== {name}", *lines(frames, sessions)]
            for title, tap in zip(TAPS, taps, strict=True):
                printed += [f"--- {title}", *rows(tap["taps"][0])]
        ToolTest.assert_kept(self, pathlib.Path(__file__).with_name("shown.txt"), "\n".join(printed) + "\n")
