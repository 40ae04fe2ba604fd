/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What players of a session say, and where they go: chat, and the ways of those whose positions the
 * packets have. Both are bounded; ways get coarser instead of ending.
 */
#ifndef PCAP2DEMO_PLAY_H
#define PCAP2DEMO_PLAY_H

#include <jansson.h>

#include "common/core/sink.h"
#include "common/sessions/session.h"

/* Keeps the chat and the positions of the packet that is decoded. */
struct play_sink;
struct play_sink *play_sink_new(void);
void play_sink_free(struct play_sink *sink);

/* Another packet is decoded next, into the sink that it returns. */
struct qs_sink *play_sink_begin(struct play_sink *sink);

/* Of a session. */
struct play;
struct play *play_new(void);
/* NULL: nothing. */
void play_free(struct play *play);

/* Adds what the sink has of the session's last packet. */
void play_add(struct play *play, const struct play_sink *sink,
              const struct qs_client_session *session, int64_t time);

/* Members "chat", "chat_left_out" and "ways". New. */
json_t *play_json(const struct play *play, const struct qs_client_session *session);

/* --- The path over time ----------------------------------------------------------------------- */

/*
 * The quality of a session's path over time, in bins of equal length. If the session outgrows the
 * bins, pairs of them become one.
 */

struct series;

struct series *series_new(void);
/* NULL: nothing. */
void series_free(struct series *series);

/* Adds the session's last packet. */
void series_add(struct series *series, const struct qs_client_session *session, int64_t time);

/* The figures of the bins. New. */
json_t *series_json(const struct series *series, const struct qs_client_session *session);

#endif
