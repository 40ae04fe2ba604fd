/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/regression/expect_rules.h"

#include <math.h>
#include <string.h>

enum {
    UNDECODED = QS_NOTE_KINDS, /* a kind of problem: bytes */
    PROBLEM_KINDS,
    WORDS_MAX = 256,
    SECONDS_MIN = 3,     /* of play, for what is measured by the second */
    MANY = 20,           /* messages show what a type is like, if flags may change it */
    LARGEST_STEP = 50,   /* bytes */
    EMPTY_UPDATE = 4,    /* bytes of one in which nothing moves */
    MOVING_MAX = 500000, /* microseconds between updates of what is moving */
    FRAME_MIN = 1000,    /* microseconds: what a client sends sooner belongs to the same frame */
    STEPS_MAX = 100000
};

/* Messages that a sign-on may have or not: what a map has, and what happens in the game. */
static const char *const chance[] = {"svc*_spawnstatic*", "svc_sound",      "svc_temp_entity",
                                     "svc_muzzleflash",   "svc_chokecount", "svc_damage",
                                     "svc_centerprint",   "svc_particle"};

struct expect_counts {
    struct qs_tally tally;
    bool spectator;
    struct qs_share problems[PROBLEM_KINDS];
    struct qs_share largest[QS_DIRECTIONS]; /* bytes, and the packet */
    struct steps {
        int64_t last;        /* time */
        GArray *between;     /* guint: microseconds, STEPS_MAX at most */
    } moves,                 /* updates in which entities moved */
        sent[QS_DIRECTIONS]; /* packets, each with the step before it */
};

/* --- Counting -------------------------------------------------------------------------------- */

struct expect_counts *expect_counts_new(void)
{
    struct expect_counts *counts = g_new0(struct expect_counts, 1);

    qs_tally_init(&counts->tally);
    counts->moves.between = g_array_new(FALSE, FALSE, sizeof(guint));
    for (int i = 0; i < QS_DIRECTIONS; i++)
        counts->sent[i].between = g_array_new(FALSE, FALSE, sizeof(guint));
    return counts;
}

void expect_counts_free(gpointer data)
{
    struct expect_counts *counts = data;

    qs_tally_clear(&counts->tally);
    g_array_free(counts->moves.between, TRUE);
    for (int i = 0; i < QS_DIRECTIONS; i++)
        g_array_free(counts->sent[i].between, TRUE);
    g_free(counts);
}

static void count(struct qs_share *share, uint64_t more, uint64_t packet)
{
    if (more && !share->count)
        share->first = packet;
    share->count += more;
}

void expect_count_word(GHashTable *words, const char *word, const struct qs_decoded_packet *decoded)
{
    const struct qs_decoder *decoder = decoded->decoder;
    g_autofree char *key = g_strdup_printf("%s %s %s", decoder->protocol->name,
                                           qs_direction_name(decoder->direction), word);
    struct qs_share *share = g_hash_table_lookup(words, key);

    if (!share && g_hash_table_size(words) < WORDS_MAX)
        g_hash_table_insert(words, g_strdup(key), share = g_new0(struct qs_share, 1));
    if (share)
        count(share, 1, decoded->packet->number);
}

/* What the receiver drops, or has already, is no part of what a session is like. */
static bool is_repeated(const struct qs_decoder *decoder)
{
    return decoder->notes[QS_NOTE_SEQUENCE_STALE] || decoder->notes[QS_NOTE_SEQUENCE_DUPLICATE] ||
           decoder->notes[QS_NOTE_RETRANSMISSION];
}

/* Steps of more than `max` microseconds are left out. */
static void add_step(struct steps *steps, int64_t time, guint max)
{
    const guint step = (guint)CLAMP((time - steps->last) / 1000, 0, max);

    if (steps->last && step < max && steps->between->len < STEPS_MAX)
        g_array_append_val(steps->between, step);
    steps->last = time;
}

/* A QuakeWorld server answers each packet of the client. When its own frames are is seen only where
 * something moves: otherwise the update is empty. */
static void count_moves(struct expect_counts *counts, const GArray *messages, int64_t time)
{
    for (guint i = 0; i < messages->len; i++) {
        const struct qs_counted *message = &g_array_index(messages, struct qs_counted, i);

        if (message->bytes > EMPTY_UPDATE &&
            g_str_has_suffix(message->group->name, ".svc_deltapacketentities"))
            add_step(&counts->moves, time, MOVING_MAX);
    }
}

