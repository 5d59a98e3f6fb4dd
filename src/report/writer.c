#include "report/writer.h"

#include "base/error.h"

#include <string.h>

/* To add a format: write src/report/write_<name>.c and list it here. */
extern const struct writer write_text, write_json, write_csv, write_tsv, write_markdown;

const struct writer *const writers[] = {
    &write_text, &write_json, &write_csv, &write_tsv, &write_markdown, NULL,
};

const char *hd_format_name(size_t i)
{
    return i + 1 < sizeof(writers) / sizeof(writers[0]) ? writers[i]->name : NULL;
}

const char *hd_format_summary(size_t i)
{
    return i + 1 < sizeof(writers) / sizeof(writers[0]) ? writers[i]->summary : NULL;
}

bool hd_report_write(const struct hd_report *report, const char *format,
                     const struct hd_write_options *opt, FILE *to, struct hd_error *err)
{
    static const struct hd_write_options plain;
    for (const struct writer *const *w = writers; *w != NULL; w++) {
        if (strcmp((*w)->name, format) != 0)
            continue;
        struct out out = {.file = to};
        (*w)->write(report, opt != NULL ? opt : &plain, &out);
        return out_finish(&out, err);
    }
    return fail(err, HD_USAGE, "unknown output format: %s", format);
}
