#include "cli/options/options.h"

#include "cli/guard/allocate.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* --- kinds ----------------------------------------------------------------- */

/* The properties that all values of a kind share. */
struct values_kind {
    const char *argument, *wanted; /* name in help; the expected kind of value */
    const char *const *words;      /* examples */
    const char *(*parse)(struct settings *s, const struct option *o, const char *value);
};
static const struct values_kind kinds[OPTION_OTHER + 1];

/* The kind of value that was expected; NULL if its parser returns that. */
static const char *wanted_of(const struct option *o)
{
    return o->wanted != NULL ? o->wanted : kinds[o->kind].wanted;
}

/* --- numbers --------------------------------------------------------------- */

/* The limits of a number, as people write it: 1,000,000. */
static const char *range(struct settings *s, uint64_t least, uint64_t most)
{
    char digits[24], grouped[32];
    int len = snprintf(digits, sizeof(digits), "%" PRIu64, most), n = 0;
    for (int i = 0; i < len; i++) {
        if (i > 0 && (len - i) % 3 == 0)
            grouped[n++] = ',';
        grouped[n++] = digits[i];
    }
    snprintf(s->wanted, sizeof(s->wanted), "a whole number from %" PRIu64 " to %.*s", least,
             n, grouped);
    return s->wanted;
}

static const char *parse_number(struct settings *s, const char *value, uint64_t least,
                                uint64_t most, uint64_t *n)
{
    char *end;
    errno = 0;
    unsigned long long got = strtoull(value, &end, 10);
    if (errno != 0 || *end != '\0' || value[0] < '0' || value[0] > '9' || got < least ||
        got > most)
        return range(s, least, most);
    *n = got;
    return NULL;
}

const char *parse_count(struct settings *s, const char *value, uint32_t least,
                        uint32_t most, uint32_t *n)
{
    uint64_t got = 0;
    const char *wrong = parse_number(s, value, least, most, &got);
    if (wrong == NULL)
        *n = (uint32_t)got;
    return wrong;
}

void *option_place(const struct settings *s, size_t at)
{
    return at < sizeof(*s) ? (char *)s + at : (char *)s->own + (at - sizeof(*s));
}

static const char *parse_flag(struct settings *s, const struct option *o, const char *value)
{
    (void)value;
    *(bool *)option_place(s, o->at) = true;
    return NULL;
}

static const char *parse_small_number(struct settings *s, const struct option *o,
                                      const char *value)
{
    return parse_count(s, value, (uint32_t)o->least, (uint32_t)o->most,
                       option_place(s, o->at));
}

/* Those of processes are an int to the kernel. */
static const char *parse_any_number(struct settings *s, const struct option *o,
                                    const char *value)
{
    const char *wrong = parse_number(s, value, o->least, o->most, option_place(s, o->at));
    return wrong != NULL && wanted_of(o) != NULL ? wanted_of(o) : wrong;
}

static const char *parse_size(struct settings *s, const struct option *o, const char *value)
{
    uint64_t *bytes = option_place(s, o->at);
    if (!hd_size_from_text(value, bytes))
        return "a size such as 64KiB, 10MB or 1.5GiB";
    return *bytes < o->least ? "more than 0" : NULL;
}

/* The decimal number that value begins with, and what is behind it; NULL if there is none.
 * strtod() would take "0x10" and "1e1" as well. */
static const char *parse_decimal(const char *value, double *n)
{
    size_t len = strspn(value, "0123456789.");
    char *end;
    *n = strtod(value, &end);
    return len > 0 && end == value + len ? end : NULL;
}

/* A size into one member, or a share into the other; the one that is not given becomes 0.
 */