void expect_counts_add(struct expect_counts *counts, const struct qs_message_counter *counter,
                       const struct qs_decoded_packet *decoded)
{
    const struct qs_decoder *decoder = decoded->decoder;
    const struct qs_packet *packet = decoded->packet;
    const enum qs_direction direction = decoder->direction;
    const struct qs_tally_packet tally = {.counted = counter->counted,
                                          .fields = counter->fields,
                                          .packet = packet,
                                          .direction = direction,
                                          .connectionless = decoder->connectionless,
                                          .ack_rtt = -1};

    for (int i = 0; i < QS_NOTE_KINDS; i++)
        count(&counts->problems[i], decoder->notes[i], packet->number);
    count(&counts->problems[UNDECODED], decoder->undecoded, packet->number);
    if (is_repeated(decoder))
        return;
    qs_tally_add(&counts->tally, &tally);
    count_moves(counts, counter->counted, packet->time);
    if (!decoder->connectionless)
        add_step(&counts->sent[direction], packet->time, G_MAXINT);
    counts->spectator |= counter->spectator;
    if (packet->size > counts->largest[direction].count)
        counts->largest[direction] = (struct qs_share){packet->size, packet->number};
}

/* --- A session's facts ----------------------------------------------------------------------- */

struct visit {
    struct expect_file *file;
    const struct expect_counts *counts;
    const struct qs_client_session *session;
    GHashTable *words;
    GPtrArray *types; /* see qs_tally_types() */
    expect_visit *by;
    void *user;
    /* Play begins with the first message of the type that the most packets of the server have: an
     * update of what the player sees. */
    uint64_t play; /* packet; 0: it does not begin */
    int64_t play_second;
    /* Of the facts that follow. */
    const char *group;
    bool fresh;
    enum qs_direction direction;
};

static void enter_group(struct visit *visit, const char *group)
{
    const struct expect_rule *rule = expect_find(visit->file, visit->session->protocol, group, "");

    visit->group = group;
    visit->fresh = !rule || !rule->members;
}

/* Visits one fact; adds what facts of its group have alike, and frees its items. */
static void visit_fact(const struct visit *visit, struct expect_fact fact)
{
    struct expect_rule *rule;

    fact.rule.protocol = visit->session->protocol;
    fact.rule.group = (char *)visit->group;
    fact.fresh = visit->fresh;
    fact.direction = visit->direction;
    visit->by(visit->user,
              expect_find(visit->file, fact.rule.protocol, visit->group, fact.rule.key), &fact);
    rule = expect_find(visit->file, fact.rule.protocol, visit->group, fact.rule.key);
    if (rule)
        rule->seen = visit->file->sessions;
    g_clear_pointer(&fact.rule.items, g_ptr_array_unref);
}

/* Frees the items. */
static void visit_list(const struct visit *visit, const char *key, GPtrArray *items)
{
    visit_fact(visit, (struct expect_fact){.rule = {.key = (char *)key, .items = items},
                                           .value = NAN,
                                           .optional = strcmp(key, "maps") == 0});
}

/* An update writes the range in steps that has both ends; an infinite one stays open. */
static void visit_value(const struct visit *visit, const char *key, double value, const char *unit,
                        uint64_t packet, struct expect_range range, double step)
{
    struct expect_fact fact = {.rule = {.key = (char *)key, .range = expect_nothing},
                               .value = value,
                               .unit = unit,
                               .packet = packet,
                               .optional = step < 1};

    if (!isnan(value))
        fact.rule.range =
            (struct expect_range){floor(range.min / step) * step, ceil(range.max / step) * step};
    visit_fact(visit, fact);
}

/* A measure whose key --update does not write. */
static void visit_measure(const struct visit *visit, const char *key, double value,
                          const char *unit)
{
    visit_value(visit, key, value < 0 ? NAN : value, unit, 0, (struct expect_range){value, value},
                0.1);
}

/* "28 FTE 0x21407000 FTE2 0x2": the version, and values of extensions. */
static void visit_version(const struct visit *visit)
{
    char **words = g_strsplit(visit->session->version ? visit->session->version : "?", " ", -1);
    GPtrArray *versions = expect_items_new(), *extensions = expect_items_new();
    GString *version = g_string_new(NULL);
    const struct expect_rule *rule;

    for (char **word = words; *word; word++) {
        if (word[1] && g_str_has_prefix(word[1], "0x")) {
            char *extension = g_strconcat(word[0], " ", word[1], NULL);

            expect_items_add(extensions, extension);
            g_free(extension);
            word++;
        } else {
            g_string_append_printf(version, "%s%s", version->len ? " " : "", *word);
        }
    }
    expect_items_add(versions, version->str);
    rule = expect_find(visit->file, visit->session->protocol, "", "extensions");
    if (rule)
        expect_add_zeros(extensions, rule->items);
    visit_list(visit, "versions", versions);
    visit_list(visit, "extensions", extensions);
    g_string_free(version, TRUE);
    g_strfreev(words);
}

