/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What libpcap alone costs: reads a capture and adds up its bytes. */
#include <pcap/pcap.h>
#include <stdint.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    char error[PCAP_ERRBUF_SIZE];
    struct pcap_pkthdr *header;
    const u_char *data;
    uint64_t packets = 0, bytes = 0, sum = 0;
    pcap_t *capture;
    int status;

    if (argc != 2) {
        fprintf(stderr, "Usage: pcap_loop FILE\n");
        return 2;
    }
    capture = pcap_open_offline(argv[1], error);
    if (!capture) {
        fprintf(stderr, "pcap_loop: %s\n", error);
        return 2;
    }
    while ((status = pcap_next_ex(capture, &header, &data)) == 1) {
        packets++;
        bytes += header->caplen;
        for (uint32_t i = 0; i < header->caplen; i++)
            sum += data[i];
    }
    pcap_close(capture);
    printf("%llu packets, %llu bytes, sum %llu\n", (unsigned long long)packets,
           (unsigned long long)bytes, (unsigned long long)sum);
    return status == PCAP_ERROR_BREAK ? 0 : 2;
}
