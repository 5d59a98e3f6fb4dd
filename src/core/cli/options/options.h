/* options.h - define an option by one row. Help, completion, the headings of the manual
 * page and the parser are made from rows; options.c has a parser for each kind of value.
 *
 * A row is in the file of its command, or in options.c if several commands share it. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "cli/options/settings.h"

/* The parts of help, in their order. */
enum option_group {
    GROUP_PROCESS,
    GROUP_STORE,
    GROUP_COMPARED,
    GROUP_SHOWN,
    GROUP_RANKING,
    GROUP_CHAINS,
    GROUP_BUDGETS,
    GROUP_STORED,
    GROUP_OUTPUT,
    GROUP_GENERAL,
    GROUP_COUNT
};

/* Kinds of values, with their types in memory. */
enum option_kind {
    OPTION_FLAG,     /* no value: bool */
    OPTION_COUNT,    /* from least to most: uint32_t */
    OPTION_NUMBER,   /* the same: uint64_t */
    OPTION_SIZE,     /* bytes, at least `least`: uint64_t */
    OPTION_SHARE,    /* bytes, or a share: uint64_t and double, the other one 0 */
    OPTION_HOSTS,    /* a number, or a share: the same, the share -1 for a number */
    OPTION_DURATION, /* milliseconds, at least `least`: uint64_t */
    OPTION_AGE,      /* seconds: double */
    OPTION_CHOICE,   /* one of the words: an enum, from least on */
    OPTION_WORD,     /* one of the words: const char *, as all kinds below */
    OPTION_FORMAT,   /* of a report; without words those that the command writes */
    OPTION_MOMENT,
    OPTION_TEXT,
    OPTION_FILE_READ,
    OPTION_FILE_WRITTEN,
    OPTION_STORE,    /* a file that is read and written, or a server */
    OPTION_FOLDER,   /* to write into */
    OPTION_SNAPSHOT, /* a file to write: a snapshot */
    OPTION_PROCESS,  /* the name of a process */
    OPTION_SOCKET,
    OPTION_PID,      /* uint64_t */
    OPTION_PATTERNS, /* one more each time: struct text_list */
    OPTION_BUDGET,   /* the same, each after the name of the option */
    OPTION_OTHER     /* the row has a function */
};

struct option {
    const char *name;
    char letter; /* 0: no letter */
    enum option_group group;
    unsigned commands; /* commands with it in their help */
    enum option_kind kind;
    size_t at, share_at;  /* where it is stored: see option_place() */
    uint64_t least, most; /* for the kinds above that refer to these */
    const char *help;
    const char *argument; /* what help calls the value; NULL: as its kind. "[=KIND]" may be
                             left out, and is the first of its words then */
    const char *wanted;   /* what a value should have been; NULL: as its kind */
    const char *usual; /* the default: a value, which is parsed before the command line */
    const char *const *words; /* that a value can be, or examples; up to NULL */
    size_t given;             /* offset of a bool: whether it was given; 0: not needed */
    unsigned also;   /* commands that accept and ignore it, so that one set of options fits
                        every command */
    bool hidden;     /* accepted, but not listed */
    bool once;       /* two different values are an error */
    char old_letter; /* it had, and that means another option elsewhere */
    const char *(*parse)(struct settings *s, const struct option *o, const char *value);
    const struct option *more; /* of a row without a name: the table that follows; NULL */
};

/* --- rows ------------------------------------------------------------------ */

/* The destination of rows: members of s, the options of all commands, or of own, those of
 * the command or house (char: without). Declared once by each file with rows. */
#define OPTIONS_OF(own_type) \
    struct option_place {    \
        struct settings s;   \
        own_type own;        \
    }

/* Place of a member. A type that differs from the kind's does not compile. */
#define STORED(type, member)                          \
    _Generic(((struct option_place *)0)->member, type \
             : offsetof(struct option_place, member))

/* Returns the stored value: in the settings, or after them in s->own. */
void *option_place(const struct settings *s, size_t at);

