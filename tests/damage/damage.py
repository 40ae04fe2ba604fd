# SPDX-License-Identifier: GPL-2.0-or-later
"""
Damages captures on purpose, rebuilds their demos, and compares these with the truth.

    damage.py PCAP2DEMO CAPTURES [NAME...]

The captures are the project's own, in CAPTURES; NAMEs are of damages, to try only these. What is only out
of order, or there twice, gives the undamaged demo. Of what is missing the demos have the stated share of
the frames right; where that is not all, the reason is reported, with exit status 1. Under sanitizers the tool
only rebuilds the demos: what becomes of them, other builds compare.
"""

import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import capture
import damages
import recordings
from damages import MILLISECONDS, NANOSECONDS
from truth import TRUTHS, Share

HOUR = 3600 * NANOSECONDS

CAPTURES = ["qw-vanilla", "qw-extended", "nq-protocol15", "nq-protocol666", "nq-dp7",
            "q2-protocol34", "q2-protocol35", "q2-protocol36"]

# Other captures of QuakeWorld, long ones where they are at hand, and some of the damage.
OTHERS = ["qw-fte", "qw-id"]
STORED = ["a-vanilla/a-vanilla.pcap", "a2-record-after-connect/a2-record-after-connect.pcap",
          "b-extended/b-extended.pcap", "e-multi/e-multi.pcap", "j-idqwcl/j-idqwcl.pcap", "fte-b-ezquake/b-fte-ezquake.pcap",
          "fte-c-mvdsv/c-mvdsv-fte.pcap", "fte-e-mvdext/e-mvdsv-ezquake-mvdext.pcap"]
STORED_DAMAGES = ["swapped", "lost-17", "cut-one", "from-server"]
# With 5 % lost these have all of their sign-ons, the others not.
SIGNED_ON = ("a-", "b-", "e-", "j-", "fte-e")
# A download, in whose middle the game has not begun, and a lossy line, of which one direction tells less.
DOWNLOAD_AND_LOSSES = ["c-download-old/c-download-old.pcap", "d-lossy/d-lossy.pcap"]

# `change`: from frames and the server's end to frames. `least`: the share of frames that are right; "bytes":
# the demos are those of the undamaged capture byte for byte.
Damage = collections.namedtuple("Damage", "change least")

DAMAGES = {
    # Frames that come out of order have their own times, or those of their new places: then only
    # acknowledgements tell what their receivers had, and not always.
    "swapped": Damage(lambda frames, server: damages.swap(frames), "bytes"),
    "swapped-odd": Damage(lambda frames, server: damages.swap(frames, start=1), 1),
    "swapped-stamped": Damage(lambda frames, server: damages.swap(frames, True), 0.999),
    "displaced": Damage(lambda frames, server: damages.displace(frames, 0.1, 3, 1), "bytes"),
    "displaced-stamped": Damage(lambda frames, server: damages.displace(frames, 0.1, 3, 1, True), 0.998),
    "twice": Damage(lambda frames, server: damages.double(frames), "bytes"),
    "both-ends": Damage(lambda frames, server: damages.both_ends(frames, 5 * MILLISECONDS), "bytes"),
    "both-ends-behind": Damage(
        lambda frames, server: damages.both_ends(frames, -40 * MILLISECONDS), 1),
    "both-ends-seconds": Damage(lambda frames, server: damages.both_ends(frames, 2 * NANOSECONDS), "bytes"),
    "both-ends-seconds-behind": Damage(
        lambda frames, server: damages.both_ends(frames, -2 * NANOSECONDS), 1),
    "both-sides": Damage(lambda frames, server: damages.both_sides(frames, server, 0), "bytes"),
    "both-sides-second": Damage(
        lambda frames, server: damages.both_sides(frames, server, NANOSECONDS), "bytes"),
    "both-sides-behind": Damage(
        lambda frames, server: damages.both_sides(frames, server, -3 * MILLISECONDS), "bytes"),
    "clock-forwards": Damage(lambda frames, server: damages.set_clock(frames, 0.5, 2 * HOUR), 1),
    "clock-back": Damage(lambda frames, server: damages.set_clock(frames, 0.3, -2 * HOUR), 1),
    "clock-seconds-back": Damage(lambda frames, server: damages.set_clock(frames, 0.3, -5 * NANOSECONDS), 1),
    "client-port": Damage(damages.move_client, "bytes"),
    "client-port-late": Damage(lambda frames, server: damages.move_client(frames, server, late=6), "bytes"),
    "client-address": Damage(
        lambda frames, server: damages.move_client(frames, server, damages.OTHER_SIDE), "bytes"),
}

