# SPDX-License-Identifier: GPL-2.0-or-later
"""--anonymize: the copy decodes the same, without addresses, passwords and, on request, names and chat."""

import os
import re
import shutil
import struct
import subprocess
import unittest

from test_secrets import PACKETS, PASSWORD
from streams import stream
from tool import CAPTURES, RAW, SANITIZED, Capture, ToolTest, as_ipv6, udp

CLIENT, SERVER, QUAKE2, QUAKE = (1, 40000), (2, 27500), (2, 27910), (2, 26000)
OOB = b"\xff\xff\xff\xff"
QUAD = re.compile(r"(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.]*\d)")

# Captures of every game, of fragments and streams, and of texts with addresses.
COPIED = ["acknex-generated", "nq-control", "nq-darkplaces", "nq-fragments", "nq-fte", "q2-extended",
          "q2-gtv-plain", "q2-oob", "q2-q2pro", "q2-statistics", "qw-csqc", "qw-fte-inputs",
          "qw-lossy", "qw-oob", "qw-oob-newest", "qw-qtv", "qw-vanilla"]


def comparable(dump):
    """The lines without packet numbers and addresses, which differ. In the copy each PDU of a stream is a packet."""
    for line in dump.splitlines():
        if " packet.unit = " in line:
            continue
        line = line.split(" ", 1)[1]
        if QUAD.search(line):
            line = re.sub(r" \[[0-9a-f]+\]$", "", QUAD.sub("ADDRESS", line))
        yield line.split("=")[0] if re.search(r"\.fragment(\.data)? ", line) else line


# Commands, texts and packets that hold passwords (replaced always), or hosts and people (with --replace-names) and chat.
PASSWORD_COMMANDS = [
    b'set sv_password planted0\n', b'set rcon_pw planted1\n', b'seta foo_token planted2\n', b'alias x "rcon planted3 status"\n',
    b'set mod_admin_password "planted4"\n', b'fullserverinfo "\\a\\b\\rcon_pw\\planted5\\my_password\\planted6"\n',
    b'setinfo steam_token planted7\n', b'set pwd "planted8"\n', b'seta sv_passcode planted9\n',
    b'fullserverinfo "\\apitoken\\planted10\\rconpw\\planted11\\pw1\\planted12"\n', b'bind f5 "rcon planted13 map dm4"\n']
HOST_COMMANDS = [
    b"packet planted0:27500 x\n", b"alias y connect planted1\n", b'bind k "menu;join planted2"\n', b"set qtv_host planted3\n",
    b"set hostname planted4\n", b"echo see planted5.xn--p1ai\n", b"connect planted6.example.org:27500\n",
    b"bf;connect planted7.example.org\n", b"setu name planted13\n",
    b'alias z "fullserverinfo \\hostname\\planted14\\x\\y"\n',
    b'fullserverinfo "\\a\\b\\hostport\\planted8.example.org:27500"\n',
    b'//tinfo 1 1 1 1 1 1 1 "planted9" 3\n', b'//qul 1 2 "planted10"\n',
    b'//finalscores "d" "m" "dm4" "planted11" 5 "planted12" 6\n']
HOST_MESSAGES = [
    b"\x28\0\1\0\0\0" + b"".join(b"\\%s\\planted13" % key for key in
                                  (b"clan", b"owner", b"realname", b"clantag", b"email", b"admin")) + b"\0",
    b"\x28\1\1\0\0\0\\*auth\\planted14\\_pw\\planted15\\team\\planted16\0",
    b"\x33\1*auth\0planted17\0", b"\x33\1team\0planted18\0",
    b"\x08\2play at quake.planted19.org or planted20.com now, not in maps/dm4.bsp, in 12.345 s\n\0",
    b"\x08\2hw 00:1b:63:84:45:e6 00:1b:63:84:45:E6 00-1B-63-84-45-E6\n\0",
    b"\x08\2mail planted21@example.org now\n\0",
    b"\x08\2http://planted22.example.org/x at planted23.example.org:80\n\0",
    b"\x08\2" + bytes(c | 0x80 for c in b"planted24@example.org") + b"\n\0",
    b"\x08\2[2001:470:1::77]:27001, 2001:470:1::78\n\0",
    b"\x08\2" + bytes(c | 0x80 for c in b"93.184.216.34") + b" is 0x5DB8D822 or 22d8b85d\n\0"]
