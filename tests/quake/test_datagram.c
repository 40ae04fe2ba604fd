/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The datagram layer: sequence numbers, fragments, accepted and dropped packets, handshakes. */
#include "tests/quake/wire.h"

#define DATA NETFLAG_DATA
#define LAST (NETFLAG_DATA | NETFLAG_EOM)
#define ACK NETFLAG_ACK
#define UNRELIABLE NETFLAG_UNRELIABLE

#define PRINT_HI VIEW("\x08hi\0")

static uint32_t notes(const struct wire *wire, enum qs_note note)
{
    return wire->decoder.found.notes[note];
}

static void assert_delivered(const struct wire *wire, struct qs_view expected, bool reliable)
{
    assert_true(wire->decoder.found.accepted);
    assert_view_is(wire->session.delivered.bytes, expected);
    assert_int_equal(wire->session.delivered.reliable, reliable);
    assert_int_equal(qs_decoder_problems(&wire->decoder), 0);
}

static void assert_not_delivered(const struct wire *wire)
{
    assert_null(wire->session.delivered.bytes.data);
    assert_int_equal(qs_decoder_problems(&wire->decoder), 0);
}

/* The server sends a packet that completes a message: `expected`. */
static void delivers(struct wire *wire, uint32_t flags, uint32_t sequence, struct qs_view payload,
                     struct qs_view expected)
{
    wire_send(wire, QS_S2C, flags, sequence, payload);
    assert_delivered(wire, expected, flags & NETFLAG_DATA);
}

static void delivers_nothing(struct wire *wire, uint32_t flags, uint32_t sequence,
                             struct qs_view payload)
{
    wire_send(wire, QS_S2C, flags, sequence, payload);
    assert_not_delivered(wire);
}

/* --- Reliable messages --- */

WIRE_TEST(a_single_fragment_is_delivered)
{
    delivers(wire, LAST, 0, PRINT_HI, PRINT_HI);
    RECEIVED("nq.print.text = hi");
    assert_int_equal(wire->session.base.connection, 1);
    assert_int_equal(wire->decoder.found.sequence, 0);
}

WIRE_TEST(fragments_are_joined_and_acknowledgements_between_them_ignored)
{
    delivers_nothing(wire, DATA, 0, VIEW("\x08h"));
    assert_true(wire->decoder.found.accepted);
    RECEIVED("nq.fragment.data = 0868");
    wire_send(wire, QS_S2C, DATA, 1, VIEW(""));
    wire_send(wire, QS_C2S, LAST, 0, VIEW("\x01"));
    delivers(wire, LAST, 2, VIEW("i\0"), PRINT_HI);
    assert_int_equal(wire->session.delivered.source, 1);
    RECEIVED("nq.fragment = 1", "nq.fragment = 2", "nq.fragment = 4", "nq.fragment.count = 3",
             "nq.reassembled.length = 4", "nq.print.text = hi");
    delivers(wire, LAST, 3, VIEW("\x01"), VIEW("\x01"));
}

WIRE_TEST(a_copy_of_the_session_between_fragments_joins_the_same_message)
{
    struct nq_session copy;

    wire_send(wire, QS_S2C, DATA, 0, VIEW("\x08h"));
    nq_protocol.session_copy(&copy.base, &wire->session.base);
    delivers(wire, LAST, 1, VIEW("i\0"), PRINT_HI);
    nq_protocol.session_clear(&wire->session.base);
    wire->session = copy;
    delivers(wire, LAST, 1, VIEW("a\0"), VIEW("\x08ha\0"));
}

WIRE_TEST(a_retransmission_is_shown_and_not_learned)
{
    wire_send(wire, QS_S2C, LAST, 0, VIEW("\x0d\x02who\0"));
    delivers_nothing(wire, LAST, 0, VIEW("\x0d\x02liar\0"));
    assert_false(wire->decoder.found.accepted);
    assert_int_equal(notes(wire, QS_NOTE_RETRANSMISSION), 1);
    RECEIVED("nq.updatename.name = liar");                               /* shown, */
    assert_string_equal(qs_table_get(&wire->session.players, 2), "who"); /* but not learnt */
}

WIRE_TEST(a_repeated_fragment_is_not_joined_twice)
{
    wire_send(wire, QS_S2C, DATA, 0, VIEW("\x08h"));
    wire_send(wire, QS_S2C, DATA, 0, VIEW("\x08h"));
    assert_int_equal(notes(wire, QS_NOTE_RETRANSMISSION), 1);
    delivers(wire, LAST, 1, VIEW("i\0"), PRINT_HI);
    delivers_nothing(wire, LAST, 1, VIEW("i\0"));
    RECEIVED("nq.fragment.data = 6900");
}

