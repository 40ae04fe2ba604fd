/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes the rows of a `fields.def` C. Included before the rows, with one of these defined:
 *
 *     QS_ROWS_ENUM     the rows are enumerators
 *     QS_ROWS_TABLE    the rows are initializers of an array of struct qs_field
 *
 * and again after them, with neither, which undefines the macros.
 */
#if defined QS_ROWS_ENUM
#undef QS_ROWS_ENUM
#define FIELD(id, name, title, type, unit, names, mask, blurb) id,
#define FIELD_BRIEF(id, name, title, type, unit, names, mask, blurb, brief) id,
#define VARYING(id, name, title, type, unit, names, mask, blurb) id,
#define SECRET(id, name, title, type, unit, names, mask, blurb) id,
#define TEXT_ROLE(id, name, title, role, blurb) id,
#define VEC3(id, name, title, type, unit, blurb) id, id##_X, id##_Y, id##_Z,
#define ANGLES(id, name, title, blurb) id, id##_PITCH, id##_YAW, id##_ROLL,
#elif defined QS_ROWS_TABLE
#undef QS_ROWS_TABLE
#define FIELD(id, name, title, type, unit, names, mask, blurb)                                     \
    [id] = {name, title, type, unit, names, mask, blurb, false, NULL, QS_ROLE_NONE},
#define FIELD_BRIEF(id, name, title, type, unit, names, mask, blurb, brief)                        \
    [id] = {name, title, type, unit, names, mask, blurb, false, brief, QS_ROLE_NONE},
#define VARYING(id, name, title, type, unit, names, mask, blurb)                                   \
    [id] = {name, title, type, unit, names, mask, blurb, true, NULL, QS_ROLE_NONE},
#define SECRET(id, name, title, type, unit, names, mask, blurb)                                    \
    [id] = {name, title, type, unit, names, mask, blurb, false, NULL, QS_ROLE_SECRET},
#define TEXT_ROLE(id, name, title, role, blurb)                                                    \
    [id] = {name, title, QS_TEXT, NULL, NULL, 0, blurb, false, NULL, role},
#define VEC3(id, name, title, type, unit, blurb)                                                   \
    [id] = {name, title, QS_GROUP, NULL, NULL, 0, blurb, false, NULL, QS_ROLE_NONE},               \
    [id##_X] = {name ".x", title " X", type, unit, NULL, 0, NULL, false, NULL, QS_ROLE_NONE},      \
    [id##_Y] = {name ".y", title " Y", type, unit, NULL, 0, NULL, false, NULL, QS_ROLE_NONE},      \
    [id##_Z] = {name ".z", title " Z", type, unit, NULL, 0, NULL, false, NULL, QS_ROLE_NONE},
#define ANGLES(id, name, title, blurb)                                                             \
    [id] = {name, title, QS_GROUP, NULL, NULL, 0, blurb, false, NULL, QS_ROLE_NONE},               \
    [id##_PITCH] = {name ".pitch", title " pitch", QS_ANGLE, NULL,        NULL, 0,                 \
                    NULL,          false,          NULL,     QS_ROLE_NONE},                        \
    [id##_YAW] = {name ".yaw", title " yaw", QS_ANGLE, NULL, NULL,                                 \
                  0,           NULL,         false,    NULL, QS_ROLE_NONE},                        \
    [id##_ROLL] = {name ".roll", title " roll", QS_ANGLE, NULL,        NULL, 0,                    \
                   NULL,         false,         NULL,     QS_ROLE_NONE},
#else
#undef FIELD
#undef FIELD_BRIEF
#undef VARYING
#undef SECRET
#undef TEXT_ROLE
#undef VEC3
#undef ANGLES
#endif
