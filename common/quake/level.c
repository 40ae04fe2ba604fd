/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tracks the session's level, and whether the capture has its complete sign-on. If the capture
 * lacks a level's svc_serverinfo, svc_time, which starts again, shows the new level, and so do the
 * stages of the sign-on, which the client requests in order.
 */
#include "common/core/text.h"
#include "common/quake/decode.h"

enum {
    DOUBT_PACKETS = 4, /* number of unreliable messages after which late packets have arrived */
    CHANGE_MIN = 2     /* fragments in the shortest level change: "reconnect" and svc_serverinfo */
};

/* Minimum time of a reconnect, which restarts the numbers (ns). */
#define RECONNECT_MIN INT64_C(1000000000)

/* Begins a level whose svc_serverinfo was not captured. The protocol stays the same. */
static void begin_unseen(struct nq_session *session, struct qs_sign_on_loss loss)
{
    const struct fte_session ext = session->ext;

    nq_session_begin_level(session);
    session->ext.fte = ext.fte;
    session->ext.fte2 = ext.fte2;
    qs_level_lose(&session->base, loss.packet, loss.before, false);
}

void nq_level_lose(struct qs_decoder *d, bool before, bool playable)
{
    struct nq_session *session = nq_session_of(d);
    const struct qs_sign_on_loss loss = {.packet = d->packet->number, .before = before};

    if (session->has_donor)
        return;
    if (session->base.level_state == QS_LEVEL_SIGNING_ON)
        qs_level_lose(&session->base, loss.packet, loss.before, playable && session->signon);
    else if (before && session->base.level)
        begin_unseen(session, loss);
    else
        session->doubt = (struct nq_doubt){loss, session->base.level, 1, 0};
}

static void confirm_doubt(struct nq_session *session)
{
    const struct nq_doubt doubt = session->doubt;

    if (!doubt.loss.packet)
        return;
    session->doubt.loss.packet = 0;
    if (doubt.level == session->base.level)
        begin_unseen(session, doubt.loss);
    else if (!session->has_donor)
        qs_level_lose(&session->base, doubt.loss.packet, doubt.loss.before, false);
}

void nq_level_miss(struct qs_decoder *d, uint32_t missing)
{
    struct nq_session *session = nq_session_of(d);
    const struct nq_doubt *doubt = &session->doubt;
    const int64_t silence = d->packet->time - session->to_client.fragments.time;
    const bool playable = missing < CHANGE_MIN && silence < RECONNECT_MIN && session->signon;

    if (playable && doubt->level < session->base.level && doubt->stage < SIGNON_DONE)
        session->doubt.loss.packet = 0; /* the missing packets came before the command */
    confirm_doubt(session);
    if (session->signon < SIGNON_DONE)
        nq_level_lose(d, true, playable);
}

void nq_level_clear_doubt(struct nq_session *session, bool reliable)
{
    struct nq_doubt *doubt = &session->doubt;

    if (!doubt->loss.packet)
        return;
    if (session->base.level > doubt->level && session->signon >= doubt->stage)
        doubt->loss.packet = 0;
    else if (reliable || ++doubt->waited >= DOUBT_PACKETS)
        confirm_doubt(session);
}

void nq_level_command(struct qs_decoder *d, struct qs_view command)
{
    static const char *const commands[] = {"prespawn", "spawn", "begin"};
    struct nq_session *session = nq_session_of(d);
    const bool done = session->signon >= SIGNON_DONE;
    const bool is_playable = session->base.lost.playable; /* earlier stages may be missing */

    if (!session->base.level || session->has_donor || session->undecodable ||
        session->doubt.loss.packet)
        return;
    for (uint8_t stage = 1; stage <= G_N_ELEMENTS(commands); stage++)
        if (qs_view_begins(command, commands[stage - 1]) &&
            ((session->signon < stage && !(is_playable && stage < SIGNON_DONE)) ||
             (done && stage == 1)))
            session->doubt = (struct nq_doubt){{.packet = d->packet->number, .before = true},
                                               done ? session->base.level : session->base.level - 1,
                                               stage,
                                               0};
}

void nq_level_stufftext(struct qs_decoder *d, struct qs_view text)
{
    if (qs_view_begins(text, "reconnect"))
        qs_level_end(d->session, d->packet->number);
}

/* Follows the stages of the sign-on, which are consecutive. Clients stop at a repeated stage. */
void nq_level_stage(struct qs_decoder *d, uint8_t stage)
{
    struct nq_session *session = nq_session_of(d);

    if (stage != session->signon + 1)
        nq_level_lose(d, true, stage > session->signon);
    session->signon = stage;
    if (stage >= SIGNON_DONE)
        qs_level_play(&session->base, 0);
}

/* True if unreliable messages are missing before the packet. */
static bool is_behind_gap(const struct qs_decoder *d)
{
    const struct qs_skipped *gap = &d->session->to_client.last_gap;

    return gap->until > gap->from && gap->until == d->found.sequence &&
           !nq_session_of(d)->delivered.reliable;
}

/*
 * True if the clock shows that another level is being played. It starts again at about 1 and keeps
 * to real time. So the clock of a level that began since the last packet shows at most the time
 * since then, and is behind the former level's clock by more than the jitter.
 */
static bool is_of_another_level(const struct qs_decoder *d, float time)
{
    /* SV_SpawnServer sets 1 and runs two frames of 0.1 s. Packets are up to `jitter` s late. */
    static const double start = 1.5, jitter = 1;
    const double level_time = (double)nq_session_of(d)->level_time;
    const double seconds =
        ((double)d->packet->time - (double)nq_session_of(d)->level_time_read) / 1e9;

    if (d->session->level_state != QS_LEVEL_PLAYING)
        return false;
    return (double)time < level_time || (is_behind_gap(d) && (double)time <= start + seconds &&
                                         (double)time < level_time + seconds - jitter);
}

void nq_level_time(struct qs_decoder *d, float time)
{
    struct nq_session *session = nq_session_of(d);

    if (session->base.to_client.started &&
        (qs_level_is_over(d->session, d->packet->number) || is_of_another_level(d, time)))
        begin_unseen(session,
                     (struct qs_sign_on_loss){.packet = d->packet->number, .before = true});
    /* Servers send the time unreliably to players only, after the complete sign-on. */
    if (d->session->level_state == QS_LEVEL_SIGNING_ON && session->base.to_client.started &&
        !session->delivered.reliable && !session->has_donor && !session->doubt.loss.packet)
        session->doubt = (struct nq_doubt){
            {.packet = d->packet->number, .before = true}, session->base.level - 1, SIGNON_DONE, 0};
    if (is_behind_gap(d) && time > session->level_time) {
        session->gap_from = session->level_time;
        session->gap_until = time;
    }
    session->level_time = time;
    session->level_time_read = d->packet->time;
}
