# SPDX-License-Identifier: GPL-2.0-or-later
"""What the plugin's tests share: tshark with the plugin that was just built, and small captures.

Wireshark ignores WIRESHARK_PLUGIN_DIR for root, and would then test its own dissectors without a word: if the tests run
as root, tshark runs as another user, on copies that this user can read.
"""

import json
import os
import pathlib
import shutil
import struct
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

import damages
from capture import NANOSECONDS, Frame, ends, read, write
from tool import udp

NOBODY = 65534
JOINED = 40  # captures in one file
TSHARK = os.environ["TSHARK"]
CAPTURES = [pathlib.Path(folder) for folder in os.environ["CAPTURE_DIRS"].split(":")]


def rows(kind):
    """Rows of this kind that the protocol records ask to be registered, as list_rows prints them."""
    listing = subprocess.run([os.environ["LIST_ROWS"]], capture_output=True, encoding="utf-8",
                             check=True).stdout
    return [line.split("\t")[1:] for line in listing.splitlines() if line.split("\t")[0] == kind]


PROTOCOLS = [row[0] for row in rows("protocol")]
SHORT_NAMES = [row[1] for row in rows("protocol")]
PASSES = [], ["-2"]  # options of tshark
OOB = b"\xff\xff\xff\xff"  # begins connectionless packets


def tool(*arguments):
    """What pcap2demo prints."""
    return subprocess.run([os.environ["PCAP2DEMO"], *map(str, arguments)], capture_output=True,
                          encoding="utf-8", errors="replace").stdout


def dumped_packets(path):
    """By packet number, what the tool prints of it: the datagram, or the PDUs that it completes."""
    packets = {}
    for packet in map(json.loads, tool("--dump=json", "--show-secrets", path).splitlines()):
        if packet["size"]:  # Wireshark gives empty datagrams to no dissector
            packets.setdefault(packet["packet"], []).append(packet)
    return packets


def captures_below(folder):
    """All captures in a folder and its folders, smallest first."""
    return sorted(folder.rglob("*.pcap*"), key=lambda path: (path.stat().st_size, path.name))


def some_captures():
    """All small captures of the project, and the smallest of each game beside it."""
    games = [game for folder in CAPTURES[1:] if folder.is_dir() for game in folder.iterdir()]
    return sorted(CAPTURES[0].glob("*.pcap*")) + [path for game in games
                                                  for path in captures_below(game)[:1]]


SECOND = NANOSECONDS
PAUSE = 3600 * SECOND  # between joined captures


def stored_packets(path):
    """The frames of a pcap file of Ethernet in little-endian order; of another file none."""
    try:
        link_type, frames = read(path)
    except KeyError:
        return []
    return frames if link_type == 1 else []


def ipv4_packets(path):
    """The same; none if one is not of UDP or TCP in IPv4."""
    found = stored_packets(path)
    good = all(frame[12:14] == b"\x08\x00" and frame[23:24] in (b"\x06", b"\x11")
               for _, frame, _ in found)
    return found if good else []


def ipv4_frames(path):
    """Of these, the frames and their lengths."""
    return [(frame, length) for _, frame, length in ipv4_packets(path)]


def with_network(frame, number):
    """The frame between hosts of another network. (Wireshark does not verify checksums.)"""
    network = bytes([20, number])
    identification = int.from_bytes(frame[18:20], "big")
    if identification:  # captures may have parts of one session, which would be duplicates behind a NAT
        identification = (identification + 257 * number) % 65535 + 1
    return (frame[:18] + identification.to_bytes(2, "big") + frame[20:26] + network + frame[28:30] + network +
            frame[32:])


