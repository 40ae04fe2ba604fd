/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/recorder/notify.h"

#include <glib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int notify_socket = -1;

void notify_open(void)
{
    const char *name = g_getenv("NOTIFY_SOCKET");
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const size_t size = name ? strlen(name) : 0;

    if (!size || size >= sizeof address.sun_path || !strchr("/@", *name))
        return;
    memcpy(address.sun_path, name, size);
    if (*name == '@') /* an abstract name */
        address.sun_path[0] = '\0';
    notify_socket = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (notify_socket >= 0 &&
        connect(notify_socket, (const struct sockaddr *)&address,
                (socklen_t)(offsetof(struct sockaddr_un, sun_path) + size)) != 0)
        notify_close();
}

void notify_close(void)
{
    if (notify_socket >= 0)
        close(notify_socket);
    notify_socket = -1;
}

bool notify_is_active(void)
{
    return notify_socket >= 0;
}

void notify(const char *state)
{
    if (notify_socket >= 0)
        (void)!send(notify_socket, state, strlen(state), MSG_NOSIGNAL);
}
