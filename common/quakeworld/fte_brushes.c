/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * FTE's editing of maps while they are played, alike in both directions. Source: fteqw
 * gl_heightmap.c CL_Parse_BrushEdit, SV_Parse_BrushEdit, Brush_Deserialise, Patch_Deserialise.
 */
#include "common/quakeworld/decode.h"
#include "common/quakeworld/messages.h"

static void read_plane(struct qs_decoder *d)
{
    static const unsigned rows[] = {
        QW_PLANE_X,   QW_PLANE_Y,   QW_PLANE_Z,   QW_PLANE_DISTANCE,
        QW_PLANE_S_X, QW_PLANE_S_Y, QW_PLANE_S_Z, QW_PLANE_S_OFFSET,
        QW_PLANE_T_X, QW_PLANE_T_Y, QW_PLANE_T_Z, QW_PLANE_T_OFFSET,
    };

    qs_open(d, QW_PLANE);
    qs_label_text(d, ": ", qs_text(d, QW_BRUSH_TEXTURE), "");
    for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++)
        qs_f32(d, rows[i]);
    qs_close(d);
}

static void read_brush(struct qs_decoder *d)
{
    const uint32_t at = d->in.pos;
    uint32_t planes;

    qs_u32(d, QW_BRUSH_ID);
    qs_u32(d, QW_BRUSH_CONTENTS);
    planes = qs_u32(d, QW_BRUSH_PLANES);
    if (planes > BRUSH_PLANES_MAX) {
        fte_stop_malformed(d, at, "Number of planes of brush editing:", planes);
        return;
    }
    for (uint32_t i = 0; i < planes && !d->in.overrun; i++)
        read_plane(d);
}

/* A control point; the patch's flags select the colours that follow. */
static void read_point(struct qs_decoder *d, uint8_t flags)
{
    static const unsigned position[] = {QW_PATCH_X, QW_PATCH_Y, QW_PATCH_Z, QW_PATCH_S, QW_PATCH_T};
    static const unsigned colours[] = {QW_PATCH_RED, QW_PATCH_GREEN, QW_PATCH_BLUE, QW_PATCH_ALPHA};

    qs_open(d, QW_PATCH_POINT);
    for (unsigned i = 0; i < G_N_ELEMENTS(position); i++)
        qs_f32(d, position[i]);
    for (unsigned i = 0; i < G_N_ELEMENTS(colours); i++)
        if (flags & (1u << i))
            qs_f32(d, colours[i]);
    qs_close(d);
}

static void read_patch(struct qs_decoder *d)
{
    const uint32_t at = d->in.pos;
    uint32_t points;
    uint8_t flags;

    qs_u32(d, QW_BRUSH_ID);
    qs_u32(d, QW_BRUSH_CONTENTS);
    points = qs_u16(d, QW_PATCH_WIDTH);
    points *= qs_u16(d, QW_PATCH_HEIGHT);
    if (points > BRUSH_PLANES_MAX) {
        fte_stop_malformed(d, at, "Number of control points of brush editing:", points);
        return;
    }
    flags = qs_u8(d, QW_PATCH_FLAGS);
    qs_text(d, QW_BRUSH_TEXTURE);
    qs_i16(d, QW_PATCH_SUBDIVISIONS_X);
    qs_i16(d, QW_PATCH_SUBDIVISIONS_Y);
    for (uint32_t i = 0; i < points && !d->in.overrun; i++)
        read_point(d, flags);
}

void qw_read_brushedit(struct qs_decoder *d)
{
    uint32_t at;
    uint8_t command;

    qs_u16(d, QW_BRUSH_MODEL);
    at = d->in.pos;
    command = qs_u8(d, QW_BRUSH_COMMAND);
    switch (command) {
    case BRUSH_DELETE:
    case BRUSH_ENTITY_REMOVE:
        qs_u32(d, QW_BRUSH_ID);
        break;
    case BRUSH_INSERT:
        read_brush(d);
        break;
    case BRUSH_PATCH_INSERT:
        read_patch(d);
        break;
    case BRUSH_ENTITY_EDIT:
        qs_u32(d, QW_BRUSH_ID);
        qs_text(d, QW_BRUSH_ENTITY);
        break;
    case BRUSH_PRESPAWNING:
    case BRUSH_PRESPAWNED:
        break;
    default:
        fte_stop_malformed(d, at, "Unknown command of brush editing:", command);
        break;
    }
}
