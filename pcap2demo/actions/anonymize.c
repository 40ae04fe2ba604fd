/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --anonymize: copies captures without passwords and addresses, so that they decode the same.
 *
 * Replacements have the same size, so the checksums of client moves, which cover only the moves,
 * stay valid. Only data that is compressed again may grow. Packets get new headers. Link layers are
 * left out, and MAC addresses with them.
 */
#include <inttypes.h>
#include <string.h>

#include "common/core/numeric_text.h"
#include "common/dump/secret.h"
#include "pcap2demo/actions/action.h"
#include "pcap2demo/anonymize/redactions.h"
#include "pcap2demo/anonymize/pseudonyms.h"
#include "pcap2demo/output/files.h"

/* Minimum word lengths. Shorter words, common by chance, are replaced only in their own fields. */
enum { NAME_LETTERS = 3 };
static const struct pseudonyms_search for_passwords = {.letters = 4};
static const struct pseudonyms_search for_own_fields = {0};
static const struct pseudonyms_search for_names = {.letters = NAME_LETTERS, .whole = true};

/* Numbers of replacements and omissions. */
struct counts {
    uint64_t passwords, addresses, names, chats, packed, undecoded;
    uint64_t frames;    /* number of frames of the input */
    uint64_t delivered; /* number of decoded frames; one with several PDUs counts once */
    uint64_t others;    /* number of those that --session does not choose */
    uint64_t last;      /* number of the last decoded frame in the input */
};

struct anonymize {
    struct action action;
    const struct anonymize_options *options;
    struct redactions *redactions;
    struct addresses *addresses;
    struct qs_secret_redactor redactor;
    struct pseudonyms *passwords, *names;
    struct anonymous_writer *writer;
    GHashTable *deflated;     /* uint64_t: stream_number() of compressed streams */
    struct location location; /* location of the current replacement */
    struct counts counts;
    bool first_pass; /* true in the first pass, which collects passwords and names */
    bool refused;    /* an input is a demo, which was reported */
};

/* --- Replacements ---------------------------------------------------------------------------- */

struct word_search {
    struct anonymize *all;
    uint32_t offset;
    uint64_t *count;
};

static void replace_word(void *user, uint32_t at, uint32_t size, const uint8_t *replacement)
{
    const struct word_search *search = user;

    location_replace(&search->all->location, search->offset + at, replacement, size);
    ++*search->count;
}

/* Replaces letters and digits with x; the length stays. */
static void hide(struct anonymize *all, struct qs_view text, uint32_t offset)
{
    g_autofree uint8_t *hidden = g_memdup2(text.data, text.size);

    for (uint32_t i = 0; i < text.size; i++)
        if (g_ascii_isalnum((char)(hidden[i] & 0x7f)))
            hidden[i] = 'x';
    location_replace(&all->location, offset, hidden, text.size);
}

static void replace_password(struct anonymize *all, struct qs_view password, uint32_t offset,
                             uint64_t *count)
{
    struct word_search search = {all, offset, count};

    if (pseudonyms_add(all->passwords, password))
        pseudonyms_find(all->passwords, password, for_own_fields, replace_word, &search);
    else
        hide(all, password, offset);
}

static void replace_binary_address(struct anonymize *all, struct qs_view bytes, uint32_t offset)
{
    struct qs_address address = {.family = 4};

    memcpy(address.bytes, bytes.data, 4);
    address = addresses_replace(all->addresses, &address);
    location_replace(&all->location, offset, address.bytes, 4);
    all->counts.addresses++;
}

/* Overwrites bytes of unknown meaning. Zeros stay, because they terminate things. */
static void hide_bytes(uint8_t *bytes, uint32_t size)
{
    for (uint32_t i = 0; i < size; i++)
        if (bytes[i])
            bytes[i] = 'x';
}

