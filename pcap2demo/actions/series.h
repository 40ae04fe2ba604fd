/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The quality of a session's path over time, in bins of equal length. If the session outgrows the
 * bins, pairs of them become one.
 */
#ifndef PCAP2DEMO_SERIES_H
#define PCAP2DEMO_SERIES_H

#include <jansson.h>

#include "common/sessions/session.h"

struct series;

struct series *series_new(void);
/* NULL: nothing. */
void series_free(struct series *series);

/* Adds the session's last packet. */
void series_add(struct series *series, const struct qs_client_session *session, int64_t time);

/* The figures of the bins. New. */
json_t *series_json(const struct series *series, const struct qs_client_session *session);

#endif
