/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What donors.c and late_join.c know of each other. */
#ifndef QS_SESSIONS_DONORS_H
#define QS_SESSIONS_DONORS_H

#include "common/sessions/late_join.h"
#include "common/sessions/packet_buffer.h"

/* Maximum number of donors of one kind that are tried, and remembered. */
enum { QS_DONOR_TRIES_MAX = 8 };

/*
 * A few forged packets look like a late session, and each try costs the work of hundreds of
 * packets: of all kinds together one donor is tried, and another for each so many packets.
 */
enum { QS_DONOR_TRY_EVERY = 8 };

/*
 * For the same reason copies of donors are shared. A copy is renewed once its donor has received so
 * many packets since; the number of copies is limited. Each may be as large as a session.
 */
enum { QS_DONOR_COPY_EVERY = 8, QS_DONOR_COPIES_MAX = 32 };

struct qs_donor {
    GPtrArray *live; /* the list for a running session that can be a donor; NULL: none */
    bool listed;     /* it is there */
    GPtrArray *over; /* the list for levels that are over */
    guint over_max;
    const struct qs_demo_format *format;
    struct qs_address server; /* of a demo: none */
    unsigned session;         /* 0: it is a demo */
    char *name;
    struct qs_sign_on *sign_on;
    uint32_t level;
    int64_t since, until; /* of the level, as far as captured */

    struct qs_donor *copy; /* a recent copy, shared by late sessions; or NULL */
    unsigned packets;      /* since then */
    unsigned references;   /* to a copy */
    unsigned *copies;      /* of a copy: counts them all; else NULL */
};

struct qs_donors {
    GPtrArray *live;  /* struct qs_donor, owned by their sessions: those that could lend once */
    GPtrArray *over;  /* struct qs_donor: levels that are over */
    GPtrArray *demos; /* struct qs_donor, of the caller; or NULL */
    unsigned copies;  /* of donors */
};

/* Lets go of a copy, or of a donor's own. */
void qs_donor_free(gpointer donor);

/* As the donor is, or was shortly before: to be freed. NULL: there are too many copies. */
struct qs_donor *qs_donor_copy(struct qs_donors *donors, struct qs_donor *donor);
bool qs_donor_is_complete(const struct qs_donor *donor);

/*
 * A server may have several addresses, and many servers share one: the address only tells who is
 * tried first.
 */
bool qs_donor_is_of_server(const struct qs_donor *donor, const struct qs_address *server);

struct qs_late_session {
    struct qs_donors *donors;
    const struct qs_demo_format *format;
    struct qs_session *session; /* before the first packet that was kept */
    struct qs_session *known;   /* at last; NULL: it goes on */
    const uint32_t *options;    /* of the decoder */
    struct qs_packet_buffer *spool;
    unsigned number;      /* of the session */
    unsigned packets;     /* in the spool */
    unsigned tries;       /* of donors, without demos */
    uint32_t level;       /* that lacks its beginning */
    int64_t since, until; /* it lasted, as far as it was seen */
    bool level_over;
    GPtrArray
        *remembered;      /* struct qs_donor: as they were when the session turned out to be late */
    unsigned from_server; /* packets since then, as far as they matter */
};

#endif
