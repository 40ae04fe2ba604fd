# SPDX-License-Identifier: GPL-2.0-or-later
"""
Rebuilds demos from captures that begin late, and compares them with those of the whole captures.

    late.py PCAP2DEMO CAPTURES SHARED

The first packet that is left may be the sign-on itself, as fragments or compressed: nothing of the level is
missing then. Otherwise another client or a demo is the donor, and the entity states of all frames that are left
are compared. The same is done with captures that lost packets.
"""

import itertools
import pathlib
import random
import subprocess
import sys
import tempfile

import capture
import comparison
import damages
import recordings

# captures, how many packets are cut off. What is left begins with the client's first packet, or the
# server's.
WHOLE = [
    ("b36-q2pro/b36-q2pro.pcap", [4, 5]),  # three fragments
    ("b36-q2pro-norec/b36-q2pro-norec.pcap", [4, 5]),
    ("gs-q36m1021/gs-q36m1021.pcap", [4, 5]),  # svc_gamestate in svc_zpacket
]
OWN_WHOLE = [("q2-protocol36", [3, 4]), ("q2-protocol35", [3]), ("q2-protocol34", [3])]


# capture, port of the client whose first packets are cut off, their share of the capture, the donor, the
# least share of entity states that are right; of several donors of one time the nearest is used
DONATED = [
    ("e-two-clients/e.pcap", 37177, 0.01, None, 0.85),  # the other one comes later
    ("a-v34-yquake2/a.pcap", 42908, 0.006, "d-v34-lossy/d-v34.dm2", 0.97),
    ("a-v34-yquake2/a.pcap", 42908, 0.4, "a-v34-q2pro-client/a-q2procl.dm2", 0.9),
    ("d-v34-lossy/d-v34.pcap", 58803, 0.45, "a-v34-yquake2/a.dm2", 0.9),
]

# capture, the share that is cut off, the demo given with --sign-on, whether it proves the map: one of the same session
# does, one of another map with the same models does not.
MAPS = [
    ("b36-q2pro/b36-q2pro.pcap", 0.82, "e-two-clients/e-alice36.dm2", False),
    ("b35-r1q2/b35-r1q2.pcap", 0.4, "b35-r1q2/b35-r1q2-lab2.dm2", False),
    ("b36-q2pro/b36-q2pro.pcap", 0.05, "b36-q2pro/b36-q2pro.dm2", True),
    ("a-v34-yquake2/a.pcap", 0.4, "a-v34-yquake2/a.dm2", True),
    ("m-rogue-q34/m-rogue-q34.pcap", 0.4, "m-rogue-q34/m-rogue-q34.dm2", True),
]

# Share of packets that two clients' capture lost after the sign-ons; the least share of frames whose
# entities are all right, and of entity states.
LOSSES = [(0.01, 0.7, 0.98), (0.05, 0.3, 0.9)]
TWO_CLIENTS, SIGNED_ON = "e-two-clients/e.pcap", 310

# Of the capture's second level: svc_serverdata, config strings, baselines.
LEVEL_CHANGE, SIGN_ON = "a-v34-yquake2/a.pcap", [[3205], [3211], [3219], [3205, 3207]]
OF_THAT_LEVEL = "a-v34-q2pro-client/a-q2procl-lab2.dm2"


# capture, the packet with a level's first frame, the number of its demo, the least share of entity
# states that are right: all other frames are changes to it. Later changes show some of its states.
FIRST = [
    ("b36-q2pro/b36-q2pro.pcap", 10, 0, 0.9),
    ("m-rogue-q34/m-rogue-q34.pcap", 25, 0, 0.9),
    ("a-v34-yquake2/a.pcap", 3221, 1, 0.92),
    ("gs-q36m1021/gs-q36m1021.pcap", 8, 0, 0.8),
    ("x-q36e2/x-q36e2.pcap", 1601, 1, 0.8),
    ("e-two-clients/e.pcap", 10, 0, 0.8),
]


# Statistics: a packet with a change of STAT_LAYOUTS, and frames in which that may be wrong without it; the
# share of the packets that a late start lacks: its donor's icon is another player's, and is not used.
HEALTH_ICON, HEALTH, LAYOUTS, FRAGS = "0 (STAT_HEALTH_ICON)", "1 (STAT_HEALTH)", "13 (STAT_LAYOUTS)", "14 (STAT_FRAGS)"
CHANGE, LATE = (2507, 45), 0.4


