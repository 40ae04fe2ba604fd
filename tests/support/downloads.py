# SPDX-License-Identifier: GPL-2.0-or-later
"""What the files are that servers send in captures: name -> MD5 of the original."""

import pathlib

SOURCE = pathlib.Path(__file__).resolve().parents[2]

QUAKE2 = {
    "maps/lab1.bsp": "2de3529d999acd1751d7977da7bc4600",
    "sound/misc/lasfly.wav": "e2fd28a900ee9f8fdc2436130ab508b1",
    "pics/w_blaster.pcx": "d160ac3573b595d9d95ccb34435c56ff",
    "sound/lab/unique.wav": "f1fe69729472453b84486147d82e5e0d",
}

OWN = {
    "nq-download.pcap": {
        "sound/weapons/r_exp3.wav": "fed62b910398225c996b65ae8e145a51",
        "sound/weapons/rocket1i.wav": "a15266762cdd105f6fbca9165a180181",
        "sound/weapons/sgun1.wav": "099ca3f17a32c0cfa8437eac37b58e32",
        "csprogs.dat": "d539c7d6940c852308b2689572ef1d3f",
    },
    "nq-vrinputs.pcap": {
        "sound/weapons/r_exp3.wav": "fed62b910398225c996b65ae8e145a51",
    },
}

SHARED = {
    "quakeworld/c-download-old/c-download-old.pcap": {
        "sound/weapons/rocket1i.wav": "65b1d09f1130c184a8f94d9852e03062",
        "sound/weapons/lhit.wav": "696cdc616e002132d93dbe2f18edd9fc",
        "progs/g_rock.mdl": "2e4e5f72bd4b0d2c4cd0e136ba59b013",
        "maps/dm4.bsp": "a73b235387db2b9e561e32d20fb9baa2",
    },
    "quake2/c-v34-download/c-v34.pcap": QUAKE2,
    "quake2/c-q2pro36-zdownload/c-q2pro36z.pcap": QUAKE2 | {
        "sound/misc/comp_up.wav": "8c3b6c7dfbc15fb25672aa0e6b3c8bd5",
        "textures/lab/wall.wal": "2bd2408aaa36437eda804ebcd1e59c8a",
    },
}


def recorded():
    """The project's captures, and those beside it where they are there: path, name -> MD5."""
    for folder, captures in ((SOURCE / "tests" / "captures", OWN),
                             (SOURCE.parent / "shared" / "captures", SHARED)):
        if folder.is_dir():
            yield from ((folder / name, originals) for name, originals in captures.items())
