/* SPDX-License-Identifier: GPL-2.0-or-later */
#undef FIELD
#undef FIELD_BRIEF
#undef VARYING
#undef SECRET
#undef VEC3
#undef ANGLES