class Rebuilding:
    """Each check yields whether it holds, and what was checked."""

    def __init__(self, tool, folder, shared):
        self.tool, self.folder, self.shared, self.count = tool, pathlib.Path(folder), shared, 0

    def rebuild(self, frames, *options):
        """The demos of the capture, in order."""
        self.count += 1
        folder = self.folder / str(self.count)
        folder.mkdir()
        path = self.folder / f"{self.count}.pcap"
        capture.write(path, 1, frames)
        run = subprocess.run([self.tool, "--quiet", "--output", folder, *options, path],
                             stderr=subprocess.PIPE, text=True)
        self.printed = run.stderr
        return sorted(folder.iterdir())

    def contents(self, frames, *options):
        return [demo.read_bytes() for demo in self.rebuild(frames, *options)]

    def share(self, demo, truths):
        """(share of entity states that are right, text), compared with the nearest of the demos."""
        found = (comparison.compare_late(self.tool, demo, truth) for truth in truths)
        _, _, wrong, states = min((one for one in found if one[1]), key=lambda one: one[2] / one[3])
        return 1 - wrong / states, f"{1 - wrong / states:.2%} of {states} states"

    def sign_on(self, captures):
        """The demos are those of the capture that is not cut."""
        files = [(captures / "fidelity" / f"{name}.pcap.gz", cuts) for name, cuts in OWN_WHOLE]
        if self.shared.is_dir():
            files += [(self.shared / name, cuts) for name, cuts in WHOLE]
        for path, cuts in files:
            _, packets = capture.read(path)
            whole = self.contents(packets)
            for cut in cuts:
                yield whole and self.contents(packets[cut:]) == whole, f"{path.name} from packet {cut + 1}"

    def donated(self):
        for name, port, share, donor, least in DONATED:
            _, packets = capture.read(self.shared / name)
            first = len(packets) * share
            late = without(packets, lambda number, frame: number <= first and
                           port in [end[1] for end in capture.ends(frame)])
            whole = self.rebuild(packets)
            known = {demo.read_bytes() for demo in whole}
            options = ["--sign-on", self.shared / donor] if donor else []
            demo, = (demo for demo in self.rebuild(late, *options) if demo.read_bytes() not in known)
            right, text = self.share(demo, whole)
            yield right >= least, f"{name} client {port} from {share:.1%}, donor {donor or 'another client'}: {text}"

    def maps(self):
        """The demo that the user gives is used if nothing contradicts it; only the session's own proves the map."""
        for name, share, donor, proven in MAPS:
            _, packets = capture.read(self.shared / name)
            self.rebuild(packets[int(len(packets) * share):], "--sign-on", self.shared / donor)
            yield (f"its sign-on is from {self.shared / donor}" in self.printed and
                   ("whether the demo is of the session's map" not in self.printed) == proven,
                   f"{name} from {share:.0%}, donor {donor}")

    def losses(self):
        _, packets = capture.read(self.shared / TWO_CLIENTS)
        truths = self.rebuild(packets)
        for rate, least_frames, least_states in LOSSES:
            sums = [0, 0, 0, 0]
            for seed in (1, 2, 3):
                dice = random.Random(seed)
                lossy = without(packets, lambda number, _: number > SIGNED_ON and dice.random() < rate)
                for demo, truth in zip(self.rebuild(lossy), truths):
                    sums = [a + b for a, b in zip(sums, comparison.compare_late(self.tool, demo, truth))]
            right, frames, wrong, states = sums
            yield (right >= frames * least_frames and wrong <= states * (1 - least_states),
                   f"{rate:.0%} lost: entities of {right / frames:.2%} of {frames} frames right, "
                   f"{1 - wrong / states:.2%} of {states} states")

    def lost_sign_on(self):
        """Without a donor the level is left out, and that is reported; with one nothing is lost."""
        _, packets = capture.read(self.shared / LEVEL_CHANGE)
        whole = self.contents(packets)
        for lost in SIGN_ON:
            lossy = without(packets, lambda number, _: number in lost)
            alone = self.contents(lossy)
            printed = (f"level lab2 cannot be shown: part of its sign-on (before packet {lost[0]}) was not captured"
                       in self.printed)
            demos = self.rebuild(lossy, "--sign-on", self.shared / OF_THAT_LEVEL)
            yield (alone == whole[:1] and printed and len(demos) == 2 and demos[0].read_bytes() == whole[0] and
                   comparison.Demo(self.tool, demos[1]).frames, f"packets {lost} of a sign-on lost")

    def first_frame(self):
        """The level is shown, and unknown states are reported."""
        for name, lost, index, least in FIRST:
            _, packets = capture.read(self.shared / name)
            whole = self.rebuild(packets)
            demos = self.rebuild(without(packets, lambda number, _: number == lost))
            printed = (f"first frame of {demos[index].stem[-4:]} was not captured); its sign-on is from itself; "
                       "unknown: " in self.printed)
            right, text = self.share(demos[index], whole[index:index + 1])
            others = [[demo.read_bytes() for demo in some[:index] + some[index + 1:]] for some in (whole, demos)]
            yield (printed and others[0] == others[1] and right >= least,
                   f"{name} without packet {lost}, a first frame: {text}")

    def statistic(self, frames, stat, kept, most, *options):
        """Counts the frames in which the statistic differs from the demo of the whole capture."""
        whole, lossy = ({frame.number: frame.view.get(f"stat {stat}") for frame in comparison.Demo(
            self.tool, self.rebuild(some, *options)[0]).frames} for some in (frames, kept))
        wrong = sum(value != whole[number] for number, value in lossy.items() if number in whole)
        return lossy and wrong <= most, f"{stat} is wrong in {wrong} of {len(lossy)} frames"

    def statistics(self):
        _, frames = capture.read(self.shared / "a-v34-yquake2" / "a.pcap")
        yield self.statistic(frames, LAYOUTS, damages.lose_run(frames, CHANGE[0] - 1, 1), CHANGE[1])
        for stat in HEALTH_ICON, HEALTH, FRAGS:
            yield self.statistic(frames, stat, damages.begin_late(frames, LATE), 0, "--sign-on",
                                 self.shared / "d-v34-lossy" / "d-v34.dm2")


def without(packets, is_lost):
    return [frame for number, frame in enumerate(packets, 1) if not is_lost(number, frame)]


def main():
    captures, shared = map(pathlib.Path, sys.argv[2:4])
    with tempfile.TemporaryDirectory() as folder:
        rebuilding = Rebuilding(sys.argv[1], folder, shared / "captures" / "quake2")
        checks = [rebuilding.sign_on(captures)]
        is_there = recordings.is_there(rebuilding.shared)
        if is_there:
            checks += [rebuilding.donated(), rebuilding.maps(), rebuilding.losses(), rebuilding.lost_sign_on(),
                       rebuilding.first_frame(), rebuilding.statistics()]
        results = []
        for good, text in itertools.chain(*checks):
            print(f"{'ok  ' if good else 'FAIL'} {text}")
            results.append(good)
    return results if is_there or not all(results) else 77
