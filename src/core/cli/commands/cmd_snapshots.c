/* The commands that ask one question of snapshots, and print the answer. */
#include "cli/commands/answer.h"
#include "cli/commands/output.h"
#include "cli/options/options.h"

#include <string.h>
#include <unistd.h>

OPTIONS_OF(char);

/* --- diff ------------------------------------------------------------------------ */

/* Rows of holders are chains. */
static bool diff_prepare(struct settings *s)
{
    s->read.reach_later = !s->options.reachable;
    if (s->options.by != HD_BY_HOLDER || s->chain_option == NULL)
        return true;
    fprintf(stderr,
            "heapdrift: --%s: cannot be combined with --by=holder, whose rows are chains\n",
            s->chain_option);
    return false;
}

const struct command cmd_diff = {
    .name = "diff",
    .bit = ON_DIFF,
    .purpose = FOR_FILES,
    .operands = "SNAPSHOT SNAPSHOT...",
    .summary = "what grew, ranked, with its owners",
    .description =
        "Compare 2 to 50 snapshots of one program, in order of time; the first is the\n"
        "baseline. Types that keep growing are ranked, and sampled root chains show what\n"
        "keeps them alive. Four or more snapshots are needed to tell a leak from warm-up.",
    .examples =
        {
            {"heapdrift diff before.gcdump after.gcdump", "two snapshots: the difference"},
            {"heapdrift diff --app-only snapshots/",
             "a folder; the program's own types only"},
            {"heapdrift diff --iterations=0,100,200,300 snapshots/",
             "growth per request served"},
            {"heapdrift diff --format=md -o leaks.md snapshots/", "a page for a ticket"},
        },
    .least = 2,
    .most = HD_MAX_SNAPSHOTS,
    .run = answer_command,
    .prepare = diff_prepare,
    .ask = hd_report_diff,
};

/* --- report ---------------------------------------------------------------------- */

/* Write a page to open, store and send: `diff` for several snapshots, `top` for one. The
 * content is theirs; only the format differs. */

/* A page is not for a terminal: it is written to a file, which must not exist yet. */
static bool choose_output(struct settings *s)
{
    static const char usual[] = "heapdrift-report.html";
    if (s->output != NULL || !isatty(STDOUT_FILENO))
        return true;
    s->output = usual;
    if (access(usual, F_OK) != 0)
        return true;
    fprintf(stderr, "heapdrift: %s already exists; to replace it: -o %s\n", usual, usual);
    return false;
}

/* A single snapshot cannot be compared. */
static int report_answer(struct settings *s, const struct loaded *l)
{
    struct hd_error err = {0};
    struct hd_report *report =
        (l->count == 1 ? hd_report_top : hd_report_diff)(l->comparison, &s->options, &err);
    int status = output_answer(s, l, report, &err);
    if (status != EXIT_TROUBLE && !output_is_standard(s) && !s->quiet &&
        isatty(STDERR_FILENO))
        fprintf(stderr, "heapdrift: open %s in a browser\n", s->output);
    return status;
}

static int report_run(struct settings *s)
{
    if (!choose_output(s))
        return EXIT_TROUBLE;
    s->format = "html";
    s->options.tree = true;
    s->read.reach_later = !s->options.reachable;
    return load_and_answer(s, report_answer);
}

const struct command cmd_report = {
    .name = "report",
    .bit = ON_REPORT,
    .purpose = FOR_FILES,
    .operands = "SNAPSHOT... -o report.html",
    .summary = "the same as an HTML page",
    .description =
        "Write one self-contained HTML page: the verdict, the heap over time, the suspects "
        "with\n"
        "their root chains, what owns the memory, every type. It takes 1 to 50 snapshots, "
        "in\n"
        "order of time. Without -o, the page goes to standard output, or at a terminal to\n"
        "heapdrift-report.html.",
    .examples =
        {
            {"heapdrift report snapshots/ -o leaks.html", "a page to read and to send"},
            {"heapdrift report app.gcdump -o app.html",
             "the largest types of one snapshot"},
            {"heapdrift report --store=URL --run=4711 -o leak.html",
             "a run printed by `heapdrift fleet`"},
        },
    .least = 1,
    .most = HD_MAX_SNAPSHOTS,
    .run = report_run,
};

/* --- top ------------------------------------------------------------------------- */

/* For people the answer begins with the owners of most bytes. */
static bool top_prepare(struct settings *s)
{
    s->options.owner_of_most =
        strcmp(s->format, "text") == 0 || strcmp(s->format, "md") == 0;
    s->read.reach_later = !s->options.reachable;
    return true;
}

