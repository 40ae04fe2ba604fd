/* SPDX-License-Identifier: GPL-2.0-or-later */
/* QWD: all packets of the server as they are, and a block for each move. */
#include "common/core/text.h"
#include "common/demo/qwd.h"
#include "pcap2demo/rebuild_made_format.h"

enum { HEAD_SIZE = 5 };

static float seconds_of(const struct qs_packet *packet)
{
    return (float)((double)packet->time / 1e9);
}

static void count_block(struct made *made)
{
    demo_counts(made->demo)->blocks++;
}

static void take_aside(struct made *made, struct qs_view word, struct qs_view value)
{
    GByteArray *bytes = aside_bytes(value);

    if (bytes && qs_view_equal(word, "block")) {
        g_byte_array_append(made->file, bytes->data, bytes->len);
        count_block(made);
        made->block_said = true;
    } else if (bytes && qs_view_equal(word, "head") && bytes->len == HEAD_SIZE) {
        if (made->head)
            g_byte_array_free(made->head, TRUE);
        made->head = g_steal_pointer(&bytes);
    }
    if (bytes)
        g_byte_array_free(bytes, TRUE);
}

static void take_server_packet(struct made *made, const struct qs_decoder *decoder,
                               const struct qs_packet *packet)
{
    (void)decoder;
    qwd_append_packet(made->file, seconds_of(packet), (struct qs_view){packet->data, packet->size});
    if (made->head) {
        memcpy(made->file->data, made->head->data, HEAD_SIZE);
        g_byte_array_free(g_steal_pointer(&made->head), TRUE);
    }
    count_block(made);
}

static void take_client_packet(struct made *made, const struct qs_decoder *decoder,
                               const struct qs_packet *packet)
{
    const struct qw_session *session = (const struct qw_session *)decoder->session;

    if (decoder->connectionless || !session->moved || made->block_said)
        return;
    qwd_append_cmd(made->file, seconds_of(packet), &session->cmds[2]);
    count_block(made);
}

const struct made_format made_qwd = {
    .name = "QWD",
    .protocol = "qw",
    .aside = take_aside,
    .from_server = take_server_packet,
    .from_client = take_client_packet,
};
