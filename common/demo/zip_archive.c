/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/demo/zip_archive.h"

#include "common/quakeworld/constants.h"

enum {
    MARK_FILE = 0x04034b50,      /* file header, "PK", 3, 4 */
    MARK_END = 0x06054b50,       /* end of the directory */
    MARK_LOCATOR64 = 0x07064b50, /* locator of the end of a large directory (zip64) */
    END_SIZE = 22,               /* size without the comment */
    COMMENT_MAX = 65535,
    SIZES_IN_END = 12 /* offset of the directory's size in the end record */
};

/* --- Written bytes --- */

enum { REACH = END_SIZE + COMMENT_MAX };

void qs_zip_watch_add(struct qs_zip_watch *watch, struct qs_view bytes)
{
    for (uint32_t i = 0; i < bytes.size; i++) {
        watch->last = watch->last >> 8 | (uint32_t)bytes.data[i] << 24;
        watch->behind++;
        if (watch->last == MARK_END || watch->last == MARK_LOCATOR64) {
            watch->seen = true;
            watch->behind = 0;
        }
    }
}

bool qs_zip_watch_is_near(const struct qs_zip_watch *watch)
{
    return watch->seen && watch->behind <= REACH;
}

/* --- Signatures --- */

static bool has_mark(struct qs_view rest, uint32_t mark)
{
    return rest.size >= 4 && qs_le32(rest.data) == mark;
}

bool qs_zip_begins(struct qs_view rest)
{
    return has_mark(rest, MARK_FILE) || has_mark(rest, MARK_END);
}

/* --- End of the directory --- */

/* True if the directory's end record is at `at`: its comment must reach to the end of the file. */
static bool is_end(struct qs_view archive, uint32_t at)
{
    const struct qs_view end = {archive.data + at, archive.size - at};

    return has_mark(end, MARK_END) && qs_le16(end.data + END_SIZE - 2) == end.size - END_SIZE;
}

/* Returns the offset of the directory's end record; the archive's size if it has none. */
static uint32_t find_end(struct qs_view archive)
{
    for (uint32_t back = END_SIZE; back <= archive.size && back <= END_SIZE + COMMENT_MAX; back++)
        if (is_end(archive, archive.size - back))
            return archive.size - back;
    return archive.size;
}

bool qs_zip_is_whole(struct qs_view rest)
{
    uint32_t end;

    if (!qs_zip_begins(rest))
        return false;
    end = find_end(rest);
    /* The directory precedes its end record, whichever base its offsets have. */
    return end < rest.size && qs_le32(rest.data + end + SIZES_IN_END) <= end;
}

enum qs_demo_status qs_zip_skip(struct qs_reader *in)
{
    const uint32_t size = qs_reader_left(in);

    if (!qs_zip_is_whole((struct qs_view){in->data + in->pos, size}))
        return QS_DEMO_CUT;
    qs_reader_bytes(in, size);
    return QS_DEMO_BLOCK;
}

void qs_zip_decode(struct qs_decoder *d)
{
    qs_summary(d, "Zip archive");
    qs_bytes(d, QW_APPENDIX, d->in.size);
}
