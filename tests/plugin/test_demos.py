# SPDX-License-Identifier: GPL-2.0-or-later
"""In captures made of demos, Wireshark shows the fields that pcap2demo dumps."""

import demos
import test_dump

STORED_OF_A_KIND = 3
TOGETHER = 10  # small demos in one capture, since starting tshark takes longer than what it then does


def make(*arguments):
    result = demos.run("-q", *arguments)
    assert result == (0, "", ""), (arguments, result)


def captures_of_small_demos(folder):
    """Of a small demo of each variant."""
    paths = []
    for name, blocks in demos.SMALL:
        paths.append(folder / name)
        paths[-1].write_bytes(b"".join(blocks))
    for start in range(0, len(paths), TOGETHER):
        made = folder / f"small-{start}.pcapng"
        make("--pcap", made, *paths[start:start + TOGETHER])
        yield made


def captures_of_stored_demos(folder):
    """The beginnings of the smallest that engines recorded."""
    stored = demos.stored_demos()
    for suffix in (".qwd", ".mvd", ".mvd2", ".dm2", ".dem"):
        for path in [path for path in stored if path.suffix == suffix][:STORED_OF_A_KIND]:
            whole, made = folder / "whole.pcapng", folder / f"{path.name}.pcapng"
            make("--force", "--pcap", whole, path)
            make(f"--packets=1-{test_dump.PACKETS}", "--pcap", made, whole)
            yield made


class Demos(test_dump.TreeEqualsDump):
    count = None

    def captures(self):
        folder = self.folder / "made"
        folder.mkdir()
        return [*captures_of_small_demos(folder), *captures_of_stored_demos(folder)]
