/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/netchan/links.h"

#include <string.h>
#include <zlib.h>

#include "common/core/decoder.h"
#include "common/core/text.h"

enum {
    RAW_DEFLATE = -15, /* zlib's window bits: no header */
    INFLATE_STEP = 16 * 1024,
    DEFLATED_PIECE_MAX = 0xffff, /* R1Q2 states the inflated size in 16 bits */
    WAITING_COST = 64,           /* minimum overhead of a waiting chunk (bytes) */
    PERCENT_EXACT = 0x1000000,   /* servers' percentages of larger files overflow */
    NAME_MAX_BYTES = 1024        /* maximum length of a name; longer ones are cut */
};

/* --- Commands -------------------------------------------------------------------------------- */

/* Returns the next word as a number; 0 if it is none. */
static uint64_t next_number(struct qs_view line, uint32_t *pos)
{
    struct qs_token word;
    uint64_t number = 0;

    if (!qs_token_next(line, pos, &word))
        return 0;
    for (uint32_t i = 0; i < word.text.size && g_ascii_isdigit(word.text.data[i]); i++)
        number = MIN(number * 10 + (uint64_t)(word.text.data[i] - '0'), UINT32_MAX);
    return number;
}

static void report_request(struct qs_decoder *d, struct qs_view command, uint32_t pos)
{
    struct qs_transfer request = {.event = QS_TRANSFER_REQUEST};
    struct qs_token name;

    if (!qs_token_next(command, &pos, &name))
        return;
    request.name = name.text;
    request.offset = next_number(command, &pos);
    qs_add_transfer(d, &request);
}

void qs_add_transfer_command(struct qs_decoder *d, struct qs_view command)
{
    struct qs_token word;
    uint32_t pos = 0;

    if (!d->want_transfers || !qs_token_next(command, &pos, &word))
        return;
    if (qs_view_equal(word.text, "download"))
        report_request(d, command, pos);
    else if (qs_view_equal(word.text, "nextdl"))
        qs_add_transfer(d, &(struct qs_transfer){.event = QS_TRANSFER_NEXT});
}

/* --- Files ----------------------------------------------------------------------------------- */

/* Percentage at the end of a piece. */
struct percentage {
    uint32_t end;
    uint8_t percent;
};

struct incoming_file {
    struct qs_transferred about; /* must be the first member */
    bool chunked;
    bool started;        /* the server has answered */
    bool packed;         /* its chunks are one deflated stream */
    uint64_t held;       /* bytes of qs_transfer_quota in use */
    uint32_t earlier;    /* highest number of a transfer before this file */
    uint64_t total;      /* size of all chunks, as sent */
    uint64_t sent;       /* bytes before the first hole; for pieces, as percentages count them */
    GArray *percentages; /* struct percentage */
    GHashTable *waiting; /* chunks behind a hole: offset -> GBytes */
    z_stream *stream;    /* if the file is one deflated stream */
    bool stream_ended;
    GBytes *last; /* last piece, until the next one is requested; or NULL */
    uint8_t last_percent;
};

struct qs_transfers {
    struct qs_transfer_quota *quota;
    struct qs_transfer_listener listener;
    struct incoming_file *file; /* the current file, or NULL */
    struct incoming_file *next; /* requested while chunks of `file` still come; or NULL */
    uint32_t newest;            /* highest number of a transfer so far */
};

static struct incoming_file *file_new(struct qs_view name)
{
    struct incoming_file *file = g_new0(struct incoming_file, 1);

    if (name.data)
        file->about.name = g_strndup((const char *)name.data, MIN(name.size, NAME_MAX_BYTES));
    file->about.content = g_byte_array_new();
    file->percentages = g_array_new(FALSE, FALSE, sizeof(struct percentage));
    file->waiting =
        g_hash_table_new_full(qs_direct_hash, NULL, NULL, (GDestroyNotify)g_bytes_unref);
    return file;
}

static void forget_last(struct incoming_file *file)
{
    g_clear_pointer(&file->last, g_bytes_unref);
}

static void file_free(struct incoming_file *file)
{
    if (file->stream) {
        inflateEnd(file->stream);
        g_free(file->stream);
    }
    forget_last(file);
    g_hash_table_destroy(file->waiting);
    g_array_free(file->percentages, TRUE);
    g_byte_array_free(file->about.content, TRUE);
    g_free(file->about.name);
    g_free(file);
}

