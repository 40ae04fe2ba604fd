# SPDX-License-Identifier: GPL-2.0-or-later
"""From captures to demo files: which are written, under which names, and which are not."""

import json
import os
import re
import resource
import signal
import struct
import subprocess

import recordings
import tool
from tool import SAMPLE, Capture, ToolTest, udp, wait_until_read

START = "20261120-155443-labplayer"
SECOND_START = "20261120-155503-labplayer"  # of what is shifted by 20 seconds
DEMO = f"qw-sample-{START}-dm4.qwd"
TWO = [f"x-{START}-dm4.qwd", f"x-{SECOND_START}-dm4.qwd"]
SECOND = 1000000


def shifted(frames, seconds):
    return [(time + seconds * SECOND, frame) for time, frame in frames]


class Convert(ToolTest):
    @classmethod
    def setUpClass(cls):
        cls.capture = Capture.read(SAMPLE)

    def write_frames(self, name, frames):
        return self.write(name, Capture(self.capture.link_type, frames).pcap())

    def contents(self, name=DEMO):
        return (self.folder / name).read_bytes()


class Sanitize(ToolTest):
    def test_no_client_switches_it_off(self):
        """What packets say never decides what is left out."""
        client, server = (2, 40000), (1, 27500)
        serverdata = b"\x0b" + struct.pack("<II", 28, 1) + b"qw\0\0a level\0" + bytes(40)
        sent = [(client, b"\xff\xff\xff\xffgetchallenge\n"), (server, b"\xff\xff\xff\xffc1"),
                (client, b"\xff\xff\xff\xffconnect 28 1 1 \"\"\n"), (server, b"\xff\xff\xff\xffj"),
                (client, struct.pack("<IIH", 0, 0, 1) + b"\x04demo QWD\0"),
                (server, struct.pack("<II", 1, 0) + serverdata + b"\x08\x02a\0\x09quit\n\0")]
        frames = [(at, bytes(12) + b"\x08\x00" +
                   udp(end, server if end == client else client, payload))
                  for at, (end, payload) in enumerate(sent)]
        capture = self.write("a.pcap", Capture(tool.ETHERNET, frames).pcap())
        _, error = self.tool("-f", "--sanitize", "-o", "a.qwd", capture)
        demo = (self.folder / "a.qwd").read_bytes()
        self.assertIn(b"\x08\x02a\0", demo)
        self.assertNotIn(b"quit", demo)
        self.assertIn("commands left out: quit", error)


