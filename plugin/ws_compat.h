/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The few places where the Wireshark versions that the plugin is built for (4.0 to 4.6) differ. */
#ifndef QS_PLUGIN_WS_COMPAT_H
#define QS_PLUGIN_WS_COMPAT_H

#ifndef HAVE_SSIZE_T
#define HAVE_SSIZE_T 1 /* Wireshark's headers ask for it since config.h is not among them */
#endif
#define WS_BUILD_DLL /* the plugin exports its entry points */

#include <ws_version.h>
#include <wireshark.h>

#define WS_AT_LEAST(major, minor)                                                                  \
    (WIRESHARK_VERSION_MAJOR > (major) ||                                                          \
     (WIRESHARK_VERSION_MAJOR == (major) && WIRESHARK_VERSION_MINOR >= (minor)))

/* Callbacks and boolean preferences are `bool` since 4.4, GLib's `gboolean` before. */
#if WS_AT_LEAST(4, 4)
typedef bool ws_bool;
#else
typedef gboolean ws_bool;
#endif

#endif
