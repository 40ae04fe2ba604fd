/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/regression/golden_diff.h"

#include <string.h>

#include "common/core/numeric_text.h"
#include "pcap2demo/regression/align.h"
#include "pcap2demo/output/message.h"

/* Readable values are cut to this many characters. */
enum { VALUE_MAX = 160 };

struct golden_diff {
    golden_source *next;
    void *user;
    guint max;
    GQueue was, is;      /* struct golden_packet: those not yet aligned */
    GPtrArray *spare;    /* struct golden_packet, to be filled again */
    bool was_over;       /* the golden has no more */
    bool stopped;        /* because it is damaged */
    bool gap;            /* a packet came or went since the last that is in both */
    uint64_t shift;      /* today's number of a packet less the golden's, modulo 2^64 */
    uint64_t packets;    /* of the golden */
    uint64_t total;      /* differences */
    GPtrArray *kept;     /* struct difference */
    GHashTable *names;   /* of added fields */
    bool only_additions; /* of fields, to packets that are there, and all else is where it was */

    /* Of the packet at hand. */
    GArray *unchanged;    /* struct line_pair */
    bool only_new_fields; /* differ in it: neither messages nor what was there */
};

/* A line that both packets have; indexes into their lines. */
struct line_pair {
    guint was, is;
};

/* A run of lines that is a message, or what stands between messages. */
struct section {
    guint first, count; /* lines of the packet */
};

/* The two sides of what is being compared. */
struct sides {
    const struct golden_packet *was, *is;
};

/* --- Differences ----------------------------------------------------------------------------- */

static void difference_free(gpointer data)
{
    struct difference *difference = data;

    g_free(difference->message);
    g_free(difference->field);
    g_free(difference->was);
    g_free(difference->is);
    g_free(difference);
}

/* Counts a difference. It is NULL when there are enough of them, else the caller's to fill in. */
static struct difference *add(struct golden_diff *diff, struct sides sides)
{
    struct difference *difference;

    diff->total++;
    if (diff->kept->len >= diff->max)
        return NULL;
    difference = g_new0(struct difference, 1);
    difference->has_was = sides.was != NULL;
    difference->has_is = sides.is != NULL;
    difference->was_packet = sides.was ? sides.was->number : 0;
    difference->is_packet = sides.is ? sides.is->number : 0;
    g_ptr_array_add(diff->kept, difference);
    return difference;
}

static char *readable(const char *text, gsize length)
{
    char *copy = g_strndup(text, length);
    char *clean = qs_text_printable(copy);

    g_free(copy);
    if (g_utf8_strlen(clean, -1) > VALUE_MAX) {
        char *cut = g_utf8_substring(clean, 0, VALUE_MAX);

        g_free(clean);
        clean = g_strconcat(cut, "…", NULL);
        g_free(cut);
    }
    return clean;
}

/* --- Lines ----------------------------------------------------------------------------------- */

static const struct golden_line *line_at(const struct golden_packet *packet, guint index)
{
    return &g_array_index(packet->lines, struct golden_line, index);
}

/* A group has no value. */
static bool is_group(const struct golden_line *line)
{
    return line->name_end + 1 == line->end;
}

static char *name_of(const struct golden_packet *packet, const struct golden_line *line)
{
    return g_strndup(packet->text->str + line->start, line->name_end - line->start);
}

/* Behind the name: "= value". */
static char *value_of(const struct golden_packet *packet, const struct golden_line *line)
{
    if (is_group(line))
        return g_strdup("there");
    return readable(packet->text->str + line->name_end + 1, line->end - line->name_end - 2);
}

/* Lines that stand for the packet as such come first: "packet.protocol". */
static bool is_head(const struct golden_packet *packet, const struct golden_line *line)
{
    return g_str_has_prefix(packet->text->str + line->start, "packet.");
}

static struct piece piece_of_text(const struct golden_packet *packet, gsize start, gsize end,
                                  uint64_t key)
{
    const char *text = packet->text->str + start;

    return (struct piece){
        .key = key, .hash = align_hash(text, end - start), .text = text, .length = end - start};
}

/* --- Fields ---------------------------------------------------------------------------------- */

/* The same mark in front of both values shows nothing. */
static void strip_marks(struct difference *difference)
{
    static const char *const marks[] = {"= ", ":= "};

    for (size_t i = 0; i < G_N_ELEMENTS(marks); i++) {
        const char *mark = marks[i];
        const gsize length = strlen(mark);

        if ((difference->was && !g_str_has_prefix(difference->was, mark)) ||
            (difference->is && !g_str_has_prefix(difference->is, mark)))
            continue;
        if (difference->was)
            memmove(difference->was, difference->was + length,
                    strlen(difference->was + length) + 1);
        if (difference->is)
            memmove(difference->is, difference->is + length, strlen(difference->is + length) + 1);
        return;
    }
}

