# SPDX-License-Identifier: GPL-2.0-or-later
"""Inputs that several processes read (--jobs): all that is printed and written is the same."""

import os
import pathlib
import re
import signal
import struct
import subprocess
import sys
import time
import unittest

import tool

GOLDENS = tool.SOURCE / "tests" / "golden"
ALL = sorted(path for path in tool.CAPTURES.iterdir() if path.suffix != ".md" and path.is_file())
HOUR = 3600 * 10**6


def moved(capture, number):
    """The sample as the capture of another day, between other hosts."""
    return tool.Capture(capture.link_type, [(time + number * HOUR, between(number, frame))
                                            for time, frame in capture.frames])


def between(number, frame):
    """The frame between two hosts of a network of their own. In the sample they are one."""
    client, server = bytes([10, number, 0, 1]), bytes([10, number, 0, 2])
    from_server = frame[34:36] == struct.pack(">H", 27500)
    ends = server + client if from_server else client + server
    return with_checksums(frame[:26] + ends + frame[34:])


def with_checksums(frame):
    """The header's own; UDP goes without."""
    header = frame[14:24] + b"\0\0" + frame[26:34]
    total = sum(struct.unpack(">10H", header))
    total = (total & 0xFFFF) + (total >> 16)
    return (frame[:14] + header[:10] + struct.pack(">H", ~total & 0xFFFF) + frame[26:40] +
            b"\0\0" + frame[42:])


class ApartTest(tool.ToolTest):
    def run_with(self, jobs, *arguments):
        """Exit status, what was printed, and the files of a new folder in which it ran."""
        folder = self.folder / "run"
        folder.mkdir()
        result = subprocess.run([tool.PROGRAM, "--jobs", str(jobs), *map(str, arguments)],
                                cwd=folder, capture_output=True, timeout=100, check=False)
        files = {}
        for path in sorted(folder.iterdir()):
            files[path.name] = path.read_bytes()
            path.unlink()
        folder.rmdir()
        return result.returncode, result.stdout, result.stderr, files

    def assert_same(self, *arguments):
        one = self.run_with(1, *arguments)
        self.assertEqual(one, self.run_with(4, *arguments), arguments)
        return one

    def others(self, count):
        sample = tool.Capture.read(tool.SAMPLE)
        return [self.write(f"input-{number}.pcap", moved(sample, number).pcap())
                for number in range(1, count + 1)]


class TestSame(ApartTest):
    def test_list(self):
        self.assert_same("--list", *ALL)
        self.assert_same("--list", "--json", *ALL)

    def test_check(self):
        self.assert_same("--check", *ALL)
        self.assert_same("--check", "--json", *ALL)

    def test_goldens(self):
        with_goldens = [path for path in ALL if (GOLDENS / f"{path.stem}.golden").exists()]
        stems = [path.stem for path in with_goldens]
        alone = [path for path in with_goldens if stems.count(path.stem) == 1]
        self.assertGreater(len(alone), 20)
        for more in ((), ("--json",), ("--tap",)):
            self.assert_same("--check", "--golden", GOLDENS, *more, *alone)

    def test_junit(self):
        reports = [re.sub(rb'time="[^"]*"|timestamp="[^"]*"', b"", self.run_with(
            jobs, "--check", "--junit", "report.xml", *ALL)[3]["report.xml"]) for jobs in (1, 4)]
        self.assertEqual(*reports)

    def test_convert(self):
        files = self.assert_same(*ALL)[3]
        self.assertGreater(len(files), 20)

    def test_goldens_are_written(self):
        folder = self.folder / "run"
        files = self.assert_same("--check", "--golden", folder, "--update", *self.others(3))[3]
        self.assertEqual(len(files), 3)

    def test_unreadable(self):
        garbage = self.write("garbage.pcap", b"garbage")
        status, _, error, _ = self.assert_same("--list", garbage, *ALL, self.folder / "missing")
        self.assertEqual(status, 2)
        self.assertTrue(error.splitlines()[0].startswith(b"pcap2demo: %s: " %
                                                         os.fsencode(garbage)))


