# SPDX-License-Identifier: GPL-2.0-or-later
"""--junit: every input and kind of check is a test case."""

import os
import pathlib
import shutil
import subprocess
import xml.etree.ElementTree

from tool import ACKNEX, SAMPLE, Capture, ToolTest

SCHEMA = pathlib.Path(__file__).with_name("junit.xsd")


class JUnit(ToolTest):
    """Four inputs: good, damaged, without a golden, missing."""

    def report(self, *options):
        (self.folder / "goldens").mkdir()
        capture = Capture.read(ACKNEX)
        frames = capture.frames[:-1] + [(0, capture.frames[-1][1][:42] + b"\xee" * 9)]
        self.write("good.pcap", ACKNEX.read_bytes())
        self.tool("--check", "--golden", "goldens", "--update", "good.pcap")
        shutil.copy(self.folder / "goldens/good.golden", self.folder / "goldens/bad # 1.golden")
        self.write("bad # 1.pcap", Capture(capture.link_type, frames).pcap())
        self.write("new.pcap", SAMPLE.read_bytes())
        return self.tool("--check", "--golden", "goldens", "--junit", "report.xml", *options,
                         "good.pcap", "bad # 1.pcap", "new.pcap", "missing.pcap", status=2)[0]

    def validate(self, name):
        if not shutil.which("xmllint"):
            self.skipTest("needs xmllint")
        result = subprocess.run(["xmllint", "--noout", "--nonet", "--schema", SCHEMA, name], cwd=self.folder,
                                stderr=subprocess.PIPE)
        return result.returncode, result.stderr.decode()

    def test_a_report_is_valid(self):
        self.report()
        status, error = self.validate("report.xml")
        self.assertEqual(status, 0, error)
        report = (self.folder / "report.xml").read_text()
        for old, new in (('classname="', 'class="'), ('tests="', 'tests="-'), ("<failure ", "<error/><failure ")):
            self.assertIn(old, report)
            self.write("wrong.xml", report.replace(old, new, 1).encode())
            self.assertNotEqual(self.validate("wrong.xml")[0], 0)

    def test_each_input_and_kind_of_check_is_a_case(self):
        self.report()
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
        self.tool("--check", "--golden", "goldens", "--junit", "one.xml", "new.pcap", status=2)
        root = xml.etree.ElementTree.parse(self.folder / "one.xml").getroot()
        self.assertEqual((root.get("failures"), root.get("errors")), ("0", "1"))
        self.assertIn("differs from goldens/bad # 1.golden\n-",
                      suites["bad # 1.pcap"].find("testcase[@name='golden']/failure").text)

    def test_names_that_xml_cannot_have(self):
        for name in (b"<&\"'>.pcap", b"\xef\xbf\xbe.pcap", b"\xff.pcap", b"new\nline.pcap"):
            with self.subTest(name):
                path = pathlib.Path(os.fsdecode(os.path.join(os.fsencode(self.folder), name)))
                path.write_bytes(ACKNEX.read_bytes())
                self.tool("--check", "--quiet", "--junit", "report.xml", path)
                status, error = self.validate("report.xml")
                self.assertEqual(status, 0, error)

    def test_a_report_that_cannot_be_written(self):
        _, error = self.tool("--check", "--junit", "/dev/null/report.xml", ACKNEX, status=2)
        self.assertIn("pcap2demo: /dev/null/report.xml: ", error)

    def test_beside_json(self):
        self.assertIn('"kind": "check"', self.report("--json"))
        self.assertTrue((self.folder / "report.xml").exists())
