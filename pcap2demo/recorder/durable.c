/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pcap2demo/recorder/durable.h"

#include <fcntl.h>
#include <glib.h>
#include <stdbool.h>
#include <unistd.h>

#ifdef __linux__
enum { EVERY_S = 2 };

struct durable {
    int folder;
    GThread *thread;
    GMutex mutex;
    GCond stop;
    bool stopped;
};

/* Errors are told to those who write. */
static gpointer sync_often(gpointer data)
{
    struct durable *durable = data;

    g_mutex_lock(&durable->mutex);
    while (!durable->stopped) {
        const gint64 next = g_get_monotonic_time() + EVERY_S * G_TIME_SPAN_SECOND;

        while (!durable->stopped && g_cond_wait_until(&durable->stop, &durable->mutex, next))
            continue;
        g_mutex_unlock(&durable->mutex);
        syncfs(durable->folder);
        g_mutex_lock(&durable->mutex);
    }
    g_mutex_unlock(&durable->mutex);
    return NULL;
}

struct durable *durable_new(const char *folder)
{
    const int file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct durable *durable;

    if (file < 0)
        return NULL;
    durable = g_new0(struct durable, 1);
    durable->folder = file;
    g_mutex_init(&durable->mutex);
    g_cond_init(&durable->stop);
    durable->thread = g_thread_new("sync", sync_often, durable);
    return durable;
}

void durable_free(struct durable *durable)
{
    if (!durable)
        return;
    g_mutex_lock(&durable->mutex);
    durable->stopped = true;
    g_cond_signal(&durable->stop);
    g_mutex_unlock(&durable->mutex);
    g_thread_join(durable->thread);
    g_mutex_clear(&durable->mutex);
    g_cond_clear(&durable->stop);
    close(durable->folder);
    g_free(durable);
}
#else
struct durable *durable_new(const char *folder)
{
    (void)folder;
    return NULL;
}

void durable_free(struct durable *durable)
{
    (void)durable;
}
#endif
