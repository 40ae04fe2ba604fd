/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/quake2/decode.h"

/* A protocol as it may be spoken, the likeliest first. Minor versions are those of today. */
struct guess {
    int32_t version; /* 0: any up to 34, which differ in nothing that a packet shows */
    uint32_t minor;
    enum q2_qport_width qport_width;
    bool new_netchan;
    uint16_t flags; /* of svc_serverdata */
};

static const struct guess guesses[] = {
    {0, 0, Q2_QPORT_UNKNOWN, false, 0},
    {Q2_PROTOCOL_Q2PRO, 1026, Q2_QPORT_BYTE, true, 0},
    {Q2_PROTOCOL_R1Q2, 1905, Q2_QPORT_BYTE, false, 0},
    {Q2_PROTOCOL_Q2PRO, 1026, Q2_QPORT_BYTE, false, 0},
    {Q2_PROTOCOL_Q2PRO, 1026, Q2_QPORT_NONE, true, 0},
    {Q2_PROTOCOL_R1Q2, 1905, Q2_QPORT_NONE, false, 0},
    {Q2_PROTOCOL_Q2PRO, 1026, Q2_QPORT_NONE, false, 0},
    {Q2_PROTOCOL_AQTION, 3015, Q2_QPORT_BYTE, true, 0},
    {Q2_PROTOCOL_AQTION, 3015, Q2_QPORT_NONE, true, 0},
    /* Before 1905 solids had 16 bits, before 1904 moves other forms: PROTOCOL.md, section 6. */
    {Q2_PROTOCOL_R1Q2, 1904, Q2_QPORT_BYTE, false, 0},
    {Q2_PROTOCOL_R1Q2, 1903, Q2_QPORT_BYTE, false, 0},
    {Q2_PROTOCOL_Q2PRO, 1026, Q2_QPORT_BYTE, true, PF_EXTENSIONS | PF_EXTENSIONS_2},
    {Q2_PROTOCOL_Q2PRO, 1026, Q2_QPORT_BYTE, true, PF_EXTENSIONS},
};

static void apply(struct q2_session *session, const struct guess *guess)
{
    /* svc_serverdata has Q2PRO's minor version, but R1Q2's highest one. */
    if (!session->base.level || guess->version == Q2_PROTOCOL_R1Q2)
        session->minor = guess->minor;
    if (!session->base.level)
        session->protocol_flags = guess->flags;
    session->qport_width = guess->qport_width;
    session->new_netchan = guess->new_netchan;
    session->guessed = true;
    q2_session_set_version(session, guess->version);
}

/* Once a level has begun, its version is known. */
static bool is_possible(const struct q2_session *session, const struct guess *guess)
{
    return !session->base.level || session->base.version == guess->version;
}

static bool is_readable(struct qs_decoder *d, const struct q2_session *session,
                        enum qs_direction direction, void (*decode)(struct qs_decoder *))
{
    const enum qs_direction given = d->direction;
    bool readable;

    d->direction = direction;
    readable = qs_is_readable(d, &session->base, decode);
    d->direction = given;
    return readable;
}

/* In which directions a packet can be read. */
enum fit { FITS_NONE, FITS_ONE, FITS_BOTH };

/* `direction`: the one in which the packet can be read in `session`. */
static enum fit find_direction(struct qs_decoder *d, const struct q2_session *session,
                               enum qs_direction *direction, void (*decode)(struct qs_decoder *))
{
    bool as_client, as_server;

    *direction = d->direction;
    if (d->direction != QS_DIRECTION_UNKNOWN)
        return is_readable(d, session, d->direction, decode) ? FITS_ONE : FITS_NONE;
    as_client = is_readable(d, session, QS_C2S, decode);
    as_server = is_readable(d, session, QS_S2C, decode);
    *direction = as_client ? QS_C2S : QS_S2C;
    if (as_client && as_server)
        return FITS_BOTH;
    return as_client || as_server ? FITS_ONE : FITS_NONE;
}

static enum fit try_guess(struct qs_decoder *d, const struct guess *guess,
                          void (*decode)(struct qs_decoder *))
{
    struct q2_session *session = q2_session_of(d->session);
    struct q2_session trial;
    enum qs_direction direction;
    enum fit fit;

    q2_session_copy(&trial.base, &session->base);
    apply(&trial, guess);
    fit = find_direction(d, &trial, &direction, decode);
    q2_session_clear(&trial.base);
    if (fit != FITS_ONE)
        return fit;
    apply(session, guess);
    qs_learn_direction(d, direction);
    return fit;
}

static bool is_known(const struct q2_session *session)
{
    return !session->guessed && (session->base.version || session->wanted.version);
}

void q2_guess(struct qs_decoder *d, void (*decode)(struct qs_decoder *))
{
    const struct q2_session *session = q2_session_of(d->session);
    enum qs_direction direction;

    if (is_known(session) || qs_packet_is_cut(d->packet))
        return;
    /* A guess holds as long as packets can be read with it. */
    if (find_direction(d, session, &direction, decode) == FITS_ONE) {
        qs_learn_direction(d, direction);
        return;
    }
    /* What a likely guess reads in both directions, no less likely one is to decide. */
    for (unsigned i = 0; i < G_N_ELEMENTS(guesses); i++)
        if (is_possible(session, &guesses[i]) && try_guess(d, &guesses[i], decode) != FITS_NONE)
            return;
}
