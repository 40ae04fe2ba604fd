/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/demo_formats.h"

#include "common/demo/dem/dem.h"
#include "common/demo/dm2/dm2.h"
#include "common/demo/mvd/mvd.h"
#include "common/demo/qwd/late_join.h"
#include "common/demo/qwd/qwd.h"
#include "common/quake/session.h"
#include "common/quake2/session.h"
#include "common/quakeworld/session.h"

const struct qs_demo_format qs_demo_qwd = {
    .extension = "qwd",
    .protocol = &qw_protocol,
    .file = &qwd_file,
    .rebuilder = &qwd_rebuilder,
    .packets = &qwd_packets,
    .late_join = &qwd_late_join,
};

const struct qs_demo_format qs_demo_mvd = {
    .extension = "mvd",
    .protocol = &qw_protocol,
    .of_stream = true,
    .file = &mvd_file,
    .rebuilder = &mvd_rebuilder,
    .packets = &mvd_packets,
    .donor_for = &qs_demo_qwd,
};

const struct qs_demo_format qs_demo_dm2 = {
    .extension = "dm2",
    .protocol = &q2_protocol,
    .file = &dm2_file,
    .rebuilder = &dm2_rebuilder,
    .packets = &dm2_packets,
    .late_join = &dm2_late_join,
};

const struct qs_demo_format qs_demo_mvd2 = {
    .extension = "mvd2",
    .protocol = &q2_protocol,
    .of_stream = true,
    .file = &mvd2_file,
    .rebuilder = &mvd2_rebuilder,
    .packets = &mvd2_packets,
};

const struct qs_demo_format qs_demo_dem = {
    .extension = "dem",
    .protocol = &nq_protocol,
    .file = &dem_file,
    .rebuilder = &dem_rebuilder,
    .packets = &dem_packets,
    .late_join = &dem_late_join,
};

const struct qs_demo_format *const qs_demo_formats[] = {
    &qs_demo_mvd2, &qs_demo_dm2, &qs_demo_dem, &qs_demo_mvd, &qs_demo_qwd, NULL,
};

const struct qs_demo_format *qs_demo_format_of_content(struct qs_view file)
{
    for (size_t i = 0; qs_demo_formats[i]; i++)
        if (qs_demo_formats[i]->file->recognize(file))
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
