/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/regression/golden_diff.h"

#include <string.h>

/* --- The nearest match ----------------------------------------------------------- */

/* Whether item `was` of one sequence and `is` of the other are the same. */
typedef bool same_test(const void *user, guint was, guint is);

/* Two places in the sequences. */
struct match {
    guint was, is;
};

/*
 * The first match within `end.was` and `end.is` items: the one with the smallest sum of indices.
 * `end` if there is none.
 */
static struct match find_match(struct match end, same_test *same, const void *user)
{
    for (guint sum = 0; sum < end.was + end.is; sum++)
        for (guint was = sum < end.is ? 0 : sum - end.is + 1; was <= sum && was < end.was; was++)
            if (same(user, was, sum - was))
                return (struct match){was, sum - was};
    return end;
}

/* --- Lines ----------------------------------------------------------------------------------- */

struct line_sides {
    char **was, **is;
};

static bool is_same_line(const void *user, guint was, guint is)
{
    const struct line_sides *sides = user;

    return strcmp(sides->was[was], sides->is[is]) == 0;
}

static void add_lines(struct golden_difference *difference, char mark, char **lines, guint count)
{
    for (guint i = 0; i < count; i++) {
        const bool cut = strlen(lines[i]) > GOLDEN_LINE_SIZE_MAX;

        if (difference->lines->len < GOLDEN_LINES_MAX)
            g_ptr_array_add(
                difference->lines,
                g_strdup_printf("%c%.*s%s", mark, GOLDEN_LINE_SIZE_MAX, lines[i], cut ? "…" : ""));
        else
            difference->more++;
    }
}

/* How many lines there are; behind the last one is an empty text. */
static guint count_lines(char **lines)
{
    return MAX(g_strv_length(lines), 1) - 1;
}

/* Either text may be "": the packet is missing. */
static void compare_lines(struct golden_difference *difference, const char *was_text,
                          const char *is_text)
{
    char **was = g_strsplit(was_text, "\n", -1), **is = g_strsplit(is_text, "\n", -1);
    const struct match all = {count_lines(was), count_lines(is)};
    struct match at = {0, 0};

    while (at.was < all.was || at.is < all.is) {
        const struct line_sides sides = {was + at.was, is + at.is};
        const struct match end = {MIN(all.was - at.was, GOLDEN_WINDOW),
                                  MIN(all.is - at.is, GOLDEN_WINDOW)};
        const struct match next = find_match(end, is_same_line, &sides);
        const bool found = next.was < end.was && next.is < end.is;

        add_lines(difference, '-', sides.was, next.was);
        add_lines(difference, '+', sides.is, next.is);
        at.was += next.was + found;
        at.is += next.is + found;
    }
    g_strfreev(was);
    g_strfreev(is);
}

/* --- Packets --------------------------------------------------------------------------------- */

/* Bytes of waiting packets at which read-ahead stops. */
enum { WAITING_MAX = 64 << 20 };

struct packet {
    uint64_t number;
    GString *text;
};

static void packet_free(gpointer data)
{
    struct packet *packet = data;

    g_string_free(packet->text, TRUE);
    g_free(packet);
}

static void difference_free(gpointer data)
{
    struct golden_difference *difference = data;

    g_ptr_array_free(difference->lines, TRUE);
    g_free(difference);
}

struct golden_diff *golden_diff_new(struct golden_reader *golden, guint max)
{
    struct golden_diff *diff = g_new0(struct golden_diff, 1);

    diff->golden = golden;
    diff->max = max;
    diff->was = g_ptr_array_new_with_free_func(packet_free);
    diff->is = g_ptr_array_new_with_free_func(packet_free);
    diff->differences = g_ptr_array_new_with_free_func(difference_free);
    return diff;
}

void golden_diff_free(struct golden_diff *diff)
{
    g_ptr_array_free(diff->was, TRUE);
    g_ptr_array_free(diff->is, TRUE);
    g_ptr_array_unref(diff->differences);
    g_free(diff);
}

static struct packet *packet_at(const GPtrArray *packets, guint index)
{
    return g_ptr_array_index(packets, index);
}

static void add_packet(struct golden_diff *diff, GPtrArray *packets, struct packet packet)
{
    diff->waiting += packet.text->len;
    g_ptr_array_add(packets, g_memdup2(&packet, sizeof packet));
}