static void visit_session(struct visit *visit)
{
    const GPtrArray *maps = visit->session->maps;
    GPtrArray *items = expect_items_new();
    struct qs_line line;

    qs_quality_line(visit->session->quality, &line);
    enter_group(visit, "");
    visit_version(visit);
    for (guint i = 0; i < maps->len; i++)
        expect_items_add(items, g_ptr_array_index(maps, i));
    visit_list(visit, "maps", items);
    visit_measure(visit, "round-trip", line.ping, " ms");
}

static void visit_problems(struct visit *visit)
{
    const struct qs_protocol *protocol = visit->session->protocol;

    enter_group(visit, "problems");
    for (int i = 0; i < PROBLEM_KINDS; i++) {
        const struct qs_share *problem = &visit->counts->problems[i];
        const char *suffix = i == UNDECODED ? "undecoded" : qs_note_kinds[i].suffix;
        char *key = g_strconcat(protocol->name, ".", suffix, NULL);
        const double value = (double)problem->count;

        if (i == UNDECODED || (qs_note_kinds[i].problem && protocol->notes & QS_NOTE_BIT(i)))
            visit_value(visit, key, value, i == UNDECODED ? " bytes" : "", problem->first,
                        (struct expect_range){0, value}, 1);
        g_free(key);
    }
}

/* --- Measures -------------------------------------------------------------------------------- */

static gint compare_counts(gconstpointer a, gconstpointer b)
{
    const guint x = *(const guint *)a, y = *(const guint *)b;

    return (x > y) - (x < y);
}

/* The number behind this part of those from `from` to before `end` that are `min` or more; NAN if
 * there are none. */
static double quantile(const GArray *numbers, guint from, guint end, guint min, double part)
{
    GArray *sorted = g_array_new(FALSE, FALSE, sizeof(guint));
    double found = NAN;

    for (guint i = from; i < end; i++)
        if (g_array_index(numbers, guint, i) >= min)
            g_array_append_val(sorted, g_array_index(numbers, guint, i));
    g_array_sort(sorted, compare_counts);
    if (sorted->len) {
        const double place = part * (sorted->len - 1);

        found = (g_array_index(sorted, guint, (guint)floor(place)) +
                 g_array_index(sorted, guint, (guint)ceil(place))) /
                2.0;
    }
    g_array_unref(sorted);
    return found;
}

static void visit_rate(const struct visit *visit, const char *key, double low, double high,
                       double margin)
{
    const struct expect_rule *rule =
        expect_find(visit->file, visit->session->protocol, visit->group, key);
    const struct expect_range range = {(1 - margin) * low, (1 + margin) * high};

    visit_value(visit, key, rule && high >= rule->range.min ? fmax(low, rule->range.min) : low, "",
                0, range, 1);
}

struct rate {
    double low, high; /* NAN: not measured */
};

/* A busy machine runs fewer frames, and unevenly. What the program would send otherwise is between
 * the median of the whole seconds of play and the rate of the tenth of the packets that follow the
 * one before soonest. */
static struct rate packet_rate(const struct visit *visit, enum qs_direction direction)
{
    const GArray *all = visit->counts->tally.seconds[direction];
    const GArray *sent = visit->counts->sent[direction].between;
    const guint from = (guint)visit->play_second + 1;
    struct rate rate = {NAN, NAN};
    guint before = 0;

    if (all && all->len > from + SECONDS_MIN)
        rate.low = quantile(all, from, all->len - 1, 0, 0.5);
    rate.high = rate.low;
    for (guint i = 0; all && i < MIN(from, all->len); i++)
        before += g_array_index(all, guint, i);
    if (sent->len >= before + MANY)
        rate.high = fmax(rate.low, 1e6 / quantile(sent, before, sent->len, FRAME_MIN, 0.1));
    return rate;
}

/* A QuakeWorld server answers its client, and is as slow as that one. It leaves packets out for a
 * client with a low rate, and so does Quake II's: how soon they may come shows nothing. */
