/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Donors: sessions, one for each level, and demos. */
#include <string.h>

#include "common/core/findings.h"
#include "common/sessions/donors.h"

/* Levels that are over, of which the oldest go first; and sessions that are donors. */
enum { DONORS_MAX = 128, DEMO_LEVELS_MAX = 128, RUNNING_MAX = 1024 };

/* Nanoseconds that a sign-on takes without downloads. */
#define SIGN_ON_TIME (INT64_C(10) * 1000000000)

void qs_donor_free(gpointer data)
{
    struct qs_donor *donor = data;

    if (donor->copies)
        --*donor->copies;
    qs_sign_on_free(donor->sign_on);
    g_free(donor->name);
    g_free(donor);
}

static void init(struct qs_donors *donors)
{
    donors->running = g_hash_table_new_full(NULL, NULL, NULL, qs_donor_free);
    donors->live = g_ptr_array_new();
    donors->over = g_ptr_array_new_with_free_func(qs_donor_free);
}

struct qs_donors *qs_donors_new(GPtrArray *demos)
{
    struct qs_donors *donors = g_new0(struct qs_donors, 1);

    init(donors);
    donors->demos = demos;
    return donors;
}

static void clear(struct qs_donors *donors)
{
    g_ptr_array_free(donors->live, TRUE);
    if (donors->running)
        g_hash_table_destroy(donors->running);
    g_ptr_array_free(donors->over, TRUE);
}

void qs_donors_free(struct qs_donors *donors)
{
    clear(donors);
    g_free(donors);
}

void qs_donors_postpone(struct qs_donors *donors,
                        void (*catch_up)(struct qs_donors *donors, void *user), void *user)
{
    g_clear_pointer(&donors->running, g_hash_table_destroy);
    donors->catch_up = catch_up;
    donors->user = user;
}

void qs_donors_need(struct qs_donors *donors)
{
    if (!donors->running)
        donors->catch_up(donors, donors->user);
}

void qs_donors_move(struct qs_donors *to, struct qs_donors *from)
{
    clear(to);
    to->running = from->running;
    to->live = from->live;
    to->over = from->over;
    init(from);
}

/* --- Sessions as donors --- */

bool qs_donor_is_complete(const struct qs_donor *donor)
{
    return donor->sign_on->complete && !donor->sign_on->broken;
}

struct qs_donor *qs_donor_copy(struct qs_donors *donors, const struct qs_donor *donor)
{
    struct qs_donor *copy;

    if (donors->copies == QS_DONOR_COPIES_MAX)
        return NULL;
    copy = g_new(struct qs_donor, 1);
    *copy = *donor;
    copy->name = g_strdup(donor->name);
    copy->sign_on = qs_sign_on_copy(donor->sign_on);
    copy->copies = &donors->copies;
    donors->copies++;
    return copy;
}

/* The level's sign-on stays a donor; the session's begins anew. */
static struct qs_donor *detach_level(struct qs_donor *donor)
{
    struct qs_donor *level = g_new(struct qs_donor, 1);

    *level = *donor;
    level->name = g_strdup(donor->name);
    qs_sign_on_leave(level->sign_on);
    donor->sign_on = qs_sign_on_new();
    return level;
}

static void end_level(struct qs_donor *donor)
{
    if (!qs_donor_is_complete(donor)) {
        qs_sign_on_clear(donor->sign_on);
        return;
    }
    if (donor->over->len == donor->over_max)
        g_ptr_array_remove_index(donor->over, 0);
    g_ptr_array_add(donor->over, detach_level(donor));
}

static struct qs_donor *new_donor(GPtrArray *over, guint over_max,
                                  const struct qs_demo_format *format, char *name)
{
    struct qs_donor *donor = g_new0(struct qs_donor, 1);

    donor->over = over;
    donor->over_max = over_max;
    donor->format = format;
    donor->name = name;
    donor->sign_on = qs_sign_on_new();
    return donor;
}

bool qs_donor_is_of_server(const struct qs_donor *donor, const struct qs_address *server)
{
    return donor->server.family == server->family &&
           memcmp(donor->server.bytes, server->bytes, sizeof server->bytes) == 0 &&
           (donor->format->late_join->any_port || donor->server.port == server->port);
}

static bool has_enough(const struct qs_donors *donors, const struct qs_demo_format *format,
                       const struct qs_address *server, int64_t now)
{
    unsigned count = 0;
    GHashTableIter iter;
    gpointer value;

    g_hash_table_iter_init(&iter, donors->running);
    while (g_hash_table_iter_next(&iter, NULL, &value)) {
        const struct qs_donor *donor = value;

        count += donor->format == format && qs_donor_is_of_server(donor, server) &&
                 (donor->sign_on->complete || now - donor->since < SIGN_ON_TIME);
    }
    return count >= QS_DONORS_EACH_MAX || g_hash_table_size(donors->running) >= RUNNING_MAX;
}

struct qs_donor *qs_donors_begin(struct qs_donors *donors, const struct qs_demo_format *format,
                                 unsigned session, const struct qs_address *server, int64_t now)
{
    struct qs_donor *donor;

    if (!donors->running || has_enough(donors, format, server, now))
        return NULL;
    donor = new_donor(donors->over, DONORS_MAX, format, g_strdup_printf("session %u", session));
    donor->session = session;
    donor->server = *server;
    donor->since = now;
    g_hash_table_insert(donors->running, GUINT_TO_POINTER(session), donor);
    return donor;
}

