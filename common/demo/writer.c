/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/demo/writer.h"

void qs_demo_begin(struct qs_demo_writer *writer)
{
    writer->begin(writer);
    writer->begun = true;
}

void qs_demo_write(struct qs_demo_writer *writer, struct qs_view bytes)
{
    writer->write(writer, bytes.data, bytes.size);
}

void qs_demo_discard(struct qs_demo_writer *writer)
{
    writer->discard(writer);
    writer->begun = false;
}

bool qs_demo_start_missing(struct qs_demo_writer *writer, const char *what)
{
    writer->start_missing(writer, what, true);
    return writer->force;
}

void qs_demo_late_start(struct qs_demo_writer *writer, const char *what)
{
    writer->start_missing(writer, what, false);
}

void qs_demo_left_out(struct qs_demo_writer *writer, const char *command)
{
    writer->left_out(writer, command);
    writer->counts.stripped++;
}

void qs_demo_problem(struct qs_demo_writer *writer, const struct qs_packet *packet,
                     const char *format, ...)
{
    va_list arguments;
    char *text;

    va_start(arguments, format);
    text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    writer->problem(writer, packet, text);
    g_free(text);
}