# What is missing: the least share of the frames of all demos that are right, by kind of demo. What
# is not right must be reported, with exit status 1.
Loss = collections.namedtuple("Loss", "change least")

NONE = {".qwd": 0, ".dem": 0, ".dm2": 0}

# A level of which part of the sign-on was lost is not written: nobody here lends it.
LOSSES = {
    "lost-1-in-1000": Loss(lambda frames, server: damages.lose(frames, 0.001, 3),
                           {".qwd": 0.99, ".dem": 0.99, ".dm2": 0.99}),
    "lost-1": Loss(lambda frames, server: damages.lose(frames, 0.01, 1),
                   {".qwd": 0.98, ".dem": 0.78, ".dm2": 0.45}),
    "lost-5": Loss(lambda frames, server: damages.lose(frames, 0.05, 1),
                   {".qwd": 0.22, ".dem": 0.44, ".dm2": 0.35}),
    # What is lost behind the first sign-on. One of Quake's levels has a torn sign-on, which no level of another time lends.
    "playing-lost-5": Loss(lambda frames, server: damages.lose(frames, 0.05, 2, 400),
                           {".qwd": 0.94, ".dem": 0.75, ".dm2": 0.55}),
    # What one lost packet leaves wrong is gone soon; of a frame a part is not worse than nothing.
    "lost-one": Loss(lambda frames, server: damages.lose_run(frames, len(frames) // 2 + 3, 1),
                     {".qwd": 0.99, ".dem": 0.99, ".dm2": 0.6}),
    "lost-17": Loss(lambda frames, server: damages.lose_run(frames, len(frames) // 2 + 3, 17),
                    {".qwd": 0.95, ".dem": 0.9, ".dm2": 0.6}),
    "from-server": Loss(damages.from_server, {".qwd": 1, ".dem": 0.74, ".dm2": 0.7}),
    "from-client": Loss(damages.from_client, NONE),
    "late-1": Loss(lambda frames, server: damages.begin_late(frames, 0.01), NONE),
    "late-50": Loss(lambda frames, server: damages.begin_late(frames, 0.5), NONE),
    "late-90": Loss(lambda frames, server: damages.begin_late(frames, 0.9), NONE),
    "cut-96": Loss(lambda frames, server: damages.cut(frames, 96), NONE),
    "cut-600": Loss(lambda frames, server: damages.cut(frames, 600), NONE),
    "cut-one": Loss(lambda frames, server: damages.cut_one(frames, len(frames) // 2 + 3, 61),
                    {".qwd": 0.99, ".dem": 0.99, ".dm2": 0.6}),
}

# DarkPlaces' clients acknowledge frames of entities, not packets: these stay out of order.
EXCEPTIONS = {("nq-dp7", "swapped-stamped"): 0.88}


def applies(capture_name, damage):
    """Quake has no qport: its servers do not follow a client."""
    return not (capture_name.startswith("nq-") and damage.startswith("client-"))


class Rebuilt:
    """What the tool makes of a capture: exit status, what it printed, and demos by name."""

    def __init__(self, tool, path, folder):
        folder.mkdir()
        run = subprocess.run([tool, "-q", "-o", folder, path], capture_output=True, text=True,
                             stdin=subprocess.DEVNULL)
        self.status, self.printed = run.returncode, run.stderr
        self.demos = sorted(folder.iterdir())


def server_of(tool, path):
    run = subprocess.run([tool, "--list", "--json", path], capture_output=True, text=True)
    address, port = json.loads(run.stdout)["sessions"][0]["server"].rsplit(":", 1)
    return bytes(map(int, address.split("."))), int(port)


class Original:
    """An undamaged capture, and the demos that it gives."""

    def __init__(self, tool, path, folder):
        self.name = path.name.split(".")[0]
        self.tool, self.folder = tool, folder / self.name
        self.folder.mkdir()
        self.link_type, self.frames = capture.read(path)
        self.server = server_of(tool, path)
        self.truth = self.rebuild(self.frames, "truth")

    def rebuild(self, frames, name):
        folder = self.folder / name
        path = self.folder / f"{self.name}.pcap"
        capture.write(path, self.link_type, frames)
        return Rebuilt(self.tool, path, folder)


def least(original, name):
    share = EXCEPTIONS.get((original.name, name), DAMAGES[name].least)
    return 1 if share == "bytes" else share


def differences(original, rebuilt, name):
    """What is wrong, in words."""
    damage = DAMAGES[name]
    if len(rebuilt.demos) != len(original.truth.demos):
        yield f"{len(rebuilt.demos)} demos, not {len(original.truth.demos)}: {rebuilt.printed.strip()[-100:]}"
        return
    for demo, truth in zip(rebuilt.demos, original.truth.demos):
        if demo.read_bytes() == truth.read_bytes():
            continue
        found = TRUTHS[demo.suffix](original.tool, demo, truth)
        if damage.least == "bytes":
            yield f"{demo.name}: other bytes"
        if found.right < found.all * least(original, name) or found.wrong or found.dropped:
            yield f"{demo.name}: {found}"
    # What is dropped since it is out of order may be reported.
    if rebuilt.status != original.truth.status and (least(original, name) == 1 or not rebuilt.printed):
        yield f"exit status {rebuilt.status}: {rebuilt.printed.strip()[-100:]}"


def best(original, truth, demos):
    """The demo that is nearest to the truth, compared with it."""
    shares = [TRUTHS[truth.suffix](original.tool, demo, truth) for demo in demos]
    return max(shares, key=lambda share: share.right - share.wrong, default=Share(0, 1, 0))


def shortcomings(original, rebuilt, name):
    """The same of what has losses."""
    suffix = original.truth.demos[0].suffix
    found = [best(original, truth, rebuilt.demos) for truth in original.truth.demos]
    right, every = (sum(getattr(share, field) for share in found) for field in ("right", "all"))
    wrong = sum(share.wrong for share in found)
    share = LOSSES[name].least[suffix]
    if right < every * share:
        yield f"{right} of {every} frames right"
    if wrong and suffix != ".qwd" or any(share.dropped for share in found):
        yield f"{found}"
    # That an unreliable message of Quake was lost by the capture, and not on its way, only frames of
    # entities tell that are acknowledged: test_frames.py.
    if right < every * (0.995 if suffix == ".dem" else 1) and rebuilt.status != 1:
        yield f"{right} of {every} frames right, but exit status {rebuilt.status}"
    if rebuilt.status == 1 and not rebuilt.printed:
        yield "nothing is reported"
    # Frames of Quake II's protocol 34 have the view, others only the client's moves.
    if name == "from-server" and ("view does not turn" in rebuilt.printed) == original.name.endswith("34"):
        yield f"of the view it says: {rebuilt.printed}"


def rebuilds(original, rebuilt, name):
    if rebuilt.status not in (0, 1):
        yield f"exit status {rebuilt.status}: {rebuilt.printed}"


def check(original, name):
    change = DAMAGES[name].change if name in DAMAGES else LOSSES[name].change
    rebuilt = original.rebuild(change(original.frames, original.server), name)
    find = rebuilds if os.environ["SANITIZED"] else differences if name in DAMAGES else shortcomings
    wrong = list(find(original, rebuilt, name))
    print(f"{'FAIL' if wrong else 'ok  '} {original.name} {name}{': ' if wrong else ''}{'; '.join(wrong)}",
          flush=True)
    return not wrong


def main():
    tool, captures = sys.argv[1], pathlib.Path(sys.argv[2])
    names, results = sys.argv[3:] or [*DAMAGES, *LOSSES], []
    stored = captures.parents[1].parent / "shared" / "captures" / "quakeworld"
    paths = {captures / "fidelity" / f"{name}.pcap.gz": names for name in CAPTURES}
    if not sys.argv[3:]:
        paths.update({captures / "fidelity" / f"{name}.pcap.gz": STORED_DAMAGES for name in OTHERS})
        if recordings.is_there(stored):
            paths.update({stored / name: STORED_DAMAGES + ["playing-lost-5"] * name.startswith(SIGNED_ON)
                          for name in STORED})
            paths.update({stored / name: ["swapped", "cut-one"] for name in DOWNLOAD_AND_LOSSES})
    with tempfile.TemporaryDirectory() as folder:
        for path in paths:
            original = Original(tool, path, pathlib.Path(folder))
            results += [check(original, name) for name in paths[path] if applies(original.name, name)]
    return results