WIRE_TEST(a_sender_that_ignores_acknowledgements_is_unusual)
{
    wire_send(wire, QS_C2S, LAST, 0, VIEW("\x01"));
    for (unsigned i = 0; i < 6; i++) {
        assert_int_equal(notes(wire, QS_NOTE_UNUSUAL), i >= 3);
        wire_send(wire, QS_S2C, ACK, 0, VIEW(""));
        wire_send(wire, QS_C2S, LAST, 0, VIEW("\x01"));
    }
}

WIRE_TEST(a_message_without_its_middle_is_not_delivered)
{
    wire_send(wire, QS_S2C, DATA, 0, VIEW("\x08h"));
    wire_send(wire, QS_S2C, DATA, 2, VIEW("i"));
    assert_int_equal(notes(wire, QS_NOTE_NOT_CAPTURED), 1);
    assert_int_equal(wire->session.to_client.fragments.missing, 1);
    delivers_nothing(wire, LAST, 3, VIEW("!\0"));
    assert_int_equal(notes(wire, QS_NOTE_NOT_CAPTURED), 1);
    delivers(wire, LAST, 4, PRINT_HI, PRINT_HI);
    delivers(wire, LAST, 6, PRINT_HI, PRINT_HI); /* whole: one fragment */
    wire_send(wire, QS_C2S, ACK, 7, VIEW(""));
    assert_int_equal(notes(wire, QS_NOTE_NOT_CAPTURED), 1);
}

WIRE_TEST(a_last_fragment_alone_is_not_delivered)
{
    delivers_nothing(wire, LAST, 17, VIEW("\xfe\xfe\xfe"));
    RECEIVED("nq.fragment.data = fefefe");
    assert_int_equal(wire->session.base.connection, 0);
    delivers(wire, LAST, 18, PRINT_HI, PRINT_HI);
}

#define LEVEL_BEGINS                                                                               \
    "\x0b\x0f\0\0\0\1\0"                                                                           \
    "level\0maps/dm4.bsp\0\0\0"
#define MIDDLE 9 /* of it: within the level's name */

static struct qs_view part(struct qs_view whole, uint32_t from, uint32_t to)
{
    return (struct qs_view){whole.data + from, to - from};
}

/* The message as three fragments from this number on. */
static void send_in_three(struct wire *wire, uint32_t sequence, struct qs_view message)
{
    delivers_nothing(wire, DATA, sequence, part(message, 0, 3));
    delivers_nothing(wire, DATA, sequence + 1, part(message, 3, MIDDLE));
    wire_send(wire, QS_S2C, LAST, sequence + 2, part(message, MIDDLE, message.size));
}

/* A capture that begins with the first piece of a message, or its client's first one is missing. */
WIRE_TEST(a_capture_may_begin_with_a_first_fragment)
{
    send_in_three(wire, 17, VIEW(LEVEL_BEGINS));
    assert_delivered(wire, VIEW(LEVEL_BEGINS), true);
    assert_int_equal(notes(wire, QS_NOTE_NOT_CAPTURED), 0);
    assert_int_equal(wire->session.base.level, 1);
    assert_int_equal(wire->session.base.connection, 0);
    RECEIVED("nq.fragment.count = 3");
    wire_send(wire, QS_C2S, DATA, 5, VIEW("\x04hel"));
    wire_send(wire, QS_C2S, LAST, 6, VIEW("lo\0"));
    assert_delivered(wire, VIEW("\x04hello\0"), true);
}

WIRE_TEST(a_message_that_cannot_be_read_to_its_end_is_not_delivered)
{
    const struct qs_view level = VIEW(LEVEL_BEGINS);

    wire_send(wire, QS_S2C, DATA, 17, part(level, 3, MIDDLE));
    delivers_nothing(wire, LAST, 18, part(level, MIDDLE, level.size));
    assert_int_equal(notes(wire, QS_NOTE_NOT_CAPTURED), 1);
    assert_int_equal(wire->session.base.level, 0);
    assert_int_equal(qs_fragments_count(&wire->session.to_client.pending), 0);
    /* What follows has a known beginning: there its problems are its own. */
    wire_send(wire, QS_S2C, DATA, 19, VIEW("\x08hi"));
    wire_send(wire, QS_S2C, LAST, 20, VIEW("\0\x7e"));
    assert_view_is(wire->session.delivered.bytes, VIEW("\x08hi\0\x7e"));
    assert_int_equal(notes(wire, QS_NOTE_NOT_CAPTURED), 0);
    assert_int_equal(qs_decoder_problems(&wire->decoder), 1);
}

