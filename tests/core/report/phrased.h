/* phrased.h - phrases of a finding as strings, for comparison. */
#ifndef PHRASED_H
#define PHRASED_H

#include "report/phrases.h"

/* Returns buffer, which is valid until the next call. "-" if there is no phrase. */
static inline const char *phrased(char buffer[512], struct text *t, bool any)
{
    snprintf(buffer, 512, "%s", any ? text_string(t) : "-");
    text_free(t);
    return buffer;
}

static inline const char *text_of_observed(const struct hd_finding *rule)
{
    static char buffer[512];
    struct text t = {0};
    bool any = phrase_observed(&t, rule);
    return phrased(buffer, &t, any);
}

static inline const char *text_of_reason(const struct hd_finding *rule)
{
    static char buffer[512];
    struct text t = {0};
    bool any = phrase_reason(&t, rule);
    return phrased(buffer, &t, any);
}

static inline const char *text_of_limit(const struct hd_finding *rule)
{
    static char buffer[512];
    struct text t = {0};
    phrase_limit(&t, rule);
    return phrased(buffer, &t, true);
}

#endif
