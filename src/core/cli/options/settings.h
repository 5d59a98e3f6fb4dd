/* settings.h - the checked command line: the options of all commands, and a place for the
 * options of a command or house. */
#ifndef SETTINGS_H
#define SETTINGS_H

#include "cli/guard/sandbox.h"
#include "cli/terminal/exit_hook.h"
#include "cli/terminal/style.h"
#include "heapdrift.h"
#include <stdbool.h>

enum { MAX_THREADS = 64, CONFIG_PATH_SIZE = 4096 };

/* A file that an option names, and its use. */
struct option_file {
    const char *option, *path;
    int kind; /* enum option_kind */
};

/* An @FILE that was read. */
struct argument_file {
    const char *path, **words;
};

/* The values of an option that can be repeated. */
struct text_list {
    const char **all;
    size_t count;
};

struct command;
struct option;

struct settings {
    struct hd_options options; /* iterations: see below */
    struct hd_read_options read;
    const char *format;
    const char *output; /* NULL: standard output */
    struct style style;
    unsigned threads;
    const char *chain_option; /* name of a given option about root chains; NULL */
    bool exit_code, strict, quiet, verbose, no_progress, no_sandbox, help, version;
    bool memory_given; /* --memory; else the free memory */

    struct sandbox sandbox;

    uint32_t letters;                 /* by which options were given: 1 << (letter - 'a') */
    struct text_list types, excludes; /* of options */
    uint64_t *iterations;
    size_t iteration_count;
    const char *symbols;               /* a file; NULL */
    struct hd_symbols *opened_symbols; /* the same file: read.symbols; NULL */

    /* a store, and a run in it: the one that is read, or that is recorded */
    const char *store;                  /* URL; NULL: the environment's, or the usual one */
    char *store_path;                   /* the file of the store */
    const char *service, *host, *build; /* NULL: as far as it is known otherwise */
    uint64_t run;                       /* its number; 0: not given */
    const char *since, *until;          /* as they were given, each a moment; NULL */
    bool is_for_a_store;                /* an option was given that requires --store */
    bool saves;                         /* the store is read, and then written */
    struct stored_run *stored;          /* its snapshots, in the place of files; NULL */

    void *own; /* options of the command or of its house: command->own_size bytes */

    bool files_go; /* the snapshots are removed: no other question is possible */
    const struct hd_page_of_run
        *pages; /* linked from the page that is written; by their runs */
    size_t page_count;

    const char **operands; /* arguments that are not options */
    size_t operand_count;
    struct option_file *files; /* of options, each option once */
    size_t file_count;
    const struct argument_file *argument_files; /* of @FILE */
    size_t argument_file_count;
    struct used_files *used;  /* all paths above, as files; NULL: not noted yet */
    const char *const *words; /* the whole command line, printed by pages */
    size_t word_count;
    const struct command *command;
    bool command_is_implied; /* by operands alone */
    char wanted[120]; /* what a value should have been, if that has to be put together */
    struct poptContext_s *popt; /* operands are its */
    const char **filled_in;     /* the arguments, where every option has its value */
    struct text_list owned;     /* words of options, and of s->words */
};

/* The own options of check. Those of watch begin with them: it is a check with budgets. */
struct check_options {
    struct text_list budgets;            /* in their order, each a name and a value */
    const char *config;                  /* NULL: to be looked for */
    char found_config[CONFIG_PATH_SIZE]; /* a relative path; "": not found, or one is named
                                          */
    const char *baseline, *baseline_write; /* files; NULL */
    struct hd_budgets *rules;              /* of all these, while it runs */
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

/* Purposes of users; the parts of --help. */
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
        const char *line, *what;   /* a command line, and its purpose */
    } examples[MAX_EXAMPLES];      /* up to a NULL */
    const struct option *options;  /* its own; NULL: those of shared_options alone */
    size_t own_size;               /* of the struct that they store into; 0: no struct */
    bool (*owns_format)(size_t i); /* whether only it can write that format; NULL */
    size_t least, most;            /* snapshots that it accepts; 0: it reads no snapshots */
    int (*run)(struct settings *s);

    /* If run is answer_command(). */
    bool (*prepare)(struct settings *s); /* before anything is read; false after a message;
                                            NULL: not needed */
    struct hd_report *(*ask)(struct hd_comparison *c, const struct hd_options *opt,
                             struct hd_error *err);
};

/* Returns command number i; NULL past the last. To add one write
 * src/core/cli/commands/cmd_<name>.c and list it in commands.c. */
const struct command *command_number(size_t i);
const struct command *command_named(const char *name);

/* True if an option was given by its letter: -n is an old --name here, and --rows there. */
bool settings_has_letter(const struct settings *s, char letter);

/* Returns the number of the requested format: hd_format_name(). */
size_t settings_format(const struct settings *s);

/* --store, else HEAPDRIFT_STORE, else heapdrift.db. */
const char *store_url(const struct settings *s);

/* True if it is one of the first two. */
bool store_is_named(const struct settings *s);

/* True if the options ask for snapshots of a store instead of files. The environment does
 * not count. */
bool settings_read_store(const struct settings *s);

#endif
