#include "format/reader.h"

/* To add a format: write src/core/format/<family>/read_<name>.c and list it here. */
extern const struct reader read_gcdump, read_digest, read_nettrace, read_heap_text,
    read_foreign, read_gcdump_report, read_table_csv, read_table_json, read_datadog,
    read_dumpheap;

static const struct reader *const snapshots[] = {
    &read_gcdump, &read_digest, &read_nettrace, &read_heap_text, NULL,
};

static const struct reader *const tables[] = {
    &read_foreign,
    &read_gcdump_report,
    &read_table_csv,
    &read_table_json,
    &read_datadog,
    &read_dumpheap,
    NULL,
};

/* The readers of clr; empty in a build without that house (src/absent). */
extern const struct reader *const clr_readers[];

static const struct reader *const *const lists[] = {snapshots, clr_readers, tables};

const struct reader *reader_at(size_t i)
{
    for (size_t list = 0; list < sizeof(lists) / sizeof(*lists); list++)
        for (const struct reader *const *r = lists[list]; *r != NULL; r++)
            if (i-- == 0)
                return *r;
    return NULL;
}

const struct reader *reader_for(struct bytes head)
{
    const struct reader *perhaps = NULL, *r;
    for (size_t i = 0; (r = reader_at(i)) != NULL; i++) {
        enum recognition how = r->recognises(head);
        if (how == RECOGNISED_YES)
            return r;
        if (how == RECOGNISED_MAYBE && perhaps == NULL)
            perhaps = r;
    }
    return perhaps;
}

const char *hd_input_format_name(size_t i)
{
    const struct reader *r = reader_at(i);
    return r != NULL ? r->name : NULL;
}

const char *hd_input_format_summary(size_t i)
{
    const struct reader *r = reader_at(i);
    return r != NULL ? r->summary : NULL;
}
