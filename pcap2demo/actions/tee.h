/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A sink that passes everything to two others, but labels, which only people read. */
#ifndef PCAP2DEMO_TEE_H
#define PCAP2DEMO_TEE_H

#include "common/core/sink.h"

struct tee {
    struct qs_sink base;
    struct qs_sink *to[2];
};

void tee_init(struct tee *tee, struct qs_sink *one, struct qs_sink *other);

#endif
