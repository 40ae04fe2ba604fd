/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Emits values, groups, titles and notes to the decoder's sink. */
#ifndef QS_CORE_EMIT_H
#define QS_CORE_EMIT_H

#include "common/core/decoder.h"
#include "common/core/sink.h"
#include "common/core/containers.h"
#include "common/core/text.h"

/* True if the sink takes values, or the summary has the row. */
static inline bool qs_value_wanted(const struct qs_decoder *d, unsigned id)
{
    return d->values_wanted && (d->fields_wanted || d->protocol->fields[id].brief);
}

/*
 * Emits a value and its parts (the rows with a mask after its row). Does nothing after an overrun.
 * Call it only if the value is wanted; the functions below check that first, so that decoding
 * without a sink is fast.
 */
void qs_emit_value(struct qs_decoder *d, unsigned id, const struct qs_value *value);

/* Functions that emit a value of one type, a member of struct qs_value. Generated values are
 * derived from the bytes, not read as they are. */
#define QS_EMITTERS(EMITTER)                                                                       \
    EMITTER(qs_emit_uint, uint64_t, u, false)                                                      \
    EMITTER(qs_emit_int, int64_t, i, false)                                                        \
    EMITTER(qs_emit_double, double, f, false)                                                      \
    EMITTER(qs_emit_bytes, struct qs_view, bytes, false) /* texts and addresses, too */            \
    EMITTER(qs_emit_generated_uint, uint64_t, u, true)                                             \
    EMITTER(qs_emit_generated_int, int64_t, i, true)                                               \
    EMITTER(qs_emit_generated_double, double, f, true)                                             \
    EMITTER(qs_emit_generated_bytes, struct qs_view, bytes, true)

/* The slow path is not inlined, so that readers stay short. */
#define QS_EMITTER(function, type, member, derived)                                                \
    G_GNUC_NO_INLINE                                                                               \
    void function##_wanted(struct qs_decoder *d, unsigned id, uint32_t offset, uint32_t length,    \
                           type value);                                                            \
    static inline void function(struct qs_decoder *d, unsigned id, uint32_t offset,                \
                                uint32_t length, type value)                                       \
    {                                                                                              \
        if (qs_value_wanted(d, id))                                                                \
            function##_wanted(d, id, offset, length, value);                                       \
    }

QS_EMITTERS(QS_EMITTER)

/* Emits a raw text of a session as a generated value; does nothing for NULL. */
void qs_emit_generated_text(struct qs_decoder *d, unsigned id, uint32_t offset, uint32_t length,
                            const char *text);

/* Emits a generated value, the name that `table` has for `index`; adds it to the group's title. If
 * the row's role is QS_ROLE_LISTED and `table` lacks the index (not 0), marks the message as
 * unlisted, with or without a sink. */
void qs_emit_name(struct qs_decoder *d, unsigned id, const struct qs_table *table, uint32_t index,
                  uint32_t offset, uint32_t length);

/* Emits the player who says the line `text`, which was just read: the longest name of players 0 to
 * `count` - 1 with which the line begins, as "name: " or "(name): ". */
void qs_emit_speaker(struct qs_decoder *d, unsigned id, struct qs_view text, uint32_t count,
                     struct qs_view (*name_of)(const struct qs_session *session, uint32_t player));

/* Open a group at `offset`; close the innermost group at `end`. */
void qs_open_at(struct qs_decoder *d, unsigned id, uint32_t offset);
void qs_close_at(struct qs_decoder *d, uint32_t end);

/* Open a group at the next byte; close one after the last byte read. */
static inline void qs_open(struct qs_decoder *d, unsigned id)
{
    if (d->fields_wanted)
        qs_open_at(d, id, d->in.pos);
}

static inline void qs_close(struct qs_decoder *d)
{
    if (d->fields_wanted)
        qs_close_at(d, d->in.pos);
}

/* True if the sink takes titles. qs_label() checks this, too; callers check it first for speed. */
static inline bool qs_label_wanted(const struct qs_decoder *d)
{
    return d->fields_wanted && d->sink->label && !d->in.overrun;
}

/* Appends to the title of the innermost open group; does nothing after an overrun. */
void qs_label(struct qs_decoder *d, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* The same for raw text, made readable and cut to QS_TITLE_CHARACTERS. */
void qs_label_text(struct qs_decoder *d, const char *before, struct qs_view text,
                   const char *after);

/* Adds a note about `length` bytes at `offset` of the source; counts it even without a sink. */
void qs_note(struct qs_decoder *d, enum qs_note kind, uint32_t offset, uint32_t length,
             const char *format, ...) G_GNUC_PRINTF(5, 6);

/* --- Info strings */

/* Rows of the fields that show an info string. */
struct qs_info_rows {
    unsigned pair, key, value; /* `pair` is the group of the others */
};

/* Emits the pairs of `info`, whose first byte is at `offset` of the source. */
void qs_emit_info(struct qs_decoder *d, const struct qs_info_rows *rows, struct qs_view info,
                  uint32_t offset);

/*
 * Update the info string at `index` of `table`: replace all of it, or set one key, whose value was
 * read last. Engines keep `max` bytes: these functions add a note about the excess and drop it.
 */
void qs_info_replace(struct qs_decoder *d, struct qs_table *table, uint32_t index,
                     struct qs_view info, uint32_t max);
void qs_info_change(struct qs_decoder *d, struct qs_table *table, uint32_t index,
                    struct qs_view key, struct qs_view value, uint32_t max);

/* --- The summary ------------------------------------------------------------------------------ */

/*
 * The summary of a packet is one line, with the same form in every game:
 *
 *     S→C seq 7 ack 5 [gap 2]: print "anna: gg", playerinfo×3
 *     C→S connect protocol 28 name "anna"
 *
 * First the direction; then the header: numbers, or the command of a connectionless packet; then
 * delivery statuses in brackets; then the messages in order. Values of rows with `brief` (see
 * field.h) follow their message, texts in quotes. In a stream only the first PDU of a packet has
 * the direction, because the lines of its PDUs are joined.
 *
 * A transcript has complete texts: server prints as the player's console shows them, and each other
 * text on a line after the name of its message:
 *
 *     stringcmd: say gg
 *     anna: gg
 */

/* Appends to the last message in the summary, or to the header before the first message. */
void qs_summary(struct qs_decoder *d, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* The same for raw text, made readable and cut to QS_TITLE_CHARACTERS. */
void qs_summary_text(struct qs_decoder *d, const char *before, struct qs_view text,
                     const char *after);
/* Appends a value: a space, the word (may be empty), and the text in quotes. Does nothing if the
 * text's data is NULL. */
void qs_summary_quote(struct qs_decoder *d, const char *word, struct qs_view text);
/* Begins a message. Messages of one name without values are counted: "playerinfo×3". */
void qs_summary_message(struct qs_decoder *d, const char *name);
/* Adds a delivery status, given without the brackets: "gap 3". */
void qs_summary_remark(struct qs_decoder *d, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* --- For the core: life of a summary, and values as they are read */

void qs_summary_init(struct qs_decoder *d);
void qs_summary_clear(struct qs_decoder *d);
void qs_summary_begin(struct qs_decoder *d);
void qs_summary_end(struct qs_decoder *d);
void qs_summary_value(struct qs_decoder *d, const struct qs_field *row,
                      const struct qs_value *value);

#endif
