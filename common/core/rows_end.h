/* SPDX-License-Identifier: GPL-2.0-or-later */
#undef FIELD
#undef VARYING
#undef VEC3
#undef ANGLES
