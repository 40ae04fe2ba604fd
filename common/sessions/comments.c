/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/sessions/comments.h"

#include <glib.h>

struct qs_comments {
    GHashTable *texts; /* number of the packet -> text */
    GStringChunk *chunk;
};

struct qs_comments *qs_comments_new(void)
{
    struct qs_comments *comments = g_new0(struct qs_comments, 1);

    comments->texts = g_hash_table_new(g_direct_hash, g_direct_equal);
    comments->chunk = g_string_chunk_new(4096);
    return comments;
}

void qs_comments_free(struct qs_comments *comments)
{
    if (!comments)
        return;
    g_hash_table_destroy(comments->texts);
    g_string_chunk_free(comments->chunk);
    g_free(comments);
}

void qs_comments_set(struct qs_comments *comments, uint64_t number, struct qs_view comment)
{
    if (comment.size)
        g_hash_table_insert(comments->texts, GSIZE_TO_POINTER((gsize)number),
                            g_string_chunk_insert_len(comments->chunk, (const char *)comment.data,
                                                      (gssize)comment.size));
}

const char *qs_comments_find(const struct qs_comments *comments, uint64_t number)
{
    return comments ? g_hash_table_lookup(comments->texts, GSIZE_TO_POINTER((gsize)number)) : NULL;
}

bool qs_comments_has_any(const struct qs_comments *comments)
{
    return g_hash_table_size(comments->texts) != 0;
}
