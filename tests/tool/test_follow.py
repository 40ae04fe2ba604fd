# SPDX-License-Identifier: GPL-2.0-or-later
"""Following a ring of captures: demos are byte for byte those that a conversion gives, whatever happens to
the reader, and to the files."""

import collections
import json
import os
import random
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

PATIENCE = 120  # seconds until a test is taken to hang, however busy the machine is
SECOND = 10**9
ATTACKS = tool.SOURCE.parent / "shared/cases/attacks"


def record(frame):
    seconds, fraction = divmod(frame.time, SECOND)
    return struct.pack("<4I", seconds, fraction, len(frame.data), frame.size) + frame.data


class Ring:
    """Writes frames as tcpdump -U -C -W does: to numbered files, the oldest of which are written anew."""

    HEADER = struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 262144, 1)

    def __init__(self, folder, name="wire.pcap", size=1 << 20, files=1000):
        self.folder, self.name, self.size, self.files = folder, name, size, files
        self.count, self.file = 0, None

    def write(self, frame, pause=None):
        """A record comes in two halves if there is a pause between them."""
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

    def record(self, frame):
        return record(frame)

    def close(self):
        if self.file:
            self.file.close()
        self.file = None

    __del__ = close


class Dumpcap(Ring):
    """The same as dumpcap -b does: in pcapng, with times in nanoseconds, to files of new names; the oldest go."""

    HEADER = (tool.block("<", 0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1)) +
              tool.block("<", 1, struct.pack("<HHIHHB7x", 1, 0, 262144, 9, 1, 9)))

    def record(self, frame):
        head = struct.pack("<IIIII", 0, frame.time >> 32, frame.time & 0xFFFFFFFF, len(frame.data), frame.size)
        return tool.block("<", 6, head + frame.data)


