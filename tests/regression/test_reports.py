# SPDX-License-Identifier: GPL-2.0-or-later
"""--junit: every input and kind of check is a test case."""

import os
import pathlib
import shutil
import subprocess
import xml.etree.ElementTree

from tool import ACKNEX, SAMPLE, Capture, ToolTest

SCHEMA = pathlib.Path(__file__).with_name("junit.xsd")


class Reports(ToolTest):
    """Four inputs: good, damaged, without a golden, missing."""

    def setUp(self):
        super().setUp()
        (self.folder / "goldens").mkdir()
        capture = Capture.read(ACKNEX)
        frames = capture.frames[:-1] + [(0, capture.frames[-1][1][:42] + b"\xee" * 9)]
        self.write("good.pcap", ACKNEX.read_bytes())
        self.tool("--check", "--golden", "goldens", "--update", "good.pcap")
        shutil.copy(self.folder / "goldens/good.golden", self.folder / "goldens/bad # 1.golden")
        self.write("bad # 1.pcap", Capture(capture.link_type, frames).pcap())
        self.write("new.pcap", SAMPLE.read_bytes())
        self.inputs = ["good.pcap", "bad # 1.pcap", "new.pcap", "missing.pcap"]

    def report(self, *options):
        output, _ = self.tool("--check", "--golden", "goldens", *options, *self.inputs, status=2)
        return output


class JUnit(Reports):
    def validate(self, name):
        if not shutil.which("xmllint"):
            self.skipTest("xmllint is not there")
        result = subprocess.run(["xmllint", "--noout", "--nonet", "--schema", SCHEMA, name], cwd=self.folder,
                                stderr=subprocess.PIPE)
        return result.returncode, result.stderr.decode()

    def test_valid(self):
        self.report("--junit", "report.xml")
        status, error = self.validate("report.xml")
        self.assertEqual(status, 0, error)

    def test_schema_can_fail(self):
        self.report("--junit", "report.xml")
        report = (self.folder / "report.xml").read_text()
        for old, new in (('classname="', 'class="'), ('tests="', 'tests="-'),
                         ("<failure ", "<error/><failure ")):
            self.assertIn(old, report)
            self.write("wrong.xml", report.replace(old, new, 1).encode())
            self.assertNotEqual(self.validate("wrong.xml")[0], 0)

    def test_cases(self):
        self.report("--junit", "report.xml")
        root = xml.etree.ElementTree.parse(self.folder / "report.xml").getroot()
        found = {(case.get("classname"), case.get("name")): [child.tag for child in case]
                 for case in root.iter("testcase")}
        self.assertEqual(found, {
            ("good.pcap", "decode"): [],
            ("good.pcap", "golden"): [],
            ("good.pcap", "rebuild"): ["skipped"],
            ("bad # 1.pcap", "decode"): ["failure"],
            ("bad # 1.pcap", "golden"): ["failure"],
            ("bad # 1.pcap", "rebuild"): ["skipped"],
            ("new.pcap", "decode"): [],
            ("new.pcap", "golden"): ["error"],
            ("new.pcap", "rebuild"): [],
            ("missing.pcap", "decode"): ["error"],
            ("missing.pcap", "golden"): ["skipped"],
            ("missing.pcap", "rebuild"): ["skipped"],
        })
        suites = {suite.get("name"): suite for suite in root.iter("testsuite")}
        for suite in (root, *suites.values()):
            cases = list(suite.iter("testcase"))
            self.assertEqual(int(suite.get("tests")), len(cases))
            for count, tag in (("failures", "failure"), ("errors", "error"),
                               ("skipped", "skipped")):
                self.assertEqual(int(suite.get(count)), len(list(suite.iter(tag))))
        self.assertIn("differs from goldens/bad # 1.golden\n-",
                      suites["bad # 1.pcap"].find("testcase[@name='golden']/failure").text)

    def test_odd_names(self):
        """What XML cannot say, or not as it is."""
        for name in (b"<&\"'>.pcap", b"\xef\xbf\xbe.pcap", b"\xff.pcap", b"new\nline.pcap"):
            with self.subTest(name):
                path = os.path.join(os.fsencode(self.folder), name)
                with open(path, "wb") as file:
                    file.write(ACKNEX.read_bytes())
                self.tool("--check", "--quiet", "--junit", "report.xml", os.fsdecode(path))
                status, error = self.validate("report.xml")
                self.assertEqual(status, 0, error)

    def test_unwritable(self):
        _, error = self.tool("--check", "--junit", "/dev/null/report.xml", "good.pcap", status=2)
        self.assertIn("pcap2demo: /dev/null/report.xml: ", error)

    def test_beside_json(self):
        output = self.report("--json", "--junit", "report.xml")
        self.assertIn('"kind": "check"', output)
        self.assertTrue((self.folder / "report.xml").exists())
