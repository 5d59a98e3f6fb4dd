#include "report/format_units.h"

#include "base/text.h"
#include "heap/names.h"
#include "heap/place.h"

#include <string.h>

static const char ellipsis[] = "…";

void format_others(struct text *t, uint64_t n)
{
    say(t, "[", as_plural(n, "other"), "]");
}

void format_trend_of(struct text *t, const struct hd_tally *at, size_t count, size_t most)
{
    enum { BARS = 8, LOWEST_BAR = 0x2581 };
    uint64_t low = HD_UNKNOWN, high = 0;
    size_t bars = count < most || most < 2 ? count : most;
    for (size_t k = 0; k < count; k++) {
        low = at[k].count < low ? at[k].count : low;
        high = at[k].count > high ? at[k].count : high;
    }
    for (size_t i = 0; i < bars; i++) {
        size_t k = bars < count ? i * (count - 1) / (bars - 1) : i;
        double height = high > low ? (double)(at[k].count - low) / (double)(high - low) : 0;
        text_add_code_point(t, LOWEST_BAR + (uint32_t)(height * (BARS - 1) + 0.5));
    }
}

void format_trend(struct text *t, const struct hd_tally *at, size_t count)
{
    format_trend_of(t, at, count, count);
}

void format_bar(struct text *t, double share, unsigned columns)
{
    enum { EIGHTHS = 8, FULL_BLOCK = 0x2588 };
    double wanted = (share > 1 ? 1 : share) * columns * EIGHTHS;
    if (!(wanted > 0))
        return;
    unsigned eighths = wanted < 1 ? 1 : (unsigned)(wanted + 0.5);
    for (; eighths >= EIGHTHS; eighths -= EIGHTHS)
        text_add_code_point(t, FULL_BLOCK);
    if (eighths > 0) /* seven eighths are the next character, and so on */
        text_add_code_point(t, FULL_BLOCK + EIGHTHS - eighths);
}

void format_short_name(struct text *t, const char *name)
{
    if (name[0] == '[' || name[0] == '<') {
        format_name(t, name);
        return;
    }
    struct text s = {0};
    size_t token = 0; /* begin of the current dotted name in s */
    for (const char *c = name; *c != '\0'; c++) {
        bool begins_name =
            ascii_is_alnum(c[1]) || c[1] == '_' || (unsigned char)c[1] >= 0x80;
        if (*c == '.' && begins_name && s.len > token)
            s.len = token;
        else
            text_add_char(&s, *c);
        if (strchr("<>[],+ ()", *c) != NULL) /* ends one dotted name */
            token = s.len;
    }
    format_name(t, text_string(&s));
    text_free(&s);
}

/* mark: written before the type, after its namespaces are dropped. */
static void add_short_variable(struct text *t, struct place *p, const char *mark)
{
    struct text type = {0}, brief = {0}, name = {0};
    text_add(&type, p->type.at, p->type.len);
    text_add_string(&brief, mark);
    format_short_name(&brief, text_string(&type));
    p->type = (struct name_part){brief.data, brief.len};
    place_add(&name, p);
    format_name(t, text_string(&name));
    text_free(&type);
    text_free(&brief);
    text_free(&name);
}

void format_short_place(struct text *t, const char *name)
{
    struct place place = place_of(name);
    if (place.field.at != NULL)
        add_short_variable(t, &place, "");
    else
        format_short_name(t, name);
}

bool format_method(struct text *t, const char *type, bool short_name)
{
    struct async_method m;
    struct text of = {0}, method = {0};
    if (!async_method_of(&m, type))
        return false;
    text_add(&of, m.of, m.of_len);
    text_add_char(&method, '.');
    text_add(&method, m.method, m.method_len);
    if (short_name)
        format_short_name(t, text_string(&of));
    else
        format_name(t, text_string(&of));
    format_name(t, text_string(&method));
    text_free(&of);
    text_free(&method);
    return true;
}

void format_field(struct text *t, const char *type, const char *field)
{
    static const char elements[] = "[]";
    size_t len = strlen(type);
    if (field == NULL)
        return;
    if (strncmp(field, elements, strlen(elements)) == 0) {
        bool is_array = len > 0 && type[len - 1] == ']';
        format_name(t, field + (is_array ? strlen(elements) : 0));
        return;
    }
    text_add_char(t, '.');
    format_name(t, field);
}

bool format_leads_on(const struct hd_frame *f)
{
    const char *inside = f->fields[f->type_count - 1];
    return f->repeat_max > 1 && f->field != NULL &&
           (inside == NULL || strcmp(inside, f->field) != 0);
}

void format_frame(struct text *t, const struct hd_frame *f, bool short_names)
{
    bool repeated = f->repeat_max > 1;
    if (repeated && f->type_count > 1)
        text_add_char(t, '(');
    for (unsigned i = 0; i < f->type_count; i++) {
        say(t, i > 0 ? HOLDER_ARROW : "");
        const char *name = f->shown[i] != NULL ? f->shown[i] : f->types[i];
        if (short_names)
            format_short_name(t, name);
        else
            format_name(t, name);
        format_field(t, name, repeated ? f->fields[i] : f->field);
    }
    if (repeated && f->type_count > 1)
        text_add_char(t, ')');
    if (repeated)
        say(t, " ×", as_range(f->repeat_min, f->repeat_max));
    if (format_leads_on(f)) {
        text_add_char(t, ' ');
        format_field(t, f->types[f->type_count - 1], f->field);
    }
}

/* Returns the bytes of the character at i, at least 1. */
static size_t step_at(const char *s, size_t len, size_t i)
{
    size_t n = utf8_length((const unsigned char *)s + i, len - i);
    return n > 0 ? n : 1;
}