def evening(seconds, copies=2):
    """Frames of sessions of three games at once, of so many seconds, from time 0 on."""
    frames = []
    for number, name in enumerate(["qw-sample", "q2-vanilla", "nq-protocol15", "qw-vanilla"]):
        own = [frame for frame in capture.read(CAPTURES / f"{name}.pcap")[1] if capture.is_udp(frame)]
        start, length = own[0].time, own[-1].time - own[0].time + 1
        for copy in range(copies):
            begin = SECOND * seconds * 3 // 10 * (copy + number % 2) // max(copies, 1)
            room = SECOND * seconds - begin
            frames += [damages.copy(frame, 10 * number + copy)._replace(
                time=begin + (frame.time - start) * room // length) for frame in own]
    return sorted(frames, key=lambda frame: frame.time)


def now():
    return time.time_ns()


class Follow(ToolTest):
    options = ["--min-free", "1M", "--log-format=json"]

    def setUp(self):
        super().setUp()
        self.ring, self.demos = self.folder / "ring", self.folder / "demos"
        self.ring.mkdir()
        self.processes = []
        self.addCleanup(self.end_all)

    def end_all(self):
        for process in self.processes:
            if process.poll() is None:
                process.kill()
            process.wait()

    def follow(self, *arguments, ready=True):
        return self.launch("--follow", "ring", "-o", "demos", *arguments, ready=ready)

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

    def events(self, process, kind=None):
        lines = process.log.read_text().splitlines(True)
        events = [json.loads(line) for line in lines if line.endswith("\n") and line[0] == "{"]
        return [event for event in events if kind in (None, event["event"])]

    def wait_for(self, process, kind, count=1):
        until = time.monotonic() + PATIENCE
        while len(found := self.events(process, kind)) < count:
            self.assertLess(time.monotonic(), until, f"no {kind} in {process.log.read_text()}")
            self.assertIsNone(process.poll(), process.log.read_text())
            time.sleep(0.05)
        return found

    def read(self, process, packets):
        """Waits until so many packets were read."""
        until = time.monotonic() + PATIENCE
        while True:
            count = len(self.events(process, "status"))
            process.send_signal(signal.SIGUSR1)
            if self.wait_for(process, "status", count + 1)[-1]["packets"] >= packets:
                return
            self.assertLess(time.monotonic(), until, process.log.read_text())

    def stop(self, process, number=signal.SIGINT, within=PATIENCE, status=0):
        begun = time.monotonic()
        process.send_signal(number)
        self.assertEqual(process.wait(PATIENCE), status, process.log.read_text())
        self.assertLess(time.monotonic() - begun, within)
        if number == signal.SIGINT and list(self.demos.glob(".*-*.???")):  # two seconds were not enough
            self.stop(self.follow())

    def contents(self, folder):
        return collections.Counter(path.read_bytes() for path in folder.iterdir()
                                   if path.suffix in (".qwd", ".dm2", ".dem") and path.name[0] != ".")

    def converted(self, frames):
        """Without frames: those of the ring's files."""
        paths = sorted(self.ring.iterdir())
        if frames:
            paths = [self.folder / "whole.pcap"]
            capture.write(paths[0], 1, frames)
        self.run_tool("-o", "converted/", "--quiet", *paths)
        return self.contents(self.folder / "converted")

    def assert_as_converted(self, frames):
        self.assertEqual(sorted(map(len, self.contents(self.demos))), sorted(map(len, self.converted(frames))))
        self.assertEqual(self.contents(self.demos), self.converted(frames))
        self.assertEqual([path.name for path in self.demos.glob(".*") if path.name != ".pcap2demo-until"], [])

    # --- A ring that grows

    def play(self, seconds, rings, disturb=None, copies=2, pauses=(0.01,)):
        """Writes an evening to the rings by turns, as time goes, some records in halves; returns its frames."""
        start, frames = now(), evening(seconds, copies)
        frames = [frame._replace(time=start + frame.time) for frame in frames]
        chance = random.Random(7)
        for number, frame in enumerate(frames):
            while now() < frame.time:
                if disturb:
                    disturb()
                time.sleep(0.002)
            ring = rings[capture.ends(frame)[0][0][1] % len(rings)] if len(rings) > 1 else rings[0]
            ring.write(frame, chance.choice(pauses) if chance.random() < 0.002 else None)
        for ring in rings:
            ring.close()
        return frames

    def test_demos_are_those_of_a_conversion(self):
        process = self.follow()
        frames = self.play(12, [Ring(self.ring, size=100_000)])
        self.assertTrue((self.demos / ".pcap2demo-until").exists())
        self.read(process, len(frames))
        self.stop(process)
        self.assert_as_converted(frames)
        self.assertEqual(self.events(process, "ring"), [])

    def test_two_rings(self):
        """As of two interfaces: packets of one are merged with those of the other, by time."""
        process = self.follow()
        rings = [Ring(self.ring, "eth0.pcap", 100_000), Dumpcap(self.ring, "lo.pcapng", 100_000)]
        frames = self.play(8, rings)
        self.read(process, len(frames))
        self.stop(process)
        self.assert_as_converted(frames)

    def test_killed_at_any_moment(self):
        chance, kills, due = random.Random(1), [0], [time.monotonic()]

        def kill():
            if kills[0] < 20 and time.monotonic() > due[0]:
                if self.processes:
                    self.processes[-1].kill()
                    self.processes[-1].wait()
                    kills[0] += 1
                self.follow(ready=False)
                due[0] = time.monotonic() + chance.uniform(0.05, 1.5)

        frames = self.play(25, [Ring(self.ring, size=200_000)], kill)
        self.wait_for(self.processes[-1], "folder")
        self.read(self.processes[-1], len(frames))
        self.stop(self.processes[-1])
        self.assertGreaterEqual(kills[0], 15)
        self.assert_as_converted(frames)

    def test_capturer_killed_at_any_moment(self):
        """Its last record is torn, packets are missing until it runs again, and its next file has another name."""
        chance, ring = random.Random(2), Ring(self.ring, "wire-0.pcap", 200_000)
        due = [time.monotonic() + 1]

        def kill():
            if time.monotonic() > due[0]:
                if ring.file:
                    ring.file.write(record(self.sample(now())[0])[:chance.randrange(1, 30)])
                ring.close()
                ring.name = f"wire-{now()}.pcap"
                time.sleep(chance.uniform(0.01, 0.5))
                due[0] = time.monotonic() + chance.uniform(0.1, 1.5)

        process = self.follow()
        frames = self.play(12, [ring], kill)
        self.assertGreater(len(set(path.name[:-3] for path in self.ring.iterdir())), 6)
        self.read(process, len(frames))
        self.stop(process)
        self.assert_as_converted(None)

    def test_slow_disk(self):
        """Capturer and reader wait for it, up to 4 seconds at a time, also within a record, and catch up."""
        process, chance = self.follow(), random.Random(3)
        until, stopped = [time.monotonic() + 1], [False]

        def wait():
            if time.monotonic() > until[0]:
                process.send_signal(signal.SIGCONT if stopped[0] else signal.SIGSTOP)
                stopped[0] = not stopped[0]
                until[0] = time.monotonic() + chance.uniform(0.1, 4 if stopped[0] else 1)

        frames = self.play(20, [Ring(self.ring, size=200_000)], wait, pauses=(0.01, 0.5, 4))
        process.send_signal(signal.SIGCONT)
        self.read(process, len(frames))
        self.stop(process)
        self.assert_as_converted(frames)
        self.assertEqual(self.events(process, "ring"), [])

    def test_stopped_and_started_again(self):
        """SIGTERM leaves what goes on to the next start."""
        begun = [False]

        def stop():
            if not begun[0] and now() > self.start + 4 * SECOND:
                self.stop(self.processes[-1], signal.SIGTERM, within=2.5)
                self.follow(ready=False)
                begun[0] = True

        self.start = now()
        self.follow()
        frames = self.play(8, [Ring(self.ring)], stop)
        self.wait_for(self.processes[-1], "folder")
        self.read(self.processes[-1], len(frames))
        self.stop(self.processes[-1])
        self.assert_as_converted(frames)

    # --- A ring that loses its first files

    def sample(self, start, copies=1):
        frames = capture.read(SAMPLE)[1]
        return [damages.copy(frame, 1)._replace(time=start + frame.time - frames[0].time) for frame in frames]

    def test_finished_demos_are_not_written_again(self):
        """Nor as shorter ones, since the ring has lost their first packets."""
        frames = self.sample(now() - 60 * SECOND)
        ring = Ring(self.ring, size=60_000)
        for frame in frames:
            ring.write(frame)
        process = self.follow("--idle-timeout", "10s")
        self.wait_for(process, "demo")
        time.sleep(2.5)  # the time stamp is written every second
        before = self.contents(self.demos)
        process.kill()
        process.wait()
        sorted(self.ring.iterdir())[0].unlink()
        process = self.follow("--idle-timeout", "10s")
        self.wait_for(process, "session_end")
        self.stop(process)
        self.assertEqual(self.contents(self.demos), before)

    def test_unfinished_demo_whose_first_packets_are_lost(self):
        """It is completed as far as it goes; the rest is a session that the ring joins late."""
        frames = self.sample(now() - 16 * SECOND)
        ring = Ring(self.ring, size=40_000)
        for frame in frames[:1200]:
            ring.write(frame)
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
        _, error = self.tool("--check", demo, status=None)
        self.assertEqual(error, "")
        self.assertEqual(list(self.demos.glob(".*.qwd")), [])

    def test_ring_that_is_written_anew(self):
        """The reader keeps up; what it reads again after a restart is less, and changes no demo."""
        frames = self.sample(now() - 16 * SECOND)
        process = self.follow()
        ring = Ring(self.ring, size=20_000, files=3)
        for number, frame in enumerate(frames):
            ring.write(frame)
            if number % 250 == 249:
                self.read(process, number + 1)
        self.read(process, len(frames))
        self.stop(process)
        self.assertEqual(self.contents(self.demos), self.converted(frames))
        before = self.contents(self.demos)
        process = self.follow()
        self.stop(process)
        self.assertEqual(self.contents(self.demos), before)

    # --- Files that are not as they should be

    def test_hostile_ring(self):
        """No captures, damaged, cut, overwritten and removed ones: the others are read."""
        frames = self.sample(now() - 60 * SECOND)
        ring = Ring(self.ring, size=40_000)
        for frame in frames:
            ring.write(frame)
        ring.close()
        files = sorted(self.ring.iterdir())
        (self.ring / "demo.qwd").write_bytes(b"\0" * 100)
        (self.ring / "empty.pcap").write_bytes(b"")
        (self.ring / "short.pcap").write_bytes(Ring.HEADER[:20])
        (self.ring / "header.pcap").write_bytes(Ring.HEADER)
        (self.ring / "magic.pcap").write_bytes(Ring.HEADER + b"\xff" * 5000)
        (self.ring / "ng.pcapng").write_bytes(struct.pack("<III", 0x0A0D0D0A, 28, 0x1A2B3C4D))
        os.mkfifo(self.ring / "pipe.pcap")
        (self.ring / "folder.pcap").mkdir()
        (self.ring / "link.pcap").symlink_to("/dev/zero")
        (self.ring / "twin.pcap").write_bytes(files[0].read_bytes())  # the same first time
        damaged = bytearray(files[1].read_bytes())
        damaged[20_000:20_200] = b"\xff" * 200
        (self.ring / "worse.pcap").write_bytes(damaged)
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
        self.assertEqual(self.contents(self.demos), self.converted(frames))

    def test_file_that_is_lost(self):
        """One that is removed or overwritten before it was read is reported."""
        frames = self.sample(now() - 60 * SECOND)
        ring = Ring(self.ring)
        for frame in frames[:700]:
            ring.write(frame)
        process = self.follow()
        self.read(process, 700)
        process.send_signal(signal.SIGSTOP)
        for frame in frames[700:1000]:
            ring.write(frame)
        ring.close()
        path, = self.ring.iterdir()
        path.write_bytes(Ring.HEADER + b"".join(map(record, frames[1000:])))
        process.send_signal(signal.SIGCONT)
        self.read(process, len(frames) - 300)
        self.stop(process)
        self.assertEqual(len(self.contents(self.demos)), 1)

    def test_ring_in_the_folder_of_demos(self):
        frames = self.sample(now() - 60 * SECOND)
        self.demos.mkdir()
        capture.write(self.demos / "wire.pcap", 1, frames)
        self.ring.rmdir()
        self.ring.symlink_to("demos")
        process = self.follow()
        self.read(process, len(frames))
        self.stop(process)
        self.assertEqual(self.contents(self.demos), self.converted(frames))

    def test_folder_that_is_gone_for_a_while(self):
        """It is logged once, and once when it is back; meanwhile nobody is taken to be silent."""
        frames = self.sample(now() - 60 * SECOND)
        ring = Ring(self.ring)
        for frame in frames[:1000]:
            ring.write(frame)
        process = self.follow("--idle-timeout", "5s")
        self.read(process, 1000)
        self.ring.rename(self.folder / "elsewhere")
        self.wait_for(process, "trouble")
        for frame in frames[1000:]:
            ring.write(frame)
        time.sleep(7)
        self.assertEqual(self.events(process, "session_end"), [])
        (self.folder / "elsewhere").rename(self.ring)
        self.wait_for(process, "trouble_over")
        self.read(process, len(frames))
        self.stop(process)
        self.assertEqual(len(self.events(process, "trouble")), 1)
        self.assertIn("ring: No such file", self.events(process, "trouble")[0]["message"])
        self.assert_as_converted(frames)

    def as_nobody(self):
        """Root may read everything: the reader is another user."""
        self.folder.chmod(0o777)
        return {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}

    def test_file_that_must_not_be_read(self):
        """It is logged once, and read when it may be."""
        frames, options = self.sample(now() - 60 * SECOND), self.as_nobody()
        capture.write(self.ring / "a.pcap", 1, frames[:1000])
        capture.write(self.ring / "b.pcap", 1, frames[1000:])
        (self.ring / "a.pcap").chmod(0)
        process = self.launch("--follow", "ring", "-o", "demos", **options)
        self.wait_for(process, "ring")
        for _ in range(3):  # it grows
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
        frames, options = self.sample(now() - 60 * SECOND), self.as_nobody()
        ring = Ring(self.ring)
        for frame in frames[:1000]:
            ring.write(frame)
        self.demos.mkdir()
        output = subprocess.run([tool.PROGRAM, "--follow", "ring", "-o", "demos"], cwd=self.folder, timeout=PATIENCE,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options) if options else None
        if output:
            self.assertEqual(output.returncode, 2)
            self.assertIn("demos: Permission denied", output.stdout)
        for disturb in (lambda: self.demos.chmod(0o555) if options else self.demos.rename(self.folder / "old"),
                        lambda: shutil.rmtree(self.demos),
                        lambda: (self.demos.rename(self.folder / "older"), self.demos.mkdir(), self.demos.chmod(0o777))):
            self.demos.chmod(0o777)
            process = self.launch("--follow", "ring", "-o", "demos", "--idle-timeout", "70s", **options)
            self.read(process, 1000)
            disturb()
            self.assertEqual(process.wait(PATIENCE), 2)
            self.assertIn("no demo can be written any more", process.log.read_text())
            self.demos.mkdir(exist_ok=True)
        for frame in frames[1000:]:
            ring.write(frame)
        self.demos.chmod(0o777)
        process = self.launch("--follow", "ring", "-o", "demos", **options)
        self.read(process, len(frames))
        self.stop(process)
        self.assertEqual(self.contents(self.demos), self.converted(frames))

    # --- The reader

    def test_stops_within_two_seconds(self):
        """In its first second, and while it decodes."""
        process = self.follow(ready=False)
        time.sleep(0.3)
        self.stop(process, signal.SIGTERM, within=2.5, status=None if process.poll() else 0)
        for flood in sorted(ATTACKS.glob("*.pcap.gz")):
            (self.ring / flood.name.removesuffix(".gz")).write_bytes(capture.recordings.read(flood))
        for delay, number in (0.2, signal.SIGTERM), (1, signal.SIGTERM), (0.5, signal.SIGINT):
            process = self.follow()
            time.sleep(delay)
            self.stop(process, number, within=2.5)

    def test_only_sessions_of_both_ends(self):
        """Until then a conversation costs no file, however much comes."""
        frames = self.sample(now() - 60 * SECOND)
        server = capture.ends(frames[0])[1]
        ring = Ring(self.ring)
        for frame in frames:
            if capture.ends(frame)[0] == server:
                ring.write(frame)
        process = self.follow()
        time.sleep(2)
        self.assertEqual(list(self.demos.glob(".*.qwd")), [])
        self.stop(process)
        self.assertEqual(self.contents(self.demos), collections.Counter())
        self.assertEqual(self.events(process, "session_begin"), [])

    def test_one_process_a_folder(self):
        self.follow()
        output, _ = self.tool("--follow", "ring", "-o", "demos", status=2)
        self.assertIn("another pcap2demo", output)

    def test_no_room(self):
        capture.write(self.ring / "wire.pcap", 1, self.sample(now() - 60 * SECOND))
        process = self.follow("--min-free", "1000T")
        self.wait_for(process, "disk_full")
        self.read(process, 1)
        self.assertTrue(self.events(process, "status")[-1]["no_room"])
        time.sleep(2.5)
        self.stop(process)
        self.assertEqual(self.contents(self.demos), collections.Counter())
        process = self.follow()  # there is room
        self.stop(process)
        self.assertEqual(len(self.contents(self.demos)), 1)

    def test_size_limit(self):
        frames = self.sample(now() - 60 * SECOND)
        capture.write(self.ring / "wire.pcap", 1, frames)
        process = self.follow("--max-demo-size", "20k")
        self.read(process, len(frames))
        self.stop(process)
        demo, = self.contents(self.demos)
        self.assertLessEqual(len(demo), 20_100)
        self.assertGreater(len(demo), 18_000)

    def test_ring_size(self):
        """The oldest files that were read are removed."""
        ring = Ring(self.ring, size=20_000)
        for frame in self.sample(now() - 60 * SECOND):
            ring.write(frame)
        ring.close()
        for path in self.ring.iterdir():
            os.utime(path, (0, 0))
        process = self.follow("--ring-size", "50k")
        self.read(process, 1)
        time.sleep(2.5)
        self.stop(process)
        self.assertLess(sum(path.stat().st_size for path in self.ring.iterdir()), 50 << 10)

    def test_status(self):
        capture.write(self.ring / "wire.pcap", 1, self.sample(now() - 60 * SECOND))
        process = self.follow("--idle-timeout", "10s", "--metrics", "q.prom")
        self.wait_for(process, "session_end")
        self.read(process, 1)
        time.sleep(5.5)
        table, _ = self.tool("--status", "demos")
        self.assertRegex(table, r"loss↑% loss↓% ping ms")
        self.assertRegex(table, r"finished:\nlabplayer +QuakeWorld +dm4 .* 0\.0 +0\.0 ")
        self.assertRegex(table, r"ring from 20\S+ \S+ to 20")
        self.assertIn('pcap2demo_demos_total{game="qw"} 1\n', (self.folder / "q.prom").read_text())
        self.stop(process, signal.SIGTERM)

    def test_spectators_are_no_players(self):
        frames = [frame for frame in capture.read(CAPTURES / "qw-spectator.pcap")[1] if capture.is_udp(frame)]
        start = now() - 60 * SECOND - frames[0].time
        capture.write(self.ring / "wire.pcap", 1, [frame._replace(time=start + frame.time) for frame in frames])
        process = self.follow()
        self.read(process, len(frames))
        status = self.events(process, "status")[-1]
        self.assertEqual((status["sessions"], status["players"]), (1, 0))
        self.stop(process, signal.SIGTERM)

    def test_problems(self):
        """Log and status say which."""
        frames = self.sample(now() - 60 * SECOND)
        capture.write(self.ring / "wire.pcap", 1, frames[:1000] + frames[1040:])
        process = self.follow()
        self.read(process, 1)
        self.stop(process)
        missing = "at 0:10: 20 packets of the server and 20 of the client are missing"
        printed = [event["message"] for event in self.events(process, "message")]
        self.assertIn(f"ring: session 1: {missing}", "\n".join(printed))
        process = self.follow("--idle-timeout", "10s")
        self.wait_for(process, "session_end")
        time.sleep(5.5)
        table, _ = self.tool("--status", "demos")
        self.assertRegex(table, f"finished:\\nlabplayer .*\\n(  .*\\n)*  {missing}")
        self.stop(process)

    def fake_tcpdump(self, script):
        """The environment in which it is found."""
        path = self.folder / "bin/tcpdump"
        path.parent.mkdir()
        path.write_text(f"#!/bin/sh\necho $$ >> pids\n{script}\n")
        path.chmod(0o755)
        return dict(os.environ, LC_ALL="C.UTF-8", PATH=f"{path.parent}:{os.environ['PATH']}")

    def test_stopped_at_once(self):
        """tcpdump ends with the program."""
        environment = self.fake_tcpdump("exec sleep 1000")
        for number in range(12):
            process = self.launch("-i", "lo", "-o", "demos", ready=False, env=environment, **self.as_nobody())
            time.sleep(number * 0.015)
            process.terminate()
            process.wait(PATIENCE)
        pids, until = (self.folder / "pids").read_text().split(), time.monotonic() + 10
        while (left := [pid for pid in pids if Path(f"/proc/{pid}").exists()]) and time.monotonic() < until:
            time.sleep(0.1)
        for pid in left:
            os.kill(int(pid), signal.SIGKILL)
        self.assertEqual(left, [])

    def test_capturer_that_starts_slowly(self):
        """tcpdump is not asked for its counts, by a signal, before it listens."""
        environment = self.fake_tcpdump("sleep 3; trap 'echo 7 packets dropped by kernel >&2' USR1\n"
                                        "echo listening on lo >&2; while :; do sleep 0.1; done")
        process = self.launch("-i", "lo", "-o", "demos", env=environment, **self.as_nobody())
        self.assertEqual(self.wait_for(process, "drops")[0]["dropped"], 7)
        self.stop(process, signal.SIGTERM)

    def test_usage(self):
        for arguments in (["--list"], ["-s", "1"], ["--force"], [SAMPLE], ["--ring", "x"], ["-i", "lo"]):
            self.tool("--follow", "ring", *arguments, status=2)
        self.tool("--follow", "ring", "-o", "one.qwd", status=2)
        self.tool("--players-only", SAMPLE, status=2)
        for arguments in (["--check", "--junit", "x"], ["--anonymize", "x"], ["--dump"]):
            self.tool("-i", "lo", *arguments, status=2)

    def test_options_of_earlier_versions(self):
        process = self.follow("--max-disk", "20G", "--keep", "30d", "--buffer-size", "256M", "--write-pcap", "packets")
        self.stop(process)
        for name in "max-disk", "keep", "buffer-size", "write-pcap":
            self.assertIn(f"--{name} is not used any more", process.log.read_text())


if __name__ == "__main__":
    unittest.main()
