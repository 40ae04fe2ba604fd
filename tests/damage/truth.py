# SPDX-License-Identifier: GPL-2.0-or-later
"""
How much of a demo is right: what a player would show in each frame, compared with another demo of the
same session, which is the truth. Of each format, TRUTHS has a function

    compare(tool, demo, truth) -> Share

with the paths of two files. `wrong` counts what must never be: frames that show something else than was
sent, and what a player stops at; `dropped` updates that it drops. `right` of `all` frames of the truth (of
QuakeWorld: states of entities) are as they should be; the others are not there.
"""

import collections
import concurrent.futures
import json
import os
import pathlib
import subprocess
import tempfile

import capture
import comparison
import dem
import player

Share = collections.namedtuple("Share", "right all wrong dropped", defaults=[0])

Outcome = collections.namedtuple("Outcome", "demos status error")


def convert(tool, frames, *options, read=pathlib.Path.read_bytes, link_type=1):
    """What the tool makes of frames, and reports; demos as `read` has them, in the order of their names."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "x.pcap"
        capture.write(path, link_type, frames)
        run = subprocess.run([tool, "-q", "-o", folder, *options, path], capture_output=True, text=True,
                             stdin=subprocess.DEVNULL)
        path.unlink()
        demos = [read(path) for path in sorted(pathlib.Path(folder).iterdir())]
    return Outcome(demos, run.returncode, run.stderr)


def report(tool, action, frames):
    """What --list or --check has of them."""
    with tempfile.NamedTemporaryFile(suffix=".pcap") as file:
        capture.write(file.name, 1, frames)
        return json.loads(subprocess.run([tool, action, "--json", file.name], capture_output=True).stdout)


DISCONNECT = b"\x02"
LAST_FRAMES = 6


# --- QuakeWorld: entities are deltas from earlier frames, which the player must have accepted.


def compare_qwd(tool, demo, truth):
    mine, true = player.play(tool, demo), player.play(tool, truth)
    # A demo that begins late lacks levels at its beginning.
    behind = true.level - mine.level
    found = {(level + behind, sequence): state for (level, sequence), state in mine.seen.items()}
    same = sum(found.get(key) == state for key, state in true.seen.items())
    there = sum(key in found for key in true.seen)
    right = sum(found.get(key, {}).get(number) == state for key, states in true.seen.items()
                for number, state in states.items())
    return Share(right, sum(map(len, true.seen.values())), there - same, mine.dropped)


# --- Quake: updates are deltas from the baselines, so that each message says all.


def shown(path):
    """But for svc_disconnect, which all demos end with, and the last frames, which are there or not as the
    client's last move comes before or behind them."""
    blocks = [block.messages for block in dem.read(path)[1] if block.messages != DISCONNECT]
    return collections.Counter(blocks)


def compare_dem(tool, demo, truth):
    del tool
    found, true = shown(demo), shown(truth)
    return Share((found & true).total(), true.total(), max((found - true).total() - LAST_FRAMES, 0))


# --- Quake II: frames are deltas from earlier ones.


def compare_dm2(tool, demo, truth):
    found = comparison.compare(tool, demo, truth)
    return Share(found.same, found.frames, found.bad)


TRUTHS = {".qwd": compare_qwd, ".dem": compare_dem, ".dm2": compare_dm2}


def captures_of(captures, own, shared, largest, lossy):
    """The project's own whole sessions, and those of SHARED, or None, that are small enough and of no lossy line."""
    paths = [pathlib.Path(captures, "fidelity", f"{name}.pcap.gz") for name in own]
    for folder in ("captures", "newest") if shared else ():
        paths += sorted(path for path in pathlib.Path(shared, folder).rglob("*.pcap")
                        if path.stat().st_size < largest and not path.name.startswith(lossy))
    return paths


def of_each(function, tool, paths):
    """What function(tool, path) returns for each of the captures."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(lambda path: function(tool, path), paths))
