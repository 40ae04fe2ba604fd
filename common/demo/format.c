/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/demo/format.h"

#include "common/demo/dem/dem.h"
#include "common/demo/dm2/dm2.h"
#include "common/demo/mvd/mvd.h"
#include "common/demo/mvd/mvd2.h"
#include "common/demo/qwd/qwd.h"

const struct qs_demo_format *const qs_demo_formats[] = {
    &qs_demo_mvd2, &qs_demo_dm2, &qs_demo_dem, &qs_demo_mvd, &qs_demo_qwd, NULL,
};

const struct qs_demo_format *qs_demo_format_of_content(struct qs_view file)
{
    for (size_t i = 0; qs_demo_formats[i]; i++)
        if (qs_demo_formats[i]->recognise(file))
            return qs_demo_formats[i];
    return NULL;
}

size_t qs_unpacked_name_length(const char *name)
{
    static const char *const endings[] = {".gz", ".xz", ".zst", ".bz2", ".lz4"};
    const size_t length = strlen(name);

    for (size_t i = 0; i < G_N_ELEMENTS(endings); i++) {
        const size_t size = strlen(endings[i]);

        if (length > size && g_ascii_strcasecmp(name + length - size, endings[i]) == 0)
            return length - size;
    }
    return length;
}

const struct qs_demo_format *qs_demo_format_of_name(const char *name)
{
    char *lower = g_ascii_strdown(name, -1);
    const struct qs_demo_format *found = NULL;
    const char *dot;

    lower[qs_unpacked_name_length(lower)] = '\0';
    dot = strrchr(lower, '.');
    for (size_t i = 0; dot && qs_demo_formats[i]; i++)
        if (strcmp(dot + 1, qs_demo_formats[i]->extension) == 0)
            found = qs_demo_formats[i];
    g_free(lower);
    return found;
}

const struct qs_demo_format *qs_demo_format_of(const struct qs_protocol *protocol, bool stream,
                                               const char *extension)
{
    const struct qs_demo_format *first = NULL;

    for (size_t i = 0; qs_demo_formats[i]; i++) {
        const struct qs_demo_format *format = qs_demo_formats[i];

        if (format->protocol != protocol || format->of_stream != stream)
            continue;
        if (extension && strcmp(format->extension, extension) == 0)
            return format;
        first = first ? first : format;
    }
    return first;
}

/* --- Reading a demo */

void qs_demo_reader_init(struct qs_demo_reader *reader, const struct qs_demo_format *format,
                         struct qs_view demo)
{
    *reader = (struct qs_demo_reader){.format = format, .in = qs_reader_over(demo.data, demo.size)};
}

enum qs_demo_status qs_demo_next(struct qs_demo_reader *reader, struct qs_demo_block *block)
{
    const uint32_t start = reader->in.pos;
    const enum qs_demo_status status = reader->format->next(reader);

    if (status != QS_DEMO_BLOCK && status != QS_DEMO_LINE)
        return status;
    reader->number += status == QS_DEMO_BLOCK;
    reader->begun = true;
    reader->block = (struct qs_view){reader->in.data + start, reader->in.pos - start};
    *block =
        (struct qs_demo_block){.number = reader->number, .offset = start, .bytes = reader->block};
    return QS_DEMO_BLOCK;
}

const char *qs_demo_status_text(const struct qs_demo_reader *reader, enum qs_demo_status status)
{
    switch (status) {
    case QS_DEMO_BLOCK:
    case QS_DEMO_LINE:
    case QS_DEMO_END:
        break;
    case QS_DEMO_UNMARKED:
        return "the file ends without an end mark";
    case QS_DEMO_CUT:
        return "the file ends within the block";
    case QS_DEMO_BAD:
        return reader->ended ? "there is more behind the end mark" : "no block begins here";
    }
    return NULL;
}

int64_t qs_demo_time(struct qs_demo_reader *reader, const struct qs_decoder *decoder)
{
    const double limit = 1e9; /* demos can hold any number */
    const double time = reader->format->seconds(reader, decoder);

    if (time >= 0 && time < limit)
        reader->time = time;
    return (int64_t)(reader->time * 1e9 + 0.5);
}
