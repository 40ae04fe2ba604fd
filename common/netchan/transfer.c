/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/netchan/transfer.h"

#include <string.h>
#include <zlib.h>

#include "common/core/decoder.h"
#include "common/core/text.h"

enum {
    RAW_DEFLATE = -15, /* zlib's window bits: no header */
    INFLATE_STEP = 16 * 1024,
    DEFLATED_PIECE_MAX = 0xffff, /* R1Q2 states its size in 16 bits */
    WAITING_COST = 64,           /* bytes that a waiting chunk takes beside its own, at least */
    PERCENT_EXACT = 0x1000000,   /* sizes beyond which servers' percentages overflow */
    NAME_MAX_BYTES = 1024        /* a longer name is cut */
};

/* --- Commands */

/* The number that the next word is; 0 where it is none. */
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

/* --- A file */

/* What a piece's percentage was, at its end. */
struct mark {
    uint32_t end;
    uint8_t percent;
};

struct file {
    struct qs_transferred about; /* first */
    bool chunked;
    bool started;        /* something of it has come */
    bool packed;         /* its chunks are one deflated stream */
    uint64_t held;       /* of the room */
    uint64_t total;      /* of chunks, as they are sent */
    uint64_t sent;       /* bytes without a hole; of pieces, as percentages count them */
    GArray *marks;       /* struct mark */
    GHashTable *waiting; /* chunks behind a hole: offset -> GBytes */
    z_stream *stream;    /* of a file that is one deflated stream */
    bool stream_ended;
    GBytes *last; /* the last piece, unless the next one was asked for since */
    uint8_t last_percent;
};

struct qs_transfers {
    struct qs_transfer_room *room;
    struct qs_transfer_listener listener;
    struct file *file; /* or NULL */
    struct file *next; /* asked for while chunks of `file` still come; or NULL */
};

static struct file *file_new(struct qs_view name)
{
    struct file *file = g_new0(struct file, 1);

    if (name.data)
        file->about.name = g_strndup((const char *)name.data, MIN(name.size, NAME_MAX_BYTES));
    file->about.content = g_byte_array_new();
    file->marks = g_array_new(FALSE, FALSE, sizeof(struct mark));
    file->waiting =
        g_hash_table_new_full(qs_direct_hash, NULL, NULL, (GDestroyNotify)g_bytes_unref);
    return file;
}

static void forget_last(struct file *file)
{
    g_clear_pointer(&file->last, g_bytes_unref);
}

static void file_free(struct file *file)
{
    if (file->stream) {
        inflateEnd(file->stream);
        g_free(file->stream);
    }
    forget_last(file);
    g_hash_table_destroy(file->waiting);
    g_array_free(file->marks, TRUE);
    g_byte_array_free(file->about.content, TRUE);
    g_free(file->about.name);
    g_free(file);
}

static void set_problem(struct file *file, const char *problem)
{
    if (!file->about.problem)
        file->about.problem = problem;
}

/* Whether the file may grow by `size` bytes. */
static bool reserve_room(struct qs_transfers *transfers, struct file *file, uint64_t size)
{
    struct qs_transfer_room *room = transfers->room;

    if (size > QS_TRANSFER_FILE_MAX - MIN(file->held, QS_TRANSFER_FILE_MAX) ||
        room->held > room->max || size > room->max - room->held) {
        set_problem(file, "it is too large");
        return false;
    }
    room->held += size;
    file->held += size;
    return true;
}

static void report(const struct qs_transfers *transfers, bool over)
{
    transfers->listener.changed(&transfers->file->about, over, transfers->listener.user);
}

/* The current file ends. A request that was never answered is no file. */
static void end_file(struct qs_transfers *transfers)
{
    struct file *file = transfers->file;

    if (!file)
        return;
    if (!file->about.complete && !file->about.refused)
        set_problem(file, "its end was not captured");
    if (file->started)
        report(transfers, true);
    transfers->room->held -= file->held;
    transfers->file = transfers->next;
    transfers->next = NULL;
    file_free(file);
}

/* The answer to the last request comes: what was sent before it is over. */
static void end_before_answer(struct qs_transfers *transfers)
{
    if (transfers->next)
        end_file(transfers);
}

/* The file that data are of. Without a request it has no name, and may lack its beginning: then the
 * percentages do not fit. */
static struct file *current_file(struct qs_transfers *transfers)
{
    if (!transfers->file)
        transfers->file = file_new((struct qs_view){0});
    transfers->file->started = true;
    return transfers->file;
}

/* --- Bytes */

static void append(struct qs_transfers *transfers, struct file *file, struct qs_view data)
{
    if (!file->about.problem && reserve_room(transfers, file, data.size))
        g_byte_array_append(file->about.content, data.data, data.size);
}

/* What `stream` makes of its input, up to `max` bytes and a step. Returns zlib's last status. */
static int inflate_input(struct qs_transfers *transfers, struct file *file, z_stream *stream,
                         uint64_t max)
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

static void append_deflated(struct qs_transfers *transfers, struct file *file, struct qs_view data)
{
    z_stream stream = {.next_in = (uint8_t *)data.data, .avail_in = data.size};

    if (inflateInit2(&stream, RAW_DEFLATE) != Z_OK)
        return;
    if (inflate_input(transfers, file, &stream, DEFLATED_PIECE_MAX) != Z_STREAM_END)
        set_problem(file, "its compressed data are damaged");
    inflateEnd(&stream);
}

static void append_stream(struct qs_transfers *transfers, struct file *file, struct qs_view data)
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

