/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the process can still do in the sandbox. Each test is a process of its own: there is no way
 * back. */
#include "tests/tool/frames.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pcap2demo/recorder/sandbox.h"

/* 0 or less: the kernel has none. */
static long landlock_version(void)
{
#ifdef SYS_landlock_create_ruleset
    return syscall(SYS_landlock_create_ruleset, NULL, 0, 1);
#else
    return 0;
#endif
}

/* Runs the question in a process of its own, with a folder: it is to return 0. */
static void ask(int (*question)(const char *folder))
{
    g_autofree char *folder = g_dir_make_tmp("sandbox-XXXXXX", NULL);
    const pid_t child = fork();
    int status;

    if (child == 0)
        _exit(question(folder));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    g_rmdir(folder);
}

static char *enter(const char *folder)
{
    const char *const folders[] = {folder, NULL};

    return sandbox_enter(NULL, folders);
}

static int gains_privileges(const char *folder)
{
    return enter(folder) || prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1;
}

TEST(gains_no_privileges)
{
    ask(gains_privileges);
}

/* Creates, renames, links and removes a file. */
static bool can_write(const char *folder)
{
    g_autofree char *from = g_build_filename(folder, "x", NULL),
                    *to = g_build_filename(folder, "y", NULL);
    const int file = open(from, O_WRONLY | O_CREAT | O_EXCL, 0666);
    const bool done = file >= 0 && rename(from, to) == 0 && link(to, from) == 0 &&
                      unlink(from) == 0 && unlink(to) == 0;

    if (file >= 0)
        close(file);
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

/* Which answer is wrong. */
static int reaches_wrong_files(const char *folder)
{
    const bool locked = landlock_version() > 0;

    if (!can_read("/etc/passwd") || enter(folder))
        return 1;
    if (!can_write(folder))
        return 2;
    if (!has_temporary_files())
        return 3;
    return can_read("/etc/passwd") == locked ? 4 : 0;
}

TEST(reaches_its_folders_only)
{
    ask(reaches_wrong_files);
}

/* A folder that the process could write to before. Folders of tests may be where temporary files
 * are, which can be written: so it is the sandbox's folder that is elsewhere. */
static int writes_elsewhere(const char *folder)
{
    const bool locked = landlock_version() > 0;
    g_autofree char *other = g_strdup("sandbox-other-XXXXXX"), *here = g_get_current_dir();
    int wrong = 0;

    if (!g_str_has_prefix(here, P_tmpdir "/") && g_mkdtemp(other)) {
        wrong = !can_write(other) || enter(folder) || can_write(other) == locked;
        if (!wrong || !locked)
            g_rmdir(other);
    }
    return wrong;
}

TEST(writes_to_its_folders_only)
{
    ask(writes_elsewhere);
}

/* Port 9 of this machine. */
static bool may_connect(void)
{
    const struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(9), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const int file = socket(AF_INET, SOCK_STREAM, 0);
    const bool refused =
        connect(file, (const struct sockaddr *)&address, sizeof address) != 0 && errno == EACCES;

    close(file);
    return !refused;
}

static int connects(const char *folder)
{
    return !may_connect() || enter(folder) || may_connect() == (landlock_version() >= 4);
}

TEST(makes_no_connections)
{
    ask(connects);
}

TEST(refuses_users_that_are_not_there)
{
    const char *const none[] = {NULL};
    g_autofree char *problem = sandbox_enter("no-such-user", none);

    assert_string_equal(problem, "-Z no-such-user: there is no such user");
}
