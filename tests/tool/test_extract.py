# SPDX-License-Identifier: GPL-2.0-or-later
"""--extract-files: what servers sent to clients becomes files again."""

import hashlib
import resource
import struct

from tool import ToolTest, udp_frame

from downloads import recorded

CLIENT, SERVER = (1, 27001), (2, 27500)
CHUNK = 1024


class Conversation:
    """QuakeWorld packets of a session with downloads."""

    def __init__(self):
        self.frames = []
        self.sequence = 0
        self.to_server(b"\x04new\0")
        self.to_client(b"\x01")

    def send(self, source, destination, payload):
        self.frames.append((len(self.frames) * 1000, udp_frame(source, destination, payload)))

    def to_server(self, messages):
        self.sequence += 1
        self.send(CLIENT, SERVER,
                  struct.pack("<IIH", self.sequence, self.sequence - 1, 4711) + messages)

    def to_client(self, messages):
        self.send(SERVER, CLIENT, struct.pack("<II", self.sequence, self.sequence) + messages)

    def request(self, name):
        self.to_server(b"\x04download " + name + b"\0")

    def piece(self, data, percent):
        self.to_client(b"\x29" + struct.pack("<hB", len(data), percent) + data)
        self.to_server(b"\x04nextdl\0")

    def download(self, name, data=b"data"):
        self.request(name)
        self.piece(data, 100)

    def loose(self, message):
        self.send(SERVER, CLIENT, b"\xff\xff\xff\xffn\\chunk" + struct.pack("<I", 1) + message)

    def begin(self, name, size):
        self.loose(b"\x29" + struct.pack("<ii", -1, size) + name + b"\0")

    def chunk(self, number, data):
        self.loose(b"\x29" + struct.pack("<i", number) + data.ljust(CHUNK, b"\0"))


class Extract(ToolTest):
    def extract(self, conversation, *options, status=0):
        capture = self.write_capture("in.pcap", conversation.frames)
        (self.folder / "out").mkdir(exist_ok=True)
        return self.tool("--extract-files", "out", *options, capture, status=status)

    def files(self, folder="out"):
        out = self.folder / folder
        return {str(path.relative_to(out)): path.read_bytes()
                for path in out.rglob("*") if path.is_file()}

    def test_recorded_downloads_equal_the_originals(self):
        for capture, originals in recorded():
            with self.subTest(capture):
                (self.folder / capture.stem).mkdir()
                self.tool("--extract-files", capture.stem, capture)
                self.assertEqual({name: hashlib.md5(data).hexdigest() for name, data in self.files(capture.stem).items()},
                                 originals)

    def test_unfinished_files_fail_beside_finished_ones(self):
        """Each kind of download in a capture of its own."""
        for chunked in False, True:
            talk = Conversation()
            talk.download(b"a.wav")
            if chunked:
                talk.begin(b"b.wav", 3 * CHUNK)
                talk.chunk(0, b"x" * CHUNK)
                talk.chunk(2, b"z" * CHUNK)
            else:
                talk.request(b"b.wav")
                talk.piece(b"half", 50)
            output, error = self.extract(talk, "--force", status=1)
            self.assertEqual(output, "a.wav: 4 bytes\n")
            self.assertIn("b.wav.partial: only 1024 of 3072 bytes: " if chunked else "b.wav.partial: only 4 bytes: ", error)
            self.assertEqual(self.files(), {"a.wav": b"data", "b.wav.partial": b"x" * CHUNK if chunked else b"half"})

    def test_names_that_are_taken(self):
        """A further file with the same name has the beginning of its checksum in its name, which is unique, too."""
        two, three = (hashlib.sha256(data).hexdigest() for data in (b"2", b"3"))
        talk = Conversation()
        for name, data in ((b"a.x", b"1"), (f"A-{two[:8]}.x".encode(), b"3"), (b"a.x", b"2"),
                           (b"a.x", b"3"), (b"A.x", b"2"), (b"a.x", b"1")):
            talk.download(name, data)
        self.extract(talk)
        self.assertEqual(self.files(), {"a.x": b"1", f"A-{two[:8]}.x": b"3", f"a-{two[:9]}.x": b"2",
                                        f"a-{three[:8]}.x": b"3"})

    def test_many_files_of_one_name(self):
        """The time is linear."""
        talk = Conversation()
        for number in range(20000):
            talk.download(b"maps/a.bsp", struct.pack("<I", number))
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        self.extract(talk, "--quiet")
        used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        self.assertLess(used, 8)
        self.assertEqual(len(self.files()), 20000)

    def test_hostile_names_stay_below_the_folder(self):
        talk = Conversation()
        talk.download(b"../../escape")
        talk.download(b"/etc/passwd")
        talk.download(b".bashrc")
        talk.download(b"\"x\x1b[31m%n\"")
        self.extract(talk)
        self.assertEqual(set(self.files()),
                         {"_./_./escape", "etc/passwd", "_bashrc", "x__31m_n"})
        self.assertEqual(self.left(), ["in.pcap", "out"])

    def test_nothing_is_overwritten(self):
        talk = Conversation()
        talk.download(b"x.wav", b"first")
        self.extract(talk)
        (self.folder / "out" / "x.wav").write_bytes(b"mine")
        self.assertIn("exists already", self.extract(talk, status=1)[1])
        self.assertEqual(self.files(), {"x.wav": b"mine"})
        self.extract(talk, "--force")
        self.assertEqual(self.files(), {"x.wav": b"first"})

    def test_without_a_file_there_is_no_folder(self):
        """A server refuses one, or sends nothing; a file is not a folder."""
        talk = Conversation()
        talk.request(b"nothing.wav")
        talk.to_client(b"\x29" + struct.pack("<hB", -1, 0))
        capture = self.write_capture("talk.pcap", talk.frames)
        _, error = self.tool("--extract-files", "deep/new", "--verbose", capture, status=1)
        self.assertIn("did not send nothing.wav", error)
        self.assertFalse((self.folder / "deep").exists())
        _, error = self.tool("--extract-files", capture, "x.pcap", status=2)
        self.assertIn('talk.pcap": is not a folder', error)
