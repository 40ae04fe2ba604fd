# SPDX-License-Identifier: GPL-2.0-or-later
"""Cuts one client's session in a capture of QuakeWorld off before a place that its messages tell."""

import struct

from states import messages_of
from tool import Capture

ETHERNET_IP = 34  # bytes before the UDP header

UPDATES = {"qw.svc_packetentities", "qw.svc_deltapacketentities", "qw.svcfte_updateentities"}


class Cutter:
    def __init__(self, tool, path, port):
        """`port`: of the client, or None where it is the only one."""
        self.capture = Capture.read(path)
        messages = messages_of(tool, path)
        self.own = [index for index, (_, frame) in enumerate(self.capture.frames)
                    if port is None or port in struct.unpack_from(">HH", frame, ETHERNET_IP)]
        self.messages = {index: messages.get(index + 1, set()) for index in self.own}

    def first(self, names, start=0):
        return next((index for index in self.own
                     if index >= start and self.messages[index] & names), None)

    def level(self):
        """The packets of the first level, from the first of the game."""
        begin = self.first(UPDATES)
        end = self.first({"qw.svc_serverdata"}, begin)
        return [index for index in self.own if begin <= index and (end is None or index < end)]

    def cut(self, at):
        """Behind the sign-on, or that part of the level."""
        level = self.level()
        last = level[0] if at == "sign-on" else level[int(len(level) * at)]
        own = set(self.own)
        return Capture(self.capture.link_type,
                       [frame for index, frame in enumerate(self.capture.frames)
                        if index not in own or index > last])