static void blank(struct anonymize *all, uint32_t offset, uint32_t length)
{
    const struct qs_view bytes = all->location.bytes;
    g_autofree uint8_t *hidden = NULL;

    if (all->options->keep_undecoded || offset >= bytes.size || !length)
        return;
    length = MIN(length, bytes.size - offset);
    hidden = g_memdup2(bytes.data + offset, length);
    hide_bytes(hidden, length);
    location_replace(&all->location, offset, hidden, length);
    all->counts.undecoded += length;
}

static void replace_names(struct anonymize *all, struct qs_view text, uint32_t offset,
                          struct pseudonyms_search look)
{
    uint64_t counted_already = 0; /* the field counts as a text, too */
    const bool is_short = text.size < NAME_LETTERS;
    struct word_search search = {all, offset,
                                 look.letters || is_short ? &all->counts.names : &counted_already};

    pseudonyms_find(all->names, text, look, replace_word, &search);
}

static void replace_redaction(struct anonymize *all, const struct redaction *redaction)
{
    const struct qs_view bytes = {all->location.bytes.data + redaction->offset, redaction->length};

    if (redaction->offset > all->location.bytes.size ||
        redaction->length > all->location.bytes.size - redaction->offset)
        return;
    if (redaction->kind == REDACT_PASSWORD)
        replace_password(all, bytes, redaction->offset, &all->counts.passwords);
    else if (redaction->kind == REDACT_ADDRESS)
        replace_binary_address(all, bytes, redaction->offset);
    else if (redaction->kind == REDACT_UNDECODED)
        blank(all, redaction->offset, redaction->length);
    else if (redaction->kind == REDACT_CHAT && all->options->replace_chat) {
        hide(all, bytes, redaction->offset);
        all->counts.chats++;
    } else if (redaction->kind == REDACT_NAME && all->options->replace_names) {
        if (bytes.size > PSEUDONYM_SIZE_MAX)
            hide(all, bytes, redaction->offset);
        else
            replace_names(all, bytes, redaction->offset, for_own_fields);
    } else if (redaction->kind == REDACT_TEXT) {
        struct word_search search = {all, redaction->offset, &all->counts.passwords};

        pseudonyms_find(all->passwords, bytes, for_passwords, replace_word, &search);
        if (all->options->replace_names)
            replace_names(all, bytes, redaction->offset, for_names);
    }
}

/* Replaces addresses in texts. */
static void replace_texts(struct anonymize *all)
{
    char text[ADDRESS_TEXT_MAX];
    uint32_t at = 0, length;

    while (addresses_next_in(all->addresses, all->location.bytes, &at, &length, text)) {
        location_replace(&all->location, at - length, text, length);
        all->counts.addresses++;
    }
}

/* Replaces passwords outside fields: some lines of a connection request are no fields. */
static void replace_more_passwords(struct anonymize *all)
{
    struct qs_view password;
    uint64_t uncounted = 0;
    uint32_t pos = 0;

    while (qs_secret_next(all->location.bytes, true, &pos, &password))
        replace_password(all, password, (uint32_t)(password.data - all->location.bytes.data),
                         &uncounted);
}

/* --- Packets --------------------------------------------------------------------------------- */

/*
 * Collects passwords and names before they are replaced: they may occur elsewhere, too, and a
 * packet may contain a name in a text before the field that identifies it.
 */
static void learn(struct anonymize *all, const struct qs_packet *packet)
{
    const struct redactions *redactions = all->redactions;

    for (guint i = 0; i < redactions->list->len; i++) {
        const struct redaction *redaction = &g_array_index(redactions->list, struct redaction, i);
        const struct redaction_source *source = location_source(redactions, redaction->source);
        const struct qs_view bytes =
            source ? redaction_source_bytes(source) : (struct qs_view){packet->data, packet->size};
        const bool is_name = redaction->kind == REDACT_NAME;

        if (redaction->offset <= bytes.size &&
            redaction->length <= bytes.size - redaction->offset &&
            (redaction->kind == REDACT_PASSWORD || (is_name && all->options->replace_names)))
            pseudonyms_add(is_name ? all->names : all->passwords,
                           (struct qs_view){bytes.data + redaction->offset, redaction->length});
    }
}