static void add_packet(struct qs_donor *donor, const struct qs_decoder *decoder)
{
    if (decoder->session->level != donor->level) {
        end_level(donor);
        donor->level = decoder->session->level;
    }
    if (!donor->sign_on->broken)
        donor->format->late_join->add_packet(donor->sign_on, decoder);
}

static void remove_donor(struct qs_donors *donors, struct qs_donor *donor)
{
    if (donor->listed)
        g_ptr_array_remove(donors->live, donor);
    g_hash_table_remove(donors->running, GUINT_TO_POINTER(donor->session));
}

struct qs_donor *qs_donors_packet(struct qs_donors *donors, struct qs_donor *donor,
                                  const struct qs_decoder *decoder, const struct qs_packet *packet,
                                  const struct qs_address *server)
{
    const uint32_t level = donor->level;

    if (!decoder->accepted)
        return donor;
    add_packet(donor, decoder);
    if (donor->sign_on->broken) {
        remove_donor(donors, donor);
        return NULL;
    }
    if (!donor->listed && donor->sign_on->complete) { /* most sessions of a flood never are */
        donor->listed = true;
        g_ptr_array_add(donors->live, donor);
    }
    if (level != donor->level)
        donor->since = packet->time;
    donor->until = packet->time;
    if (server->port != donor->server.port) /* it was not known who the server is */
        donor->server = *server;
    return donor;
}

/* The donor of a running session, or NULL. */
static struct qs_donor *find(const struct qs_donors *donors, unsigned session)
{
    return donors->running ? g_hash_table_lookup(donors->running, GUINT_TO_POINTER(session)) : NULL;
}

void qs_donors_end(struct qs_donors *donors, unsigned session)
{
    struct qs_donor *donor = find(donors, session);

    if (!donor)
        return;
    end_level(donor);
    remove_donor(donors, donor);
}

struct qs_donor *qs_donors_follow(struct qs_donors *donors, unsigned session,
                                  struct qs_session *state)
{
    struct qs_donor *donor = find(donors, session);

    if (donor) {
        donor->followed = true;
        qs_sign_on_follow(donor->sign_on, state);
    }
    return donor;
}

void qs_donors_end_others(struct qs_donors *donors)
{
    GList *all = g_hash_table_get_values(donors->running);

    for (const GList *each = all; each; each = each->next) {
        const struct qs_donor *donor = each->data;

        if (!donor->followed)
            qs_donors_end(donors, donor->session);
    }
    g_list_free(all);
}

void qs_donors_peers(struct qs_donors *donors, const struct qs_demo_format *format,
                     const struct qs_address *server, qs_peer_function *function, void *user)
{
    if (donors->sessions > 1)
        qs_donors_need(donors);
    for (guint i = 0; i < donors->live->len; i++) {
        const struct qs_donor *peer = g_ptr_array_index(donors->live, i);

        if (peer->format == format && qs_donor_is_of_server(peer, server) &&
            !function(user, peer->sign_on))
            return;
    }
}

/* --- Demos as donors --- */

static void add_blocks(struct qs_donor *donor, struct qs_demo_input *recording,
                       struct qs_decoder *decoder, struct qs_session *session)
{
    const struct qs_demo_format *format = recording->reader.format;
    struct qs_demo_block block;

    while (qs_demo_input_next(recording, &block)) {
        const struct qs_packet packet = {.data = block.bytes.data,
                                         .size = block.bytes.size,
                                         .wire_size = block.bytes.size,
                                         .number = block.number,
                                         .from = QS_END_UNKNOWN};

        qs_decode_block(decoder, format->decode_block, session, NULL, &packet, block.offset);
        add_packet(donor, decoder);
    }
}

GPtrArray *qs_donor_demos_new(void)
{
    return g_ptr_array_new_with_free_func(qs_donor_free);
}

bool qs_donor_demos_add(GPtrArray *demos, struct qs_demo_input *recording, bool unchecked)
{
    const struct qs_demo_format *format = recording->reader.format;
    const struct qs_demo_format *to = format->donor_for ? format->donor_for : format;
    const guint before = demos->len;
    struct qs_session *session;
    struct qs_decoder decoder;
    struct qs_donor *donor;

    if (!to->late_join)
        return false;
    donor = new_donor(demos, before + DEMO_LEVELS_MAX, to, g_strdup(recording->name));
    session = g_malloc(format->protocol->session_size);
    format->protocol->session_init(session);
    qs_decoder_init(&decoder, format->protocol);
    decoder.want_entities = QS_ENTITIES_ALL;
    add_blocks(donor, recording, &decoder, session);
    end_level(donor);
    qs_decoder_clear(&decoder);
    format->protocol->session_clear(session);
    g_free(session);
    qs_donor_free(donor);
    for (guint i = before; i < demos->len; i++)
        ((struct qs_donor *)g_ptr_array_index(demos, i))->unchecked = unchecked;
    return demos->len != before;
}
