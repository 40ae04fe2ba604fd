/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Changes frames and lists in tshark and sharkd as Wireshark's window does. It is loaded before
 * them, and replaces two functions that they call in libwireshark. QUAKESHARK_WINDOW names the
 * action:
 *
 *   saved    File > Save: dissected frames move to other offsets in the file
 *   shifted  Edit > Time Shift: they get other times
 *   objects  File > Export Objects > Quake demos: the list is reset before packets come
 */
#include "plugin/ws_compat.h"

#include <dlfcn.h>
#include <epan/export_object.h>
#include <epan/frame_data.h>
#include <epan/tap.h>

static bool is_asked(const char *what)
{
    return g_strcmp0(g_getenv("QUAKESHARK_WINDOW"), what) == 0;
}

/* Moves the frame to the offset of the next one: data stored by offset is that packet's. */
static void save(frame_data *frame)
{
    frame->file_off += 16 + frame->cap_len;
}

/* Shifts each frame by another time, as Wireshark does if the user gives times to two of them. */
static void shift(frame_data *frame)
{
    const nstime_t offset = {.secs = 3600 + (time_t)frame->num, .nsecs = 999999999};

    nstime_add(&frame->abs_ts, &offset);
    nstime_add(&frame->shift_offset, &offset);
}

typedef void set_before_dissect(frame_data *, nstime_t *, const frame_data **, const frame_data *);

WS_DLL_PUBLIC void frame_data_set_before_dissect(frame_data *frame, nstime_t *elapsed,
                                                 const frame_data **reference,
                                                 const frame_data *displayed)
{
    set_before_dissect *next;

    *(void **)&next = dlsym(RTLD_NEXT, __func__);
    if (frame->visited && is_asked("saved"))
        save(frame);
    if (frame->visited && is_asked("shifted"))
        shift(frame);
    next(frame, elapsed, reference, displayed);
}

typedef void reset_all(void);

WS_DLL_PUBLIC void reset_tap_listeners(void)
{
    reset_all *next;

    *(void **)&next = dlsym(RTLD_NEXT, __func__);
    next();
    if (is_asked("objects"))
        get_eo_reset_func(get_eo_by_name("quake_demos"))();
}
