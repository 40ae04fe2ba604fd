# SPDX-License-Identifier: GPL-2.0-or-later
"""
Rebuilds demos from captures that begin late, and compares them with those of the whole captures.

    late.py PCAP2DEMO COMPARE_DM2 CAPTURES SHARED

The first packet that is left may be the sign-on itself, as fragments or compressed: nothing of the level is
missing then. Else another client or a demo lends it, and the entity states of all frames that are left
are compared. The same is done with captures that lost packets.
"""

import pathlib
import random
import re
import subprocess
import sys
import tempfile

import capture
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


# capture, port of the client whose first packets are cut off, their share of the capture, who lends, the
# least share of entity states that are right; of several donors of one time the nearest
LENT = [
    ("captures/quake2/e-two-clients/e.pcap", 37177, 0.01, None, 0.85),  # the other one comes later
    ("captures/quake2/a-v34-yquake2/a.pcap", 42908, 0.006, "d-v34-lossy/d-v34.dm2", 0.97),
    ("captures/quake2/a-v34-yquake2/a.pcap", 42908, 0.4, "a-v34-q2pro-client/a-q2procl.dm2", 0.9),
    ("captures/quake2/d-v34-lossy/d-v34.pcap", 58803, 0.45, "a-v34-yquake2/a.dm2", 0.9),
]

# capture, the share that is cut off, whose demo is named: of another map with the same models, which nothing
# shows, or of the same session. Then the demo has its map's name.
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
TWO_CLIENTS, SIGNED_ON = "captures/quake2/e-two-clients/e.pcap", 310

# Of the capture's second level: svc_serverdata, config strings, baselines.
LEVEL_CHANGE, SIGN_ON = "captures/quake2/a-v34-yquake2/a.pcap", [[3205], [3211], [3219], [3205, 3207]]
OF_THAT_LEVEL = "captures/quake2/a-v34-q2pro-client/a-q2procl-lab2.dm2"


# capture, the packet with a level's first frame, the number of its demo, who lends, the least share of entity
# states that are right: all other frames are changes to it. What is told of an entity later tells what it was.
FIRST = [
    ("b36-q2pro/b36-q2pro.pcap", 10, 0, "itself", 0.9),
    ("m-rogue-q34/m-rogue-q34.pcap", 25, 0, "itself", 0.9),
    ("a-v34-yquake2/a.pcap", 3221, 1, "itself", 0.92),
    ("gs-q36m1021/gs-q36m1021.pcap", 8, 0, "itself", 0.8),
    ("x-q36e2/x-q36e2.pcap", 1601, 1, "itself", 0.8),
    ("e-two-clients/e.pcap", 10, 0, "itself", 0.8),
]


class Rebuilding:
    def __init__(self, tools, folder):
        self.tools, self.folder, self.count = tools, pathlib.Path(folder), 0

    def rebuild(self, frames, *options):
        """The demos of the capture, in order."""
        self.count += 1
        folder = self.folder / str(self.count)
        folder.mkdir()
        path = self.folder / f"{self.count}.pcap"
        capture.write(path, 1, frames)
        run = subprocess.run([self.tools[0], "--quiet", "--output", folder, *options, path],
                             stderr=subprocess.PIPE, text=True)
        self.printed = run.stderr
        return sorted(folder.iterdir())

    def compare(self, demo, truth):
        """Of the truth's frames from the demo's first one on: (those with all entities right, all, wrong
        entity states, all)."""
        run = subprocess.run([self.tools[1], "--late", demo, truth], capture_output=True, text=True)
        found = re.search(r"frames \d+ of (\d+), .*wrong states (\d+) of (\d+), entities of (\d+)", run.stdout,
                          re.DOTALL)
        frames, wrong, states, right = map(int, found.groups())
        return right, frames, wrong, states


def is_whole(rebuilding, packets, cut):
    """The demos are those of the capture that is not cut."""
    whole, late = rebuilding.rebuild(packets), rebuilding.rebuild(packets[cut:])
    return len(whole) > 0 and [demo.read_bytes() for demo in whole] == [demo.read_bytes() for demo in late]


