/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that a server sends to a client: assembles files (struct qs_transfers) from the steps of a
 * transfer that packets carry (struct qs_transfer).
 *
 * Servers use one of two methods: blocks in order, each requested with the command "nextdl" and
 * sent with a percentage, 100 for the last one; or chunks with offsets, in any order, after the
 * file's name and size. Sources: common/quakeworld/PROTOCOL.md, section 5, and
 * common/quake2/PROTOCOL.md, section 11; DarkPlaces sv_main.c, SV_Download_f, sv_send.c,
 * SV_SendClientDatagram, and cl_parse.c, CL_ParseDownload.
 *
 * Files are not part of a session: sessions are copied for each packet, files are assembled once.
 */
#ifndef QS_NETCHAN_TRANSFER_H
#define QS_NETCHAN_TRANSFER_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/core/findings.h"

/* For parse functions: adds the transfer of a client's console command, "download NAME [OFFSET]" or
 * "nextdl"; ignores other commands. */
void qs_add_transfer_command(struct qs_decoder *d, struct qs_view command);

/* Maximum size of a file and of a deflated stream (bytes). */
#define QS_TRANSFER_FILE_MAX (UINT64_C(128) << 20)

struct qs_transferred {
    char *name;          /* as sent: any bytes except NUL; NULL if unknown */
    GByteArray *content; /* from the beginning of the file, or of the capture, to the first hole */
    uint64_t total;      /* size of the file; 0 if unknown */
    bool complete;
    bool refused;
    const char *problem; /* why it is incomplete; NULL while it may become complete */
};

/*
 * Memory for the bytes of unfinished files, shared by any number of qs_transfers. A block that does
 * not fit is left out, and the file has a problem.
 */
struct qs_transfer_room {
    uint64_t held, max;
};

/* Transfers of one conversation. A client receives one file at a time. */
struct qs_transfers;

struct qs_transfer_listener {
    /* The file has grown, or it has ended (`over`): then it is freed after the call. */
    void (*changed)(const struct qs_transferred *file, bool over, void *user);
    void *user;
};

/* Creates the transfers of a conversation. `room` must outlive them. */
struct qs_transfers *qs_transfers_new(struct qs_transfer_room *room,
                                      struct qs_transfer_listener listener);

/* Adds a step of a transfer. Call it in the captured order. */
void qs_transfers_add(struct qs_transfers *transfers, const struct qs_transfer *transfer);

/* Ends the current file, if any, and frees the transfers. */
void qs_transfers_free(struct qs_transfers *transfers);

#endif
