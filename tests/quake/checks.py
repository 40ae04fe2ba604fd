# SPDX-License-Identifier: GPL-2.0-or-later
"""What the tests that run pcap2demo on whole captures share."""

import pathlib
import sys


def verdict(good):
    return "ok  " if good else "FAIL"


def run(*groups, own=(), folder=None):
    """
    Runs each (check, rows) group: check(tool, folder, row) for every row, where the arguments of the
    script are the tool and the folder that has captures/netquake. The groups of `own` are those of
    `folder`, which is always there. Returns the exit status.
    """
    tool, shared = sys.argv[1], pathlib.Path(sys.argv[2]) / "captures" / "netquake"
    results = [check(tool, folder, row) for check, rows in own for row in rows]
    if shared.is_dir():
        results += [check(tool, shared, row) for check, rows in groups for row in rows]
    else:
        print(f"skipped: what is in {shared}, which is not there")
    if not results:
        return 77
    print(f"{sum(results)} passed, {len(results) - sum(results)} failed")
    return 0 if all(results) else 1
