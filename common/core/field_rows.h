/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Turns the rows of a `fields.def` into C. Include it before the rows with one of these defined:
 *
 *     QS_ROWS_ENUM     the rows are enumerators
 *     QS_ROWS_TABLE    the rows are initializers of an array of struct qs_field
 *     QS_ROWS_FLAGS    only rows FLAG and FLAG_AT count: each is the enumerator of its bit
 *     QS_ROWS_WIDE_FLAGS    only rows WIDE_FLAG_AT count: each is a constant of 64 bits
 *
 * and after them without any, which undefines the macros.
 */
/* clang-format off */
#if defined QS_ROWS_ENUM
#undef QS_ROWS_ENUM
#define ROW(id, ...) id,
#elif defined QS_ROWS_TABLE
#undef QS_ROWS_TABLE
#define ROW(id, ...) [id] = {__VA_ARGS__},
#elif defined QS_ROWS_FLAGS
#undef QS_ROWS_FLAGS
#define ROW(...)
#define FLAG_AT(flag, shift, id, name, title, mask, blurb) flag = mask << shift,
#elif defined QS_ROWS_WIDE_FLAGS
#undef QS_ROWS_WIDE_FLAGS
#define ROW(...)
#define WIDE_FLAG_AT(flag, shift, id, name, title, mask, blurb)                                    \
    static const uint64_t flag G_GNUC_UNUSED = UINT64_C(mask) << shift;
#else
#undef ROW
#undef FIELD
#undef FIELD_BRIEF
#undef VARYING
#undef SECRET
#undef TEXT_ROLE
#undef TEXT_BRIEF
#undef TEXT_VARYING
#undef FIELD_ROLE
#undef FLAG
#undef FLAG_AT
#undef WIDE_FLAG_AT
#undef XYZ
#undef PITCH_YAW_ROLL
#undef VEC3
#undef PLAYER_XYZ
#undef PLAYER_VEC3
#undef ANGLES
#undef RGB
#endif

#ifdef ROW
#define FIELD(id, name, title, type, unit, names, mask, blurb)                                     \
    ROW(id, name, title, type, unit, names, mask, blurb, false, NULL, QS_ROLE_NONE)
#define FIELD_BRIEF(id, name, title, type, unit, names, mask, blurb, brief)                        \
    ROW(id, name, title, type, unit, names, mask, blurb, false, brief, QS_ROLE_NONE)
#define VARYING(id, name, title, type, unit, names, mask, blurb)                                   \
    ROW(id, name, title, type, unit, names, mask, blurb, true, NULL, QS_ROLE_NONE)
#define SECRET(id, name, title, type, unit, names, mask, blurb)                                    \
    ROW(id, name, title, type, unit, names, mask, blurb, false, NULL, QS_ROLE_SECRET)
#define FIELD_ROLE(id, name, title, type, names, role, blurb)                                      \
    ROW(id, name, title, type, NULL, names, 0, blurb, false, NULL, role)
#define TEXT_ROLE(id, name, title, role, blurb)                                                    \
    FIELD_ROLE(id, name, title, QS_TEXT, NULL, role, blurb)
#define TEXT_BRIEF(id, name, title, role, blurb, brief)                                            \
    ROW(id, name, title, QS_TEXT, NULL, NULL, 0, blurb, false, brief, role)
#define TEXT_VARYING(id, name, title, role, blurb)                                                 \
    ROW(id, name, title, QS_TEXT, NULL, NULL, 0, blurb, true, NULL, role)
#define FLAG(flag, id, name, title, mask, blurb) FLAG_AT(flag, 0, id, name, title, mask, blurb)
#ifndef FLAG_AT
#define FLAG_AT(flag, shift, id, name, title, mask, blurb)                                         \
    FIELD(id, name, title, QS_BOOL, NULL, NULL, mask, blurb)
#endif
#ifndef WIDE_FLAG_AT
#define WIDE_FLAG_AT(flag, shift, id, name, title, mask, blurb)                                    \
    FIELD(id, name, title, QS_BOOL, NULL, NULL, mask, blurb)
#endif
#define XYZ(id, name, title, type, unit, blurb)                                                    \
    FIELD(id##_X, name ".x", title " X", type, unit, NULL, 0, blurb)                               \
    FIELD(id##_Y, name ".y", title " Y", type, unit, NULL, 0, blurb)                               \
    FIELD(id##_Z, name ".z", title " Z", type, unit, NULL, 0, blurb)
#define VEC3(id, name, title, type, unit, blurb)                                                   \
    FIELD(id, name, title, QS_GROUP, NULL, NULL, 0, blurb)                                         \
    XYZ(id, name, title, type, unit, blurb)
/* Position of a player. */
#define PLAYER_XYZ(id, name, blurb)                                                                \
    FIELD_ROLE(id##_X, name ".x", "Origin X", QS_COORD, NULL, QS_ROLE_X, blurb)                    \
    FIELD_ROLE(id##_Y, name ".y", "Origin Y", QS_COORD, NULL, QS_ROLE_Y, blurb)                    \
    FIELD_ROLE(id##_Z, name ".z", "Origin Z", QS_COORD, NULL, QS_ROLE_Z, blurb)
#define PLAYER_VEC3(id, name, role, blurb)                                                         \
    FIELD_ROLE(id, name, "Origin", QS_GROUP, NULL, role, blurb)                                    \
    PLAYER_XYZ(id, name, blurb)
#define PITCH_YAW_ROLL(id, name, title, unit)                                                      \
    FIELD(id##_PITCH, name ".pitch", title " pitch", QS_ANGLE, unit, NULL, 0, "Up and down; of a view, positive looks down") \
    FIELD(id##_YAW, name ".yaw", title " yaw", QS_ANGLE, unit, NULL, 0, "Around the vertical axis, counterclockwise; 0 is along the X axis") \
    FIELD(id##_ROLL, name ".roll", title " roll", QS_ANGLE, unit, NULL, 0, "Tilt to the side")
#define ANGLES(id, name, title, blurb)                                                             \
    FIELD(id, name, title, QS_GROUP, NULL, NULL, 0, blurb)                                         \
    PITCH_YAW_ROLL(id, name, title, NULL)
#define RGB(id, name, title, type, unit, blurb)                                                    \
    FIELD(id##_RED, name ".red", title " red", type, unit, NULL, 0, blurb)                         \
    FIELD(id##_GREEN, name ".green", title " green", type, unit, NULL, 0, blurb)                   \
    FIELD(id##_BLUE, name ".blue", title " blue", type, unit, NULL, 0, blurb)
#endif
/* clang-format on */
