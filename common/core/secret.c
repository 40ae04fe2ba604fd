/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/core/secret.h"

#include "common/core/decoder_state.h"
#include "common/core/infostring.h"
#include "common/core/text.h"

void qs_add_secret(struct qs_decoder *d, unsigned row, const char *purpose, struct qs_view user)
{
    struct qs_secret *secret;
    char *readable;

    if (d->in.overrun || d->secret_count == QS_SECRETS_MAX)
        return;
    secret = &d->secrets[d->secret_count++];
    *secret = (struct qs_secret){.row = row, .purpose = purpose};
    readable = qs_text_utf8(user);
    if (g_utf8_strlen(readable, -1) <= QS_SECRET_CHARACTERS)
        g_strlcpy(secret->user, readable, sizeof secret->user);
    g_free(readable);
}

/* "none" is what engines take for no password. */
void qs_add_userinfo_secret(struct qs_decoder *d, unsigned row, struct qs_view userinfo)
{
    const struct qs_view password = qs_info_value(userinfo, "password");

    if (password.size && !qs_view_equal(password, "none"))
        qs_add_secret(d, row, "server password", qs_info_value(userinfo, "name"));
}
