#include "cli/options/options.h"

#include "cli/guard/allocate.h"
#include "cli/terminal/messages.h"
#include "heapdrift_store.h"

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

/* Returns the kind of value that was expected; NULL if its parser returns that. */
static const char *wanted_of(const struct option *o)
{
    return o->wanted != NULL ? o->wanted : kinds[o->kind].wanted;
}

/* --- numbers --------------------------------------------------------------- */

/* Returns the limits of a number, as people write it: 1,000,000. */
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

/* Process ids are an int to the kernel. */
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

/* Parses the decimal number that value begins with, and returns the rest; NULL without a
 * number. strtod() would accept "0x10" and "1e1" as well. */
static const char *parse_decimal(const char *value, double *n)
{
    size_t len = strspn(value, "0123456789.");
    char *end;
    *n = strtod(value, &end);
    return len > 0 && end == value + len ? end : NULL;
}

/* Parses a size into one member, or a share into the other; the other becomes 0. */
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

/* A number of hosts, or their share; the share is -1 for a number. */
static const char *parse_hosts(struct settings *s, const struct option *o,
                               const char *value)
{
    bool is_share = value[0] != '\0' && value[strlen(value) - 1] == '%';
    const char *wrong = is_share
                            ? parse_share(s, o, value)
                            : parse_number(s, value, 0, UINT64_MAX, option_place(s, o->at));
    if (!is_share)
        *(double *)option_place(s, o->share_at) = -1;
    return wrong == NULL ? NULL : "a number of hosts, or a share such as 5%";
}

struct unit {
    const char *name;
    double factor;
};

/* Parses a number and its unit. False if malformed, or above `most`. */
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

/* A duration, always with a unit; more than 0. A year has 365 days. */
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

/* 2026-11-22, 2026-11-22T14:05, 2026-11-22T14:05:30, each with or without a Z. Formatting
 * the result again must give the same text, which rejects invalid days and other forms. */
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

/* "@1793491200", as in date(1): seconds since 1970. */
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

/* Returns the number of the word; -1, and s->wanted lists them. */
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

/* A format of another command is reported when all options are known. */
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

/* --- who has which ----------------------------------------------------------- */

/* Commands that have the same options, because they ask the same. */
enum {
    ON_DIFFS = ON_DIFF | ON_REPORT | ON_EXPLORE,
    ON_GROWTH = ON_DIFFS | ON_CHECK | ON_WATCH,   /* what grew */
    ON_CHAINS = ON_GROWTH | ON_ROOTS,             /* what holds it */
    ON_ROWS = (ON_CHAINS & ~ON_EXPLORE) | ON_TOP, /* select rows */
    ON_PAPER = ON_DIFF | ON_TOP | ON_ROOTS | ON_INFO | ON_CHECK | ON_TREE | ON_OBJECT |
               ON_STATICS,                                   /* printed */
    ON_ALL = ON_PAPER | ON_REPORT | ON_EXPLORE | ON_CONVERT, /* read snapshots */
    ON_PRINTS = ON_PAPER | ON_PS | ON_WATCH | ON_FLEET,
    ON_EVERY = ON_ALL | ON_PS | ON_COLLECT | ON_WATCH | ON_RECORD | ON_FLEET | ON_STORE,
    ON_LIVE = ON_COLLECT | ON_WATCH,
    ON_STORES = ON_RECORD | ON_LIVE /* put snapshots into a store */
};
enum { MAX_SAMPLES = 1000000 };

/* --- options that are of no kind --------------------------------------------- */

static const char *parse_iterations(struct settings *s, const struct option *o,
                                    const char *value)
{
    s->iteration_count = 0;
    for (const char *at = value;; at++) {
        char *end;
        errno = 0;
        uint64_t n = strtoull(at, &end, 10);
        if (end == at || errno != 0 || *at < '0' || *at > '9' ||
            (*end != ',' && *end != '\0'))
            return o->wanted;
        if (s->iteration_count > 0 && n <= s->iterations[s->iteration_count - 1])
            return o->wanted;
        s->iterations =
            more(s->iterations, (s->iteration_count + 1) * sizeof(*s->iterations));
        s->iterations[s->iteration_count++] = n;
        if (*end == '\0')
            return NULL;
        at = end;
    }
}

