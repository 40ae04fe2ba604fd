/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The unit vectors that a direction byte is an index into. Source: dm2-format, section 2.3
 * (ReadDir); the same vectors as in Quake's and Quake II's models.
 */
#ifndef Q2_NORMALS_H
#define Q2_NORMALS_H

enum { Q2_NORMALS = 162 };

extern const float q2_normals[Q2_NORMALS][3];

#endif