static char *section_name(const struct golden_packet *packet, const struct section *section)
{
    const struct golden_line *first = line_at(packet, section->first);

    if (is_group(first))
        return name_of(packet, first);
    return g_strdup(is_head(packet, first) ? "packet" : "outside of messages");
}

static void note_new_name(struct golden_diff *diff, const struct golden_packet *packet,
                          const struct golden_line *line)
{
    if (diff->only_additions)
        g_hash_table_add(diff->names, name_of(packet, line));
}

/* Either line may be NULL: the field was, or is not there. `section` is today's. */
static void differ_in_field(struct golden_diff *diff, struct sides sides,
                            const struct section *section, const struct golden_line *was,
                            const struct golden_line *is)
{
    struct difference *difference = add(diff, sides);

    if (was) {
        diff->only_additions = false;
        diff->only_new_fields = false;
    } else {
        g_assert(is);
        note_new_name(diff, sides.is, is);
    }
    if (!difference)
        return;
    difference->message = section_name(sides.is, section);
    difference->field = is ? name_of(sides.is, is) : name_of(sides.was, was);
    difference->offset = is ? is->offset : was->offset;
    difference->was = was ? value_of(sides.was, was) : NULL;
    difference->is = is ? value_of(sides.is, is) : NULL;
    strip_marks(difference);
}

/* A field may have changed into one of the same name. */
static GArray *field_pieces(const struct golden_packet *packet, const struct section *section)
{
    GArray *pieces = g_array_sized_new(FALSE, FALSE, sizeof(struct piece), section->count);

    for (guint i = 0; i < section->count; i++) {
        const struct golden_line *line = line_at(packet, section->first + i);
        const uint64_t key =
            align_hash(packet->text->str + line->start, line->name_end - line->start);
        const struct piece piece = piece_of_text(packet, line->start, line->end, key);

        g_array_append_val(pieces, piece);
    }
    return pieces;
}

static enum align_step next_step(const GArray *was, guint was_at, const GArray *is, guint is_at)
{
    return align_heads(&g_array_index(was, struct piece, was_at), was->len - was_at,
                       &g_array_index(is, struct piece, is_at), is->len - is_at);
}

/* `count` lines are in both packets, from these on. */
static void add_unchanged(struct golden_diff *diff, guint was, guint is, guint count)
{
    for (guint i = 0; i < count; i++) {
        const struct line_pair pair = {.was = was + i, .is = is + i};

        g_array_append_val(diff->unchanged, pair);
    }
}

static void compare_fields(struct golden_diff *diff, struct sides sides,
                           const struct section *was_section, const struct section *is_section)
{
    GArray *was = field_pieces(sides.was, was_section);
    GArray *is = field_pieces(sides.is, is_section);
    guint i = 0, j = 0;

    while (i < was->len || j < is->len) {
        const enum align_step step = next_step(was, i, is, j);
        const struct golden_line *was_line = NULL, *is_line = NULL;

        if (step == ALIGN_SAME)
            add_unchanged(diff, was_section->first + i, is_section->first + j, 1);
        if (step != ALIGN_ADDED)
            was_line = line_at(sides.was, was_section->first + i++);
        if (step != ALIGN_REMOVED)
            is_line = line_at(sides.is, is_section->first + j++);
        if (step != ALIGN_SAME)
            differ_in_field(diff, sides, is_section, was_line, is_line);
    }
    g_array_free(was, TRUE);
    g_array_free(is, TRUE);
}

/* --- Messages -------------------------------------------------------------------------------- */

static bool is_within(const struct golden_line *line, const struct golden_line *group)
{
    return line->source == group->source && line->offset >= group->offset &&
           line->offset < group->offset + (uint64_t)group->length;
}

/* Whether a line still is of the section that begins with `first`. */
static bool goes_on(const struct golden_packet *packet, const struct golden_line *first,
                    const struct golden_line *line)
{
    if (is_group(line))
        return is_group(first) && is_within(line, first);
    if (!is_group(first))
        return is_head(packet, line) == is_head(packet, first);
    /* What is derived at a message's end has no bytes of its own there. */
    return line->source != first->source || is_within(line, first) ||
           line->offset == (uint64_t)first->offset + first->length;
}