static const char *parse_size_base(struct settings *s, const struct option *o,
                                   const char *value)
{
    s->read.size_base = strcmp(value, "10") == 0 ? 10 : 16;
    return strcmp(value, "10") == 0 || strcmp(value, "16") == 0 ? NULL : o->wanted;
}

/* 3, or 2..4. */
static const char *parse_born(struct settings *s, const struct option *row,
                              const char *value)
{
    char first[16];
    const char *dots = strstr(value, "..");
    size_t len = dots != NULL ? (size_t)(dots - value) : strlen(value);
    struct hd_options *o = &s->options;
    if (len >= sizeof(first))
        return row->wanted;
    memcpy(first, value, len);
    first[len] = '\0';
    const char *last = dots != NULL ? dots + 2 : first;
    bool are = parse_count(s, first, 1, HD_MAX_SNAPSHOTS, &o->born_first) == NULL &&
               parse_count(s, last, 1, HD_MAX_SNAPSHOTS, &o->born_last) == NULL;
    return are && o->born_first <= o->born_last ? NULL : row->wanted;
}

/* Messages about later arguments are in ASCII, too. */
static const char *parse_ascii(struct settings *s, const struct option *o,
                               const char *value)
{
    (void)o;
    (void)value;
    s->style.ascii = true;
    messages_in_ascii(true);
    return NULL;
}

/* --- rows -------------------------------------------------------------------- */

OPTIONS_OF(char);

