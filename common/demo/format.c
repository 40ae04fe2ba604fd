/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/demo/format.h"

void qs_demo_reader_init(struct qs_demo_reader *reader, const struct qs_demo_format *format,
                         struct qs_view demo)
{
    *reader = (struct qs_demo_reader){.format = format, .in = qs_reader_over(demo.data, demo.size)};
}

enum qs_demo_status qs_demo_next(struct qs_demo_reader *reader, struct qs_demo_block *block)
{
    const uint32_t start = reader->in.pos;
    const enum qs_demo_status status = reader->format->file->next(reader);

    if (status != QS_DEMO_BLOCK && status != QS_DEMO_LINE)
        return status;
    reader->number += status == QS_DEMO_BLOCK;
    reader->begun = true;
    reader->block = (struct qs_view){reader->in.data + start, reader->in.pos - start};
    *block =
        (struct qs_demo_block){.number = reader->number, .offset = start, .bytes = reader->block};
    return QS_DEMO_BLOCK;
}

enum qs_demo_status qs_demo_read_framed(struct qs_reader *in, const struct qs_demo_framing *framing,
                                        struct qs_view *block)
{
    const uint32_t left = qs_reader_left(in);
    const uint8_t *head = in->data + in->pos;
    uint32_t length;

    *block = (struct qs_view){0};
    if (!left)
        return QS_DEMO_UNMARKED;
    if (left < framing->header)
        return QS_DEMO_CUT;
    length = framing->header == 2 ? qs_le16(head) : qs_le32(head);
    if (length == framing->end)
        return QS_DEMO_END;
    if (length > framing->max)
        return QS_DEMO_BAD;
    if (length > left - framing->header)
        return QS_DEMO_CUT;
    qs_reader_take(in, framing->header);
    *block = (struct qs_view){qs_reader_take(in, length), length};
    return QS_DEMO_BLOCK;
}

enum qs_demo_status qs_demo_next_framed(struct qs_demo_reader *reader,
                                        const struct qs_demo_framing *framing)
{
    struct qs_view block;
    enum qs_demo_status status;

    if (reader->ended)
        return qs_reader_left(&reader->in) ? QS_DEMO_BAD : QS_DEMO_END;
    status = qs_demo_read_framed(&reader->in, framing, &block);
    if (status == QS_DEMO_UNMARKED && reader->unmarked)
        return QS_DEMO_END;
    if (status != QS_DEMO_END)
        return status;
    reader->ended = true;
    qs_reader_take(&reader->in, framing->header);
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
    const double time = reader->format->file->seconds(reader, decoder);

    if (time >= 0 && time < limit)
        reader->time = time;
    return (int64_t)(reader->time * 1e9 + 0.5);
}
