/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that a server sends to a client: the steps of a transfer that a packet carries (struct
 * qs_transfer, in decoder->transfers), and how these become files again (struct qs_transfers).
 *
 * The games have two ways. One piece after the other, each asked for with the command "nextdl": a
 * piece has a percentage, 100 is the last one's. Or chunks with offsets, in any order, after the
 * server has sent the file's name and size. Sources: common/quakeworld/PROTOCOL.md, section 5, and
 * the document of that name in common/quake2; DarkPlaces sv_main.c, SV_Download_f, sv_send.c,
 * SV_SendClientDatagram, and cl_parse.c, CL_ParseDownload.
 *
 * What was sent so far is not part of a session: sessions are copied for each packet, files are put
 * together once.
 */
#ifndef QS_NETCHAN_TRANSFER_H
#define QS_NETCHAN_TRANSFER_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/core/reader.h"

struct qs_decoder;

enum qs_transfer_event {
    QS_TRANSFER_REQUEST, /* the client asks for `name`, from byte `offset` on */
    QS_TRANSFER_NEXT,    /* the client asks for the next piece, or for a chunk */
    QS_TRANSFER_REFUSED, /* the server does not send the file; with `name` where the server names it
                          */
    QS_TRANSFER_BEGIN,   /* the server sends `name`, `total` bytes in chunks, packed or not */
    QS_TRANSFER_CHUNK,   /* `data` is at `offset`; what is past the file's end is padding */
    QS_TRANSFER_PIECE    /* `data` goes on where the last piece ended, with `percent` of the file */
};

enum qs_transfer_packing {
    QS_TRANSFER_PLAIN,
    QS_TRANSFER_DEFLATED, /* raw deflate, each piece on its own */
    QS_TRANSFER_STREAM    /* raw deflate, all pieces or chunks together */
};

struct qs_transfer {
    enum qs_transfer_event event;
    enum qs_transfer_packing packing;
    struct qs_view name; /* as it was sent; no data: none was */
    struct qs_view data;
    uint64_t offset, total;
    uint8_t percent;
};

/* --- For parse functions */

/*
 * Adds a copy to decoder->transfers, where these are wanted and the receiver takes the packet.
 * Nothing after an overrun.
 */
void qs_add_transfer(struct qs_decoder *d, const struct qs_transfer *transfer);

/* The same for a client's console command: "download NAME [OFFSET]" and "nextdl". */
void qs_add_transfer_command(struct qs_decoder *d, struct qs_view command);

/* Copies bytes into `pool`, as g_memdup2() does. */
typedef void *qs_memory_copy(void *pool, const void *bytes, size_t size);

/* A transfer whose bytes are copied. */
struct qs_transfer qs_transfer_copy(const struct qs_transfer *transfer, qs_memory_copy *copy,
                                    void *pool);

/* Frees what an element of decoder->transfers holds. */
void qs_transfer_clear(void *transfer);

/* --- Files */

/* No file, and no deflated stream, becomes larger. */
#define QS_TRANSFER_FILE_MAX (UINT64_C(128) << 20)

struct qs_transferred {
    char *name;          /* as it was sent: anything but a NUL; NULL: not known */
    GByteArray *content; /* from its beginning, or that of the capture, to the first hole */
    uint64_t total;      /* size of the file; 0: not known */
    bool complete;
    bool refused;
    const char *problem; /* why it is not complete; NULL while it may become so */
};

/*
 * Memory for the bytes of unfinished files, shared by any number of qs_transfers. Pieces that find
 * no room are left out, and the file has a problem.
 */
struct qs_transfer_room {
    uint64_t held, max;
};

/* One conversation's transfers. A client gets one file at a time. */
struct qs_transfers;

struct qs_transfer_listener {
    /* More of the file has come, or it is over: then it is freed next. */
    void (*changed)(const struct qs_transferred *file, bool over, void *user);
    void *user;
};

/* `room` must live longer. */
struct qs_transfers *qs_transfers_new(struct qs_transfer_room *room,
                                      struct qs_transfer_listener listener);

/* Takes the steps of packets, in the order of the capture. */
void qs_transfers_take(struct qs_transfers *transfers, const struct qs_transfer *transfer);

/* The file being transferred, if any, is over. */
void qs_transfers_free(struct qs_transfers *transfers);

#endif