const struct option shared_options[] = {
    /* the store */
    {"store", 0, GROUP_STORED, ON_ALL, TEXT(STORE, s.store), GIVEN(s.is_for_a_store),
     .help = "read a run of this store, not files: a file, or postgresql://..."},
    {"run", 0, GROUP_STORED, ON_ALL, NUMBER(s.run, 1, INT64_MAX), GIVEN(s.is_for_a_store),
     .argument = "ID", .wanted = "the number of a run",
     .help = "the run with that number, as printed by `heapdrift fleet`"},
    {"service", 0, GROUP_STORED, ON_ALL, TEXT(TEXT, s.service), GIVEN(s.is_for_a_store),
     .help = "a run of this service; the newest if several match"},
    {"host", 0, GROUP_STORED, ON_ALL, TEXT(TEXT, s.host), GIVEN(s.is_for_a_store),
     .help = "a run on this host"},
    {"build", 0, GROUP_STORED, ON_ALL, TEXT(TEXT, s.build), GIVEN(s.is_for_a_store),
     .argument = "VERSION", .wanted = "a version", .help = "a run of this build"},
    {"since", 0, GROUP_STORED, ON_ALL, TEXT(MOMENT, s.since), GIVEN(s.is_for_a_store),
     .help = "with a run: only snapshots taken since: 12h, 7d, 2026-11-15"},
    {"until", 0, GROUP_STORED, ON_ALL, TEXT(MOMENT, s.until), GIVEN(s.is_for_a_store),
     .wanted = "a time such as 1h, 2026-11-22, 2026-11-22T14:05Z",
     .help = "with a run: only snapshots taken before"},
    /* what is compared */
    {"gen2", 0, GROUP_COMPARED, ON_ROWS | ON_EXPLORE | ON_TREE | ON_OBJECT,
     FLAG(s.options.gen2),
     .help = "count only objects in gen2, LOH, POH and frozen segments"},
    {"reachable", 0, GROUP_COMPARED, ON_GROWTH | ON_TOP | ON_TREE,
     FLAG(s.options.reachable), .help = "count only objects reachable from a root"},
    {"tables-only", 0, GROUP_COMPARED, ON_DIFFS | ON_TOP | ON_CHECK,
     FLAG(s.read.tables_only),
     .help = "read no references: only counts and bytes per type"},
    {"fields", 0, GROUP_COMPARED, ON_DIFF | ON_REPORT | ON_ROOTS | ON_CHECK | ON_TREE,
     FLAG(s.options.fields),
     .help = "separate chains that differ in a field only (core dumps)"},
    {"across-builds", 0, GROUP_COMPARED,
     ON_DIFFS | ON_ROOTS | ON_CHECK | ON_TREE | ON_OBJECT, FLAG(s.read.across_builds),
     .help = "ignore numbers in compiler-generated names, to compare two builds"},
    {"symbols", 0, GROUP_COMPARED, ON_ALL | ON_RECORD, TEXT(FILE_READ, s.symbols),
     .once = true, .help = "Native AOT program, or its .dbg file, that names types"},
    /* Heap text with decimal sizes is inspected, or converted once. */
    {"size-base", 0, GROUP_COMPARED, ON_INFO | ON_CONVERT, .kind = OPTION_OTHER,
     .parse = parse_size_base, .argument = "BASE", .words = WORDS("16", "10"),
     .wanted = "16 or 10", .help = "base of sizes in heap text: 16 (default) or 10",
     .also = ON_EVERY},

    /* what is shown */
    {"rows", 'n', GROUP_SHOWN, ON_DIFF | ON_REPORT | ON_TOP | ON_CHECK | ON_FLEET,
     COUNT(s.options.rows, 0, HD_DEFAULT_ROWS - 1),
     .help = "rows per table; default 20, 0 shows all"},
    {"sort", 0, GROUP_SHOWN, ON_DIFF | ON_REPORT | ON_TOP,
     CHOICE(s.options.sort, HD_SORT_COUNT, "count", "bytes", "retained", "name"),
     .argument = "KEY", .help = ""},
    {"type", 't', GROUP_SHOWN, ON_ROWS, PATTERNS(s.types),
     .help = "only types that match; * and ? are wildcards; repeatable"},
    {"exclude", 'x', GROUP_SHOWN, ON_ROWS | ON_OBJECT | ON_STATICS, PATTERNS(s.excludes),
     .help = "hide types that match; repeatable"},
    {"app-only", 0, GROUP_SHOWN, ON_ROWS | ON_EXPLORE | ON_OBJECT | ON_STATICS,
     FLAG(s.options.app_only), .help = "hide framework types"},
    {"by", 0, GROUP_SHOWN, ON_DIFF | ON_TOP,
     CHOICE(s.options.by, HD_BY_TYPE, "type", "namespace", "module", "holder"),
     .argument = "UNIT", .usual = "type", .help = "group rows by"},
    {"min", 0, GROUP_SHOWN, ON_TREE | ON_EXPLORE,
     SHARE(s.options.least_kept, s.options.least_kept_share), .usual = "0.5%",
     .help = "sum up places that are smaller and changed by less"},

    /* the ranking */
    {"min-score", 0, GROUP_RANKING, ON_GROWTH | ON_TREE | ON_FLEET,
     SHARE(s.options.min_bytes, s.options.min_share), .usual = "2%",
     .help = "minimum score of a suspect"},
    {"min-steady", 0, GROUP_RANKING, ON_GROWTH | ON_TREE | ON_FLEET,
     SHARE(s.options.min_steady_bytes, s.options.min_steady_share), .usual = "0.1%",
     .help = "minimum score for steady growth; 0 = off"},
    {"iterations", 0, GROUP_RANKING, ON_GROWTH | ON_TREE, .kind = OPTION_OTHER,
     .parse = parse_iterations, .argument = "A,B,...",
     .wanted = "rising whole numbers, one per snapshot: 0,20,40",
     .help = "iterations of the workload completed at each snapshot", .also = ON_ROOTS},
    {"no-ages", 0, GROUP_RANKING, ON_DIFFS | ON_CHECK, FLAG(s.options.no_ages),
     .help = "ignore which objects survived: rank by counts only"},

    /* chains */
    {"chains", 0, GROUP_CHAINS, ON_CHAINS, COUNT(s.options.chains, 0, MAX_SAMPLES),
     .argument = "K", .usual = "3", .help = "root chains to show per type"},
    {"samples", 0, GROUP_CHAINS, ON_CHAINS, COUNT(s.options.samples, 1, MAX_SAMPLES),
     .argument = "R", .usual = "32", .help = "instances to sample per type"},
    /* Another sample has no practical use; --samples and --exact do. */
    {"seed", 0, GROUP_CHAINS, ON_CHAINS, NUMBER(s.options.seed, 0, UINT64_MAX),
     .help = "which instances are sampled", .hidden = true},
    {"born", 0, GROUP_CHAINS, ON_ROOTS | ON_OBJECT, .kind = OPTION_OTHER,
     .parse = parse_born, .argument = "N[..N]",
     .wanted = "a snapshot in which the instances are new (3), or several (2..4)",
     .help = "only instances new in snapshot N and still alive"},
    {"depth", 0, GROUP_CHAINS, ON_CHAINS & ~ON_EXPLORE,
     COUNT(s.options.depth, 2, MAX_SAMPLES), .argument = "D",
     .help = "types to show per chain; default 64, 8 in text of diff"},
    {"exact", 0, GROUP_CHAINS, ON_CHAINS, FLAG(s.options.exact),
     .help = "examine every instance instead of a sample"},

    {.more = budget_options}};

