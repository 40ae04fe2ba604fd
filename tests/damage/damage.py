# SPDX-License-Identifier: GPL-2.0-or-later
"""
Damages captures on purpose, rebuilds their demos, and compares these with the truth.

    damage.py [NAME...]     only damages of these names

What is only out of order, or there twice, gives the undamaged demo. Of what is missing the demos have the stated share
of the frames right; where that is not all, the reason is reported, with exit status 1. Under sanitizers the tool
only rebuilds the demos; other builds compare them.
"""

import collections
import json
import pathlib
import subprocess
import tempfile

import capture
import damages
import recordings
import truth
from damages import MILLISECONDS, NANOSECONDS

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
# A download, in whose middle the game has not begun, and a lossy path, of which one direction shows less.
DOWNLOAD_AND_LOSSES = ["c-download-old/c-download-old.pcap", "d-lossy/d-lossy.pcap"]

# `change`: from frames and the server's end to frames. `least`: the share of frames that are right; "bytes":
# the demos are those of the undamaged capture byte for byte.
Damage = collections.namedtuple("Damage", "change least")


def by(change, *arguments, **options):
    """A change by a function that needs no server."""
    return lambda frames, server: change(frames, *arguments, **options)


DAMAGES = {
    # Frames that come out of order have their own times, or those of their new places: then only
    # acknowledgements show what their receivers had, and not always.
    "swapped": Damage(by(damages.swap), "bytes"),
    "swapped-odd": Damage(by(damages.swap, start=1), 1),
    "swapped-stamped": Damage(by(damages.swap, True), 0.999),
    "displaced": Damage(by(damages.displace, 0.1, 3, 1), "bytes"),
    "displaced-stamped": Damage(by(damages.displace, 0.1, 3, 1, True), 0.998),
    "twice": Damage(by(damages.double), "bytes"),
    "both-ends": Damage(by(damages.both_ends, 5 * MILLISECONDS), "bytes"),
    "both-ends-behind": Damage(by(damages.both_ends, -40 * MILLISECONDS), 1),
    "both-ends-seconds": Damage(by(damages.both_ends, 2 * NANOSECONDS), "bytes"),
    "both-ends-seconds-behind": Damage(by(damages.both_ends, -2 * NANOSECONDS), 1),
    "both-sides": Damage(lambda frames, server: damages.both_sides(frames, server, 0), "bytes"),
    "both-sides-second": Damage(lambda frames, server: damages.both_sides(frames, server, NANOSECONDS), "bytes"),
    "both-sides-behind": Damage(lambda frames, server: damages.both_sides(frames, server, -3 * MILLISECONDS), "bytes"),
    "clock-forwards": Damage(by(damages.set_clock, 0.5, 2 * HOUR), 1),
    "clock-back": Damage(by(damages.set_clock, 0.3, -2 * HOUR), 1),
    "clock-seconds-back": Damage(by(damages.set_clock, 0.3, -5 * NANOSECONDS), 1),
    "client-port": Damage(damages.move_client, "bytes"),
    "client-port-late": Damage(lambda frames, server: damages.move_client(frames, server, late=6), "bytes"),
    "client-address": Damage(lambda frames, server: damages.move_client(frames, server, damages.OTHER_SIDE), "bytes"),
}

