
#include "base/error.h"
#include "base/hash.h"
#include "base/quantity.h"
#include "base/say.h"
#include "budget/budgets.h"

#include <inttypes.h>
#include <string.h>

static const char signature[] = "heapdrift-baseline";
enum { BASELINE_VERSION = 1, COLUMNS = 7 };

static const char *const kind_names[HD_ACCEPTED_KIND_COUNT] = {
    [HD_ACCEPTED_TOTAL] = "total",
    [HD_ACCEPTED_TYPE] = "type",
    [HD_ACCEPTED_HOLDER] = "holder",
    [HD_ACCEPTED_PROCESS] = "process"};

struct accepted_slot {
    size_t index;
    UT_hash_handle hh;
    char key[]; /* kind, name */
};

/* --- looking up ---------------------------------------------------------- */

static struct accepted_slot *find(const struct baseline *b, enum hd_accepted_kind kind,
                                  const char *name)
{
    struct text key = {0};
    text_add_char(&key, (char)('0' + kind));
    text_add_string(&key, name);
    struct accepted_slot *slot;
    HASH_FIND(hh, b->slots, key.data, key.len, slot);
    text_free(&key);
    return slot;
}

void baseline_add(struct baseline *b, const struct hd_accepted *accepted)
{
    size_t len = strlen(accepted->name) + 1;
    struct accepted_slot *slot = arena_alloc(&b->arena, sizeof(*slot) + len);
    slot->index = b->len;
    slot->key[0] = (char)('0' + accepted->kind);
    memcpy(slot->key + 1, accepted->name, len - 1);
    HASH_ADD_KEYPTR(hh, b->slots, slot->key, len, slot);
    b->all = grow(b->all, b->len, &b->cap, sizeof(*b->all));
    b->all[b->len++] = *accepted;
}

struct hd_accepted baseline_find(const struct baseline *b, enum hd_accepted_kind kind,
                                 const char *name)
{
    const struct accepted_slot *slot = find(b, kind, name);
    return slot != NULL ? b->all[slot->index] : (struct hd_accepted){.kind = kind};
}

void baseline_free(struct baseline *b)
{
    HASH_CLEAR(hh, b->slots);
    arena_free(&b->arena);
    free(b->all);
    *b = (struct baseline){0};
}

/* --- writing ------------------------------------------------------------- */

static int by_kind_and_name(const void *a, const void *b)
{
    const struct hd_accepted *x = a, *y = b;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return strcmp(x->name, y->name);
}

const struct hd_accepted_growth *baseline_growth(const struct baseline *b, struct arena *a)
{
    struct hd_accepted_growth *g = arena_alloc(a, sizeof(*g));
    *g = (struct hd_accepted_growth){.all = arena_array(a, struct hd_accepted, b->len),
                                     .count = b->len,
                                     .snapshots = b->snapshots,
                                     .iterations = b->iterations,
                                     .seconds = b->seconds};
    for (size_t i = 0; i < b->len; i++) {
        g->all[i] = b->all[i];
        g->all[i].name = arena_strdup(a, b->all[i].name, strlen(b->all[i].name));
    }
    qsort(g->all, g->count, sizeof(*g->all), by_kind_and_name);
    return g;
}

static const char escaped[] = "\\\t\n\r", escapes[] = "\\tnr";

static void add_byte(struct text *t, char byte)
{
    const char *known = strchr(escaped, byte);
    char code[8];
    if (known != NULL)
        snprintf(code, sizeof(code), "\\%c", escapes[known - escaped]);
    else
        snprintf(code, sizeof(code), "\\x%02x", (unsigned)(unsigned char)byte);
    text_add_string(t, code);
}

/* Appends a name, which is bytes, with escapes for line ends, column separators, terminal
 * controls and invalid UTF-8: the file is read in diffs of git. */