WIRE_TEST(a_readable_last_fragment_alone_is_not_tried)
{
    wire_send(wire, QS_S2C, DATA, 17, VIEW("\x7e"));
    delivers_nothing(wire, LAST, 18, PRINT_HI);
    assert_int_equal(notes(wire, QS_NOTE_NOT_CAPTURED), 1);
}

WIRE_TEST(a_message_behind_a_gap_is_delivered_if_it_is_whole)
{
    wire_send(wire, QS_S2C, LAST, 0, PRINT_HI);
    send_in_three(wire, 2, VIEW(LEVEL_BEGINS));
    assert_delivered(wire, VIEW(LEVEL_BEGINS), true);
    wire_send(wire, QS_S2C, DATA, 5, VIEW("\x08h"));
    wire_send(wire, QS_S2C, DATA, 7, VIEW("\x7e"));
    delivers_nothing(wire, LAST, 8, VIEW("i\0"));
    assert_int_equal(notes(wire, QS_NOTE_NOT_CAPTURED), 1);
}

/* A gap makes the sign-on incomplete, even if the messages behind it can be read. */
WIRE_TEST(a_gap_makes_the_sign_on_incomplete)
{
    send_in_three(wire, 0, VIEW(LEVEL_BEGINS));
    wire_send(wire, QS_S2C, LAST, 3, VIEW("\x19\1"));
    assert_int_equal(wire->session.base.lost.packet, 0);
    wire_send(wire, QS_S2C, DATA, 5, VIEW("\x19"));
    delivers(wire, LAST, 6, VIEW("\2"), VIEW("\x19\2"));
    assert_int_not_equal(wire->session.base.lost.packet, 0);
    assert_true(wire->session.base.lost.playable);
}

/* Two fragments have room for "reconnect" and the next svc_serverinfo: the level may be another
 * one. */
WIRE_TEST(a_gap_with_room_for_a_level_change_ends_the_level)
{
    send_in_three(wire, 0, VIEW(LEVEL_BEGINS));
    wire_send(wire, QS_S2C, LAST, 3, VIEW("\x19\1"));
    wire_send(wire, QS_S2C, LAST, 6, VIEW("\x19\2"));
    assert_true(qs_level_is_unplayable(&wire->session.base));
}

/* A sign-on message of which the capture has only a part changes nothing. */
WIRE_TEST(a_cut_packet_of_a_sign_on_changes_nothing)
{
    wire->cut = 1;
    wire_send(wire, QS_S2C, LAST, 0, VIEW(LEVEL_BEGINS));
    assert_null(wire->session.delivered.bytes.data);
    assert_int_equal(wire->session.base.level, 0);
    wire->cut = 0;
    send_in_three(wire, 1, VIEW(LEVEL_BEGINS));
    wire->cut = 1;
    wire_send(wire, QS_S2C, LAST, 4, VIEW("\x19\1"));
    assert_null(wire->session.delivered.bytes.data);
    assert_int_not_equal(wire->session.base.lost.packet, 0);
    assert_false(wire->session.base.lost.before);
}

/* The client asks for a part of a level's sign-on whose beginning was not captured: fragments that
 * can be read are not that beginning. */
WIRE_TEST(readable_fragments_do_not_begin_a_level)
{
    send_in_three(wire, 17, VIEW(LEVEL_BEGINS));
    wire_send(wire, QS_S2C, LAST, 20, VIEW("\x19\1\x19\2\x19\3"));
    wire_send(wire, QS_C2S, LAST, 5, VIEW("\x04prespawn\0"));
    assert_int_not_equal(wire->session.doubt.loss.packet, 0);
    wire_send(wire, QS_S2C, DATA, 22, VIEW("\x08h"));
    delivers(wire, LAST, 23, VIEW("i\0"), PRINT_HI);
    assert_int_equal(wire->session.base.level, 2);
    assert_int_not_equal(wire->session.base.lost.packet, 0);
}

