/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugin/retap.h"

/* A tap of its own, that no packet comes to: dissectors look whether somebody listens to theirs. */
static const char tap_name[] = "quake_retap";

void retap_register(void)
{
    register_tap(tap_name);
}

void retap_listen(struct retap_listener *listener)
{
    GString *error;

    if (listener->listening)
        remove_tap_listener(listener);
    error = register_tap_listener(tap_name, listener, NULL, 0, listener->reset, NULL,
                                  listener->draw, NULL);
    listener->listening = !error;
    if (error)
        g_string_free(error, TRUE);
}
