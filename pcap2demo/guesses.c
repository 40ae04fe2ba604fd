/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/options.h"

#include <string.h>

#include "common/demo_formats.h"
#include "common/dump/dump.h"
#include "pcap2demo/output/message.h"

/* Maximum edits between similar names: one, or two from LONG_NAME characters on. */
enum { LONG_NAME = 5, NAME_MAX_LENGTH = 32 };

/* Names that other programs use, each between blanks, and a hint at the counterpart here. */
static const struct {
    const char *names, *hint;
} hints[] = {
    {" format fmt ", "--dump=json and --dump=text choose how packets are printed; a demo's format "
                     "is that of its game"},
    {" csv tsv ", "--list --json prints JSON, which jq converts to CSV"},
    {" user Z relinquish-privileges ",
     "as root, -i becomes the user of sudo, or the owner of the demos' folder"},
    {" name players user-name who ", "--player NAME takes the sessions of a player"},
    {" map level maps info team ", "--list shows who played what; --session takes the number"},
    {" n numeric no-resolve ", "addresses are always numeric"},
    {" dry-run dryrun simulate no-write ", "--list shows which demos it would write"},
    {" client server ip host address addr ", "--filter \"host ADDRESS\" takes its packets"},
    {" input in file infile stdin ", "name the file alone, or \"-\" for standard input"},
    {" diff compare cmp baseline reference ",
     "--golden DIR --update keeps how a capture decodes, --golden DIR compares"},
    {" mvd mvd2 qwd dem dm2 demo demos convert rebuild extract-demos export c2d ",
     "without an action, it writes a demo of each session, in its game's format"},
    {" out outdir out-dir output-dir output-file outfile dir directory folder target dest O ",
     "--output DIR, or --output FILE for one demo"},
    {" text txt print show raw hex packet details x chat say T e ",
     "--dump prints every field of every packet"},
    {" overwrite yes y replace clobber no-clobber ", "--force overwrites files"},
    {" start from begin since after to until before end stop time duration ",
     "editcap -A START -B END cuts captures by time"},
    {" jobs threads parallel workers processes ",
     "run several with xargs -P: see EXAMPLES in the manual"},
    {" usage manual man ? ", "-h prints one screen, --help all options"},
    {" debug trace log logfile log-file ", "--verbose prints more; messages go to standard error"},
    {" verify validate test lint ", "--check reports what cannot be decoded or rebuilt"},
    {" merge join append ", "name several captures: they are read as one"},
    {" cut slice trim split-pcap frames ",
     "--pcap FILE with --session N or --packets N-M copies a part"},
    {" statistics summary count counters messages ", "--stats counts messages by type"},
    {" html svg chart graph plot page timeline ", "--report FILE draws an HTML page"},
    {" loss ping latency quality lag jitter ",
     "--list shows ping and loss, --stats more about path quality"},
    {" files downloads download extract objects ",
     "--extract-files DIR writes the files that servers sent"},
    {" no-color no-colour nocolor monochrome ", "--color=never"},
    {" silent ", "--quiet prints only what is wrong"},
    {" list-interfaces interfaces D L devices ", "tcpdump -D lists the interfaces"},
    {" live record capture monitor listen daemon watch tail ", "-i IFACE records"},
    {" Y display-filter read-filter bpf expression ",
     "--filter takes tcpdump's expressions, and tshark -Y display filters"},
    {" d decode-as ports udp game protocol ", "--port GAME=PORT decodes a port, such as qw=27500"},
    {" anon scrub redact privacy ", "--anonymize FILE copies captures without passwords"},
    {" all ", "without --session, it takes all sessions"},
};

const struct option_row *option_find(const GPtrArray *rows, const char *name)
{
    for (guint i = 0; i < rows->len; i++) {
        const struct option_row *row = g_ptr_array_index(rows, i);

        if (row->name && strcmp(row->name, name) == 0)
            return row;
    }
    return NULL;
}

static const char *find_hint(const char *name)
{
    char *word = g_strdup_printf(" %s ", name);
    const char *hint = NULL;

    for (size_t i = 0; i < G_N_ELEMENTS(hints) && !hint; i++)
        hint = strstr(hints[i].names, word) ? hints[i].hint : NULL;
    g_free(word);
    return hint;
}

unsigned guess_edits(const char *a, const char *b)
{
    const size_t m = strlen(a), n = strlen(b);
    unsigned cost[NAME_MAX_LENGTH + 1][NAME_MAX_LENGTH + 1];

    if (m > NAME_MAX_LENGTH || n > NAME_MAX_LENGTH)
        return NAME_MAX_LENGTH;
    for (size_t i = 0; i <= m; i++)
        for (size_t j = 0; j <= n; j++) {
            unsigned least = (unsigned)(i + j);

            if (i && j) {
                least = cost[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
                least = MIN(least, 1 + MIN(cost[i - 1][j], cost[i][j - 1]));
            }
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                least = MIN(least, 1 + cost[i - 2][j - 2]);
            cost[i][j] = least;
        }
    return cost[m][n];
}

static bool is_near(const char *name, const char *other)
{
    const size_t length = strlen(name);

    return length > 2 && *other &&
           (strstr(other, name) || g_str_has_prefix(name, other) ||
            guess_edits(name, other) <= (length < LONG_NAME ? 1 : 2));
}

/* Returns a new text such as "--list or --lists"; empty if no option is similar. */
static char *near_options(const GPtrArray *rows, const char *name)
{
    GString *near = g_string_new(NULL);

    for (guint i = 0; i < rows->len; i++) {
        const struct option_row *row = g_ptr_array_index(rows, i);

        if (row->name && row->help && row->type != OPTION_GONE && is_near(name, row->name))
            g_string_append_printf(near, "%s--%s", near->len ? " or " : "", row->name);
    }
    return g_string_free(near, FALSE);
}

bool guess_unknown(const GPtrArray *rows, const char *word, const char *name)
{
    const char *hint = find_hint(name);
    g_autofree char *near = hint ? NULL : near_options(rows, name);

    if (hint)
        return usage_error("unknown option %s: %s", word, hint);
    if (*near)
        return usage_error("unknown option %s; did you mean %s?", word, near);
    return usage_error("unknown option %s", word);
}

bool guess_missing_file(const GPtrArray *rows, const struct options *options, const char *file,
                        bool demos)
{
    const bool is_number = *file && !file[strspn(file, "0123456789")];

    if (strcmp(file, "-") == 0 || g_file_test(file, G_FILE_TEST_EXISTS))
        return true;
    if (option_find(rows, file))
        return usage_error("%s: no such file; did you mean --%s?", file, file);
    if (qs_dump_format_find(file))
        return usage_error("%s: no such file; did you mean --dump=%s?", file, file);
    if (is_number)
        return usage_error("%s: no such file; --session %s takes one session, and --pcap FILE "
                           "--packets 1-%s the first packets",
                           file, file, file);
    if (!strpbrk(file, "./") && find_hint(file))
        return usage_error("%s: no such file; %s", file, find_hint(file));
    if (strchr(file, ' ') && (!strchr(file, '.') || options->recorder.interface))
        return usage_error("%s: no such file; did you mean --filter \"%s\"?%s", file, file,
                           options->force ? " -f is --force" : "");
    if (demos && (g_str_has_suffix(file, "/") || qs_demo_format_of_name(file)))
        return usage_error("%s: no such file; --output %s writes there", file, file);
    return true;
}
