/* settings.h - what the command line asked for, checked. */
#ifndef SETTINGS_H
#define SETTINGS_H

#include "cli/guard/sandbox.h"
#include "cli/terminal/exit_hook.h"
#include "cli/terminal/style.h"
#include "heapdrift_fleet.h"
#include <stdbool.h>

enum { MAX_THREADS = 64, MAX_COLLECTED = 100000, MAX_TRIES = 100, CONFIG_PATH_SIZE = 4096 };

/* --max-growth=5%: its name is that of the library too. */
struct budget_option {
    const char *name, *value;
};

/* A file that an option names, and what becomes of it. */
struct option_file {
    const char *option, *path;
    int kind; /* enum option_kind */
};

/* An @FILE that was read. */
struct argument_file {
    const char *path, **words;
};

/* What an option that is repeated was given. */
struct text_list {
    const char **all;
    size_t count;
};

enum core_wanted { CORE_NONE, CORE_HEAP, CORE_FULL };
enum process_order { BY_PID, BY_NAME, BY_MEMORY, BY_UPTIME };
struct command;
struct option;

struct settings {
    struct hd_options options; /* iterations: see below */
    struct hd_read_options read;
    const char *format;
    const char *output; /* NULL: standard output */
    const char *target; /* of convert, collect --all; NULL: by the suffix of output */
    struct style style;
    unsigned threads;
    const char *chain_option; /* the name of one about root chains that was given; NULL */
    bool exit_code, strict, quiet, verbose, no_progress, no_sandbox, help, version;

    struct sandbox sandbox;

    uint32_t letters;                 /* by which options were given: 1 << (letter - 'a') */
    struct text_list types, excludes; /* of options */
    uint64_t *iterations;
    size_t iteration_count;

    struct budget_option *budgets; /* of check, in their order */
    size_t budget_count;
    const struct gate *gate;               /* of check, while it runs */
    const char *config;                    /* NULL: to be looked for */
    char found_config[CONFIG_PATH_SIZE];   /* a relative path; "": none, or one is named */
    const char *symbols;                   /* a file; NULL */
    struct hd_symbols *opened_symbols;     /* of it: read.symbols; NULL */
    const char *baseline, *baseline_write; /* files; NULL */

    /* what goes into a store */
    const char *store;                  /* URL; NULL: the environment's, or the usual one */
    char *store_path;                   /* the file of that */
    double keep_seconds;                /* what is older is thinned out; 0: nothing is */
    const char *service, *host, *build; /* NULL: as far as it is known otherwise */
    struct text_list labels;            /* "NAME=VALUE" */
    uint64_t limit;      /* bytes of memory that the process may use; 0: not told */
    const char *listen;  /* watch: address of metrics over HTTP; NULL */
    const char *metrics; /* watch: file that they are written to; NULL */
    const char *at;      /* watch: memory that asks for a snapshot; NULL */
    bool follow;         /* record: what appears in folders */
    bool is_for_a_store; /* an option was given that only means something beside --store */
    uint64_t run;        /* of a store, to be read; 0: not given */
    struct stored_run *stored; /* its snapshots, in the place of files; NULL */

    /* collect */
    uint64_t process_id;     /* 0: not given */
    const char *name;        /* of the process; of ps and --all a pattern */
    const char *socket;      /* its diagnostics socket */
    char socket_path[256];   /* holds that if the option has more than its path */
    bool resume;             /* let it run if it is suspended at its start */
    uint64_t timeout_ms;     /* without a byte */
    uint64_t interval_ms;    /* from one snapshot to the next */
    uint32_t snapshot_count; /* 0: one, not numbered */
    bool interval_given;
    bool on_enter; /* a snapshot for every line of standard input */
    bool all;      /* collect: every process that name matches; store check: every digest */
    const char *lock;      /* file that collectors of one host take turns by; NULL: usual */
    uint64_t max_heap;     /* bytes of memory that a process may have; 0: any */
    enum core_wanted core; /* collect: a core instead of a snapshot */
    bool force;            /* also where a snapshot may get the process killed */
    bool direct;           /* read the memory of the process, ask it for nothing */
    uint32_t tries;        /* of direct and core: until a snapshot is complete */
    bool tries_given;
    bool memory_given;  /* --memory: else as much as is free */
    bool threads_given; /* so many of them at once; else one */
    enum process_order process_order;
    bool redact;                             /* convert: a core dump without values */
    bool values;                             /* object: strings, and what arrays hold */
    const struct hd_object_question *object; /* the one that is asked for */
    bool no_keep;                            /* remove the snapshots at the end */
    bool files_go; /* they are: nothing else can be asked of them */

