/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parts of demos: which bytes of a demo a packet carries that was made of it. A capture's packets
 * have them as comments:
 *
 *     demo WORD OFFSET SIZE HEX FROM
 *
 * WORD is "block" where a block begins, "more" where one continues, "start" for what is before the
 * first. The part has SIZE bytes and begins at OFFSET in the demo: the bytes HEX, then the
 * packet's payload from its byte FROM on; "-" stands for nothing of either.
 *
 * All parts in order are the demo, whatever its format: from them it is restored byte for byte.
 */
#ifndef QS_DEMO_PARTS_H
#define QS_DEMO_PARTS_H

#include <glib.h>

#include "common/core/reader.h"
#include "common/demo/writer.h"

enum qs_demo_part_kind { QS_DEMO_PART_START, QS_DEMO_PART_BLOCK, QS_DEMO_PART_MORE };

struct qs_demo_part {
    enum qs_demo_part_kind kind;
    uint64_t offset;     /* in the demo */
    uint32_t size;       /* in all */
    struct qs_view head; /* bytes that the payload does not have */
    bool has_payload;
    uint32_t from; /* of the payload, where it has part */
};

/* The comment: a new text. */
char *qs_demo_part_text(const struct qs_demo_part *part);

/* Reads one; `part->head` will be in `head`. False: it is no such comment. */
bool qs_demo_part_read(const char *text, struct qs_demo_part *part, GByteArray *head);

/* --- Restoring: decodes nothing and omits nothing; sanitizing needs a rebuilder instead. */

struct qs_demo_restorer;

/* `comment` is that of the session's first packet; may be NULL. NULL: it was made of no demo. */
struct qs_demo_restorer *qs_demo_restorer_new(struct qs_demo_writer *out, const char *comment);
void qs_demo_restorer_free(struct qs_demo_restorer *restorer);

/* Adds the next packet of the session, or unit of its stream, with its comment or NULL. */
void qs_demo_restorer_packet(struct qs_demo_restorer *restorer, const struct qs_packet *packet,
                             const char *comment);

#endif