static const char *parse_share(struct settings *s, const struct option *o,
                               const char *value)
{
    uint64_t *bytes = option_place(s, o->at);
    double *share = option_place(s, o->share_at), percent;
    size_t len = strlen(value);
    if (len == 0 || value[len - 1] != '%') {
        *share = 0;
        return hd_size_from_text(value, bytes)
                   ? NULL
                   : "a size such as 1MiB, or a share such as 2%";
    }
    if (parse_decimal(value, &percent) != value + len - 1 || percent > 100)
        return "a share from 0% to 100%";
    *share = percent / 100;
    *bytes = 0;
    return NULL;
}

/* A number of hosts, or a share of them; the share is -1 for a number. */
static const char *parse_hosts(struct settings *s, const struct option *o,
                               const char *value)
{
    bool is_share = value[0] != '\0' && value[strlen(value) - 1] == '%';
    const char *wrong = is_share
                            ? parse_share(s, o, value)
                            : parse_number(s, value, 0, UINT64_MAX, option_place(s, o->at));
    if (!is_share)
        *(double *)option_place(s, o->share_at) = -1;
    return wrong == NULL ? NULL : "a number of hosts, or a share of them such as 5%";
}

struct unit {
    const char *name;
    double factor;
};

/* A number and its unit, up to a most; how much that is. False: it is neither. */
static bool parse_with_unit(const char *value, const struct unit *units, size_t count,
                            double most, double *n)
{
    const char *unit = parse_decimal(value, n);
    for (size_t i = 0; unit != NULL && i < count; i++)
        if (strcmp(unit, units[i].name) == 0) {
            *n *= units[i].factor;
            return *n <= most;
        }
    return false;
}

/* Seconds; or with a unit. A month is more than enough. */
static const char *parse_duration(struct settings *s, const struct option *o,
                                  const char *value)
{
    static const struct unit units[] = {{"", 1e3},  {"ms", 1},    {"s", 1e3},
                                        {"m", 6e4}, {"min", 6e4}, {"h", 3.6e6}};
    double n;
    if (!parse_with_unit(value, units, sizeof(units) / sizeof(*units), 31 * 24 * 3.6e6, &n))
        return "seconds, or a time such as 500ms, 30s, 5m, 1h";
    *(uint64_t *)option_place(s, o->at) = (uint64_t)n;
    return (uint64_t)n < o->least ? "more than 0" : NULL;
}

/* How long ago, or how long to keep: with a unit always; more than 0. A year has 365 days.
 */
static const char *parse_past(const char *value, double *seconds)
{
    static const struct unit units[] = {
        {"m", 60}, {"h", 3600}, {"d", 86400}, {"w", 7 * 86400}, {"y", 365 * 86400}};
    double n;
    if (!parse_with_unit(value, units, sizeof(units) / sizeof(*units), 100.0 * 365 * 86400,
                         &n) ||
        !(n > 0))
        return "a time with its unit: 12h, 7d, 4w, 1y";
    *seconds = n;
    return NULL;
}

static const char *parse_age(struct settings *s, const struct option *o, const char *value)
{
    return parse_past(value, option_place(s, o->at));
}

/* --- points in time -------------------------------------------------------- */

/* 2026-11-22, 2026-11-22T14:05, 2026-11-22T14:05:30, each with or without a Z. What no
 * month has, and what is written in another way, is not what is printed again. */
static bool parse_date(const char *value, double *seconds)
{
    static const char *const forms[] = {"%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"};
    size_t len = strlen(value);
    len -= len > 0 && value[len - 1] == 'Z';
    for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
        struct tm tm = {0};
        char again[32];
        if (sscanf(value, "%4d-%2d-%2dT%2d:%2d:%2d", &tm.tm_year, &tm.tm_mon, &tm.tm_mday,
                   &tm.tm_hour, &tm.tm_min, &tm.tm_sec) < 3)
            return false;
        tm.tm_year -= 1900;
        tm.tm_mon--;
        *seconds = (double)timegm(&tm);
        if (tm.tm_year > -1900 && strftime(again, sizeof(again), forms[i], &tm) == len &&
            memcmp(again, value, len) == 0)
            return true;
    }
    return false;
}