static void visit_rates(const struct visit *visit)
{
    const GArray *steps = visit->counts->moves.between;
    const double moves = steps->len < MANY ? NAN : 1e6 / quantile(steps, 0, steps->len, 0, 0.5);
    const char *game = visit->session->protocol->name;
    struct rate rate = packet_rate(visit, visit->direction);

    if (visit->direction == QS_S2C && strcmp(game, "nq") != 0)
        rate.high = rate.low;
    if (visit->direction == QS_S2C && strcmp(game, "qw") == 0) {
        const struct rate client = packet_rate(visit, QS_C2S);
        const double slow = client.low > 0 ? client.high / client.low : 1;

        rate.high *= slow;
        visit_rate(visit, "moves-per-second", moves, moves * slow, 0.2);
    }
    visit_rate(visit, "packets-per-second", rate.low, rate.high, 0.15);
}

/* Rates and sizes get a margin; moves a larger one, as a busy client draws them unevenly. */
static void visit_measures(const struct visit *visit)
{
    const enum qs_direction direction = visit->direction;
    const struct qs_tally *tally = &visit->counts->tally;
    const struct qs_share *largest = &visit->counts->largest[direction];
    const double seconds = qs_tally_seconds(tally), size = (double)largest->count;
    struct qs_line line;

    qs_quality_line(visit->session->quality, &line);
    visit_value(visit, "largest-packet", size, " bytes", largest->first,
                (struct expect_range){-HUGE_VAL, 1.15 * size + LARGEST_STEP}, LARGEST_STEP);
    visit_rates(visit);
    visit_measure(visit, "bytes-per-second",
                  seconds > 0 ? (double)tally->traffic[direction].bytes / seconds : -1, "");
    visit_measure(visit, "loss", direction == QS_C2S ? line.c2s.loss : line.s2c.loss, " %");
}

/* --- Messages -------------------------------------------------------------------------------- */

static bool is_header(const struct qs_type_count *type)
{
    return g_str_has_suffix(type->group->name, ".header");
}

/* Connectionless packets have words, and whether a packet is divided depends on its size. */
static bool is_message(const struct qs_type_count *type)
{
    const char *name = strchr(type->group->name, '.') + 1;

    return g_str_has_prefix(name, "svc") || g_str_has_prefix(name, "clc") ||
           strcmp(name, "update") == 0 || is_header(type);
}

static void find_play(struct visit *visit)
{
    const struct qs_type_count *found = NULL;

    for (guint i = 0; i < visit->types->len; i++) {
        const struct qs_type_count *type = g_ptr_array_index(visit->types, i);

        if (type->direction == QS_S2C && is_message(type) && !is_header(type) &&
            (!found || type->packets > found->packets ||
             (type->packets == found->packets && type->first < found->first)))
            found = type;
    }
    visit->play = found ? found->first : 0;
    visit->play_second = found ? found->first_second : 0;
}

/* Nothing is in svc_nop. What comes with the first update, and never again, belongs to the sign-on.
 */
static bool is_sign_on(const struct visit *visit, const struct qs_type_count *type)
{
    const char *name = strchr(type->group->name, '.') + 1;

    for (guint i = 0; i < G_N_ELEMENTS(chance); i++)
        if (g_pattern_match_simple(chance[i], name))
            return false;
    return visit->play && type->bytes > type->count &&
           (type->first < visit->play || type->last == visit->play);
}

/* Sets the message's size, and the fields where they show what others are like: texts and lists are
 * of any size, and a field with parts may have flags for others. */
static void set_size(struct expect_rule *rule, const struct qs_type_count *type)
{
    bool varies = type->list || !type->fields, flags = false;
    GHashTableIter iter;
    gpointer key;

    rule->range = expect_nothing;
    g_hash_table_iter_init(&iter, type->sizes);
    while (g_hash_table_iter_next(&iter, &key, NULL)) {
        const double size = GPOINTER_TO_UINT(key);

        rule->range.min = MIN(rule->range.min, size);
        rule->range.max = MAX(rule->range.max, size);
    }
    rule->items = expect_items_new();
    if (type->fields)
        g_hash_table_iter_init(&iter, type->fields);
    while (type->fields && g_hash_table_iter_next(&iter, &key, NULL)) {
        const struct qs_field *field = key;

        varies |= field->type == QS_TEXT || field->type == QS_BYTES;
        flags |= field->mask != 0;
        if (expect_field_name(field))
            expect_items_add(rule->items, expect_field_name(field));
    }
    rule->sized = rule->phase == EXPECT_EVERY_SECOND ||
                  (!varies && (rule->phase == EXPECT_PLAY || rule->range.min == rule->range.max));
    rule->few = rule->sized && flags && type->count < MANY;
    if (varies || !rule->sized || !rule->items->len)
        g_clear_pointer(&rule->items, g_ptr_array_unref);
}

