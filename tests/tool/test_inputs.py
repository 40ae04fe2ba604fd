# SPDX-License-Identifier: GPL-2.0-or-later
"""Inputs of all kinds hold the same packets: pcap2demo must find the same in each."""

import gzip
import io
import json
import os
import resource
import shutil
import struct
import subprocess
import tarfile
import zipfile

import tool
from tool import ACKNEX, Capture, ToolTest

MACS = bytes.fromhex("020000000001020000000002")
SLL = bytes.fromhex("0000000100060200000000010000")
SLL2 = bytes.fromhex("00000000000100010006" "0200000000010000")


class Formats(ToolTest):
    @classmethod
    def setUpClass(cls):
        cls.capture = Capture.read(ACKNEX)

    def setUp(self):
        super().setUp()
        self.expected = self.dump(ACKNEX)
        self.assertEqual(len(self.expected), len(self.capture.frames))

    def assert_same(self, data):
        self.assertEqual(self.dump(self.write("x.pcap", data)), self.expected)

    def test_byte_orders_and_clocks(self):
        for order in "<>":
            self.assert_same(self.capture.pcap(order))
            self.assert_same(self.capture.pcap(order, nanoseconds=True))
            self.assert_same(self.capture.pcapng(order))

    def test_link_types(self):
        headers = {
            "VLAN": (tool.ETHERNET, MACS + bytes.fromhex("810000070800")),
            "QinQ": (tool.ETHERNET, MACS + bytes.fromhex("88a80007810000080800")),
            "SLL": (tool.SLL, SLL + b"\x08\x00"),
            "SLL2": (tool.SLL2, b"\x08\x00" + SLL2),
            "raw": (tool.RAW, b""),
            "null": (tool.NULL, bytes.fromhex("02000000")),
            "loop": (tool.LOOP, bytes.fromhex("00000002")),
            "PPP": (tool.PPP, bytes.fromhex("ff030021")),
        }
        for name, (link_type, header) in headers.items():
            with self.subTest(name):
                self.assert_same(self.capture.wrapped(link_type, header).pcap())

    def test_ipv6(self):
        frames = [(time, tool.as_ipv6(packet)) for time, packet in self.capture.packets()]
        found = self.dump(self.write("x.pcap", Capture(tool.RAW, frames).pcap()))
        self.assertEqual(found[0]["source"], "[fd00::ffff:a00:2]:51000")
        self.assertEqual([packet["fields"] for packet in found],
                         [packet["fields"] for packet in self.expected])

    def test_short_snapshot(self):
        """All of each packet but its last byte."""
        data = bytearray(self.capture.pcap()[:24])
        for time, frame in self.capture.frames:
            data += struct.pack("<IIII", time // 1000000, time % 1000000, len(frame) - 1,
                                len(frame)) + frame[:-1]
        output, error = self.tool("--check", self.write("x.pcap", data), status=1)
        self.assertIn("cut: 25", output)
        self.assertIn("packet 1: offset 4: Acknex: The capture lacks the last 1 of 5 bytes", error)

    def test_unknown_link_type(self):
        path = self.write("x.pcap", Capture(105, self.capture.frames).pcap())
        _, error = self.tool("--list", path, status=2)
        self.assertIn("x.pcap: captures of link type", error)
        self.assertIn("; capture without monitor mode", error)


