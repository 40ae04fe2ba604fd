# SPDX-License-Identifier: GPL-2.0-or-later
"""--fields: the reference of all fields. plugin.registration compares it with Wireshark's."""

import json
import re

from tool import CAPTURES, ToolTest


class Fields(ToolTest):
    def reference(self, *prefixes):
        output, _ = self.tool("--fields", "--json", *prefixes)
        return [json.loads(line) for line in output.splitlines()]

    def test_every_field_of_a_dump_is_in_the_reference(self):
        names = {field["name"] for field in self.reference()}
        for capture in ("qw-extended.pcap", "q2-q2pro.pcap", "nq-protocol666.pcap", "acknex-generated.pcap"):
            dump, _ = self.tool("--dump", CAPTURES / capture)
            dumped = set(re.findall(r"^\S+ \S+ ((?!packet\.)\S+)", dump, re.M))
            self.assertGreater(len(dumped), 50)
            self.assertLessEqual(dumped, names)

    def test_prefixes(self):
        every = self.reference()
        for prefixes in (["qw.damage"], ["nq.sequence", "q2"], ["acknex."]):
            self.assertEqual(self.reference(*prefixes),
                             [field for field in every if field["name"].startswith(tuple(prefixes))
                              or field.get("alias", "").startswith(tuple(prefixes))])
        self.assertEqual(self.reference("QuakeWorld.damage"), self.reference("qw.damage"))
        self.assertIn("description; did you mean armor?\n", self.tool("--fields", "Armour", status=1)[1])

    def test_words(self):
        """Other words are found in names and titles, then in descriptions, in any case; parts of words come last."""
        every, rest = self.reference(), []
        for pattern in (r"(?<![a-z0-9])chat(?![a-z0-9])", "chat"):
            for texts in (("name", "title"), ("description",)):
                rest += [field for field in every if field not in rest and
                         any(re.search(pattern, field.get(text, ""), re.I) for text in texts)]
        self.assertEqual(self.reference("Chat"), rest)
        names = [field["name"] for field in rest]
        self.assertLess(names.index("qw.print.level"), names.index("qw.voicechat.player"))

    def test_aliases(self):
        """A message has the prefix of its fields as a second name, unless that is taken."""
        found = {field["name"]: field.get("alias") for field in self.reference("qw")}
        self.assertEqual([found[name] for name in ("qw.svc_damage", "qw.svcfte_voicechat", "qw.clc_delta", "qw.oob")],
                         ["qw.damage", "qw.voicechat", None, None])

    def test_members(self):
        found = {field["name"]: field for field in self.reference("qw")}
        self.assertEqual(found["qw.damage.armor"],
                         {"name": "qw.damage.armor", "protocol": "qw", "type": "uint8",
                          "title": "Armor lost", "description": "Points that the armor took, 0 to 255"})
        self.assertEqual(found["qw.damage.origin.x"]["unit"], "units")
        self.assertEqual(found["qw.setangle.angles.yaw"]["unit"], "°")
        self.assertEqual(found["qw.ack_rtt"]["unit"], "s")
        self.assertEqual(found["qw.playerinfo.flags.command"]["mask"], 2)
        self.assertIn({"value": 19, "name": "svc_damage"}, found["qw.svc"]["values"])
        self.assertEqual(found["qw.sequence.gap"]["type"], "note")
        self.assertTrue(found["qw.challenge"]["varies"])

    def test_text(self):
        """A line for each field, and its details below."""
        output, _ = self.tool("--fields")
        self.assertEqual([line.split()[0] for line in output.splitlines() if line[0] != " "],
                         [field["name"] for field in self.reference()])
        for name, text in (("qw.svc", "\n    19 = svc_damage\n"), ("qw.svc_damage", "\n    Also qw.damage\n"),
                           ("qw.challenge", "\n    Differs from run to run: goldens leave it out.\n"),
                           ("q2.gtv.password", "\n    A password: shown with --show-secrets only.\n"),
                           ("qw.playerinfo.flags.command", " boolean & 0x2       PF_COMMAND\n"),
                           ("qw.ack_rtt", " relative_time, s    Time to this acknowledgement\n")):
            self.assertIn(text, self.tool("--fields", name)[0])