/* "@1793491200", as date(1) has it: seconds since 1970. */
static bool parse_seconds(const char *value, double *seconds)
{
    enum { MAX_DIGITS = 12 };
    size_t digits = value[0] == '@' ? strspn(value + 1, "0123456789") : 0;
    *seconds = digits > 0 ? strtod(value + 1, NULL) : 0;
    return digits > 0 && digits <= MAX_DIGITS && value[1 + digits] == '\0';
}

const char *parse_moment(const char *value, struct moment *m)
{
    *m = (struct moment){.is_open = strcmp(value, "all") == 0};
    if (m->is_open)
        return NULL;
    m->is_date = parse_date(value, &m->date) || parse_seconds(value, &m->date);
    return m->is_date || parse_past(value, &m->before) == NULL
               ? NULL
               : "a time such as 7d, 12h, 2026-11-22, 2026-11-22T14:05Z, all";
}

/* --- words ----------------------------------------------------------------- */

const char *format_owner(size_t i, const struct command *command)
{
    const struct command *c;
    for (size_t k = 0; (c = command_number(k)) != NULL; k++)
        if (c->owns_format != NULL && c->owns_format(i) &&
            c->owns_format != command->owns_format)
            return c->name;
    return NULL;
}

static const char *format_name(const struct command *command, size_t i)
{
    size_t k = 0;
    while (hd_format_name(k) != NULL && (format_owner(k, command) != NULL || i-- > 0))
        k++;
    return hd_format_name(k);
}

const char *kind_argument(enum option_kind kind)
{
    return kinds[kind].argument;
}

const char *option_word(const struct option *o, const struct command *command, size_t i)
{
    const char *const *words = o->words != NULL ? o->words : kinds[o->kind].words;
    struct hd_target target;
    if (words == NULL)
        return o->kind == OPTION_FORMAT                          ? format_name(command, i)
               : o->kind == OPTION_WORD && hd_target(i, &target) ? target.name
                                                                 : NULL;
    for (size_t k = 0; k <= i; k++)
        if (words[k] == NULL)
            return NULL;
    return words[i];
}

void option_words(const struct option *o, const struct command *command, char *text,
                  size_t size)
{
    size_t len = 0;
    text[0] = '\0';
    for (size_t i = 0; option_word(o, command, i) != NULL && len < size; i++) {
        bool is_last = option_word(o, command, i + 1) == NULL;
        const char *joint = i == 0 ? "" : is_last ? " or " : ", ";
        int n = snprintf(text + len, size - len, "%s%s", joint, option_word(o, command, i));
        len += n > 0 ? (size_t)n : 0;
    }
}

/* The number of the word that the value is; -1, and s->wanted lists them. */
static int word_index(struct settings *s, const struct option *o, const char *value)
{
    const char *word;
    for (size_t i = 0; (word = option_word(o, s->command, i)) != NULL; i++)
        if (strcmp(word, value) == 0)
            return (int)i;
    option_words(o, s->command, s->wanted, sizeof(s->wanted));
    return -1;
}

/* --- texts ----------------------------------------------------------------- */

void text_list_add(struct text_list *list, const char *text)
{
    list->all = more((void *)list->all, (list->count + 1) * sizeof(*list->all));
    list->all[list->count++] = text;
}

static const char *parse_choice(struct settings *s, const struct option *o,
                                const char *value)
{
    int i = word_index(s, o, value);
    *(unsigned *)option_place(s, o->at) = (unsigned)o->least + (unsigned)i;
    return i >= 0 ? NULL : s->wanted;
}

/* That a format is one of another command is said when all options are known. */
static const char *parse_word(struct settings *s, const struct option *o, const char *value)
{
    bool is_one = word_index(s, o, value) >= 0;
    for (size_t i = 0; o->kind == OPTION_FORMAT && hd_format_name(i) != NULL; i++)
        is_one |= strcmp(value, hd_format_name(i)) == 0;
    *(const char **)option_place(s, o->at) = value;
    return is_one ? NULL : s->wanted;
}