static void set_problem(struct incoming_file *file, const char *problem)
{
    if (!file->about.problem)
        file->about.problem = problem;
}

/* Reserves `size` bytes for the file. False if it is too large. */
static bool reserve_quota(struct qs_transfers *transfers, struct incoming_file *file, uint64_t size)
{
    struct qs_transfer_quota *quota = transfers->quota;

    if (size > QS_TRANSFER_FILE_MAX - MIN(file->held, QS_TRANSFER_FILE_MAX) ||
        quota->used > quota->max || size > quota->max - quota->used) {
        set_problem(file, "it is too large");
        return false;
    }
    quota->used += size;
    file->held += size;
    return true;
}

static void report(const struct qs_transfers *transfers, bool over)
{
    transfers->listener.changed(&transfers->file->about, over, transfers->listener.user);
}

/* Ends the current file. Reports it only if its request was answered. */
static void end_file(struct qs_transfers *transfers)
{
    struct incoming_file *file = transfers->file;

    if (!file)
        return;
    if (!file->about.complete && !file->about.refused)
        set_problem(file, "its end was not captured");
    if (file->started)
        report(transfers, true);
    transfers->quota->used -= file->held;
    transfers->file = transfers->next;
    transfers->next = NULL;
    file_free(file);
}

/* Ends the current file if a later request is answered now. */
static void end_before_answer(struct qs_transfers *transfers)
{
    if (transfers->next)
        end_file(transfers);
}

/* --- Content --------------------------------------------------------------------------------- */

static void append(struct qs_transfers *transfers, struct incoming_file *file, struct qs_view data)
{
    if (!file->about.problem && reserve_quota(transfers, file, data.size))
        g_byte_array_append(file->about.content, data.data, data.size);
}

/* Appends what `stream` inflates from its input, at most `max` bytes and a step. Returns zlib's
 * last status. */
static int inflate_input(struct qs_transfers *transfers, struct incoming_file *file,
                         z_stream *stream, uint64_t max)
{
    uint8_t out[INFLATE_STEP];
    int status;

    do {
        stream->next_out = out;
        stream->avail_out = sizeof out;
        status = inflate(stream, Z_SYNC_FLUSH);
        append(transfers, file, (struct qs_view){out, (uint32_t)sizeof out - stream->avail_out});
    } while (status == Z_OK && !stream->avail_out && !file->about.problem &&
             stream->total_out <= max);
    return status;
}

static void append_deflated(struct qs_transfers *transfers, struct incoming_file *file,
                            struct qs_view data)
{
    z_stream stream = {.next_in = (uint8_t *)data.data, .avail_in = data.size};

    if (inflateInit2(&stream, RAW_DEFLATE) != Z_OK)
        return;
    if (inflate_input(transfers, file, &stream, DEFLATED_PIECE_MAX) != Z_STREAM_END)
        set_problem(file, "its compressed data are damaged");
    inflateEnd(&stream);
}

static void append_stream(struct qs_transfers *transfers, struct incoming_file *file,
                          struct qs_view data)
{
    int status;

    if (!file->stream) {
        file->stream = g_new0(z_stream, 1);
        if (inflateInit2(file->stream, RAW_DEFLATE) != Z_OK) {
            g_clear_pointer(&file->stream, g_free);
            set_problem(file, "zlib cannot be used");
            return;
        }
    }
    file->stream->next_in = (uint8_t *)data.data;
    file->stream->avail_in = data.size;
    status = inflate_input(transfers, file, file->stream, UINT64_MAX);
    file->stream_ended = status == Z_STREAM_END;
    if (status != Z_STREAM_END && status != Z_OK && status != Z_BUF_ERROR)
        set_problem(file, "its compressed data are damaged");
}

/* --- Pieces ---------------------------------------------------------------------------------- */

/*
 * True if the piece is the last one again: a server repeats it, with a new packet number, until the
 * client has it. The client has requested nothing since then.
 */
static bool is_repeated(const struct incoming_file *file, const struct qs_transfer *piece)
{
    gsize size;
    const void *data;

    if (!file->last || file->last_percent != piece->percent)
        return false;
    data = g_bytes_get_data(file->last, &size);
    return size == piece->data.size && (!size || memcmp(data, piece->data.data, size) == 0);
}

