/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <glib.h>
#include <lzma.h>

#include "pcap2demo/capture/codec.h"

struct xz {
    lzma_stream lzma;
    bool between;
};

static bool begin(struct xz *xz)
{
    xz->between = false;
    return lzma_stream_decoder(&xz->lzma, CODEC_MEMORY_MAX, 0) == LZMA_OK;
}

static void *xz_open(void)
{
    struct xz *xz = g_new(struct xz, 1);

    xz->lzma = (lzma_stream)LZMA_STREAM_INIT;
    if (begin(xz))
        return xz;
    g_free(xz);
    return NULL;
}

/* Source: The .xz File Format 1.2.1, section 2.2: zeros may stand behind a stream. */
static void skip_padding(struct codec_buffers *buffers)
{
    while (buffers->in_size && !*buffers->in) {
        buffers->in++;
        buffers->in_size--;
    }
}

static enum codec_status status_of(struct xz *xz, lzma_ret status)
{
    switch (status) {
    case LZMA_OK:
    case LZMA_BUF_ERROR: /* wants more */
        return CODEC_WITHIN;
    case LZMA_STREAM_END:
        xz->between = true;
        return CODEC_BETWEEN;
    case LZMA_MEMLIMIT_ERROR:
    case LZMA_MEM_ERROR:
        return CODEC_GREEDY;
    default:
        return CODEC_DAMAGED;
    }
}

static enum codec_status xz_step(void *state, struct codec_buffers *buffers)
{
    struct xz *xz = state;
    lzma_ret status;

    if (xz->between) {
        skip_padding(buffers);
        if (!buffers->in_size)
            return CODEC_BETWEEN;
        if (!begin(xz))
            return CODEC_GREEDY;
    }
    xz->lzma.next_in = buffers->in;
    xz->lzma.avail_in = buffers->in_size;
    xz->lzma.next_out = buffers->out;
    xz->lzma.avail_out = buffers->out_size;
    status = lzma_code(&xz->lzma, LZMA_RUN);
    buffers->in = xz->lzma.next_in;
    buffers->in_size = xz->lzma.avail_in;
    buffers->out = xz->lzma.next_out;
    buffers->out_size = xz->lzma.avail_out;
    return status_of(xz, status);
}

static void xz_close(void *state)
{
    struct xz *xz = state;

    lzma_end(&xz->lzma);
    g_free(xz);
}

const struct codec_decoder codec_xz = {xz_open, xz_step, xz_close};
