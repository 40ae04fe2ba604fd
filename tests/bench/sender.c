/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sends the first session of a capture as that of many players on many servers at once, for load
 * tests of recording:
 *
 *     sender IFACE CAPTURE SERVERS PLAYERS RATE SECONDS [FLOOD]
 *
 * RATE: packets a second of each player, both directions together. Each player begins at another
 * time, and again, as another client, when the session is over. FLOOD: beside them, so many packets
 * a second to the first server, each under another address. Needs the right to send raw frames.
 * Prints how many packets were sent, and by how much it fell behind at most.
 */
#include <arpa/inet.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <pcap/pcap.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

enum { FRAME_MAX = 2048, HEADERS = 14 + 20 + 8, BATCH = 64, TICKS = 77, FIRST_PORT = 27500 };

struct frame {
    uint8_t bytes[FRAME_MAX];
    uint32_t size;
    bool to_server;
};

struct player {
    uint32_t at; /* number of its next frame */
    uint16_t port;
};

static struct frame *frames;
static uint32_t frame_count;

static void fail(const char *what)
{
    fprintf(stderr, "sender: %s\n", what);
    exit(2);
}

static void read_capture(const char *name, uint16_t server_port)
{
    char error[PCAP_ERRBUF_SIZE];
    pcap_t *pcap = pcap_open_offline(name, error);
    struct pcap_pkthdr *header;
    const uint8_t *data;

    if (!pcap)
        fail(error);
    while (pcap_next_ex(pcap, &header, &data) == 1) {
        struct frame *frame;

        if (header->caplen < HEADERS || header->caplen > FRAME_MAX || data[23] != IPPROTO_UDP)
            continue;
        frames = realloc(frames, (frame_count + 1) * sizeof *frames);
        frame = &frames[frame_count++];
        memcpy(frame->bytes, data, header->caplen);
        frame->size = header->caplen;
        frame->to_server = (data[36] << 8 | data[37]) == server_port;
    }
    pcap_close(pcap);
    if (!frame_count)
        fail("no UDP over Ethernet in the capture");
}

/* The client's last word, made of its last packet's header. */
static void add_leave(void)
{
    static const uint8_t leave[] = "\4drop";
    enum { NETCHAN = 10 };
    struct frame *frame;
    uint32_t last = frame_count;

    while (last-- && !frames[last].to_server)
        continue;
    if (last >= frame_count)
        fail("no client in the capture");
    frames = realloc(frames, (frame_count + 1) * sizeof *frames);
    frame = &frames[frame_count++];
    *frame = frames[last];
    frame->bytes[HEADERS]++; /* the sequence number: 255 of 256 times without a carry */
    memcpy(frame->bytes + HEADERS + NETCHAN, leave, sizeof leave);
    frame->size = HEADERS + NETCHAN + sizeof leave;
}

