# SPDX-License-Identifier: GPL-2.0-or-later
"""What clients recorded, plain or compressed by gzip."""

import gzip
import pathlib

OWN = pathlib.Path(__file__).resolve().parents[1] / "captures" / "fidelity"


def own(name):
    """A file of OWN, inflated."""
    return read(OWN / f"{name}.gz")


def read(path):
    """A file's content, inflated."""
    data = pathlib.Path(path).read_bytes()
    return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
