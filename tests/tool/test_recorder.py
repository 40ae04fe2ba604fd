# SPDX-License-Identifier: GPL-2.0-or-later
"""Recording for long, in a network of the test's own: skipped where that cannot be had."""

import contextlib
import json
import os
import pathlib
import signal
import socket
import struct
import subprocess
import unittest

import tool
from recorder import RecorderTest, main, run
from tool import SAMPLE, Capture

PORT = 42500
SECTION, INTERFACE, PACKET = 0x0A0D0D0A, 1, 6  # blocks of pcapng files
NAME = 2  # an option of an interface
SERVER_IN_SAMPLE = 27500
# A session of two levels, where it is at hand.
TWO_LEVELS = (pathlib.Path(os.environ.get("PROJECT_SOURCE_DIR", ".")).parent /
              "shared/captures/quakeworld/b-extended/b-extended.pcap")
SERVER_OF_TWO_LEVELS = 27560


def add_pair():
    """Two interfaces, left and right, which are connected."""
    run("ip", "link", "add", "left", "type", "veth", "peer", "name", "right")
    for name in ("left", "right"):
        run("ip", "link", "set", name, "up")


def send_frames(interface, payloads):
    """Datagrams over Ethernet, to anybody."""
    ethernet = b"\xff" * 6 + b"\2" * 6 + b"\x08\0"
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as sender:
        sender.bind((interface, 0))
        for payload in payloads:
            sender.send(ethernet + tool.udp((1, PORT), (2, PORT), payload))


def fill(path):
    """The file takes all the room that the disk has."""
    with path.open("wb", buffering=0) as out, contextlib.suppress(OSError):
        while out.write(bytes(512)):
            pass


def pcapng_blocks(path):
    """Type and body of each block of a file that is whole."""
    data, at = path.read_bytes(), 0
    while at < len(data):
        kind, length = struct.unpack_from("<II", data, at)
        assert length >= 12 and data[at + length - 4:at + length] == struct.pack("<I", length)
        yield kind, data[at + 8:at + length - 4]
        at += length


def kept_packets(path):
    """Interface and frame of each packet of a capture, which begins with its section."""
    names, packets = [], []
    blocks = list(pcapng_blocks(path))
    assert blocks[0][0] == SECTION
    for kind, body in blocks[1:]:
        if kind == INTERFACE:
            code, size = struct.unpack_from("<HH", body, 8)
            assert code == NAME
            names.append(body[12:12 + size].decode())
        else:
            assert kind == PACKET
            number, size = struct.unpack("<I8xI", body[:16])
            packets.append((names[number], body[20:20 + size]))
    return packets


class Session:
    """The session of a capture, sent anew between two sockets."""

    def __init__(self, port=PORT, capture=SAMPLE, server=SERVER_IN_SAMPLE):
        self.server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.server.bind(("127.0.0.1", port))
        self.client.bind(("127.0.0.1", 0))
        self.packets = [(packet[22:24] == struct.pack(">H", server), packet[28:])
                        for _, packet in Capture.read(capture).packets()]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.close()
        self.client.close()

    def send(self, first=0, last=None):
        for to_server, payload in self.packets[first:last]:
            sender, receiver = ((self.client, self.server) if to_server
                                else (self.server, self.client))
            sender.sendto(payload, receiver.getsockname())

    def leave(self):
        """The client's last word: clc_stringcmd "drop"."""
        header = [payload for to_server, payload in self.packets if to_server][-1][:10]
        sequence, rest = struct.unpack("<I", header[:4])[0] & 0x7fffffff, header[4:]
        self.client.sendto(struct.pack("<I", sequence + 1) + rest + b"\x04drop\0",
                           self.server.getsockname())