static void baseline_add_name(struct text *t, const char *name)
{
    for (size_t left = strlen(name), n; left > 0; name += n, left -= n) {
        const unsigned char *at = (const unsigned char *)name;
        size_t length = utf8_length(at, left);
        bool shown =
            length > 0 && *name != '\\' && !text_is_control(utf8_decode(at, length));
        n = length > 0 ? length : 1;
        for (size_t i = 0; !shown && i < n; i++)
            add_byte(t, name[i]);
        if (shown)
            text_add(t, name, n);
    }
}

void baseline_print(struct text *t, const struct hd_accepted_growth *g)
{
    say(t, signature, "\t", as_digits(BASELINE_VERSION),
        "\n# Growth that `heapdrift check --baseline` accepts. Written by "
        "--baseline-write; keep it in git.\nsnapshots\t",
        as_digits(g->snapshots), "\n");
    if (g->iterations != HD_UNKNOWN)
        say(t, "iterations\t", as_digits(g->iterations), "\n");
    if (g->seconds != HD_UNKNOWN)
        say(t, "seconds\t", as_digits(g->seconds), "\n");
    say(t, "# what\tcount\tbytes\tcount of a step\tbytes of a step\tscore\tname\n");
    for (size_t i = 0; i < g->count; i++) {
        const struct hd_accepted *a = &g->all[i];
        say(t, kind_names[a->kind], "\t", as_digits(a->count), "\t", as_digits(a->bytes),
            "\t", as_digits(a->step_count), "\t", as_digits(a->step_bytes), "\t",
            as_digits(a->score), "\t");
        baseline_add_name(t, a->name);
        say(t, "\n");
    }
}

/* --- reading ------------------------------------------------------------- */

struct line_reader {
    struct baseline *b;
    struct arena *arena;
    uint64_t line;
    struct hd_error *err;
};

static const char twice[] = "is listed twice; keep one of the two lines";

static bool bad_line(struct line_reader *r, const char *kind, const char *what)
{
    return fail_at_line(r->err, r->line, kind, "%s", what);
}

static int hex_digit(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = c != '\0' ? strchr(digits, c) : NULL;
    return at != NULL ? (int)(at - digits) : -1;
}

/* The name without its escapes, in place; false if one is unknown. */
static bool unescape(char *s)
{
    char *to = s;
    for (; *s != '\0'; s++) {
        if (*s != '\\') {
            *to++ = *s;
            continue;
        }
        s++;
        const char *letter = *s != '\0' ? strchr(escapes, *s) : NULL;
        int high = *s == 'x' ? hex_digit(s[1]) : -1;
        int low = high >= 0 ? hex_digit(s[2]) : -1;
        char byte = (char)(unsigned char)(low >= 0 ? high << 4 | low : 0);
        if (byte == '\0' && letter == NULL) /* no name has a zero */
            return false;
        s += byte != '\0' ? 2 : 0;
        if (byte == '\0')
            byte = escaped[letter - escapes];
        *to++ = byte;
    }
    *to = '\0';
    return true;
}

/* A total that no rule uses would be growth that is never accepted. */
static bool is_one_of(const char *name, const char *const *names)
{
    while (*names != NULL && strcmp(name, *names) != 0)
        names++;
    return *names != NULL;
}

static bool take_accepted(struct line_reader *r, char **columns)
{
    struct hd_accepted a = {.kind = HD_ACCEPTED_KIND_COUNT, .name = columns[COLUMNS - 1]};
    for (int k = 0; k < HD_ACCEPTED_KIND_COUNT; k++)
        if (strcmp(columns[0], kind_names[k]) == 0)
            a.kind = (enum hd_accepted_kind)k;
    if (a.kind == HD_ACCEPTED_KIND_COUNT)
        return bad_line(
            r, "unknown-line",
            "must begin with total, type, holder, process, snapshots, iterations or "
            "seconds");
    uint64_t *const numbers[] = {&a.count, &a.bytes, &a.step_count, &a.step_bytes,
                                 &a.score};
    for (size_t i = 0; i < COLUMNS - 2; i++)
        if (!quantity_count(columns[i + 1], numbers[i]))
            return bad_line(r, "bad-number", "columns 2 to 6 must be whole numbers");
    if (!unescape(columns[COLUMNS - 1]) || a.name[0] == '\0')
        return bad_line(r, "bad-name", "the last column is not a name");
    if (a.kind == HD_ACCEPTED_TOTAL && !is_one_of(a.name, budget_total_names))
        return bad_line(r, "unknown-total",
                        "the total must be bytes, objects or reachable_bytes");
    if (a.kind == HD_ACCEPTED_PROCESS && !is_one_of(a.name, budget_process_names))
        return bad_line(r, "unknown-process",
                        "the process has size, resident, private, native, fragmented, "
                        "threads and handles");
    if (find(r->b, a.kind, a.name) != NULL)
        return bad_line(r, "duplicate", twice);
    a.name = arena_strdup(r->arena, a.name, strlen(a.name));
    baseline_add(r->b, &a);
    return true;
}

