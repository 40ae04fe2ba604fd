/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/output/message.h"
#include "pcap2demo/recording/options.h"

void recorder_run(const struct options *options)
{
    (void)options;
    failure(EXIT_UNUSABLE, (struct qs_location){.file = recorder_options.interface},
            "recording is being replaced; until then, read what tcpdump writes");
}