const struct option general_options[] = {
    /* output */
    {"format", 0, GROUP_OUTPUT, ON_PRINTS, TEXT(FORMAT, s.format),
     .help = "text (default), json, csv, ...: see `heapdrift help formats`"},
    {"output", 'o', GROUP_OUTPUT, (ON_ALL & ~(ON_EXPLORE | ON_CONVERT)) | ON_PS | ON_FLEET,
     TEXT(FILE_WRITTEN, s.output), .help = "write to FILE instead of standard output"},
    {"color", 0, GROUP_OUTPUT, ON_PRINTS | ON_EXPLORE,
     CHOICE(s.style.color, COLOR_AUTO, "auto", "always", "never"), .argument = "WHEN",
     .usual = "auto", .help = ""},
    {"width", 0, GROUP_OUTPUT, ON_PRINTS, COUNT(s.style.width, 0, MAX_COLUMNS),
     GIVEN(s.style.width_given),
     .help = "columns of text, 0: no limit; default: COLUMNS, the terminal"},
    {"ascii", 0, GROUP_OUTPUT, ON_PRINTS, .kind = OPTION_FLAG, .parse = parse_ascii,
     .help = "print ASCII only; default without UTF-8"},

    /* the rest */
    {"exit-code", 0, GROUP_GENERAL, ON_DIFF | ON_REPORT | ON_WATCH | ON_FLEET,
     FLAG(s.exit_code), .help = "exit with 1 if there is a suspect"},
    {"strict", 0, GROUP_GENERAL, (ON_ALL & ~ON_EXPLORE) | ON_LIVE, FLAG(s.strict),
     .help = "exit with 3 if the snapshots allow no verdict",
     .also = ON_PS | ON_EXPLORE | ON_RECORD | ON_STORE},
    {"memory", 0, GROUP_GENERAL, ON_ALL | ON_STORES | ON_FLEET | ON_STORE,
     SIZE(s.read.max_memory), GIVEN(s.memory_given),
     .help = "memory limit of heapdrift; default: 3/4 of the free memory", .also = ON_PS},
    {"threads", 'j', GROUP_GENERAL, ON_ALL | ON_WATCH | ON_RECORD | ON_FLEET,
     COUNT(s.threads, 1, MAX_THREADS),
     .help = "number of threads; default: number of processors", .also = ON_PS | ON_STORE},
    {"no-progress", 0, GROUP_GENERAL, ON_ALL | ON_STORES, FLAG(s.no_progress),
     .help = "show no progress", .also = ON_PS | ON_FLEET | ON_STORE},
    {"no-sandbox", 0, GROUP_GENERAL, ON_ALL | ON_RECORD | ON_FLEET | ON_STORE,
     FLAG(s.no_sandbox), .help = "keep rights that reading snapshots does not need",
     .also = ON_PS | ON_LIVE},
    {"quiet", 'q', GROUP_GENERAL, ON_EVERY, FLAG(s.quiet),
     .help = "hide warnings and notes"},
    {"verbose", 'v', GROUP_GENERAL, (ON_ALL & ~ON_EXPLORE) | ON_STORES | ON_FLEET,
     FLAG(s.verbose), .help = "show what was read, and in text all details and scores",
     .also = ON_PS | ON_EXPLORE | ON_STORE},
    {"help", 'h', GROUP_GENERAL, ON_EVERY | ON_HELP, FLAG(s.help),
     .help = "show this help"},
    {"version", 0, GROUP_GENERAL, ON_EVERY | ON_HELP, FLAG(s.version),
     .help = "show the version"},
    {0}};

