# SPDX-License-Identifier: GPL-2.0-or-later
"""All that the protocol records ask for is registered, by the rules of Wireshark."""

import json
import os
import re
import unittest

from wireshark import PASSES, PROTOCOLS, PluginTest, rows, tool

FIELD_TYPES = {
    "group": {"FT_NONE"},
    "bool": {"FT_BOOLEAN"},
    "unsigned": {"FT_UINT8", "FT_UINT16", "FT_UINT32", "FT_UINT64"},
    "signed": {"FT_INT8", "FT_INT16", "FT_INT32", "FT_INT64"},
    "float": {"FT_FLOAT"},
    "double": {"FT_DOUBLE"},
    "text": {"FT_STRING"},
    "bytes": {"FT_BYTES"},
    "ipv4": {"FT_IPv4"},
    "time": {"FT_ABSOLUTE_TIME"},
    "ipv6": {"FT_IPv6"},
    "frame": {"FT_FRAMENUM"},
    "duration": {"FT_RELATIVE_TIME"},
}


# Fields of one name whose kinds differ because the games' values do.
DIFFERENT = {
    "block.length",  # -1 ends a demo of Quake II
    "entity.number",  # Acknex's document says of its numbers that they have a sign
    "entity.tag.index",  # a byte in DarkPlaces, a number with a sign in FTE
    "particle.color",  # the same
    "serverdata.player",  # -1 in Quake II's cinematics
    "sound.index",  # as entity.number
}


class Registration(PluginTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        lines = [line.split("\t") for line in cls.tshark("-G", "fields").splitlines()]
        cls.fields_by_name = {}
        for line in lines:
            if line[0] == "F":
                cls.fields_by_name.setdefault(line[2], []).append(line)
        cls.protocols = {line[2]: line[1] for line in lines if line[0] == "P"}

    def test_protocols(self):
        for name, _, title, _ in rows("protocol"):
            self.assertIn(self.protocols.get(name), (title, f"{title} ({name})"))
        self.assertEqual({name: self.protocols[name] for name in ("qw", "q2", "nq")},
                         {"qw": "QuakeWorld (qw)", "q2": "Quake II", "nq": "Quake (nq)"})

    def test_short_names_are_unique_and_start_up_is_silent(self):
        """Wireshark finds dissectors by short names without regard to case."""
        every = [line.split("\t")[1].lower() for line in self.tshark("-G", "protocols").splitlines()]
        for name in PROTOCOLS:
            self.assertEqual(every.count(self.protocols[name].lower()), 1, name)

    def test_every_row_is_a_field(self):
        self.assertGreater(len(rows("field")), 0)
        for name, title, kind, mask in rows("field"):
            with self.subTest(name):
                found = self.fields_by_name.get(name, [])
                self.assertEqual([(line[1], int(line[6], 16)) for line in found], [(title, int(mask))])
                self.assertIn(found[0][3], FIELD_TYPES[kind])

    def test_every_note_is_an_expert_info(self):
        for name, summary in rows("note"):
            with self.subTest(name):
                self.assertEqual([line[1] for line in self.fields_by_name.get(name, [])], [summary])

    @unittest.skipUnless("PCAP2DEMO" in os.environ, "pcap2demo was not built")
    def test_reference_has_all_fields(self):
        """pcap2demo's list of all fields has those that are registered."""
        fields = [json.loads(line) for line in tool("--fields", "--json").splitlines()]
        registered = {name: found[0] for name, found in self.fields_by_name.items()
                      if found[0][4] in PROTOCOLS or name.split(".")[0] in PROTOCOLS}
        self.assertEqual(set(registered), {field[key] for field in fields for key in ("name", "alias") if key in field})
        for field in fields:
            with self.subTest(field["name"]):
                line = registered[field["name"]]
                self.assertEqual(line[1], field["title"])
                self.assertEqual(int(line[6] or "0", 16), field.get("mask", 0))
                if "mask" not in field and field["type"] not in ("group", "note"):
                    self.assertEqual(line[3].lower(), "ft_" + field["type"])

    def test_rules_of_wireshark(self):
        """Those that its checkers (checkAPIs, checkfiltername, check_typed_item_calls) have for fields in arrays. They
        cannot see ours, which are registered from tables; print_hf.py writes them as arrays."""
        ours = set(PROTOCOLS)
        for name, found in self.fields_by_name.items():
            if not ours & {name.split(".")[0], *(line[4] for line in found)}:
                continue
            _, title, _, kind, parent, base, mask, *blurb = found[0]
            bits = int(base) if kind == "FT_BOOLEAN" else int(re.sub(r"\D", "", kind) or 0) if "INT" in kind else 0
            with self.subTest(name):
                self.assertEqual(len(found), 1, "no other protocol has this name")
                self.assertRegex(name, r"^[a-z][a-z0-9]*(\.[a-z0-9_]+)+$")
                self.assertIn(name.split(".")[0], ours & {parent})
                self.assertTrue(title == title.strip() and title and [title] != blurb)
                self.assertLessEqual(int(mask or "0", 16).bit_length(), bits)

    def test_aliases_of_groups(self):
        """Filters find them, and the tree does not have them."""
        path = self.stored("qw-sample")
        frames = [self.tshark("-r", path, "-Y", name, *passes)
                  for name in ("qw.svc_playerinfo", "qw.playerinfo") for passes in PASSES]
        self.assertEqual(len(set(frames)), 1)
        self.assertNotEqual(frames[0], "")
        trees = [self.tshark("-r", path, "-c", "60", "-V", "-Y", name) for name in ("qw", "qw || qw.playerinfo")]
        self.assertEqual(*trees)

    @unittest.skipUnless("PCAP2DEMO" in os.environ, "pcap2demo was not built")
    def test_same_name_same_kind(self):
        """What games have alike has the same name, kind, unit and title: filters differ in the prefix only."""
        kinds = {}
        for field in map(json.loads, tool("--fields", "--json").splitlines()):
            game, _, name = field["name"].partition(".")
            kind = re.sub(r"(?<=int)\d+$", "", field["type"]).replace("float", "double")
            kinds.setdefault(name, set()).add((kind, field.get("unit"), field["title"].lower()))
        self.assertEqual({name for name, found in kinds.items() if len(found) > 1}, DIFFERENT)

    def test_every_option_is_a_preference(self):
        preferences = self.tshark("-G", "currentprefs")
        for (name,) in rows("option"):
            self.assertRegex(preferences, rf"(?m)^#?{name}:")

    def test_ports(self):
        decodes = self.tshark("-G", "decodes").splitlines()
        for name, _, _, ports in rows("protocol"):
            for port in ports.split(","):
                low, _, high = port.partition("-")
                for number in (low, high or low):
                    self.assertIn(f"udp.port\t{number}\t{name}", decodes)