#define WORDS(...)        \
    (const char *const[]) \
    {                     \
        __VA_ARGS__, NULL \
    }
#define FLAG(member) .kind = OPTION_FLAG, .at = STORED(bool, member)
#define COUNT(member, from, to) \
    .kind = OPTION_COUNT, .at = STORED(uint32_t, member), .least = (from), .most = (to)
#define NUMBER(member, from, to) \
    .kind = OPTION_NUMBER, .at = STORED(uint64_t, member), .least = (from), .most = (to)
#define SIZE(member) .kind = OPTION_SIZE, .at = STORED(uint64_t, member), .least = 1
#define SHARE_OR(which, number, share) \
    .kind = (which), .at = STORED(uint64_t, number), .share_at = STORED(double, share)
#define SHARE(bytes, share) SHARE_OR(OPTION_SHARE, bytes, share)
#define HOSTS(number, share) SHARE_OR(OPTION_HOSTS, number, share)
#define DURATION(member, from) \
    .kind = OPTION_DURATION, .at = STORED(uint64_t, member), .least = (from)
#define AGE(member) .kind = OPTION_AGE, .at = STORED(double, member)
#define CHOICE(member, first, ...)                                           \
    .kind = OPTION_CHOICE, .at = STORED(unsigned, member), .least = (first), \
    .words = WORDS(__VA_ARGS__)
#define TEXT(which, member) .kind = OPTION_##which, .at = STORED(const char *, member)
#define PID(member) \
    .kind = OPTION_PID, .at = STORED(uint64_t, member), .least = 1, .most = INT32_MAX
#define PATTERNS(member) .kind = OPTION_PATTERNS, .at = STORED(struct text_list, member)
#define BUDGET(member) .kind = OPTION_BUDGET, .at = STORED(struct text_list, member)
#define GIVEN(member) .given = STORED(bool, member)

/* --- the options of a command ------------------------------------------------ */

/* Returns the option after o among those that the command accepts, its own first; NULL
 * begins, and ends. */
const struct option *option_next(const struct command *command, const struct option *o);

/* True if help lists it: not for options that are only accepted. */
bool option_is_listed(const struct option *o, const struct command *command);

/* Returns the name of the value in help; NULL without one. */
const char *option_argument(const struct option *o);
bool option_value_is_optional(const struct option *o);

/* The line of help, with words and the default. */
enum { OPTION_HELP_SIZE = 160 };
void option_help(const struct option *o, const struct command *command,
                 char help[OPTION_HELP_SIZE]);

/* --- values ------------------------------------------------------------------ */

/* Parses a value (NULL for a flag) and stores it by the row. Returns NULL, or the expected
 * form. */
const char *parse_value(struct settings *s, const struct option *o, const char *value);

/* Returns word number i that the value can be in that command, or an example; NULL past the
 * last. */
const char *option_word(const struct option *o, const struct command *command, size_t i);

/* "a, b or c" */
void option_words(const struct option *o, const struct command *command, char *text,
                  size_t size);

/* Returns the command that writes format number i, if the given command cannot; NULL. */
const char *format_owner(size_t i, const struct command *command);

/* For options of no kind. */
const char *parse_count(struct settings *s, const char *value, uint32_t least,
                        uint32_t most, uint32_t *n);
void text_list_add(struct text_list *list, const char *text);

/* A point in time: a date (UTC), so long before another point, or no limit at all. */
struct moment {
    bool is_date, is_open;
    double date;   /* seconds since 1970-01-01 */
    double before; /* seconds */
};

/* 7d, 12h, 2w; 2026-11-22, 2026-11-22T14:05, 2026-11-22T14:05:30Z; @1793491200; all. */
const char *parse_moment(const char *value, struct moment *m);

/* Those that several commands have: shared_options, then those of a check, then the rest.
 */
extern const struct option shared_options[], budget_options[], general_options[];
enum { MAX_OPTIONS = 112 };

#endif
