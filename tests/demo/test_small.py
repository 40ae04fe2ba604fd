# SPDX-License-Identifier: GPL-2.0-or-later
"""Small demos of each dialect: read whole, cut anywhere, damaged, compressed, under any name."""

import gzip
import pathlib
import shutil
import struct
import tempfile
import unittest

import demos


class SmallDemos(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="quakeshark-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def write(self, name, data):
        path = self.folder / name
        path.write_bytes(data)
        return path

    def blocks(self, path):
        """How many blocks the dump has, without a DEM's line."""
        return sum(packet["packet"] > 0 for packet in demos.dumped(path))


def ends_well(name, blocks, whole):
    """Whether a file of the first `whole` pieces lacks nothing."""
    return whole == len(blocks) if name.endswith(".dm2") and name != "server.dm2" else whole > 0


class Whole(SmallDemos):
    def test_check(self):
        for name, blocks in demos.SMALL:
            with self.subTest(name):
                status, report = demos.report("--check", self.write(name, b"".join(blocks)))
                self.assertEqual((status, report["files"][0]["problems"]), (0, []))
                self.assertEqual(report["files"][0]["undecoded_bytes"], 0)

    def test_every_byte_is_in_a_field(self):
        for name, blocks in demos.SMALL:
            with self.subTest(name):
                data = b"".join(blocks)
                seen = bytearray(len(data))
                for packet in demos.dumped(self.write(name, data)):
                    for field in demos.flat(packet["fields"]):
                        if "value" in field and not field.get("generated"):
                            end = field["offset"] + field["length"]
                            seen[field["offset"]:end] = b"\1" * field["length"]
                missed = bytes(byte for byte, there in zip(data, seen) if not there)
                # The NUL behind a connectionless text belongs to no word of it.
                self.assertEqual(missed, b"\0" if name.endswith(".qwd") else b"")

    def test_content_decides(self):
        for name, blocks in demos.SMALL:
            for other in ("x.qwd", "x.dm2", "x.dem", "x"):
                with self.subTest(f"{name} as {other}"):
                    status, report = demos.report("--list", self.write(other, b"".join(blocks)))
                    self.assertEqual(status, 0)
                    self.assertEqual(report["sessions"][0]["protocol"],
                                     {"qwd": "qw", "dm2": "q2", "dem": "nq"}[name[-3:]])

    def test_standard_input_and_gzip(self):
        for name, blocks in demos.SMALL:
            data = b"".join(blocks)
            expected = demos.run("--dump", self.write(name, data))
            with self.subTest(name):
                self.assertEqual(demos.run("--dump", "-", data=data), expected)
                self.assertEqual(demos.run("--dump", "-", data=gzip.compress(data)), expected)
                packed = self.write(name + ".gz", gzip.compress(data[:9]) + gzip.compress(data[9:]))
                self.assertEqual(demos.run("--dump", packed), expected)

    def test_values(self):
        path = self.write("x.qwd", b"".join(demos.qwd_demo()))
        _, text, _ = demos.run("--dump", path)
        for line in ("1 0+4 qw.block.time = 1.5", "1 4+1 qw.block.type = 0 (dem_cmd)",
                     "1 13+4 qw.usercmd.angles.yaw = 90", "1 21+2 qw.usercmd.forwardmove = 320",
                     "1 29+4 qw.block.viewangles.pitch = 0.25"):
            self.assertIn(line + "\n", text)
        self.assertIn("qw.block.outgoing = 4000\n", text)

    def test_relay_and_server_records(self):
        _, text, _ = demos.run("--dump", self.write("r.dm2", b"".join(demos.dm2_relay_demo())))
        self.assertIn("q2.unicast.client = 5\n", text)
        _, text, _ = demos.run("--dump", self.write("s.dm2", b"".join(demos.dm2_server_demo())))
        self.assertIn('q2.print.text = "hello\\n"', text)

    def test_test_release_is_named(self):
        path = self.write("old.dm2", b"".join(demos.dm2_test_release_demo()))
        status, report = demos.report("--check", path)
        self.assertEqual(status, 1)
        self.assertEqual(report["files"][0]["notes"], {"protocol.undecoded": 2})

    def test_round_trip(self):
        for name, blocks in demos.SMALL:
            with self.subTest(name):
                path = self.write(name, b"".join(blocks))
                made = self.folder / "made.pcapng"
                again = self.folder / f"again{path.suffix}"
                self.assertEqual(demos.run("-q", "-f", "--pcap", made, path), (0, "", ""))
                self.assertEqual(demos.run("-q", "-f", "-o", again, made), (0, "", ""))
                self.assertEqual(again.read_bytes(), path.read_bytes())


class Cut(SmallDemos):
    def test_everywhere(self):
        for name, blocks in demos.SMALL:
            data = b"".join(blocks)
            for size in range(1, len(data)):
                with self.subTest(f"{name}, {size} bytes"):
                    self.check_cut(name, blocks, self.write(name, data[:size]), size)

    def check_cut(self, name, blocks, path, size):
        whole = start = 0
        while start + len(blocks[whole]) <= size:
            start += len(blocks[whole])
            whole += 1
        line = name.endswith(".dem")
        status, _, error = demos.run("--check", path)
        if start == size and ends_well(name, blocks, whole):
            self.assertEqual((status, error), (0, ""))
            return
        self.assertEqual(status, 1)
        ours = [(block, offset) for block, offset, text in demos.block_messages(error)
                if text.startswith("the file ends")]
        self.assertEqual(ours, [(whole + 1 - (line and whole > 0), start)], error)
        self.assertIn(path.name, error)
        self.assertEqual(self.blocks(path), whole - (line and whole > 0))


class Damaged(SmallDemos):
    def test_lengths_that_lie(self):
        for name, blocks, which, at in (("x.qwd", demos.qwd_demo(), 2, 5),
                                        ("x.dm2", demos.dm2_demo(), 3, 0),
                                        ("x.dem", demos.dem_demo(), 3, 0)):
            for length in (0x7FFFFFFF, 0x80000000 - 2, 100000):
                with self.subTest(f"{name}, {length}"):
                    damaged = list(blocks)
                    block = bytearray(damaged[which])
                    block[at:at + 4] = struct.pack("<I", length)
                    damaged[which] = bytes(block)
                    path = self.write(name, b"".join(damaged))
                    status, _, error = demos.run("--check", path)
                    good = which - name.endswith(".dem")
                    self.assertEqual(status, 1)
                    self.assertEqual(demos.block_messages(error),
                                     [(good + 1, sum(map(len, blocks[:which])),
                                       "no block begins here")])
                    self.assertEqual(self.blocks(path), good)

    def test_messages_cut_by_the_length(self):
        blocks = demos.dm2_demo()
        blocks[3] = demos.dm2_block(b"\x0a\x02hello")
        status, report = demos.report("--check", self.write("x.dm2", b"".join(blocks)))
        problems = report["files"][0]["problems"]
        self.assertEqual(status, 1)
        self.assertEqual({problem["packet"] for problem in problems}, {4})
        self.assertTrue(all(problem["offset"] >= sum(map(len, blocks[:3])) for problem in problems))
        self.assertEqual(report["files"][0]["frames"], 5)

    def test_unknown_block_type(self):
        blocks = demos.qwd_demo()
        blocks[3] = demos.qwd_head(1.75, 5) + bytes(8)
        status, _, error = demos.run("--check", self.write("x.qwd", b"".join(blocks)))
        self.assertEqual(status, 1)
        self.assertIn("block 4: offset", error)

    def test_more_behind_the_end_mark(self):
        data = b"".join(demos.dm2_demo())
        status, _, error = demos.run("--check", self.write("x.dm2", data + b"more"))
        self.assertEqual(status, 1)
        self.assertEqual(demos.block_messages(error),
                         [(6, len(data), "there is more behind the end mark")])

    def test_gzip_cut(self):
        data = b"".join(demos.qwd_demo() * 50)
        packed = gzip.compress(data, mtime=0)
        for size in range(12, len(packed) - 1):
            path = self.write("x.qwd.gz", packed[:size])
            status, _, error = demos.run("--list", path)
            with self.subTest(size):
                self.assertEqual(status, 1)
                self.assertIn("end early", error)

    def test_gzip_damaged(self):
        packed = bytearray(gzip.compress(b"".join(demos.qwd_demo() * 50), mtime=0))
        packed[len(packed) // 2] ^= 0x55
        status, _, error = demos.run("--list", self.write("x.qwd.gz", bytes(packed)))
        self.assertEqual(status, 1)
        self.assertIn("compressed data", error)

    def test_nothing_of_the_kind(self):
        for name, data in (("empty", b""), ("text", b"hello world, this is no demo at all\n" * 9),
                           ("numbers", b"1\n2\n3\n"), ("short", b"12\n" + b"text " * 9)):
            status, output, error = demos.run("--check", self.write(name, data))
            self.assertEqual((status, output), (2, ""))
            self.assertIn("neither a capture nor a demo", error)


class Options(SmallDemos):
    def test_converting_a_demo(self):
        path = self.write("x.dem", b"".join(demos.dem_demo()))
        status, _, error = demos.run("-o", self.folder, path)
        self.assertEqual(status, 2)
        self.assertIn("is a demo already", error)

    def test_pcap_of_a_capture(self):
        path = self.write("x.dem", b"".join(demos.dem_demo()))
        made, again = self.folder / "a.pcapng", self.folder / "b.pcapng"
        self.assertEqual(demos.run("-q", "--pcap", made, path)[0], 0)
        status, _, error = demos.run("--pcap", again, made)
        self.assertEqual(status, 2)
        self.assertIn("is a capture already", error)
        self.assertFalse(again.exists())

    def test_pcap_where_nothing_can_be_written(self):
        path = self.write("x.dem", b"".join(demos.dem_demo()))
        folder = self.folder / "missing"
        status, _, error = demos.run("--pcap", folder / "a.pcapng", path)
        self.assertEqual(status, 1)
        self.assertIn(str(folder), error)

    def test_pcap_of_an_interface(self):
        status, _, error = demos.run("--pcap", self.folder / "a.pcapng", "-i", "lo")
        self.assertEqual(status, 2)
        self.assertIn("--pcap takes demos", error)

    def test_pcap_overwrites_nothing(self):
        path = self.write("x.dem", b"".join(demos.dem_demo()))
        made = self.write("a.pcapng", b"mine")
        status, _, error = demos.run("--pcap", made, path)
        self.assertEqual((status, made.read_bytes()), (1, b"mine"))
        self.assertIn("--force", error)

    def test_several_demos_in_one_capture(self):
        paths = [self.write(name, b"".join(blocks)) for name, blocks in demos.SMALL]
        made = self.folder / "all.pcapng"
        self.assertEqual(demos.run("-q", "--pcap", made, *paths), (0, "", ""))
        (self.folder / "out").mkdir()
        self.assertEqual(demos.run("-q", "-o", self.folder / "out", made), (0, "", ""))
        again = sorted(path.read_bytes() for path in (self.folder / "out").iterdir())
        self.assertEqual(again, sorted(b"".join(blocks) for _, blocks in demos.SMALL))

    def test_comment(self):
        path = self.write("x.dem", b"".join(demos.dem_demo()))
        made = self.folder / "a.pcapng"
        demos.run("-q", "--pcap", made, path)
        self.assertIn(b"Made by pcap2demo from: x.dem.", made.read_bytes()[:200])


if __name__ == "__main__":
    unittest.main()
