/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs the whole tool on a file: the first byte selects the command line. The output must have no
 * control characters, and a golden must be the same if it is made again.
 */
#include <fcntl.h>
#include <ftw.h>
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "pcap2demo/actions/action.h"
#include "pcap2demo/capture/frame_reader.h"
#include "pcap2demo/command_line.h"
#include "tests/fuzz/demo_check.h"
#include "tests/fuzz/fuzz.h"

enum { RUN_TOOL_WORDS_MAX = 12, GOLDEN = 15, STATUS = 23 };

static char scratch[] = "/dev/shm/quakeshark-fuzz-XXXXXX";

static const char *const actions[][RUN_TOOL_WORDS_MAX] = {
    {"--list"},
    {"--list", "--json"},
    {"--dump"},
    {"--dump=json"},
    {"--check"},
    {"--check", "--json"},
    {"--stats"},
    {"--stats", "--json"},
    {"--verbose"},
    {"--sanitize"},
    {"--split=level", "--force"},
    {"--qwd-format=ezquake-3.7"},
    {"--check", "--no-rebuild", "--junit=report.xml"},
    {"--extract-files", scratch},
    {"--pcap=made.pcapng"},
    [GOLDEN] = {"--golden", scratch, "--check", "--update"},
    {"--pcap=made.pcapng", "--session=1-3", "--packets=3,5-20,40-"},
    {"--pcap=made.pcapng", "--packets=8-"},
    {"--pcap=made.pcapng", "--filter=udp", "--session=1"},
    {"--anonymize=made.pcapng"},
    {"--anonymize=made.pcapng", "--replace-names", "--replace-chat"},
    {"--dump", "--show-secrets"},
    {"--max-sessions=1", "--sanitize"},
    [STATUS] = {"--status"}, /* the file is the status of a recorder */
};
G_STATIC_ASSERT(G_N_ELEMENTS(actions) == STATUS + 1);

/* --- Files --- */

static void keep_file(const char *name, struct qs_view file)
{
    g_autofree char *path = g_build_filename(scratch, name, NULL);

    g_file_set_contents(path, (const char *)file.data, file.size, NULL);
}

/* Aborts unless the capture can be read to its end. */
static void check_capture(const char *name, struct qs_view file)
{
    FILE *stream = fmemopen((void *)file.data, file.size, "rb");
    char *error = NULL;
    struct frame_reader *in = stream ? pcapng_reader_open(stream, &error) : NULL;
    struct input_frame frame;
    enum input_status status = INPUT_FRAME;

    if (!in)
        fuzz_broken(name, error);
    while (status == INPUT_FRAME)
        status = in->next(in, &frame);
    if (status != INPUT_END)
        fuzz_broken(name, in->problem);
    frame_reader_close(in);
}

/* Aborts if the name has characters that are special in a shell or a path. */
static void check_name(const char *name)
{
    static const char safe[] = G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_+.-";

    if (strspn(name, safe) != strlen(name) || name[0] == '.' || name[0] == '-')
        fuzz_broken(name, "is no safe name");
}

static void check_file(void *user, const char *name, struct qs_view file)
{
    const char *const *words = user;

    check_name(name);
    if (g_str_has_suffix(name, ".pcapng"))
        check_capture(name, file);
    else if (strcmp(words[0], "--golden") == 0)
        keep_file(name, file);
    else
        for (; *words; words++)
            if (strcmp(*words, "--sanitize") == 0)
                demo_check_sanitized(name, file);
}

/* --- A run --- */

/* Output, in memory that is not counted. */
struct printed {
    char *text;
    size_t size;
};

/* Runs the tool as main() does, in this process. */
static void run_tool(const char *const *words, const char *file)
{
    char *argv[1 + RUN_TOOL_WORDS_MAX + 2] = {g_strdup("pcap2demo")};
    struct options options;
    int count = 1;

    while (*words)
        argv[count++] = g_strdup(*words++);
    argv[count++] = g_strdup(file);
    if (command_line_parse(&options, argv) == COMMAND_LINE_GOOD) {
        if (options.action->print)
            options.action->print(&options);
        else
            run_inputs(&options);
    }
    command_line_clear(&options);
    while (count--)
        g_free(argv[count]);
}

/* Joins standard output and standard error, as a terminal does. */
static struct printed run_captured(const char *const *words, const char *file)
{
    FILE *const out = stdout, *const errors = stderr;
    struct printed printed;

    stdout = stderr = fdopen(memfd_create("printed", 0), "w+");
    if (!stdout)
        abort();
    run_tool(words, file);
    printed.size = (size_t)ftell(stdout);
    fputc('\0', stdout);
    fflush(stdout);
    printed.text = mmap(NULL, printed.size + 1, PROT_READ, MAP_PRIVATE, fileno(stdout), 0);
    if (printed.text == MAP_FAILED)
        abort();
    fclose(stdout);
    stdout = out;
    stderr = errors;
    fuzz_check_printed(printed.text, printed.size);
    return printed;
}

static void printed_clear(struct printed printed)
{
    munmap(printed.text, printed.size + 1);
}

static void run(const char *const *words, const char *file)
{
    fuzz_check_files(check_file, (void *)words);
    printed_clear(run_captured(words, file));
    fuzz_check_files(NULL, NULL);
}

/* Compares the file with the golden that was just made of it. */
static void check_golden(const char *file)
{
    static const char *const words[RUN_TOOL_WORDS_MAX] = {"--golden", scratch, "--check",
                                                          "--quiet"};
    const struct printed printed = run_captured(words, file);

    if (strstr(printed.text, "differ"))
        fuzz_broken("a golden of the same file", printed.text);
    printed_clear(printed);
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *entry)
{
    (void)status, (void)type, (void)entry;
    return remove(path);
}

static void remove_scratch(void)
{
    enum { DESCRIPTORS = 16 };

    nftw(scratch, remove_entry, DESCRIPTORS, FTW_DEPTH | FTW_PHYS);
}

static void make_scratch(void)
{
    static bool made;

    if (made)
        return;
    if (!mkdtemp(scratch) || atexit(remove_scratch))
        abort();
    made = true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char name[FUZZ_NAME_MAX];
    struct fuzz_cost start;
    unsigned action;
    int file;

    if (size < 2)
        return 0;
    make_scratch();
    start = fuzz_begin();
    action = data[0] % G_N_ELEMENTS(actions);
    file = fuzz_file(data + 1, size - 1, name);
    if (action == STATUS) {
        keep_file("pcap2demo-status.json", (struct qs_view){data + 1, (uint32_t)size - 1});
        run(actions[action], scratch);
    } else {
        run(actions[action], name);
    }
    if (action == GOLDEN)
        check_golden(name);
    close(file);
    fuzz_check_cost(start, size);
    return 0;
}
