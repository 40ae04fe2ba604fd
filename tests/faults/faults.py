# SPDX-License-Identifier: GPL-2.0-or-later
"""The faults that run.py puts in: (where, text, replacement).

A text stands exactly once in the C files below the folders that its area has. It is code that a
change of structure leaves alone, so that files may move.
"""

# Where the code is, the tests that are run first, and the folders below tests/ that those need.
AREAS = {
    "core": (["common/core", "common/netchan", "common/dump"], "unit", ["unit"]),
    "quakeworld": (["common/quakeworld"], "quakeworld|golden.qw", ["quakeworld"]),
    "quake2": (["common/quake2"], "quake2|golden.q2", ["quake2"]),
    "quake": (["common/quake"], r"quake\.|golden.nq", ["quake"]),
    "fte": (["common/fte"], "golden.(qw|nq)|quakeworld|quake.fte", ["quakeworld", "quake"]),
    "acknex": (["common/acknex"], "acknex", ["acknex"]),
    "demo": (["common/demo", "common/sessions", "pcap2demo"],
             "demo.rebuil|quake2|quakeworld|quake\\.|tool.(convert|qtv|demo|stufftext)",
             ["demo", "quake2", "quakeworld", "quake", "tool"]),
    "regression": (["pcap2demo/regression"], "regression", ["regression"]),
    "capture": (["pcap2demo/capture"], "tool", ["tool"]),
    "sessions": (["common/sessions", "common/stats", "pcap2demo/actions", "pcap2demo/capture",
                  "pcap2demo/output"],
                 "tool|regression", ["tool", "regression"]),
    "plugin": (["plugin"], "plugin", ["plugin"]),
}

