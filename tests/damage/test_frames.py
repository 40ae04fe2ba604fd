# SPDX-License-Identifier: GPL-2.0-or-later
"""
Frames of entities that a client of Quake acknowledges and the capture lacks are counted and reported: later
ones count from them.
"""

import random

import capture
import truth

# DarkPlaces; FTE's client and server; QSS's.
CAPTURES = ["nq-dp7", "nq-fte", "nq-fte-qss"]
FRAMES = "(svc_entities)", "(svcfte_updateentities)"
LOST = 14
PRINTED = "server packets that the client had"


def found_in(frames):
    """Of a session: packets that only the capture lacks, those that the demo lacks; exit status, messages."""
    outcome = truth.convert(frames)
    session = truth.report("--check", frames)["sessions"][0]
    return session["loss"]["not_captured"], session["demo"]["missing"], outcome.status, outcome.error


def acknowledged_first(frames):
    """Every seventh packet changes places with the next, as a recorder may have it."""
    frames = list(frames)
    for index in range(800, len(frames) - 1, 7):
        frames[index:index + 2] = frames[index + 1], frames[index]
    return frames


def tries(path):
    _, frames = capture.read(path)
    packets = sorted({int(words[0]) - 1 for words in truth.dump(path) if words[-1].endswith(FRAMES)})
    yield "" if len(packets) >= 500 else f"only {len(packets)} frames of entities"
    for whole in frames, acknowledged_first(frames):
        acknowledged, missing, status, error = found_in(whole)
        is_wrong = acknowledged or missing or status or PRINTED in error
        yield is_wrong and f"nothing is lost: {acknowledged}, {missing}, {status}, {error}"
    # Some here and there; many at once.
    for lost in {*random.Random(1).sample(packets[20:-20], LOST)}, {*packets[200:340]}:
        acknowledged, missing, status, error = found_in([frame for index, frame in enumerate(frames) if index not in lost])
        # DarkPlaces' frames have their own numbers: a gap of one packet next to others may not be counted.
        yield "" if (acknowledged == len(lost) and missing in (len(lost) - 1, len(lost)) and status == 1
                     and PRINTED in error) else f"{len(lost)} lost: {acknowledged}, {missing}, {status}, {error}"


def main():
    return truth.check(tries, [truth.own(name) for name in CAPTURES])