/* True if no byte of the datagram was decoded, as in one of another protocol. */
static bool is_unknown(const struct anonymize *all, const struct qs_packet *packet)
{
    const GArray *list = all->redactions->list;
    const struct redaction *first = list->len ? &g_array_index(list, struct redaction, 0) : NULL;

    return !all->options->keep_undecoded && !packet->pdu && first &&
           first->kind == REDACT_UNDECODED && !first->source && first->length == packet->size;
}

/* True if the packet has inflated bytes that cannot be deflated again. */
static bool has_opaque(const struct redactions *redactions)
{
    bool found = false;

    for (guint i = 0; i < redactions->sources->len && !found; i++)
        found = location_is_opaque(location_source(redactions, i + 1));
    return found;
}

static void replace_redactions(struct anonymize *all)
{
    const struct redactions *redactions = all->redactions;

    for (guint i = 0; i < redactions->list->len; i++) {
        const struct redaction *redaction = &g_array_index(redactions->list, struct redaction, i);

        if (location_select(&all->location, redaction->source))
            replace_redaction(all, redaction);
    }
}

/* Makes all replacements in the packet. Returns false if one is impossible. */
static bool replace_all(struct anonymize *all, struct held_packet *held,
                        const struct qs_decoded_packet *decoded)
{
    const struct qs_packet *packet = decoded->packet;

    all->location = (struct location){.writer = all->writer,
                                      .redactions = all->redactions,
                                      .packet = held,
                                      .payload = {packet->data, packet->size}};
    replace_redactions(all);
    for (guint i = 0; i <= all->redactions->sources->len; i++) {
        if (!location_select(&all->location, i))
            continue;
        replace_texts(all);
        if (decoded->decoder->found.connectionless)
            replace_more_passwords(all);
    }
    return location_write(&all->location);
}

static void report_left_out(const struct qs_decoded_packet *decoded, const char *what)
{
    const struct qs_location at = {.file = decoded->location.file,
                                   .packet = decoded->packet->frame};

    message(at, "left out: %s", what);
}

/* Leaves out the packet and those with its fragments, which are compressed, too. */
static void leave_out(struct anonymize *all, struct held_packet *held,
                      const struct qs_decoded_packet *decoded)
{
    const struct redactions *redactions = all->redactions;

    anonymous_writer_leave_out(held);
    for (guint i = 0; i < redactions->sources->len; i++) {
        const GArray *packets = location_source(redactions, i + 1)->packets;

        for (guint k = 0; k < packets->len; k++) {
            struct held_packet *fragment =
                anonymous_writer_find(all->writer, held, g_array_index(packets, uint64_t, k));

            if (fragment)
                anonymous_writer_leave_out(fragment);
        }
    }
    report_left_out(decoded, "its compressed messages cannot be replaced");
}

/* --- Deflate streams ------------------------------------------------------------------------- */

/* Returns a key for the stream of one end of a conversation. */
static uint64_t stream_number(uint64_t conversation, enum qs_end from)
{
    return conversation * 2 + (from == QS_END_B);
}

/* Leaves out a PDU of a deflate stream, and returns true: nothing can be replaced in it, and after
 * a gap no field shows that it is compressed. */
static bool skip_deflated(struct anonymize *all, const struct qs_decoded_packet *decoded)
{
    const uint64_t number = stream_number(decoded->conversation, decoded->packet->from);

    if (!decoded->packet->pdu || g_hash_table_contains(all->deflated, &number))
        return decoded->packet->pdu;
    if (!has_opaque(all->redactions))
        return false;
    g_hash_table_add(all->deflated, g_memdup2(&number, sizeof number));
    report_left_out(decoded, "the rest of this stream, which is compressed");
    return true;
}

