# SPDX-License-Identifier: GPL-2.0-or-later
"""Actions of Wireshark's window that tshark does not have: File > Save and Edit > Time Shift change frames that were
dissected, and Export Objects resets its list before packets come. window.c does them in tshark and sharkd.
"""

from test_ports import ODD_PORT, late_session
from wireshark import CAPTURES, PROTOCOLS, PluginTest, rows

FIELDS = ["frame.number", "_ws.col.Info", *PROTOCOLS, *(row[0] for row in rows("link")),
          *(f"{name}.session" for name in PROTOCOLS)]
NAMES = ("qw-lossy", "q2-vanilla", "nq-lossy", "qw-qtv")


class Window(PluginTest):
    def check(self, action, names, *options):
        """The action changes nothing that is shown."""
        for name in names:
            with self.subTest(name):
                before, after = (self.fields(self.stored(name), FIELDS, "-2", *options, window=window)
                                 for window in ("", action))
                self.assertEqual(after, before)

    def test_saved(self):
        """A packet is still decoded with its own session."""
        self.check("saved", NAMES)

    def test_saved_after_packets_were_left_out(self):
        lines = self.stored("qw-lossy"), ["qw.session", "_ws.col.Info"], "-2"
        for kept in "udp.srcport == 27500", "udp.dstport == 27500", "udp.length % 3 == 0":
            with self.subTest(kept):
                self.assertEqual(self.fields(*lines, "-R", kept), self.fields(*lines, "-Y", kept))
                self.check("saved", ["qw-lossy"], "-R", kept)

    def test_saved_after_late_recognition(self):
        """The packet that completes the evidence still has that note."""
        shown = ("-2", "-r", self.capture(late_session(ODD_PORT)), "-O", "qw",
                 "--enable-heuristic", "qw_late_udp")
        expected = self.tshark(*shown)
        self.assertIn("Recognized as QuakeWorld from here on: ", expected)
        self.assertEqual(self.tshark(*shown, window="saved"), expected)

    def test_time_shift(self):
        """Links stay, and the times between packets are those of the capture."""
        self.check("shifted", NAMES)

    def test_time_is_shifted(self):
        shown = self.stored("qw-lossy"), ["frame.time_epoch", "frame.offset_shift"], "-2"
        self.assertNotEqual(self.fields(*shown, window="shifted"), self.fields(*shown))


class Objects(PluginTest):
    """sharkd keeps a process for many captures, and asks for lists again."""

    def lists(self, *requests, **options):
        """For each list asked for, its objects' names and sizes. A request is the path of a
        capture to load, or a kind of objects to list."""
        calls = [("tap", {"tap0": f"eo:{what}"}) if what.startswith("quake_") else
                 ("load", {"file": what}) for what in requests]
        answers = [answer["result"] for answer in self.sharkd(calls, **options)]
        return [[(found["filename"], found["len"]) for found in answer["taps"][0]["objects"]]
                for answer in answers if "taps" in answer]

    def check_again_and_again(self, kind, *names, **options):
        paths = [self.first_packets(CAPTURES[0] / f"{name}.pcap", count) for name, count in names]
        exported = [sorted((name, len(data)) for name, data in self.exported(path, kind).items()) for path in paths]
        self.assertTrue(all(exported))
        requests = [what for path in paths for what in (path, kind, kind)]
        self.assertEqual([sorted(found) for found in self.lists(*requests, **options)],
                         [found for found in exported for _ in range(2)])

    def test_tables(self):
        """Their rows begin anew."""
        load = "load", {"file": self.stored("qw-lossy")}
        taps = [("tap", {"tap0": f"nstat:qw,{kind}"}) for kind in ("sessions", "line", "messages")]
        tables = [answer["result"] for answer in self.sharkd([load, *taps, *taps])[1:]]
        self.assertTrue(all(table["taps"][0]["tables"][0]["i"] for table in tables))
        self.assertEqual(tables[:3], tables[3:])

    def test_demos(self):
        self.check_again_and_again("quake_demos", ("qw-vanilla", None), ("q2-vanilla", None),
                                   ("qw-vanilla", None))

    def test_downloads(self):
        self.check_again_and_again("quake_downloads", ("qw-download", None),
                                   ("nq-download", None), ("qw-download", None))

    def test_demos_in_a_window(self):
        """Nothing reports the last packet: the last frame may hold several messages."""
        self.check_again_and_again("quake_demos", ("qw-qtv", 57), ("qw-qtv", 8), ("q2-gtv-plain", 12),
                                   ("qw-vanilla", None), window="objects")
