/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The evidence of a late session for and against a donor, and the verdict. */
#include "common/demo/late_join/late_join.h"

void qs_donor_match_init(struct qs_donor_match *match, const struct qs_sign_on *sign_on,
                         enum qs_donor_kind kind)
{
    match->sign_on = sign_on;
    match->kind = kind;
    match->unknown = g_string_new(NULL);
}

void qs_donor_match_clear(struct qs_donor_match *match)
{
    g_string_free(match->unknown, TRUE);
}

void qs_donor_match_note(struct qs_donor_match *match, enum qs_evidence_kind kind, bool agrees)
{
    if (agrees)
        match->evidence[kind].agree++;
    else
        match->evidence[kind].differ++;
}

void qs_donor_match_unknown(struct qs_donor_match *match, bool is_unknown, const char *what)
{
    if (is_unknown)
        g_string_append_printf(match->unknown, "%s%s", match->unknown->len ? "; " : "", what);
}

/* Whether the evidence exceeds the limit. */
static bool exceeds(const struct qs_donor_match *match, const struct qs_evidence_limit *limit)
{
    const struct qs_evidence *evidence = &match->evidence[limit->kind];
    const uint64_t all = (uint64_t)evidence->agree + evidence->differ;

    return evidence->differ >= limit->min &&
           (uint64_t)evidence->differ * 100 > all * limit->hundredths;
}

static char *describe(enum qs_evidence_kind kind, const struct qs_evidence *evidence)
{
    static const char *const texts[QS_EVIDENCE_KINDS] = {
        [QS_EVIDENCE_BASELINES] = "entities contradict its baselines",
        [QS_EVIDENCE_STATES] = "entities differ from its own",
        [QS_EVIDENCE_ITEMS] = "items that the player takes lie elsewhere",
    };
    const uint32_t all = evidence->agree + evidence->differ;

    switch (kind) {
    case QS_EVIDENCE_PACKETS:
        return g_strdup_printf("with it, %u of %u packets of the session cannot be read; its "
                               "client probably had other protocol extensions",
                               evidence->differ, all);
    case QS_EVIDENCE_LISTS:
        return g_strdup_printf("%u models, sounds or images of the session differ in its lists",
                               evidence->differ);
    case QS_EVIDENCE_MODELS:
        return g_strdup("models of the session differ in its list, or are not there");
    default:
        return g_strdup_printf("%u of %u %s: it is of another map or game", evidence->differ, all,
                               texts[kind]);
    }
}

char *qs_donor_match_refusal(const struct qs_donor_match *match, int32_t donor_version,
                             const struct qs_evidence_limit *limits, size_t count)
{
    if (match->version != donor_version)
        return g_strdup_printf("its protocol is %d, that of the session %d", donor_version,
                               match->version);
    for (size_t i = 0; i < count; i++)
        if (exceeds(match, &limits[i]))
            return describe(limits[i].kind, &match->evidence[limits[i].kind]);
    return NULL;
}
