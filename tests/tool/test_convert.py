# SPDX-License-Identifier: GPL-2.0-or-later
"""From captures to demo files: which demos are written, and under which names."""

import json
import os
import re
import resource
import signal
import struct
import subprocess
import time

import capture
import late
import recordings
import tool
from tool import SAMPLE, Capture, ToolTest, udp, udp_frame, wait_until_read

START = "20261120-155443-labplayer"
SECOND_START = "20261120-155503-labplayer"  # 20 seconds later
DEMO = f"qw-sample-{START}-dm4.qwd"
TWO = [f"x-{START}-dm4.qwd", f"x-{SECOND_START}-dm4.qwd"]
SECOND = 1000000


def shifted(frames, seconds):
    return [(time + seconds * SECOND, frame) for time, frame in frames]


def of_server(frames):
    """The indices of frames that do not come from the first one's port, the client's."""
    return [i for i, (_, frame) in enumerate(frames) if frame[34:36] != frames[0][1][34:36]]


class Convert(ToolTest):
    @classmethod
    def setUpClass(cls):
        cls.frames = Capture.read(SAMPLE).frames


class Sanitize(ToolTest):
    def test_no_command_of_a_client_disables_it(self):
        client, server = (2, 40000), (1, 27500)
        serverdata = b"\x0b" + struct.pack("<II", 28, 1) + b"qw\0\0a level\0" + bytes(40)
        sent = [(client, b"\xff\xff\xff\xffgetchallenge\n"), (server, b"\xff\xff\xff\xffc1"),
                (client, b"\xff\xff\xff\xffconnect 28 1 1 \"\"\n"), (server, b"\xff\xff\xff\xffj"),
                (client, struct.pack("<IIH", 0, 0, 1) + b"\x04demo QWD\0"),
                (server, struct.pack("<II", 1, 0) + serverdata + b"\x08\x02a\0\x09quit\n\0")]
        capture = self.write_capture("a.pcap", [(at, udp_frame(end, server if end == client else client, payload))
                                                for at, (end, payload) in enumerate(sent)])
        _, error = self.tool("-f", "--sanitize", "-o", "a.qwd", capture)
        demo = self.contents("a.qwd")
        self.assertIn(b"\x08\x02a\0", demo)
        self.assertNotIn(b"quit", demo)
        self.assertIn("commands left out: quit", error)


class Files(Convert):
    def test_default_name(self):
        output, error = self.tool(SAMPLE)
        self.assertEqual((error, self.left()), ("", [DEMO]))
        self.assertEqual(output, f"{DEMO}: session 1, QuakeWorld 28, 0:15, {len(self.contents(DEMO))} bytes\n")
        mask = os.umask(0)
        os.umask(mask)
        self.assertEqual((self.folder / DEMO).stat().st_mode & 0o777, 0o666 & ~mask)

    def test_output_folder(self):
        """Each demo has its own duration."""
        (self.folder / "d").mkdir()
        output, _ = self.tool("-o", "d", tool.CAPTURES / "fidelity/q2-protocol34.pcap.gz",
                              tool.CAPTURES / "fidelity/nq-protocol666.pcap.gz", status=1)
        self.assertIn("bob-dm4.dem: session 1, Quake 666, 1:09, 111958 bytes\n", output)
        self.assertIn("d/q2-protocol34-20261120-163700-yam-lab2.dm2: session 3, Quake II 34, 0:05, 5538 bytes\n", output)
        self.assertEqual(self.left(), ["d"])
        self.assertRegex(self.tool("--list", "d")[0], "^#  file  .*\n1  .* 1:09 .*\n.*\n3  .* 0:05 ")

    def test_never_overwrites_unasked(self):
        """A default name that is taken gets a number; a name that the user chose does not."""
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

    def test_full_disk(self):
        """A limit of the file size has the same effect."""
        _, error = self.tool(SAMPLE, status=1, preexec_fn=lambda: resource.setrlimit(
            resource.RLIMIT_FSIZE, (10000, resource.RLIM_INFINITY)))
        self.assertIn("File too large", error)
        self.assertEqual(self.left(), [])

    def test_extension_is_that_of_the_demo(self):
        for name, better in (("final.mvd", "final.qwd"), ("demo.v2", "demo.qwd")):
            _, error = self.tool("-o", name, SAMPLE, status=1)
            self.assertIn(f"{name}: not written: the demo of this session is .qwd; name it {better}", error)
        self.assertEqual(self.left(), [])
        self.tool("-o", "final.QWD", SAMPLE)
        self.assertEqual(self.left(), ["final.QWD"])

    def test_longest_name_of_a_capture_gives_a_demo_and_a_golden(self):
        for stem in ("x" * 250, "é" * 125):
            self.write(stem + ".pcap", SAMPLE.read_bytes())
            self.tool(stem + ".pcap")
            self.tool("--golden", "goldens", "--update", stem + ".pcap")
            self.tool("--golden", "goldens", stem + ".pcap")
            demo, = self.folder.glob(f"{stem[0] * 70}*-20261120-155443-labplayer-dm4.qwd")
            self.assertLess(len(os.fsencode(demo.name)), 255)

    def test_sign_on_that_is_of_no_use_is_a_warning(self):
        for name in (SAMPLE, "missing.qwd"):
            _, error = self.tool("-f", "--sign-on", name, SAMPLE)
            self.assertRegex(error, rf"^pcap2demo: {name}: not used for --sign-on: .*\n$")


