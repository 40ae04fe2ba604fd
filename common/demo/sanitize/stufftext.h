/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Filters the console commands that a server stuffs into its clients (svc_stufftext): those that a
 * demo must not have, and those that --sanitize leaves out.
 */
#ifndef QS_DEMO_SANITIZE_STUFFTEXT_H
#define QS_DEMO_SANITIZE_STUFFTEXT_H

#include <glib.h>

#include "common/core/parse.h"
#include "common/demo/sanitize/commands.h"
#include "common/demo/writer.h"

struct stufftext {
    struct qs_demo_writer *out;   /* receives what was left out */
    uint8_t id;                   /* svc_stufftext of the game */
    const struct command *needed; /* what stays, under out->sanitize */
    const char *const *never;     /* commands that never stay, whatever is needed; or NULL */
    GString *pending;
};

/* The lists end with NULL. */
void stufftext_init(struct stufftext *stufftext, struct qs_demo_writer *out, uint8_t id,
                    const struct command *needed, const char *const *never);
void stufftext_clear(struct stufftext *stufftext);

/*
 * Appends to `out` the message (its id, the text, a NUL) with the commands that stay; nothing when
 * none does. Under out->sanitize each has a message of its own. Commands end with a line feed, and
 * may be spread over messages: what has no end yet waits for it.
 */
void stufftext_filter(struct stufftext *stufftext, struct qs_view message, GByteArray *out);

/*
 * Appends to `out` what --sanitize leaves of a message of any kind, of `packet`: a svc_stufftext
 * goes through stufftext_filter(), a message with an ambiguous text is left out and reported,
 * others stay.
 */
void stufftext_sanitize(struct stufftext *stufftext, const struct qs_packet *packet,
                        const struct qs_message *message, struct qs_view bytes, GByteArray *out);

#endif
