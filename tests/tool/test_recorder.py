# SPDX-License-Identifier: GPL-2.0-or-later
"""Recording for long, in a network of the test's own: skipped where that cannot be had."""

import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import unittest

import tool
from recorder import PATIENCE, PORT, RecorderTest, Session, add_pair, main, run
from tool import SAMPLE

# A session of two levels, where it is at hand.
TWO_LEVELS = (pathlib.Path(os.environ.get("PROJECT_SOURCE_DIR", ".")).parent /
              "shared/captures/quakeworld/b-extended/b-extended.pcap")
SERVER_OF_TWO_LEVELS = 27560


def send_frames(interface, payloads):
    """Datagrams over Ethernet, to anybody."""
    ethernet = b"\xff" * 6 + b"\2" * 6 + b"\x08\0"
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as sender:
        sender.bind((interface, 0))
        for payload in payloads:
            sender.send(ethernet + tool.udp((1, PORT), (2, PORT), payload))


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
        self.assertEqual(path.stat().st_mode & 0o027, 0)
        process.send_signal(signal.SIGUSR1)
        status, = self.wait(process, "status")
        self.assertEqual((status["sessions"], status["demos"], status["dropped_kernel"]), (0, 1, 0))
        self.assertIn("ping", ended["line"])
        process.send_signal(signal.SIGHUP)
        self.wait(process, "reopened")
        self.assertIn("SIGTERM", self.stop(process)[-1]["message"])
        self.assertEqual(self.recordings(), [path])

    def test_a_client_that_moves_stays_one_session(self):
        process = self.start()
        with Session() as session:
            sizes = []
            for moves in False, True:
                session.send(0, 701)
                if moves:
                    session.move()
                session.send(701)
                session.leave()
                sizes.append(self.wait(process, "demo", 1 + moves)[-1]["bytes"])
            self.wait(process, "session_end", 2)
        self.stop(process)
        self.assertEqual(len(self.recordings()), 2)
        self.assertEqual(*sizes)

    def test_who_plays(self):
        """By signal, by --status, in files for programs; a spectator is marked."""
        metrics = self.folder / "metrics" / "q.prom"
        process = self.start("--metrics", str(metrics))
        spectator = SAMPLE.parent / "qw-spectator.pcap"
        with Session() as one, Session(PORT + 1, spectator) as other:
            one.send(0, 1000)
            other.send(0, 60)
            self.wait(process, "map", 2)
            status = self.status(process)
            self.assertEqual((status["sessions"], status["players"]), (2, 1))
            self.assertEqual({(event["player"], event["spectator"])
                              for event in self.wait(process, "player", 2)},
                             {("labplayer", False), ("spec", True)})
            report = json.loads((self.demos / "pcap2demo-status.json").read_text())
            self.assertEqual(report["sessions"][0]["player"], "labplayer")
            self.assertIn("ping", report["sessions"][0]["line"])
            table, _ = self.tool("--status", "demos")
            self.assertRegex(table, r"labplayer +QuakeWorld +dm4 ")
            self.assertRegex(table, r"spec .*spectator\n")
            self.assertIn(self.run_tool("--status").returncode, (0, 2))  # of the unit's folder
            self.assertIn('\npcap2demo_sessions{game="qw"} 2\n', metrics.read_text())
            one.leave()
            demo, = self.wait(process, "demo")
            self.status(process)
        self.assertIn(f'\npcap2demo_demo_bytes_total{{game="qw"}} {demo["bytes"]}\n',
                      metrics.read_text())
        finished = json.loads((self.demos / "pcap2demo-finished.json").read_text())
        self.assertEqual([(d["number"], d["file"]) for d in finished["demos"]], [(1, demo["file"])])
        self.stop(process)
        process = self.start()
        with Session() as one:
            one.send()
            one.leave()
            self.wait(process, "demo")
        self.stop(process)
        finished = json.loads((self.demos / "pcap2demo-finished.json").read_text())
        self.assertEqual(finished["count"], 2)  # the spectator's has nothing to show

    def test_players_only(self):
        process = self.start("--players-only", "--write-pcap", "packets")
        spectator = SAMPLE.parent / "qw-spectator.pcap"
        with Session() as one, Session(PORT + 1, spectator) as other:
            one.send()
            other.send()
            one.leave()
            other.leave()
            self.wait(process, "session_end", 2)
        self.stop(process)
        demo, = self.recordings()
        self.assertIn("labplayer", demo.name)
        capture, = (self.folder / "packets").iterdir()
        self.assertIn("labplayer", capture.name)

    def test_one_file_is_not_for_a_recorder(self):
        _, error = self.tool("-i", "lo", "-o", "one.qwd", status=2, variables=tool.IN_SANDBOX)
        self.assertIn("go to a folder", error)

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
        self.assertEqual(len(self.recordings()), 4)

    def test_silence_ends_a_session(self):
        """What two interfaces have is one session."""
        process = self.start("--idle-timeout", "2s", interface="lo,any")
        with Session() as session:
            session.send(0, 1000)
            ended, = self.wait(process, "session_end")
        self.assertEqual((ended["why"], ended["number"]), ("silent", 1))
        self.stop(process)
        demo, = self.recordings()
        self.assertGreater(self.blocks(demo), 990)

    def test_late_start_is_told_at_once(self):
        process = self.start()
        with Session() as session:
            session.send(600, 1200)
            late, = self.wait(process, "session_late")
        self.assertEqual(late["number"], 1)
        self.stop(process)

    def test_dump_ends_with_its_reader(self):
        with subprocess.Popen([tool.PROGRAM, "-i", "lo", "--dump"], cwd=self.folder,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            process.stderr.readline()
            process.stdout.close()
            with Session() as session:
                self.wait_for(lambda: session.send(0, 20) or process.poll())
            self.assertEqual(process.wait(PATIENCE), -signal.SIGPIPE)

    def systemd(self):
        """The socket at which recorders that start from now on tell how they are."""
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(listener.close)
        listener.bind(str(self.folder / "notify"))
        listener.settimeout(PATIENCE)
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

    def test_who_may_not_record_is_told_what_helps(self):
        self.folder.chmod(0o777)
        program = shutil.copy(tool.PROGRAM, self.folder)  # the user may not enter the build's folder
        os.chmod(program, 0o755)
        result = subprocess.run([program, "-i", "lo"], cwd=self.folder, user=65534, group=65534,
                                extra_groups=[], capture_output=True)
        self.assertEqual(result.returncode, 2)
        self.assertIn(b"setcap cap_net_raw+ep /", result.stderr)

    # --- Faults ---

    def test_killed_and_started_again(self):
        """Meanwhile no other recorder uses its folder."""
        killed = self.start("--write-pcap", "packets/")
        with Session() as session:
            session.send(0, 1000)
            _, error = self.tool("-i", "lo", "-o", "demos", status=2, variables=tool.IN_SANDBOX)
            self.assertIn("another recorder", error)
            self.wait_for_disk(killed, 1000)
            killed.kill()
            killed.wait()
        before = [path for path in self.demos.iterdir() if path.suffix == ".qwd"]
        process = self.start("--write-pcap", "packets/")
        told = next(event for event in self.events(process, "unfinished") if event["file"].endswith(".qwd"))
        self.stop(process)
        left = self.recordings()
        self.assertIn(self.folder / told["file"], left)
        self.assertEqual(list(self.demos.glob(".*")), [])
        self.assertEqual(len(left), len([p for p in before if not p.name.startswith(".")]) + 1)
        self.assertGreater(self.blocks(self.folder / told["file"]), 990)
        capture, = (self.folder / "packets").iterdir()
        self.assertEqual(f"{capture.stem}.qwd", pathlib.Path(told["file"]).name)
        self.assertGreater(self.packets(capture), 990)

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
        self.assertEqual([p.name for p in self.recordings()], [pathlib.Path(told["file"]).name])
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
        # The first packets are missing: until then the recorder kept no frames.
        self.assertGreaterEqual(self.packets(packets), 580)
        whole = self.folder / "whole"
        self.tool("-o", whole, SAMPLE)
        demo, = whole.iterdir()
        self.tool("-o", "lent", "--sign-on", demo, packets, status=1)
        self.assertGreater(self.blocks(*(self.folder / "lent").iterdir()), 570)

    def test_limits_of_disk(self):
        self.demos.mkdir()
        mine = self.demos / "mine.qwd"
        mine.write_bytes(bytes(100000))
        old = self.demos / "lo-20200101-000000-anna-dm4.qwd"
        old.write_bytes(bytes(1000000))
        os.utime(old, (0, 0))
        process = self.start("--max-disk", "900k", "--max-demo-size", "20k", "--write-pcap", "packets/")
        self.assertTrue(self.wait(process, "removed")[0]["file"].endswith(old.name))
        with Session() as session:
            session.send()
            session.leave()
            self.wait(process, "demo_cut")
            demo, = self.wait(process, "demo")
        self.stop(process)
        self.assertTrue(mine.exists())
        self.assertLessEqual(demo["bytes"], 20 * 1024 + 64)
        self.assertGreater(self.blocks(self.folder / demo["file"]), 100)
        packets, = (self.folder / "packets").iterdir()
        self.assertGreater(packets.stat().st_size, 40000)

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
        processes = [self.start("-Z", "nobody", interface=name, output=output)
                     for name, output in (("left", "demos"), ("left,lo", "others"))]
        self.assertEqual(self.demos.owner(), "nobody")
        run("ip", "link", "delete", "left")
        for process in processes:
            self.wait(process, "interface")
        add_pair()
        for process, words in zip(processes, ("no interface is left", "to be started again")):
            self.assertEqual(process.wait(PATIENCE), 1)
            self.assertIn("cannot be opened", process.log.read_text())
            self.assertIn(words, process.log.read_text())
        run("ip", "link", "delete", "left")

    def test_another_user_cannot_make_the_folder_again(self):
        self.folder.chmod(0o755)
        self.systemd()
        process = self.start("-Z", "nobody")
        shutil.rmtree(self.demos)
        self.assertEqual(process.wait(PATIENCE), 1)
        self.assertIn("to be started again", process.log.read_text())

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
        add_pair()
        process = self.start("--buffer-size", "1", interface="left")
        for name, new in (("left", "old"), ("right", "other")):
            run("ip", "link", "set", name, "down")
            run("ip", "link", "set", name, "name", new)
            run("ip", "link", "set", new, "up")
        add_pair()
        for name in ("old", "left"):
            self.addCleanup(run, "ip", "link", "delete", name)
        process.send_signal(signal.SIGHUP)
        self.wait(process, "reopened")
        send_frames("left", [bytes([i]) for i in range(10)])
        self.wait_for_status(process, "packets", 10)
        self.assertEqual(self.stop(process)[-1]["packets"], 10)

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
                         [path.stem for path in self.recordings()])
        for path in captures:
            self.tool("-o", "made/", path, status=int("spec" in path.name))
            made, = (self.folder / "made").iterdir()
            self.assertEqual(made.read_bytes(), (self.demos / f"{path.stem}.qwd").read_bytes())
            made.unlink()


if __name__ == "__main__":
    main()