/* A copy of the session joins the same message as well if its first fragment may be missing. */
WIRE_TEST(a_copy_of_the_session_joins_fragments_without_a_beginning)
{
    struct nq_session copy;

    wire_send(wire, QS_S2C, DATA, 17, VIEW("\x08h"));
    nq_protocol.session_copy(&copy.base, &wire->session.base);
    assert_true(nq_protocol.session_shares(&copy.base, &wire->session.base));
    delivers_nothing(wire, LAST, 18, VIEW("\x7e\x7e"));
    nq_protocol.session_clear(&wire->session.base);
    wire->session = copy;
    delivers(wire, LAST, 18, VIEW("i\0"), PRINT_HI);
}

WIRE_TEST(whole_messages_of_a_cut_packet_are_delivered)
{
    wire->cut = 1;
    wire_send(wire, QS_S2C, NETFLAG_UNRELIABLE, 0, VIEW("\x01\x08hi\0"));
    assert_true(wire->decoder.found.accepted);
    assert_view_is(wire->session.delivered.bytes, VIEW("\x01"));
    assert_int_equal(notes(wire, QS_NOTE_CUT), 1);
    assert_int_equal(notes(wire, QS_NOTE_MALFORMED), 0);
    wire_send(wire, QS_S2C, DATA, 0, VIEW("\x08h"));
    assert_int_equal(qs_fragments_count(&wire->session.to_client.pending), 0);
    wire->cut = 0;
    wire_send(wire, QS_S2C, LAST, 1, VIEW("\xfe\xfe"));
    assert_null(wire->session.delivered.bytes.data);
    assert_int_equal(notes(wire, QS_NOTE_NOT_CAPTURED), 1);
    wire_send(wire, QS_S2C, DATA, 2, VIEW("\x08h"));
    wire->cut = 1;
    wire_send(wire, QS_S2C, LAST, 3, VIEW("i\0"));
    assert_null(wire->session.delivered.bytes.data);
    assert_int_equal(notes(wire, QS_NOTE_MALFORMED), 0);
    wire->cut = 0;
    delivers(wire, LAST, 4, PRINT_HI, PRINT_HI);
}

/* The limit of a message holds for fragments as well whose first one may be missing. */
static void endless_message(struct wire *wire, uint32_t sequence)
{
    g_autoptr(GByteArray) piece = g_byte_array_new();

    g_byte_array_set_size(piece, 1024);
    memset(piece->data, 1, piece->len);
    for (uint32_t i = 0; i < 64; i++) {
        wire_send(wire, QS_S2C, DATA, sequence++, (struct qs_view){piece->data, piece->len});
        assert_int_equal(notes(wire, QS_NOTE_MALFORMED), 0);
    }
    wire_send(wire, QS_S2C, DATA, sequence, VIEW("\x01"));
    assert_int_equal(notes(wire, QS_NOTE_MALFORMED), 1);
    assert_int_equal(qs_fragments_count(&wire->session.to_client.pending), 0);
    wire_send(wire, QS_S2C, DATA, sequence + 1, VIEW("\x01"));
    assert_int_equal(qs_fragments_count(&wire->session.to_client.pending), 0);
    delivers_nothing(wire, LAST, sequence + 2, VIEW("\x01"));
    delivers(wire, LAST, sequence + 3, PRINT_HI, PRINT_HI);
}

WIRE_TEST(a_message_has_a_limit)
{
    endless_message(wire, 0);
}

WIRE_TEST(a_message_without_a_beginning_has_a_limit)
{
    endless_message(wire, 17);
}

/* --- Unreliable messages --- */

WIRE_TEST(unreliable_packets_have_their_own_sequence)
{
    delivers(wire, UNRELIABLE, 0, PRINT_HI, PRINT_HI);
    delivers(wire, LAST, 0, PRINT_HI, PRINT_HI); /* counted apart */
    wire_send(wire, QS_C2S, UNRELIABLE, 0, VIEW("\x01"));
    assert_delivered(wire, VIEW("\x01"), false);
    delivers(wire, UNRELIABLE, 4, PRINT_HI, PRINT_HI);
    assert_int_equal(notes(wire, QS_NOTE_SEQUENCE_GAP), 1);
    assert_int_equal(wire->session.base.to_client.missing, 3);
    delivers_nothing(wire, UNRELIABLE, 2, VIEW("\x19\x03"));
    assert_int_equal(notes(wire, QS_NOTE_SEQUENCE_STALE), 1);
    assert_int_equal(wire->session.signon, 0);
    delivers_nothing(wire, UNRELIABLE, 4, PRINT_HI);
    assert_int_equal(notes(wire, QS_NOTE_SEQUENCE_DUPLICATE), 1);
}

