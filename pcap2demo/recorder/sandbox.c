/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/recorder/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <grp.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "pcap2demo/output/safe_path.h"

#ifdef __linux__
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif
#if defined __linux__ && defined __has_include
#if __has_include(<linux/landlock.h>) && defined SYS_landlock_create_ruleset
#include <linux/landlock.h>
#define HAS_LANDLOCK
#endif
#endif

/* --- User ------------------------------------------------------------------------------------ */

static char *cannot(const char *what)
{
    return g_strdup_printf("%s: %s", what, g_strerror(errno));
}

/* Creates a missing folder, owned by the user. Another user may replace it by a link meanwhile,
 * which is not followed. */
static char *make_folder_of(const struct passwd *user, const char *folder)
{
    char *problem;

    if (access(folder, F_OK) == 0 || geteuid() != 0)
        return NULL;
    problem = make_folders(folder);
    return !problem && lchown(folder, user->pw_uid, user->pw_gid) != 0 ? cannot(folder) : problem;
}

/* Groups first: the user has no right to change them. */
static char *switch_user(const char *name, const char *const *folders)
{
    const struct passwd *user = getpwnam(name);
    char *problem = NULL;

    if (!user)
        return g_strdup_printf("-Z %s: there is no such user", name);
    for (; *folders && !problem; folders++)
        problem = make_folder_of(user, *folders);
    if (problem)
        return problem;
    if (initgroups(user->pw_name, user->pw_gid) != 0 || setgid(user->pw_gid) != 0 ||
        setuid(user->pw_uid) != 0)
        return g_strdup_printf("-Z %s: %s", name, g_strerror(errno));
    if (user->pw_uid && setuid(0) == 0)
        return g_strdup_printf("-Z %s: the user can be root again", name);
    return NULL;
}

/* --- Capabilities ---------------------------------------------------------------------------- */

static char *drop_capabilities(void)
{
#ifdef __linux__
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {0};

    if (geteuid() != 0 && syscall(SYS_capset, &header, none) != 0)
        return cannot("capabilities cannot be dropped");
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return cannot("new privileges cannot be refused");
#endif
    return NULL;
}

/* --- Files ----------------------------------------------------------------------------------- */

/* The folder, or its nearest parent that exists. New. */
static char *existing_folder(const char *folder)
{
    char *path = g_strdup(*folder ? folder : ".");

    while (access(path, F_OK) != 0 && strcmp(path, ".") != 0 && strcmp(path, "/") != 0) {
        char *parent = g_path_get_dirname(path);

        g_free(path);
        path = parent;
    }
    return path;
}

static char *writing_problem(const char *folder)
{
    char *path = existing_folder(folder);
    char *problem = NULL;

    if (faccessat(AT_FDCWD, path, W_OK | X_OK, AT_EACCESS) != 0)
        problem = cannot(path);
    g_free(path);
    return problem;
}

#ifdef HAS_LANDLOCK
/* Rights of later kernels, which the headers may lack. */
#ifndef LANDLOCK_ACCESS_FS_REFER
#define LANDLOCK_ACCESS_FS_REFER (1ULL << 13)
#endif
#ifndef LANDLOCK_ACCESS_FS_TRUNCATE
#define LANDLOCK_ACCESS_FS_TRUNCATE (1ULL << 14)
#endif

enum { TCP_BIND = 1, TCP_CONNECT = 2 };

/* struct landlock_ruleset_attr of version 4. */
struct ruleset {
    uint64_t files, network;
};

/* All rights of version 1. */
static const uint64_t version_1 = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1;

static const uint64_t writing =
    LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR | LANDLOCK_ACCESS_FS_WRITE_FILE |
    LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
    LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_REFER | LANDLOCK_ACCESS_FS_TRUNCATE;

static struct ruleset ruleset_of(long version)
{
    return (struct ruleset){.files = version_1 | (version >= 2 ? LANDLOCK_ACCESS_FS_REFER : 0) |
                                     (version >= 3 ? LANDLOCK_ACCESS_FS_TRUNCATE : 0),
                            .network = version >= 4 ? TCP_BIND | TCP_CONNECT : 0};
}

/* Or its nearest parent that exists. */
static bool allow(int rules, const struct ruleset *ruleset, const char *folder, uint64_t rights)
{
    char *path = existing_folder(folder);
    struct landlock_path_beneath_attr beneath = {
        .allowed_access = rights & ruleset->files,
        .parent_fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC),
    };
    const bool done =
        beneath.parent_fd >= 0 &&
        syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0) == 0;

    if (beneath.parent_fd >= 0)
        close(beneath.parent_fd);
    g_free(path);
    return done;
}

static char *restrict_files(const char *const *folders)
{
    const long version =
        syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    const struct ruleset ruleset = ruleset_of(version);
    const size_t size = version >= 4 ? sizeof ruleset : sizeof ruleset.files;
    bool done = true;
    int rules;

    if (version < 1)
        return NULL; /* not in this kernel */
    rules = (int)syscall(SYS_landlock_create_ruleset, &ruleset, size, 0);
    if (rules < 0)
        return cannot("files cannot be put out of reach");
    for (; *folders && done; folders++)
        done = allow(rules, &ruleset, *folders, writing);
    /* libpcap reads the interfaces' drop counters there; not every system has it. */
    allow(rules, &ruleset, "/sys/class/net", LANDLOCK_ACCESS_FS_READ_FILE);
    allow(rules, &ruleset, "/sys/devices", LANDLOCK_ACCESS_FS_READ_FILE);
    /* For temporary files; see tmpfile(3). */
    done = done && allow(rules, &ruleset, P_tmpdir, writing) &&
           syscall(SYS_landlock_restrict_self, rules, 0) == 0;
    close(rules);
    return done ? NULL : cannot("files cannot be put out of reach");
}
#else
static char *restrict_files(const char *const *folders)
{
    (void)folders;
    return NULL;
}
#endif

/* --- All of it ------------------------------------------------------------------------------- */

char *sandbox_enter(const char *user, const char *const *folders)
{
    char *problem = user ? switch_user(user, folders) : NULL;

    if (!problem)
        problem = drop_capabilities();
    for (const char *const *folder = folders; *folder && !problem; folder++)
        problem = writing_problem(*folder);
    return problem ? problem : restrict_files(folders);
}
