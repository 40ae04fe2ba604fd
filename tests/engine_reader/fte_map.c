/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What changes the map while it is played: fteqw cl_parse.c CL_ParsePortalState, gl_heightmap.c
 * CL_Parse_BrushEdit, Brush_DeserialiseHeader, Brush_Deserialise, Patch_DeserialiseHeader and
 * Patch_Deserialise.
 */
#include "tests/engine_reader/message.h"

/* What is larger, the client refuses. */
enum { PIECES_MAX = 8192 };

/* Commands of svcfte_brushedit. */
enum {
    DELETE_BRUSH,
    INSERT_BRUSH,
    PRESPAWNING,
    PRESPAWNED,
    INSERT_PATCH,
    EDIT_ENTITY = 0x40,
    REMOVE_ENTITY
};

void take_portal_state(struct reading *r)
{
    const uint32_t mode = take_byte(r);
    const char *const number = mode & 0x02 ? "w" : "b";

    if (!(mode & 0x80)) {
        skip(r, 1);
        return;
    }
    if (mode & 0x20 || !(mode & 0x40))
        take_shape(r, number);
    if (mode & 0x40)
        take_shapes(r, number, 2);
}

static void take_brush(struct reading *r)
{
    uint32_t planes;

    take_shape(r, "ll");
    planes = take_long(r);
    if (planes <= PIECES_MAX)
        take_shapes(r, "sllllllllllll", planes);
    else
        r->bad = true;
}

static void take_patch(struct reading *r)
{
    uint32_t points, flags;

    take_shape(r, "ll");
    points = take_word(r);
    points *= take_word(r);
    if (points > PIECES_MAX) {
        r->bad = true;
        return;
    }
    flags = take_byte(r);
    take_shape(r, "sww");
    for (; points && !r->bad; points--) {
        take_shape(r, "lllll");
        for (unsigned i = 0; i < 4; i++)
            take_shape(r, flags >> i & 1 ? "l" : "");
    }
}

void take_brush_edit(struct reading *r)
{
    skip(r, 2);
    switch (take_byte(r)) {
    case INSERT_BRUSH:
        take_brush(r);
        break;
    case INSERT_PATCH:
        take_patch(r);
        break;
    case DELETE_BRUSH:
    case REMOVE_ENTITY:
        take_shape(r, "l");
        break;
    case EDIT_ENTITY:
        take_shape(r, "ls");
        break;
    case PRESPAWNING:
    case PRESPAWNED:
        break;
    default:
        r->bad = true;
        break;
    }
}