static GArray *sections_of(const struct golden_packet *packet)
{
    GArray *sections = g_array_new(FALSE, FALSE, sizeof(struct section));
    const struct golden_line *first = NULL;

    for (guint i = 0; i < packet->lines->len; i++) {
        const struct golden_line *line = line_at(packet, i);

        if (!first || !goes_on(packet, first, line)) {
            const struct section section = {.first = i};

            first = line;
            g_array_append_val(sections, section);
        }
        g_array_index(sections, struct section, sections->len - 1).count++;
    }
    return sections;
}

/* A message may have changed into one of the same name. */
static GArray *section_pieces(const struct golden_packet *packet, const GArray *sections)
{
    GArray *pieces = g_array_sized_new(FALSE, FALSE, sizeof(struct piece), sections->len);

    for (guint i = 0; i < sections->len; i++) {
        const struct section *section = &g_array_index(sections, struct section, i);
        const struct golden_line *first = line_at(packet, section->first);
        const struct golden_line *last = line_at(packet, section->first + section->count - 1);
        char *name = section_name(packet, section);
        const struct piece piece =
            piece_of_text(packet, first->start, last->end, align_hash(name, strlen(name)));

        g_free(name);
        g_array_append_val(pieces, piece);
    }
    return pieces;
}

static char *size_of_section(const struct section *section)
{
    return g_strdup_printf("%u field%s", section->count, qs_plural(section->count));
}

/* A message came or went as a whole; the other section is NULL. */
static void differ_in_message(struct golden_diff *diff, struct sides sides,
                              const struct section *was, const struct section *is)
{
    const struct golden_packet *packet = is ? sides.is : sides.was;
    const struct section *section = is ? is : was;
    struct difference *difference = add(diff, sides);

    for (guint i = 0; is && i < is->count; i++)
        note_new_name(diff, packet, line_at(packet, is->first + i));
    if (was)
        diff->only_additions = false;
    diff->only_new_fields = false;
    if (!difference)
        return;
    g_assert(section);
    difference->message = section_name(packet, section);
    difference->offset = line_at(packet, section->first)->offset;
    difference->was = was ? size_of_section(was) : NULL;
    difference->is = is ? size_of_section(is) : NULL;
}

static void compare_messages(struct golden_diff *diff, struct sides sides)
{
    GArray *was_sections = sections_of(sides.was), *is_sections = sections_of(sides.is);
    GArray *was = section_pieces(sides.was, was_sections);
    GArray *is = section_pieces(sides.is, is_sections);
    guint i = 0, j = 0;

    while (i < was->len || j < is->len) {
        const enum align_step step = next_step(was, i, is, j);
        const struct section *was_section = NULL, *is_section = NULL;

        if (step != ALIGN_ADDED)
            was_section = &g_array_index(was_sections, struct section, i++);
        if (step != ALIGN_REMOVED)
            is_section = &g_array_index(is_sections, struct section, j++);
        if (step == ALIGN_CHANGED)
            compare_fields(diff, sides, was_section, is_section);
        else if (step == ALIGN_SAME)
            add_unchanged(diff, was_section->first, is_section->first, is_section->count);
        else
            differ_in_message(diff, sides, was_section, is_section);
    }
    g_array_free(was, TRUE);
    g_array_free(is, TRUE);
    g_array_free(was_sections, TRUE);
    g_array_free(is_sections, TRUE);
}

/* --- Packets --------------------------------------------------------------------------------- */

/* The two lines of a pair, and the first ones of the packets that stand for bytes of them. */
struct line_positions {
    const struct golden_line *was, *is;
    const struct golden_line *was_origin, *is_origin;
};

static bool is_elsewhere(const struct golden_packet *packet, const struct line_positions *positions)
{
    const struct golden_line *was = positions->was, *is = positions->is;

    if (was->source != is->source || was->length != is->length)
        return true;
    if (was->source || is_head(packet, is))
        return was->offset != is->offset;
    g_assert(positions->was_origin && positions->is_origin); /* at least this line itself */
    return was->offset - positions->was_origin->offset != is->offset - positions->is_origin->offset;
}

/* The first unchanged line whose bytes are elsewhere, or NULL. Offsets count from the first one. */
static const struct line_pair *first_moved(const struct golden_diff *diff, struct sides sides)
{
    struct line_positions positions = {.was_origin = NULL};

    for (guint i = 0; i < diff->unchanged->len; i++) {
        const struct line_pair *pair = &g_array_index(diff->unchanged, struct line_pair, i);

        positions.was = line_at(sides.was, pair->was);
        positions.is = line_at(sides.is, pair->is);
        if (!positions.was_origin && !is_head(sides.is, positions.is)) {
            positions.was_origin = positions.was;
            positions.is_origin = positions.is;
        }
        if (is_elsewhere(sides.is, &positions))
            return pair;
    }
    return NULL;
}