static void append_piece(struct qs_transfers *transfers, struct incoming_file *file,
                         const struct qs_transfer *piece)
{
    const guint before = file->about.content->len;

    if (file->about.problem)
        return;
    if (piece->packing == QS_TRANSFER_STREAM)
        append_stream(transfers, file, piece->data);
    else if (file->stream)
        set_problem(file, "its compressed data are damaged");
    else if (piece->packing == QS_TRANSFER_DEFLATED)
        append_deflated(transfers, file, piece->data);
    else
        append(transfers, file, piece->data);
    /* Percentages count the bytes sent if the file is a deflated stream, otherwise its content. */
    file->sent += file->stream ? piece->data.size : (uint32_t)(file->about.content->len - before);
}

/* True if all percentages, which are rounded down, fit the file. A missing piece changes them
 * all. */
static bool percentages_fit(const struct incoming_file *file)
{
    if (file->sent > PERCENT_EXACT)
        return true;
    for (guint i = 0; i < file->percentages->len; i++) {
        const struct percentage *percentage =
            &g_array_index(file->percentages, struct percentage, i);

        if (file->sent && percentage->end * UINT64_C(100) / file->sent != percentage->percent)
            return false;
    }
    return true;
}

/* Ends the file after its last piece or chunk. */
static void finish(struct qs_transfers *transfers, struct incoming_file *file)
{
    if (file->stream && !file->stream_ended)
        set_problem(file, "its compressed data are damaged");
    else if (!percentages_fit(file))
        set_problem(file, "pieces of it were not captured");
    file->about.complete = !file->about.problem;
    if (file->about.complete)
        file->about.total = file->about.content->len;
    end_file(transfers);
}

static void add_piece(struct qs_transfers *transfers, const struct qs_transfer *piece)
{
    struct incoming_file *file;
    struct percentage percentage;

    /* The last piece was sent again. */
    if (!transfers->file && piece->percent == 100)
        return;
    end_before_answer(transfers);
    /* If its request was not captured, the file has no name, and may lack its beginning: then the
     * percentages do not fit. */
    if (!transfers->file)
        transfers->file = file_new((struct qs_view){0});
    file = transfers->file;
    file->started = true;
    if (is_repeated(file, piece))
        return;
    forget_last(file);
    file->last = g_bytes_new(piece->data.data, piece->data.size);
    file->last_percent = piece->percent;
    append_piece(transfers, file, piece);
    percentage = (struct percentage){(uint32_t)file->sent, piece->percent};
    if (!file->about.problem && reserve_quota(transfers, file, sizeof percentage))
        g_array_append_val(file->percentages, percentage);
    if (piece->percent == 100)
        finish(transfers, file);
    else
        report(transfers, false);
}

/* --- Chunks ---------------------------------------------------------------------------------- */

/* Keeps a chunk that comes behind a hole. */
static void keep_waiting(struct qs_transfers *transfers, struct incoming_file *file,
                         const struct qs_transfer *chunk)
{
    gpointer key = GSIZE_TO_POINTER((gsize)chunk->offset);

    if (g_hash_table_contains(file->waiting, key))
        return;
    if (reserve_quota(transfers, file, chunk->data.size + (uint64_t)WAITING_COST))
        g_hash_table_insert(file->waiting, key, g_bytes_new(chunk->data.data, chunk->data.size));
}

/* Appends a chunk that begins at the hole, without its padding. */
static void append_chunk(struct qs_transfers *transfers, struct incoming_file *file,
                         struct qs_view data)
{
    data.size = (uint32_t)MIN(data.size, file->total - file->sent);
    if (file->packed)
        append_stream(transfers, file, data);
    else
        append(transfers, file, data);
    file->sent += data.size;
}

/* Appends the kept chunks up to the next hole. */
static void append_waiting(struct qs_transfers *transfers, struct incoming_file *file)
{
    for (;;) {
        gpointer key = GSIZE_TO_POINTER((gsize)file->sent);
        GBytes *bytes = g_hash_table_lookup(file->waiting, key);
        gsize size;
        const uint8_t *data;

        if (!bytes || file->about.problem)
            return;
        data = g_bytes_get_data(bytes, &size);
        append_chunk(transfers, file, (struct qs_view){data, (uint32_t)size});
        g_hash_table_remove(file->waiting, key);
        file->held -= size + WAITING_COST;
        transfers->quota->used -= size + WAITING_COST;
    }
}