FAULTS = [
    # The core.
    ("core", "*skipped = step - 1;", "*skipped = step;"),
    ("core", "SEEN_WINDOW = 64,", "SEEN_WINDOW = 32,"),
    ("core", "chan->seen |= UINT64_C(1) << age;", "chan->seen |= UINT64_C(1) << (age + 1);"),
    ("core", "return (uint16_t)(p[0] << 8 | p[1]);", "return (uint16_t)(p[1] << 8 | p[0]);"),
    ("core", "if (!same_view(pair.key, key))", "if (same_view(pair.key, key))"),
    ("core", "file->sent && mark->end * UINT64_C(100) / file->sent != mark->percent",
     "file->sent && mark->end * UINT64_C(100) / file->sent > mark->percent"),
    ("core", "if (!transfers->file && piece->percent == 100)", "if (!transfers->file)"),
    ("core", "pair->has_value = end < info.size;", "pair->has_value = end <= info.size;"),
    ("core", "*pos = end < line.size ? end + 1 : end;", "*pos = end;"),
    ("core", "if (choked >= skipped)", "if (choked > skipped)"),
    ("core", "fragment->before = qs_fragments_size(list);",
     "fragment->before = qs_fragments_size(list) + 1;"),

    # QuakeWorld.
    ("quakeworld", "if (pitch >= 8)", "if (pitch > 8)"),
    ("quakeworld", "return ((int)bits - 2048) * 2;", "return ((int)bits - 2047) * 2;"),
    ("quakeworld", "(int8_t)b[5] * (360.0 / 256)", "b[5] * (360.0 / 256)"),
    ("quakeworld", "QW_EVENMORE(U_FTE_ENTITYDBL2) ? 1024 : 0",
     "QW_EVENMORE(U_FTE_ENTITYDBL2) ? 512 : 0"),
    ("quakeworld", "(int16_t)before * (360.0 / 65536)", "before * (360.0 / 65536)"),
    ("quakeworld", "    qs_table_clear(&session->userinfo);\n", ""),
    ("quakeworld", "    qs_table_clear(&session->models);\n", ""),
    ("quakeworld", "if (entity >= 1 && entity <= QW_PLAYERS_MAX)",
     "if (entity >= 1 && entity < QW_PLAYERS_MAX)"),
    ("quakeworld", "if (word & SND_ATTENUATION)\n"
     "        qs_scaled_u8(d, QW_SOUND_ATTENUATION, 1 / 64.0)",
     "if (word & SND_ATTENUATION)\n        qs_scaled_u8(d, QW_SOUND_ATTENUATION, 1 / 255.0)"),
    ("quakeworld", "session->cmds[1] = session->cmds[2];", "session->cmds[1] = session->cmds[0];"),
    ("quakeworld", "session->player = player & 0x7f;", "session->player = player;"),

    # Quake II.
    ("quake2", "FRAME_BITS = 27,", "FRAME_BITS = 26,"),
    ("quake2", "back == NO_DELTA ? -1 : number - back", "back == NO_DELTA ? 0 : number - back"),
    ("quake2", "begin_frame(d, number, delta, byte & 15, areas);",
     "begin_frame(d, number, delta, byte & 7, areas);"),
    ("quake2", "extra |= byte >> 4;", "extra |= byte >> 5;"),
    ("quake2", "(int16_t)(qs_angle8(d, id) * 256)", "(int16_t)(qs_angle8(d, id) * 255)"),
    ("quake2", "8 * (int32_t)(s >> 10) - 32", "8 * (int32_t)(s >> 10) - 16"),
    ("quake2", "if (type == TE_STEAM && first != -1)", "if (type == TE_STEAM && first == -1)"),
    ("quake2", "SWAPPED_LAST = 31", "SWAPPED_LAST = 30"),
    ("quake2", "BUTTON_REAL = 131,", "BUTTON_REAL = 3,"),
    ("quake2", "(buttons & 4) << 5", "(buttons & 4) << 4"),
    ("quake2", "R1Q2_UCMD = 1904", "R1Q2_UCMD = 1903"),
    ("quake2", "if (number != session->player + 1)", "if (number != session->player)"),
    ("quake2", "to[i] = qs_scaled_u8(d, group + 1 + i, 1.0 / 255);",
     "to[i] = qs_scaled_u8(d, group + 1 + i, 1.0 / 256);"),
    ("quake2", "const unsigned bits = masked ? qs_u8(d, Q2_PLAYER_BLEND_BITS) : 15;",
     "const unsigned bits = masked ? qs_u8(d, Q2_PLAYER_BLEND_BITS) : 7;"),
    ("quake2", "bits->held |= (uint32_t)qs_reader_u8(&bits->d->in) << bits->count;",
     "bits->held |= (uint32_t)qs_reader_u8(&bits->d->in) << (8 - bits->count % 8);"),

    # Quake.
    ("quake", "flags & SU_DP_VIEWZOOM && version >= 2 && version <= 4",
     "flags & SU_DP_VIEWZOOM && version >= 2 && version < 4"),
    ("quake", "flags & SU_ITEMS || version <= 5", "flags & SU_ITEMS || version < 5"),
    ("quake", "STUCK_AFTER = 3", "STUCK_AFTER = 4"),
    ("quake", "number >= 1 && number <= session->maxclients",
     "number >= 1 && number < session->maxclients"),
    ("quake", "nq_darkplaces_version(session) == 2 || qs_table_get(&session->coarse, number)",
     "qs_table_get(&session->coarse, number)"),
    ("quake", "model |= (uint32_t)qs_u8(d, NQ_ENTITY_MODEL2) << 8;",
     "model += (uint32_t)qs_u8(d, NQ_ENTITY_MODEL2);"),
    ("quake", "if (type == 2.0f)", "if (type == 1.0f)"),
    ("quake", "weapon.model |= (uint32_t)qs_u8(d, NQ_CLIENTDATA_WEAPON2) << 8;",
     "weapon.model |= qs_u8(d, NQ_CLIENTDATA_WEAPON2);"),
    ("quake", "qs_table_set(&session->coarse, number, (struct qs_view){0});", ""),

    # FTE's extensions.
    ("fte", "entity = (entity & 0x7fff) << 8 | qs_reader_u8(&d->in);",
     "entity = (entity & 0x7fff) | (uint32_t)qs_reader_u8(&d->in) << 15;"),
    ("fte", "return folded & 1 ? -1 - (int64_t)(folded >> 1)",
     "return folded & 1 ? -(int64_t)(folded >> 1)"),
    ("fte", "angles[i] = (uint16_t)(base[i] + qs_angle16(d, rows[i]));",
     "angles[i] = (uint16_t)qs_angle16(d, rows[i]);"),
    ("fte", "value |= (uint64_t)(byte & 0x7f) << shift;",
     "value |= (uint64_t)(byte & 0x3f) << shift;"),

    # Acknex.
    ("acknex", "(uint32_t)qs_reader_u16(&d->in) << 8", "(uint32_t)qs_reader_u16(&d->in) << 7"),
    ("acknex", "PARAMETER_BITS = 0x3f", "PARAMETER_BITS = 0x1f"),
    ("acknex", "acknex_scaled(d, ACKNEX_LIGHTRANGE, 2000);",
     "acknex_scaled(d, ACKNEX_LIGHTRANGE, 200);"),

    # Rebuilders and demo formats.
    ("demo", "lost < MOVES_PER_PACKET ? MOVES_PER_PACKET - 1 - lost : 0",
     "lost < MOVES_PER_PACKET ? lost - 1 : 0"),
    ("demo", "qwd->has_next ? qwd->next : decoder->acknowledged + 1",
     "qwd->has_next ? qwd->next : decoder->acknowledged"),
    ("demo", "    if (now > qwd->time)\n        qwd->time = now;", "    qwd->time = now;"),
    ("demo", "const bool cut = decoder->accepted && qs_packet_is_cut(packet);",
     "const bool cut = false;"),
    ("demo", "return message->bytes.data[1] == TE_RAILTRAIL2 && !dm2->variant.extensions;",
     "return message->bytes.data[1] == TE_RAILTRAIL2;"),
    ("demo", "    converter_level(&dm2->converter);\n    dm2->block->len = DM2_HEADER;\n",
     "    converter_level(&dm2->converter);\n"),
    ("demo", "back > 0 && back < DM2_UPDATE_BACKUP && dm2_backup_has", "back > 0 && dm2_backup_has"),
    ("demo", "if (dem->source == VIEW_ZERO)\n        return;", ""),
    ("demo", "if (decoder->session->disconnected)\n        end(qwd, decoder);", ""),
    ("demo", "while (i && blocks->held[i - 1].sequence > after)", "while (0)"),
    ("demo", "return base && base == qwd_player_base(player, sequence) &&", "return base &&"),
    ("demo", "player->asked[player->out % QWD_PLAYER_FRAMES] = player->valid;", ""),
    ("demo", "if (lacks_block_of(qwd, decoder->acknowledged))", "if (0)"),
    ("demo", "    if (next || qwd->out->sanitize)\n"
     "        qwd_blocks_set(&qwd->blocks, qwd->time, next, 0);", ""),
    ("quakeworld", "if (parent && !--parent->children)", "if (parent)"),
    ("quakeworld", "return sequence - 1 - (uint8_t)(sequence - 1 - from);",
     "return sequence - (uint8_t)(sequence - 1 - from);"),
    ("demo", "if (dem->ended && decoder->direction == QS_C2S)", "if (dem->ended)"),
    ("demo", "const uint32_t length = GUINT32_TO_LE(block->len - header_size);",
     "const uint32_t length = GUINT32_TO_LE(block->len);"),

    # Golden differences and reports.
    ("regression", "if (diff->differences->len >= diff->max)",
     "if (diff->differences->len > diff->max)"),
    ("regression", "    diff->renumbered |= packet_at(diff->was, 0)->number != number;\n", ""),
    ("regression", "if (is_first && distance && begun)", "if (is_first && begun)"),
    ("regression", "(size ? size : end) - text->str", "end - text->str"),
    ("regression", "if (!S_ISREG(status.st_mode))", "if (S_ISDIR(status.st_mode))"),

    # Link layers, IP and TCP.
    ("capture", "if (half->finished || batch.missing > 1)",
     "if (half->finished || batch.missing > 0)"),
    ("capture", "        key.protocol = in->protocol;\n", ""),
    ("capture", "half->end = position_of(half, segment->sequence + segment->payload.wire_size);",
     "half->end = position_of(half, segment->sequence);"),
    ("capture", "if (label[2] & MPLS_BOTTOM)", "if (label[1] & MPLS_BOTTOM)"),
    ("capture", "if (now - oldest->started < IP_TIMEOUT)",
     "if (now - oldest->started <= IP_TIMEOUT)"),
    ("capture", "datagram->cut = MIN(datagram->cut, fragment->offset + bytes.size);",
     "datagram->cut = fragment->offset + bytes.size;"),

    # Sessions and actions.
    ("sessions", "if (!decoder->connectionless)\n        shared->end", "shared->end"),
    ("sessions", "now - qs_flow_last(table, oldest) >= table->idle)",
     "now - qs_flow_last(table, oldest) >= table->idle / 2)"),
    ("sessions", "failure(EXIT_PROBLEMS, receiver->location, \"%s: only %u byte%s: %s\"",
     "message(receiver->location, \"%s: only %u byte%s: %s\""),
    ("sessions", "figures->largest[location - 1].size < packet->size",
     "figures->largest[location - 1].size <= packet->size"),
    ("sessions", "return g_strcmp0(x->group->name, y->group->name);", "return 0;"),
    ("sessions", "return x->number < y->number ? -1 : 1;", "return 1;"),

    # The plugin.
    ("plugin", "if (!times->count)", "if (false)"),
    ("plugin", "return !pinfo->flags.in_error_pkt && !PINFO_FD_VISITED(pinfo);",
     "return !PINFO_FD_VISITED(pinfo);"),
    ("plugin", "if (state && !state->session->disconnected)", "if (state)"),
    ("plugin", "stream->next = segment->nxtseq - cut;", "stream->next = segment->nxtseq;"),
    ("plugin", "                                 (int)offset, (int)length, \"%s\", text);\n"
     "    sink->last_row = NULL;\n",
     "                                 (int)offset, (int)length, \"%s\", text);\n"),
    ("plugin", "    sink->last_row = NULL;\n    if (!data) {", "    if (!data) {"),
    ("plugin", "    if (receiver->connection == connection)\n        return;", "    return;"),
    ("plugin", "conversation->streams[state->from].missing = 0;", ""),
    ("plugin", "return row->mask ? value << g_bit_nth_lsf(row->mask, -1) : value;", "return value;"),
]
