# SPDX-License-Identifier: GPL-2.0-or-later
"""What Wireshark's window does, and tshark never: File > Save and Edit > Time Shift change frames that
were dissected, and Export Objects ends its list by itself. window.c does the same to tshark and sharkd.
"""

import pathlib
import tempfile

from test_ports import ODD_PORT, late_session
from wireshark import CAPTURES, PluginTest, rows

FIELDS = [row[0] for kind in ("protocol", "link") for row in rows(kind)]
SESSIONS = [f"{row[0]}.session" for row in rows("protocol")]
NAMES = ("qw-lossy", "q2-vanilla", "nq-lossy", "qw-qtv")


class Window(PluginTest):
    @staticmethod
    def shown(capture, *options):
        fields = [word for name in [*FIELDS, *SESSIONS] for word in ("-e", name)]
        return ("-2", "-r", capture, "-T", "fields", "-e", "frame.number", *fields,
                "-e", "_ws.col.Info", *options)

    def check(self, action):
        for name in NAMES:
            capture = self.readable(CAPTURES[0] / f"{name}.pcap")
            with self.subTest(name):
                expected = self.tshark(*self.shown(capture))
                self.assertEqual(self.tshark(*self.shown(capture), window=action), expected)

    def test_saved(self):
        """A packet is still decoded with its own session."""
        self.check("saved")

    def test_saved_after_packets_were_left_out(self):
        capture = self.readable(CAPTURES[0] / "qw-lossy.pcap")
        for kept in "udp.srcport == 27500", "udp.dstport == 27500", "udp.length % 3 == 0":
            with self.subTest(kept):
                lines = ("-r", capture, "-T", "fields", "-e", "qw.session", "-e", "_ws.col.Info")
                self.assertEqual(self.tshark("-2", *lines, "-R", kept),
                                 self.tshark("-2", *lines, "-Y", kept))
                shown = self.shown(capture, "-R", kept)
                self.assertEqual(self.tshark(*shown, window="saved"), self.tshark(*shown))

    def test_saved_after_late_recognition(self):
        """The packet that completes the evidence still says so."""
        shown = ("-2", "-r", self.capture(late_session(ODD_PORT)), "-O", "qw",
                 "--enable-heuristic", "qw_late_udp")
        expected = self.tshark(*shown)
        self.assertIn("The conversation is taken for", expected)
        self.assertEqual(self.tshark(*shown, window="saved"), expected)

    def test_time_shift(self):
        """Links stay, and the times between packets are those of the capture."""
        self.check("shifted")

    def test_time_is_shifted(self):
        shown = ("-2", "-r", self.readable(CAPTURES[0] / "qw-lossy.pcap"), "-T", "fields",
                 "-e", "frame.time_epoch", "-e", "frame.offset_shift")
        self.assertNotEqual(self.tshark(*shown, window="shifted"), self.tshark(*shown))


class Objects(PluginTest):
    """sharkd keeps a process for many captures, and asks for lists again."""

    def lists(self, *requests, **options):
        """For each list asked for, its objects' names and sizes. A request is the path of a
        capture to load, or a kind of objects to list."""
        calls = [("tap", {"tap0": f"eo:{what}"}) if what.startswith("quake_") else
                 ("load", {"file": what})
                 for what in requests]
        answers = [answer["result"] for answer in self.sharkd(calls, **options)]
        return [[(found["filename"], found["len"]) for found in answer["taps"][0]["objects"]]
                for answer in answers if "taps" in answer]

    def exported(self, path, kind):
        """The same by tshark."""
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.folder / "home"))
        folder.chmod(0o777)
        self.tshark("-q", "-r", path, "--export-objects", f"{kind},{folder}")
        return sorted((path.name.replace("%2f", "/"), path.stat().st_size)
                      for path in folder.iterdir())

    def check_again_and_again(self, kind, *names, **options):
        paths = [self.first_packets(CAPTURES[0] / f"{name}.pcap", count) for name, count in names]
        wanted = [found for path in paths for found in [self.exported(path, kind)] * 2]
        self.assertTrue(all(wanted))
        requests = [what for path in paths for what in (path, kind, kind)]
        self.assertEqual([sorted(found) for found in self.lists(*requests, **options)], wanted)

    def test_tables(self):
        """Their rows begin anew."""
        load = "load", {"file": self.readable(CAPTURES[0] / "qw-lossy.pcap")}
        taps = [("tap", {"tap0": f"nstat:qw,{kind}"}) for kind in ("sessions", "line", "messages")]
        tables = [answer["result"] for answer in self.sharkd([load, *taps, *taps])[1:]]
        self.assertTrue(all(table["taps"][0]["tables"][0]["i"] for table in tables))
        self.assertEqual(tables[:3], tables[3:])

    def test_demos(self):
        self.check_again_and_again("quake_demos", ("qw-vanilla", None), ("q2-vanilla", None),
                                   ("qw-vanilla", None))

    def test_demos_of_one_session(self):
        """Each has its own first packet and map."""
        path = self.readable(CAPTURES[0] / "fidelity" / "q2-ipv6.pcap.gz")
        answer = self.sharkd([("load", {"file": path}), ("tap", {"tap0": "eo:quake_demos"})])[1]
        listed = [(found["pkt"], found["hostname"]) for found in answer["result"]["taps"][0]["objects"]]
        self.assertEqual(listed, [(13, "[::1]:27910: anna, lab1, 0:17"), (527, "[::1]:27910: anna, lab2, 0:05")])

    def test_downloads(self):
        self.check_again_and_again("quake_downloads", ("qw-download", None),
                                   ("nq-download", None), ("qw-download", None))

    def test_demos_in_a_window(self):
        """Nothing reports the last packet: the last frame may hold several messages."""
        self.check_again_and_again("quake_demos", ("qw-qtv", 57), ("qw-qtv", 8), ("q2-gtv-plain", 12),
                                   ("qw-vanilla", None), window="objects")
