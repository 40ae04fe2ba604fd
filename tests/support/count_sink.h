/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A sink that counts fields, groups and notes. */
#ifndef TESTS_SUPPORT_COUNT_SINK_H
#define TESTS_SUPPORT_COUNT_SINK_H

#include "common/core/sink.h"

struct count_sink {
    struct qs_sink base;
    uint64_t groups, fields, generated;
    uint64_t notes[QS_NOTE_KINDS];
    int depth; /* number of open groups */
};

static inline void count_open(struct qs_sink *base, G_GNUC_UNUSED const struct qs_field *group,
                              G_GNUC_UNUSED uint32_t offset)
{
    ((struct count_sink *)base)->groups++;
    ((struct count_sink *)base)->depth++;
}

static inline void count_close(struct qs_sink *base, G_GNUC_UNUSED uint32_t end)
{
    ((struct count_sink *)base)->depth--;
}

static inline void count_field(struct qs_sink *base, G_GNUC_UNUSED const struct qs_field *field,
                               const struct qs_value *value)
{
    ((struct count_sink *)base)->fields++;
    ((struct count_sink *)base)->generated += value->generated;
}

static inline void count_note(struct qs_sink *base, enum qs_note kind,
                              G_GNUC_UNUSED uint32_t offset, G_GNUC_UNUSED uint32_t length,
                              G_GNUC_UNUSED const char *text)
{
    ((struct count_sink *)base)->notes[kind]++;
}

static inline void count_sink_init(struct count_sink *sink)
{
    *sink = (struct count_sink){
        .base = {
            .open = count_open, .close = count_close, .field = count_field, .note = count_note}};
}

#endif