# What is missing: `least` is the share of the frames of all demos that are right, by kind of demo. What
# is not right must be reported, with exit status 1.
# A level of which part of the sign-on was lost is not written: there is no donor.
NONE = {".qwd": 0, ".dem": 0, ".dm2": 0}
LOSSES = {
    "lost-1-in-1000": Damage(by(damages.lose, 0.001, 3), {".qwd": 0.99, ".dem": 0.99, ".dm2": 0.99}),
    "lost-1": Damage(by(damages.lose, 0.01, 1), {".qwd": 0.98, ".dem": 0.78, ".dm2": 0.45}),
    "lost-5": Damage(by(damages.lose, 0.05, 1), {".qwd": 0.22, ".dem": 0.44, ".dm2": 0.35}),
    # What is lost behind the first sign-on. One of Quake's levels has a torn sign-on, for which there is no donor.
    "playing-lost-5": Damage(by(damages.lose, 0.05, 2, 400), {".qwd": 0.94, ".dem": 0.75, ".dm2": 0.55}),
    # What one lost packet leaves wrong is right again soon; a part of a frame is not worse than no frame.
    "lost-one": Damage(lambda frames, server: damages.lose_run(frames, len(frames) // 2 + 3, 1),
                       {".qwd": 0.99, ".dem": 0.99, ".dm2": 0.6}),
    "lost-17": Damage(lambda frames, server: damages.lose_run(frames, len(frames) // 2 + 3, 17),
                      {".qwd": 0.95, ".dem": 0.9, ".dm2": 0.6}),
    "from-server": Damage(damages.from_server, {".qwd": 1, ".dem": 0.74, ".dm2": 0.7}),
    "from-client": Damage(damages.from_client, NONE),
    "late-1": Damage(by(damages.begin_late, 0.01), NONE),
    "late-50": Damage(by(damages.begin_late, 0.5), NONE),
    "late-90": Damage(by(damages.begin_late, 0.9), NONE),
    "cut-96": Damage(by(damages.cut, 96), NONE),
    "cut-600": Damage(by(damages.cut, 600), NONE),
    "cut-one": Damage(lambda frames, server: damages.cut_one(frames, len(frames) // 2 + 3, 61),
                      {".qwd": 0.99, ".dem": 0.99, ".dm2": 0.6}),
}

# DarkPlaces' clients acknowledge frames of entities, not packets: these stay out of order.
EXCEPTIONS = {("nq-dp7", "swapped-stamped"): 0.88}


def applies(capture_name, damage):
    """Quake has no qport: its servers do not follow a client."""
    return not (capture_name.startswith("nq-") and damage.startswith("client-"))


class Rebuilt:
    """The outcome of a conversion: exit status, messages, and the files of the demos."""

    def __init__(self, path, folder):
        folder.mkdir()
        run = subprocess.run([truth.TOOL, "-q", "-o", folder, path], capture_output=True, text=True,
                             stdin=subprocess.DEVNULL)
        self.status, self.printed = run.returncode, run.stderr
        self.demos = sorted(folder.iterdir())


class Original:
    """An undamaged capture, and the demos that it gives."""

    def __init__(self, path, folder):
        self.name = path.name.split(".")[0]
        self.folder = folder / self.name
        self.folder.mkdir()
        self.link_type, self.frames = capture.read(path)
        run = subprocess.run([truth.TOOL, "--list", "--json", path], capture_output=True, text=True)
        address, port = json.loads(run.stdout)["sessions"][0]["server"].rsplit(":", 1)
        self.server = bytes(map(int, address.split("."))), int(port)
        self.truth = self.rebuild(self.frames, "truth")
        self.suffix = self.truth.demos[0].suffix
        self.compare = {".qwd": truth.compare_qwd, ".dem": truth.compare_dem,
                        ".dm2": truth.compare_dm2}[self.suffix]

    def rebuild(self, frames, name):
        path = self.folder / f"{self.name}.pcap"
        capture.write(path, self.link_type, frames)
        return Rebuilt(path, self.folder / name)


def least(original, name):
    share = EXCEPTIONS.get((original.name, name), DAMAGES[name].least)
    return 1 if share == "bytes" else share


def differences(original, rebuilt, name):
    """What is wrong, in words."""
    damage = DAMAGES[name]
    if len(rebuilt.demos) != len(original.truth.demos):
        yield f"{len(rebuilt.demos)} demos, not {len(original.truth.demos)}: {rebuilt.printed.strip()[-100:]}"
        return
    for demo, true in zip(rebuilt.demos, original.truth.demos):
        if demo.read_bytes() == true.read_bytes():
            continue
        found = original.compare(demo, true)
        if damage.least == "bytes":
            yield f"{demo.name}: other bytes"
        if found.right < found.all * least(original, name) or found.wrong or found.dropped:
            yield f"{demo.name}: {found}"
    # What is dropped since it is out of order may be reported.
    if rebuilt.status != original.truth.status and (least(original, name) == 1 or not rebuilt.printed):
        yield f"exit status {rebuilt.status}: {rebuilt.printed.strip()[-100:]}"


def shortcomings(original, rebuilt, name):
    """What is wrong with the rest of a capture, in words; each demo of the truth has a nearest one."""
    suffix = original.suffix
    found = [max((original.compare(demo, true) for demo in rebuilt.demos), key=lambda share: share.right - share.wrong,
                 default=truth.Share(0, 1, 0)) for true in original.truth.demos]
    right, every = (sum(getattr(share, field) for share in found) for field in ("right", "all"))
    wrong = sum(share.wrong for share in found)
    share = LOSSES[name].least[suffix]
    if right < every * share:
        yield f"{right} of {every} frames right"
    if wrong and suffix != ".qwd" or any(share.dropped for share in found):
        yield f"{found}"
    # Whether the capture or the network lost an unreliable message of Quake, only acknowledged frames of entities
    # show: test_frames.py.
    if right < every * (0.995 if suffix == ".dem" else 1) and rebuilt.status != 1:
        yield f"{right} of {every} frames right, but exit status {rebuilt.status}"
    if rebuilt.status == 1 and not rebuilt.printed:
        yield "nothing is reported"
    # Frames of Quake II's protocol 34 have the view, others only the client's moves.
    if name == "from-server" and ("view does not turn" in rebuilt.printed) == original.name.endswith("34"):
        yield f"about the view: {rebuilt.printed}"


def crashes(original, rebuilt, name):
    if rebuilt.status not in (0, 1):
        yield f"exit status {rebuilt.status}: {rebuilt.printed}"


def check(original, name):
    damage = DAMAGES.get(name) or LOSSES[name]
    rebuilt = original.rebuild(damage.change(original.frames, original.server), name)
    find = crashes if truth.SANITIZED else differences if name in DAMAGES else shortcomings
    wrong = list(find(original, rebuilt, name))
    print(f"{'FAIL' if wrong else 'ok  '} {original.name} {name}{': ' if wrong else ''}{'; '.join(wrong)}",
          flush=True)
    return not wrong


def main(*names):
    stored, results = truth.SHARED / "captures" / "quakeworld", []
    paths = {truth.own(name): names or [*DAMAGES, *LOSSES] for name in CAPTURES}
    if not names:
        paths.update({truth.own(name): STORED_DAMAGES for name in OTHERS})
        if recordings.is_there(stored):
            paths.update({stored / name: STORED_DAMAGES + ["playing-lost-5"] * name.startswith(SIGNED_ON)
                          for name in STORED})
            paths.update({stored / name: ["swapped", "cut-one"] for name in DOWNLOAD_AND_LOSSES})
    with tempfile.TemporaryDirectory() as folder:
        for path, names in paths.items():
            original = Original(path, pathlib.Path(folder))
            results += [check(original, name) for name in names if applies(original.name, name)]
    return results
