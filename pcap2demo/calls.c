/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/calls.h"

#include <stddef.h>

#include "pcap2demo/config.h"

#ifdef QUAKESHARK_SECCOMP

#include <errno.h>
#include <glib.h>
#include <sched.h>
#include <seccomp.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>

/* Not every architecture has each: libseccomp leaves out what there is none of. */
static const char *const allowed[] = {
    /* what is open */
    "read", "readv", "pread64", "write", "writev", "pwrite64", "lseek", "_llseek", "close", "dup",
    "fcntl", "fcntl64", "flock", "ftruncate", "ftruncate64", "fallocate", "fsync", "fdatasync",
    "syncfs", "fstat", "fstat64", "fstatfs", "fstatfs64", "getdents64", "ioctl", "poll", "ppoll",
    "ppoll_time64", "select", "_newselect", "pselect6", "eventfd2",
    /* files; which ones, Landlock says */
    "open", "openat", "openat2", "stat", "stat64", "lstat", "lstat64", "newfstatat", "fstatat64",
    "statx", "statfs", "statfs64", "access", "faccessat", "faccessat2", "readlink", "readlinkat",
    "getcwd", "umask", "mkdir", "mkdirat", "link", "linkat", "rename", "renameat", "renameat2",
    "unlink", "unlinkat", "truncate", "truncate64",
    /* interfaces */
    "bind", "getsockname", "getsockopt", "setsockopt", "recvfrom", "recvmsg",
    /* memory */
    "brk", "munmap", "mremap", "madvise", "sysinfo",
    /* threads */
    "futex", "futex_time64", "set_robust_list", "rseq", "sched_yield", "sched_getaffinity",
    "gettid", "getpid", "getppid", "exit", "exit_group", "prlimit64", "getrlimit", "ugetrlimit",
    /* time */
    "clock_gettime", "clock_gettime64", "clock_getres", "clock_nanosleep", "clock_nanosleep_time64",
    "nanosleep", "gettimeofday", "time", "restart_syscall",
    /* signals */
    "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sigreturn", "sigaltstack", "tgkill",
    /* who it is */
    "getuid", "getuid32", "geteuid", "geteuid32", "getgid", "getgid32", "getegid", "getegid32",
    "uname", "getrandom"};

/* Sockets that libpcap, and questions about interfaces, need. */
static const int families[] = {AF_PACKET, AF_NETLINK, AF_INET, AF_INET6, AF_UNIX};

/* Whether there is such a call here. */
static bool find(const char *name, int *call)
{
    *call = seccomp_syscall_resolve_name(name);
    return *call != __NR_SCMP_ERROR;
}

static bool allow(scmp_filter_ctx filter, const char *name)
{
    int call;

    return !find(name, &call) || seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 0) == 0;
}

/* Where argument number `argument` is `value`. */
static struct scmp_arg_cmp equal(unsigned argument, scmp_datum_t value)
{
    return (struct scmp_arg_cmp){.arg = argument, .op = SCMP_CMP_EQ, .datum_a = value};
}

static bool allow_with(scmp_filter_ctx filter, const char *name, struct scmp_arg_cmp argument)
{
    int call;

    return !find(name, &call) ||
           seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, call, 1, &argument) == 0;
}

/* Memory, but none to be executed. */
static bool allow_memory(scmp_filter_ctx filter)
{
    const struct scmp_arg_cmp plain = {
        .arg = 2, .op = SCMP_CMP_MASKED_EQ, .datum_a = PROT_EXEC, .datum_b = 0};

    return allow_with(filter, "mmap", plain) && allow_with(filter, "mmap2", plain) &&
           allow_with(filter, "mprotect", plain);
}

/* Threads, but no processes. The C library takes clone() where there is no clone3(), whose
 * arguments cannot be looked at. */
static bool allow_threads(scmp_filter_ctx filter)
{
    const struct scmp_arg_cmp thread = {
        .arg = 0, .op = SCMP_CMP_MASKED_EQ, .datum_a = CLONE_THREAD, .datum_b = CLONE_THREAD};
    int call;

    return allow_with(filter, "clone", thread) &&
           (!find("clone3", &call) ||
            seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), call, 0) == 0) &&
           allow_with(filter, "prctl", equal(0, PR_SET_NAME));
}

/* systemd is told over a socket that is connected: an address cannot be given. */
static bool allow_sockets(scmp_filter_ctx filter)
{
    bool good = allow_with(filter, "sendto", equal(4, 0)) && allow(filter, "send");

    for (size_t i = 0; i < G_N_ELEMENTS(families) && good; i++)
        good = allow_with(filter, "socket", equal(0, (scmp_datum_t)families[i]));
    return good;
}

static bool fill(scmp_filter_ctx filter)
{
    bool good = true;

    for (size_t i = 0; i < G_N_ELEMENTS(allowed) && good; i++)
        good = allow(filter, allowed[i]);
    return good && allow_memory(filter) && allow_threads(filter) && allow_sockets(filter);
}

char *calls_restrict(void)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
    int error;

    if (!filter || !fill(filter)) {
        seccomp_release(filter);
        return g_strdup("system calls cannot be told apart");
    }
    error = seccomp_load(filter);
    seccomp_release(filter);
    /* A kernel, or a container, without it. */
    if (error == 0 || error == -EINVAL || error == -ENOSYS || error == -EOPNOTSUPP)
        return NULL;
    return g_strdup_printf("system calls cannot be refused: %s", g_strerror(-error));
}

#else
char *calls_restrict(void)
{
    return NULL;
}
#endif
