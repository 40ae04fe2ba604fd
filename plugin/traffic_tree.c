/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugin/traffic_tree.h"

#include <epan/stats_tree.h>

#include "common/dump/dump.h"
#include "plugin/statistics.h"

/* What is counted, each in a tree of its own: all packets, then those of each session. */
static const char packets[] = "Packets";
static const char bytes[] = "Bytes";
static const char messages[] = "Messages";
static const char message_bytes[] = "Bytes of messages";

static const char *const roots[] = {packets, bytes, messages, message_bytes};

static void begin_tree(stats_tree *tree)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(roots); i++)
        stats_tree_create_node(tree, roots[i], 0, STAT_DT_INT, TRUE);
}

static void count(stats_tree *tree, const char *root, const char *group, const char *name,
                  uint32_t value)
{
    const int top = stats_tree_manip_node_int(MN_INCREASE, tree, root, 0, TRUE, 0);
    const int middle = stats_tree_manip_node_int(MN_INCREASE, tree, group, top, TRUE, (int)value);

    stats_tree_manip_node_int(MN_INCREASE, tree, name, middle, FALSE, (int)value);
}

static void count_group(stats_tree *tree, const char *group, const struct qs_tally_packet *packet)
{
    const char *direction = packet->direction == QS_DIRECTION_UNKNOWN
                                ? "unknown"
                                : qs_direction_name(packet->direction);

    count(tree, packets, group, direction, 1);
    count(tree, bytes, group, direction, packet->packet->size);
    for (guint i = 0; i < packet->counted->len; i++) {
        const struct qs_counted *message = &g_array_index(packet->counted, struct qs_counted, i);
        char *name = g_strdup_printf("%s %s", direction, message->group->name);

        count(tree, messages, group, name, 1);
        count(tree, message_bytes, group, name, message->bytes);
        g_free(name);
    }
}

/* The root's own figure is that of all packets. */
static void count_all(stats_tree *tree, const struct qs_tally_packet *packet)
{
    int size = 0;

    for (guint i = 0; i < packet->counted->len; i++)
        size += (int)g_array_index(packet->counted, struct qs_counted, i).bytes;
    stats_tree_manip_node_int(MN_INCREASE, tree, packets, 0, TRUE, 1);
    stats_tree_manip_node_int(MN_INCREASE, tree, bytes, 0, TRUE, (int)packet->packet->size);
    stats_tree_manip_node_int(MN_INCREASE, tree, messages, 0, TRUE, (int)packet->counted->len);
    stats_tree_manip_node_int(MN_INCREASE, tree, message_bytes, 0, TRUE, size);
    count_group(tree, "All", packet);
}

static tap_packet_status take_packet(stats_tree *tree, packet_info *pinfo, epan_dissect_t *edt,
                                     const void *tapped, tap_flags_t flags)
{
    const struct packet_figures *figures = tapped;
    char group[32] = "No session";

    (void)pinfo, (void)edt, (void)flags;
    if (figures->number)
        g_snprintf(group, sizeof group, "Session %u", figures->number);
    count_all(tree, &figures->tally);
    count_group(tree, group, &figures->tally);
    return TAP_PACKET_REDRAW;
}

void traffic_tree_register(const struct dissector *dissector)
{
    const char *name = dissector->protocol->name;
    char *title = g_strdup_printf("%s packets", dissector->protocol->title);

    stats_tree_register_plugin(name, name, title, 0, take_packet, begin_tree, NULL);
    g_free(title);
}
