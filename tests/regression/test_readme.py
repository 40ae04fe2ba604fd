# SPDX-License-Identifier: GPL-2.0-or-later
"""README's examples run as written, and print what README shows."""

import os
import pathlib
import pty
import re
import shutil
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["PROJECT_SOURCE_DIR"])
PLUGIN = os.environ.get("PLUGIN_DIR")
NOBODY = 65534


def steps():
    """Each command of the examples, with the output that is shown for it."""
    found = []
    for block in re.findall(r"^```console\n(.*?)^```", (SOURCE / "README.md").read_text(),
                            re.M | re.S):
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append((line[2:], []))
            else:
                found[-1][1].append(line)
    return found


def shorten(output, shown):
    """The output with a line "…" for what is left out between the parts that are shown, in order."""
    lines = []
    for number, part in enumerate("\n".join(shown).split("…")):
        part = [line for line in part.split("\n") if line]
        start = next((i for i in range(len(output)) if output[i:i + len(part)] == part), None)
        if start is None or (number == 0 and start):
            return output
        lines += ["…"] * (number > 0) + part
        output = output[start + len(part):]
    return lines + (output if shown[-1:] != ["…"] else [])


class Example(unittest.TestCase):
    def setUp(self):
        """A checkout with what is needed of it. Wireshark takes no plugins from root's variables."""
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="pcap2demo-readme-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.folder.chmod(0o777)
        (self.folder / "tests").mkdir()
        shutil.copytree(SOURCE / "tests/captures", self.folder / "tests/captures")
        (self.folder / "bin").mkdir()
        shutil.copy(os.environ["PCAP2DEMO"], self.folder / "bin/pcap2demo")
        self.environment = {"PATH": f"{self.folder}/bin:{os.environ['PATH']}", "LC_ALL": "C.UTF-8",
                            "HOME": str(self.folder)}
        if PLUGIN:
            shutil.copytree(PLUGIN, self.folder / "plugins")
            self.environment["WIRESHARK_PLUGIN_DIR"] = str(self.folder / "plugins")
        subprocess.run(["chmod", "-R", "a+rX", self.folder], check=True)  # for another user
        self.identity = ({"user": NOBODY, "group": NOBODY, "extra_groups": []}
                         if os.getuid() == 0 else {})

    def run_all(self, commands):
        """Their outputs, from a terminal: there both streams come in the order of writing."""
        mark = "--- next ---"
        script = "umask 022\n" + "".join(f"{command}\necho '{mark}'\n" for command in commands)
        ours, theirs = pty.openpty()
        with subprocess.Popen(["sh", "-c", script], cwd=self.folder, env=self.environment,
                              stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs,
                              **self.identity) as shell:
            os.close(theirs)
            output = b""
            try:
                while data := os.read(ours, 65536):
                    output += data
            except OSError:
                pass  # the terminal's end, on Linux
            shell.wait()
        os.close(ours)
        shown = re.sub(r"\r[^\r\n]*\x1b\[K", "", output.decode())  # without progress, now erased
        return [[line for line in part.splitlines() if line] for part in shown.split(mark)[:-1]]

    def test_example(self):
        example = [(command, shown) for command, shown in steps() if PLUGIN or "tshark" not in command]
        self.assertGreater(len(example), 5)
        outputs = self.run_all([command for command, _ in example])
        for (command, shown), output in zip(example, outputs, strict=True):
            with self.subTest(command):
                output = [line for line in output if not line.startswith("Running as")]
                self.assertEqual(shorten(output, shown) if "…" in shown else output, shown)
        self.assertTrue((self.folder / "report.xml").exists())

    @unittest.skipUnless(PLUGIN, "needs tshark, and a plugin that it can load")
    def test_first_output(self):
        """The first command ends with the demo and one packet."""
        command, = re.findall(r"cmake --install build && (pcap2demo .*)", (SOURCE / "README.md").read_text())
        output, = self.run_all([command])
        demo, packet = [line for line in output if not line.startswith("Running as")]
        self.assertRegex(demo, r"^build/qw-sample-.*\.qwd: session 1, QuakeWorld 28, 0:15, \d+ bytes$")
        self.assertRegex(packet, r"^ *1027 .* QW 103 S→C seq 512 ack 512: updatestat, damage, ")
