/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Passwords that a packet carries: which field they are, and what they are for. */
#ifndef QS_CORE_SECRET_H
#define QS_CORE_SECRET_H

#include "common/core/reader.h"

/* Engines' names are shorter; UTF-8 has up to four bytes a character. */
enum { QS_SECRET_CHARACTERS = 31, QS_SECRET_USER_MAX = 4 * QS_SECRET_CHARACTERS + 1 };

struct qs_secret {
    unsigned row;                  /* the field that has it */
    const char *purpose;           /* "rcon" */
    char user[QS_SECRET_USER_MAX]; /* UTF-8; empty: none is told, or no engine's */
};

struct qs_decoder;

/*
 * For parse functions: the field `row` of the packet at hand has a password. `user`: raw Quake
 * text, or the empty view. Of one packet no more than QS_SECRETS_MAX are kept.
 */
void qs_add_secret(struct qs_decoder *d, unsigned row, const char *purpose, struct qs_view user);

/* The same for the user info with which a client connects; nothing where it has no password. */
void qs_add_userinfo_secret(struct qs_decoder *d, unsigned row, struct qs_view userinfo);

#endif