/* --- Pieces */

/*
 * A server sends a piece again, in a packet with a new number, until the client has it. Where both
 * were captured, nothing was asked for in between.
 */
static bool is_repeated(const struct file *file, const struct qs_transfer *piece)
{
    gsize size;
    const void *data;

    if (!file->last || file->last_percent != piece->percent)
        return false;
    data = g_bytes_get_data(file->last, &size);
    return size == piece->data.size && (!size || memcmp(data, piece->data.data, size) == 0);
}

static void append_piece(struct qs_transfers *transfers, struct file *file,
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
    /* Of a deflated stream the percentages count what is sent, else what the file has. */
    file->sent += file->stream ? piece->data.size : (uint32_t)(file->about.content->len - before);
}

static void mark_piece(struct qs_transfers *transfers, struct file *file, uint8_t percent)
{
    const struct mark mark = {(uint32_t)file->sent, percent};

    if (!file->about.problem && reserve_room(transfers, file, sizeof mark))
        g_array_append_val(file->marks, mark);
}

/* Servers round down. A piece that the capture lacks moves all percentages. */
static bool percentages_fit(const struct file *file)
{
    if (file->sent > PERCENT_EXACT)
        return true;
    for (guint i = 0; i < file->marks->len; i++) {
        const struct mark *mark = &g_array_index(file->marks, struct mark, i);

        if (file->sent && mark->end * UINT64_C(100) / file->sent != mark->percent)
            return false;
    }
    return true;
}

/* The last piece or chunk has come. */
static void finish(struct qs_transfers *transfers, struct file *file)
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
    struct file *file;

    /* A last piece that is sent again. */
    if (!transfers->file && piece->percent == 100)
        return;
    end_before_answer(transfers);
    file = current_file(transfers);
    if (is_repeated(file, piece))
        return;
    forget_last(file);
    file->last = g_bytes_new(piece->data.data, piece->data.size);
    file->last_percent = piece->percent;
    append_piece(transfers, file, piece);
    mark_piece(transfers, file, piece->percent);
    if (piece->percent == 100)
        finish(transfers, file);
    else
        report(transfers, false);
}

/* --- Chunks */

/* Keeps a chunk that others are missing before. */
static void keep_waiting(struct qs_transfers *transfers, struct file *file,
                         const struct qs_transfer *chunk)
{
    gpointer key = GSIZE_TO_POINTER((gsize)chunk->offset);

    if (g_hash_table_contains(file->waiting, key))
        return;
    if (reserve_room(transfers, file, chunk->data.size + (uint64_t)WAITING_COST))
        g_hash_table_insert(file->waiting, key, g_bytes_new(chunk->data.data, chunk->data.size));
}

/* Appends what of the chunk, which begins where the hole does, is not padding. */
static void append_chunk(struct qs_transfers *transfers, struct file *file, struct qs_view data)
{
    data.size = (uint32_t)MIN(data.size, file->total - file->sent);
    if (file->packed)
        append_stream(transfers, file, data);
    else
        append(transfers, file, data);
    file->sent += data.size;
}

/* Appends the chunks for which a hole has closed. */
static void append_waiting(struct qs_transfers *transfers, struct file *file)
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
        transfers->room->held -= size + WAITING_COST;
    }
}

static void add_chunk(struct qs_transfers *transfers, const struct qs_transfer *chunk)
{
    struct file *file = transfers->file;
    uint64_t known; /* bytes of it: servers that go back cut differently */

    /* Chunks that come once more after the file was complete, or of a file that is not known. */
    if (!file || !file->chunked || chunk->offset >= file->total || !chunk->data.size)
        return;
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

/* --- The conversation */

static bool is_named(const struct file *file, struct qs_view name)
{
    return file && file->about.name && qs_view_equal(name, file->about.name);
}

static struct file *file_of_request(const struct qs_transfer *request)
{
    struct file *file = file_new(request->name);

    if (request->offset)
        set_problem(file, "the client had its beginning already");
    return file;
}

/* A request that is not answered yet may be sent again. */
static void begin_request(struct qs_transfers *transfers, const struct qs_transfer *request)
{
    struct file *file = transfers->file;

    if (is_named(file, request->name) && !file->started)
        return;
    if (file && file->chunked) {
        /* Chunks that the client asked for before are on their way, until the server begins anew.
         */
        g_clear_pointer(&transfers->next, file_free);
        transfers->next = file_of_request(request);
        return;
    }
    end_file(transfers);
    transfers->file = file_of_request(request);
}

static void begin_file(struct qs_transfers *transfers, const struct qs_transfer *begin)
{
    struct file *file = transfers->file;

    /* The file that is being sent begins again, as the client asked: it has the same bytes. */
    if (is_named(file, begin->name) && file->chunked && file->total == begin->total) {
        g_clear_pointer(&transfers->next, file_free);
        return;
    }
    end_before_answer(transfers);
    end_file(transfers);
    transfers->file = file = file_new(begin->name);
    file->chunked = true;
    file->started = true;
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

void qs_transfers_take(struct qs_transfers *transfers, const struct qs_transfer *transfer)
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

struct qs_transfers *qs_transfers_new(struct qs_transfer_room *room,
                                      struct qs_transfer_listener listener)
{
    struct qs_transfers *transfers = g_new0(struct qs_transfers, 1);

    transfers->room = room;
    transfers->listener = listener;
    return transfers;
}

void qs_transfers_free(struct qs_transfers *transfers)
{
    end_before_answer(transfers);
    end_file(transfers);
    g_free(transfers);
}
