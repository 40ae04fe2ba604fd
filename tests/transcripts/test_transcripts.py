# SPDX-License-Identifier: GPL-2.0-or-later
"""What commands print and write, as a reader reviewed it: each .transcript has commands behind "$ ", each with
its output, the name, size and SHA-256 of each file that it wrote, and its exit status unless that is 0.

All commands of a file run one behind the other in a folder of their own, in which "captures" are those of the project, and
"late" those of fidelity without their first third, and "part" without their packets 11 to 13.
With QUAKESHARK_UPDATE=1 the test writes what is printed now: read the change before you commit it.
"""

import hashlib
import os
import pathlib
import subprocess
import tempfile
import unittest

from late import cut
from tool import CAPTURES, PROGRAM, Capture

TRANSCRIPTS = sorted(pathlib.Path(__file__).parent.glob("*.transcript"))
ENVIRONMENT = {"PATH": f"{pathlib.Path(PROGRAM).parent}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8", "TZ": "UTC"}


def contents(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*")
            if path.is_file() and not path.is_symlink()}


def run(command, folder):
    before = contents(folder)
    result = subprocess.run(["sh", "-c", command], cwd=folder, env=ENVIRONMENT, stdin=subprocess.DEVNULL,
                            capture_output=True, check=False, timeout=60)
    lines = [f"$ {command}", *(result.stderr + result.stdout).decode().splitlines()]
    for path, data in sorted(contents(folder).items()):
        if before.get(path) != data:
            lines.append(f"→ {path}: {len(data)} bytes, {hashlib.sha256(data).hexdigest()[:16]}")
    return lines + [f"→ status {result.returncode}"] * (result.returncode != 0)


def run_again(transcript):
    """The lines of a transcript as they are now. Lines in front of the first command are comments."""
    lines = transcript.read_text().splitlines()
    commands = [line for line in lines if line.startswith("$ ")]
    printed = lines[:lines.index(commands[0])]
    with tempfile.TemporaryDirectory(prefix="pcap2demo-transcript-") as name:
        folder = pathlib.Path(name)
        (folder / "captures").symlink_to(CAPTURES)
        (folder / "late").mkdir()
        (folder / "part").mkdir()
        for path in CAPTURES.glob("fidelity/*.pcap.gz"):
            if path.stem in "".join(commands):
                whole = Capture.read(path)
                (folder / "late" / path.stem).write_bytes(cut(whole, len(whole.frames) // 3).pcap())
                (folder / "part" / path.stem).write_bytes(whole.of(whole.frames[:10] + whole.frames[13:]).pcap())
        for command in commands:
            printed += run(command[2:], folder)
    return printed


class Transcripts(unittest.TestCase):
    maxDiff = None

    def test_commands_print_what_was_reviewed(self):
        self.assertGreater(len(TRANSCRIPTS), 5)
        for transcript in TRANSCRIPTS:
            printed = run_again(transcript)
            if os.environ.get("QUAKESHARK_UPDATE"):
                transcript.write_text("\n".join(printed) + "\n")
            with self.subTest(transcript.name):
                self.assertEqual(printed, transcript.read_text().splitlines())
