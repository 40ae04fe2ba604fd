/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes the rows of a `fields.def` initialisers of struct qs_field.
 * rows_end.h goes after them.
 */
#define FIELD(id, name, title, type, unit, names, mask, blurb)                                     \
    [id] = {name, title, type, unit, names, mask, blurb, false, NULL, false},
#define FIELD_BRIEF(id, name, title, type, unit, names, mask, blurb, brief)                        \
    [id] = {name, title, type, unit, names, mask, blurb, false, brief, false},
#define VARYING(id, name, title, type, unit, names, mask, blurb)                                   \
    [id] = {name, title, type, unit, names, mask, blurb, true, NULL, false},
#define SECRET(id, name, title, type, unit, names, mask, blurb)                                    \
    [id] = {name, title, type, unit, names, mask, blurb, false, NULL, true},
#define VEC3(id, name, title, type, unit, blurb)                                                   \
    [id] = {name, title, QS_GROUP, NULL, NULL, 0, blurb, false, NULL, false},                      \
    [id##_X] = {name ".x", title " X", type, unit, NULL, 0, NULL, false, NULL, false},             \
    [id##_Y] = {name ".y", title " Y", type, unit, NULL, 0, NULL, false, NULL, false},             \
    [id##_Z] = {name ".z", title " Z", type, unit, NULL, 0, NULL, false, NULL, false},
#define ANGLES(id, name, title, blurb)                                                             \
    [id] = {name, title, QS_GROUP, NULL, NULL, 0, blurb, false, NULL, false},                      \
    [id##_PITCH] = {name ".pitch", title " pitch", QS_ANGLE, NULL, NULL, 0,                        \
                    NULL,          false,          NULL,     false},                               \
    [id##_YAW] = {name ".yaw", title " yaw", QS_ANGLE, NULL, NULL, 0, NULL, false, NULL, false},   \
    [id##                                                                                          \
        _ROLL] = {name ".roll", title " roll", QS_ANGLE, NULL, NULL, 0, NULL, false, NULL, false},