static const char *parse_time(struct settings *s, const struct option *o, const char *value)
{
    struct moment m;
    const char *wrong = parse_moment(value, &m);
    *(const char **)option_place(s, o->at) = value;
    return wrong == NULL && m.is_open ? o->wanted : wrong;
}

static const char *parse_text(struct settings *s, const struct option *o, const char *value)
{
    const char **text = option_place(s, o->at), *before = *text;
    *text = value;
    if (value[0] == '\0')
        return wanted_of(o);
    return !o->once || before == NULL || strcmp(before, value) == 0 ? NULL
                                                                    : "one file only";
}

static const char *parse_pattern(struct settings *s, const struct option *o,
                                 const char *value)
{
    if (value[0] == '\0')
        return kinds[o->kind].wanted;
    text_list_add(option_place(s, o->at), value);
    return NULL;
}

static const char *parse_budget(struct settings *s, const struct option *o,
                                const char *value)
{
    text_list_add(option_place(s, o->at), o->name);
    text_list_add(option_place(s, o->at), value);
    return NULL;
}

/* Rows of kinds without a parser have one each. */
static const struct values_kind kinds[OPTION_OTHER + 1] = {
    [OPTION_COUNT] = {"N", NULL, NULL, parse_small_number},
    [OPTION_NUMBER] = {"N", NULL, NULL, parse_any_number},
    [OPTION_SIZE] = {"SIZE", NULL, WORDS("512MiB", "1GiB", "4GiB"), parse_size},
    [OPTION_SHARE] = {"SIZE|PCT", NULL, WORDS("1%", "2%", "5%", "1MiB", "10MiB"),
                      parse_share},
    [OPTION_HOSTS] = {"N|PCT", NULL, WORDS("1", "1%", "2%", "5%"), parse_hosts},
    [OPTION_DURATION] = {"TIME", NULL, WORDS("10s", "30s", "1m", "5m", "1h"),
                         parse_duration},
    [OPTION_AGE] = {"AGE", NULL, WORDS("30d", "90d", "1y"), parse_age},
    [OPTION_FORMAT] = {"FORMAT", NULL, NULL, parse_word},
    [OPTION_WORD] = {"FORMAT", NULL, NULL, parse_word},
    [OPTION_MOMENT] = {"TIME", NULL, WORDS("1d", "7d", "30d", "all"), parse_time},
    [OPTION_TEXT] = {"NAME", "a name", NULL, parse_text},
    [OPTION_FILE_READ] = {"FILE", "a file name", NULL, parse_text},
    [OPTION_FILE_WRITTEN] = {"FILE", "a file name", NULL, parse_text},
    [OPTION_STORE] = {"URL", "a file or postgresql://...", NULL, parse_text},
    [OPTION_FOLDER] = {"DIR", "a file name", NULL, parse_text},
    [OPTION_SNAPSHOT] = {"FILE", "a file name", NULL, parse_text},
    [OPTION_PROCESS] = {"NAME", "the name of a program", NULL, parse_text},
    [OPTION_SOCKET] = {"SOCKET", NULL, NULL, NULL},
    [OPTION_PID] = {"PID", "a process id, see `heapdrift ps`", NULL, parse_any_number},
    [OPTION_PATTERNS] = {"PATTERN", "a type or a pattern", NULL, parse_pattern},
    [OPTION_BUDGET] = {"SIZE|PCT", NULL, NULL, parse_budget},
    [OPTION_FLAG] = {NULL, NULL, NULL, parse_flag},
    [OPTION_CHOICE] = {NULL, NULL, NULL, parse_choice},
};

const char *parse_value(struct settings *s, const struct option *o, const char *value)
{
    return (o->parse != NULL ? o->parse : kinds[o->kind].parse)(s, o, value);
}
