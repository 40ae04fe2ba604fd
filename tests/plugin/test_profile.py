# SPDX-License-Identifier: GPL-2.0-or-later
"""The installed profile: Wireshark reads its columns, filters and coloring rules, and they select the right packets."""

import os
import pathlib
import re
import shutil

from wireshark import CAPTURES, PROTOCOLS, PluginTest

SOURCE = pathlib.Path(os.environ["PROJECT_BINARY_DIR"]) / "plugin" / "profile"


class Profile(PluginTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        profile = cls.folder / "home" / ".config" / "wireshark" / "profiles" / "Quake"
        profile.mkdir(parents=True)
        shutil.copy(SOURCE / "preferences", profile)
        shutil.copy(SOURCE / "quakeshark-colorfilters", profile / "colorfilters")
        for folder, _, files in os.walk(cls.folder / "home"):
            for name in (folder, *(os.path.join(folder, file) for file in files)):
                os.chmod(name, 0o755)

    def rules(self):
        text = (SOURCE / "quakeshark-colorfilters").read_text()
        return dict(re.findall(r"^@([^@]+)@([^@]+)@\[[\d,]+\]\[[\d,]+\]$", text, re.M))

    def test_each_rule_is_a_filter(self):
        capture = self.stored("nq-control")
        self.assertGreater(len(self.rules()), 5)
        for name, rule in self.rules().items():
            with self.subTest(name):
                self.tshark("-r", capture, "-Y", rule)

    def table(self, name):
        return [[re.sub(r"\\x(..)", lambda code: chr(int(code[1], 16)), text)
                 for text in re.findall(r'"((?:[^"\\]|\\.)*)"', line)]
                for line in (SOURCE / name).read_text().splitlines() if line[0] == '"']

    def test_buttons_and_graphs(self):
        filters = {row[1]: row[2] for row in self.table("dfilter_buttons")}
        filters["graphs"] = " or ".join(text for row in self.table("io_graphs")
                                        for text in (row[2], row[6]) if text)
        for name, capture, shown in (("Chat", "qw-sample", "print"), ("Deaths", "qw-sample", "Volcano God"),
                                     ("Loss", "nq-lossy", "[lost"), ("Sign-on", "q2-lossy", "serverdata"),
                                     ("Connectionless", "nq-control", "CCREQ"), ("graphs", "q2-lossy", "seq")):
            self.assertIn(shown, self.tshark("-r", self.stored(capture), "-Y", filters[name]), name)

    def coloring(self, capture):
        """By packet, the name of the rule that colors it, and its line."""
        return self.fields(self.stored(capture), ["frame.coloring_rule.name", "_ws.col.Info"], "-C", "Quake", "--color",
                           "-Y", " or ".join(PROTOCOLS))

    def test_every_packet_has_a_color(self):
        for capture in ("qw-vanilla", "qw-oob", "q2-lossy", "nq-lossy"):
            for rule, line in self.coloring(capture):
                if not line.startswith("?"):
                    self.assertTrue(rule.startswith("Quake"), line)

    def test_dropped_lost_and_missing_packets_have_colors_of_their_own(self):
        names = {"[duplicate]": "Quake: late or twice, dropped",
                 "[late]": "Quake: late or twice, dropped",
                 "[lost": "Quake: lost on the line",
                 "[not captured": "Quake: not in the capture",
                 "[resent]": "Quake: sent again"}
        seen = set()
        for capture in ("qw-lossy", "q2-lossy", "nq-lossy", "nq-stuck"):
            for rule, line in self.coloring(capture):
                tags = re.findall(r" (\[[a-z ]+)", line.partition(": ")[0])
                for tag, name in names.items():
                    if len(tags) == 1 and tag.startswith(tags[0].strip()):
                        seen.add(tag)
                        self.assertEqual(rule, name, line)
        self.assertEqual(seen, set(names))

    def test_skipped_numbers_have_no_color(self):
        """But numbers that the server has choked have one."""
        lines = self.coloring("qw-sample")
        rules = {rule for rule, line in lines if "[skipped" in line}
        self.assertTrue(all(rule.startswith("Quake: from the ") for rule in rules), rules)
        self.assertIn("Quake: choked or throttled", {rule for rule, line in lines if "[choked" in line})

    def test_columns(self):
        columns = re.findall(r'"([^"]+)", "%Cus:', (SOURCE / "preferences").read_text())
        self.assertEqual(columns, ["Session", "Player", "Ping (ms)"])
        capture = self.readable(CAPTURES[0] / "lines" / "qw-g-server.pcap.gz")
        shown = self.tshark("-C", "Quake", "-r", capture, "-Y", "qw.ping && qw.session == 2")
        self.assertRegex(shown, r" 2 +bert +1\d\d(\.\d)? C→S ")