static void remove_packets(struct golden_diff *diff, GPtrArray *packets, guint first, guint count)
{
    for (guint i = 0; i < count; i++)
        diff->waiting -= packet_at(packets, first + i)->text->len;
    g_ptr_array_remove_range(packets, first, count);
}

/* Reads until `count` of the golden's packets wait; fewer at its end or if they are large. */
static bool read_ahead(struct golden_diff *diff, guint count)
{
    while (diff->was->len < count && !diff->over &&
           (!diff->was->len || diff->waiting < WAITING_MAX)) {
        struct packet packet = {.text = g_string_new(NULL)};
        const enum golden_status status = golden_next(diff->golden, packet.text, &packet.number);

        if (status == GOLDEN_PACKET)
            add_packet(diff, diff->was, packet);
        else
            g_string_free(packet.text, TRUE);
        diff->packets += status == GOLDEN_PACKET;
        diff->over = status != GOLDEN_PACKET;
        diff->damaged = status == GOLDEN_DAMAGED;
    }
    return diff->was->len >= count;
}

static bool is_same_packet(const void *user, guint was, guint is)
{
    const struct golden_diff *diff = user;

    return g_string_equal(packet_at(diff->was, was)->text, packet_at(diff->is, is)->text);
}

/* One of the two may be NULL. */
static void add_difference(struct golden_diff *diff, const struct packet *was,
                           const struct packet *is)
{
    struct golden_difference *difference;

    diff->total++;
    if (diff->differences->len >= diff->max)
        return;
    difference = g_new0(struct golden_difference, 1);
    difference->was = was ? was->number : 0;
    difference->is = is ? is->number : 0;
    difference->lines = g_ptr_array_new_with_free_func(g_free);
    compare_lines(difference, was ? was->text->str : "", is ? is->text->str : "");
    g_ptr_array_add(diff->differences, difference);
}

/* Reports that the packets before `end` differ, are missing or are new. */
static void report(struct golden_diff *diff, struct match end)
{
    for (guint i = 0; i < MAX(end.was, end.is); i++)
        add_difference(diff, i < end.was ? packet_at(diff->was, i) : NULL,
                       i < end.is ? packet_at(diff->is, i) : NULL);
    remove_packets(diff, diff->was, 0, end.was);
    remove_packets(diff, diff->is, 0, end.is);
}

/* The first waiting packets differ. A damaged golden's remaining packets are unknown: then today's
 * packets are not reported as new. */
static void resynchronize(struct golden_diff *diff)
{
    if (!read_ahead(diff, GOLDEN_WINDOW) && diff->damaged && diff->is->len > diff->was->len)
        remove_packets(diff, diff->is, diff->was->len, diff->is->len - diff->was->len);
    report(diff, find_match((struct match){diff->was->len, diff->is->len}, is_same_packet, diff));
}

/* Whether the golden's next packet is this one; if so, consumes it. */
static bool match_next(struct golden_diff *diff, const GString *text)
{
    if (!read_ahead(diff, 1) || !g_string_equal(packet_at(diff->was, 0)->text, text))
        return false;
    remove_packets(diff, diff->was, 0, 1);
    return true;
}

static void match_waiting(struct golden_diff *diff)
{
    while (diff->is->len && match_next(diff, packet_at(diff->is, 0)->text))
        remove_packets(diff, diff->is, 0, 1);
}

void golden_diff_add(struct golden_diff *diff, uint64_t number, const GString *packet)
{
    if ((diff->damaged && !diff->was->len) || (!diff->is->len && match_next(diff, packet)))
        return;
    add_packet(diff, diff->is,
               (struct packet){number, g_string_new_len(packet->str, (gssize)packet->len)});
    if (diff->is->len < GOLDEN_WINDOW && diff->waiting < WAITING_MAX)
        return;
    resynchronize(diff);
    match_waiting(diff);
}

bool golden_diff_finish(struct golden_diff *diff)
{
    while (diff->damaged ? diff->is->len && diff->was->len : diff->is->len || read_ahead(diff, 1)) {
        resynchronize(diff);
        match_waiting(diff);
    }
    return !diff->damaged;
}