    /* what a store is asked */
    const char *since, *until; /* as they were given, each a moment; NULL */
    enum hd_fleet_by fleet_by;
    unsigned shard, shards; /* 0 of 0: all */
    uint64_t max_hosts, min_hosts;
    double max_hosts_share, min_hosts_share; /* -1: it is a number */
    bool max_hosts_given;
    uint64_t min_span_ms;
    bool merge, save;

    const struct hd_page_of_run *pages; /* beside the page that is written; by their runs */
    size_t page_count;
    struct fleet_pages *made_pages; /* that own them; NULL */

    const char **operands; /* what is no option */
    size_t operand_count;
    struct option_file *files; /* of options, each option once */
    size_t file_count;
    const struct argument_file *argument_files; /* of @FILE */
    size_t argument_file_count;
    struct used_files *used;  /* all of these, as files; NULL: not noted yet */
    const char *const *words; /* the whole command line, for pages that tell it */
    size_t word_count;
    const struct command *command;
    bool command_is_implied; /* by operands alone */
    char wanted[120]; /* what a value should have been, if that has to be put together */
    struct poptContext_s *popt; /* operands are its */
    const char **filled_in;     /* the arguments, where every option has its value */
    struct text_list owned;     /* words of options, and of s->words */
};

/* Bits of struct option: which commands have it. */
enum command_bit {
    ON_DIFF = 1,
    ON_TOP = 2,
    ON_ROOTS = 4,
    ON_INFO = 8,
    ON_HELP = 16,
    ON_CHECK = 32,
    ON_CONVERT = 64,
    ON_COLLECT = 128,
    ON_PS = 256,
    ON_WATCH = 512,
    ON_TREE = 1024,
    ON_REPORT = 2048,
    ON_EXPLORE = 4096,
    ON_OBJECT = 8192,
    ON_RECORD = 16384,
    ON_FLEET = 32768,
    ON_STATICS = 65536,
    ON_STORE = 131072
};

/* What people come with; the parts of --help. */
enum command_purpose {
    FOR_FILES,
    FOR_PROCESSES,
    FOR_BUILDS,
    FOR_FLEETS,
    FOR_FORMATS,
    FOR_HELP
};

enum { MAX_EXAMPLES = 6 };

struct command {
    const char *name;
    enum command_bit bit;
    enum command_purpose purpose;
    const char *operands; /* "SNAPSHOT SNAPSHOT..." */
    const char *summary;
    const char *description; /* for its own --help */
    struct {
        const char *line, *what;  /* what to type, and what it is good for */
    } examples[MAX_EXAMPLES];     /* up to a NULL */
    const struct option *options; /* its own, up to one without a name; NULL: none */
    size_t least, most;           /* snapshots that it takes; 0: it reads none */
    int (*run)(struct settings *s);

    /* If run is answer_command(). */
    bool (*prepare)(struct settings *s); /* before anything is read; false after saying why
                                            not; NULL: nothing to do */
    struct hd_report *(*ask)(struct hd_comparison *c, const struct hd_options *opt,
                             struct hd_error *err);
};

/* Command number i of all; NULL behind the last. To add one write
 * src/core/cli/commands/cmd_<name>.c and list it in commands.c. */
const struct command *command_number(size_t i);
const struct command *command_named(const char *name);

/* Whether an option was given by its letter: -n is an old --name here, and --rows there. */
bool settings_has_letter(const struct settings *s, char letter);

/* The number of the format that was asked for: hd_format_name(). */
size_t settings_format(const struct settings *s);

/* --store, else HEAPDRIFT_STORE, else heapdrift.db. */
const char *store_url(const struct settings *s);

/* Whether it is one of the first two. */
bool store_is_named(const struct settings *s);

/* Whether the options ask for snapshots of a store instead of files. What the environment
 * says asks for nothing. */
bool settings_read_store(const struct settings *s);

#endif