/* --- Headers --- */

WIRE_TEST(bad_headers_are_malformed)
{
    wire_packet(wire, QS_S2C, VIEW("\0\x10\0\x0a"));
    assert_int_equal(notes(wire, QS_NOTE_MALFORMED), 1);
    wire_packet(wire, QS_S2C, VIEW("\0\x10\0\x0a\0\0\0\0\1\1\1"));
    assert_int_equal(notes(wire, QS_NOTE_MALFORMED), 1);
    assert_int_equal(wire->decoder.found.undecoded, 1);
    RECEIVED("nq.undecoded = 01");
    wire_packet(wire, QS_S2C, VIEW("\0\x10\xff\xff\0\0\0\1\1"));
    assert_int_equal(notes(wire, QS_NOTE_MALFORMED), 1);
    assert_int_equal(wire->decoder.found.undecoded, 0);
    wire_packet(wire, QS_S2C, VIEW("\0\x04\0\x08\0\0\0\0"));
    assert_int_equal(notes(wire, QS_NOTE_MALFORMED), 1);
}

/* Only the messages show which end is the server. */
WIRE_TEST(messages_show_the_direction)
{
    wire->server_is_unknown = true;
    wire_send(wire, QS_S2C, LAST, 9, VIEW("\x01"));
    assert_int_equal(wire->decoder.found.direction, QS_DIRECTION_UNKNOWN);
    assert_int_equal(qs_decoder_problems(&wire->decoder), 0);
    wire_send(wire, QS_C2S, UNRELIABLE, 5, VIEW("\x03\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"));
    assert_int_equal(wire->decoder.found.direction, QS_C2S);
    wire_send(wire, QS_S2C, LAST, 10, VIEW("\x01"));
    assert_int_equal(wire->decoder.found.direction, QS_S2C);
    assert_delivered(wire, VIEW("\x01"), true);
}

/* --- Handshakes --- */

#define OUT_OF_BAND "\377\377\377\377"
#define GETCHALLENGE VIEW(OUT_OF_BAND "getchallenge")
#define ACCEPT VIEW(OUT_OF_BAND "accept")
#define PORT_40264 VIEW("\x80\0\0\x09\x81\x48\x9d\0\0")
#define CONNECT VIEW("\x80\0\0\x0c\1QUAKE\0\3")

WIRE_TEST(a_reply_announces_the_port)
{
    const struct qs_announcement *announced = &wire->decoder.found.announced;

    wire_packet(wire, QS_C2S, CONNECT);
    assert_int_equal(qs_decoder_problems(&wire->decoder), 0);
    assert_false(announced->valid);
    wire_packet(wire, QS_S2C, PORT_40264);
    assert_true(announced->valid);
    assert_int_equal(announced->server.port, 40264);
    assert_int_equal(announced->server.bytes[3], 2);
    assert_int_equal(announced->client.port, 40000);
    assert_int_equal(announced->client.bytes[3], 1);
    assert_int_equal(wire->session.base.connection, 0);
    wire_packet(wire, QS_S2C, VIEW("\x80\0\0\x09\x81\0\0\1\0")); /* no port */
    assert_false(announced->valid);
}

/* DarkPlaces stays on its port, and may answer both of its handshakes. */
WIRE_TEST(darkplaces_answers_two_handshakes_in_one_connection)
{
    wire_packet(wire, QS_C2S, GETCHALLENGE);
    wire_packet(wire, QS_S2C, VIEW(OUT_OF_BAND "challenge abc\0"));
    wire_packet(wire, QS_C2S, VIEW(OUT_OF_BAND "connect\\protocol\\darkplaces 3\\challenge\\abc"));
    RECEIVED("nq.oob.value = darkplaces 3");
    assert_true(wire->session.darkplaces_client);
    wire_packet(wire, QS_S2C, VIEW("\x80\0\0\x09\x81\x90\x65\0\0"));
    assert_false(wire->decoder.found.announced.valid);
    assert_int_equal(wire->session.base.connection, 1);
    wire_send(wire, QS_S2C, LAST, 0, PRINT_HI);
    wire_send(wire, QS_S2C, LAST, 1, PRINT_HI);
    wire_packet(wire, QS_S2C, ACCEPT);
    delivers(wire, LAST, 2, PRINT_HI, PRINT_HI);
    assert_int_equal(wire->session.base.connection, 1);
    assert_true(wire->session.darkplaces_client);
}

