#include "questions/asked_types.h"

#include "base/error.h"
#include "report/phrases.h"

const char *asked_pattern(struct hd_report *r, const struct hd_options *opt)
{
    struct text joined = {0};
    for (size_t i = 0; i < opt->type_count; i++)
        say(&joined, i > 0 ? " " : "", opt->types[i]);
    return report_keep_text(r, &joined);
}

bool asked_types_fail(const struct hd_report *r, const char *pattern,
                      const struct hd_snapshot *snap, struct hd_error *err)
{
    struct arena scratch = {0};
    struct text message = {0};
    const char **names = arena_array(&scratch, const char *, snap->type_count);
    size_t count = 0;
    for (type_id t = 0; t < snap->type_count; t++)
        if (type_has_row(&snap->types[t]))
            names[count++] = report_shown(r, snap->types[t].name);
    struct hd_no_match none = report_no_match(pattern, names, count, &scratch);
    phrase_no_match(&message, HD_BY_TYPE, &none);
    fail(err, HD_USAGE, "%s", text_string(&message));
    text_free(&message);
    arena_free(&scratch);
    return false;
}
