# SPDX-License-Identifier: GPL-2.0-or-later
"""What commands print and write, as a reader reviewed it: each .transcript has commands behind "$ ", each with
its output, the name, size and hash of each file that it wrote, and its exit status unless that is 0.

All commands of a file run one behind the other in a folder of their own, in which "captures" are those of the project, and
"late" those of fidelity without their first third, "part" without packets 11 to 13, "snap" of packets cut to 96 bytes.
"""

import functools
import hashlib
import os
import pathlib
import shutil
import subprocess

import capture
import damages
from late import cut
from tool import CAPTURES, PROGRAM, Capture, ToolTest

TRANSCRIPTS = sorted(pathlib.Path(__file__).parent.glob("*.transcript"))
ENVIRONMENT = {"PATH": f"{pathlib.Path(PROGRAM).parent}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8", "TZ": "UTC",
               "PYTHONPATH": os.environ["PYTHONPATH"], "PYTHONDONTWRITEBYTECODE": "1"}


def contents(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*")
            if path.is_file() and not path.is_symlink()}


def run(command, folder, before):
    """Its lines, and the files behind it."""
    result = subprocess.run(["sh", "-c", command], cwd=folder, env=ENVIRONMENT, stdin=subprocess.DEVNULL,
                            capture_output=True, check=False, timeout=60)
    lines, after = [f"$ {command}", *(result.stderr + result.stdout).decode().splitlines()], contents(folder)
    for path, data in sorted(after.items()):
        if before.get(path) != data:
            lines.append(f"→ {path}: {len(data)} bytes, {hashlib.sha256(data).hexdigest()[:16]}")
    return lines + [f"→ status {result.returncode}"] * (result.returncode != 0), after


def run_again(transcript, folder):
    """The lines of a transcript as they are now. Lines in front of the first command are comments."""
    lines = transcript.read_text().splitlines()
    commands = [line for line in lines if line.startswith("$ ")]
    printed = lines[:lines.index(commands[0])]
    for name in "late", "part", "snap":
        (folder / name).mkdir(parents=True)
    (folder / "captures").symlink_to(CAPTURES)
    for path in CAPTURES.glob("fidelity/*.pcap.gz"):
        if path.stem in "".join(commands):
            whole = Capture.read(path)
            (folder / "late" / path.stem).write_bytes(cut(whole, len(whole.frames) // 3).pcap())
            (folder / "part" / path.stem).write_bytes(whole.of(whole.frames[:10] + whole.frames[13:]).pcap())
            capture.write(folder / "snap" / path.stem, whole.link_type, damages.cut(capture.read(path)[1], 96))
    files = contents(folder)
    for command in commands:
        output, files = run(command[2:], folder, files)
        printed += output
    return printed


class Transcripts(ToolTest):
    maxDiff = None

    def check(self, transcript):
        if "| jq " in transcript.read_text() and not shutil.which("jq"):
            self.skipTest("jq is not installed")
        self.assert_kept(transcript, "\n".join(run_again(transcript, self.folder / transcript.stem)) + "\n")


for path in TRANSCRIPTS:
    setattr(Transcripts, f"test_{path.stem}", functools.partialmethod(Transcripts.check, path))