static void anonymize_conversation_over(struct qs_sessions_handler *handler, uint64_t conversation,
                                        const struct qs_protocol *protocol)
{
    struct anonymize *all = (struct anonymize *)handler;
    const uint64_t a = stream_number(conversation, QS_END_A);
    const uint64_t b = stream_number(conversation, QS_END_B);

    (void)protocol;
    g_hash_table_remove(all->deflated, &a);
    g_hash_table_remove(all->deflated, &b);
}

/* --- Handler --------------------------------------------------------------------------------- */

/* Subtracts fragments that their joined message has restored from the undecoded bytes. */
static void count_joined(struct anonymize *all)
{
    for (guint i = 0; i < all->redactions->sources->len && !all->options->keep_undecoded; i++) {
        const struct redaction_source *source = location_source(all->redactions, i + 1);

        if (source->packets->len)
            all->counts.undecoded -= redaction_source_bytes(source).size;
    }
}

static void add_packet(struct anonymize *all, const struct qs_decoded_packet *decoded)
{
    const struct qs_packet *packet = decoded->packet;
    struct held_packet *held;

    /* Binary addresses get their replacements before those in texts. */
    addresses_replace(all->addresses, &packet->source);
    addresses_replace(all->addresses, &packet->destination);
    learn(all, packet);
    if (all->first_pass)
        return;
    if (skip_deflated(all, decoded)) {
        all->counts.packed++;
        return;
    }
    held = anonymous_writer_add(all->writer, packet);
    held->conversation = decoded->conversation;
    held->fragment = all->redactions->fragment;
    held->fragment_size = all->redactions->fragment_size;
    /* Overwrites a fragment, which may contain anything. Its joined message restores it. */
    if (!all->options->keep_undecoded && held->fragment_size) {
        hide_bytes(held->payload->data + held->fragment, held->fragment_size);
        all->counts.undecoded += held->fragment_size;
    }
    if (is_unknown(all, packet))
        anonymous_writer_leave_out(held);
    else if (has_opaque(all->redactions) || !replace_all(all, held, decoded))
        leave_out(all, held, decoded);
    else
        count_joined(all);
}

/* Counts the packet's frame, unless an earlier PDU in it was counted. */
static void count_frame(struct counts *counts, uint64_t frame, bool is_wanted)
{
    counts->delivered += frame != counts->last;
    counts->others += frame != counts->last && !is_wanted;
    counts->last = frame;
}

static void anonymize_packet(struct qs_sessions_handler *handler,
                             const struct qs_decoded_packet *decoded)
{
    struct anonymize *all = (struct anonymize *)handler;
    const bool is_wanted = qs_sessions_want(&all->action.options->sessions, decoded->session);

    count_frame(&all->counts, decoded->packet->number, is_wanted);
    if (decoded->location.block && !all->refused) {
        failure(EXIT_UNUSABLE, (struct qs_location){.file = decoded->location.file},
                "is a demo; --anonymize takes captures");
        all->refused = true;
    }
    if (!decoded->location.block && is_wanted)
        add_packet(all, decoded);
    redactions_clear(all->redactions);
}

/* --- Life of the action ---------------------------------------------------------------------- */

static void anonymize_input_over(struct action *action, const char *file, uint64_t frames)
{
    (void)file;
    ((struct anonymize *)action)->counts.frames += frames;
}