CLIENT_COMMANDS = [b"SAY my planted0", b"wait;say my planted1", b"setinfo _pw planted2", b"cmd auth planted3",
                   b"cmd say planted4", b"register planted5 planted6"]
SERVER_LISTS = [(SERVER, b'n\\*admin\\planted7\n1 5 3 25 "x" "skin" 4 4 "planted8"\n'), (QUAKE2, b"info\nplanted9  dm4 1/8\n")]


def from_server(*messages):
    """QuakeWorld packets of the server, one for each message."""
    return [udp(SERVER, CLIENT, struct.pack("<II", 1 + number, 0) + message) for number, message in enumerate(messages)]


def quake_fragment(number, content, last=True):
    """A part of a reliable message of Quake."""
    return udp(QUAKE, CLIENT, struct.pack(">II", (0x00090000 if last else 0x00010000) | len(content) + 8, number) + content)


QUAKE_HANDSHAKE = [udp(CLIENT, QUAKE, b"\x80\0\0\x0c\x01QUAKE\0\x03"),
                   udp(QUAKE, CLIENT, b"\x80\0\0\x09\x81" + struct.pack("<I", 26000))]
PLANTED = rb"planted\d+"


class Anonymize(ToolTest):
    def copy(self, *inputs, options=(), status=0):
        """The copy's path, and what was printed."""
        output, error = self.tool("--force", "--anonymize", "copy.pcapng", *options, *inputs, status=status)
        return self.folder / "copy.pcapng", output, error

    def capture(self, packets, name="original.pcap"):
        return self.write_capture(name, [(1000 * i, packet) for i, packet in enumerate(packets)], RAW)

    def copied(self, packets, *options):
        """The bytes of the copy of a capture of these packets."""
        return self.copy(self.capture(packets), options=options)[0].read_bytes()

    def dump(self, path, *options):
        return self.tool("--dump", *options, path)[0]

    def names_of_fields(self, path):
        """The field of each line of a dump: values and offsets may differ."""
        return [line.split()[2] for line in self.dump(path).splitlines()]

    def test_decodes_the_same(self):
        for name in COPIED:
            with self.subTest(name):
                original = CAPTURES / f"{name}.pcap"
                copy, _, _ = self.copy(original, options=["--keep-undecoded"])
                self.assertEqual(list(comparable(self.dump(copy))),
                                 list(comparable(self.dump(original))))
                self.assertNotIn(b"127.0.0.1", copy.read_bytes())
                self.assertNotIn(bytes([127, 0, 0, 1]), copy.read_bytes())

    @unittest.skipUnless(shutil.which("tshark"), "tshark is missing")
    def test_checksums(self):
        for name in ("qw-vanilla", "q2-gtv-plain", "nq-control"):
            copy, _, _ = self.copy(CAPTURES / f"{name}.pcap")
            wrong = subprocess.run(["tshark", "-r", copy, "-T", "fields", "-e", "ip.checksum.status", "-e",
                                    "udp.checksum.status", "-e", "tcp.checksum.status", "-o",
                                    "ip.check_checksum:TRUE", "-o", "udp.check_checksum:TRUE", "-o",
                                    "tcp.check_checksum:TRUE"], stdout=subprocess.PIPE,
                                   env={"PATH": os.environ["PATH"], "HOME": str(self.folder)},
                                   check=True).stdout.decode().split()
            self.assertEqual(set(wrong), {"1"})

    def test_passwords(self):
        original = self.capture([udp(CLIENT, receiver, payload) for receiver, payload in PACKETS])
        copy, output, _ = self.copy(original)
        self.assertNotIn(PASSWORD, copy.read_bytes())
        self.assertRegex(output, r"passwords and user keys: 2, replaced: \d+")
        self.assertEqual(self.dump(copy).count("*****"), self.dump(original).count("*****"))
        shown = self.dump(copy, "--show-secrets")
        self.assertEqual(len(set(re.findall(r'rcon\.password = "(\w{7})"', shown))), 1)

    def test_addresses_are_the_same_everywhere(self):
        payload = OOB + b"nstatus of 10.0.0.2 and 100.64.100.1:27500, not 1.2.3.4.5 or 300.1.1.1\n"
        copy, output, _ = self.copy(self.capture([
            udp(SERVER, CLIENT, payload), udp(SERVER, CLIENT, payload), udp((3, 9), (4, 9), b"x")]))
        text, other = re.findall(r'oob\.print = "(.*)"', self.dump(copy))
        self.assertEqual(text, other)
        self.assertRegex(text, r"^status of 0\.0\.0\.\d\d? and 192\.0\.02\.003:27500, "
                               r"not 1\.2\.3\.4\.5 or 300\.1\.1\.1")
        self.assertIn("addresses: 3, replaced in messages: 4", output)
        self.assertIn("packets that complete no message of a known game, left out: 1\n", output)
        ends = set(re.findall(r"packet\.(?:source|destination) = (\S+):", self.dump(copy)))
        self.assertEqual(len(ends), 2)
        self.assertTrue(all(end.startswith("192.0.2.") for end in ends), ends)

    def test_binary_addresses(self):
        master = OOB + b"d\n" + bytes([10, 0, 0, 7]) + struct.pack(">H", 27500)
        copy, _, _ = self.copy(self.capture([udp((2, 27000), CLIENT, master)]))
        self.assertRegex(self.dump(copy), r"server\.address = 192\.0\.2\.\d+")
        self.assertNotIn(bytes([10, 0, 0, 7]), copy.read_bytes())

    def test_many_addresses(self):
        texts = [b"n10.1.%d.%d" % (i // 256, i % 256) for i in range(4000)]
        copy, output, _ = self.copy(self.capture([udp(SERVER, CLIENT, OOB + text) for text in texts]))
        self.assertIn("addresses: 4002, ", output)
        shown = re.findall(r'oob\.print = "(.*)"', self.dump(copy))
        self.assertEqual([len(text) for text in shown], [len(text) - 1 for text in texts])
        self.assertGreater(len(set(shown)), 3900)

    def test_hole_in_a_stream_stays(self):
        """Frames of which nothing is decoded are counted."""
        frames = list(enumerate(stream([1000]).frames))
        original = self.write_capture("original.pcap", frames[:8] + frames[9:])
        copy, output, _ = self.copy(original, options=["--keep-undecoded"])
        copied, expected = (re.sub(r"packet \d+", "packet", "\n".join(comparable(self.dump(path)))) for path in (copy, original))
        self.assertIn("the start of the next block cannot be found", expected)
        self.assertEqual(copied, expected)
        self.assertIn("packets that complete no message of a known game, left out: 73\n", output)

    def test_connections_between_the_same_ports(self):
        conversation = stream([1000])
        conversation.finish()
        copy, _, _ = self.copy(self.write_capture("original.pcap", enumerate(conversation.frames * 2)))
        self.assertEqual([session["problems"] for session in self.listed(copy)], [0, 0])

    def test_compressed_messages(self):
        """Compressed messages are compressed again, also in fragments."""
        for name in ("q2-q2pro", "q2-extended", "q2-r1q2"):
            with self.subTest(name):
                original = CAPTURES / f"{name}.pcap"
                names = set(re.findall(r'\\\\name\\\\(\w{3,})', self.dump(original)))
                self.assertTrue(names)
                copy, output, _ = self.copy(original, options=["--replace-names", "--replace-chat"])
                self.assertNotIn("cannot be written", output)
                self.assertNotRegex(self.dump(copy), rf"\b({'|'.join(names)})\b")
                self.assertEqual(self.names_of_fields(copy), self.names_of_fields(original))

    def test_compressed_stream_is_left_out(self):
        """The copy has no compressed part of it, also none behind a gap."""
        whole = Capture.read(CAPTURES / "fidelity/q2-gtv.pcap.gz")
        frames = [frame for i, frame in enumerate(whole.frames) if i != len(whole.frames) // 2]
        for name, kept in (("whole", whole.frames), ("gap", frames)):
            with self.subTest(name):
                copy, output, error = self.copy(self.write_capture("gap.pcap", kept))
                self.assertEqual(error.count("left out: the rest of this stream"), 1, error)
                self.assertIn("packets left out, undecoded or not replaceable: ", output)
                dump = self.dump(copy)
                self.assertIn("gtv.name", dump)
                self.assertNotIn("undecoded", dump)
                self.assertNotIn("gtv.deflated", dump)

    def test_passwords_in_commands(self):
        """Keys by pattern, in info strings and commands, also in an alias; the name of a variable is none."""
        copied = self.copied(from_server(*(b"\x09" + text + b"\0" for text in PASSWORD_COMMANDS)))
        self.assertEqual(re.findall(PLANTED, copied), [])
        self.assertIn(b"cmd actoken $actoken", self.copied(from_server(b"\x09cmd actoken $actoken\n\0")))

    def test_hosts_and_people(self):
        for texts in [b"\x09" + text + b"\0" for text in HOST_COMMANDS], HOST_MESSAGES:
            original = self.capture(from_server(*texts))
            self.assertIn(b"planted", original.read_bytes())
            copy, _, _ = self.copy(original, options=["--replace-names"])
            copied = copy.read_bytes()
            plain = bytes(c & 0x7f for c in copied)
            self.assertEqual(re.findall(PLANTED + rb"|2001:470|93\.184|(?i:5db8|22d8)|63.84.45", plain), [])
            self.assertEqual(self.names_of_fields(copy), self.names_of_fields(original))
        self.assertIn(b"maps/dm4.bsp, in 12.345 s", copied)
        self.assertRegex(copied, rb"hw (00:00:5e:00:53:(..)) \1 00-00-5e-00-53-\2\n")

    def test_chat_and_lists_of_servers(self):
        packets = [udp(CLIENT, SERVER, struct.pack("<IIH", 1 + number, 0, 1) + b"\4%s\0" % text)
                   for number, text in enumerate(CLIENT_COMMANDS)]
        packets += [udp(server, CLIENT, OOB + text) for server, text in SERVER_LISTS]
        original = self.capture(packets)
        self.assertEqual(len(set(re.findall(PLANTED, original.read_bytes()))), 10)
        copy, _, _ = self.copy(original, options=["--replace-names", "--replace-chat"])
        self.assertEqual(re.findall(PLANTED, copy.read_bytes()), [])
        self.assertEqual(self.names_of_fields(copy), self.names_of_fields(original))

    def test_names_and_chat(self):
        original = self.capture([
            udp(CLIENT, SERVER, OOB + b'connect 28 1 2 "\\name\\annabel\\rate\\2500"\n'),
            *from_server(b"\x08\x03annabel: meet me at 5\n\0", b"\x08\x02annabel was shot\n\0"),
            udp(CLIENT, SERVER, b"\3\0\0\0\0\0\0\0\1\0\4say hello there\0")])
        self.assertIn("annabel: meet me at 5", self.dump(self.copy(original)[0]))
        copy, output, _ = self.copy(original, options=["--replace-names"])
        self.assertNotIn(b"annabel", copy.read_bytes())
        self.assertRegex(self.dump(copy), r'"(\w{7}): meet me at 5(?s:.*)"\1 was shot')
        self.assertRegex(output, "names: 1, replaced: [34]")  # in the info string as a whole, too
        copy, output, _ = self.copy(original, options=["--replace-chat"])
        self.assertIn("annabel: xxxx xx xx x", self.dump(copy))
        self.assertIn("say xxxxx xxxxx", self.dump(copy))
        self.assertIn("lines of chat replaced: 2", output)

    def test_chat_of_quake(self):
        """A server's print to one player is chat if it begins with a player's name."""
        messages = [b"\x0d\0bob\0\x08\1bob: where are you\n\0", b"\x08bob: behind the door\n\0\x08(bob): come here\n\0",
                    b"\x08door: locked\n\0"]
        copy, output, _ = self.copy(self.capture(QUAKE_HANDSHAKE + [
            udp(QUAKE, CLIENT, struct.pack(">II", 0x00100000 + 8 + len(message), number) + message)
            for number, message in enumerate(messages)]), options=["--replace-chat"])
        dump = self.dump(copy)
        for text in "bob: xxxxx xxx xxx", "bob: xxxxxx xxx xxxx", "(bob): xxxx xxxx", "door: locked":
            self.assertIn(text, dump)
        self.assertIn("lines of chat replaced: 3", output)

    def test_names_that_follow_their_use(self):
        """A text before the name, in a packet before or in the same one; a server's name; a default name stays."""
        copy, output, _ = self.copy(self.capture(from_server(
            b"\x08\x02annabel came to hades\n\0", b"\x08\x02charlotte came\n\0\x28\0\1\0\0\0\\name\\charlotte\0",
            b"\x28\0\1\0\0\0\\name\\annabel\0", b"\x28\1\1\0\0\0\\name\\player\0",
            b'\x09fullserverinfo "\\maxclients\\8\\hostname\\hades"\n\0')), options=["--replace-names"])
        self.assertEqual(re.findall(b"annabel|charlotte|hades|player", copy.read_bytes()), [b"player"])
        self.assertIn("names: 3, replaced: ", output)

    def test_names_in_other_forms(self):
        """In any case, in the upper half of the font, with codes of colors."""
        high = bytes(byte | 0x80 for byte in b"annabel")
        texts = [b"ANNABEL came", high + b" came", high[:3] + b"abel came", b"charlotte^7 came",
                 b"ann^x0f0ab&c00fel&r came", b"gold\x92\x13 came", b"gold12 came"]
        names = b"".join(b"\x28%c\1\0\0\0\\name\\%s\0" % (slot, name)
                         for slot, name in enumerate((b"annabel", b"^1char^2lotte", b"gold\x13\x14")))
        copy, _, _ = self.copy(self.capture(from_server(names, *(b"\x08\2%s\n\0" % text for text in texts))),
                               options=["--replace-names"])
        dump = self.dump(copy)
        self.assertNotRegex(dump, "(?i)annabel|charlotte|lotte|gold1")
        self.assertEqual(len(set(re.findall(r'print.text = "(\w{7}) came', dump))), 1)

    def test_duplicates(self):
        """A datagram that is captured twice is replaced in both."""
        name, text = from_server(b"\x28\0\1\0\0\0\\name\\bob\0", b"\x08\x02bob fell at 100.100.100.123\n\0")
        copy, _, _ = self.copy(self.capture([name, text, text]), options=["--replace-names"])
        self.assertEqual(re.findall(rb"bob|100\.100\.100\.123", copy.read_bytes()), [])
        self.assertIn("sequence.duplicate", self.dump(copy))

    def test_texts_of_addresses(self):
        """They keep their length and are the replaced address; the broadcast address stays."""
        for host in ("10.0.0.2", "10.100.200.222", "10.0.0.22", "100.100.100.123"):
            with self.subTest(host):
                packet, = from_server(b"\x08\x02at " + host.encode() + b" 255.255.255.255 0.0.0.0\n\0")
                copied = self.copied([packet[:12] + bytes(int(part) for part in host.split(".")) + packet[16:]])
                text = re.search(rb"at ([0-9.]+) 255\.255\.255\.255 0\.0\.0\.0\n", copied)[1]
                self.assertEqual(len(text), len(host))
                if len(host) > 8:  # shorter ones stand in another network
                    source = re.search(rb"(?s)(....)....\x6b\x6c\x9c\x40", copied)[1]
                    self.assertEqual([int(part) for part in text.split(b".")], list(source))

    def test_address_across_two_fragments(self):
        message = b"\x08Your address is 100.100.100.123 " + b"x" * 20 + b"\0"
        original = self.capture([quake_fragment(0, message[:24], last=False),
                                 udp(CLIENT, QUAKE, struct.pack(">II", 0x00020008, 0)), quake_fragment(1, message[24:])])
        self.assertIn("100.100.100.123", self.dump(original))
        self.assertRegex(self.dump(self.copy(original)[0]), r'print\.text = "Your address is 192\.000\.002\.003 x')

    def test_ipv6(self):
        copy, _, _ = self.copy(self.capture([as_ipv6(udp(CLIENT, SERVER, OOB + b"status\n"))]))
        self.assertRegex(self.dump(copy), r"packet\.source = \[2001:db8::\d\]:40000")

    def test_undecoded_bytes(self):
        """Bytes behind an unknown message, and fragments of a message that the capture lacks a part of, are replaced."""
        rows = (
            (from_server(b"\x08\2a\0", b"\x08\2a\0\xfeplanted0 \0"), "undecoded bytes replaced: 10", 1),
            (QUAKE_HANDSHAKE + [quake_fragment(0, b"\x08planted0", last=False), quake_fragment(2, b"planted1\0"),
                                quake_fragment(3, b"\x08kept ", last=False), quake_fragment(4, b"as it is\0"),
                                quake_fragment(5, b"\x08planted2", last=False)], "undecoded bytes replaced: 27", 3),
            # Files, lists of a master server in binary form, and packets of another protocol.
            ([udp(CLIENT, SERVER, struct.pack("<IIH", 1, 0, 1) + b"\x07\x08\0\x32planted0"),
              *from_server(b"\x29\x08\0\x32planted1"),
              udp(QUAKE, CLIENT, OOB + b"getserversResponse\\" + bytes([93, 184, 216, 34, 1, 1]) + b"\\EOT\0\0\0"),
              udp(CLIENT, SERVER, b"planted2")], "left out, undecoded or not replaceable: 1", 3))
        for packets, printed, count in rows:
            original = self.capture(packets)
            copy, output, _ = self.copy(original)
            copied = copy.read_bytes()
            self.assertEqual(re.findall(PLANTED + rb"|\x5d\xb8\xd8\x22", copied), [])
            self.assertEqual([text in copied for text in (b"kept ", b"as it is\0")], 2 * [b"kept " in original.read_bytes()])
            self.assertIn(printed, output)
            if count == 1:
                self.assertEqual(self.names_of_fields(copy), self.names_of_fields(original))
            copy, output, _ = self.copy(original, options=["--keep-undecoded"])
            self.assertEqual(re.findall(PLANTED, copy.read_bytes()), [b"planted%d" % i for i in range(count)])
            self.assertNotIn("not decoded", output)

    def test_time_and_memory_are_linear(self):
        for unit in (b"name\n", b"name abc\n", b"say x;", b'"a" ', b"\\name\\b", b"a.bc ", b"set a_pw ",
                     b"aaaaaaaa", b"1.2.3.4 ", b"//sn \"a\" "):
            for message in (b"\x09", b"\x08"):
                times = []
                for size in (16000, 32000):
                    text = message + unit * (size // len(unit)) + b"\0"
                    path = self.capture([quake_fragment(at // 1000, text[at:at + 1000], at + 1000 >= len(text))
                                         for at in range(0, len(text), 1000)])
                    _, memory, seconds = self.measure(
                        "--force", "--anonymize", "copy.pcapng", "--replace-names", "--replace-chat", path)
                    times.append(seconds)
                    if not SANITIZED:
                        self.assertLess(memory, 64, unit)
                self.assertLess(times[1], 3 * times[0] + 0.2, unit)