static char *position_text(const struct golden_line *line)
{
    return g_strdup_printf("%s%u+%u", line->source ? "source:" : "at ", line->offset, line->length);
}

static void differ_in_position(struct golden_diff *diff, struct sides sides,
                               const struct line_pair *pair)
{
    const struct golden_line *was = line_at(sides.was, pair->was);
    const struct golden_line *is = line_at(sides.is, pair->is);
    struct difference *difference = add(diff, sides);

    if (!difference)
        return;
    difference->field = name_of(sides.is, is);
    difference->offset = is->offset;
    difference->was = position_text(was);
    difference->is = position_text(is);
}

/*
 * The first line that has moved is enough of a report. Behind a message that came or went, and
 * behind a field that grew, others have moved for that reason: the verdict counts it, the report
 * does not repeat it.
 */
static void compare_positions(struct golden_diff *diff, struct sides sides)
{
    const struct line_pair *moved = first_moved(diff, sides);

    if (!moved)
        return;
    diff->only_additions = false;
    if (diff->only_new_fields)
        differ_in_position(diff, sides, moved);
}

static bool positions_are_same(struct sides sides)
{
    return memcmp(sides.was->lines->data, sides.is->lines->data,
                  sides.is->lines->len * sizeof(struct golden_line)) == 0;
}

/* `step`: ALIGN_SAME where the texts are, without positions. */
static void compare_packets(struct golden_diff *diff, struct sides sides, enum align_step step)
{
    if (step == ALIGN_SAME && positions_are_same(sides)) /* as most packets */
        return;
    diff->only_new_fields = true;
    g_array_set_size(diff->unchanged, 0);
    if (step == ALIGN_SAME)
        add_unchanged(diff, 0, 0, sides.is->lines->len);
    else
        compare_messages(diff, sides);
    compare_positions(diff, sides);
}

/* What is not of the games moved it to another place in the capture. */
static void follow_number(struct golden_diff *diff, struct sides sides)
{
    const uint64_t shift = sides.is->number - sides.was->number;
    const bool explained = diff->gap || shift == diff->shift;
    struct difference *difference;

    diff->gap = false;
    diff->shift = shift;
    if (explained)
        return;
    diff->only_additions = false;
    difference = add(diff, sides);
    if (!difference)
        return;
    difference->was = g_strdup_printf("packet %" G_GUINT64_FORMAT, sides.was->number);
    difference->is = g_strdup_printf("packet %" G_GUINT64_FORMAT, sides.is->number);
}

/* The packet came or went as a whole. */
static void differ_in_packet(struct golden_diff *diff, struct sides sides)
{
    const struct golden_packet *packet = sides.is ? sides.is : sides.was;
    struct difference *difference = add(diff, sides);
    char **text;

    g_assert(packet); /* one of the two */
    diff->only_additions = false;
    diff->gap = true;
    if (!difference)
        return;
    text = sides.is ? &difference->is : &difference->was;
    *text = g_strdup_printf("a packet of %u field%s", packet->lines->len,
                            qs_plural(packet->lines->len));
}

static void step_packets(struct golden_diff *diff, enum align_step step)
{
    const struct sides sides = {
        .was = step == ALIGN_ADDED ? NULL : g_queue_pop_head(&diff->was),
        .is = step == ALIGN_REMOVED ? NULL : g_queue_pop_head(&diff->is),
    };

    if (sides.was)
        g_ptr_array_add(diff->spare, (gpointer)sides.was);
    if (sides.is)
        g_ptr_array_add(diff->spare, (gpointer)sides.is);
    if (!sides.was || !sides.is) {
        differ_in_packet(diff, sides);
        return;
    }
    follow_number(diff, sides);
    compare_packets(diff, sides, step);
}

/* --- The streams ----------------------------------------------------------------------------- */

static struct golden_packet *spare_packet(struct golden_diff *diff)
{
    struct golden_packet *packet;

    if (!diff->spare->len)
        return golden_packet_new();
    packet = g_ptr_array_steal_index_fast(diff->spare, diff->spare->len - 1);
    golden_packet_clear(packet);
    return packet;
}

