# SPDX-License-Identifier: GPL-2.0-or-later
"""What it costs Wireshark to show packets in any order, as a user does who jumps about in its list.

sharkd, Wireshark's dissection behind a pipe, is asked for the trees of packets."""

import json
import os
import random
import subprocess

from measure import NOBODY

PACKETS = 1000


class Shark:
    def __init__(self, environment):
        identity = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.getuid() == 0 else {}
        self.process = subprocess.Popen(["sharkd", "-"], env=environment, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                        text=True, **identity)

    def ask(self, method, **parameters):
        json.dump({"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters},
                  self.process.stdin)
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())["result"]

    def show(self, packets):
        """The CPU time that it took."""
        before = self.cpu()
        for number in packets:
            self.ask("frame", frame=number, proto=True)
        return self.cpu() - before

    def cpu(self):
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as file:
            words = file.read().rpartition(")")[2].split()
        return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def seconds(file, environment):
    """For the same packets: one after the other, and in any order."""
    shark = Shark(environment)
    shark.ask("load", file=str(file))
    count = shark.ask("status")["frames"]
    packets = [1 + i * (count - 1) // PACKETS for i in range(PACKETS)]
    shark.show(packets)
    in_order = shark.show(packets)
    random.Random(1).shuffle(packets)
    jumping = shark.show(packets)
    shark.close()
    return in_order, jumping
