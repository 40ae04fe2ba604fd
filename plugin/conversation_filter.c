/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugin/conversation_filter.h"

#include <epan/conversation_filter.h>

#include "plugin/conversations.h"
#include "plugin/dissectors.h"

struct search {
    packet_info *pinfo;
    unsigned session;
    char *filter; /* NULL: nothing found yet */
};

static struct search search;

static void look_in(struct dissector *dissector)
{
    const uint32_t number = packet_session_number_again(dissector, search.pinfo);

    if (!number || search.filter)
        return;
    search.session = number;
    search.filter = g_strdup_printf("%s.session == %u", dissector->protocol->name, number);
}

char *conversation_filter_of(packet_info *pinfo, unsigned *session)
{
    search = (struct search){.pinfo = pinfo};
    dissectors_each(look_in);
    *session = search.session;
    return search.filter;
}

static char *filter_of(packet_info *pinfo)
{
    unsigned session;

    return conversation_filter_of(pinfo, &session);
}

static ws_bool has_session(packet_info *pinfo)
{
    char *filter = filter_of(pinfo);
    const bool found = filter != NULL;

    g_free(filter);
    return found;
}

#if WS_AT_LEAST(4, 2)
static ws_bool is_valid(packet_info *pinfo, void *user)
{
    (void)user;
    return has_session(pinfo);
}

static char *build(packet_info *pinfo, void *user)
{
    (void)user;
    return filter_of(pinfo);
}

void conversation_filter_register(void)
{
    register_conversation_filter("quakeshark", "Quake session", is_valid, build, NULL);
}
#else
void conversation_filter_register(void)
{
    register_conversation_filter("quakeshark", "Quake session", has_session, filter_of);
}
#endif
