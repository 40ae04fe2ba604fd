/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugin/preferences.h"

/* A copy of the choices as Wireshark wants them, ended by a row without a name. */
static const enum_val_t *make_choices(const struct qs_name *names)
{
    GArray *made = g_array_new(TRUE, TRUE, sizeof(enum_val_t));

    for (; names->name; names++) {
        const enum_val_t row = {names->name, names->name, (int)names->value};

        g_array_append_val(made, row);
    }
    return (const enum_val_t *)g_array_free(made, FALSE);
}

static void register_option(module_t *module, const struct qs_option *option,
                            union setting *setting)
{
    if (option->choices) {
        setting->choice = (int)option->standard;
        prefs_register_enum_preference(module, option->name, option->title, option->description,
                                       &setting->choice, make_choices(option->choices), FALSE);
    } else {
        setting->flag = option->standard != 0;
        prefs_register_bool_preference(module, option->name, option->title, option->description,
                                       &setting->flag);
    }
}

void preferences_register(struct bridge *bridge, void (*changed)(void))
{
    const struct qs_protocol *protocol = bridge->protocol;
    module_t *module = prefs_register_protocol(bridge->proto, changed);

    bridge->options = g_new0(uint32_t, protocol->option_count);
    bridge->settings = g_new0(union setting, protocol->option_count);
    for (unsigned i = 0; i < protocol->option_count; i++)
        register_option(module, &protocol->options[i], &bridge->settings[i]);
    preferences_apply(bridge);
}

void preferences_apply(struct bridge *bridge)
{
    for (unsigned i = 0; i < bridge->protocol->option_count; i++) {
        const union setting *setting = &bridge->settings[i];

        bridge->options[i] =
            bridge->protocol->options[i].choices ? (uint32_t)setting->choice : setting->flag != 0;
    }
    bridge->decoder.options = bridge->options;
}