class Recorder(RecorderTest):
    options = ("--port", f"qw={PORT}-{PORT + 1}")

    # --- What is said ---

    def test_demo_is_there_when_its_session_ends(self):
        process = self.start()
        with Session() as session:
            session.send()
            session.leave()
            demo, = self.wait(process, "demo")
            ended, = self.wait(process, "session_end")
        self.assertEqual(self.kinds(process), ["listening", "folder", "session_begin", "map",
                                               "demo", "session_end"])
        self.assertEqual((ended["why"], ended["player"]), ("disconnected", "labplayer"))
        path = self.folder / demo["file"]
        self.assertRegex(path.name, r"^lo-\d{8}-\d{6}-labplayer-dm4\.qwd$")
        self.assertEqual(path.stat().st_size, demo["bytes"])
        process.send_signal(signal.SIGUSR1)
        status, = self.wait(process, "status")
        self.assertEqual((status["sessions"], status["demos"], status["dropped_kernel"]), (0, 1, 0))
        process.send_signal(signal.SIGHUP)
        self.wait(process, "reopened")
        self.assertIn("SIGTERM", self.stop(process)[-1]["message"])
        self.assertEqual(sorted(p.name for p in self.demos.iterdir()), [path.name])

    def test_names_are_never_taken_twice(self):
        self.demos.mkdir()
        for _ in range(2):
            process = self.start("--force")
            for _ in range(2):
                with Session() as session:
                    session.send()
                    session.leave()
            self.wait(process, "demo", 2)
            self.stop(process)
        self.assertEqual(len(list(self.demos.iterdir())), 4)

    def test_silence_ends_a_session(self):
        """What two interfaces have is one session."""
        process = self.start("--idle-timeout", "2s", interface="lo,any")
        with Session() as session:
            session.send(0, 1000)
            ended, = self.wait(process, "session_end")
        self.assertEqual((ended["why"], ended["session"]), ("silent", 1))
        self.stop(process)
        demo, = self.demos.iterdir()
        self.assertGreater(self.blocks(demo), 990)

    def test_late_start_is_told_at_once(self):
        process = self.start()
        with Session() as session:
            session.send(600, 1200)
            late, = self.wait(process, "session_late")
        self.assertEqual(late["session"], 1)
        self.stop(process)

    def test_dump_ends_with_its_reader(self):
        with subprocess.Popen([tool.PROGRAM, "-i", "lo", "--dump"], cwd=self.folder,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            process.stderr.readline()
            process.stdout.close()
            self.assertEqual(process.wait(15), -signal.SIGPIPE)

    def systemd(self):
        """The socket at which recorders that start from now on tell how they are."""
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(listener.close)
        listener.bind(str(self.folder / "notify"))
        listener.settimeout(15)
        os.environ["NOTIFY_SOCKET"] = str(self.folder / "notify")
        self.addCleanup(os.environ.pop, "NOTIFY_SOCKET")
        return listener

    def test_systemd_is_told(self):
        listener = self.systemd()
        process = self.start()
        self.assertIn(b"READY=1", listener.recv(1000))
        self.assertIn(b"STATUS=0 sessions, 0 players", listener.recv(1000))
        self.stop(process)
        self.assertEqual(listener.recv(1000), b"STOPPING=1")

    def test_systemd_gives_time_to_complete_recordings(self):
        killed = self.start()
        with Session() as session:
            session.send(0, 1000)
            self.wait_for_disk(killed, 1000)
        killed.kill()
        killed.wait()
        listener = self.systemd()
        process = self.start()
        self.assertEqual(len(self.events(process, "unfinished")), 1)
        self.assertRegex(listener.recv(1000), rb"^EXTEND_TIMEOUT_USEC=\d{9}\nSTATUS=completing ")
        self.assertIn(b"READY=1", listener.recv(1000))
        self.stop(process)

    def test_who_may_not_record_is_told_what_helps(self):
        self.folder.chmod(0o777)
        result = subprocess.run([tool.PROGRAM, "-i", "lo"], cwd=self.folder, user=65534,
                                group=65534, extra_groups=[], capture_output=True, check=False)
        self.assertEqual(result.returncode, 2)
        self.assertIn(b"setcap cap_net_raw+ep /", result.stderr)

    # --- Faults ---

    def test_killed_and_started_again(self):
        killed = self.start()
        with Session() as session:
            session.send(0, 1000)
            other = self.start()
            self.assertEqual(self.events(other, "unfinished"), [])
            self.stop(other)
            self.wait_for_disk(killed, 1000)
            killed.kill()
            killed.wait()
        before = [path for path in self.demos.iterdir() if path.suffix == ".qwd"]
        process = self.start()
        told, = self.events(process, "unfinished")
        self.stop(process)
        left = list(self.demos.iterdir())
        self.assertIn(self.folder / told["file"], left)
        self.assertTrue(all(not path.name.startswith(".") for path in left), left)
        self.assertEqual(len(left), len([p for p in before if not p.name.startswith(".")]) + 1)
        self.assertGreater(self.blocks(self.folder / told["file"]), 990)

    def killed_late(self, session, last):
        """A recorder is killed in a session that began before it; what the next one says."""
        killed = self.start()
        session.send(600, last)
        self.wait_for_disk(killed, len(session.packets[600:last]))
        killed.kill()
        killed.wait()
        process = self.start()
        self.assertEqual(len(self.events(process, "unfinished")), 1, process.log.read_text())
        told, = self.events(process, "unfinished")
        self.stop(process)
        self.assertEqual([p.name for p in self.demos.iterdir()], [pathlib.Path(told["file"]).name])
        return self.folder / told["file"]

    @unittest.skipUnless(TWO_LEVELS.exists(), "the capture is not at hand")
    def test_killed_in_a_late_session(self):
        with Session(PORT, TWO_LEVELS, SERVER_OF_TWO_LEVELS) as session:
            demo = self.killed_late(session, -50)
        self.assertRegex(demo.name, r"-dm6\.qwd$")
        self.assertGreater(self.blocks(demo), 400)

    def test_killed_in_a_late_session_without_a_level(self):
        """Its packets are there, for who has a demo that lends its sign-on."""
        with Session() as session:
            packets = self.killed_late(session, 1200)
        self.assertTrue(packets.name.endswith(".pcapng"))
        self.assertEqual(self.packets(packets), 600)
        whole = self.folder / "whole"
        self.tool("-o", whole, SAMPLE)
        demo, = whole.iterdir()
        self.tool("-o", "lent", "--sign-on", demo, packets, status=1)
        self.assertGreater(self.blocks(*(self.folder / "lent").iterdir()), 590)

    def test_a_full_disk_stops_no_session(self):
        self.demos.mkdir()
        run("mount", "-t", "tmpfs", "-o", "size=48k", "tmpfs", self.demos)
        self.addCleanup(run, "umount", self.demos)
        process = self.start()
        filler = self.demos / "filler"
        with Session() as session:
            session.send(0, 600)
            self.wait_for_disk(process, 600)
            fill(filler)
            session.send(600, 1000)
            self.wait(process, "disk_full")
            filler.unlink()
            self.wait(process, "disk_room")
            session.send(1000, 1100)
            session.leave()
            demo, = self.wait(process, "demo")
        self.assertEqual(self.stop(process)[-1]["lost_bytes"], 0)
        self.assertGreater(self.blocks(self.folder / demo["file"]), 1000)

    def test_a_disk_that_stays_full(self):
        self.demos.mkdir()
        run("mount", "-t", "tmpfs", "-o", "size=24k", "tmpfs", self.demos)
        self.addCleanup(run, "umount", self.demos)
        process = self.start()
        with Session() as session:
            session.send()
            session.leave()
            cut, = self.wait(process, "demo_cut")
        last = self.stop(process)[-1]
        self.assertGreater(last["lost_bytes"], 0)
        self.assertGreater(self.blocks(self.demos / cut["file"]), 100)

    def test_limits_of_disk(self):
        self.demos.mkdir()
        mine = self.demos / "mine.qwd"
        mine.write_bytes(bytes(100000))
        old = self.demos / "lo-20200101-000000-anna-dm4.qwd"
        old.write_bytes(bytes(100000))
        os.utime(old, (0, 0))
        process = self.start("--max-disk", "80k", "--max-demo-size", "20k")
        removed, = self.wait(process, "removed")
        self.assertTrue(removed["file"].endswith(old.name))
        with Session() as session:
            session.send()
            session.leave()
            self.wait(process, "demo_cut")
            demo, = self.wait(process, "demo")
        self.stop(process)
        self.assertTrue(mine.exists())
        self.assertLessEqual(demo["bytes"], 20 * 1024 + 64)
        self.assertGreater(self.blocks(self.folder / demo["file"]), 100)

    def test_interfaces_come_and_go(self):
        add_pair()
        process = self.start(interface="left,lo")
        self.assertEqual(len(self.events(process, "listening")), 2)
        run("ip", "link", "set", "left", "down")
        self.wait(process, "interface")
        run("ip", "link", "set", "left", "up")
        self.wait(process, "interface", 2)
        run("ip", "link", "delete", "left")
        self.wait(process, "interface", 3)
        add_pair()
        told = self.wait(process, "interface", 4)
        self.assertEqual([event["message"].split("; ")[0].split(": ")[1] for event in told][-1],
                         "is back")
        with Session() as session:
            session.send()
            session.leave()
            self.wait(process, "demo")
        self.stop(process)
        run("ip", "link", "delete", "left")

    def test_another_user_cannot_open_an_interface_again(self):
        """Then it ends, for systemd to start it again; a demo is finished."""
        self.folder.chmod(0o755)
        self.systemd()
        add_pair()
        processes = [self.start("-Z", "nobody", interface=name) for name in ("left", "left,lo")]
        self.assertEqual(self.demos.owner(), "nobody")
        run("ip", "link", "delete", "left")
        for process in processes:
            self.wait(process, "interface")
        add_pair()
        for process, words in zip(processes, ("no interface is left", "to be started again")):
            self.assertEqual(process.wait(15), 1)
            self.assertIn("cannot be opened again", process.log.read_text())
            self.assertIn(words, process.log.read_text())
        run("ip", "link", "delete", "left")

    def test_packets_are_kept(self):
        """Of two link types."""
        process = self.start("--write-pcap", "packets/p.pcapng", "--rotate",
                             "size=30k,files=3", interface="lo,any")
        with Session() as session:
            session.send()
            session.leave()
            self.wait(process, "demo")
        self.stop(process)
        kept = sorted((self.folder / "packets").iterdir())
        self.assertEqual(len(kept), 3)
        for path in kept:
            self.tool("--list", path)

    def record_packets(self, interface):
        """A recorder that keeps packets on a disk of 48 KiB; with the file that takes its room."""
        packets = self.folder / "packets"
        packets.mkdir()
        run("mount", "-t", "tmpfs", "-o", "size=48k", "tmpfs", packets)
        self.addCleanup(run, "umount", packets)
        process = self.start("--write-pcap", "packets/p.pcapng", interface=interface)
        return process, packets / "filler"

    def assert_kept(self, sent):
        """These are the last packets of the one capture."""
        capture, = (self.folder / "packets").glob("*.pcapng")
        kept = kept_packets(capture)
        self.assertEqual([(name, frame[-len(payload):]) for (name, frame), (_, payload)
                          in zip(kept[-len(sent):], sent)], sent)
        self.tool("--list", capture)
        return kept

    def test_packets_from_a_full_disk_on(self):
        process, filler = self.record_packets("lo")
        fill(filler)
        with Session() as session:
            session.send(0, 20)
            self.wait(process, "packets_lost")
            self.wait_for_status(process, "packets", 20)
            filler.unlink()
            session.send(20, 50)
            self.wait(process, "packets_kept")
            self.stop(process)
        self.assert_kept([("lo", payload) for _, payload in session.packets[20:50]])

    def test_packets_of_an_interface_that_a_full_disk_meets(self):
        add_pair()
        self.addCleanup(run, "ip", "link", "delete", "left")
        process, filler = self.record_packets("lo,left")
        payloads = [bytes([i]) * 800 for i in range(20)]
        with Session() as session:
            session.send(0, 20)
            self.wait_for_disk(process, 20)
            fill(filler)
            send_frames("left", payloads[:10])
            self.wait(process, "packets_lost")
            self.wait_for_status(process, "packets", 30)
            filler.unlink()
            send_frames("left", payloads[10:])
            self.wait(process, "packets_kept")
            self.stop(process)
        kept = self.assert_kept([("left", payload) for payload in payloads[10:]])
        self.assertEqual([name for name, _ in kept[:20]], ["lo"] * 20)

    def test_opening_anew_loses_nothing(self):
        """Nor does it take anything twice."""
        process = self.start()
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            sender.bind(("127.0.0.1", PORT))

            def send(count):
                for _ in range(count):
                    sender.sendto(b"ping", sender.getsockname())

            process.send_signal(signal.SIGSTOP)
            send(20000)
            process.send_signal(signal.SIGHUP)
            process.send_signal(signal.SIGCONT)
            send(2000)
            self.wait(process, "reopened")
            send(2000)
            self.wait_for_status(process, "packets", 24000)
            last = self.stop(process)[-1]
        self.assertEqual((last["packets"], last["dropped_kernel"]), (24000, 0))

    def test_the_end_takes_what_has_come(self):
        process = self.start()
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            sender.bind(("127.0.0.1", PORT))
            for _ in range(100):
                sender.sendto(b"ping", sender.getsockname())
            last = self.stop(process)[-1]
        self.assertEqual(last["packets"], 100)

    def test_another_interface_has_the_name(self):
        """What the old one still has is taken first."""
        add_pair()
        process = self.start("--buffer-size", "1", interface="left")
        for name, new in (("left", "old"), ("right", "other")):
            run("ip", "link", "set", name, "down")
            run("ip", "link", "set", name, "name", new)
            run("ip", "link", "set", new, "up")
        add_pair()
        for name in ("old", "left"):
            self.addCleanup(run, "ip", "link", "delete", name)
        process.send_signal(signal.SIGSTOP)
        send_frames("old", [bytes([i]) for i in range(10)])
        process.send_signal(signal.SIGHUP)
        process.send_signal(signal.SIGCONT)
        self.wait(process, "reopened")
        send_frames("left", [bytes([i]) for i in range(10)])
        self.wait_for_status(process, "packets", 20)
        self.assertEqual(self.stop(process)[-1]["packets"], 20)

    def test_a_capture_of_each_session(self):
        """Each gives the demo that was recorded."""
        process = self.start("--write-pcap", "packets/")
        spectator = SAMPLE.parent / "qw-spectator.pcap"
        with Session() as one, Session(PORT + 1, spectator) as other:
            one.send(0, 700)
            other.send()
            one.send(700)
            one.leave()
            other.leave()
            self.wait(process, "session_capture", 2)
        self.stop(process)
        captures = sorted((self.folder / "packets").iterdir())
        self.assertEqual([path.stem for path in captures],
                         sorted(path.stem for path in self.demos.iterdir()))
        for path in captures:
            self.tool("-o", "made/", path, status=int("spec" in path.name))
            made, = (self.folder / "made").iterdir()
            self.assertEqual(made.read_bytes(), (self.demos / f"{path.stem}.qwd").read_bytes())
            made.unlink()

    def test_captures_of_sessions_survive(self):
        killed = self.start("--write-pcap", "packets/")
        with Session() as session:
            session.send(0, 1000)
            self.wait_for_disk(killed, 1000)
            killed.kill()
            killed.wait()
        process = self.start("--write-pcap", "packets/")
        self.assertEqual(len(self.events(process, "unfinished")), 2)
        self.stop(process)
        capture, = (self.folder / "packets").iterdir()
        demo, = self.demos.iterdir()
        self.assertEqual((capture.stem, capture.suffix), (demo.stem, ".pcapng"))
        self.assertGreater(self.packets(capture), 990)


if __name__ == "__main__":
    main()