def damaged_captures(folder):
    """Sessions that lost packets, begin late, have one direction only, pause, move, or begin again."""
    for name, port in (("qw-sample", 27500), ("q2-vanilla", 27910), ("q2-aqtion", 27910), ("nq-download", 26000)):
        frames = read(CAPTURES[0] / f"{name}.pcap")[1]
        server = next(end for frame in frames for end in ends(frame) if end[1] == port)
        half, length = len(frames) // 2, frames[-1].time - frames[0].time
        for number, changed in enumerate([
                damages.lose(frames, 0.05, 1), damages.lose(frames, 0.3, 1), damages.lose_run(frames, half, half // 2),
                frames[half:], damages.from_client(frames, server), damages.from_server(frames, server),
                damages.move_client(frames, server, None, 6), damages.move_client(frames, server, damages.OTHER_SIDE, 3),
                *(frames[:half] + damages.shifted(frames[first:], 700 * SECOND)
                  for first in (half, half // 2, half - (name == "qw-sample"))),
                *(frames + damages.shifted(frames[first:], length + pause * SECOND)
                  for first in (0, half) for pause in (1, 20, 400))]):
            write(folder / f"{name}-{number}.pcap", 1, changed)
            yield folder / f"{name}-{number}.pcap"


class PluginTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="quakeshark-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.folder.chmod(0o755)
        os.umask(0o022)  # tshark's user reads what is written here
        shutil.copytree(os.environ["PLUGIN_DIR"], cls.folder / "plugins")
        subprocess.run(["chmod", "-R", "a+rX", cls.folder / "plugins"], check=True)
        (cls.folder / "home").mkdir()
        cls.identity = []
        if os.getuid() == 0:  # (Python would copy itself to start a program as another user, which takes long.)
            os.chown(cls.folder / "home", NOBODY, NOBODY)
            cls.identity = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
        if "quakeshark.so" not in cls.tshark("-G", "plugins"):
            raise AssertionError("tshark did not load the plugin")

    @classmethod
    def environment(cls, window=""):
        """`window`: what window.c is to do."""
        environment = {
            "PATH": os.environ["PATH"],
            "LC_ALL": "C.UTF-8",
            "TZ": "UTC",
            "HOME": str(cls.folder / "home"),
            "WIRESHARK_PLUGIN_DIR": str(cls.folder / "plugins"),
            # tshark would start each program of the first, and read RADIUS's dictionaries in the second.
            "WIRESHARK_EXTCAP_DIR": str(cls.folder / "home"),
            "WIRESHARK_DATA_DIR": str(cls.folder / "home"),
            "GLIBC_TUNABLES": os.environ["GLIBC_TUNABLES"],
        }
        preload = [os.environ.get("PRELOAD", "")]
        if any(preload):
            environment["ASAN_OPTIONS"] = "detect_leaks=0"  # Wireshark frees little at its end
        if window:
            environment["QUAKESHARK_WINDOW"] = window
            preload.append(cls.readable(os.environ["WINDOW"]))
        return environment | {"LD_PRELOAD": " ".join(preload)}

    @classmethod
    def run_tshark(cls, *arguments, encoding="utf-8", window=""):
        return subprocess.run([*cls.identity, TSHARK, *map(str, arguments)], env=cls.environment(window),
                              cwd=cls.folder, capture_output=True, encoding=encoding)

    @classmethod
    def sharkd(cls, calls, window=""):
        """What sharkd answers to pairs of a method and its parameters."""
        requests = [json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
                    for number, (method, params) in enumerate(calls, 1)]
        result = subprocess.run([*cls.identity, os.environ["SHARKD"], "-"], input="\n".join(requests) + "\n",
                                env=cls.environment(window), cwd=cls.folder, capture_output=True,
                                encoding="utf-8")
        answers = [json.loads(line) for line in result.stdout.splitlines()]
        if result.returncode != 0 or [answer.get("id") for answer in answers] != \
                list(range(1, len(calls) + 1)):
            raise AssertionError(f"sharkd: {result.returncode}\n{result.stdout}\n{result.stderr}")
        return answers

    @classmethod
    def tshark(cls, *arguments, **options):
        """tshark's output, as bytes if `encoding` is None; it must end well, without a message."""
        result = cls.run_tshark(*arguments, **options)
        if result.returncode != 0 or result.stderr:
            raise AssertionError(f"tshark {arguments}: {result.returncode}\n{result.stderr}")
        return result.stdout

    @classmethod
    def capture(cls, packets):
        """Writes frames (bytes, or pairs of bytes and their length on the wire) as a capture, one a
        second."""
        pairs = (packet if isinstance(packet, tuple) else (packet, len(packet)) for packet in packets)
        return cls.timed_capture((number * SECOND, *pair) for number, pair in enumerate(pairs))

    @classmethod
    def timed_capture(cls, packets):
        """The same of packets as stored_packets() gives them."""
        handle, name = tempfile.mkstemp(suffix=".pcap", dir=cls.folder)
        os.close(handle)
        write(name, 1, (Frame(*packet) for packet in packets))
        os.chmod(name, 0o644)
        return name

    @classmethod
    def readable(cls, path):
        """A copy of a file that tshark's user can read."""
        return str(shutil.copyfile(path, cls.folder / pathlib.Path(path).name))

    @classmethod
    def stored(cls, name):
        """A copy of a capture in tests/captures."""
        return cls.readable(CAPTURES[0] / f"{name}.pcap")

    @classmethod
    def joined(cls, paths, count=None):
        """The first `count` packets of many captures (None: all) in few files, since starting tshark takes longer than
        what it then does. Each capture's hosts get addresses of their own, and it begins a while after the one before
        it. Yields a name, a file, and the number of packets before each capture in it."""
        batch, begins, names = [], [], []
        for path in paths:
            packets = ipv4_packets(path)[:count]
            if not packets:  # another link layer or format
                yield path.name, cls.first_packets(path, count), [0]
                continue
            begins.append(len(batch))
            names.append(path.name)
            later = max((time for time, _, _ in batch), default=0) + PAUSE - min(packets)[0]
            batch += [(time + later, with_network(frame, len(names)), length)
                      for time, frame, length in packets]
            if len(names) == JOINED:
                yield ", ".join(names), cls.timed_capture(batch), begins
                batch, begins, names = [], [], []
        if names:
            yield ", ".join(names), cls.timed_capture(batch), begins

    @classmethod
    def first_packets(cls, path, count):
        """A file with the first `count` packets of a capture; None: all."""
        if count is None:
            return cls.readable(path)
        handle, name = tempfile.mkstemp(suffix=".pcap", dir=cls.folder)
        os.close(handle)
        os.chmod(name, 0o666)
        cls.tshark("-r", cls.readable(path), "-c", count, "-w", name)
        return name

    @classmethod
    def fields(cls, capture, names, *options, window=""):
        """For each packet shown: the list of its values of these fields, "" if it has none."""
        words = [word for name in names for word in ("-e", name)]
        return [line.split("\t") for line in
                cls.tshark("-r", capture, "-T", "fields", *words, *options, window=window).splitlines()]

    @classmethod
    def layers(cls, capture, *options):
        """For each packet the protocol that its UDP payload was given to."""
        return [protocols.rpartition(":udp:")[2].split(":")[0]
                for protocols, in cls.fields(capture, ["frame.protocols"], *options)]

    @classmethod
    def exported(cls, capture, kind, *options):
        """Name -> content of the objects of this kind; tshark writes "/" as "%2f"."""
        folder = pathlib.Path(tempfile.mkdtemp(dir=cls.folder / "home"))
        folder.chmod(0o777)
        cls.tshark("-q", "-r", capture, "--export-objects", f"{kind},{folder}", *options)
        return {path.name.replace("%2f", "/"): path.read_bytes() for path in folder.iterdir()}

    @classmethod
    def trees(cls, capture, *options):
        """For each packet shown: its number and its tree, as PDML elements."""
        pdml = ElementTree.fromstring(cls.tshark("-r", capture, "-T", "pdml", *options))
        return {int(packet.find("proto[@name='geninfo']/field[@name='num']").get("show")): packet
                for packet in pdml.iter("packet")}


def ethernet(packet):
    return bytes(12) + b"\x08\x00" + packet


def to_server(client_port, server_port, payload):
    return ethernet(udp((1, client_port), (2, server_port), payload))


def to_client(client_port, server_port, payload):
    return ethernet(udp((2, server_port), (1, client_port), payload))


def quoted(frame):
    """An ICMP "port unreachable" from the server that quotes a frame sent to it."""
    message = struct.pack(">BBHI", 3, 3, 0, 0) + frame[14:]
    return ethernet(struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(message), 0, 0, 64, 1, 0) +
                    bytes([10, 0, 0, 2, 10, 0, 0, 1]) + message)
