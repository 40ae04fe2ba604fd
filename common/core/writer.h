/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions that append values to a byte array; little-endian unless a name contains `be`. */
#ifndef QS_CORE_WRITER_H
#define QS_CORE_WRITER_H

#include <glib.h>
#include <stdint.h>
#include <string.h>

#include "common/core/reader.h"

static inline void qs_write_u8(GByteArray *to, uint8_t value)
{
    g_byte_array_append(to, &value, 1);
}

static inline void qs_write_u16(GByteArray *to, uint16_t value)
{
    const uint8_t bytes[] = {(uint8_t)value, (uint8_t)(value >> 8)};

    g_byte_array_append(to, bytes, sizeof bytes);
}

static inline void qs_write_u32(GByteArray *to, uint32_t value)
{
    const uint8_t bytes[] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
                             (uint8_t)(value >> 24)};

    g_byte_array_append(to, bytes, sizeof bytes);
}

static inline void qs_write_u16be(GByteArray *to, uint16_t value)
{
    qs_write_u8(to, (uint8_t)(value >> 8));
    qs_write_u8(to, (uint8_t)value);
}

static inline void qs_write_u32be(GByteArray *to, uint32_t value)
{
    qs_write_u16be(to, (uint16_t)(value >> 16));
    qs_write_u16be(to, (uint16_t)value);
}

static inline void qs_write_float(GByteArray *to, float value)
{
    qs_write_u32(to, qs_bits_of_float(value));
}

static inline void qs_write_view(GByteArray *to, struct qs_view view)
{
    if (view.size)
        g_byte_array_append(to, view.data, view.size);
}

/* Appends the text including its NUL. */
static inline void qs_write_text(GByteArray *to, const char *text)
{
    g_byte_array_append(to, (const guint8 *)text, (guint)strlen(text) + 1);
}

static inline struct qs_view qs_view_of_bytes(const GByteArray *bytes)
{
    return (struct qs_view){bytes->data, bytes->len};
}

#endif
