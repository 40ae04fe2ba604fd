/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A bounds-checked cursor over a range of bytes.
 *
 * Overrun is sticky: a read past the end returns 0, sets `overrun`, and closes the range, so that
 * every later read returns 0 as well. Parse functions remain straight-line code; their caller
 * checks `overrun` once, at the end. `pos` stays at the first byte that could not be read.
 *
 * The reader does not own the bytes. Values are little-endian unless a name contains `be`.
 */
#ifndef QS_CORE_READER_H
#define QS_CORE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A range of bytes that the view does not own: usually packet data, without a NUL at its end. */
struct qs_view {
    const uint8_t *data;
    uint32_t size;
};

struct qs_reader {
    const uint8_t *data;
    uint32_t size;  /* number of bytes in the range */
    uint32_t limit; /* end of the readable range: `size`, or `pos` after an overrun */
    uint32_t pos;   /* offset of the next byte */
    bool overrun;
};

/* Returns a reader of `size` bytes. `data` may be NULL if `size` is 0. */
static inline struct qs_reader qs_reader_over(const uint8_t *data, uint32_t size)
{
    static const uint8_t nothing[1];

    return (struct qs_reader){.data = data ? data : nothing, .size = size, .limit = size};
}

static inline uint32_t qs_reader_left(const struct qs_reader *r)
{
#ifdef __clang_analyzer__
    if (!r->data) /* the analyzer cannot know that a range with a size has bytes */
        return 0;
#endif
    return r->limit - r->pos;
}

/* Makes every later read fail. */
static inline void qs_reader_overrun(struct qs_reader *r)
{
    r->overrun = true;
    r->limit = r->pos;
}

/* Returns the next `n` bytes, or NULL (after an overrun) if fewer are left. */
static inline const uint8_t *qs_reader_bytes(struct qs_reader *r, uint32_t n)
{
    if (n > qs_reader_left(r)) {
        qs_reader_overrun(r);
        return NULL;
    }
    const uint8_t *p = r->data + r->pos;
    r->pos += n;
    return p;
}

static inline uint16_t qs_le16(const uint8_t *p)
{
    return (uint16_t)(p[0] | p[1] << 8);
}

static inline uint32_t qs_le32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint16_t qs_be16(const uint8_t *p)
{
    return (uint16_t)(p[0] << 8 | p[1]);
}

static inline uint32_t qs_be32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | (uint32_t)p[3];
}

static inline float qs_float_of_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint32_t qs_bits_of_float(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline uint8_t qs_reader_u8(struct qs_reader *r)
{
    const uint8_t *p = qs_reader_bytes(r, 1);
    return p ? p[0] : 0;
}

/* Defines a function that reads the next `size` bytes. */
#define QS_READER(function, type, size, of)                                                        \
    static inline type function(struct qs_reader *r)                                               \
    {                                                                                              \
        const uint8_t *p = qs_reader_bytes(r, size);                                               \
        return p ? of(p) : 0;                                                                      \
    }

QS_READER(qs_reader_u16, uint16_t, 2, qs_le16)
QS_READER(qs_reader_u32, uint32_t, 4, qs_le32)
QS_READER(qs_reader_u16be, uint16_t, 2, qs_be16)
QS_READER(qs_reader_u32be, uint32_t, 4, qs_be32)

static inline float qs_reader_float(struct qs_reader *r)
{
    return qs_float_of_bits(qs_reader_u32(r));
}

static inline uint64_t qs_reader_u64(struct qs_reader *r)
{
    const uint64_t low = qs_reader_u32(r);

    return low | (uint64_t)qs_reader_u32(r) << 32;
}

/* Returns a NUL-terminated string without its NUL, or (after an overrun) the empty view. */
static inline struct qs_view qs_reader_string(struct qs_reader *r)
{
    const uint8_t *start = r->data + r->pos;
    const uint8_t *nul = memchr(start, 0, qs_reader_left(r));

    if (!nul) {
        qs_reader_overrun(r);
        return (struct qs_view){0};
    }
    r->pos += (uint32_t)(nul - start) + 1;
    return (struct qs_view){start, (uint32_t)(nul - start)};
}

#endif
