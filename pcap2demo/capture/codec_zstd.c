/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <glib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "pcap2demo/capture/codec.h"

static void *zstd_open(void)
{
    ZSTD_DCtx *zstd = ZSTD_createDCtx();

    if (zstd)
        ZSTD_DCtx_setParameter(zstd, ZSTD_d_windowLogMax, CODEC_WINDOW_LOG_MAX);
    return zstd;
}

static enum codec_status error_status(size_t status)
{
    switch (ZSTD_getErrorCode(status)) {
    case ZSTD_error_frameParameter_windowTooLarge:
    case ZSTD_error_memory_allocation:
        return CODEC_GREEDY;
    default:
        return CODEC_DAMAGED;
    }
}

static enum codec_status zstd_step(void *state, struct codec_buffers *buffers)
{
    ZSTD_inBuffer in = {buffers->in, buffers->in_size, 0};
    ZSTD_outBuffer out = {buffers->out, buffers->out_size, 0};
    const size_t status = ZSTD_decompressStream(state, &out, &in);

    buffers->in += in.pos;
    buffers->in_size -= in.pos;
    buffers->out += out.pos;
    buffers->out_size -= out.pos;
    if (ZSTD_isError(status))
        return error_status(status);
    return status ? CODEC_WITHIN : CODEC_BETWEEN;
}

static void zstd_close(void *state)
{
    ZSTD_freeDCtx(state);
}

const struct codec_decoder codec_zstd = {zstd_open, zstd_step, zstd_close};
