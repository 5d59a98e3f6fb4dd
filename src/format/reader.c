#include "format/reader.h"

/* To add a format: write src/format/<family>/read_<name>.c and list it here. */
extern const struct reader read_gcdump, read_digest, read_nettrace, read_core,
    read_minidump, read_heap_text, read_foreign, read_gcdump_report, read_table_csv,
    read_table_json, read_datadog, read_dumpheap;

const struct reader *const readers[] = {
    &read_gcdump,
    &read_digest,
    &read_nettrace,
    &read_heap_text,
    &read_core,
    &read_minidump,
    &read_foreign,
    &read_gcdump_report,
    &read_table_csv,
    &read_table_json,
    &read_datadog,
    &read_dumpheap,
    NULL,
};

const struct reader *reader_for(struct bytes head)
{
    const struct reader *perhaps = NULL;
    for (const struct reader *const *r = readers; *r != NULL; r++) {
        enum recognition how = (*r)->recognises(head);
        if (how == RECOGNISED_YES)
            return *r;
        if (how == RECOGNISED_MAYBE && perhaps == NULL)
            perhaps = *r;
    }
    return perhaps;
}

const char *hd_input_format_name(size_t i)
{
    return i + 1 < sizeof(readers) / sizeof(readers[0]) ? readers[i]->name : NULL;
}

const char *hd_input_format_summary(size_t i)
{
    return i + 1 < sizeof(readers) / sizeof(readers[0]) ? readers[i]->summary : NULL;
}
