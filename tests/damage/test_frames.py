# SPDX-License-Identifier: GPL-2.0-or-later
"""
Frames of entities that a client of Quake acknowledges and the capture lacks are counted and reported: later
ones count from them.

    test_frames.py PCAP2DEMO CAPTURES
"""

import pathlib
import random
import subprocess

import capture
from truth import convert, report

# DarkPlaces; FTE's client and server; QSS's.
CAPTURES = ["nq-dp7", "nq-fte", "nq-fte-qss"]
SVC_NAMES = "svc_entities", "svcfte_updateentities"
LOST = 14
PRINTED = "server packets that the client had"


class Result:
    """What is printed of a session: by the demo, and by --check."""

    def __init__(self, tool, frames):
        _, self.status, self.printed = convert(tool, frames)
        session = report(tool, "--check", frames)["sessions"][0]
        self.counts = session["loss"]["not_captured"], session["demo"]["missing"]


def frames_of_entities(tool, path):
    """The indexes of the packets that have one."""
    dump = subprocess.run([tool, "--dump", path], check=True, capture_output=True, text=True).stdout
    return sorted({int(line.split()[0]) - 1 for line in dump.splitlines()
                   if line.endswith(tuple(f"({name})" for name in SVC_NAMES))})


def losses(packets):
    """Some here and there; many at once."""
    yield {*random.Random(1).sample(packets[20:-20], LOST)}
    yield {*packets[200:340]}


def acknowledged_first(frames):
    """Every seventh packet changes places with the next, as a recorder may have it."""
    frames = list(frames)
    for index in range(800, len(frames) - 1, 7):
        frames[index:index + 2] = frames[index + 1], frames[index]
    return frames


def problems(tool, path):
    _, frames = capture.read(path)
    packets = frames_of_entities(tool, path)
    if len(packets) < 500:
        yield f"only {len(packets)} frames of entities"
    for whole in frames, acknowledged_first(frames):
        result = Result(tool, whole)
        if result.counts != (0, 0) or result.status or PRINTED in result.printed:
            yield f"nothing is lost, yet {result.counts}, exit status {result.status}: {result.printed}"
    for lost in losses(packets):
        result = Result(tool, [frame for index, frame in enumerate(frames) if index not in lost])
        acknowledged, missing = result.counts
        # DarkPlaces' frames have their own numbers: a gap of one packet next to others may not be counted.
        if acknowledged != len(lost) or not len(lost) - 1 <= missing <= len(lost) or result.status != 1 or PRINTED not in result.printed:
            yield f"{len(lost)} lost, yet {result.counts}, exit status {result.status}: {result.printed}"


def main(tool, folder):
    bad = 0
    for name in CAPTURES:
        for problem in problems(tool, pathlib.Path(folder) / "fidelity" / f"{name}.pcap.gz"):
            print(f"{name}: {problem}")
            bad += 1
    print(f"{len(CAPTURES)} captures, {bad} problems")
    return bad != 0
