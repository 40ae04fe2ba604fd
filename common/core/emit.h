/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values, groups, titles and notes for the decoder's sink. */
#ifndef QS_CORE_EMIT_H
#define QS_CORE_EMIT_H

#include "common/core/decoder.h"
#include "common/core/sink.h"
#include "common/core/containers.h"
#include "common/core/text.h"

/* Whether the sink wants values, or the summary has the row. */
static inline bool qs_value_wanted(const struct qs_decoder *d, unsigned id)
{
    return d->values_wanted && (d->fields_wanted || d->protocol->fields[id].brief);
}

/*
 * Emits a value and its parts: the rows with a mask behind its row. Does nothing after an overrun.
 * Call it only if the value is wanted; the functions below check that first, so that a decode
 * without a sink is fast.
 */
void qs_emit_value(struct qs_decoder *d, unsigned id, const struct qs_value *value);

/* Functions that emit a value of one type, which is a member of struct qs_value. The values that
 * were not read as they are, but derived of the bytes, are generated ones. */
#define QS_EMITTERS(EMITTER)                                                                       \
    EMITTER(qs_emit_uint, uint64_t, u, false)                                                      \
    EMITTER(qs_emit_int, int64_t, i, false)                                                        \
    EMITTER(qs_emit_double, double, f, false)                                                      \
    EMITTER(qs_emit_bytes, struct qs_view, bytes, false) /* texts and addresses, too */            \
    EMITTER(qs_emit_generated_uint, uint64_t, u, true)                                             \
    EMITTER(qs_emit_generated_int, int64_t, i, true)                                               \
    EMITTER(qs_emit_generated_double, double, f, true)                                             \
    EMITTER(qs_emit_generated_bytes, struct qs_view, bytes, true)

/* The slow path is not inlined: readers stay short if the value is not wanted. */
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

/* `text` is raw text as sessions hold it; NULL: emits nothing. */
void qs_emit_generated_text(struct qs_decoder *d, unsigned id, uint32_t offset, uint32_t length,
                            const char *text);

/* The name that `table` has for `index`, as a generated field and in the title of the group. */
void qs_emit_name(struct qs_decoder *d, unsigned id, const struct qs_table *table, uint32_t index,
                  uint32_t offset, uint32_t length);

/* Emits the player that says the line `text`, which was just read: the longest of the names of
 * players 0 to `count` - 1 that it begins with, as "name: " or "(name): ". */
void qs_emit_speaker(struct qs_decoder *d, unsigned id, struct qs_view text, uint32_t count,
                     struct qs_view (*name_of)(const struct qs_session *session, uint32_t player));

/* Opens a group at an offset; closes the innermost one there. */
void qs_open_at(struct qs_decoder *d, unsigned id, uint32_t offset);
void qs_close_at(struct qs_decoder *d, uint32_t end);

/* The same at the next byte; behind the last byte read. */
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

/* Whether titles are wanted. qs_label() asks itself; what every packet has asks before the call. */
static inline bool qs_label_wanted(const struct qs_decoder *d)
{
    return d->fields_wanted && d->sink->label && !d->in.overrun;
}

/* Adds to the title of the innermost open group; does nothing after an overrun. */
void qs_label(struct qs_decoder *d, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* The same with raw text, made readable and cut to a title's length. */
void qs_label_text(struct qs_decoder *d, const char *before, struct qs_view text,
                   const char *after);

void qs_note(struct qs_decoder *d, enum qs_note kind, uint32_t offset, uint32_t length,
             const char *format, ...) G_GNUC_PRINTF(5, 6);

/* Info strings, shown pair by pair. */

/* The rows that an info string is shown by. */
struct qs_info_rows {
    unsigned pair, key, value; /* `pair` is a group */
};

/* Emits the pairs of `info`, whose first byte is at `offset` of the source. */
void qs_emit_info(struct qs_decoder *d, const struct qs_info_rows *rows, struct qs_view info,
                  uint32_t offset);

/*
 * The info string of a session at `index` of `table`: all of it is replaced, or one key is set,
 * whose value was read last. What would make it longer than `max` bytes, as much as engines keep,
 * is noted and left out.
 */
void qs_info_replace(struct qs_decoder *d, struct qs_table *table, uint32_t index,
                     struct qs_view info, uint32_t max);
void qs_info_change(struct qs_decoder *d, struct qs_table *table, uint32_t index,
                    struct qs_view key, struct qs_view value, uint32_t max);

/* --- The summary ------------------------------------------------------------------------------ */

/*
 * The summary of a packet: one line, with the same form in every game:
 *
 *     S→C seq 7 ack 5 [gap 2]: print "anna: gg", playerinfo×3
 *     C→S connect protocol 28 name "anna"
 *
 * The direction; the header: numbers, or the command of a connectionless packet; in brackets loss,
 * duplication and the like; the messages in order. Values of rows with `brief` (see field.h) follow
 * their message: numbers as they are, texts in quotes. In a stream only the first unit of a packet
 * has the direction, because the lines of its units are joined.
 *
 * A transcript has the texts whole: what the server prints, as the player's console shows it, and
 * the other texts a line each, behind the names of their messages:
 *
 *     stringcmd: say gg
 *     anna: gg
 */

/* Adds to the last message in the summary; before any message, to the head. */
void qs_summary(struct qs_decoder *d, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* The same with raw text, made readable and cut to a title's length. */
void qs_summary_text(struct qs_decoder *d, const char *before, struct qs_view text,
                     const char *after);
/* The same as a value: a blank, the word (may be empty), and the text in quotes. Nothing where the
 * text has no data: it is not there. */
void qs_summary_quote(struct qs_decoder *d, const char *word, struct qs_view text);
/* A message begins. Those of one name that add nothing are counted: "playerinfo×3". */
void qs_summary_message(struct qs_decoder *d, const char *name);
/* Adds a delivery status, without the brackets: "gap 3". */
void qs_summary_remark(struct qs_decoder *d, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* --- For the core: what holds a summary, where it begins and ends, and values that were read */

void qs_summary_init(struct qs_decoder *d);
void qs_summary_clear(struct qs_decoder *d);
void qs_summary_begin(struct qs_decoder *d);
void qs_summary_end(struct qs_decoder *d);
void qs_summary_value(struct qs_decoder *d, const struct qs_field *row,
                      const struct qs_value *value);

#endif