class Files(Convert):
    def test_default_name(self):
        output, error = self.tool(SAMPLE)
        self.assertEqual(error, "")
        self.assertTrue(output.startswith(f"{DEMO}: session 1, QuakeWorld 28, 0:15, "), output)
        self.assertEqual(self.left(), [DEMO])
        self.assertIn(f", {len(self.contents())} bytes\n", output)
        self.assertEqual((self.folder / DEMO).stat().st_mode & 0o777, 0o666 & ~self.umask())

    @staticmethod
    def umask():
        mask = os.umask(0)
        os.umask(mask)
        return mask

    def test_output_folder(self):
        """Each demo has its own duration."""
        (self.folder / "d").mkdir()
        output, _ = self.tool("-o", "d", tool.CAPTURES / "fidelity/q2-protocol34.pcap.gz",
                              tool.CAPTURES / "fidelity/nq-protocol666.pcap.gz", status=1)
        self.assertIn("bob-dm4.dem: session 1, Quake 666, 1:09, 111958 bytes\n", output)
        self.assertIn("d/q2-protocol34-20261120-163700-yam-lab2.dm2: session 3, Quake II 34, 0:05, 5538 bytes\n", output)
        self.assertEqual(self.left(), ["d"])
        self.assertRegex(self.tool("--list", "d")[0], "^#  file  .*\n1  .* 1:09 .*\n.*\n3  .* 0:05 ")

    def test_output_file(self):
        self.tool(SAMPLE)
        self.tool("-o", "final.qwd", SAMPLE)
        self.assertEqual(self.contents("final.qwd"), self.contents())

    def test_never_overwrites_unasked(self):
        """A name of the program's choice gives way to the next; one that the user gave does not."""
        self.write(DEMO, b"precious")
        self.write("final.qwd", b"precious")
        second = DEMO.replace(".qwd", "-2.qwd")
        output, _ = self.tool(SAMPLE)
        self.assertTrue(output.startswith(second), output)
        self.assertEqual(self.tool(SAMPLE)[0], output.replace("bytes", "bytes, unchanged"))
        _, error = self.tool("-o", "final.qwd", SAMPLE, status=1)
        self.assertIn("session 1: final.qwd: exists already", error)
        self.assertEqual(self.left(), ["final.qwd", second, DEMO])
        for name in "final.qwd", DEMO:
            self.assertEqual(self.contents(name), b"precious")
        self.tool("--force", SAMPLE)
        self.tool("--force", "-o", "final.qwd", SAMPLE)
        for name in "final.qwd", DEMO:
            self.assertEqual(self.contents(name), self.contents(second))
        self.assertEqual(self.left(), ["final.qwd", second, DEMO])

    def test_same_from_every_input(self):
        """A pipe, pieces, pcapng: the demo is the same."""
        self.tool(SAMPLE)
        expected = self.contents()
        self.tool("-", "-o", "pipe.qwd", input=SAMPLE.read_bytes())
        self.assertEqual(self.contents("pipe.qwd"), expected)
        first = self.write_frames("1.pcap", self.capture.frames[:700])
        second = self.write_frames("2.pcap", self.capture.frames[700:])
        self.tool(first, second, "-o", "pieces.qwd")
        self.assertEqual(self.contents("pieces.qwd"), expected)
        self.tool(self.write("x.pcapng", self.capture.pcapng()), "-o", "ng.qwd")
        self.assertEqual(self.contents("ng.qwd"), expected)

    def test_full_disk(self):
        """A limit on the size of files stands for it."""
        _, error = self.tool(SAMPLE, status=1, preexec_fn=lambda: resource.setrlimit(
            resource.RLIMIT_FSIZE, (10000, resource.RLIM_INFINITY)))
        self.assertIn("File too large", error)
        self.assertEqual(self.left(), [])

    def test_hostile_map(self):
        """The map's name is only a name, whatever it looks like."""
        for name in (b"maps/../.bsp", b"maps/\x1b[2J.bs", b"maps/..\\..\\a"):
            with self.subTest(name):
                self.assertEqual(len(name), 12)
                frames = [(at, frame.replace(b"maps/dm4.bsp", name))
                          for at, frame in self.capture.frames]
                path = self.write_frames("x.pcap", frames)
                self.run_tool("-q", path)
                path.unlink()
                found, = self.left()
                self.assertTrue(found.startswith("x-2026") and found.endswith(".qwd"), found)
                self.assertRegex(found, r"^[A-Za-z0-9_+.-]+$")
                (self.folder / found).unlink()


