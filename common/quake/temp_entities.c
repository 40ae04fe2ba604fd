/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * svc_temp_entity: short effects. Sources: QuakeSpasm cl_tent.c, CL_ParseTEnt;
 * DarkPlaces cl_parse.c, CL_ParseTempEntity, for the types from 16 on, which games for DarkPlaces
 * send in every protocol; fteqw cl_tent.c, CL_ParseTEnt, for those that it has of other games.
 */
#include "common/quake/dialect.h"
#include "common/quake/messages.h"

static void read_point(struct qs_decoder *d)
{
    qs_coord3(d, NQ_TEMP_ENTITY_ORIGIN);
}

static void read_line(struct qs_decoder *d)
{
    qs_coord3(d, NQ_TEMP_ENTITY_START);
    qs_coord3(d, NQ_TEMP_ENTITY_END);
}

static void read_beam(struct qs_decoder *d)
{
    fte_entity(d, NQ_TEMP_ENTITY_ENTITY);
    read_line(d);
}

static void read_named_beam(struct qs_decoder *d)
{
    qs_file_name(d, NQ_TEMP_ENTITY_MODEL);
    read_beam(d);
}

static void read_colored_explosion(struct qs_decoder *d)
{
    read_point(d);
    qs_u8(d, NQ_TEMP_ENTITY_COLOR);
    qs_u8(d, NQ_TEMP_ENTITY_COLOR_COUNT);
}

static void read_lit_explosion(struct qs_decoder *d)
{
    read_point(d);
    qs_coord3(d, NQ_TEMP_ENTITY_LIGHT);
}

static void read_counted_point(struct qs_decoder *d)
{
    qs_u8(d, NQ_TEMP_ENTITY_COUNT);
    read_point(d);
}

/* Hexen II's beams. */
static void read_any_stream(struct qs_decoder *d, bool colored)
{
    fte_entity(d, NQ_TEMP_ENTITY_ENTITY);
    qs_u8(d, NQ_TEMP_ENTITY_STREAM_FLAGS);
    qs_scaled_u8(d, NQ_TEMP_ENTITY_STREAM_DURATION, 0.05);
    if (colored)
        qs_u8(d, NQ_TEMP_ENTITY_STREAM_SKIN);
    read_line(d);
}

static void read_stream(struct qs_decoder *d)
{
    read_any_stream(d, false);
}

static void read_colored_stream(struct qs_decoder *d)
{
    read_any_stream(d, true);
}

static void read_spray(struct qs_decoder *d)
{
    read_point(d);
    qs_open(d, NQ_TEMP_ENTITY_VELOCITY);
    for (unsigned axis = 0; axis < 3; axis++)
        qs_i8(d, NQ_TEMP_ENTITY_VELOCITY_X + axis);
    qs_close(d);
    qs_u8(d, NQ_TEMP_ENTITY_COUNT);
}

static void read_box(struct qs_decoder *d)
{
    qs_coord3(d, NQ_TEMP_ENTITY_MIN);
    qs_coord3(d, NQ_TEMP_ENTITY_MAX);
}

static void read_shower(struct qs_decoder *d)
{
    read_box(d);
    qs_coord(d, NQ_TEMP_ENTITY_SPEED);
    qs_u16(d, NQ_TEMP_ENTITY_COUNT);
}

static void read_rgb(struct qs_decoder *d)
{
    qs_u8(d, NQ_TEMP_ENTITY_RED);
    qs_u8(d, NQ_TEMP_ENTITY_GREEN);
    qs_u8(d, NQ_TEMP_ENTITY_BLUE);
}

static void read_rgb_explosion(struct qs_decoder *d)
{
    read_point(d);
    read_rgb(d);
}

static void read_weather(struct qs_decoder *d)
{
    read_box(d);
    qs_coord3(d, NQ_TEMP_ENTITY_DIRECTION);
    qs_u16(d, NQ_TEMP_ENTITY_COUNT);
    qs_u8(d, NQ_TEMP_ENTITY_COLOR);
}

static void read_cube(struct qs_decoder *d)
{
    read_weather(d);
    qs_u8(d, NQ_TEMP_ENTITY_GRAVITY);
    qs_coord(d, NQ_TEMP_ENTITY_SPEED);
}

static void read_flash(struct qs_decoder *d)
{
    read_point(d);
    qs_u8(d, NQ_TEMP_ENTITY_RADIUS);
    qs_u8(d, NQ_TEMP_ENTITY_LIFETIME);
    read_rgb(d);
}

static void read_jet(struct qs_decoder *d)
{
    read_point(d);
    qs_coord3(d, NQ_TEMP_ENTITY_DIRECTION);
    qs_u8(d, NQ_TEMP_ENTITY_COUNT);
}

static void read_trail(struct qs_decoder *d)
{
    read_line(d);
    qs_coord3(d, NQ_TEMP_ENTITY_DIRECTION);
}

struct type {
    const char *name;
    void (*read)(struct qs_decoder *d);
    bool fte; /* FTE has it of QuakeWorld or Hexen II */
};

/* clang-format off */
static const struct type types[] = {
#define TE(id, number, name, read) [number] = {name, read, false},
#define TE_FTE(id, number, name, read) [number] = {name, read, true},
#include "common/quake/messages.def"
};
/* clang-format on */

static bool is_known(const struct qs_decoder *d, uint8_t type)
{
    return type < G_N_ELEMENTS(types) && types[type].read &&
           (!types[type].fte || nq_has_fte(nq_session_of(d)));
}

void nq_read_temp_entity(struct qs_decoder *d)
{
    const uint32_t at = d->in.pos;
    const uint8_t type = qs_u8(d, NQ_TEMP_ENTITY_TYPE);

    if (d->in.overrun)
        return;
    if (!is_known(d, type)) {
        qs_note(d, QS_NOTE_UNKNOWN_MESSAGE, at, 1, "Unknown temporary entity %u", type);
        d->stop = true;
        return;
    }
    qs_label(d, ": %s", types[type].name);
    types[type].read(d);
}

void nq_read_temp_entity_sized(struct qs_decoder *d)
{
    fte_read_temp_entity_sized(d, TE_SIZE_QUAKE, is_known, nq_read_temp_entity);
}
