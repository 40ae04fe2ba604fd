/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A sink that feeds two others, without labels, which only people read. */
#ifndef PCAP2DEMO_MULTI_SINK_H
#define PCAP2DEMO_MULTI_SINK_H

#include "common/core/sink.h"

struct multi_sink {
    struct qs_sink base;
    struct qs_sink *to[2];
};

void multi_sink_init(struct multi_sink *sinks, struct qs_sink *one, struct qs_sink *other);

#endif