const struct command cmd_top = {
    .name = "top",
    .bit = ON_TOP,
    .purpose = FOR_FILES,
    .operands = "SNAPSHOT",
    .summary = "the largest types of one snapshot",
    .description = "List types by the bytes of their objects. With --format=csv, the table "
                   "is itself a\n"
                   "snapshot that can be compared later.",
    .examples =
        {
            {"heapdrift top app.gcdump", "types by bytes"},
            {"heapdrift top --sort=retained app.gcdump", "by retained size"},
            {"heapdrift top --by=namespace app.gcdump", "one row per namespace"},
            {"heapdrift top --format=csv -o small.csv app.gcdump",
             "a table to compare later"},
        },
    .least = 1,
    .most = 1,
    .run = answer_command,
    .prepare = top_prepare,
    .ask = hd_report_top,
};

/* --- roots ----------------------------------------------------------------------- */

/* `roots Session folder/`: an operand that is not a file may be the type. */
static bool roots_prepare(struct settings *s)
{
    const char *first = s->operand_count > 0 ? s->operands[0] : "";
    if (s->options.type_count > 0)
        return true;
    if (first[0] == '\0' || strchr(first, '/') != NULL || access(first, F_OK) == 0)
        return refuse("roots needs a type: heapdrift roots --type=MyApp.Order SNAPSHOT");
    return put_message(NULL, NULL, "roots needs a type; did you mean roots --type=%s?",
                       first);
}

/* The rows of roots are its chains. */
static const char *parse_rows(struct settings *s, const struct option *o, const char *value)
{
    enum { MAX_CHAINS = 1000000 };
    const char *wrong = parse_count(s, value, 0, MAX_CHAINS, &s->options.chains);
    (void)o;
    if (wrong == NULL && s->options.chains == 0)
        s->options.chains = UINT32_MAX;
    return wrong;
}

static const struct option roots_options[] = {
    {"rows", 'n', GROUP_SHOWN, ON_ROOTS, .kind = OPTION_COUNT, .parse = parse_rows,
     .help = "the same as --chains, but 0 shows all"},
    {.more = shared_options}};

const struct command cmd_roots = {
    .name = "roots",
    .bit = ON_ROOTS,
    .purpose = FOR_FILES,
    .operands = "--type=PATTERN SNAPSHOT...",
    .summary = "what keeps instances of a type alive",
    .description =
        "Show sampled instances of a type in the last snapshot, grouped by the chain of\n"
        "references from a root.",
    .examples =
        {
            {"heapdrift roots --type=Session app.gcdump", "what keeps the sessions alive"},
            {"heapdrift roots --type=Session snapshots/", "growth of each chain"},
            {"heapdrift roots --exact --type='MyApp.*' app.gcdump",
             "every instance instead of a sample"},
            {"heapdrift roots --type=Session --born=2..4 snapshots/",
             "new in snapshots 2 to 4, still alive"},
        },
    .options = roots_options,
    .least = 1,
    .most = HD_MAX_SNAPSHOTS,
    .run = answer_command,
    .prepare = roots_prepare,
    .ask = hd_report_roots,
};

/* --- tree ------------------------------------------------------------------------ */

static bool tree_prepare(struct settings *s)
{
    s->read.reach_later = !s->options.reachable;
    if (s->options.holders && s->options.type_count == 0)
        return refuse("--holders needs a type: heapdrift tree --holders --type=MyApp.Order "
                      "SNAPSHOT...");
    if (s->options.tree_by == HD_TREE_BY_SITE && s->options.type_count > 0)
        return refuse("--by=site cannot be combined with --type: samples have no types");
    /* A terminal would show a mess. */
    if (hd_format_is_binary(settings_format(s)) && isatty(STDOUT_FILENO) &&
        output_is_standard(s)) {
        fprintf(stderr, "heapdrift: not writing %s to a terminal; use -o FILE\n",
                s->format);
        return false;
    }
    return true;
}

enum { MAX_LEVELS = 1000000 };

static const struct option tree_options[] = {
    {"rows", 'n', GROUP_SHOWN, ON_TREE, COUNT(s.options.rows, 0, HD_DEFAULT_ROWS - 1),
     .help = "rows to show; default 30, 0 for all"},
    {"type", 't', GROUP_SHOWN, ON_TREE, PATTERNS(s.types),
     .help = "only the places below matching types; repeatable"},
    {"holders", 0, GROUP_SHOWN, ON_TREE, FLAG(s.options.holders),
     .help = "owners of the types of --type: upwards, not downwards"},
    {"by", 0, GROUP_SHOWN, ON_TREE,
     CHOICE(s.options.tree_by, HD_TREE_BY_OWNER, "owner", "site"), .argument = "UNIT",
     .usual = "owner", .help = "owners, or code that allocated"},
    {"depth", 0, GROUP_SHOWN, ON_TREE, COUNT(s.options.tree_depth, 1, MAX_LEVELS),
     .argument = "D", .help = "levels below the top; default: all"},
    {.more = shared_options}};

