# SPDX-License-Identifier: GPL-2.0-or-later
"""
Rebuilds demos from captures with packets missing: they must stay playable, and be said to be damaged.

    losses.py PCAP2DEMO COMPARE_DM2 SHARED

Takes server packets out of a whole capture (the client got them: the capture lost them), one at a time and
in runs, and looks at the demo: every frame's delta reference must be in it, every block must decode, and at
most the frames that were lost may be missing. Also a capture of a lossy network, where nothing may be missing.
"""

import pathlib
import subprocess
import sys
import tempfile

import capture
import damages
from comparison import compare

SERVER_PORT = 27910
# Server packets, and by how many bytes each is cut.
CUTS = [(123, 2), (123, 25), (350, 12), (500, 61)]

# A packet with a change of STAT_LAYOUTS, and frames in which that may be wrong without it; the share of the packets
# that a late start lacks.
HEALTH_ICON, LAYOUTS, CHANGE, LATE = 0, 13, (2507, 45), 0.4

HEALED = 600  # of 662 frames: what one lost packet leaves wrong is gone soon


def is_from_server(frame):
    return capture.ends(frame)[0][1] == SERVER_PORT and capture.payload(frame)[:4] != b"\xff" * 4


def without(frames, lost):
    """The frames without the server packets numbered `lost`, counted from 0."""
    out, number = [], -1
    for frame in frames:
        number += is_from_server(frame)
        if not (is_from_server(frame) and number in lost):
            out.append(frame)
    return out


def with_cut(frames, wanted, short):
    """The frames with that server packet `short` bytes shorter ("snaplen")."""
    place = [index for index, frame in enumerate(frames) if is_from_server(frame)][wanted]
    return damages.cut_one(frames, place, len(frames[place].data) - short)


def rebuilt(tools, frames, recording, folder):
    """How the first demo compares with the recording, and the exit status of rebuilding."""
    path = folder / "lossy.pcap"
    capture.write(path, 1, frames)
    run = subprocess.run([tools[0], "--quiet", "--force", "--output", folder, path], check=False,
                         stderr=subprocess.DEVNULL)
    demo = sorted(folder.glob("*.dm2"))[0]
    return compare(tools[1], demo, recording, modelled_only=True), run.returncode


def check(tools, frames, recording, lost):
    with tempfile.TemporaryDirectory() as name:
        found, status = rebuilt(tools, without(frames, lost), recording, pathlib.Path(name))
    good = (found.bad == 0 and (status == 1) == bool(lost) and
            (len(lost) > 1 or found.same >= HEALED))
    print(f"{'ok  ' if good else 'FAIL'} {len(lost)} packets lost from number {min(lost, default=0)}: "
          f"{found.bad} bad frames or blocks, {found.same} of {found.frames} frames the same, "
          f"exit status {status}")
    return good


def check_cut(tools, frames, recording, number, short):
    """Of a frame a part is not worse than nothing."""
    found = []
    for damaged in with_cut(frames, number, short), without(frames, [number]):
        with tempfile.TemporaryDirectory() as folder:
            found.append(rebuilt(tools, damaged, recording, pathlib.Path(folder)))
    (cut, status), (lost, _) = found
    good = cut.bad == 0 and status == 1 and cut.same >= lost.same
    print(f"{'ok  ' if good else 'FAIL'} packet {number} cut by {short} bytes: {cut.same} of {cut.frames} frames "
          f"the same, {lost.same} without it, exit status {status}")
    return good


def statistics(tool, demo):
    """Of each frame by its number: its statistics."""
    run = subprocess.run([tool, "--dump", demo], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                         encoding="utf-8", errors="replace", check=False)
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


def check_statistic(tool, frames, stat, kept, most, *options):
    """In how many frames it is another than in the demo of the whole capture."""
    found = []
    for some in frames, kept:
        with tempfile.TemporaryDirectory() as name:
            path = pathlib.Path(name) / "x.pcap"
            capture.write(path, 1, some)
            subprocess.run([tool, "--quiet", "--output", name, *options, path], check=False,
                           stderr=subprocess.DEVNULL)
            found.append(statistics(tool, sorted(pathlib.Path(name).glob("*.dm2"))[0]))
    whole, lossy = found
    wrong = sum(frame.get(stat, 0) != whole[number].get(stat, 0) for number, frame in lossy.items()
                if number in whole)
    good = lossy and wrong <= most
    print(f"{'ok  ' if good else 'FAIL'} statistic {stat} is wrong in {wrong} of {len(lossy)} frames")
    return good


def main():
    tools, shared = sys.argv[1:3], pathlib.Path(sys.argv[3]) / "captures" / "quake2"
    if not shared.is_dir():
        return 77
    _, frames = capture.read(shared / "a-v34-yquake2" / "a.pcap")
    recording = shared / "a-v34-yquake2" / "a.dm2"
    runs = [[]] + [[number] for number in range(70, 700, 90)]
    runs += [list(range(100, 100 + length)) for length in (2, 3, 15, 16, 17, 40)]
    runs += [list(range(60, 700, 7))]
    results = [check(tools, frames, recording, lost) for lost in runs]
    results += [check_cut(tools, frames, recording, number, short) for number, short in CUTS]
    results.append(check_statistic(tools[0], frames, LAYOUTS, frames[:CHANGE[0] - 1] + frames[CHANGE[0]:], CHANGE[1]))
    results.append(check_statistic(tools[0], frames, HEALTH_ICON, frames[int(len(frames) * LATE):], 0, "--sign-on",
                                   shared / "d-v34-lossy" / "d-v34.dm2"))
    return results
