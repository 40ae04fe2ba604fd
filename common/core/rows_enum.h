/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes the rows of a `fields.def` enumerators. Include before the
 * rows; rows_end.h after them.
 */
#define FIELD(id, name, title, type, unit, names, mask, blurb) id,
#define FIELD_BRIEF(id, name, title, type, unit, names, mask, blurb, brief) id,
#define VARYING(id, name, title, type, unit, names, mask, blurb) id,
#define SECRET(id, name, title, type, unit, names, mask, blurb) id,
#define VEC3(id, name, title, type, unit, blurb) id, id##_X, id##_Y, id##_Z,
#define ANGLES(id, name, title, blurb) id, id##_PITCH, id##_YAW, id##_ROLL,