const struct command cmd_tree = {
    .name = "tree",
    .bit = ON_TREE,
    .purpose = FOR_FILES,
    .operands = "SNAPSHOT...",
    .summary = "what owns the memory, and its growth",
    .description =
        "Show the heap as a dominator tree: roots and the objects below, with retained\n"
        "sizes. Given several snapshots, the branch that grew most is first.",
    .examples =
        {
            {"heapdrift tree app.gcdump", "the owners of the memory"},
            {"heapdrift tree before.gcdump after.gcdump", "and their growth"},
            {"heapdrift tree --type='MyApp.*' app.gcdump", "only below some types"},
            {"heapdrift tree --holders --type=String app.gcdump",
             "the owners of the strings"},
            {"heapdrift tree --by=site snapshots/", "which code allocated what survives"},
        },
    .options = tree_options,
    .owns_format = hd_format_is_for_tree,
    .least = 1,
    .most = HD_MAX_SNAPSHOTS,
    .run = answer_command,
    .prepare = tree_prepare,
    .ask = hd_report_tree,
};

/* --- statics --------------------------------------------------------------------- */

static bool statics_prepare(struct settings *s)
{
    show_all_rows_in_tables(s);
    s->read.reach_later = true;
    return true;
}

static const struct option statics_options[] = {
    {"rows", 'n', GROUP_SHOWN, ON_STATICS, COUNT(s.options.rows, 0, HD_DEFAULT_ROWS - 1),
     .help = "variables to show; default 20, 0 for all"},
    {"type", 't', GROUP_SHOWN, ON_STATICS, PATTERNS(s.types),
     .help = "variables whose class, name or type matches; repeatable"},
    {"values", 0, GROUP_SHOWN, ON_STATICS, FLAG(s.options.values),
     .help = "show strings and characters, which may be secrets"},
    {.more = shared_options}};

const struct command cmd_statics = {
    .name = "statics",
    .bit = ON_STATICS,
    .purpose = FOR_FILES,
    .operands = "SNAPSHOT",
    .summary = "static variables, by retained size",
    .description = "List static variables by retained size, largest first: class, name, "
                   "value, and the\n"
                   "type of the object. Core dumps have all variables with values, "
                   "[ThreadStatic] ones\n"
                   "per thread; other snapshots only those that refer to an object, if "
                   "they are named.\n"
                   "--type matches the class, the variable (MyApp.Store.s_all), its type, "
                   "or the type of\n"
                   "the object.",
    .examples =
        {
            {"heapdrift statics app.core", "the largest ones"},
            {"heapdrift statics --app-only app.core", "without variables of the framework"},
            {"heapdrift statics -n0 --values --type=MyApp.Config app.core",
             "all of one class, with text"},
            {"heapdrift statics --format=csv app.core", "all variables, as a table"},
        },
    .options = statics_options,
    .least = 1,
    .most = 1,
    .run = answer_command,
    .prepare = statics_prepare,
    .ask = hd_report_statics,
};

/* --- info ------------------------------------------------------------------------ */

static int info_run(struct settings *s)
{
    s->read.checksum = true;
    struct loaded l = load_snapshots(s);
    int status = EXIT_TROUBLE;
    if (s->operand_count == 0 && s->stored == NULL)
        fputs("heapdrift: info needs a snapshot: heapdrift info SNAPSHOT...\n", stderr);
    if (l.count > 0) {
        struct hd_report *report = hd_report_info(l.comparison);
        /* Sheets have no place for warnings. */
        bool is_sheet = strcmp(s->format, "csv") == 0 || strcmp(s->format, "tsv") == 0;
        if (output_report(s, report, !is_sheet) && l.failed == 0)
            status = output_status(s, report);
        hd_report_free(report);
    }
    loaded_free(&l);
    return status;
}

const struct command cmd_info = {
    .name = "info",
    .bit = ON_INFO,
    .purpose = FOR_FORMATS,
    .operands = "SNAPSHOT...",
    .summary = "what a file contains, and its problems",
    .description = "Show format, writer, time, process, objects, roots, generations, "
                   "checksum and all\n"
                   "warnings of each file.",
    .examples =
        {
            {"heapdrift info app.gcdump", "what it contains"},
            {"heapdrift info --format=json snapshots/", "a whole folder, for scripts"},
        },
    .least = 1,
    .most = SIZE_MAX,
    .run = info_run,
};