static void add_chunk(struct qs_transfers *transfers, const struct qs_transfer *chunk)
{
    struct incoming_file *file = transfers->file;
    uint64_t known; /* bytes that the file has: servers that go back divide differently */

    /* Ignores chunks that come again after the file was complete, and those of another file. */
    if (!file || !file->chunked || chunk->offset >= file->total || !chunk->data.size ||
        (chunk->number && chunk->number <= file->earlier))
        return;
    transfers->newest = MAX(transfers->newest, chunk->number);
    file->started = true;
    known = file->sent - MIN(chunk->offset, file->sent);
    if (chunk->offset > file->sent)
        keep_waiting(transfers, file, chunk);
    else if (known < chunk->data.size)
        append_chunk(
            transfers, file,
            (struct qs_view){chunk->data.data + known, (uint32_t)(chunk->data.size - known)});
    append_waiting(transfers, file);
    if (file->sent == file->total)
        finish(transfers, file);
    else
        report(transfers, false);
}

/* --- Conversations --------------------------------------------------------------------------- */

static bool is_named(const struct incoming_file *file, struct qs_view name)
{
    return file && file->about.name && qs_view_equal(name, file->about.name);
}

static struct incoming_file *file_of_request(const struct qs_transfer *request)
{
    struct incoming_file *file = file_new(request->name);

    if (request->offset)
        set_problem(file, "the client had its beginning already");
    return file;
}

/* Begins a file, unless the same request was sent before and is not answered yet. */
static void begin_request(struct qs_transfers *transfers, const struct qs_transfer *request)
{
    struct incoming_file *file = transfers->file;

    if (is_named(file, request->name) && !file->started)
        return;
    if (file && file->chunked) {
        /* Chunks of the file before are in transit until the server begins the new one. */
        g_clear_pointer(&transfers->next, file_free);
        transfers->next = file_of_request(request);
        return;
    }
    end_file(transfers);
    transfers->file = file_of_request(request);
}

static void begin_file(struct qs_transfers *transfers, const struct qs_transfer *begin)
{
    struct incoming_file *file = transfers->file;

    /* The server begins the same file again, as the client asked: the bytes are the same. */
    if (is_named(file, begin->name) && file->chunked && file->total == begin->total) {
        g_clear_pointer(&transfers->next, file_free);
        return;
    }
    end_before_answer(transfers);
    end_file(transfers);
    transfers->file = file = file_new(begin->name);
    file->chunked = true;
    file->started = true;
    file->earlier = transfers->newest;
    file->packed = begin->packing == QS_TRANSFER_STREAM;
    file->total = begin->total;
    file->about.total = file->packed ? 0 : begin->total;
    if (begin->total > QS_TRANSFER_FILE_MAX)
        set_problem(file, "it is too large");
    file->about.complete = begin->total == 0;
    if (begin->total == 0)
        end_file(transfers);
}

static void end_refused(struct qs_transfers *transfers, const struct qs_transfer *refusal)
{
    end_before_answer(transfers);
    if (!transfers->file && !refusal->name.data)
        return;
    if (!transfers->file)
        transfers->file = file_new(refusal->name);
    transfers->file->about.refused = !transfers->file->started;
    transfers->file->started = true;
    end_file(transfers);
}

void qs_transfers_add(struct qs_transfers *transfers, const struct qs_transfer *transfer)
{
    switch (transfer->event) {
    case QS_TRANSFER_REQUEST:
        begin_request(transfers, transfer);
        break;
    case QS_TRANSFER_NEXT:
        if (transfers->file)
            forget_last(transfers->file);
        break;
    case QS_TRANSFER_REFUSED:
        end_refused(transfers, transfer);
        break;
    case QS_TRANSFER_BEGIN:
        begin_file(transfers, transfer);
        break;
    case QS_TRANSFER_CHUNK:
        add_chunk(transfers, transfer);
        break;
    case QS_TRANSFER_PIECE:
        add_piece(transfers, transfer);
        break;
    }
}

struct qs_transfers *qs_transfers_new(struct qs_transfer_quota *quota,
                                      struct qs_transfer_listener listener)
{
    struct qs_transfers *transfers = g_new0(struct qs_transfers, 1);

    transfers->quota = quota;
    transfers->listener = listener;
    return transfers;
}

void qs_transfers_free(struct qs_transfers *transfers)
{
    end_before_answer(transfers);
    end_file(transfers);
    g_free(transfers);
}
