# SPDX-License-Identifier: GPL-2.0-or-later
"""The profile that is installed: Wireshark takes its columns and coloring rules, and they say what they shall."""

import os
import pathlib
import re
import shutil

from wireshark import CAPTURES, PluginTest

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
        capture = self.readable(CAPTURES[0] / "nq-control.pcap")
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
            self.assertIn(shown, self.tshark("-r", self.readable(CAPTURES[0] / f"{capture}.pcap"),
                                             "-Y", filters[name]), name)

    def coloring(self, capture):
        """By packet, the name of the rule that colors it, and its line."""
        shown = self.tshark("-C", "Quake", "--color", "-r", self.readable(CAPTURES[0] / capture),
                            "-T", "fields", "-e", "frame.coloring_rule.name",
                            "-e", "_ws.col.Info", "-Y", "qw or q2 or nq or acknex")
        return [line.split("\t") for line in shown.splitlines()]

    def test_every_packet_has_a_color(self):
        for capture in ("qw-vanilla.pcap", "qw-oob.pcap", "q2-lossy.pcap", "nq-lossy.pcap"):
            for rule, line in self.coloring(capture):
                if not line.startswith("?"):
                    self.assertTrue(rule.startswith("Quake"), line)

    def test_rules_go_by_what_became_of_packets(self):
        names = {"[duplicate]": "Quake: late or twice, dropped",
                 "[late]": "Quake: late or twice, dropped",
                 "[lost": "Quake: lost on the line",
                 "[not captured": "Quake: not in the capture",
                 "[resent]": "Quake: sent again"}
        seen = set()
        for capture in ("qw-lossy.pcap", "q2-lossy.pcap", "nq-lossy.pcap", "nq-stuck.pcap"):
            for rule, line in self.coloring(capture):
                fates = re.findall(r" (\[[a-z ]+)", line.partition(": ")[0])
                fate = fates[0].strip() if len(fates) == 1 else ""
                for tag, name in names.items():
                    if fate and tag.startswith(fate):
                        seen.add(tag)
                        self.assertEqual(rule, name, line)
        self.assertEqual(seen, set(names))

    def test_numbers_left_out_are_not_painted(self):
        """A gap that means nothing has no color, one that the server explains has its own."""
        rules = {rule for rule, line in self.coloring("qw-sample.pcap") if "[skipped" in line}
        self.assertTrue(all(rule.startswith("Quake: from the ") for rule in rules), rules)
        self.assertIn("Quake: choked or throttled",
                      {rule for rule, line in self.coloring("qw-sample.pcap") if "[choked" in line})

    def columns(self):
        return re.findall(r'"([^"]+)", "%Cus:', (SOURCE / "preferences").read_text())

    def test_columns(self):
        self.assertEqual(self.columns(), ["Session", "Player", "Ping (ms)"])
        capture = self.readable(CAPTURES[0] / "lines" / "qw-g-server.pcap.gz")
        shown = self.tshark("-C", "Quake", "-r", capture, "-Y", "qw.ping && qw.session == 2")
        self.assertRegex(shown, r" 2 +bert +1\d\d(\.\d)? C→S ")
