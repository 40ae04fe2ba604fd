/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/sessions/late_join.h"

#include <string.h>

/* Maximum number of sessions that may be donors (each new level is compared with all), and of ended
 * levels of all sessions, and of each demo: the oldest are dropped. */
enum { SESSIONS_MAX = 1024, LEVELS_MAX = 128 };

static void donor_free(gpointer data)
{
    struct qs_donor *donor = data;

    qs_sign_on_free(donor->sign_on);
    g_free(donor->name);
    g_free(donor);
}

struct qs_donors *qs_donors_new(GPtrArray *demos)
{
    struct qs_donors *donors = g_new0(struct qs_donors, 1);

    donors->sessions = g_ptr_array_new_with_free_func(donor_free);
    donors->over = g_ptr_array_new_with_free_func(donor_free);
    donors->demos = demos;
    return donors;
}

void qs_donors_free(struct qs_donors *donors)
{
    g_ptr_array_free(donors->sessions, TRUE);
    g_ptr_array_free(donors->over, TRUE);
    g_free(donors);
}

bool qs_donor_is_complete(const struct qs_donor *donor)
{
    return donor->sign_on && donor->sign_on->complete && !donor->sign_on->broken;
}

bool qs_donor_is_of_server(const struct qs_donor *donor, const struct qs_address *server)
{
    return donor->server.family == server->family &&
           memcmp(donor->server.bytes, server->bytes, sizeof server->bytes) == 0 &&
           (donor->format->late_join->any_port || donor->server.port == server->port);
}

/* --- Levels ---------------------------------------------------------------------------------- */

/* Moves the donor's level to `over`; drops the oldest from `first` on if there are LEVELS_MAX. */
static void keep_level(struct qs_donor *donor, GPtrArray *over, guint first)
{
    struct qs_donor *level = g_memdup2(donor, sizeof *donor);

    level->name = g_strdup(donor->name);
    donor->sign_on = NULL;
    if (over->len - first == LEVELS_MAX)
        g_ptr_array_remove_index(over, first);
    g_ptr_array_add(over, level);
}

static void end_level(struct qs_donor *donor, GPtrArray *over, guint first)
{
    if (over && qs_donor_is_complete(donor)) {
        qs_sign_on_sort_marks(donor->sign_on);
        keep_level(donor, over, first);
    }
    g_clear_pointer(&donor->sign_on, qs_sign_on_free);
}

static void add_packet(struct qs_donor *donor, const struct qs_decoder *decoder)
{
    struct qs_sign_on *sign_on = donor->sign_on;
    bool of_game;

    if (!sign_on || sign_on->broken)
        return;
    of_game = donor->format->late_join->add_packet(sign_on, decoder);
    if (sign_on->complete && !donor->signed_on)
        donor->signed_on = decoder->packet->time;
    /* From a hole on in which the level may have changed, the game may be of another one. */
    if (of_game && !decoder->session->lost.in_game)
        donor->until = decoder->packet->time;
}

/* --- Sessions -------------------------------------------------------------------------------- */

/* Adds a session. Returns NULL if there are too many. */
static struct qs_donor *add_session(struct qs_donors *donors, const struct qs_demo_format *format,
                                    unsigned number)
{
    struct qs_donor *donor;

    if (donors->sessions->len == SESSIONS_MAX)
        return NULL;
    donor = g_new0(struct qs_donor, 1);
    donor->format = format;
    donor->name = g_strdup_printf("session %u", number);
    g_ptr_array_add(donors->sessions, donor);
    return donor;
}

/* True if another session of the same server exists. */
static bool has_company(const struct qs_donors *donors, const struct qs_donor *donor)
{
    for (guint i = 0; i < donors->sessions->len; i++) {
        const struct qs_donor *other = donors->sessions->pdata[i];

        if (other != donor && other->format == donor->format &&
            qs_donor_is_of_server(other, &donor->server))
            return true;
    }
    return false;
}

static void begin_level(const struct qs_donors *donors, struct qs_donor *donor, uint32_t level)
{
    end_level(donor, donors->late ? donors->over : NULL, 0);
    donor->level = level;
    donor->signed_on = donor->until = 0;
    if (has_company(donors, donor))
        donor->sign_on = qs_sign_on_new();
}

struct qs_donor *qs_donors_packet(struct qs_donors *donors, struct qs_donor *donor,
                                  const struct qs_demo_format *format, unsigned number,
                                  const struct qs_decoder *decoder, const struct qs_address *server)
{
    if (!decoder->found.accepted)
        return donor;
    if (!donor)
        donor = add_session(donors, format, number);
    if (!donor)
        return NULL;
    donor->server = *server;
    if (decoder->session->level != donor->level)
        begin_level(donors, donor, decoder->session->level);
    add_packet(donor, decoder);
    return donor;
}

void qs_donors_end(struct qs_donors *donors, struct qs_donor *donor)
{
    if (!donor)
        return;
    end_level(donor, donors->late ? donors->over : NULL, 0);
    g_ptr_array_remove(donors->sessions, donor); /* keeps the others in the order of their begin */
}

void qs_donors_late_begin(struct qs_donors *donors)
{
    donors->late++;
}

void qs_donors_late_end(struct qs_donors *donors)
{
    if (!--donors->late)
        g_ptr_array_set_size(donors->over, 0);
}

/* --- Demos ----------------------------------------------------------------------------------- */

static void add_blocks(struct qs_donor *donor, GPtrArray *demos, guint first,
                       struct qs_demo_input *recording, struct qs_decoder *decoder,
                       struct qs_session *session)
{
    const struct qs_demo_format *format = recording->reader.format;
    struct qs_demo_block block;

    while (qs_demo_input_next(recording, &block)) {
        const struct qs_packet packet = qs_demo_block_packet(&block);

        qs_decode_block(decoder, format->file->decode_block, session, NULL, &packet, block.offset);
        if (session->level != donor->level) {
            end_level(donor, demos, first);
            donor->level = session->level;
            donor->sign_on = qs_sign_on_new();
            qs_sign_on_keep_marks(donor->sign_on);
        }
        add_packet(donor, decoder);
    }
    end_level(donor, demos, first);
}

GPtrArray *qs_donor_demos_new(void)
{
    return g_ptr_array_new_with_free_func(donor_free);
}

bool qs_donor_demos_add(GPtrArray *demos, struct qs_demo_input *recording)
{
    const struct qs_demo_format *format = recording->reader.format;
    const struct qs_demo_format *to = format->donor_for ? format->donor_for : format;
    struct qs_donor donor = {.format = to, .name = recording->name};
    const guint before = demos->len;
    struct qs_session *session;
    struct qs_decoder decoder;

    if (!to->late_join)
        return false;
    session = g_malloc(format->protocol->session_size);
    format->protocol->session_init(session);
    qs_decoder_init(&decoder, format->protocol);
    decoder.want_entities = QS_ENTITIES_ALL;
    add_blocks(&donor, demos, before, recording, &decoder, session);
    qs_decoder_clear(&decoder);
    format->protocol->session_clear(session);
    g_free(session);
    return demos->len != before;
}
