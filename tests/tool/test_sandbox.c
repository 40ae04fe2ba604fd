/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the process can still do in the sandbox. The test is a process of its own: there is no way
 * back. */
#include "tests/tool/frames.h"

#include <glib/gstdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pcap2demo/recorder/sandbox.h"

TEST(gains_no_privileges)
{
    char *folder = g_dir_make_tmp("sandbox-XXXXXX", NULL);
    const char *const folders[] = {folder, NULL};
    const pid_t child = fork();
    int status;

    if (child == 0)
        _exit(sandbox_enter(NULL, folders) || prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    g_rmdir(folder);
    g_free(folder);
}

TEST(refuses_users_that_are_not_there)
{
    const char *const none[] = {NULL};
    char *problem = sandbox_enter("no-such-user", none);

    assert_string_equal(problem, "-Z no-such-user: there is no such user");
    g_free(problem);
}