WIRE_TEST(numbers_that_begin_again_are_another_connection)
{
    wire_packet(wire, QS_S2C, ACCEPT);
    assert_int_equal(wire->session.base.connection, 1);
    for (uint32_t i = 0; i < 3; i++)
        wire_send(wire, QS_S2C, LAST, i, PRINT_HI);
    /* The client lost its state, and begins anew. */
    wire_packet(wire, QS_S2C, ACCEPT);
    assert_int_equal(wire->session.base.connection, 1);
    delivers(wire, LAST, 0, PRINT_HI, PRINT_HI);
    assert_int_equal(wire->session.base.connection, 2);
    /* A server repeats its answer for two seconds: a later one is another. */
    wire->session.accepted_at -= INT64_C(3) * 1000000000;
    wire_packet(wire, QS_S2C, ACCEPT);
    delivers(wire, LAST, 0, PRINT_HI, PRINT_HI);
    assert_int_equal(wire->session.base.connection, 3);
    /* It leaves and comes back. */
    wire_send(wire, QS_C2S, UNRELIABLE, 0, VIEW("\x02"));
    assert_true(wire->session.base.disconnected);
    wire_packet(wire, QS_S2C, ACCEPT);
    assert_int_equal(wire->session.base.connection, 4);
    assert_false(wire->session.base.disconnected);
}

TEST(only_the_games_datagrams_are_recognized)
{
    const struct {
        struct qs_view bytes;
        bool is_quake;
    } datagrams[] = {
        {CONNECT, true},
        {PORT_40264, true},
        {ACCEPT, true},
        {VIEW(OUT_OF_BAND "connect\\protocol\\darkplaces 3\\x\\y"), true},
        {VIEW("\0\x10\0\x0d\0\0\0\1\7\0\0\0\0"), true},
        /* svc_print, svc_stufftext and svc_serverinfo, also in a first fragment; FTE's words before
         * the version. */
        {VIEW("\0\x09\0\x13\0\0\0\0\x08hi\0\x09\0\x0b\x0f\0\0\0"), true},
        {VIEW("\0\x01\0\x10\0\0\0\2\x0b\x9a\2\0\0\x10\1m"), true},
        {VIEW("\0\x01\0\x15\0\0\0\0\13FTEX\1\0\0\0\x0f\0\0\0"), true},
        {VIEW("\0\x09\0\x0d\0\0\0\0\x0b\x0e\0\0\0"), false}, /* no such version */
        {VIEW("\0\x09\0\x0e\0\0\0\0\x0b\x0f\0\0\0"), false}, /* a wrong length */
        {VIEW("\0\x09\0\x0d\0\0\0\0\x07\x0f\0\0\0"), false}, /* svc_time */
        {VIEW("\0\x02\0\x0d\0\0\0\0\x0b\x0f\0\0\0"), false}, /* no data */
        {VIEW("\x80\0\0\x0d\1QUAKE\0\3"), false},            /* a wrong length */
        {VIEW("\x80\0\0\x0c\1QUAKX\0\3"), false},            /* another game */
        {VIEW("\x80\0\0\x06\x42\0"), false},                 /* no such command */
        {GETCHALLENGE, false},                               /* of many games */
        {VIEW(OUT_OF_BAND "accepted"), false},
        {VIEW("\0\2\0\x08\0\0\0\1"), false},
        {VIEW("\0\x10\0\x0d\0\0\0\1\5\0\0\0\0"), false},
        /* No game sends 2^24 datagrams. */
        {VIEW("\0\x10\0\x0d\0\xff\xff\xff\7\0\0\0\0"), true},
        {VIEW("\0\x10\0\x0d\1\0\0\0\7\0\0\0\0"), false},
        {VIEW(""), false},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(datagrams); i++) {
        const struct qs_view bytes = datagrams[i].bytes;
        const struct qs_packet packet = {
            .data = bytes.data, .size = bytes.size, .wire_size = bytes.size};

        if (nq_protocol.recognize(&nq_protocol, &packet) != datagrams[i].is_quake)
            fail_msg("datagram %zu", i);
    }
}

/* A fragment that cannot be read alone: only servers send one. */
WIRE_TEST(only_servers_send_a_first_fragment)
{
    wire->server_is_unknown = true;
    wire_send(wire, QS_S2C, NETFLAG_DATA, 0, VIEW("\x08hi\0\x0b\x0f\0\0\0\x10\0The b"));
    assert_int_equal(wire->session.base.server, QS_END_B);
    NOT_RECEIVED("undecoded");
}