/* Reads on in the golden until this many packets of it wait. */
static void fill(struct golden_diff *diff, guint count)
{
    while (!diff->was_over && diff->was.length < count) {
        struct golden_packet *packet = spare_packet(diff);

        const enum golden_status status = diff->next(diff->user, packet);

        diff->was_over = status != GOLDEN_PACKET;
        diff->stopped = status == GOLDEN_DAMAGED;
        diff->packets += !diff->was_over;
        if (diff->was_over)
            g_ptr_array_add(diff->spare, packet);
        else
            g_queue_push_tail(&diff->was, packet);
    }
}

/* A packet may have changed into the one that stands in its place. */
static guint packet_pieces(const GQueue *packets, uint64_t shift, struct piece *pieces)
{
    guint count = 0;

    for (const GList *link = packets->head; link && count < ALIGN_WINDOW; link = link->next) {
        const struct golden_packet *packet = link->data;

        pieces[count++] = piece_of_text(packet, 0, packet->text->len, packet->number + shift);
    }
    return count;
}

static bool heads_are_same(struct golden_diff *diff)
{
    const struct golden_packet *was = g_queue_peek_head(&diff->was);
    const struct golden_packet *is = g_queue_peek_head(&diff->is);

    return was && is && g_string_equal(was->text, is->text);
}

/* Decides about the heads with all that may be looked at. */
static void step(struct golden_diff *diff)
{
    struct piece was[ALIGN_WINDOW], is[ALIGN_WINDOW];
    guint was_count, is_count;

    fill(diff, ALIGN_WINDOW);
    was_count = packet_pieces(&diff->was, diff->shift, was);
    is_count = packet_pieces(&diff->is, 0, is);
    if (was_count || (is_count && !diff->stopped))
        step_packets(diff, align_heads(was, was_count, is, is_count));
}

/* All that could be read of a damaged golden is compared. */
static bool is_exhausted(const struct golden_diff *diff)
{
    return diff->stopped && !diff->was.length;
}

/* Goes on as long as the heads are the same, or `is_enough` of today's packets wait. */
static void go_on(struct golden_diff *diff, guint is_enough)
{
    while (diff->is.length && !is_exhausted(diff)) {
        fill(diff, 1);
        if (heads_are_same(diff))
            step_packets(diff, ALIGN_SAME);
        else if (diff->is.length >= is_enough)
            step(diff);
        else
            break;
    }
}

static void free_packet(gpointer packet)
{
    golden_packet_free(packet);
}

struct golden_diff *golden_diff_new(golden_source *next, void *user, guint max)
{
    struct golden_diff *diff = g_new0(struct golden_diff, 1);

    diff->next = next;
    diff->user = user;
    diff->max = max;
    g_queue_init(&diff->was);
    g_queue_init(&diff->is);
    diff->spare = g_ptr_array_new_with_free_func(free_packet);
    diff->kept = g_ptr_array_new_with_free_func(difference_free);
    diff->names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    diff->unchanged = g_array_new(FALSE, FALSE, sizeof(struct line_pair));
    diff->only_additions = true;
    return diff;
}

void golden_diff_free(struct golden_diff *diff)
{
    g_queue_clear_full(&diff->was, free_packet);
    g_queue_clear_full(&diff->is, free_packet);
    g_ptr_array_free(diff->spare, TRUE);
    if (diff->kept)
        g_ptr_array_free(diff->kept, TRUE);
    g_hash_table_destroy(diff->names);
    g_array_free(diff->unchanged, TRUE);
    g_free(diff);
}

struct golden_packet *golden_diff_take(struct golden_diff *diff, struct golden_packet *packet)
{
    g_queue_push_tail(&diff->is, packet);
    go_on(diff, ALIGN_WINDOW);
    if (is_exhausted(diff))
        g_queue_clear_full(&diff->is, free_packet);
    return spare_packet(diff);
}

bool golden_diff_is_level(const struct golden_diff *diff)
{
    return !diff->was_over && !diff->was.length && !diff->is.length && (diff->gap || !diff->shift);
}

void golden_diff_take_same(struct golden_diff *diff)
{
    diff->packets++;
    diff->gap = false;
    diff->shift = 0;
}

void golden_diff_finish(struct golden_diff *diff)
{
    go_on(diff, 1);
    fill(diff, 1);
    while (diff->was.length)
        step(diff);
}

GPtrArray *golden_diff_take_differences(struct golden_diff *diff, uint64_t *total)
{
    *total = diff->total;
    return g_steal_pointer(&diff->kept);
}

uint64_t golden_diff_packets(const struct golden_diff *diff)
{
    return diff->packets;
}

GHashTable *golden_diff_new_names(const struct golden_diff *diff)
{
    return diff->total && diff->only_additions ? diff->names : NULL;
}
