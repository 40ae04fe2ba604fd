/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A streaming JSON writer (RFC 8259) that appends to a text.
 *
 * The caller is responsible for the grammar: a key before each value, array or object in an object,
 * an end for each begin. The writer adds the commas.
 */
#ifndef QS_DUMP_JSON_WRITER_H
#define QS_DUMP_JSON_WRITER_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "common/core/numeric_text.h"

struct qs_json {
    GString *out; /* owned by the caller */
    bool comma;   /* a value precedes in the same array or object */
};

/* Prepares for a text that is appended to `out`, which belongs to the caller. */
static inline void qs_json_init(struct qs_json *json, GString *out)
{
    *json = (struct qs_json){.out = out};
}

void qs_json_begin_object(struct qs_json *json);
void qs_json_end_object(struct qs_json *json);
void qs_json_begin_array(struct qs_json *json);
void qs_json_end_array(struct qs_json *json);

/* Writes a key, whose characters must not need escapes. */
void qs_json_key(struct qs_json *json, const char *key);

/*
 * Writes a string of any bytes. Replaces each byte that is not UTF-8 by U+FFFD, and escapes control
 * characters, those above ASCII too, because terminals obey them.
 */
void qs_json_string_sized(struct qs_json *json, const char *text, size_t size);

static inline void qs_json_string(struct qs_json *json, const char *text)
{
    qs_json_string_sized(json, text, strlen(text));
}

/* Makes room for a value of up to `size` characters, after a comma if necessary. The caller writes
 * the value to the returned address and calls qs_room_end(). */
char *qs_json_room(struct qs_json *json, size_t size);

/* Writes bytes as a string with two digits per byte. */
void qs_json_bytes(struct qs_json *json, struct qs_view bytes);

void qs_json_bool(struct qs_json *json, bool value);
void qs_json_null(struct qs_json *json);
void qs_json_uint(struct qs_json *json, uint64_t value);
void qs_json_int(struct qs_json *json, int64_t value);

/* Writes enough digits to read the same value again. Returns false, without writing, for infinities
 * and NaN, which JSON does not have. */
bool qs_json_real(struct qs_json *json, double value);

/* Inserts a number that was not known before, at `offset`. Offsets after it grow. */
void qs_json_int_at(struct qs_json *json, gsize offset, int64_t value);

#endif
