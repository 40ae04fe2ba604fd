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
/* --- User ------------------------------------------------------------------------------------ */

static char *cannot(const char *what)
{
    return g_strdup_printf("%s: %s", what, g_strerror(errno));
}

/* The folder that was just created: by its descriptor, since another user may have replaced it by a
 * link meanwhile. */
static char *change_owner(const struct passwd *user, const char *folder)
{
    const int file = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    char *problem = NULL;

    if (file < 0 || fchown(file, user->pw_uid, user->pw_gid) != 0)
        problem = cannot(folder);
    if (file >= 0)
        close(file);
    return problem;
}

/* Creates a missing folder, owned by the user. */
static char *make_folder_of(const struct passwd *user, const char *folder)
{
    char *problem;

    if (access(folder, F_OK) == 0 || geteuid() != 0)
        return NULL;
    problem = make_folders(folder);
    return problem ? problem : change_owner(user, folder);
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

#ifdef __linux__
static char *drop_capabilities(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {0};

    if (geteuid() != 0 && syscall(SYS_capset, &header, none) != 0)
        return cannot("capabilities cannot be dropped");
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return cannot("new privileges cannot be refused");
    return NULL;
}
#else
static char *drop_capabilities(void)
{
    return NULL;
}
#endif

char *sandbox_enter(const char *user, const char *const *folders)
{
    char *problem = user ? switch_user(user, folders) : NULL;

    return problem ? problem : drop_capabilities();
}
