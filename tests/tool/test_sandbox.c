/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the process can still do in the sandbox. Each test is a process of its own: there is no way
 * back. */
#include "tests/tool/frames.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pcap2demo/sandbox.h"

/* 0 or less: the kernel has none. */
static long landlock_version(void)
{
#ifdef SYS_landlock_create_ruleset
    return syscall(SYS_landlock_create_ruleset, NULL, 0, 1);
#else
    return 0;
#endif
}

static bool can_create(const char *folder, const char *name)
{
    char *path = g_build_filename(folder, name, NULL);
    const int file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0666);

    if (file >= 0)
        close(file);
    g_free(path);
    return file >= 0;
}

static bool can_rename(const char *folder)
{
    char *from = g_build_filename(folder, "x", NULL), *to = g_build_filename(folder, "y", NULL);
    const bool done = rename(from, to) == 0 && link(to, from) == 0 && unlink(from) == 0;

    g_free(from);
    g_free(to);
    return done;
}

static bool can_read(const char *path)
{
    const int file = open(path, O_RDONLY);

    if (file >= 0)
        close(file);
    return file >= 0;
}

static bool has_temporary_files(void)
{
    FILE *file = tmpfile();

    if (file)
        fclose(file);
    return file;
}

struct folders {
    char *own, *other;
};

static int set_up(void **state)
{
    struct folders *folders = g_new0(struct folders, 1);

    /* Not where temporary files are: those can be written. */
    folders->own = g_strdup("sandbox-own-XXXXXX");
    folders->other = g_strdup("sandbox-other-XXXXXX");
    *state = folders;
    return mkdtemp(folders->own) && mkdtemp(folders->other) ? 0 : -1;
}

static void remove_folder(char *folder)
{
    char *path = g_build_filename(folder, "y", NULL);

    g_remove(path);
    g_rmdir(folder);
    g_free(path);
    g_free(folder);
}

static int tear_down(void **state)
{
    struct folders *folders = *state;

    remove_folder(folders->own);
    remove_folder(folders->other);
    g_free(folders);
    return 0;
}

/* 0: all is as it should be; else which of the questions has the wrong answer. */
static int questions(const struct folders *folders)
{
    const char *const own[] = {folders->own, NULL};
    const bool locked = landlock_version() > 0;
    int question = 1;

    if (!can_read("/etc/passwd") || sandbox_enter(NULL, own))
        return question;
    question++;
    if (!can_create(folders->own, "x") || !can_rename(folders->own))
        return question;
    question++;
    if (!has_temporary_files())
        return question;
    question++;
    if (can_create(folders->other, "y") == locked)
        return question;
    question++;
    return can_read("/etc/passwd") == locked ? question : 0;
}

/* In a process of its own. */
static void ask(int (*ask_them)(const struct folders *folders), const struct folders *folders)
{
    const pid_t child = fork();
    int status;

    if (child == 0)
        _exit(ask_them(folders));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void reaches_its_folders_only(void **state)
{
    ask(questions, *state);
}

/* Port 9 of this machine. */
static bool can_connect(void)
{
    const struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(9), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const int file = socket(AF_INET, SOCK_STREAM, 0);
    const bool refused =
        connect(file, (const struct sockaddr *)&address, sizeof address) != 0 && errno == EACCES;

    close(file);
    return !refused;
}

/* As questions(). */
static int questions_of_network(const struct folders *folders)
{
    const char *const own[] = {folders->own, NULL};

    if (!can_connect() || sandbox_enter(NULL, own))
        return 1;
    return can_connect() == (landlock_version() >= 4) ? 2 : 0;
}

static void makes_no_connections(void **state)
{
    ask(questions_of_network, *state);
}

static void refuses_users_that_are_not_there(void **state)
{
    const char *const none[] = {NULL};
    char *problem = sandbox_enter("no-such-user", none);

    (void)state;
    assert_string_equal(problem, "-Z no-such-user: there is no such user");
    g_free(problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(reaches_its_folders_only, set_up, tear_down),
        cmocka_unit_test_setup_teardown(makes_no_connections, set_up, tear_down),
        cmocka_unit_test(refuses_users_that_are_not_there),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