/* Returns the longest prefix, in bytes, of at most *columns columns; *columns becomes its
 * width. */
static size_t prefix(const char *s, size_t len, size_t *columns, bool ascii)
{
    size_t end = 0, used = 0;
    while (end < len) {
        size_t n = step_at(s, len, end), wide = printed_columns(s + end, n, ascii);
        if (used + wide > *columns)
            break;
        used += wide;
        end += n;
    }
    *columns = used;
    return end;
}

/* Returns the begin of the longest suffix of at most this many columns. */
static size_t suffix(const char *s, size_t len, size_t columns, bool ascii)
{
    size_t start = len, used = 0;
    while (start > 0) {
        size_t before = start - 1;
        while (before > 0 && ((unsigned char)s[before] & 0xC0) == 0x80)
            before--;
        used += printed_columns(s + before, start - before, ascii);
        if (used > columns)
            break;
        start = before;
    }
    /* A combining mark does not leave its letter. */
    while (start < len && utf8_columns(s + start, step_at(s, len, start)) == 0)
        start += step_at(s, len, start);
    return start;
}

void format_shorten(struct text *t, const char *s, size_t len, size_t columns, bool ascii)
{
    const size_t gap = printed_columns(ellipsis, strlen(ellipsis), ascii);
    if (printed_columns(s, len, ascii) <= columns) {
        text_add(t, s, len);
        return;
    }
    if (columns < gap)
        return;
    /* The end of a type's name is more informative than its namespace. */
    size_t head_columns = (columns - gap) * 2 / 5;
    size_t head = prefix(s, len, &head_columns, ascii);
    /* one is enough after a cut namespace */
    if (head >= strlen(ellipsis) &&
        memcmp(s + head - strlen(ellipsis), ellipsis, strlen(ellipsis)) == 0) {
        head -= strlen(ellipsis);
        head_columns -= gap;
    }
    size_t tail = suffix(s, len, columns - gap - head_columns, ascii);
    text_add(t, s, head);
    text_add_string(t, ellipsis);
    text_add(t, s + tail, len - tail);
}

enum { ARROW = sizeof(HOLDER_ARROW) - 1 };

/* Returns the bytes before the name: in "type App.*: App.Order", in " → App.Order". */
static size_t before_name(const char *s, size_t len)
{
    size_t start = 0;
    if (len >= ARROW && memcmp(s, HOLDER_ARROW, ARROW) == 0)
        return ARROW;
    for (size_t i = 0; i + 1 < len; i++)
        if (s[i] == ':' && s[i + 1] == ' ')
            start = i + 2;
    return start;
}

/* Appends a variable or a type without namespaces; ignores other names. */
static void add_plain(struct text *t, const char *name)
{
    struct place place = place_of(name);
    if (place.field.at != NULL) {
        add_short_variable(t, &place, ellipsis);
    } else if (place.kind == PLACE_TYPE && strchr(name, ' ') == NULL) {
        text_add_string(t, ellipsis);
        format_short_name(t, name);
    }
}

/* Appends the end of a holder: "… → List<Order> → Order[]", as many places as fit, without
 * namespaces. */
static void shorten_holder(struct text *t, const char *holder, size_t columns, bool ascii)
{
    struct arena scratch = {0};
    struct text tail = {0}, longer = {0};
    const char **places;
    const size_t lead = printed_columns("…" HOLDER_ARROW, strlen("…") + ARROW, ascii);
    size_t left = holder_split(holder, &places, &scratch);
    while (left > 0) {
        text_clear(&longer);
        format_short_name(&longer, places[left - 1]);
        text_add_string(&longer, tail.len > 0 ? HOLDER_ARROW : "");
        text_add(&longer, tail.data, tail.len);
        if (tail.len > 0 &&
            printed_columns(longer.data, longer.len, ascii) + (left == 1 ? 0 : lead) >
                columns)
            break;
        text_clear(&tail);
        text_add(&tail, longer.data, longer.len);
        left--;
    }
    text_add_string(t, left > 0 ? "…" HOLDER_ARROW : "");
    format_shorten(t, text_string(&tail), tail.len, columns - (left > 0 ? lead : 0), ascii);
    text_free(&tail);
    text_free(&longer);
    arena_free(&scratch);
}

void format_shorten_name(struct text *t, const char *s, size_t len, size_t columns,
                         bool ascii)
{
    enum { MIN_COLUMNS = 8 };
    struct text name = {0}, plain = {0};
    size_t start = before_name(s, len), head = printed_columns(s, start, ascii);
    if (printed_columns(s, len, ascii) > columns && columns >= head + MIN_COLUMNS) {
        text_add(&name, s + start, len - start);
        add_plain(&plain, text_string(&name));
    }
    if (name.len > 0 && *holder_place_end(text_string(&name)) != '\0') {
        text_add(t, s, start);
        shorten_holder(t, text_string(&name), columns - head, ascii);
    } else if (plain.len > 0 && printed_columns(plain.data, plain.len, ascii) <
                                    printed_columns(name.data, name.len, ascii)) {
        text_add(t, s, start);
        format_shorten(t, plain.data, plain.len, columns - head, ascii);
    } else {
        format_shorten(t, s, len, columns, ascii);
    }
    text_free(&name);
    text_free(&plain);
}

void format_shell_word(struct text *t, const char *word)
{
    static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                               "0123456789_-./=+,:@%";
    if (word[0] != '\0' && word[strspn(word, safe)] == '\0') {
        text_add_string(t, word);
        return;
    }
    text_add_char(t, '\'');
    for (; *word != '\0'; word++) {
        if (*word == '\'')
            text_add_string(t, "'\\''");
        else
            text_add_char(t, *word);
    }
    text_add_char(t, '\'');
}
