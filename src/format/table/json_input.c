#include "format/table/json_input.h"

#include "base/alloc.h"
#include "base/error.h"
#include "format/table/table_text.h"

#include <errno.h>
#include <string.h>

const struct json_fact json_facts[JSON_FACTS] = {
    {"host", offsetof(struct hd_info, host)},
    {"container", offsetof(struct hd_info, container)},
    {"program", offsetof(struct hd_info, program)},
    {"started", offsetof(struct hd_info, started)},
    {"runtime", offsetof(struct hd_info, runtime)},
};

char json_input_first_byte(struct bytes head)
{
    struct table_text t = table_text_of(head);
    char c = first_byte(t.all);
    table_text_close(&t);
    return c;
}

static uint64_t last_line(struct span text)
{
    struct lines l = lines_of(text);
    struct span line;
    while (lines_next(&l, &line))
        continue;
    return l.number;
}

/* Where memory fails the buffer of a name, jansson goes on without a character of it, and
 * sets errno to 0 before it reads a number. So it gets one byte at a time, and errno is
 * looked at before each. */
static size_t next_byte(void *to, size_t room, void *from)
{
    struct span *left = from;
    alloc_blame();
    if (left->len == 0 || room == 0)
        return 0;
    *(char *)to = *left->data++;
    left->len--;
    return 1;
}

/* What jansson makes of a text, about, and never less: malloc'd structs, tables of eight
 * places for empty arrays and objects, and doubling. It must be known before: jansson asks
 * nobody. */
static uint64_t memory_of(struct span text)
{
    enum { OBJECT = 256, ARRAY = 144, VALUE = 80, KEY = 144, STRING = 32 };
    uint64_t bytes = text.len;
    bool quoted = false;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.data[i];
        if (c == '"') {
            bytes += STRING;
            quoted = !quoted;
        } else if (quoted) {
            i += c == '\\';
        } else if (c == '{' || c == '[') {
            bytes += c == '{' ? OBJECT : ARRAY;
        } else if (c == ',' || c == ':') {
            bytes += c == ',' ? VALUE : KEY;
        }
    }
    return bytes;
}

json_t *json_input_load(struct input *in, struct builder *b, struct hd_error *err)
{
    struct account *account = builder_account(b);
    struct table_text t;
    json_error_t why;
    json_t *json = NULL;
    if (table_text_open(&t, in, b, err)) {
        account_charge(account, memory_of(t.all));
        bool fits = !account_is_over(account) || account_fail(account, err);
        struct span left = t.all;
        errno = 0;
        json = fits ? json_load_callback(next_byte, &left, 0, &why) : NULL;
        alloc_blame();
        if (fits && json == NULL) {
            /* jansson counts the line behind the last line end, where nothing is. */
            uint64_t last = last_line(t.all), line = why.line > 0 ? (uint64_t)why.line : 1;
            struct span text = {why.text, strlen(why.text)};
            fail_at_line(err, line < last ? line : last, "bad-json", "not valid JSON: %s",
                         excerpt_of(text).text);
        }
    }
    table_text_close(&t);
    return json;
}

bool json_input_number(const json_t *value, uint64_t *number)
{
    if (!json_is_integer(value) || json_integer_value(value) < 0)
        return false;
    *number = (uint64_t)json_integer_value(value);
    return true;
}
