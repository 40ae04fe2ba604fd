/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that a server sends to a client: the steps of a transfer that packets carry (struct
 * qs_transfer) become files again (struct qs_transfers).
 *
 * There are two ways. Blocks in order, each requested with the command "nextdl": a block has a
 * percentage, 100 is the last one's. Or chunks with offsets, in any order, after the server has
 * sent the file's name and size. Sources: common/quakeworld/PROTOCOL.md, section 5, and the
 * document of that name in common/quake2; DarkPlaces sv_main.c, SV_Download_f, sv_send.c,
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

/* For parse functions: adds the transfer that a client's console command is: "download NAME
 * [OFFSET]" and "nextdl". */
void qs_add_transfer_command(struct qs_decoder *d, struct qs_view command);

/* Maximum size of a file and of a deflated stream. */
#define QS_TRANSFER_FILE_MAX (UINT64_C(128) << 20)

struct qs_transferred {
    char *name;          /* as sent: any bytes except NUL; NULL: not known */
    GByteArray *content; /* from its beginning, or that of the capture, to the first hole */
    uint64_t total;      /* size of the file; 0: not known */
    bool complete;
    bool refused;
    const char *problem; /* why it is not complete; NULL while it may become so */
};

/*
 * Memory for the bytes of unfinished files, shared by any number of qs_transfers. A block that does
 * not fit is left out, and the file has a problem.
 */
struct qs_transfer_room {
    uint64_t held, max;
};

/* One conversation's transfers. A client gets one file at a time. */
struct qs_transfers;

struct qs_transfer_listener {
    /* The file has grown, or it is over: then it is freed after the call. */
    void (*changed)(const struct qs_transferred *file, bool over, void *user);
    void *user;
};

/* `room` must live longer. */
struct qs_transfers *qs_transfers_new(struct qs_transfer_room *room,
                                      struct qs_transfer_listener listener);

/* Adds the steps of packets, in the order of the capture. */
void qs_transfers_take(struct qs_transfers *transfers, const struct qs_transfer *transfer);

/* The file being transferred, if any, is over. */
void qs_transfers_free(struct qs_transfers *transfers);

#endif
