/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/demo/late_join/late_join.h"

void qs_donor_match_init(struct qs_donor_match *match, const struct qs_sign_on *sign_on,
                         enum qs_donor_kind kind)
{
    match->sign_on = sign_on;
    match->kind = kind;
    match->unknown = g_string_new(NULL);
}

void qs_donor_match_clear(struct qs_donor_match *match)
{
    g_string_free(match->unknown, TRUE);
    g_free(match->contradiction);
}

void qs_donor_match_contradict(struct qs_donor_match *match, const char *format, ...)
{
    va_list arguments;

    if (match->contradiction)
        return;
    va_start(arguments, format);
    match->contradiction = g_strdup_vprintf(format, arguments);
    va_end(arguments);
}

void qs_donor_match_see(struct qs_donor_match *match, struct qs_view bytes)
{
    match->recorded = match->recorded || qs_sign_on_has_mark(match->sign_on, bytes);
}

void qs_donor_match_unknown(struct qs_donor_match *match, bool is_unknown, const char *what)
{
    if (is_unknown)
        g_string_append_printf(match->unknown, "%s%s", match->unknown->len ? "; " : "", what);
}