static void visit_type(const struct visit *visit, const struct qs_type_count *type)
{
    const struct qs_tally *tally = &visit->counts->tally;
    const GArray *all = tally->seconds[type->direction];
    const guint end = all ? all->len : 0, play = (guint)visit->play_second,
                begin = (guint)MAX(type->first_second, visit->play_second);
    const bool every_second = end >= begin + SECONDS_MIN && type->seconds >= 0.9 * (end - begin) &&
                              2 * type->packets >= tally->traffic[type->direction].packets;
    struct expect_fact fact = {.packet = type->first,
                               .type = type,
                               .value = NAN,
                               .seconds = type->seconds,
                               .of = end > play ? end - play : 0};

    fact.rule.key = g_strconcat(strchr(type->group->name, '.') + 1, type->variant ? " " : NULL,
                                type->variant, NULL);
    fact.rule.phase = every_second              ? EXPECT_EVERY_SECOND
                      : is_sign_on(visit, type) ? EXPECT_SIGN_ON
                                                : EXPECT_PLAY;
    fact.rule.once =
        fact.rule.phase == EXPECT_SIGN_ON && type->count <= MAX(visit->session->state.level, 1);
    set_size(&fact.rule, type);
    visit_fact(visit, fact);
    g_free(fact.rule.key);
}

/* A message that only the file has: its rule, but in play. */
static void visit_missing(const struct visit *visit, const struct expect_rule *rule)
{
    struct expect_fact fact = {.rule = *rule, .value = NAN};

    fact.rule.phase = EXPECT_PLAY;
    if (fact.rule.items)
        g_ptr_array_ref(fact.rule.items);
    visit_fact(visit, fact);
}

static void visit_messages(const struct visit *visit)
{
    for (guint i = 0; i < visit->types->len; i++) {
        const struct qs_type_count *type = g_ptr_array_index(visit->types, i);

        if (type->direction == visit->direction && is_message(type))
            visit_type(visit, type);
    }
    for (const struct expect_rule *rule = expect_next(visit->file, NULL); rule;
         rule = expect_next(visit->file, rule))
        if (rule->kind == EXPECT_MESSAGE && rule->seen != visit->file->sessions &&
            rule->protocol == visit->session->protocol && strcmp(rule->group, visit->group) == 0)
            visit_missing(visit, rule);
}

/* --- All of it ------------------------------------------------------------------------------- */

static void visit_words(const struct visit *visit)
{
    g_autofree char *prefix = g_strdup_printf("%s %s ", visit->session->protocol->name,
                                              qs_direction_name(visit->direction));
    GPtrArray *items = expect_items_new();
    GHashTableIter iter;
    gpointer word;

    g_hash_table_iter_init(&iter, visit->words);
    while (g_hash_table_iter_next(&iter, &word, NULL))
        if (g_str_has_prefix(word, prefix))
            expect_items_add(items, (char *)word + strlen(prefix));
    visit_list(visit, "connectionless", items);
}

/* The group is "s2c", or "s2c player" if the file has that. */
static void visit_direction(struct visit *visit)
{
    const char *way = qs_direction_name(visit->direction);
    g_autofree char *group =
        g_strconcat(way, visit->counts->spectator ? " spectator" : " player", NULL);

    if (!expect_find(visit->file, visit->session->protocol, group, ""))
        group[strlen(way)] = '\0';
    enter_group(visit, group);
    visit_words(visit);
    visit_measures(visit);
    visit_messages(visit);
}

void expect_each_fact(struct expect_file *file, const struct expect_counts *counts,
                      const struct qs_client_session *session, GHashTable *words, expect_visit *by,
                      void *user)
{
    struct visit visit = {.file = file,
                          .counts = counts,
                          .session = session,
                          .words = words,
                          .types = qs_tally_types(&counts->tally),
                          .by = by,
                          .user = user};

    file->sessions++;
    find_play(&visit);
    visit_session(&visit);
    visit_problems(&visit);
    for (visit.direction = QS_C2S; visit.direction <= QS_S2C; visit.direction++)
        if (counts->tally.traffic[visit.direction].packets)
            visit_direction(&visit);
    g_ptr_array_free(visit.types, TRUE);
}