static void print_counts(const struct anonymize *all)
{
    const struct counts *counts = &all->counts;
    const uint64_t packets = anonymous_writer_count(all->writer);

    print_line("%s: %" PRIu64 " packet%s", all->action.options->argument, packets,
               qs_plural(packets));
    print_line("  passwords and user keys: %u, replaced: %" PRIu64,
               pseudonyms_count(all->passwords), counts->passwords);
    print_line("  addresses: %u, replaced in messages: %" PRIu64, addresses_count(all->addresses),
               counts->addresses);
    if (all->options->replace_names)
        print_line("  names: %u, replaced: %" PRIu64, pseudonyms_count(all->names), counts->names);
    if (all->options->replace_chat)
        print_line("  lines of chat replaced: %" PRIu64, counts->chats);
    if (counts->undecoded)
        print_line("  undecoded bytes replaced: %" PRIu64, counts->undecoded);
    if (counts->packed)
        print_line("  packets left out, undecoded or not replaceable: %" PRIu64, counts->packed);
    if (counts->others)
        print_line("  packets of other sessions left out: %" PRIu64, counts->others);
    print_line("  packets that complete no message of a known game, left out: %" PRIu64,
               counts->frames - MIN(counts->frames, counts->delivered));
}

static void write_file(struct anonymize *all)
{
    g_autofree char *name = g_path_get_basename(all->action.options->argument);
    g_autofree char *error =
        anonymous_writer_count(all->writer)
            ? anonymous_writer_commit(all->writer, name, all->action.options->force)
            : g_strdup("not written: no packet of a known game is selected");

    if (error)
        failure(EXIT_PROBLEMS, (struct qs_location){.file = all->action.options->argument}, "%s",
                error);
    else
        action_warn_of_clocks(&all->action);
    if (!error && !all->action.options->quiet)
        print_counts(all);
}

static void anonymize_first_pass(struct action *action, bool begins)
{
    struct anonymize *all = (struct anonymize *)action;

    all->first_pass = begins;
    all->refused = false;
    all->counts = (struct counts){0};
}

static void anonymize_end(struct action *action, bool any_input)
{
    struct anonymize *all = (struct anonymize *)action;

    all->counts.packed += anonymous_writer_flush(all->writer);
    if (any_input && !all->refused && !action->interrupted)
        write_file(all);
    anonymous_writer_free(all->writer);
    redactions_free(all->redactions);
    addresses_free(all->addresses);
    pseudonyms_free(all->passwords);
    pseudonyms_free(all->names);
    g_hash_table_destroy(all->deflated);
    qs_secret_redactor_clear(&all->redactor);
}

static char *name_problem(const char *file)
{
    return writer_name_problem("--anonymize", file);
}

static void begin(struct action *action)
{
    struct anonymize *all = (struct anonymize *)action;
    g_autofree char *folder = g_path_get_dirname(action->options->argument);

    all->options = &action->options->anonymize;
    all->redactions = redactions_new();
    all->addresses = addresses_new();
    qs_secret_redactor_init(&all->redactor, false);
    all->passwords = pseudonyms_new(false);
    all->names = pseudonyms_new(true);
    all->writer = anonymous_writer_new(folder, all->addresses);
    all->deflated = g_hash_table_new_full(qs_int64_hash, g_int64_equal, g_free, NULL);
    action->handler.sink = &all->redactions->sink;
    action->handler.redactor = &all->redactor.base;
}

static const struct option_row rows[] = {
    {"replace-names", 0, OPTION(FLAG, anonymize.replace_names),
     "Also replace the names of players and servers"},
    {"replace-chat", 0, OPTION(FLAG, anonymize.replace_chat), "Also replace chat"},
    {"keep-undecoded", 0, OPTION(FLAG, anonymize.keep_undecoded),
     "Keep bytes that are not decoded, whatever they say"},
    OPTIONS_END};

const struct action_kind anonymize_action = {
    .option = {"anonymize", .type = OPTION_ACTION,
               .help = "Copy captures without passwords and addresses", .value = "FILE"},
    .task = TASK_CAPTURE,
    .problem = name_problem,
    .rows = rows,
    .size = sizeof(struct anonymize),
    .running = {.handler.as_captured = true,
                .handler.packet = anonymize_packet,
                .handler.conversation_over = anonymize_conversation_over,
                .first_pass = anonymize_first_pass,
                .numbers_of_input = true,
                .input_over = anonymize_input_over,
                .end = anonymize_end},
    .begin = begin,
};
