# SPDX-License-Identifier: GPL-2.0-or-later
"""
One packet of a session's beginning is lost, comes twice, or comes late: a copy changes no demo, nor
does one of FTE's fragments that is late; a demo that becomes much smaller or goes is spoken of.

    test_one_packet.py PCAP2DEMO CAPTURES
"""

import os
import pathlib

import capture
from truth import convert

CAPTURES = ["qw-vanilla", "qw-extended", "qw-id", "qw-fte", "q2-protocol34", "q2-protocol35",
            "q2-protocol36", "q2-playerupdate", "nq-protocol15", "nq-protocol666", "nq-dp7"]
FRAGMENTS = "qw-fte"  # its unreliable messages come in order all the same: clients tell which they have
FIRST_OF_CLIENT = {FRAGMENTS: 5}  # the server's tell as well that a connection begins
PLACES = 22
STEP = 4 if os.environ["SANITIZED"] else 1  # the same code, wherever the packet is
MUCH = 0.9


def without(frames, place):
    return frames[:place] + frames[place + 1:]


def with_copy(frames, place, later):
    copy = frames[place]._replace(time=frames[place + later].time)
    return frames[:place + later + 1] + [copy] + frames[place + later + 1:]


def sizes(outcome):
    return [len(demo) for demo in outcome.demos]


def is_worse(outcome, whole):
    return (len(outcome.demos) < len(whole.demos) or
            sum(sizes(outcome)) < MUCH * sum(sizes(whole)))


def faults(tool, name, frames):
    """What is wrong, with the place of the packet, from 0."""
    whole = convert(tool, frames)
    if not whole.demos:
        yield "no demo"
    for place in range(0, min(PLACES, len(frames) - 3), STEP):
        for later in 1, 2:
            if convert(tool, with_copy(frames, place, later)).demos != whole.demos:
                yield f"{place} again {later} later"
            late = name == FRAGMENTS and convert(tool, without(with_copy(frames, place, later), place))
            if late and sizes(late) != sizes(whole):  # times differ
                yield f"{place} {later} late"
        lacking = convert(tool, without(frames, place))
        if place == FIRST_OF_CLIENT.get(name) and is_worse(lacking, whole):
            yield f"{place} lost, and with it a demo"
        if is_worse(lacking, whole) and (lacking.status != 1 or not lacking.error):
            yield f"{place} lost without a word"


def main(tool, folder):
    total = 0
    for name in CAPTURES:
        _, frames = capture.read(pathlib.Path(folder) / "fidelity" / f"{name}.pcap.gz")
        found = list(faults(tool, name, frames))
        total += len(found)
        if found:
            print(f"{name}: {', '.join(found)}")
    print(f"{len(CAPTURES)} captures, {total} faults")
    return total != 0