def check_whole(rebuilding, captures, shared):
    files = [(captures / "fidelity" / f"{name}.pcap.gz", cuts) for name, cuts in OWN_WHOLE]
    if shared.is_dir():
        files += [(shared / name, cuts) for name, cuts in WHOLE]
    for path, cuts in files:
        _, packets = capture.read(path)
        for cut in cuts:
            good = is_whole(rebuilding, packets, cut)
            print(f"{'ok  ' if good else 'FAIL'} {path.name} from packet {cut + 1}")
            yield good


def without(packets, is_lost):
    return [frame for number, frame in enumerate(packets, 1) if not is_lost(number, frame)]


def best(rebuilding, demo, truths):
    """The demo that it is nearest to."""
    found = [rebuilding.compare(demo, truth) for truth in truths]
    return min((one for one in found if one[1]), key=lambda one: one[2] / one[3])


def check_donated(rebuilding, shared):
    for name, port, share, donor, least in LENT:
        _, packets = capture.read(shared / name)
        first = len(packets) * share
        late = without(packets, lambda number, frame: number <= first and
                       port in [end[1] for end in capture.ends(frame)])
        whole = rebuilding.rebuild(packets)
        known = {demo.read_bytes() for demo in whole}
        options = ["--sign-on", shared / "captures" / "quake2" / donor] if donor else []
        demo = next((demo for demo in rebuilding.rebuild(late, *options)
                     if demo.read_bytes() not in known), None)
        _, _, wrong, states = best(rebuilding, demo, whole) if demo else (0, 0, 1, 1)
        good = wrong <= states * (1 - least)
        print(f"{'ok  ' if good else 'FAIL'} {pathlib.Path(name).name} client {port} from {share:.1%}, lent by "
              f"{donor or 'another client'}: {1 - wrong / states:.2%} of {states} states")
        yield good


def check_maps(rebuilding, shared):
    """The user's word counts where nothing shows the map; the session's own recording proves it."""
    folder = shared / "captures" / "quake2"
    for name, share, donor, proven in MAPS:
        _, packets = capture.read(folder / name)
        rebuilding.rebuild(packets[int(len(packets) * share):], "--sign-on", folder / donor)
        good = f"its sign-on is from {folder / donor}" in rebuilding.printed and \
            ("whether it was on the map" not in rebuilding.printed) == proven
        print(f"{'ok  ' if good else 'FAIL'} {pathlib.Path(name).name} from {share:.0%}, lent by {donor}")
        yield good


def check_losses(rebuilding, shared):
    _, packets = capture.read(shared / TWO_CLIENTS)
    truths = rebuilding.rebuild(packets)
    for rate, least_frames, least_states in LOSSES:
        sums = [0, 0, 0, 0]
        for seed in (1, 2, 3):
            dice = random.Random(seed)
            lossy = without(packets, lambda number, _: number > SIGNED_ON and dice.random() < rate)
            for demo, truth in zip(rebuilding.rebuild(lossy), truths):
                sums = [a + b for a, b in zip(sums, rebuilding.compare(demo, truth))]
        right, frames, wrong, states = sums
        good = right >= frames * least_frames and wrong <= states * (1 - least_states)
        print(f"{'ok  ' if good else 'FAIL'} {rate:.0%} lost: entities of {right / frames:.2%} of {frames} frames "
              f"right, {1 - wrong / states:.2%} of {states} states")
        yield good


def check_lost_sign_on(rebuilding, shared):
    """Without help the level is left out, and that is reported; with it, it is as without the loss."""
    _, packets = capture.read(shared / LEVEL_CHANGE)
    whole = [demo.read_bytes() for demo in rebuilding.rebuild(packets)]
    for lost in SIGN_ON:
        lossy = without(packets, lambda number, _: number in lost)
        alone = [demo.read_bytes() for demo in rebuilding.rebuild(lossy)]
        place = rf"\(before packet {lost[0]}\)"
        printed = re.search(rf"level lab2 cannot be shown: part of its sign-on {place} was not captured",
                         rebuilding.printed)
        demos = rebuilding.rebuild(lossy, "--sign-on", shared / OF_THAT_LEVEL)
        good = alone == whole[:1] and bool(printed) and len(demos) == 2 and \
            demos[0].read_bytes() == whole[0] and rebuilding.compare(demos[1], demos[1])[1] > 0
        print(f"{'ok  ' if good else 'FAIL'} packets {lost} of a sign-on lost")
        yield good


