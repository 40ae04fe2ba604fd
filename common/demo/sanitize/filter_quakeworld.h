/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is left out of QuakeWorld's demos, whatever their format: downloads, at which players stop
 * (ezquake ends with Host_Error at svc_download), and the commands that --sanitize leaves out. And
 * what else is put in a message's place, if who rebuilds wants that.
 */
#ifndef QS_DEMO_SANITIZE_FILTER_QUAKEWORLD_H
#define QS_DEMO_SANITIZE_FILTER_QUAKEWORLD_H

#include "common/core/parse.h"
#include "common/demo/writer.h"
#include "common/demo/sanitize/stufftext.h"
#include "common/quakeworld/session.h"

struct filter_qw {
    struct qs_demo_writer *out;
    struct stufftext stufftext;
    /* The level whose svc_serverdata the demo has, or 0. Without it players do not know what client
     * and server agreed on: --sanitize leaves the other messages of the level out. */
    uint32_t known_level;
    GArray *replacements;  /* of the packet at hand */
    GByteArray *replacing; /* their bytes */
};

void filter_qw_init(struct filter_qw *filter, struct qs_demo_writer *out);
void filter_qw_clear(struct filter_qw *filter);

/* Message number `index` of what was just decoded is to be what is appended to the result from now
 * until the next call of any function here. In the order of messages. */
GByteArray *filter_qw_replace(struct filter_qw *filter, guint index);

/* Whether anything just decoded is left out or replaced. */
bool filter_qw_touches(const struct filter_qw *filter, const struct qs_decoder *decoder);

/*
 * Appends a svc_serverdata as --sanitize has it. Where only FTE would read the level's messages as
 * they are meant, it begins with an empty word "vlen", at which all others end the demo; where only
 * ezQuake would, since it predicts weapons, an empty svc_packetsprojectiles follows.
 */
void filter_qw_append_serverdata(const struct qw_session *session, struct qs_view message,
                                 GByteArray *out);

/*
 * Appends the messages that are kept, and behind them what could not be decoded; not so under
 * --sanitize, nor where the capture cut the packet: players stop at a torn message. Messages count
 * their offsets in `content`, and begin at `start`. Replacements are forgotten.
 */
void filter_qw_append(struct filter_qw *filter, const struct qs_decoder *decoder,
                      struct qs_view content, uint32_t start, GByteArray *out);

#endif
