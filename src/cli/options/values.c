#include "cli/options/options.h"

#include "cli/guard/allocate.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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

static const char *parse_size(const char *value, uint64_t *bytes)
{
    return hd_size_from_text(value, bytes) ? NULL : "a size such as 64KiB, 10MB or 1.5GiB";
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

/* A size into *bytes, or a share into *share; the other becomes 0. */
static const char *parse_share(const char *value, uint64_t *bytes, double *share)
{
    size_t len = strlen(value);
    if (len == 0 || value[len - 1] != '%') {
        *share = 0;
        return parse_size(value, bytes) != NULL
                   ? "a size such as 1MiB, or a share such as 2%"
                   : NULL;
    }
    double percent;
    if (parse_decimal(value, &percent) != value + len - 1 || percent > 100)
        return "a share from 0% to 100%";
    *share = percent / 100;
    *bytes = 0;
    return NULL;
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
static const char *parse_duration(const char *value, uint64_t *ms)
{
    static const struct unit units[] = {{"", 1e3},  {"ms", 1},    {"s", 1e3},
                                        {"m", 6e4}, {"min", 6e4}, {"h", 3.6e6}};
    double n;
    if (!parse_with_unit(value, units, sizeof(units) / sizeof(*units), 31 * 24 * 3.6e6, &n))
        return "seconds, or a time such as 500ms, 30s, 5m, 1h";
    *ms = (uint64_t)n;
    return NULL;
}

/* How long ago, or how long to keep: with a unit always; more than 0. A year has 365 days.
 */
static const char *parse_age(const char *value, double *seconds)
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

/* A number of hosts, or a share of them; the share is -1 for a number. */
static const char *parse_hosts(const char *value, uint64_t *n, double *share)
{
    static const char wrong[] = "a number of hosts, or a share of them such as 5%";
    size_t len = strlen(value), digits = strspn(value, "0123456789");
    uint64_t none;
    char *end;
    *share = -1;
    *n = 0;
    if (len > 0 && value[len - 1] == '%')
        return parse_share(value, &none, share) == NULL ? NULL : wrong;
    errno = 0;
    *n = strtoull(value, &end, 10);
    return len > 0 && digits == len && errno == 0 ? NULL : wrong;
}

/* --- points in time -------------------------------------------------------- */

/* Two digits behind that separator, below a limit. */
static bool parse_two(const char **at, char separator, int limit, int *n)
{
    const char *s = *at;
    if (s[0] != separator || s[1] < '0' || s[1] > '9' || s[2] < '0' || s[2] > '9')
        return false;
    *n = (s[1] - '0') * 10 + s[2] - '0';
    *at += 3;
    return *n < limit;
}

static bool parse_date(const char *value, double *seconds)
{
    enum { YEAR_DIGITS = 4 };
    int year = 0, month, day, hour = 0, minute = 0, second = 0;
    const char *at = value;
    for (; at < value + YEAR_DIGITS; at++) {
        if (*at < '0' || *at > '9')
            return false;
        year = 10 * year + *at - '0';
    }
    if (!parse_two(&at, '-', 13, &month) || !parse_two(&at, '-', 32, &day))
        return false;
    if (*at == 'T' &&
        (!parse_two(&at, 'T', 24, &hour) || !parse_two(&at, ':', 60, &minute)))
        return false;
    if (*at == ':' && !parse_two(&at, ':', 60, &second))
        return false;
    if (*at == 'Z')
        at++;
    struct tm tm = {.tm_year = year - 1900,
                    .tm_mon = month - 1,
                    .tm_mday = day,
                    .tm_hour = hour,
                    .tm_min = minute,
                    .tm_sec = second};
    time_t t = timegm(&tm);
    *seconds = (double)t;
    /* What no month has is another day then. */
    return *at == '\0' && year > 0 && tm.tm_mday == day && tm.tm_mon == month - 1;
}

/* "@1793491200", as date(1) has it: seconds since 1970. */
static bool parse_seconds(const char *value, double *seconds)
{
    enum { MOST_DIGITS = 12 };
    size_t digits = value[0] == '@' ? strspn(value + 1, "0123456789") : 0;
    *seconds = digits > 0 ? strtod(value + 1, NULL) : 0;
    return digits > 0 && digits <= MOST_DIGITS && value[1 + digits] == '\0';
}

const char *parse_moment(const char *value, struct moment *m)
{
    *m = (struct moment){.is_open = strcmp(value, "all") == 0};
    if (m->is_open)
        return NULL;
    m->is_date = parse_date(value, &m->date) || parse_seconds(value, &m->date);
    return m->is_date || parse_age(value, &m->before) == NULL
               ? NULL
               : "a time such as 7d, 12h, 2026-11-22, 2026-11-22T14:05Z, all";
}

/* --- words ----------------------------------------------------------------- */

static const char *target_name(size_t i)
{
    struct hd_target target;
    return hd_target(i, &target) ? target.name : NULL;
}

/* Formats that the command can write. */
static const char *format_name(const struct command *command, size_t i)
{
    bool checks = ((unsigned)command->bit & (ON_CHECK | ON_WATCH)) != 0;
    bool trees = command->bit == ON_TREE, fleets = command->bit == ON_FLEET;
    for (size_t k = 0; hd_format_name(k) != NULL; k++)
        if ((checks || !hd_format_is_for_check(k)) &&
            (trees || !hd_format_is_for_tree(k)) &&
            (fleets || !hd_format_is_for_fleet(k)) && i-- == 0)
            return hd_format_name(k);
    return NULL;
}

/* What is the same of all values of a kind: what help calls them, what they should have
 * been, and examples. */
static const struct {
    const char *argument, *wanted;
    const char *const *words;
} kinds[] = {
    [OPTION_COUNT] = {"N", NULL, NULL},
    [OPTION_NUMBER] = {"N", NULL, NULL},
    [OPTION_SIZE] = {"SIZE", NULL, WORDS("512MiB", "1GiB", "4GiB")},
    [OPTION_SHARE] = {"SIZE|PCT", NULL, WORDS("1%", "2%", "5%", "1MiB", "10MiB")},
    [OPTION_HOSTS] = {"N|PCT", NULL, WORDS("1", "1%", "2%", "5%")},
    [OPTION_DURATION] = {"TIME", NULL, WORDS("10s", "30s", "1m", "5m", "1h")},
    [OPTION_AGE] = {"AGE", NULL, WORDS("30d", "90d", "1y")},
    [OPTION_FORMAT] = {"FORMAT", NULL, NULL},
    [OPTION_WORD] = {"FORMAT", NULL, NULL},
    [OPTION_MOMENT] = {"TIME", NULL, WORDS("1d", "7d", "30d", "all")},
    [OPTION_TEXT] = {"NAME", "a name", NULL},
    [OPTION_FILE_READ] = {"FILE", "a file name", NULL},
    [OPTION_FILE_WRITTEN] = {"FILE", "a file name", NULL},
    [OPTION_STORE] = {"URL", "a file or postgresql://...", NULL},
    [OPTION_FOLDER] = {"DIR", "a file name", NULL},
    [OPTION_SNAPSHOT] = {"FILE", "a file name", NULL},
    [OPTION_PROCESS] = {"NAME", "the name of a program", NULL},
    [OPTION_SOCKET] = {"SOCKET", "the absolute path of a diagnostics socket", NULL},
    [OPTION_PID] = {"PID", "a process id, see `heapdrift ps`", NULL},
    [OPTION_PATTERNS] = {"PATTERN", "a type or a pattern", NULL},
    [OPTION_BUDGET] = {"SIZE|PCT", NULL, NULL},
    [OPTION_OTHER] = {NULL, NULL, NULL},
};

const char *kind_argument(enum option_kind kind)
{
    return kinds[kind].argument;
}

const char *option_word(const struct option *o, const struct command *command, size_t i)
{
    const char *const *words = o->words != NULL ? o->words : kinds[o->kind].words;
    if (words == NULL)
        return o->kind == OPTION_FORMAT ? format_name(command, i)
               : o->kind == OPTION_WORD ? target_name(i)
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

/* --- kinds ----------------------------------------------------------------- */

void text_list_add(struct text_list *list, const char *text)
{
    list->all = more((void *)list->all, (list->count + 1) * sizeof(*list->all));
    list->all[list->count++] = text;
}

static void *place(struct settings *s, size_t at)
{
    return (char *)s + at;
}

static const char *parse_choice(struct settings *s, const struct option *o,
                                const char *value)
{
    int i = word_index(s, o, value);
    *(unsigned *)place(s, o->at) = (unsigned)o->least + (unsigned)i;
    return i >= 0 ? NULL : s->wanted;
}

/* That a format is one of another command is said when all options are known. */
static const char *parse_word(struct settings *s, const struct option *o, const char *value)
{
    bool is_one = word_index(s, o, value) >= 0;
    for (size_t i = 0; o->kind == OPTION_FORMAT && hd_format_name(i) != NULL; i++)
        is_one |= strcmp(value, hd_format_name(i)) == 0;
    *(const char **)place(s, o->at) = value;
    return is_one ? NULL : s->wanted;
}

static const char *parse_time(struct settings *s, const struct option *o, const char *value)
{
    struct moment m;
    const char *wrong = parse_moment(value, &m);
    *(const char **)place(s, o->at) = value;
    return wrong == NULL && m.is_open ? o->wanted : wrong;
}

/* A file, or a pipe of Windows. */
static bool is_absolute(const char *path)
{
    return path[0] == '/' || strncmp(path, "\\\\.\\", 4) == 0;
}

/* As the tools of .NET spell it: SOCKET,connect. NULL if it asks us to listen. */
static const char *socket_of(struct settings *s, const char *value)
{
    const char *mode = strrchr(value, ',');
    size_t len = mode != NULL ? (size_t)(mode - value) : 0;
    if (mode != NULL && strcmp(mode, ",listen") == 0)
        return NULL;
    if (mode == NULL || strcmp(mode, ",connect") != 0 || len >= sizeof(s->socket_path))
        return value;
    memcpy(s->socket_path, value, len);
    s->socket_path[len] = '\0';
    return s->socket_path;
}

static const char *parse_text(struct settings *s, const struct option *o, const char *value)
{
    const char **text = place(s, o->at), *before = *text;
    if (o->kind == OPTION_SOCKET && (value = socket_of(s, value)) == NULL)
        return "a socket to connect to, since heapdrift does not listen: that of a "
               "process, see `heapdrift ps`, or of dotnet-dsrouter";
    *text = value;
    if (value[0] == '\0' || (o->kind == OPTION_SOCKET && !is_absolute(value)))
        return o->wanted != NULL ? o->wanted : kinds[o->kind].wanted;
    return !o->once || before == NULL || strcmp(before, value) == 0 ? NULL
                                                                    : "one file only";
}

/* Kinds whose values are at least so much. */
static const char *parse_least(const struct option *o, const char *value, uint64_t *n)
{
    const char *wrong =
        o->kind == OPTION_SIZE ? parse_size(value, n) : parse_duration(value, n);
    return wrong == NULL && *n < o->least ? "more than 0" : wrong;
}

static const char *parse_pattern(struct settings *s, const struct option *o,
                                 const char *value)
{
    if (value[0] == '\0')
        return kinds[o->kind].wanted;
    text_list_add(place(s, o->at), value);
    return NULL;
}

static const char *parse_budget(struct settings *s, const struct option *o,
                                const char *value)
{
    s->budgets = more(s->budgets, (s->budget_count + 1) * sizeof(*s->budgets));
    s->budgets[s->budget_count++] = (struct budget_option){o->name, value};
    return NULL;
}

const char *parse_value(struct settings *s, const struct option *o, const char *value)
{
    void *at = place(s, o->at), *share = place(s, o->share_at);
    const char *wrong;
    if (o->parse != NULL)
        return o->parse(s, o, value);
    switch (o->kind) {
    case OPTION_FLAG:
        *(bool *)at = true;
        return NULL;
    case OPTION_COUNT:
        return parse_count(s, value, (uint32_t)o->least, (uint32_t)o->most, at);
    case OPTION_NUMBER:
        wrong = parse_number(s, value, o->least, o->most, at);
        return wrong != NULL && o->wanted != NULL ? o->wanted : wrong;
    case OPTION_PID: /* an int to the kernel */
        return parse_number(s, value, 1, INT32_MAX, at) != NULL ? kinds[o->kind].wanted
                                                                : NULL;
    case OPTION_SIZE:
    case OPTION_DURATION:
        return parse_least(o, value, at);
    case OPTION_SHARE:
        return parse_share(value, at, share);
    case OPTION_HOSTS:
        return parse_hosts(value, at, share);
    case OPTION_AGE:
        return parse_age(value, at);
    case OPTION_CHOICE:
        return parse_choice(s, o, value);
    case OPTION_WORD:
    case OPTION_FORMAT:
        return parse_word(s, o, value);
    case OPTION_MOMENT:
        return parse_time(s, o, value);
    case OPTION_TEXT:
    case OPTION_FILE_READ:
    case OPTION_FILE_WRITTEN:
    case OPTION_STORE:
    case OPTION_FOLDER:
    case OPTION_SNAPSHOT:
    case OPTION_PROCESS:
    case OPTION_SOCKET:
        return parse_text(s, o, value);
    case OPTION_PATTERNS:
        return parse_pattern(s, o, value);
    case OPTION_BUDGET:
        return parse_budget(s, o, value);
    case OPTION_OTHER:
        break;
    }
    return NULL;
}
