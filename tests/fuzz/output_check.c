#include "fuzz/output_check.h"

#include "fuzz/meter.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static bool is(const char *name, const char *const *all)
{
    while (*all != NULL && strcmp(*all, name) != 0)
        all++;
    return *all != NULL;
}

struct output_check output_check_of(size_t i, bool ascii)
{
    static const char *const json[] = {"json", "sarif", "speedscope", NULL},
                             *const text[] = {"text", NULL};
    const char *name = hd_format_name(i);
    return (struct output_check){.is_binary = hd_format_is_binary(i),
                                 .is_json = is(name, json),
                                 .is_ascii = ascii && is(name, text),
                                 .is_page = strcmp(name, "html") == 0};
}

struct output_check output_check_of_text(void)
{
    return (struct output_check){0};
}

static void check_bytes(const struct output_check *check, const unsigned char *s,
                        size_t size)
{
    for (size_t i = 0; i < size; i++) {
        bool is_blank = s[i] == '\n' || s[i] == '\t' || s[i] == '\r';
        if ((s[i] < 0x20 && !is_blank) || s[i] == 0x7F || (check->is_ascii && s[i] > 0x7F))
            abort();
    }
}

/* A page is large and nearly the same for every snapshot, so it is not buffered. */
static int take(void *context, const void *bytes, size_t size)
{
    struct output_check *check = context;
    meter_pause();
    if (!check->is_binary)
        check_bytes(check, bytes, size);
    if (!check->is_page && !check->is_binary)
        text_add(&check->text, bytes, size);
    meter_go_on();
    return 0;
}

struct hd_sink output_check_sink(struct output_check *check)
{
    return (struct hd_sink){take, check};
}

static void check_utf8(const struct output_check *check)
{
    const unsigned char *s = (const unsigned char *)check->text.data;
    for (size_t i = 0, n; i < check->text.len; i += n) {
        n = utf8_length(s + i, check->text.len - i);
        if (n == 0 || (n > 1 && text_is_control(utf8_decode(s + i, n))))
            abort();
    }
}

void output_check_end(struct output_check *check)
{
    meter_pause();
    if (check->text.len > 0) {
        check_utf8(check);
        json_error_t err;
        json_t *json = check->is_json ? json_loadb(check->text.data, check->text.len,
                                                   JSON_REJECT_DUPLICATES, &err)
                                      : NULL;
        if (check->is_json && json == NULL)
            abort();
        json_decref(json);
    }
    text_free(&check->text);
    meter_go_on();
}
