/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/core/source.h"

#include "common/core/emit.h"
#include "common/core/values.h"

bool qs_push_source(struct qs_decoder *d, const char *title, const uint8_t *data, uint32_t size)
{
    if (d->source_depth == QS_SOURCES_MAX)
        return false;
    /* Sinks know the end of a source by the data that is not there. */
    if (!data)
        data = (const uint8_t *)"";
    d->outer[d->source_depth++] = d->in;
    d->in = qs_reader_over(data, size);
    if (d->sink && d->sink->source)
        d->sink->source(d->sink, title, data, size);
    return true;
}

void qs_pop_source(struct qs_decoder *d)
{
    d->in = d->outer[--d->source_depth];
    if (d->sink && d->sink->source)
        d->sink->source(d->sink, NULL, NULL, 0);
}

void qs_enter_payload(struct qs_decoder *d)
{
    const uint32_t size = qs_reader_left(&d->in);

    d->origin += d->in.pos;
    d->payload.data = d->in.data + d->in.pos;
    d->payload.size = d->payload.wire_size = size;
    d->packet = &d->payload;
    d->in = qs_reader_over(d->payload.data, size);
}

void qs_no_block(struct qs_decoder *d)
{
    qs_note(d, QS_NOTE_MALFORMED, 0, d->in.size, "No block of a demo");
    qs_undecoded(d);
}
