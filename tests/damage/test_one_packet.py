# SPDX-License-Identifier: GPL-2.0-or-later
"""
One packet of a session's beginning is lost, comes twice, or comes late: a copy changes no demo, nor does
one of FTE's fragments that is late; a demo that becomes much smaller or is not written is reported.
"""

import capture
import truth

CAPTURES = ["qw-vanilla", "qw-extended", "qw-id", "qw-fte", "q2-protocol34", "q2-protocol35",
            "q2-protocol36", "q2-playerupdate", "nq-protocol15", "nq-protocol666", "nq-dp7"]
# FTE's unreliable messages come in order all the same: clients acknowledge them. Packets of the server show as well
# as the first of the client, at 5, that a connection begins.
FRAGMENTS, FIRST_OF_CLIENT = "qw-fte", 5
PLACES = 22
SHORT = 500  # packets, far behind the places
STEP = 4 if truth.SANITIZED else 1  # the same code, wherever the packet is
MUCH = 0.9


def without(frames, place):
    return frames[:place] + frames[place + 1:]


def with_copy(frames, place, later):
    copy = frames[place]._replace(time=frames[place + later].time)
    return frames[:place + later + 1] + [copy] + frames[place + later + 1:]


def sizes(outcome):
    return [len(demo) for demo in outcome.demos]


def tries(path):
    """What is wrong, with the place of the packet, from 0."""
    frames = capture.read(path)[1][:SHORT]
    has_fragments, whole = path.name.startswith(FRAGMENTS), truth.convert(frames)
    yield "" if whole.demos else "no demo"
    for place in range(0, min(PLACES, len(frames) - 3), STEP):
        for later in 1, 2:
            copied = with_copy(frames, place, later)
            yield "" if truth.convert(copied).demos == whole.demos else f"{place} again {later} later"
            if has_fragments and sizes(truth.convert(without(copied, place))) != sizes(whole):  # times differ
                yield f"{place} {later} late"
        lacking = truth.convert(without(frames, place))
        if len(lacking.demos) < len(whole.demos) or sum(sizes(lacking)) < MUCH * sum(sizes(whole)):
            if has_fragments and place == FIRST_OF_CLIENT:
                yield f"{place} lost, and with it a demo"
            yield "" if lacking.status == 1 and lacking.error else f"{place} lost, and nothing is reported"


def main():
    return truth.check(tries, [truth.own(name) for name in CAPTURES])