def check_first_frame(rebuilding, shared):
    """The level is shown all the same, and what is not known is reported."""
    for name, lost, index, donor, least in FIRST:
        _, packets = capture.read(shared / "captures" / "quake2" / name)
        whole = rebuilding.rebuild(packets)
        demos = rebuilding.rebuild(without(packets, lambda number, _: number == lost))
        printed = f"first frame of {demos[index].stem[-4:]} was not captured); its sign-on is from {donor}; " \
               "unknown: " in rebuilding.printed if len(demos) > index else False
        others = [demo.read_bytes() for demo in whole], [demo.read_bytes() for demo in demos]
        for rest in others:
            rest[index:index + 1] = []
        _, frames, wrong, states = rebuilding.compare(demos[index], whole[index]) if len(demos) > index \
            else (0, 0, 1, 1)
        good = printed and others[0] == others[1] and frames > 0 and wrong <= states * (1 - least)
        print(f"{'ok  ' if good else 'FAIL'} {pathlib.Path(name).name} without packet {lost}, a first frame: "
              f"{1 - wrong / states:.2%} of {states} states")
        yield good


# Statistics: a packet with a change of STAT_LAYOUTS, and frames in which that may be wrong without it; the
# share of the packets that a late start lacks, whose lent sign-on has no icon of the other player's.
HEALTH_ICON, HEALTH, LAYOUTS, FRAGS, CHANGE, LATE = 0, 1, 13, 14, (2507, 45), 0.4


def statistics(tool, demo):
    """Of each frame by its number: its statistics."""
    run = subprocess.run([tool, "--dump", demo], capture_output=True, encoding="utf-8", errors="replace")
    frames, number, stat = {}, 0, 0
    for words in (line.split(" ") for line in run.stdout.splitlines()):
        if words[2] == "q2.frame.number":
            number = int(words[4])
        elif words[2] == "q2.frame.delta":
            frames[number] = dict(frames.get(int(words[4]), {}))
        elif words[2] == "q2.player.stat.index":
            stat = int(words[4])
        elif words[2] == "q2.player.stat.value":
            frames[number][stat] = int(words[4])
    return frames


def check_statistic(rebuilding, frames, stat, kept, most, *options):
    """In how many frames it is another than in the demo of the whole capture."""
    whole, lossy = (statistics(rebuilding.tools[0], rebuilding.rebuild(some, *options)[0])
                    for some in (frames, kept))
    wrong = sum(frame.get(stat, 0) != whole[number].get(stat, 0) for number, frame in lossy.items()
                if number in whole)
    good = lossy and wrong <= most
    print(f"{'ok  ' if good else 'FAIL'} statistic {stat} is wrong in {wrong} of {len(lossy)} frames")
    return good


def check_statistics(rebuilding, folder):
    _, frames = capture.read(folder / "a-v34-yquake2" / "a.pcap")
    yield check_statistic(rebuilding, frames, LAYOUTS, damages.lose_run(frames, CHANGE[0] - 1, 1), CHANGE[1])
    for stat in HEALTH_ICON, HEALTH, FRAGS:
        yield check_statistic(rebuilding, frames, stat, damages.begin_late(frames, LATE), 0, "--sign-on",
                              folder / "d-v34-lossy" / "d-v34.dm2")


def main():
    tools = sys.argv[1:3]
    captures, shared = map(pathlib.Path, sys.argv[3:5])
    with tempfile.TemporaryDirectory() as folder:
        rebuilding = Rebuilding(tools, folder)
        results = list(check_whole(rebuilding, captures, shared / "captures" / "quake2"))
        if not recordings.is_there(shared):
            return 77 if all(results) else 1
        results += [*check_donated(rebuilding, shared), *check_maps(rebuilding, shared),
                    *check_losses(rebuilding, shared), *check_lost_sign_on(rebuilding, shared),
                    *check_first_frame(rebuilding, shared),
                    *check_statistics(rebuilding, shared / "captures" / "quake2")]
    return results