/* --- the options of a command ------------------------------------------------ */

const struct option *option_next(const struct command *command, const struct option *o)
{
    const struct option *first =
        command->options != NULL ? command->options : shared_options;
    o = o != NULL ? o + 1 : first;
    while (o != NULL &&
           (o->name == NULL || ((o->commands | o->also) & (unsigned)command->bit) == 0))
        o = o->name != NULL ? o + 1 : o->more;
    return o;
}

bool option_is_listed(const struct option *o, const struct command *command)
{
    return !o->hidden && (o->commands & (unsigned)command->bit) != 0;
}

const char *option_argument(const struct option *o)
{
    return o->argument != NULL ? o->argument : kinds[o->kind].argument;
}

bool option_value_is_optional(const struct option *o)
{
    return o->argument != NULL && o->argument[0] == '[';
}

/* "what a row is: type, namespace, module or holder; default type" */
void option_help(const struct option *o, const struct command *command,
                 char help[OPTION_HELP_SIZE])
{
    char words[OPTION_HELP_SIZE / 2] = "";
    const char *usual = option_value_is_optional(o) ? option_word(o, command, 0) : o->usual;
    if (o->kind == OPTION_CHOICE)
        option_words(o, command, words, sizeof(words));
    snprintf(help, OPTION_HELP_SIZE, "%s%s%s%s%s", o->help,
             o->help[0] != '\0' && words[0] != '\0' ? ": " : "", words,
             usual != NULL ? "; default " : "", usual != NULL ? usual : "");
}

/* --- what the settings say --------------------------------------------------- */

bool settings_has_letter(const struct settings *s, char letter)
{
    return (s->letters >> (letter - 'a') & 1) != 0;
}

size_t settings_format(const struct settings *s)
{
    size_t i = 0;
    while (hd_format_name(i + 1) != NULL && strcmp(hd_format_name(i), s->format) != 0)
        i++;
    return i;
}

static const char *store_of_environment(void)
{
    const char *location = getenv("HEAPDRIFT_STORE");
    return location != NULL && location[0] != '\0' ? location : NULL;
}

bool store_is_named(const struct settings *s)
{
    return s->store != NULL || store_of_environment() != NULL;
}

const char *store_url(const struct settings *s)
{
    return s->store != NULL                 ? s->store
           : store_of_environment() != NULL ? store_of_environment()
                                            : HD_STORE_DEFAULT;
}

bool settings_read_store(const struct settings *s)
{
    enum { NO_FILES = ON_COLLECT | ON_WATCH | ON_RECORD | ON_FLEET };
    return s->is_for_a_store && (s->command->bit & NO_FILES) == 0;
}
