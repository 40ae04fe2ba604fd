/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Captures of single sessions (session_captures.h) that were not finished. Their names end like
 * this: those that the user asked for, and those of sessions that began before the recording did.
 */
#ifndef PCAP2DEMO_UNFINISHED_CAPTURE_H
#define PCAP2DEMO_UNFINISHED_CAPTURE_H

#include "common/sessions/sessions.h"

#define UNFINISHED_CAPTURE "pcapng"
#define UNFINISHED_LATE "late.pcapng"

/*
 * Cuts the file behind its last whole block. False: there is no packet in it, and it is gone, or it
 * cannot be read or written; `*error` is a new text.
 */
bool unfinished_capture_cut(const char *path, uint64_t *size, uint64_t *packets, char **error);

/*
 * Gives `handler` the sessions of the capture at `path`; `stem` names demos of them. NULL, or what
 * is wrong as a new text.
 */
char *unfinished_capture_read(const char *path, const char *stem,
                              const struct qs_sessions_options *options,
                              struct qs_sessions_handler *handler);

#endif
