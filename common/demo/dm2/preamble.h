/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a DM2 demo begins with: the level as a client writes it down when recording starts. Source:
 * common/quake2/PROTOCOL.md, section 2; engine, cl_main.c CL_Record_f.
 */
#ifndef QS_DEMO_DM2_PREAMBLE_H
#define QS_DEMO_DM2_PREAMBLE_H

#include <glib.h>

#include "common/quake2/quake2.h"

/* Writes a block of the preamble, with its length. */
typedef void preamble_block(void *user, const GByteArray *block);

/* Writes the preamble of the session's level block by block: svc_serverdata of a client recording
 * in protocol `version`, config strings, baselines, and the command that makes a player load all.
 */
void preamble_write(const struct q2_session *session, int32_t version, bool sanitize,
                    preamble_block *write, void *user);

#endif