static void put16(uint8_t *at, unsigned value)
{
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

/*
 * Sessions that are alike would be taken for one under two addresses, and datagrams for copies of
 * each other: each has its IP identification and its client's qport, and each server packet names
 * its number, by svc_print.
 */
static void personalize(struct frame *frame, unsigned number)
{
    enum { CONNECTIONLESS = 0xff, ROOM = 16, QPORT = HEADERS + 8, QPORTS = 9000 };
    static const char connect[] = "\xff\xff\xff\xff"
                                  "connect 28 ";
    static unsigned identification;
    const unsigned qport = 1000 + number % QPORTS;
    char *text = (char *)frame->bytes + HEADERS, digits[8];

    put16(frame->bytes + 18, ++identification);
    if (frame->bytes[HEADERS] == CONNECTIONLESS) {
        if (memcmp(text, connect, sizeof connect - 1) == 0) {
            snprintf(digits, sizeof digits, "%u", qport);
            memcpy(text + sizeof connect - 1, digits, 4);
        }
    } else if (frame->to_server) {
        frame->bytes[QPORT] = (uint8_t)qport;
        frame->bytes[QPORT + 1] = (uint8_t)(qport >> 8);
    } else if (frame->size + ROOM <= FRAME_MAX) {
        frame->size +=
            (uint32_t)snprintf(text + frame->size - HEADERS, ROOM, "\10\1%u", number) + 1;
        put16(frame->bytes + 16, frame->size - 14);
        put16(frame->bytes + 38, frame->size - 34);
    }
}

/* Addresses and ports; the checksum of UDP is left out. */
static void address(struct frame *frame, unsigned server, unsigned number,
                    const struct player *player)
{
    const uint8_t server_ip[] = {10, 1, 0, (uint8_t)(server + 1)};
    const uint8_t client_ip[] = {10, 2, (uint8_t)(number >> 8), (uint8_t)number};
    const uint16_t server_port = htons((uint16_t)(FIRST_PORT + server));
    const uint16_t client_port = htons(player->port);
    const bool up = frame->to_server;

    memcpy(frame->bytes + 26, up ? client_ip : server_ip, 4);
    memcpy(frame->bytes + 30, up ? server_ip : client_ip, 4);
    memcpy(frame->bytes + 34, up ? &client_port : &server_port, 2);
    memcpy(frame->bytes + 36, up ? &server_port : &client_port, 2);
    memset(frame->bytes + 40, 0, 2);
}

static int open_socket(const char *interface)
{
    const struct sockaddr_ll to = {.sll_family = AF_PACKET,
                                   .sll_protocol = htons(ETH_P_IP),
                                   .sll_ifindex = (int)if_nametoindex(interface)};
    const int bypass = 1;
    const int file = socket(AF_PACKET, SOCK_RAW, 0);

    if (file < 0 || bind(file, (const struct sockaddr *)&to, sizeof to) != 0)
        fail("no right to send raw frames, or no such interface");
    setsockopt(file, SOL_PACKET, PACKET_QDISC_BYPASS, &bypass, sizeof bypass);
    return file;
}

static struct {
    int file;
    unsigned count;
    uint64_t sent;
    struct frame frames[BATCH];
    struct iovec pieces[BATCH];
    struct mmsghdr messages[BATCH];
} out;

static void flush(void)
{
    unsigned done = 0;

    while (done < out.count) {
        const int sent = sendmmsg(out.file, out.messages + done, out.count - done, 0);

        if (sent > 0)
            done += (unsigned)sent;
    }
    out.sent += out.count;
    out.count = 0;
}

static void send_next(struct player *player, unsigned server, unsigned number)
{
    struct frame *frame = &out.frames[out.count];

    *frame = frames[player->at];
    personalize(frame, number);
    address(frame, server, number, player);
    out.pieces[out.count] = (struct iovec){frame->bytes, frame->size};
    out.messages[out.count].msg_hdr =
        (struct msghdr){.msg_iov = &out.pieces[out.count], .msg_iovlen = 1};
    if (++out.count == BATCH)
        flush();
    if (++player->at == frame_count) {
        player->at = 0;
        player->port++;
    }
}

/* The client's first packet, of an address that nobody has. */
static void send_spoofed(void)
{
    struct frame *frame = &out.frames[out.count];
    const uint32_t address = (uint32_t)random(), port = (uint32_t)random();

    *frame = frames[0];
    memset(frame->bytes + 18, 0, 2); /* no identification: it is a copy of no other one */
    memcpy(frame->bytes + 26, &address, 4);
    memcpy(frame->bytes + 30, (const uint8_t[]){10, 1, 0, 1}, 4);
    memcpy(frame->bytes + 34, &port, 2);
    memset(frame->bytes + 40, 0, 2);
    out.pieces[out.count] = (struct iovec){frame->bytes, frame->size};
    out.messages[out.count].msg_hdr =
        (struct msghdr){.msg_iov = &out.pieces[out.count], .msg_iovlen = 1};
    if (++out.count == BATCH)
        flush();
}

static int64_t now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static void wait_until(int64_t when)
{
    const struct timespec time = {when / 1000000000, when % 1000000000};

    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
}

int main(int argc, char **argv)
{
    unsigned servers, players, rate, seconds, flood;
    struct player *all;
    int64_t start, behind = 0;
    uint64_t due = 0;

    if (argc != 7 && argc != 8)
        fail("IFACE CAPTURE SERVERS PLAYERS RATE SECONDS [FLOOD]");
    flood = argc == 8 ? (unsigned)atoi(argv[7]) : 0;
    servers = (unsigned)atoi(argv[3]);
    players = (unsigned)atoi(argv[4]);
    rate = (unsigned)atoi(argv[5]);
    seconds = (unsigned)atoi(argv[6]);
    read_capture(argv[2], FIRST_PORT);
    add_leave();
    out.file = open_socket(argv[1]);
    all = calloc((size_t)servers * players, sizeof *all);
    for (unsigned i = 0; i < servers * players; i++)
        all[i].port = (uint16_t)(1024 + i * 7 % 20000);
    start = now();
    for (uint64_t tick = 0; tick < (uint64_t)seconds * TICKS; tick++) {
        const int64_t when = start + (int64_t)(tick * 1000000000 / TICKS);

        due += rate;
        for (; due >= TICKS; due -= TICKS)
            for (unsigned i = 0; i < servers * players; i++)
                /* They begin one after the other, within a quarter of the time. */
                if (tick * servers * players * 4 >= (uint64_t)i * TICKS * seconds)
                    send_next(&all[i], i / players, i);
        for (unsigned i = 0; i < flood / TICKS; i++)
            send_spoofed();
        flush();
        if (now() - when > behind)
            behind = now() - when;
        wait_until(when + 1000000000 / TICKS);
    }
    printf("sent %llu packets in %.1f s, at most %.0f ms behind\n", (unsigned long long)out.sent,
           (double)(now() - start) / 1e9, (double)behind / 1e6);
    free(frames);
    free(all);
    return 0;
}