class Sessions(Convert):
    def test_client_that_connects_again_from_its_port(self):
        """Without a disconnect, two demos, the first of which may end early. They do not fit into one file."""
        path = self.write_capture("x.pcap", self.frames + shifted(self.frames, 20))
        _, error = self.tool(path, status=1)
        self.assertEqual(re.findall(r"session (\d): the demo may lack its last moments", error), ["1"])
        self.assertEqual(self.left(), [*TWO, "x.pcap"])
        self.tool(SAMPLE)
        for name in TWO:
            self.assertEqual(self.contents(name), self.contents(DEMO))
        _, error = self.tool("-o", "one.qwd", path, status=1)
        self.assertIn("session 2: one file cannot hold several sessions", error)
        self.assertEqual(self.left(), ["one.qwd", DEMO, *TWO, "x.pcap"])
        self.tool("-f", "-o", "one.qwd", "--session", "2", path)

    def test_split_by_level(self):
        """The demos have the same blocks as one of all levels, and their own beginnings and ends."""
        path = self.write("x.pcap", recordings.own("qw-vanilla.pcap"))
        self.tool("-o", "whole.qwd", path)
        self.tool("--split=connection", "-o", "same.qwd", path)
        self.assertEqual(self.contents("same.qwd"), self.contents("whole.qwd"))
        output, error = self.tool("--split=level", path)
        self.assertEqual(error, "")
        names = re.findall(r"^(\S+): session 1", output, re.MULTILINE)
        self.assertEqual([name.rsplit("-", 1)[1] for name in names], ["dm4.qwd", "dm6.qwd"])
        (first, second), whole = map(self.contents, names), self.contents("whole.qwd")
        end = first.index(b"EndOfDemo")
        self.assertEqual(whole[:end - 20], first[:end - 20])
        self.assertIn(len(first) + len(second) - len(whole), range(1, 200))
        for name in names:
            self.assertEqual(self.tool("--check", name)[1], "")

    def test_times_name_the_demo_if_there_are_several_or_none_has_begun(self):
        frames = Capture.read(tool.CAPTURES / "fidelity" / "qw-vanilla.pcap.gz").frames
        for first, every, places in (
                (0, 150, ("at 0:29 of demo 1: 1 packet", "from 0:31 of demo 1 to 0:09 of demo 2: packets")),
                (1000, 120, ("at 0:21 of the session: 1 packet", "from 0:02 to 0:10: packets")),
                (1000, 100, ("at 0:17 of the session: 1 packet", "from 0:19 of the session to 0:11 of demo 1: packets"))):
            lost = [i for i in of_server(frames)[200:] if i > first][::every]
            path = self.write_capture("x.pcap", [frame for i, frame in enumerate(frames) if i >= first and i not in lost])
            _, error = self.tool("-f", "--split=level", path, status=1)
            for place in places:
                self.assertIn(f"session 1: {place} of the server ", error)

    def test_client_whose_port_changes_is_listed_with_the_first(self):
        """Its router gives it another one: the session continues."""
        port = self.frames[0][1][34:36]
        first = next(number for number, (_, frame) in enumerate(self.frames) if number > 700 and frame[34:36] == port)
        frames = [(time, frame if number < first else frame[:34] + frame[34:38].replace(port, b"\x9c\x40") + frame[38:])
                  for number, (time, frame) in enumerate(self.frames)]
        session, = self.listed(self.write_capture("x.pcap", frames))
        self.assertEqual((session["client"], session["packets"]),
                         (f"127.0.0.1:{struct.unpack('>H', port)[0]}", len(frames) - 4))  # without the handshake

    def test_two_clients_that_ask_with_the_same_bytes_are_no_copies(self):
        """Between other addresses, only a numbered packet of a session can be a copy."""
        sample = Capture.read(SAMPLE)
        other = late.moved(late.readdressed(sample, (127, 0, 0, 7)), 3 * SECOND)
        first, (time, _) = sample.frames[0][1], sample.frames[-100]
        asks = self.connectionless(first, 34, b"status\n", first[34:36])
        self.assertNotEqual(asks[18:20], bytes(2))  # the IP identification
        asked = sample.of([(time, asks), (time + 1, asks[:26] + bytes((127, 0, 0, 7)) + asks[30:])])
        self.assertEqual(len(self.listed(self.write_capture("x.pcap", late.merged(sample, asked, other).frames))), 2)

    def test_captures_of_one_direction(self):
        server = b"\x6b\x6c"
        for from_server, printed in ((True, "the capture has no move of the client: the view does not turn"),
                                     (False, "the capture has nothing that the server sent")):
            path = self.write_capture("one.pcap", [(time, frame) for time, frame in self.frames
                                                   if (frame[34:36] == server) == from_server])
            _, error = self.tool("-f", "-o", "one.qwd", path, status=1)
            self.assertIn(printed, error)
            self.assertEqual((self.folder / "one.qwd").exists(), from_server)
            (self.folder / "one.qwd").unlink(missing_ok=True)

    def test_status_reply_names_the_map_of_a_late_session(self):
        """The server's reply to another client during the session; a reply before or behind does not count."""
        frames = self.frames[700:]
        asked, answer = b"status\n\0", b"n\\map\\dm4\\hostname\\x\n1 2 3 4 \"a\" \"b\" 1 2\n\0"
        question, reply = (next(frame for _, frame in frames if (frame[34:36] == b"\x6b\x6c") == from_server)
                          for from_server in (False, True))
        status = [self.connectionless(question, 34, asked), self.connectionless(reply, 36, answer)]
        for replies, maps in ([], []), ([(frames[-1][0], frame) for frame in status], ["dm4"]), (
                [(frames[0][0] - SECOND, frame) for frame in status], []), (
                [(frames[-1][0] + SECOND, frame) for frame in status], []), (
                [(frames[-1][0], frame) for frame in (status[0], status[1][:53])], []):  # cut within the map's name
            path = self.write_capture("x.pcap", sorted([*frames, *replies], key=lambda frame: frame[0]))
            session, = self.listed(path)
            self.assertEqual(session["maps"], maps)

    @staticmethod
    def connectionless(frame, at, payload, port=struct.pack(">H", 50999)):
        """The frame with another payload and another port, which is at this offset."""
        payload = b"\xff\xff\xff\xff" + payload
        frame = frame[:at] + port + frame[at + 2:]
        return (frame[:16] + struct.pack(">H", 28 + len(payload)) + frame[18:38] +
                struct.pack(">HH", 8 + len(payload), 0) + payload)

    def test_lost_packets_of_a_quake_client(self):
        """A lost reliable message costs the demo nothing; a second of lost moves costs the view."""
        frames = Capture.read(tool.CAPTURES / "fidelity" / "nq-protocol15.pcap.gz").frames
        sent = [i for i, (_, frame) in enumerate(frames) if frame[34:36] == frames[0][1][34:36]]
        reliable = next(i for i in sent if frames[i][1][42:44] == b"\0\x09" and i > 600)
        for lost, printed in ([], ""), ([reliable], ""), ([i for i in sent if 3000 <= i < 3040], ""), (
                [i for i in sent if 3000 <= i < 3400], "the view may be wrong until then: moves of the client are missing"):
            path = self.write_capture("x.pcap", [frame for i, frame in enumerate(frames) if i not in lost])
            _, error = self.tool("-f", "-o", "x.dem", path, status=1 if printed else 0)
            self.assertEqual(len(error.splitlines()), 1 if printed else 0)
            self.assertIn(printed, error)

    def test_pause_of_a_quake_session_behind_a_hole(self):
        """The capture lacks 40 packets; later both ends halt for three seconds, and no move is missing."""
        frames = Capture.read(tool.CAPTURES / "fidelity" / "nq-protocol15.pcap.gz").frames
        frames = frames[:900] + frames[940:1300] + [(time + 3 * SECOND, frame) for time, frame in frames[1300:]]
        _, error = self.tool("-o", "x.dem", self.write_capture("x.pcap", frames), status=1)
        self.assertRegex(error, r"^pcap2demo: \S+: session 1: at 0:10: 8 packets of the server and 32 of the client are "
                                r"missing from the capture \(packet 902\)\n$")

    def test_each_level_that_lacks_its_sign_on_has_a_message(self):
        """Of the lists of sounds, a packet is missing."""
        frames = Capture.read(tool.CAPTURES / "fidelity" / "qw-vanilla.pcap.gz").frames
        path = self.write_capture("x.pcap", frames[:19] + frames[20:3424] + frames[3425:])
        self.assertEqual(re.findall(r"level (\w+) cannot", self.tool("-o", "x", path, status=1)[1]), ["dm4", "dm6"])

    def test_packets_that_were_cut_are_counted(self):
        """Of each frame 100 bytes are captured, of which 42 are headers; four are before the session."""
        head, *records = capture.split(SAMPLE.read_bytes())
        cut = [record[:8] + struct.pack("<I", min(100, len(record) - 16)) + record[12:116] for record in records]
        count = sum(len(record) > 116 for record in records[4:])
        _, error = self.tool(self.write("x.pcap", b"".join([head, *cut])), status=None)
        self.assertIn(f"session 1: {count} of {len(records) - 4} packets were cut, to 58 bytes of their content at most: "
                      "record with tcpdump -s 0\n", error)

    def test_frames_that_a_client_has_behind_the_last_one_are_counted(self):
        """DarkPlaces acknowledges frames by number: all but the last nine of this session."""
        frames = Capture.read(tool.CAPTURES / "fidelity" / "nq-dp7.pcap.gz").frames
        sent = of_server(frames)
        for lost in 10, 14:
            path = self.write_capture("x.pcap", [frame for i, frame in enumerate(frames) if i not in sent[-lost:]])
            _, error = self.tool("-f", "-o", "x.dem", path, status=1)
            self.assertTrue(error.endswith(f" lacks server packets that the client had: {lost - 9}\n"), error)

    def test_clock_that_is_set(self):
        """Sequence numbers continue: no time has passed."""
        for seconds in 400, 7200, -7200:
            path = self.write_capture("x.pcap", self.frames[:700] + shifted(self.frames[700:], seconds))
            output, error = self.tool("-f", path)
            self.assertIn(f"{TWO[0]}: session 1, QuakeWorld 28, 0:15,", output)
            self.assertEqual(error, "")

    def test_five_minutes_without_a_packet_end_a_session(self):
        """--list reports what converting writes."""
        path = self.write_capture("x.pcap", self.frames[:700] + shifted(self.frames[900:], 400))
        first, second = (session["demo"] for session in self.listed(path))
        self.assertEqual((first["files"], first["lacks"], second["files"]), (1, None, 0))
        self.assertGreater(first["blocks"], 500)
        self.assertIsNone(second["sign_on"]["donor"])  # the first one is of another time
        self.assertIn("lacks the beginning of a level", second["lacks"])
        output, error = self.tool(path, status=1)
        self.assertEqual(output, f"{TWO[0]}: session 1, QuakeWorld 28, 0:08, 30762 bytes\n")
        self.assertEqual(self.left(), [TWO[0], "x.pcap"])
        self.assertIn("x.pcap: packet 701: session 2: its start is missing (the capture lacks the "
                      "beginning of a level); no demo: retry with --sign-on DEMO", error)

    # A Quake server accepts a client on port 26000, and sends it to a port of its own.
    CLIENT, LISTENER, SERVER = (2, 51000), (1, 26000), (1, 40264)
    HANDSHAKE = [udp(CLIENT, LISTENER, bytes.fromhex("8000000c 01") + b"QUAKE\0\3"),
                 udp(LISTENER, CLIENT, bytes.fromhex("80000009 81") + struct.pack("<I", SERVER[1]))]

    def test_accepted_port(self):
        """After a disconnect the next client is another session, even if the server continues with low numbers."""
        connection = self.HANDSHAKE + [
            udp(self.SERVER, self.CLIENT, bytes.fromhex("00090009 00000000 01")),
            udp(self.CLIENT, self.SERVER, bytes.fromhex("00020008 00000000")),
            udp(self.CLIENT, self.SERVER, bytes.fromhex("00100009 00000000 02")),
        ]
        for packets in connection[:4], 2 * connection:
            path = self.write_capture("x.pcap", [(at * SECOND, packet) for at, packet in enumerate(packets)], tool.RAW)
            numbers = [1, 2][:len(packets) // 4]
            self.assertEqual([(session["number"], session["server"], session["client"]) for session in self.listed(path)],
                             [(number, "10.0.0.1:40264", "10.0.0.2:51000") for number in numbers])
            found = self.dump(path)
            self.assertEqual([packet["direction"] for packet in found][:4], ["c2s", "s2c", "s2c", "c2s"])
            self.assertEqual([packet["session"] for packet in found if packet["source"][-5:] == "40264"], numbers)
            self.assertNotIn("nq.sequence.", json.dumps(found))

    def test_accepted_port_that_is_not_captured(self):
        """A repeated accept is one client's."""
        _, error = self.tool(self.write_capture("x.pcap", enumerate(self.HANDSHAKE * 2), tool.RAW), status=1)
        self.assertIn("sent its client to 10.0.0.1:40264, but the capture has no packet from there; ", error)
        self.assertIn("udp and host 10.0.0.1\n", error)

    def test_accepted_port_that_a_nat_changes(self):
        frames = Capture.read(tool.CAPTURES / "nq-protocol15.pcap").frames
        frames = [(time, frame[:47] + struct.pack("<I", 40999) + frame[51:]
                   if frame[42:47] == bytes.fromhex("8000000981") else frame) for time, frame in frames]
        output, error = self.tool(self.write_capture("x.pcap", frames))
        self.assertIn("session 1, Quake 15", output)
        self.assertNotIn("sent its client", error)

    def test_unknown_port_with_sequence_numbers_is_suggested(self):
        """A late capture of one direction shows no game."""
        packets = [udp((2, 40111), (1, 51000), struct.pack("<II", 900 + i, 800 + i) + bytes(40)) for i in range(40)]
        _, error = self.tool(self.write_capture("x.pcap", enumerate(packets), tool.RAW), status=1)
        self.assertIn("no session found; the packets between ports 40111 and 51000 ", error)
        self.assertIn("--port qw=40111", error)
        others = [udp((2, 40111), (1, 51000), bytes([i * 7919 % 251]) * 48) for i in range(40)]
        _, error = self.tool(self.write_capture("x.pcap", enumerate(others), tool.RAW), status=1)
        self.assertIn("no session found", error)
        self.assertNotIn("40111", error)


class Interrupted(ToolTest):
    def start(self, *arguments, **options):
        return subprocess.Popen([tool.PROGRAM, *arguments], cwd=self.folder,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)

    def test_standard_input_becomes_a_demo(self):
        with self.start("-", stdin=subprocess.PIPE) as process:
            process.stdin.write(SAMPLE.read_bytes())
            process.stdin.flush()
            wait_until_read(process, process.stdin)
            process.send_signal(signal.SIGTERM)
            process.stdout.read()
            self.assertEqual(process.stderr.read(), b"")
        self.assertEqual(process.returncode, 0)
        self.assertEqual(self.left(), [f"stdin-{START}-dm4.qwd"])

    def test_capture_is_whole_or_the_old_one(self):
        """Whenever the signal comes: here, while the frames are copied."""
        sample = Capture.read(SAMPLE)
        self.write("x.pcap", sample.of(sample.frames + sample.frames[-1:] * 300000).pcap())
        self.write("out.pcapng", b"old")
        with self.start("--pcap", "out.pcapng", "--force", "x.pcap") as process:
            while process.poll() is None and len(self.left()) < 3:
                time.sleep(0.001)
            process.send_signal(signal.SIGINT)
            process.wait()
            whole = process.returncode == 0
            self.assertEqual(process.stderr.read(), b"" if whole else b"pcap2demo: out.pcapng: not written: interrupted\n")
        self.assertEqual(len(self.contents("out.pcapng")) > 3, whole)
        self.assertTrue(not whole or len(self.contents("out.pcapng")) > len(self.contents("x.pcap")))

    def test_file_leaves_no_part_of_a_demo(self):
        """Nor of a report."""
        os.mkfifo(self.folder / "x.pcap")
        for arguments in ("x.pcap",), ("--report", "x.html", "x.pcap"):
            with self.start(*arguments) as process, open(self.folder / "x.pcap", "wb") as stream:
                stream.write(SAMPLE.read_bytes()[:50000])
                stream.flush()
                wait_until_read(process, stream)
                process.send_signal(signal.SIGINT)
                process.wait()
                self.assertEqual(process.stderr.read(), b"pcap2demo: interrupted; unfinished demos are not kept\n")
            self.assertEqual(process.returncode, 1)
            self.assertEqual(self.left(), ["x.pcap"])