class Sessions(Convert):
    def test_two_on_one_port(self):
        """The client connects again from the same port; the capture has no disconnect before."""
        frames = self.capture.frames + shifted(self.capture.frames, 20)
        path = self.write_frames("x.pcap", frames)
        _, error = self.tool(path, status=1)
        self.assertEqual(re.findall(r"session (\d): the demo may lack its last moments", error), ["1"])
        self.assertEqual(self.left(), [*TWO, "x.pcap"])
        self.tool(SAMPLE)
        for name in TWO:
            self.assertEqual(self.contents(name), self.contents())

    def test_split(self):
        """A demo for each level. All of them together have the blocks of the one, but for their own
        beginnings and ends."""
        path = self.write("x.pcap", recordings.own("qw-vanilla.pcap"))
        self.tool("-o", "whole.qwd", path)
        self.tool("--split=connection", "-o", "same.qwd", path)
        self.assertEqual(self.contents("same.qwd"), self.contents("whole.qwd"))
        output, error = self.tool("--split=level", path)
        self.assertEqual(error, "")
        names = re.findall(r"^(\S+): session 1", output, re.MULTILINE)
        self.assertEqual([name.rsplit("-", 1)[1] for name in names], ["dm4.qwd", "dm6.qwd"])
        first, second = map(self.contents, names)
        whole = self.contents("whole.qwd")
        end = first.index(b"EndOfDemo")
        self.assertEqual(whole[:end - 20], first[:end - 20])
        self.assertGreater(len(first) + len(second), len(whole))
        self.assertLess(len(first) + len(second), len(whole) + 200)
        for name in names:
            self.assertEqual(self.tool("--check", name)[1], "")

    def test_extension(self):
        """A file's extension is that of the demo in it."""
        for name, better in (("final.mvd", "final.qwd"), ("demo.v2", "demo.qwd")):
            _, error = self.tool("-o", name, SAMPLE, status=1)
            self.assertIn(f"{name}: not written: the demo of this session is .qwd; name it {better}",
                          error)
        self.assertEqual(self.left(), [])
        self.tool("-o", "final.QWD", SAMPLE)
        self.assertEqual(self.left(), ["final.QWD"])

    def test_long_name(self):
        """A capture's name as long as file systems have them gives a demo and a golden."""
        for stem in ("x" * 250, "é" * 125):
            self.write(stem + ".pcap", SAMPLE.read_bytes())
            self.tool(stem + ".pcap")
            self.tool("--golden", "goldens", "--update", stem + ".pcap")
            self.tool("--golden", "goldens", stem + ".pcap")
            demo, = self.folder.glob(f"{stem[0] * 70}*-20261120-155443-labplayer-dm4.qwd")
            self.assertLess(len(os.fsencode(demo.name)), 255)

    def test_sign_on_of_no_use(self):
        """A warning: the demos are written."""
        for name in (SAMPLE, "missing.qwd"):
            _, error = self.tool("-f", "--sign-on", name, SAMPLE)
            self.assertRegex(error, rf"^pcap2demo: {name}: not used for --sign-on: .*\n$")

    def test_one_name_for_two(self):
        """The first gets it; the other is not lost in silence."""
        frames = self.capture.frames + shifted(self.capture.frames, 20)
        path = self.write_frames("x.pcap", frames)
        _, error = self.tool("-o", "one.qwd", path, status=1)
        self.assertIn("session 2: one file cannot hold several sessions", error)
        self.assertEqual(self.left(), ["one.qwd", "x.pcap"])
        self.tool("-f", "-o", "one.qwd", "--session", "2", path)

    def test_one_direction(self):
        """Whose packets are not there is reported: a demo of the server's does not turn its view."""
        server = b"\x6b\x6c"
        for frames, printed in (
                ([(t, f) for t, f in self.capture.frames if f[34:36] == server],
                 "the capture has no move of the client: the view does not turn"),
                ([(t, f) for t, f in self.capture.frames if f[34:36] != server],
                 "the capture has nothing that the server sent")):
            _, error = self.tool("-f", "-o", "one.qwd", self.write_frames("one.pcap", frames),
                                 status=1)
            self.assertIn(printed, error)
            self.assertEqual("server sent" not in error, (self.folder / "one.qwd").exists())
            (self.folder / "one.qwd").unlink(missing_ok=True)

    def test_status_tells_the_map(self):
        """Of a session that the capture joined late: what its server says meanwhile to somebody else."""
        late = self.capture.frames[700:]
        asked, answer = b"status\n\0", b"n\\map\\dm4\\hostname\\x\n1 2 3 4 \"a\" \"b\" 1 2\n\0"
        question, reply = (next(frame for _, frame in late if (frame[34:36] == b"\x6b\x6c") == from_server)
                          for from_server in (False, True))
        status = [self.with_payload(question, 34, asked), self.with_payload(reply, 36, answer)]
        for frames, maps in ([*late, *[(late[-1][0], frame) for frame in status]], ["dm4"]), (late, []), (
                [*[(late[0][0] - SECOND, frame) for frame in status], *late], []), (
                [*late, *[(late[-1][0] + SECOND, frame) for frame in status]], []):
            path = self.write_frames("x.pcap", frames)
            session, = json.loads(self.tool("--list", "--json", path)[0])["sessions"]
            self.assertEqual(session["maps"], maps)

    @staticmethod
    def with_payload(frame, port, payload):
        """Outside of a connection; the end whose port is there has another one."""
        payload = b"\xff\xff\xff\xff" + payload
        frame = frame[:port] + struct.pack(">H", 50999) + frame[port + 2:]
        return (frame[:16] + struct.pack(">H", 28 + len(payload)) + frame[18:38] +
                struct.pack(">HH", 8 + len(payload), 0) + payload)

    def test_client_packets_of_quake(self):
        """A lost reliable message of the client costs the demo nothing; moves of a second cost the view."""
        capture = Capture.read(tool.CAPTURES / "fidelity" / "nq-protocol15.pcap.gz")
        frames, client = capture.frames, capture.frames[0][1][34:36]
        sent = [i for i, (_, frame) in enumerate(frames) if frame[34:36] == client]
        reliable = [i for i in sent if frames[i][1][42:44] == b"\0\x09" and i > 600]
        for lost, lines in ((), []), (reliable[:1], []), (
                [i for i in sent if 3000 <= i < 3400],
                ["the view may be wrong until then: moves of the client are missing"]):
            path = self.write("x.pcap", Capture(capture.link_type, [frame for i, frame in enumerate(frames)
                                                                   if i not in lost]).pcap())
            _, error = self.tool("-f", "-o", "x.dem", path, status=1 if lines else 0)
            self.assertEqual([line for line in error.splitlines() if not any(text in line for text in lines)], [])
            self.assertEqual(len(error.splitlines()), len(lines))

    def test_clock_is_set(self):
        """The numbers go on: no time has passed."""
        for seconds in 400, 7200, -7200:
            frames = self.capture.frames[:700] + shifted(self.capture.frames[700:], seconds)
            path = self.write_frames("x.pcap", frames)
            output, error = self.tool("-f", path)
            self.assertIn(f"{TWO[0]}: session 1, QuakeWorld 28, 0:15,", output)
            self.assertEqual(error, "")

    def test_idle_is_over(self):
        """After more than five minutes without a packet it is another session."""
        frames = self.capture.frames[:700] + shifted(self.capture.frames[900:], 400)
        path = self.write_frames("x.pcap", frames)
        output, error = self.tool(path, status=1)
        self.assertEqual(output, f"{TWO[0]}: session 1, QuakeWorld 28, 0:08, 30762 bytes\n")
        self.assertEqual(self.left(), [TWO[0], "x.pcap"])
        self.assertIn("x.pcap: packet 701: session 2: its start is missing (the capture lacks the "
                      "beginning of a level); no demo: retry with --sign-on DEMO", error)

    def test_announced_port(self):
        """A Quake server that goes on from a port of its own, of which nothing else tells. After the
        disconnect the next client has numbers of its own, even if the server goes on with low ones."""
        client, listener, server = (2, 51000), (1, 26000), (1, 40264)
        accept = bytes.fromhex("80000009 81") + struct.pack("<I", server[1])
        connection = [
            udp(client, listener, bytes.fromhex("8000000c 01") + b"QUAKE\0\3"),
            udp(listener, client, accept),
            udp(server, client, bytes.fromhex("00090009 00000000 01")),
            udp(client, server, bytes.fromhex("00020008 00000000")),
            udp(client, server, bytes.fromhex("00100009 00000000 02")),
        ]
        for frames in connection[:4], 2 * connection:
            path = self.write("x.pcap", Capture(tool.RAW, [(at * SECOND, frame) for at, frame in enumerate(frames)]).pcap())
            numbers = [1, 2][:len(frames) // 4]
            sessions = json.loads(self.tool("--list", "--json", path)[0])["sessions"]
            self.assertEqual([(session["number"], session["server"], session["client"]) for session in sessions],
                             [(number, "10.0.0.1:40264", "10.0.0.2:51000") for number in numbers])
            found = self.dump(path)
            self.assertEqual([packet["direction"] for packet in found][:4], ["c2s", "s2c", "s2c", "c2s"])
            self.assertEqual([packet["session"] for packet in found if packet["source"][-5:] == "40264"], numbers)
            self.assertNotIn("nq.sequence.", json.dumps(found))

    def test_announced_port_not_captured(self):
        frames = [udp((2, 51000), (1, 26000), bytes.fromhex("8000000c 01") + b"QUAKE\0\3"),
                  udp((1, 26000), (2, 51000), bytes.fromhex("80000009 81") + struct.pack("<I", 40264))]
        frames *= 2  # the accept is repeated: it is of one client
        _, error = self.tool(self.write("x.pcap", Capture(tool.RAW, enumerate(frames)).pcap()), status=1)
        self.assertIn("sent its client to 10.0.0.1:40264, but the capture has no packet from there; ", error)
        self.assertIn("udp and host 10.0.0.1\n", error)

    def test_announced_port_changed_by_a_nat(self):
        """The accept names the port before the NAT; the session is there."""
        capture = Capture.read(tool.CAPTURES / "nq-protocol15.pcap")
        frames = [frame for _, frame in capture.frames]
        at, = (i for i, frame in enumerate(frames) if frame[42:47] == bytes.fromhex("8000000981"))
        frames[at] = frames[at][:47] + struct.pack("<I", 40999) + frames[at][51:]
        path = self.write("x.pcap", Capture(capture.link_type, [(time, frame) for (time, _), frame in
                                                               zip(capture.frames, frames)]).pcap())
        output, error = self.tool(path)
        self.assertIn("session 1, Quake 15", output)
        self.assertNotIn("sent its client", error)

    def test_numbers_on_an_unknown_port(self):
        """From the middle on, and of one end only, no game is recognized; but a port is suggested."""
        frames = [udp((2, 40111), (1, 51000), struct.pack("<II", 900 + i, 800 + i) + bytes(40))
                  for i in range(40)]
        _, error = self.tool(self.write("x.pcap", Capture(tool.RAW, enumerate(frames)).pcap()), status=1)
        self.assertIn("no session found; the packets between ports 40111 and 51000 ", error)
        self.assertIn("--port qw=40111", error)

    def test_list_reports_what_convert_writes(self):
        frames = self.capture.frames + shifted(self.capture.frames[700:], 400)
        path = self.write_frames("x.pcap", frames)
        output, _ = self.tool("--list", "--json", path)
        first, second = json.loads(output)["sessions"]
        self.assertEqual(first["demo"]["files"], 1)
        self.assertIsNone(first["demo"]["lacks"])
        self.assertGreater(first["demo"]["blocks"], 1000)
        self.assertEqual(second["demo"]["files"], 0)
        self.assertIsNone(second["demo"]["sign_on"]["donor"])  # the first one is of another time
        self.assertIn("lacks the beginning of a level", second["demo"]["lacks"])
        self.assertEqual(self.left(), ["x.pcap"])

    def test_many_conversations(self):
        """Strangers by the thousand, in the middle of a session: memory and the session hold."""
        strangers = [udp((3 + i % 250, 1024 + i), (1, 27500), b"\xff\xff\xff\xffping\n")
                     for i in range(20000)]
        at = self.capture.frames[700][0]
        ethernet = self.capture.frames[0][1][:14]
        flood = [(at, ethernet + packet) for packet in strangers]
        frames = self.capture.frames[:701] + flood[:900] + self.capture.frames[701:702] + \
            flood[900:1800] + self.capture.frames[702:] + flood
        path = self.write_frames("x.pcap", frames)
        self.tool(path, "-o", "flood.qwd", preexec_fn=None)
        self.tool(SAMPLE)
        self.assertEqual(self.contents("flood.qwd"), self.contents())


class Interrupted(Convert):
    def start(self, *arguments, **options):
        return subprocess.Popen([tool.PROGRAM, *arguments], cwd=self.folder,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)

    def test_recording(self):
        """Standard input that is interrupted is a recording that is done."""
        with self.start("-", stdin=subprocess.PIPE) as process:
            process.stdin.write(SAMPLE.read_bytes())
            process.stdin.flush()
            wait_until_read(process, process.stdin)
            process.send_signal(signal.SIGTERM)
            process.stdout.read()
            self.assertEqual(process.stderr.read(), b"")
        self.assertEqual(process.returncode, 0)
        self.assertEqual(self.left(), [f"stdin-{START}-dm4.qwd"])

    def test_file(self):
        """A file that was not read to its end: no half demos."""
        fifo = self.folder / "x.pcap"
        os.mkfifo(fifo)
        with self.start("x.pcap") as process, open(fifo, "wb") as stream:
            stream.write(SAMPLE.read_bytes()[:50000])
            stream.flush()
            wait_until_read(process, stream)
            process.send_signal(signal.SIGINT)
            process.wait()
            self.assertEqual(process.stderr.read(),
                             b"pcap2demo: interrupted; unfinished demos are not kept\n")
        self.assertEqual(process.returncode, 1)
        self.assertEqual(self.left(), ["x.pcap"])
