/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/protocol_options.h"

#include <glib.h>
#include <string.h>

#include "pcap2demo/output/message.h"
#include "common/protocols.h"

static bool option_value(const struct qs_option *option, const char *text, uint32_t *value)
{
    guint64 number;

    for (const struct qs_name *choice = option->choices; choice && choice->name; choice++) {
        if (strcmp(choice->name, text) == 0) {
            *value = choice->value;
            return true;
        }
    }
    if (!g_ascii_string_to_unsigned(text, 10, 0, option->choices ? G_MAXUINT32 : 1, &number, NULL))
        return false;
    *value = (uint32_t)number;
    return !option->choices || qs_name_of(option->choices, *value);
}

void protocol_options_init(struct qs_sessions_options *sessions)
{
    for (int i = 0; qs_protocols[i]; i++) {
        const struct qs_protocol *protocol = qs_protocols[i];

        sessions->protocol_options[i] = g_new0(uint32_t, protocol->option_count);
        for (unsigned j = 0; j < protocol->option_count; j++)
            sessions->protocol_options[i][j] = protocol->options[j].standard;
    }
}

static bool set_option(struct qs_sessions_options *sessions, int protocol, const char *name,
                       const char *value)
{
    const struct qs_protocol *record = qs_protocols[protocol];

    for (unsigned i = 0; i < record->option_count; i++)
        if (strcmp(record->options[i].name, name) == 0)
            return option_value(&record->options[i], value,
                                &sessions->protocol_options[protocol][i]);
    return false;
}

/* "acknex.pos_resolution=packed|fixed" */
static void append_option(GString *text, const char *protocol, const struct qs_option *option)
{
    g_string_append_printf(text, "%s%s.%s=", text->len ? ", " : "", protocol, option->name);
    if (!option->choices)
        g_string_append(text, "0|1");
    for (const struct qs_name *choice = option->choices; choice && choice->name; choice++)
        g_string_append_printf(text, "%s%s", choice == option->choices ? "" : "|", choice->name);
}

static char *all_options(void)
{
    GString *text = g_string_new(NULL);

    for (int i = 0; qs_protocols[i]; i++)
        for (unsigned j = 0; j < qs_protocols[i]->option_count; j++)
            append_option(text, qs_protocols[i]->name, &qs_protocols[i]->options[j]);
    return g_string_free(text, FALSE);
}

static bool wrong_option(const char *text)
{
    char *options = all_options();

    usage_error("--option %s: no such option or value; the options are: %s", text,
                *options ? options : "none");
    g_free(options);
    return false;
}

bool protocol_options_take(struct qs_sessions_options *sessions, const char *text)
{
    const char *dot = strchr(text, '.');
    const char *equals = dot ? strchr(dot, '=') : NULL;
    char *protocol, *name;
    bool good;
    int number;

    if (!equals)
        return wrong_option(text);
    protocol = g_strndup(text, (gsize)(dot - text));
    name = g_strndup(dot + 1, (gsize)(equals - dot - 1));
    number = qs_protocol_number(protocol);
    good = number >= 0 && set_option(sessions, number, name, equals + 1);
    g_free(protocol);
    g_free(name);
    return good || wrong_option(text);
}

void protocol_options_clear(struct qs_sessions_options *sessions)
{
    for (int i = 0; qs_protocols[i]; i++)
        g_free(sessions->protocol_options[i]);
}
