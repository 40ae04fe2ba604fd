/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Differences between the versions of Wireshark that the plugin is built for (4.0 to 4.6). */
#ifndef QS_PLUGIN_WS_COMPAT_H
#define QS_PLUGIN_WS_COMPAT_H

#ifdef QUAKESHARK_IN_WIRESHARK
#include <config.h>
#endif
#if !defined HAVE_SSIZE_T && !defined QUAKESHARK_IN_WIRESHARK
#define HAVE_SSIZE_T 1 /* required by Wireshark's headers: no package has config.h */
#endif
#define WS_BUILD_DLL /* the plugin exports its entry points */

#include <ws_version.h>
#include <wireshark.h>
#include <epan/proto.h>
#include <epan/unit_strings.h>

#define WS_AT_LEAST(major, minor)                                                                  \
    (WIRESHARK_VERSION_MAJOR > (major) ||                                                          \
     (WIRESHARK_VERSION_MAJOR == (major) && WIRESHARK_VERSION_MINOR >= (minor)))

#if WS_AT_LEAST(4, 4)
#include <wsutil/plugins.h> /* missing in earlier packages */
#else
#define WS_PLUGIN_DESC_DISSECTOR 0 /* not used */
#endif

/* Callbacks and boolean preferences are `bool` since 4.4, GLib's `gboolean` before. */
#if WS_AT_LEAST(4, 4)
typedef bool ws_bool;
#else
typedef gboolean ws_bool;
#endif

/* Since 4.2, Follow needs a function that counts streams, for the window's stream number, and
 * conversation filters get the user data of their registration. */
#if WS_AT_LEAST(4, 2)
#define WS_FOLLOW_COUNT(count) , count, NULL
#define WS_FILTER_USER , void *user G_GNUC_UNUSED
#define WS_FILTER_NULL , NULL
#else
#define WS_FOLLOW_COUNT(count)
#define WS_FILTER_USER
#define WS_FILTER_NULL
#endif

/* Data of the tap "credentials": tap_credential_t of ui/tap-credentials.h, which packages lack. */
struct ws_credential {
    unsigned number, username_number; /* numbers of packets */
    unsigned password_hf;
    char *username;
    const char *protocol;
    char *info;
};

/* Appends the unit of a floating-point number, which 4.0 omits. */
static inline void ws_append_unit(proto_item *item, int hf, double value)
{
#if WS_AT_LEAST(4, 2)
    (void)item, (void)hf, (void)value;
#else
    const header_field_info *info = proto_registrar_get_nth((unsigned)hf);

    if (info->display & BASE_UNIT_STRING)
        proto_item_append_text(item, "%s", unit_name_string_get_double(value, info->strings));
#endif
}

#endif
