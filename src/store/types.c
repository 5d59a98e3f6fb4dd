#include "store/types.h"

char *json_to_text(const json_t *value)
{
    char *text = json_dumps(value, JSON_COMPACT);
    if (text == NULL)
        out_of_memory(0);
    return text;
}

/* In the order of the names: two writers that wait for each other's would wait forever.
 * What is there already is left out, which costs no number. */
bool types_add(struct hd_store *s, const char *rows, unsigned at, struct hd_error *err)
{
    const struct value values[] = {of_text(rows), of_number(at)};
    return store_run(
        s,
        "INSERT INTO type (name) SELECT DISTINCT value ->> CAST($2 AS INTEGER) "
        "FROM {each}($1) AS e WHERE NOT EXISTS (SELECT 1 FROM type WHERE "
        "type.name = value ->> CAST($2 AS INTEGER)) ORDER BY 1 "
        "ON CONFLICT (name) DO NOTHING",
        values, 2, err);
}