class TestTies(ApartTest):
    """Sessions that go on in the next input, or that another input helps."""

    def test_numbers_go_on(self):
        _, output, _, _ = self.assert_same("--list", "--wide", *self.others(5))
        self.assertEqual([line.split()[0] for line in output.decode().splitlines()[1:]],
                         ["1", "2", "3", "4", "5"])
        self.assert_same("--list", "--json", *self.others(5))
        self.assert_same("--check", *self.others(5))
        self.assert_same(*self.others(5))
        self.assert_same("--filter", "udp port 9", *self.others(2))

    def test_pieces_of_a_session(self):
        sample = tool.Capture.read(tool.SAMPLE)
        cuts = (0, 400, 800, 1200, len(sample.frames))
        pieces = [self.write(f"piece-{i}.pcap", tool.Capture(
            sample.link_type, sample.frames[cuts[i]:cuts[i + 1]]).pcap()) for i in range(4)]
        others = self.others(3)
        for inputs in (pieces, [others[0], *pieces[:2], others[1], *pieces[2:], others[2]]):
            _, output, _, _ = self.assert_same("--list", *inputs)
            self.assertGreaterEqual(len(output.splitlines()) - 1, 1 if inputs == pieces else 5)
            self.assert_same(*inputs)
            self.assert_same("--check", *inputs)

    def test_lender(self):
        """The second capture begins behind the sign-on, which the first one has."""
        sample = tool.Capture.read(tool.SAMPLE)
        late = moved(sample, 1)
        late.frames = [(time + HOUR, frame) for time, frame in late.frames[300:]]
        inputs = [*self.others(1), self.write("late.pcap", late.pcap())]
        _, output, _, _ = self.assert_same("--list", "--wide", *inputs)
        self.assertIn(b"lent by session 1", output)
        self.assert_same("--list", "--wide", *reversed(inputs))
        self.assert_same(*inputs)

    def test_twice(self):
        """The same capture twice is one session under one address."""
        sample = self.others(1)[0]
        again = self.write("again.pcap", sample.read_bytes())
        self.assert_same("--list", sample, again)
        self.assert_same(sample, again)

    def test_same_names(self):
        """Captures of one name in two folders: their demos give way to each other."""
        inputs = []
        for number, path in enumerate(self.others(2)):
            folder = self.folder / str(number)
            folder.mkdir()
            data = tool.Capture.read(path)
            if number:
                data.frames = [(time - HOUR, frame) for time, frame in data.frames]
            (folder / "same.pcap").write_bytes(data.pcap())
            inputs.append(folder / "same.pcap")
        files = self.assert_same(*inputs)[3]
        self.assertEqual(len(files), 2)
        self.assert_same("--force", *inputs)

    def test_one_file(self):
        self.assert_same("--output", "one.qwd", *self.others(2))

    def test_taken_names(self):
        folder = self.folder / "demos"
        inputs = self.others(2)
        self.tool("--jobs", 1, "-o", folder, *inputs)
        output = self.tool("--jobs", 4, "-o", folder, *inputs)[0]
        self.assertEqual(len(list(folder.iterdir())), 4)
        self.assertIn("-2.qwd: session 1", output)
        self.assertIn("-2.qwd: session 2", output)


class TestEnd(ApartTest):
    """How processes end."""

    def endless(self):
        """A capture that nobody reads to its end: behind a session, empty packets up to 1 TiB."""
        path = self.write("endless.pcap", moved(tool.Capture.read(tool.SAMPLE), 9).pcap())
        os.truncate(path, 1 << 40)
        return path

    def children(self, process):
        path = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children")
        return [int(word) for word in path.read_text().split()]

    def signalled(self, is_time, number, to_child, *arguments):
        """Status and what was printed, where the signal comes when it is time. The first child, and
        the last to end, is that of the endless input."""
        with subprocess.Popen([tool.PROGRAM, "--jobs", "2", *map(str, arguments)], cwd=self.folder,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            until = time.monotonic() + 60
            while not is_time(process):
                self.assertIsNone(process.poll())
                self.assertLess(time.monotonic(), until)
                time.sleep(0.01)
            os.kill(self.children(process)[0] if to_child else process.pid, number)
            output, error = process.communicate(timeout=60)
        return process.returncode, output, error

    @unittest.skipUnless(sys.platform == "linux", "the system does not tell children")
    def test_killed(self):
        inputs = [self.endless(), *self.others(2)]
        status, output, error = self.signalled(self.children, signal.SIGKILL, True, "--list",
                                               *inputs)
        self.assertEqual(status, 2)
        self.assertRegex(error, rb"^pcap2demo: .*: the process that read it was ended by signal 9 "
                                rb"\(Killed\)\n$")
        self.assertGreaterEqual(len(output.splitlines()), 3)  # those of the other inputs

    def test_interrupted(self):
        inputs = [self.endless(), *self.others(2)]
        before = self.left()
        status, _, error = self.signalled(lambda _: self.left() != before, signal.SIGINT, False,
                                          *inputs)
        self.assertEqual(status, 1)
        self.assertIn(b"interrupted; unfinished demos are not kept", error)
        self.assertEqual(self.left(), before)

    def test_wrong(self):
        for wrong in ("0", "-1", "many"):
            self.tool("--jobs", wrong, "--list", tool.SAMPLE, status=2)


if __name__ == "__main__":
    unittest.main()
