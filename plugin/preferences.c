/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugin/preferences.h"

/* A copy of the choices as Wireshark wants them, ended by a row without a name. */
static const enum_val_t *make_choices(const struct qs_name *names)
{
    GArray *array = g_array_new(TRUE, TRUE, sizeof(enum_val_t));

    for (; names->name; names++) {
        const enum_val_t row = {names->name, names->name, (int)names->value};

        g_array_append_val(array, row);
    }
    return (const enum_val_t *)g_array_free(array, FALSE);
}

static void register_option(module_t *module, const struct qs_option *option,
                            union preference_value *preference)
{
    if (option->choices) {
        preference->choice = (int)option->standard;
        prefs_register_enum_preference(module, option->name, option->title, option->description,
                                       &preference->choice, make_choices(option->choices), FALSE);
    } else {
        preference->flag = option->standard != 0;
        prefs_register_bool_preference(module, option->name, option->title, option->description,
                                       &preference->flag);
    }
}

void preferences_register(struct dissector *dissector, void (*changed)(void))
{
    const struct qs_protocol *protocol = dissector->protocol;
    module_t *module = prefs_register_protocol(dissector->proto, changed);

    dissector->options = g_new0(uint32_t, protocol->option_count);
    dissector->preferences = g_new0(union preference_value, protocol->option_count);
    for (unsigned i = 0; i < protocol->option_count; i++)
        register_option(module, &protocol->options[i], &dissector->preferences[i]);
    preferences_apply(dissector);
}

void preferences_apply(struct dissector *dissector)
{
    for (unsigned i = 0; i < dissector->protocol->option_count; i++) {
        const union preference_value *preference = &dissector->preferences[i];

        dissector->options[i] = dissector->protocol->options[i].choices
                                    ? (uint32_t)preference->choice
                                    : preference->flag != 0;
    }
    dissector->decoder.options = dissector->options;
}