class Compressed(ToolTest):
    """As Wireshark writes captures, when asked to."""

    def setUp(self):
        super().setUp()
        self.packed = gzip.compress(ACKNEX.read_bytes())
        self.expected, _ = self.tool("--dump", ACKNEX)

    def test_capture(self):
        output, error = self.tool("--dump", self.write("x.pcap.gz", self.packed))
        self.assertEqual((output, error), (self.expected, ""))
        output, _ = self.tool("--dump", "-", input=self.packed)
        self.assertEqual(output, self.expected)

    def test_large_capture(self):
        """No part of it is held for longer than it takes, nor left out."""
        frames = [(0, tool.udp((1, 5000), (2, 5001), os.urandom(1000) + bytes(25000)))
                  for _ in range(40)]
        chunk = Capture(tool.RAW, frames).pcap()[24:]
        count = (300 << 20) // len(chunk)
        packed = (gzip.compress(Capture(tool.RAW, []).pcap()) +
                  gzip.compress(chunk, compresslevel=1) * count)
        path = self.write("x.pcap.gz", packed)
        output, _ = self.tool("--check", path)
        self.assertIn(f"x.pcap.gz: {count * len(frames)} packets", output)
        _, memory, _ = self.measure("--check", path)
        self.assertLess(memory, 100)

    def test_capture_made_to_be_large(self):
        empty = Capture(tool.RAW, [(0, bytes(60000))] * 1000).pcap()
        path = self.write("x.pcap.gz", gzip.compress(empty))
        _, error = self.tool("--check", path, status=1)
        self.assertIn("x.pcap.gz: inflates to more than 200 times its size; the rest is left out\n",
                      error)
        # What is before that is read.
        output, _ = self.tool("--dump", self.write("y.pcap.gz", gzip.compress(
            ACKNEX.read_bytes() + empty[24:])), status=1)
        self.assertTrue(output.startswith(self.expected))

    def test_cut_capture(self):
        path = self.write("x.pcap.gz", self.packed[:len(self.packed) // 2])
        output, error = self.tool("--dump", path, status=1)
        self.assertTrue(output and self.expected.startswith(output))
        self.assertIn("x.pcap.gz: the compressed data end early", error)


class OtherCompressions(ToolTest):
    """xz, zstd, bzip2 and lz4, where their programs are installed."""

    def each(self):
        """Endings, and functions that compress."""
        for program, ending in (("xz", "xz"), ("zstd", "zst"), ("bzip2", "bz2"), ("lz4", "lz4")):
            def pack(data, program=program):
                return subprocess.run([program, "-c"], input=data, stdout=subprocess.PIPE, check=True).stdout
            if shutil.which(program):
                yield ending, pack

    def test_capture(self):
        expected, _ = self.tool("--dump", ACKNEX)
        for ending, pack in self.each():
            packed = pack(ACKNEX.read_bytes())
            path = self.write("x.pcap." + ending, packed)
            self.assertEqual(self.tool("--dump", path), (expected, ""))
            self.assertEqual(self.tool("--dump", "-", input=packed), (expected, ""))
            self.assertIn(f"x.pcap.{ending}: 25 packets", self.tool("--check", ".")[0])

    def test_demo(self):
        demo = next(tool.CAPTURES.glob("*.dm2"))
        expected, _ = self.tool("--dump", demo)
        for ending, pack in self.each():
            path = self.write("duel.dm2." + ending, pack(demo.read_bytes()))
            self.assertEqual(self.tool("--dump", path), (expected, ""))


class Archives(ToolTest):
    """Each capture or demo in a zip or tar is an input."""

    demo = next(tool.CAPTURES.glob("*.dm2"))
    members = (("m/readme.txt", b"no capture"), ("m/a.pcap", ACKNEX.read_bytes()),
               ("m/b.pcap.gz", gzip.compress(ACKNEX.read_bytes())), ("c.dm2", demo.read_bytes()))

    def pack(self, name, members=members):
        path = self.folder / name
        if name.endswith("zip"):
            with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
                for member, data in members:
                    archive.writestr(member, data)
            return path
        with tarfile.open(path, "w" + (":" + name.partition(".tar.")[2]).rstrip(":")) as archive:
            for member, data in members:
                about = tarfile.TarInfo(member)
                about.size = len(data)
                archive.addfile(about, io.BytesIO(data))
        return path

    def test_members(self):
        later = Capture.read(ACKNEX)
        later.frames = [(time + 3600 * 10 ** 6, frame) for time, frame in later.frames]
        later = self.write("b.pcap", later.pcap())
        expected, _ = self.tool("--dump", ACKNEX, later, self.demo)
        members = [*self.members]
        members[2] = ("m/b.pcap.gz", gzip.compress(later.read_bytes()))
        for name in ("x.zip", "x.tar", "x.tar.gz", "x.tar.xz", "x.tar.bz2"):
            with self.subTest(name):
                path = self.pack(name, members)
                whole, error = self.tool("--dump", path)
                self.assertEqual((whole, error), (expected, ""))
                self.assertEqual(self.tool("--dump", "-", input=path.read_bytes())[0], whole)
                output, _ = self.tool("--check", name, status=1) # the demo is damaged
                self.assertEqual([line.split(": ")[0] for line in output.splitlines()
                                  if not line.startswith(" ")],
                                 [f"{name}/m/a.pcap", f"{name}/m/b.pcap.gz", f"{name}/c.dm2"])
                report = json.loads(self.tool("--check", "--json", name, status=1)[0])
                self.assertEqual([file["file"] for file in report["files"]],
                                 [f"{name}/m/a.pcap", f"{name}/m/b.pcap.gz", f"{name}/c.dm2"])
                path.unlink()

    def test_demos_are_named_after_members(self):
        path = self.pack("x.zip", [("deep/duel.pcap", tool.SAMPLE.read_bytes()),
                                   ("made.dm2", self.demo.read_bytes())])
        self.tool(path)
        self.assertEqual(self.left(), ["duel-20261120-155443-labplayer-dm4.qwd", "x.zip"])

    def test_hostile_names(self):
        """They are printed safely, and never are paths."""
        name = "/../../e\x1b[31mvil\n/../x.pcap"
        above = self.folder
        self.folder = above / "a" / "b"
        self.folder.mkdir(parents=True)
        path = self.pack("x.tar", [(name, ACKNEX.read_bytes())])
        output, _ = self.tool("--check", path)
        self.assertEqual(output.split(": ")[0], f"{path}/e [31mvil /x.pcap")
        self.run_tool("--check", "--golden", ".", "--update", path)
        outside = {file for file in above.rglob("*") if self.folder not in file.parents}
        self.assertEqual(outside, {self.folder.parent, self.folder})

    def test_what_is_wrong(self):
        for name in ("x.zip", "x.tar", "x.tar.gz"):
            path = self.pack(name, [("a.txt", b"nothing")])
            _, error = self.tool("--check", path, status=2)
            self.assertIn(f"{name}: no captures and no demos in this archive\n", error)
            data = self.pack(name, [("a.pcap", ACKNEX.read_bytes()),
                                    ("b.pcap", os.urandom(9000))]).read_bytes()
            cut = self.write("cut." + name, data[:-8000])
            result = self.run_tool("--check", cut)
            self.assertIn(b"a.pcap: 25 packets", result.stdout)
            self.assertIn(b"the compressed data end early", result.stderr)


def pcapng_frame(interface, time, frame, order="<"):
    """An enhanced packet block."""
    return tool.block(order, 6, struct.pack(order + "IIIII", interface, time >> 32,
                                            time & 0xFFFFFFFF, len(frame), len(frame)) + frame)


def pcapng_interface(link_type, snaplen=0, options=b"", order="<"):
    return tool.block(order, 1, struct.pack(order + "HHI", link_type, 0, snaplen) + options)


def pcapng_section(order="<"):
    return tool.block(order, 0x0A0D0D0A, struct.pack(order + "IHHq", 0x1A2B3C4D, 1, 0, -1))


def pcapng_option(code, value, order="<"):
    return struct.pack(order + "HH", code, len(value)) + value + bytes(-len(value) % 4)


class SeveralInterfaces(ToolTest):
    """pcapng files whose frames do not all have one link type; libpcap refuses them."""

    def setUp(self):
        super().setUp()
        self.capture = Capture.read(ACKNEX)
        self.expected = self.dump(ACKNEX)

    def split(self, order="<", offset=None):
        """The capture, every other packet on an interface of bare IP."""
        options = b"" if offset is None else pcapng_option(14, struct.pack(order + "q", offset), order)
        out = [pcapng_section(order),
               pcapng_interface(tool.ETHERNET, 262144, options, order),
               pcapng_interface(tool.RAW, 65535, options, order)]
        for i, (time, frame) in enumerate(self.capture.frames):
            time -= (offset or 0) * 1000000
            out.append(pcapng_frame(i % 2, time, frame[14:] if i % 2 else frame, order))
        return b"".join(out)

    def check(self, data, **changes):
        self.assertEqual(self.dump(self.write("x.pcapng", data)), self.expected, **changes)

    def test_link_types(self):
        for order in "<>":
            with self.subTest(order):
                self.check(self.split(order))
                # A copy has an interface for each, too.
                self.tool("-f", "-s", "1", "--pcap", "copy.pcapng", "x.pcapng")
                self.assertEqual(self.dump("copy.pcapng"), self.expected)

    def test_times(self):
        self.check(self.split(offset=1000000))
        self.check(self.split(">", offset=-1000000))

    def test_sections(self):
        """Each with a byte order and interfaces of its own."""
        half = len(self.capture.frames) // 2
        first = [pcapng_section("<"), pcapng_interface(tool.ETHERNET)]
        first += [pcapng_frame(0, *frame) for frame in self.capture.frames[:half]]
        second = [pcapng_section(">"), pcapng_interface(tool.RAW, order=">")]
        second += [pcapng_frame(0, time, frame[14:], ">")
                   for time, frame in self.capture.frames[half:]]
        self.check(b"".join(first + second))

    def test_simple_packets(self):
        """They have no times."""
        out = [pcapng_section(), pcapng_interface(tool.ETHERNET, 1500)]
        out += [tool.block("<", 3, struct.pack("<I", len(frame)) + frame)
                for _, frame in self.capture.frames]
        found = self.dump(self.write("x.pcapng", b"".join(out)))
        self.assertEqual([packet["fields"] for packet in found],
                         [packet["fields"] for packet in self.expected])

    def test_filter(self):
        path = self.write("x.pcapng", self.split())
        found = self.dump(path, "--filter", "src port 2300")
        self.assertEqual(found, self.dump(ACKNEX, "--filter", "src port 2300"))
        # Only Ethernet has hosts of this kind.
        found = self.dump(path, "--filter", "ether src host 00:00:00:00:00:00 or ether[0] >= 0")
        self.assertEqual([packet["packet"] for packet in found],
                         [packet["packet"] for packet in self.expected if packet["packet"] % 2])

    def test_unknown_link_type(self):
        other = pcapng_interface(220) + pcapng_frame(2, 0, bytes(64))
        path = self.write("x.pcapng", self.split() + other)
        output, error = self.tool("--dump=json", path, status=1)
        self.assertIn('x.pcapng: link type "USB with padded Linux header" '
                      'cannot be read, packets: 1\n', error)
        self.assertEqual(len(output.splitlines()), len(self.expected))

    def test_what_is_wrong(self):
        head = pcapng_section() + pcapng_interface(tool.ETHERNET)
        long_packet = tool.block("<", 6, struct.pack("<IIIII", 0, 0, 0, 1000, 1000) + bytes(8))
        for data, problem in (
                (head + pcapng_frame(1, 0, bytes(64)),
                 "a packet of interface 1, which is not described"),
                (head + long_packet, "a packet of 1000 bytes in a smaller block"),
                (head + struct.pack("<II", 6, 1 << 31), "a block of 2147483648 bytes"),
                (head + struct.pack("<III", 6, 12, 16), "the two lengths of a block differ"),
                (head + head[:4], "the file ends within a block"),
                (pcapng_section(), "the file describes no interface"),
                (pcapng_section().replace(b"\x01\0\0\0", b"\x09\0\0\0"),
                 "version 9 of pcapng is not known")):
            with self.subTest(problem):
                _, error = self.tool("--check", self.write("x.pcapng", data),
                                     status=1 if data.startswith(head) else 2)
                self.assertIn(problem + "\n", error)


def ipv4(protocol, payload, offset=0, more=False, number=1):
    """A packet or a fragment between two hosts that no game is on."""
    return struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(payload), number,
                       offset // 8 | (0x2000 if more else 0), 64, protocol, 0,
                       bytes([10, 9, 9, 1]), bytes([10, 9, 9, 2])) + payload


def ipv6(protocol, payload):
    return struct.pack(">IHBB16s16s", 6 << 28, len(payload), protocol, 64,
                       bytes.fromhex("fd00" + 13 * "00" + "01"),
                       bytes.fromhex("fd00" + 13 * "00" + "02")) + payload


def udp(port, payload):
    return struct.pack(">HHHH", 50000, port, 8 + len(payload), 0) + payload


def gre(flags, protocol, options, payload):
    return struct.pack(">HH", flags, protocol) + bytes.fromhex(options) + payload


ERSPAN_II = "10 01 0000 00000000"
ERSPAN_III = "20 01 0000 00000000 0000"

# Of an IPv4 packet: what a mirror port or a virtual network makes of it.
TUNNELS = {
    "IP in IP": lambda ip: ipv4(4, ip),
    "4in6": lambda ip: ipv6(4, ip),
    "IP in IP in IPv6": lambda ip: ipv6(41, ipv6(4, ipv4(4, ip))),
    "6in4": lambda ip: ipv4(41, ipv6(4, ip)),
    "GRE": lambda ip: ipv4(47, gre(0, 0x800, "", ip)),
    "GRE in IPv6": lambda ip: ipv6(47, gre(0, 0x800, "", ip)),
    "GRE with all options": lambda ip: ipv4(47, gre(0xB000, 0x800, "12340000 00000007 00000008", ip)),
    "GRE with source routes": lambda ip: ipv4(47, gre(0x4000, 0x800, "00000000 08000004 0a000001 00000000", ip)),
    "PPTP": lambda ip: ipv4(47, gre(0x3081, 0x880B, "0030 0001 00000001 00000002", b"\x21" + ip)),
    "MPLS in GRE": lambda ip: ipv4(47, gre(0, 0x8847, "00011140", ip)),
    "Ethernet in GRE": lambda ip: ipv4(47, gre(0x2000, 0x6558, "00000007", MACS + b"\x08\0" + ip)),
    "ERSPAN I": lambda ip: ipv4(47, gre(0, 0x88BE, "", MACS + b"\x08\0" + ip + bytes(4))),
    "ERSPAN II": lambda ip: ipv4(47, gre(0x1000, 0x88BE, "00000001" + ERSPAN_II,
                                         MACS + b"\x81\0\0\7\x08\0" + ip)),
    "ERSPAN III": lambda ip: ipv4(47, gre(0x1000, 0x22EB, "00000001" + ERSPAN_III + "0000",
                                          MACS + b"\x08\0" + ip)),
    "ERSPAN III, more": lambda ip: ipv4(47, gre(0x1000, 0x22EB, "00000001" + ERSPAN_III + "0001" + 16 * "0",
                                                MACS + b"\x08\0" + ip)),
    "ERSPAN III of IP": lambda ip: ipv4(47, gre(0x1000, 0x22EB, "00000001" + ERSPAN_III + "0800", ip)),
    "VXLAN": lambda ip: ipv4(17, udp(4789, bytes.fromhex("08000000 00000700") + MACS + b"\x08\0" + ip)),
    "VXLAN in GRE in VXLAN": lambda ip: ipv4(17, udp(4789, bytes.fromhex("08000000 00000700") + MACS + b"\x08\0" +
        ipv4(47, gre(0, 0x800, "", ipv4(17, udp(4789, bytes.fromhex("08000000 00000700") + MACS + b"\x08\0" + ip)))))),
}


class Tunnels(ToolTest):
    """The demo is that of the packets themselves."""

    @classmethod
    def setUpClass(cls):
        cls.packets = Capture.read(tool.SAMPLE).packets()

    def setUp(self):
        super().setUp()
        self.tool("-o", "plain.qwd", tool.SAMPLE)

    def check(self, frames):
        path = self.write("x.pcap", Capture(tool.ETHERNET, frames).pcap())
        self.tool("-o", "x.qwd", "--force", path)
        self.assertEqual((self.folder / "x.qwd").read_bytes(),
                         (self.folder / "plain.qwd").read_bytes())
        self.tool("--pcap", "cut.pcapng", "--force", "-s", "1", path)
        self.tool("-o", "x.qwd", "--force", "cut.pcapng")
        self.assertEqual((self.folder / "x.qwd").read_bytes(),
                         (self.folder / "plain.qwd").read_bytes())

    @staticmethod
    def framed(packet):
        return MACS + (b"\x86\xdd" if packet[0] >> 4 == 6 else b"\x08\0") + packet

    def test_each(self):
        for name, tunnel in TUNNELS.items():
            with self.subTest(name):
                self.check([(time, self.framed(tunnel(ip))) for time, ip in self.packets])

    def test_fragments_outside(self):
        frames = []
        for number, (time, ip) in enumerate(self.packets):
            inner = gre(0, 0x800, "", ip)
            frames += [(time, self.framed(ipv4(47, inner[:32], 0, True, number & 0xFFFF))),
                       (time, self.framed(ipv4(47, inner[32:], 32, False, number & 0xFFFF)))]
        self.check(frames)

    def test_fragments_on_both_sides(self):
        frames = []
        for number, (time, ip) in enumerate(self.packets):
            head, body = ip[:20], ip[20:]
            for offset, part in ((0, body[:8]), (8, body[8:])):
                flags = offset // 8 | (0 if offset else 0x2000)
                inner = head[:2] + struct.pack(">HHH", 20 + len(part), number & 0xFFFF, flags) + head[8:] + part
                outer = gre(0, 0x800, "", inner)
                name = number * 2 + (offset > 0) & 0xFFFF
                frames += [(time, self.framed(ipv4(47, outer[:16], 0, True, name))),
                           (time, self.framed(ipv4(47, outer[16:], 16, False, name)))]
        self.check(frames)

    def test_damaged(self):
        """Headers that end early, and packets in packets without an end."""
        nested = self.packets[0][1]
        frames = []
        for _ in range(40):
            nested = ipv4(4, nested)
            frames.append((0, self.framed(nested)))
        for tunnel in TUNNELS.values():
            whole = tunnel(self.packets[0][1])
            frames += [(0, self.framed(whole)[:size]) for size in range(14, len(whole), 3)]
        path = self.write("x.pcap", Capture(tool.ETHERNET, frames).pcap())
        self.tool("--list", path, status=None)

    def test_game_on_the_port_of_vxlan(self):
        capture = Capture.read(tool.SAMPLE)
        moved = [(time, frame.replace(struct.pack(">H", 27500), struct.pack(">H", 4789), 1))
                 for time, frame in capture.frames]
        path = self.write("x.pcap", Capture(capture.link_type, moved).pcap())
        self.tool("-o", "x.qwd", path, "--port", "qw=4789")
        self.assertEqual((self.folder / "x.qwd").read_bytes(),
                         (self.folder / "plain.qwd").read_bytes())


class Streams(ToolTest):
    def test_several_files_are_one_capture(self):
        """The session goes on in the second file; packet numbers begin anew."""
        capture = Capture.read(ACKNEX)
        first = self.write("1.pcap", Capture(capture.link_type, capture.frames[:12]).pcap())
        second = self.write("2.pcap", Capture(capture.link_type, capture.frames[12:]).pcapng())
        found = self.dump(first, second)
        expected = self.dump(ACKNEX)
        self.assertEqual([packet["fields"] for packet in found],
                         [packet["fields"] for packet in expected])
        self.assertEqual([packet["packet"] for packet in found], [*range(1, 13), *range(1, 14)])
        output, _ = self.tool("--list", first, second)
        self.assertEqual(len(output.splitlines()), 2)

    def split(self, count, endings=("", ".gz")):
        """The sample in files of as many packets; the names are in another order."""
        capture = Capture.read(tool.SAMPLE)
        size = -(-len(capture.frames) // count)
        for i in range(count):
            data = Capture(capture.link_type, capture.frames[i * size:(i + 1) * size]).pcap()
            ending = endings[i % len(endings)]
            yield self.write(f"cap{count - i}.pcap{ending}",
                             gzip.compress(data) if ending else data)

    def test_files_are_read_in_the_order_of_time(self):
        """And one after the other: fewer may be open at once than there are."""
        files = sorted(self.split(40))
        self.tool("-o", "whole.qwd", "--force", tool.SAMPLE)
        output = self.tool("-o", "merged.qwd", *files, preexec_fn=lambda: resource.setrlimit(
            resource.RLIMIT_NOFILE, (20, 20)))[0]
        self.assertIn("session 1,", output)
        self.assertEqual((self.folder / "merged.qwd").read_bytes(), (self.folder / "whole.qwd").read_bytes())
        self.tool("--pcap", "cut.pcapng", "-s1", *files)
        self.tool("-o", "cut.qwd", "cut.pcapng")
        self.assertEqual((self.folder / "cut.qwd").read_bytes(), (self.folder / "whole.qwd").read_bytes())

    def test_files_are_merged(self):
        """One file for each direction; messages name the file and the packet in it."""
        capture = Capture.read(tool.SAMPLE)
        files = []
        server = struct.pack(">H", 27500)
        for from_server in (True, False):
            frames = [(time, frame) for time, frame in capture.frames
                      if (frame[34:36] == server) == from_server]
            files.append(self.write(f"{len(files)}.pcap",
                                    Capture(capture.link_type, frames).pcap()))
        self.tool("-o", "whole.qwd", "--force", tool.SAMPLE)
        for order in (files, files[::-1]):
            self.tool("-o", "merged.qwd", "--force", *order)
            self.assertEqual((self.folder / "merged.qwd").read_bytes(), (self.folder / "whole.qwd").read_bytes())
        report = json.loads(self.tool("--check", "--json", *files)[0])
        self.assertEqual({file["file"][-6:]: file["packets"] for file in report["files"]},
                         {path.name[-6:]: len(Capture.read(path).frames) for path in files})

    def test_demos_are_read_behind_captures(self):
        demo = next(tool.CAPTURES.glob("*.qwd"))
        output, _ = self.tool("--list", demo, tool.SAMPLE)
        self.assertEqual(output.splitlines()[1:],
                         self.tool("--list", tool.SAMPLE, demo)[0].splitlines()[1:])

    def test_filter(self):
        """Packets keep the numbers that they have in the file."""
        every = self.dump(ACKNEX)
        found = self.dump(ACKNEX, "--filter", "src port 2300")
        self.assertEqual([packet["packet"] for packet in found],
                         [packet["packet"] for packet in every
                          if packet["source"].endswith(":2300")])
        _, error = self.tool("--list", ACKNEX, "--filter", "no such thing", status=2)
        self.assertIn('filter "no such thing"', error)


class Damage(ToolTest):
    def test_cut_pcap(self):
        """Everything before the cut counts; the message says where it is."""
        whole = ACKNEX.read_bytes()
        frames = Capture.read(ACKNEX).frames
        end = 24 + sum(16 + len(frame) for _, frame in frames[:10])
        for extra in (1, 15, 16, 17):
            with self.subTest(extra):
                path = self.write("cut.pcap", whole[:end + extra])
                self.assertEqual(self.dump(path, status=1), self.dump(ACKNEX)[:10])
                _, error = self.tool("--list", path, status=1)
                self.assertIn(f"cut.pcap: packet 11: cannot be read beyond offset {end}",
                              error)
        self.assertEqual(len(self.dump(self.write("cut.pcap", whole[:end]))), 10)

    def test_cut_then_more(self):
        """A damaged file does not keep the next one from being read."""
        cut = self.write("cut.pcap", ACKNEX.read_bytes()[:100])
        output, error = self.tool("--check", cut, ACKNEX, status=1)
        self.assertIn("cut.pcap: packet", error)
        self.assertIn("acknex-generated.pcap: 25 packets", output)

    def test_absurd_times(self):
        capture = Capture.read(ACKNEX)
        data = bytearray(capture.pcap())
        data[24:32] = b"\xff" * 8
        self.assertEqual(len(self.dump(self.write("x.pcap", data))), 25)
        frames = [(2 ** 64 - 1, capture.frames[0][1])] + capture.frames[1:]
        path = self.write("x.pcapng", Capture(capture.link_type, frames).pcapng())
        self.assertEqual(len(self.dump(path)), 25)