static bool take_line(struct line_reader *r, char *line)
{
    char *columns[COLUMNS];
    size_t count = 0;
    if (r->line > 1 && (line[0] == '\0' || line[0] == '#'))
        return true;
    /* Split at tabs, in place; the last column keeps what is left. */
    size_t n = 0;
    columns[n++] = line;
    for (char *tab; n < COLUMNS && (tab = strchr(columns[n - 1], '\t')) != NULL; n++) {
        *tab = '\0';
        columns[n] = tab + 1;
    }
    count = n;
    if (r->line == 1) {
        uint64_t version = 0;
        if (count != 2 || strcmp(columns[0], signature) != 0 ||
            !quantity_count(columns[1], &version))
            return bad_line(r, "no-baseline", "a baseline begins with heapdrift-baseline");
        if (version != BASELINE_VERSION)
            return fail_at_line_about(r->err, HD_ABOUT_BASELINE, r->line, "unknown-version",
                                      "baseline of version %" PRIu64
                                      "; heapdrift reads version %d: write it again",
                                      version, BASELINE_VERSION);
        return true;
    }
    if (count == COLUMNS)
        return take_accepted(r, columns);
    static const char *const lengths[] = {"snapshots", "iterations", "seconds"};
    uint64_t *const to[] = {&r->b->snapshots, &r->b->iterations, &r->b->seconds};
    for (size_t i = 0; count == 2 && i < sizeof(to) / sizeof(*to); i++) {
        if (strcmp(columns[0], lengths[i]) != 0)
            continue;
        if (*to[i] != HD_UNKNOWN)
            return bad_line(r, "duplicate", twice);
        return quantity_count(columns[1], to[i]) ||
               bad_line(r, "bad-number", "must be a whole number");
    }
    return bad_line(r, "bad-line", "7 columns, separated by tabs, are expected");
}

bool baseline_parse(struct baseline *b, const char *data, size_t size, struct arena *a,
                    struct hd_error *err)
{
    struct line_reader r = {.b = b, .arena = a, .err = err};
    struct text line = {0};
    bool ok = true;
    b->snapshots = b->iterations = b->seconds = HD_UNKNOWN;
    for (size_t at = 0; ok && at < size;) {
        const char *end = memchr(data + at, '\n', size - at);
        size_t len = end != NULL ? (size_t)(end - data) - at : size - at;
        size_t next = at + len + 1;
        if (len > 0 && data[at + len - 1] == '\r')
            len--;
        r.line++;
        text_clear(&line);
        text_add(&line, data + at, len);
        text_add_char(&line, '\0');
        ok = memchr(line.data, '\0', len) == NULL
                 ? take_line(&r, line.data)
                 : bad_line(&r, "bad-line", "contains a NUL byte");
        at = next;
    }
    text_free(&line);
    if (ok && r.line <= 1)
        ok = fail_at_line_about(err, HD_ABOUT_BASELINE, 1, "no-baseline",
                                "an empty file; write it with --baseline-write");
    if (ok && (b->snapshots < 2 || b->snapshots == HD_UNKNOWN))
        ok = bad_line(&r, "no-baseline", "has no number of snapshots");
    return ok;
}
