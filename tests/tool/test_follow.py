# SPDX-License-Identifier: GPL-2.0-or-later
"""Following a ring of captures: the demos are those of a conversion, byte for byte, whatever happens to the reader
and to the files."""

import collections
import concurrent.futures
import json
import os
import random
import re
import shutil
import signal
import struct
import subprocess
import time
import unittest
from pathlib import Path

import capture
import damages
import tool
from tool import CAPTURES, SAMPLE, ToolTest

PATIENCE = 120  # seconds until a test fails because the reader hangs
SECOND = 10**9
ATTACKS = tool.SOURCE.parent / "shared/cases/attacks"


def record(frame):
    seconds, fraction = divmod(frame.time, SECOND)
    return struct.pack("<4I", seconds, fraction, len(frame.data), frame.size) + frame.data


class Ring:
    """Writes frames as tcpdump -U -C -W does: to numbered files, over the oldest ones."""

    HEADER = struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 262144, 1)

    def __init__(self, folder, name="wire.pcap", size=1 << 20, files=1000):
        self.folder, self.name, self.size, self.files = folder, name, size, files
        self.count, self.file = 0, None

    def write(self, frame, pause=None):
        """With a pause, writes the record in two halves."""
        if not self.file or self.file.tell() > self.size:
            self.close()
            path = self.folder / f"{self.name}{self.count % self.files:03}"
            self.file = path.open("wb", buffering=0)
            self.file.write(self.HEADER)
            self.count += 1
        data = self.record(frame)
        if pause is not None:
            self.file.write(data[:len(data) // 2])
            time.sleep(pause)
            data = data[len(data) // 2:]
        self.file.write(data)

    def write_all(self, frames):
        for frame in frames:
            self.write(frame)

    def record(self, frame):
        return record(frame)

    def close(self):
        if self.file:
            self.file.close()
        self.file = None

    __del__ = close


class Dumpcap(Ring):
    """Writes frames as dumpcap -b does: pcapng with times in nanoseconds, files with new names."""

    HEADER = tool.pcapng_section() + tool.pcapng_interface(1, options=tool.pcapng_option(9, b"\x09"))

    def record(self, frame):
        return tool.pcapng_packet(0, frame.time, frame.data)


def evening(seconds):
    """Frames of sessions of three games at once, from time 0 to these seconds."""
    frames = []
    for number, name in enumerate(["qw-sample", "q2-vanilla", "nq-protocol15", "qw-vanilla"]):
        own = [frame for frame in capture.read(CAPTURES / f"{name}.pcap")[1] if capture.is_udp(frame)]
        start, length = own[0].time, own[-1].time - own[0].time + 1
        for copy in range(2):
            begin = SECOND * seconds * 3 // 20 * (copy + number % 2)
            left = SECOND * seconds - begin
            frames += [damages.copy(frame, 10 * number + copy)._replace(
                time=begin + (frame.time - start) * left // length) for frame in own]
    return sorted(frames, key=lambda frame: frame.time)


def now():
    return time.time_ns()


def sample(age, path=SAMPLE, copy=1, at=None):
    """Frames of a session that began so many seconds ago; each copy is another player's."""
    frames = [frame for frame in capture.read(path)[1] if capture.is_udp(frame)]
    start = ((at or now()) // SECOND - age) * SECOND - frames[0].time
    return [damages.copy(frame, copy)._replace(time=start + frame.time) for frame in frames]


class FollowTest(ToolTest):
    options = ["--min-free", "1M", "--log-format=json"]

    def setUp(self):
        super().setUp()
        self.ring, self.demos = self.folder / "ring", self.folder / "demos"
        self.ring.mkdir()
        self.processes = []
        self.addCleanup(self.end_all)

    def end_all(self):
        for process in self.processes:
            process.kill()
            process.wait()

    def follow(self, *arguments, **options):
        return self.launch("--follow", "ring", "-o", "demos", *arguments, **options)

    def launch(self, *arguments, ready=True, **options):
        log = self.folder / f"log-{len(self.processes)}"
        with log.open("w") as out:
            process = subprocess.Popen(
                [tool.PROGRAM, *self.options, *arguments], cwd=self.folder, stdout=out, stderr=subprocess.STDOUT,
                **{"env": dict(os.environ, LC_ALL="C.UTF-8"), **options})
        process.log = log
        self.processes.append(process)
        if ready:
            self.wait_for(process, "folder")
        return process

    def events(self, process, kind):
        lines = process.log.read_text().splitlines(True)
        events = [json.loads(line) for line in lines if line.endswith("\n") and line[0] == "{"]
        return [event for event in events if event["event"] == kind]

    def wait_for(self, process, kind, count=1):
        until = time.monotonic() + PATIENCE
        while len(found := self.events(process, kind)) < count:
            self.assertLess(time.monotonic(), until, f"no {kind} in {process.log.read_text()}")
            self.assertIsNone(process.poll(), process.log.read_text())
            time.sleep(0.05)
        return found

    def read(self, process, packets):
        """Waits until the process has read so many packets; returns its last status."""
        until = time.monotonic() + PATIENCE
        while True:
            count = len(self.events(process, "status"))
            process.send_signal(signal.SIGUSR1)
            if (status := self.wait_for(process, "status", count + 1)[-1])["packets"] >= packets:
                return status
            self.assertLess(time.monotonic(), until, process.log.read_text())

    def stop(self, process, number=signal.SIGINT, within=PATIENCE):
        begun = time.monotonic()
        process.send_signal(number)
        self.assertEqual(process.wait(PATIENCE), 0, process.log.read_text())
        self.assertLess(time.monotonic() - begun, within)
        if number == signal.SIGINT and list(self.demos.glob(".*-*.???")):  # two seconds were not enough
            self.stop(self.follow())

    def as_nobody(self):
        """Options of a process of another user, if the test runs as root, who may do everything."""
        self.folder.chmod(0o777)
        return {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}

    def written(self, folder=None):
        """The contents of the finished demos."""
        return collections.Counter(path.read_bytes() for path in (folder or self.demos).iterdir()
                                   if path.suffix in (".qwd", ".dm2", ".dem") and path.name[0] != ".")

    def converted(self, frames):
        """The demos of these frames, or of the ring's files."""
        paths = sorted(self.ring.iterdir())
        if frames:
            paths = [self.folder / "whole.pcap"]
            capture.write(paths[0], 1, frames)
        self.run_tool("-o", "converted/", "--quiet", *paths)
        return self.written(self.folder / "converted")

    def assert_as_converted(self, frames):
        demos, converted = self.written(), self.converted(frames)
        self.assertEqual(sorted(map(len, demos)), sorted(map(len, converted)))  # a short message
        self.assertEqual(demos, converted)
        self.assertEqual([path.name for path in self.demos.glob(".*") if path.name != ".pcap2demo-until"], [])

    def finish(self, process, frames, count=None):
        """Stops the process once it has read all frames; its demos are those of a conversion."""
        self.read(process, count or len(frames))
        self.stop(process)
        self.assert_as_converted(frames)


def cases_in(suite):
    for case in suite:
        yield from cases_in(case) if isinstance(case, unittest.TestSuite) else [case]


class AtOnce(unittest.TestSuite):
    """Runs all cases at the same time: they wait for rings that grow, and need little of the processor."""

    def run(self, result, debug=False):
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda case: case(result), cases_in(self)))
        return result


def load_tests(_loader, cases, _pattern):
    return AtOnce(cases)


class Growing(FollowTest):
    """A ring that grows while the reader follows it."""

    def play(self, seconds, rings, disturb=None, pauses=(0.01,)):
        """Writes an evening to the rings by turns, in real time, some records in halves; returns its frames. Each step of
        `disturb` yields the seconds until the next."""
        start, frames = now(), evening(seconds)
        frames = [frame._replace(time=start + frame.time) for frame in frames]
        chance, due = random.Random(7), 0
        for frame in frames:
            while now() < frame.time:
                if disturb and time.monotonic() > due:
                    due = time.monotonic() + next(disturb, seconds)
                time.sleep(0.002)
            ring = rings[capture.ends(frame)[0][0][1] % len(rings)] if len(rings) > 1 else rings[0]
            ring.write(frame, chance.choice(pauses) if chance.random() < 0.002 else None)
        for ring in rings:
            ring.close()
        return frames

    def test_two_rings_are_merged_by_time(self):
        process = self.follow()
        frames = self.play(8, [Ring(self.ring, "eth0.pcap", 100_000), Dumpcap(self.ring, "lo.pcapng", 100_000)])
        self.assertTrue((self.demos / ".pcap2demo-until").exists())
        self.finish(process, frames)
        self.assertEqual(self.events(process, "ring"), [])

    def test_reader_that_is_killed_or_stopped_at_any_moment_continues(self):
        def end(chance=random.Random(1)):
            for number in range(20):
                self.follow(ready=False)
                yield chance.uniform(0.05, 1.5)
                self.processes[-1].send_signal(signal.SIGKILL if number % 4 else signal.SIGTERM)
                self.processes[-1].wait(2.5)
            self.follow(ready=False)

        frames = self.play(25, [Ring(self.ring, size=200_000)], end())
        self.assertGreater(len(self.processes), 12)
        self.wait_for(self.processes[-1], "folder")
        self.finish(self.processes[-1], frames)

    def test_capturer_that_is_killed_at_any_moment(self):
        """Its last record is torn, packets are missing until it runs again, and its next file has another name."""
        ring, process = Ring(self.ring, "wire-0.pcap", 200_000), self.follow()

        def kill(chance=random.Random(2)):
            yield 1
            while True:
                if ring.file:
                    ring.file.write(record(sample(0)[0])[:chance.randrange(1, 30)])
                ring.close()
                ring.name = f"wire-{now()}.pcap"
                time.sleep(chance.uniform(0.01, 0.5))
                yield chance.uniform(0.1, 1.5)

        frames = self.play(12, [ring], kill())
        self.assertGreater(len(set(path.name[:-3] for path in self.ring.iterdir())), 6)
        self.finish(process, None, count=len(frames))

    def test_slow_disk(self):
        """Capturer and reader wait up to 4 seconds at a time, also within a record, and catch up."""
        process = self.follow()

        def wait(chance=random.Random(3)):
            yield 1
            while True:
                process.send_signal(signal.SIGSTOP)
                yield chance.uniform(0.1, 4)
                process.send_signal(signal.SIGCONT)
                yield chance.uniform(0.1, 1)

        frames = self.play(20, [Ring(self.ring, size=200_000)], wait(), pauses=(0.01, 0.5, 4))
        process.send_signal(signal.SIGCONT)
        self.finish(process, frames)
        self.assertEqual(self.events(process, "ring"), [])


class Overwritten(FollowTest):
    """A ring that loses its first files."""

    def test_finished_demos_are_not_written_again(self):
        """No shorter one is written after the ring has lost the first packets. Other users cannot read demos."""
        frames = sample(60)
        Ring(self.ring, size=60_000).write_all(frames)
        process = self.follow("--idle-timeout", "10s")
        self.wait_for(process, "demo")
        time.sleep(2.5)  # the time stamp is written every second
        process.kill()
        process.wait()
        demo, = [path.rename(self.folder / "archived.qwd") for path in self.demos.glob("*.qwd")]
        self.assertEqual(demo.stat().st_mode & 0o007, 0)
        for lost in [], [], sorted(self.ring.iterdir())[:1]:
            for path in lost:
                path.unlink()
            process = self.follow("--idle-timeout", "10s")
            self.wait_for(process, "session_end")
            self.stop(process)
            self.assertEqual(self.written(), {})
            (self.demos / ".pcap2demo-until").write_text(str(frames[-1].time))  # the time of the demo's end

    def test_unfinished_demo_whose_first_packets_are_lost_is_kept(self):
        """The rest of the session is one that the ring joins late."""
        frames = sample(16)
        Ring(self.ring, size=40_000).write_all(frames[:1200])
        process = self.follow()
        self.read(process, 1200)
        self.stop(process, signal.SIGTERM)
        dot, = self.demos.glob(".*.qwd")
        size = dot.stat().st_size
        for path in sorted(self.ring.iterdir())[:2]:
            path.unlink()
        process = self.follow()
        event, = self.wait_for(process, "unfinished")
        self.stop(process)
        demo = self.demos / event["file"]
        self.assertIn(demo.stat().st_size - size, range(-2000, 40))
        self.assertEqual(demo.read_bytes()[:size - 2000], next(iter(self.converted(frames)))[:size - 2000])
        self.assertEqual(self.tool("--check", demo, status=None)[1], "")
        self.assertEqual(list(self.demos.glob(".*.qwd")), [])

    def test_files_that_are_overwritten_behind_the_reader(self):
        """After a restart the ring has less than the demo, which does not change."""
        frames, ring = sample(16), Ring(self.ring, size=20_000, files=3)
        process = self.follow()
        for end in range(250, len(frames) + 250, 250):
            ring.write_all(frames[end - 250:end])
            self.read(process, min(end, len(frames)))
        self.stop(process)
        self.assert_as_converted(frames)
        self.stop(self.follow())
        self.assert_as_converted(frames)

    def test_file_that_is_overwritten_before_it_was_read_is_reported(self):
        frames, ring = sample(60), Ring(self.ring)
        ring.write_all(frames[:700])
        process = self.follow()
        self.read(process, 700)
        ring.file.write(record(frames[700])[:20])
        time.sleep(1.5)
        process.send_signal(signal.SIGSTOP)
        path, = self.ring.iterdir()
        path.write_bytes(Ring.HEADER + b"".join(map(record, frames[1000:])))
        process.send_signal(signal.SIGCONT)
        self.read(process, len(frames) - 300)
        self.stop(process)
        self.assertEqual(len(self.written()), 1)
        event, = self.events(process, "ring")
        self.assertIn("wire.pcap000: was overwritten before it was read to its end", event["message"])

    def test_packets_that_the_filter_takes_follow_others(self):
        frames, ring = sample(60), Ring(self.ring)
        ring.write(frames[0]._replace(data=bytes(60)))
        process = self.follow("--filter", "udp")
        ring.write_all(frames)
        self.read(process, len(frames))
        self.stop(process)
        self.assertIn(f'"ring_from":{frames[0].time / SECOND}', (self.demos / "pcap2demo-status.json").read_text())

    def test_oldest_files_are_removed_above_the_ring_size(self):
        Ring(self.ring, size=20_000).write_all(sample(60))
        paths = sorted(self.ring.iterdir())
        for path in paths:
            os.utime(path, (0, 0))
        process = self.follow("--ring-size", "50k")
        self.read(process, 1)
        time.sleep(2.5)
        self.stop(process)
        left = sorted(self.ring.iterdir())
        self.assertLess(sum(path.stat().st_size for path in left), 50 << 10)
        self.assertEqual(left, paths[-len(left):])


class Trouble(FollowTest):
    """Files and folders that cannot be read or written."""

    def test_hostile_ring(self):
        """Files that are no captures, damaged, cut, overwritten and removed: the others are read."""
        frames = sample(60)
        Ring(self.ring, size=40_000).write_all(frames)
        files = sorted(self.ring.iterdir())
        damaged = bytearray(files[1].read_bytes())
        damaged[20_000:20_200] = b"\xff" * 200
        for name, data in {
                "demo.qwd": b"\0" * 100, "empty.pcap": b"", "short.pcap": Ring.HEADER[:20], "header.pcap": Ring.HEADER,
                "magic.pcap": Ring.HEADER + b"\xff" * 5000, "ng.pcapng": struct.pack("<III", 0x0A0D0D0A, 28, 0x1A2B3C4D),
                "twin.pcap": files[0].read_bytes(),  # the same first time
                "worse.pcap": damaged}.items():
            (self.ring / name).write_bytes(data)
        os.mkfifo(self.ring / "pipe.pcap")
        (self.ring / "folder.pcap").mkdir()
        (self.ring / "link.pcap").symlink_to("/dev/zero")
        process = self.follow()
        self.wait_for(process, "ring")
        self.read(process, len(frames))
        files[-1].write_bytes(Ring.HEADER)  # it shrinks
        files[0].unlink()
        (self.ring / "header.pcap").write_bytes(Ring.HEADER + record(frames[-1]._replace(time=now())))
        time.sleep(3)
        self.stop(process)
        printed = " ".join(event["message"] for event in self.events(process, "ring"))
        self.assertIn("worse.pcap: cannot be read beyond offset", printed)
        self.assertNotIn("before it was read", printed)
        self.assert_as_converted(frames)

    def test_ring_in_the_folder_of_demos(self):
        frames = sample(60)
        self.demos.mkdir()
        capture.write(self.demos / "wire.pcap", 1, frames)
        self.ring.rmdir()
        self.ring.symlink_to("demos")
        self.finish(self.follow(), frames)

    def test_folder_that_is_away_for_a_while(self):
        """The log has two messages, one when it is back; no session ends meanwhile."""
        frames, ring = sample(60), Ring(self.ring)
        ring.write_all(frames[:1000])
        process = self.follow("--idle-timeout", "5s")
        self.read(process, 1000)
        self.ring.rename(self.folder / "elsewhere")
        self.wait_for(process, "trouble")
        ring.write_all(frames[1000:])
        time.sleep(7)
        self.assertEqual(self.events(process, "session_end"), [])
        (self.folder / "elsewhere").rename(self.ring)
        self.wait_for(process, "trouble_over")
        self.read(process, len(frames))
        self.stop(process)
        event, = self.events(process, "trouble")
        self.assertIn("ring: No such file", event["message"])
        self.assert_as_converted(frames)

    def test_file_without_permission(self):
        """The log has one message, even if it grows; it is read as soon as that is permitted."""
        frames, options = sample(60), self.as_nobody()
        for name, part in ("a.pcap", frames[:1000]), ("b.pcap", frames[1000:]):
            capture.write(self.ring / name, 1, part)
        (self.ring / "a.pcap").chmod(0)
        process = self.follow(**options)
        self.wait_for(process, "ring")
        for _ in range(3):
            with (self.ring / "a.pcap").open("ab") as file:
                file.write(record(frames[1000]))
            time.sleep(1.1)
        event, = self.events(process, "ring")
        self.assertIn("a.pcap: Permission denied", event["message"])
        (self.ring / "a.pcap").chmod(0o644)
        self.read(process, len(frames) + 3)
        self.stop(process)

    def test_demos_that_cannot_be_written(self):
        """The reader ends with a message as soon as they cannot, and does not start; then it writes all of them."""
        frames, options, ring = sample(60), self.as_nobody(), Ring(self.ring)
        ring.write_all(frames[:1000])
        self.demos.mkdir()
        if options:
            output, _ = self.tool("--follow", "ring", "-o", "demos", status=2, timeout=PATIENCE, **options)
            self.assertIn("demos: Permission denied", output)
        for disturb in (lambda: self.demos.chmod(0o555) if options else self.demos.rename(self.folder / "old"),
                        lambda: shutil.rmtree(self.demos),
                        lambda: (self.demos.rename(self.folder / "older"), self.demos.mkdir(), self.demos.chmod(0o777))):
            self.demos.chmod(0o777)
            process = self.follow("--idle-timeout", "70s", **options)
            self.read(process, 1000)
            disturb()
            self.assertEqual(process.wait(PATIENCE), 2)
            self.assertIn("no demo can be written any more", process.log.read_text())
            self.demos.mkdir(exist_ok=True)
        ring.write_all(frames[1000:])
        self.demos.chmod(0o777)
        self.finish(self.follow(**options), frames)

    def test_full_disk(self):
        """No demo until there is room."""
        Ring(self.ring).write_all(sample(60))
        process = self.follow("--min-free", "1000T")
        self.wait_for(process, "disk_full")
        self.assertTrue(self.read(process, 1)["no_room"])
        time.sleep(2.5)
        self.stop(process)
        self.assertEqual(self.written(), collections.Counter())
        self.stop(self.follow())
        self.assertEqual(len(self.written()), 1)

    def largest(self, frames, size):
        """The demo with --max-demo-size."""
        process = self.launch("--follow", "ring", "-o", f"demos-{size}", "--max-demo-size", size)
        self.read(process, len(frames))
        self.stop(process)
        demo, = self.written(self.folder / f"demos-{size}")
        event, = self.events(process, "demo")
        self.assertEqual(event["bytes"], len(demo))
        event, = self.events(process, "stopped")
        self.assertIn(": 0 sessions, 0 players, 1 demo (", event["message"])
        return demo

    def test_largest_demo(self):
        """Its blocks may have the size that the option names; the end of a demo comes behind them."""
        frames, end = sample(60), 24
        Ring(self.ring).write_all(frames)
        demo = self.largest(frames, "20k")
        self.assertIn(len(demo), range(18_001, 20_001 + end))
        self.assertEqual(self.largest(frames, str(len(demo) - end)), demo)
        self.assertLess(len(self.largest(frames, str(len(demo) - end - 1))), len(demo))


class Reader(FollowTest):
    def test_stops_within_two_seconds(self):
        """In its first second, and while it decodes."""
        process = self.follow(ready=False)
        time.sleep(0.3)
        self.stop(process, signal.SIGTERM, within=2.5)
        for flood in sorted(ATTACKS.glob("*.pcap.gz")):
            (self.ring / flood.name.removesuffix(".gz")).write_bytes(capture.recordings.read(flood))
        for delay, number in (0.2, signal.SIGTERM), (1, signal.SIGTERM), (0.5, signal.SIGINT):
            process = self.follow()
            time.sleep(delay)
            self.stop(process, number, within=2.5)

    def test_conversation_of_one_end_costs_no_file(self):
        frames = sample(60)
        server = capture.ends(frames[0])[1]
        Ring(self.ring).write_all([frame for frame in frames if capture.ends(frame)[0] == server])
        process = self.follow()
        time.sleep(2)
        self.assertEqual(list(self.demos.glob(".*.qwd")), [])
        self.stop(process)
        self.assertEqual(self.written(), collections.Counter())
        self.assertEqual(self.events(process, "session_begin"), [])

    def test_one_process_a_folder(self):
        self.follow()
        output, _ = self.tool("--follow", "ring", "-o", "demos", status=2)
        self.assertIn("another pcap2demo", output)
        self.tool("--follow", "ring", "-o", "one.qwd", status=2)

    def test_log_status_and_metrics(self):
        """Of a whole session, of one with a problem, and of lossy ones of other games: all is as in recorder.txt."""
        at = now()
        whole, lossy = sample(60, at=at), sample(60, copy=2, at=at)
        others = sample(50, CAPTURES / "q2-lossy.pcap", 3, at) + sample(50, CAPTURES / "nq-lossy.pcap", 4, at)
        frames = sorted(whole + lossy[:1000] + lossy[1040:] + others, key=lambda frame: frame.time)
        Ring(self.ring).write_all(frames)
        process = self.follow("--idle-timeout", "10s", "--metrics", "q.prom", "-v")
        self.wait_for(process, "session_end", 4)
        self.read(process, len(frames))
        time.sleep(5.5)
        table, _ = self.tool("--status", "demos")
        self.stop(process, signal.SIGTERM)
        lines = [line for line in process.log.read_text().splitlines() if '"event":"status"' not in line]
        printed = "\n".join([table, *lines, "", (self.folder / "q.prom").read_text(),
                             *(json.dumps(event) for event in self.events(process, "status")[-1:]),
                             *sorted(path.name for path in self.demos.iterdir())]) + "\n"
        printed = re.sub(r"20\d\d-?\d\d-?\d\d[-T ]\d\d:?\d\d:?\d\dZ?|\b[12]\d{9}\.\d+", "TIME", printed)
        self.assert_kept(Path(__file__).with_name("recorder.txt"), printed)

    def test_spectators_are_no_players(self):
        frames = sample(60, CAPTURES / "qw-spectator.pcap")
        Ring(self.ring).write_all(frames)
        process = self.follow("--metrics", "q.prom")
        status = self.read(process, len(frames))
        self.assertEqual((status["sessions"], status["players"]), (1, 0))
        self.assertEqual((self.demos / "pcap2demo-status.json").read_text().count('"sessions":'), 1)
        self.assertRegex(self.tool("--status", "demos")[0], r"(?m)^spec +QuakeWorld +dm4 .*  spectator$")
        self.stop(process, signal.SIGTERM)
        self.assertIn('pcap2demo_sessions{game="qw"} 1\n', (self.folder / "q.prom").read_text())

    def test_status_has_three_problems_and_the_last_map(self):
        """Of a session of which the capture lacks five parts, and of one with the maps dm4 and dm6."""
        frames = [frame for number, frame in enumerate(sample(90)) if number not in range(600, 1350) or number % 150 >= 20]
        frames += sample(90, CAPTURES / "fidelity/qw-vanilla.pcap.gz", 2)
        Ring(self.ring).write_all(sorted(frames, key=lambda frame: frame.time))
        process = self.follow()
        self.read(process, len(frames))
        self.stop(process, signal.SIGTERM)
        table, _ = self.tool("--status", "demos")
        self.assertRegex(table, r"labplayer +QuakeWorld +dm4 .*\n(  .*\n){3}  and 2 more\n")
        self.assertRegex(table, r"labplayer +QuakeWorld +dm6 ")

    def test_metrics_count_all_demos_of_a_session(self):
        """Of one with the maps dm4 and dm6, a demo each."""
        Ring(self.ring).write_all(sample(90, CAPTURES / "fidelity/qw-vanilla.pcap.gz"))
        process = self.follow("--split=level", "--idle-timeout", "10s", "--metrics", "q.prom")
        self.wait_for(process, "session_end", 1)
        self.stop(process, signal.SIGTERM)
        sizes = [path.stat().st_size for path in self.demos.glob("*.qwd")]
        self.assertEqual(len(sizes), 2)
        self.assertIn(f'pcap2demo_demo_bytes_total{{game="qw"}} {sum(sizes)}\n', (self.folder / "q.prom").read_text())

    def test_client_that_left_before_it_came_back_has_disconnected(self):
        Ring(self.ring).write_all(sample(60, CAPTURES / "fidelity/qw-id.pcap.gz"))
        process = self.follow()
        event, = self.wait_for(process, "session_end")
        self.stop(process, signal.SIGTERM)
        self.assertEqual(event["why"], "disconnected")

    def test_packets_ahead_of_the_clock_do_not_wait(self):
        """The clock was set back by an hour."""
        frames = sample(-3600)
        Ring(self.ring).write_all(frames)
        process = self.follow()
        self.read(process, len(frames))
        self.stop(process)
        self.assert_as_converted(frames)

    def test_journal_has_the_time_of_each_line(self):
        self.options = ["--min-free", "1M"]
        for stream in {}, {"JOURNAL_STREAM": "8:1"}:
            process = self.launch("--follow", "ring", ready=False, env={**os.environ, "LC_ALL": "C.UTF-8", **stream})
            while not (printed := process.log.read_text()) and process.poll() is None:
                time.sleep(0.05)
            self.stop(process, signal.SIGTERM)
            self.assertEqual(printed[:2] == "20", not stream, printed)
            self.assertIn("follows ring; demos go to the current folder\n", printed)


class Capturer(FollowTest):
    """pcap2demo -i starts tcpdump."""

    def launch_with(self, script, *arguments, interfaces="lo", **options):
        """With a script in the place of tcpdump."""
        path = self.folder / "bin/tcpdump"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\necho $$ >> pids\n{script}\n")
        path.chmod(0o755)
        environment = dict(os.environ, LC_ALL="C.UTF-8", PATH=f"{path.parent}:{os.environ['PATH']}")
        return self.launch("-i", interfaces, "-o", "demos", *arguments, env=environment, **options, **self.as_nobody())

    def test_ends_with_the_program(self):
        """Whenever the program ends: at 12 moments from its start to half as long again as tcpdump's first start took."""
        start, took = time.monotonic(), None
        for number in range(13):
            process = self.launch_with("exec sleep 1000", ready=False)
            while took is None and process.poll() is None and not (self.folder / "pids").exists():
                time.sleep(0.005)
            took = took or time.monotonic() - start
            time.sleep(number * took / 8)
            process.terminate()
            process.wait(PATIENCE)
        pids, until = (self.folder / "pids").read_text().split(), time.monotonic() + 10
        while (left := [pid for pid in pids if Path(f"/proc/{pid}").exists()]) and time.monotonic() < until:
            time.sleep(0.1)
        for pid in left:
            os.kill(int(pid), signal.SIGKILL)
        self.assertEqual(left, [])

    def test_second_of_two_interfaces_ends(self):
        """$2 is the interface."""
        process = self.launch_with("echo listening on $2 >&2; [ $2 = one ] || exit 3; exec sleep 1000",
                                   interfaces="one,two")
        messages = [(event["interface"], event["message"]) for event in self.wait_for(process, "capturer", 3)]
        self.assertEqual(sorted(messages), [("one", "one: listening on one"), ("two", "two: listening on two"),
                                            ("two", "two: tcpdump has ended with status 3")])
        self.stop(process, signal.SIGTERM)

    def test_arguments_and_counts_of_drops(self):
        """A signal asks for the counts, and would end tcpdump before it listens. The log has the drops since the last count."""
        process = self.launch_with("printf '%s\\n' \"$@\" > arguments\nsleep 3\ncount=1\n"
                                   "trap 'count=$((count + 6)); echo $count packets dropped by kernel >&2' USR1\n"
                                   "echo listening on lo >&2; while :; do sleep 0.1; done",
                                   "--ring-size", "100M", "--port", "qw=28001,29000-29010", "--filter", "host 10.0.0.1")
        drops = self.wait_for(process, "drops", 2)
        self.assertEqual([event["dropped"] for event in drops], [7, 6])
        self.assertEqual([event["message"] for event in drops],
                         [f"lo: packets came too fast, and {count} were dropped" for count in (7, 6)])
        *options, base, expression = (self.folder / "arguments").read_text().splitlines()
        self.assertEqual(" ".join(options), "-i lo -n -U -s 0 -B 65536 --time-stamp-precision=nano -C 6 -W 17 -w")
        self.assertRegex(base, rf"^{self.folder}/demos/ring/lo-\d{{8}}-\d{{6}}-{process.pid}\.pcap$")
        ports = " or ".join(f"tcp port {port}" for port in (27500, 27599, 27900, 28000, 27910, 28001))
        self.assertEqual(expression, f"(udp or ip[6:2] & 0x1fff != 0 or ip6 proto 44 or {ports} or tcp portrange 29000-29010)"
                                     " and (host 10.0.0.1)")
        self.stop(process, signal.SIGTERM)
        event, = self.events(process, "stopped")
        self.assertEqual(event["message"], "stopped by SIGTERM: 0 sessions, 0 players, 0 demos, 0 packets, dropped 13, "
                                           "ring from - to -")
