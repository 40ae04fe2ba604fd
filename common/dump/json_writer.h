/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A streaming JSON writer (RFC 8259) that appends to a text.
 *
 * The caller keeps the grammar: a key before each value, array or object in an object, an end for
 * each begin. The writer adds the commas.
 */
#ifndef QS_DUMP_JSON_WRITER_H
#define QS_DUMP_JSON_WRITER_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "common/core/numeric_text.h"

struct qs_json {
    GString *out; /* the caller's */
    bool comma;   /* a value came before, in the same array or object */
};

/* For the next text: appends a value to `out`, which belongs to the caller. */
static inline void qs_json_init(struct qs_json *json, GString *out)
{
    *json = (struct qs_json){.out = out};
}

void qs_json_begin_object(struct qs_json *json);
void qs_json_end_object(struct qs_json *json);
void qs_json_begin_array(struct qs_json *json);
void qs_json_end_array(struct qs_json *json);

/* A key of characters that need no escape. */
void qs_json_key(struct qs_json *json, const char *key);

/*
 * A text of any bytes. Where they are not UTF-8 each stands as U+FFFD; control characters are
 * escaped, those above ASCII too, for terminals obey them.
 */
void qs_json_string_sized(struct qs_json *json, const char *text, size_t size);

static inline void qs_json_string(struct qs_json *json, const char *text)
{
    qs_json_string_sized(json, text, strlen(text));
}

/* Room for a value of up to `size` characters that the caller writes, behind the comma that may be
 * due: see qs_room_end(). */
char *qs_json_room(struct qs_json *json, size_t size);

/* Two digits a byte. */
void qs_json_bytes(struct qs_json *json, struct qs_view bytes);

void qs_json_bool(struct qs_json *json, bool value);
void qs_json_null(struct qs_json *json);
void qs_json_uint(struct qs_json *json, uint64_t value);
void qs_json_int(struct qs_json *json, int64_t value);

/* Writes enough digits to read the same value again. JSON has no infinities and no NaN: then it
 * returns false and writes nothing. */
bool qs_json_real(struct qs_json *json, double value);

/* A number that was not known yet goes to its place, in front of what has come since; places behind
 * it move along. */
void qs_json_int_at(struct qs_json *json, gsize place, int64_t value);

#endif
