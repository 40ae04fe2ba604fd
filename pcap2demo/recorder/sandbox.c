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
#include <sys/stat.h>
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

/* Makes the last folder of `path` within `parent`. */
static bool make_below(int parent, const char *path, const struct passwd *user)
{
    const char *name = strrchr(path, '/') + 1;

    return parent >= 0 && mkdirat(parent, name, 0777) == 0 &&
           fchownat(parent, name, user->pw_uid, user->pw_gid, AT_SYMLINK_NOFOLLOW) == 0;
}

/* Creates a missing folder, owned by the user; NULL: unchanged. Another user may put links in place
 * of it or of its parent meanwhile: they are not followed. */
static char *make_folder_of(const struct passwd *user, const char *folder)
{
    char *path, *parent, *problem;
    int fd;

    if (!user || access(folder, F_OK) == 0)
        return make_folders(folder);
    path = g_canonicalize_filename(folder, NULL);
    parent = g_path_get_dirname(path);
    problem = make_folders(parent);
    fd = problem ? -1 : open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (!problem && !make_below(fd, path, user))
        problem = cannot(folder);
    if (fd >= 0)
        close(fd);
    g_free(parent);
    g_free(path);
    return problem;
}

/* Groups first: the user has no right to change them. */
static char *switch_user(const struct passwd *user, const char *name)
{
    if (initgroups(user->pw_name, user->pw_gid) != 0 || setgid(user->pw_gid) != 0 ||
        setuid(user->pw_uid) != 0)
        return g_strdup_printf("-Z %s: %s", name, g_strerror(errno));
    if (user->pw_uid && setuid(0) == 0)
        return g_strdup_printf("-Z %s: the user could become root again", name);
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
        return cannot("PR_SET_NO_NEW_PRIVS");
#endif
    return NULL;
}

/* --- Files ----------------------------------------------------------------------------------- */

#ifdef HAS_LANDLOCK
/* Version 1 has 13 rights to files, a bit each; 2 and 3 have another, which headers may lack. */
enum { RIGHTS_BEFORE = 12, VERSION_MAX = 3, VERSION_TCP = 4 };

/* struct landlock_ruleset_attr of VERSION_TCP. */
struct ruleset {
    uint64_t files, tcp;
};

static const uint64_t not_for_writing =
    LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_SOCK |
    LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM;

static bool allow(int rules, const char *folder, uint64_t rights)
{
    const struct landlock_path_beneath_attr beneath = {
        .allowed_access = rights, .parent_fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC)};
    const bool done =
        beneath.parent_fd >= 0 &&
        syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0) == 0;

    if (beneath.parent_fd >= 0)
        close(beneath.parent_fd);
    return done;
}

static bool restrict_files(const char *const *folders)
{
    const long version =
        syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    const struct ruleset ruleset = {
        .files = (UINT64_C(1) << (RIGHTS_BEFORE + CLAMP(version, 1, VERSION_MAX))) - 1,
        .tcp = 3 /* binding, connecting */};
    const uint64_t writing = ruleset.files & ~not_for_writing;
    bool done = true;
    int rules;

    if (version < 1)
        return true; /* not in this kernel */
    rules = (int)syscall(SYS_landlock_create_ruleset, &ruleset,
                         version < VERSION_TCP ? sizeof ruleset.files : sizeof ruleset, 0);
    for (; *folders && done; folders++)
        done = allow(rules, *folders, writing);
    /* libpcap reads the interfaces' drop counters there; not every system has it. */
    allow(rules, "/sys/class/net", LANDLOCK_ACCESS_FS_READ_FILE);
    allow(rules, "/sys/devices", LANDLOCK_ACCESS_FS_READ_FILE);
    /* For temporary files; see tmpfile(3). */
    done = done && allow(rules, P_tmpdir, writing) &&
           syscall(SYS_landlock_restrict_self, rules, 0) == 0;
    close(rules);
    return done;
}
#else
static bool restrict_files(const char *const *folders)
{
    (void)folders;
    return true;
}
#endif

/* --- All of it ------------------------------------------------------------------------------- */

char *sandbox_enter(const char *name, const char *const *folders)
{
    const struct passwd *user = name ? getpwnam(name) : NULL;
    char *problem = name && !user ? g_strdup_printf("-Z %s: there is no such user", name) : NULL;

    for (const char *const *folder = folders; *folder && !problem; folder++)
        problem = make_folder_of(user, *folder);
    if (!problem && user)
        problem = switch_user(user, name);
    if (!problem)
        problem = drop_capabilities();
    for (const char *const *folder = folders; *folder && !problem; folder++)
        if (faccessat(AT_FDCWD, *folder, W_OK | X_OK, AT_EACCESS) != 0)
            problem = cannot(*folder);
    return problem || restrict_files(folders) ? problem : cannot("Landlock cannot restrict files");
}
