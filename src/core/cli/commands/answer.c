#include "cli/commands/answer.h"

#include "cli/guard/allocate.h"
#include "cli/options/command_line.h"
#include "cli/options/houses.h"
#include "cli/terminal/clock.h"
#include "cli/terminal/messages.h"
#include "cli/terminal/progress.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

/* --- number of snapshots, and options --------------------------------------- */

static bool count_fits(const struct command *c, size_t count)
{
    if (count >= c->least && count <= c->most)
        return true;
    fprintf(stderr, "heapdrift: %s ", c->name);
    if (c->least > 1)
        fprintf(stderr,
                "compares %zu to %zu snapshots, not %zu; for one, use `heapdrift top`\n",
                c->least, c->most, count);
    else if (c->most > 1)
        fprintf(stderr, "takes 1 to %zu snapshots, not %zu\n", c->most, count);
    else
        fprintf(stderr, "takes one snapshot, not %zu%s\n", count,
                c->ask == hd_report_top ? "; compare several with `heapdrift diff`" : "");
    return false;
}

/* False if there are certainly too many operands. Files of a folder that may or may not be
 * snapshots do not count. */
static bool few_enough(const struct settings *s)
{
    struct hd_inputs inputs = {0};
    size_t count = 0, most = s->command->most;
    for (size_t i = 0; i < s->operand_count; i++)
        hd_inputs_add(&inputs, s->operands[i], NULL);
    for (size_t i = 0; inputs.count > most && i < inputs.count; i++)
        count += inputs.all[i].from_folder ? hd_path_is_snapshot(inputs.all[i].path)
                                           : inputs.all[i].error.status == HD_OK;
    hd_inputs_free(&inputs);
    return count <= most || count_fits(s->command, count);
}

static bool iterations_fit(struct settings *s, size_t snapshots)
{
    size_t count = s->iteration_count;
    s->options.iterations = count > 0 ? s->iterations : NULL;
    if (count == 0 || count == snapshots)
        return true;
    fprintf(stderr, "heapdrift: --iterations has %zu number%s for %zu snapshot%s\n", count,
            count == 1 ? "" : "s", snapshots, snapshots == 1 ? "" : "s");
    return false;
}

/* `heapdrift SNAPSHOT` shows the top types, except with options for an exit status, which
 * needs a comparison. */
static void choose_top(struct settings *s, const struct loaded *l)
{
    if (!s->command_is_implied || l->count != 1 || s->exit_code || s->strict ||
        s->iteration_count > 0)
        return;
    s->command = command_named("top");
    s->command->prepare(s);
}

int load_and_answer(struct settings *s,
                    int (*answer)(struct settings *s, const struct loaded *l))
{
    if (!few_enough(s))
        return EXIT_TROUBLE;
    struct loaded l = load_snapshots(s);
    int status = EXIT_TROUBLE;
    choose_top(s, &l);
    if (l.failed == 0 && count_fits(s->command, l.count) && iterations_fit(s, l.count))
        status = answer(s, &l);
    loaded_free(&l);
    return status;
}

int output_answer(const struct settings *s, const struct loaded *l,
                  struct hd_report *report, const struct hd_error *err)
{
    loaded_hide_progress(l);
    if (report == NULL) {
        bool one = err->snapshot > 0 || l->count == 1;
        size_t blamed = err->snapshot > 0 ? err->snapshot - 1 : 0;
        print_error(one ? loaded_path(l, blamed) : NULL, err);
        return EXIT_TROUBLE;
    }
    int status = output_report(s, report, false) ? output_status(s, report) : EXIT_TROUBLE;
    hd_report_free(report);
    return status;
}

void show_all_rows_in_tables(struct settings *s)
{
    bool is_table = strcmp(s->format, "csv") == 0 || strcmp(s->format, "tsv") == 0;
    if (is_table && s->options.rows == HD_DEFAULT_ROWS)
        s->options.rows = 0;
}

static int answer_ask(struct settings *s, const struct loaded *l)
{
    struct hd_error err = {0};
    return output_answer(s, l, s->command->ask(l->comparison, &s->options, &err), &err);
}

int answer_command(struct settings *s)
{
    bool ready = s->command->prepare == NULL || s->command->prepare(s);
    return ready ? load_and_answer(s, answer_ask) : EXIT_TROUBLE;
}

/* --- inputs, as they are read --------------------------------------------- */

struct load_progress {
    struct progress *progress;
    bool verbose;
    /* Read in any order, printed in that of the operands. Under stderr's lock. */
    struct {
        const struct hd_info_entry *entry; /* NULL: not yet */
        double seconds;                    /* at which it began; then how long it took */
    } * done;
    struct hd_inputs inputs; /* its arrays are of struct loaded */
    size_t printed;
};

static void print_read(const struct load_progress *t, size_t i)
{
    const struct hd_info_entry *entry = t->done[i].entry;
    if (!t->verbose || entry == NULL || entry->snap == NULL)
        return;
    const struct hd_info *info = hd_snapshot_info(entry->snap);
    begin_message(NULL, input_name(entry->path));
    fprintf(stderr, ": %s, %" PRIu64 " objects, read in %.3f s\n", info->format,
            info->objects, t->done[i].seconds);
}

static void print_file(void *context, size_t i, const struct hd_info_entry *entry,
                       bool read)
{
    struct load_progress *t = context;
    if (!read) {
        progress_file(t->progress, i + 1, entry->path);
        t->done[i].seconds = seconds_now();
        return;
    }
    flockfile(stderr);
    bool again = i < t->printed; /* with the memory that the others gave back */
    t->done[i].entry = entry;
    t->done[i].seconds = seconds_now() - t->done[i].seconds;
    if (again)
        print_read(t, i);
    /* Inputs that cannot be opened are never read. */
    while (t->printed < t->inputs.count &&
           (t->done[t->printed].entry != NULL ||
            t->inputs.all[t->printed].error.status != HD_OK))
        print_read(t, t->printed++);
    funlockfile(stderr);
}

static void show_progress(void *context, enum hd_phase phase, uint64_t more, uint64_t all)
{
    const struct load_progress *t = context;
    progress_report(t->progress, phase, more, all);
}

/* --- what was read --------------------------------------------------------- */

/* True for a folder without remaining entries. */
static bool is_bare_folder(const struct hd_info_entry *entries, size_t count,
                           const struct hd_inputs *inputs, const char *operand)
{
    size_t len = strlen(operand), found = 0, left = 0;
    bool slash = len > 0 && operand[len - 1] == '/';
    for (size_t i = 0; i < count; i++) {
        const char *path = entries[i].path;
        bool in = strncmp(path, operand, len) == 0 && (slash || path[len] == '/');
        found += in && inputs->all[i].from_folder;
        left += in && !entries[i].skipped;
    }
    return found > 0 && left == 0;
}

/* Prints skipped entries and failures, and counts the latter. */
static void report_entries(struct loaded *l, const struct settings *s)
{
    size_t count;
    const struct hd_info_entry *entries = hd_comparison_entries(l->comparison, &count);
    for (size_t i = 0; i < count; i++) {
        const struct hd_info_entry *entry = &entries[i];
        if (entry->skipped && !s->quiet) {
            put_message("note", NULL, "%s: skipped: %s", input_name(entry->path),
                        entry->error.message);
        } else if (entry->snap == NULL && !entry->skipped) {
            l->failed++;
            print_error(entry->path, &entry->error);
        }
        l->count += !entry->skipped;
        if (!entry->skipped && l->inputs.all[i].from_folder)
            named_files_add_input(s, entry->path);
    }
    static const struct hd_error bare = {.message = "no snapshots in this folder"};
    for (size_t i = 0; s->stored == NULL && i < s->operand_count; i++) {
        if (!is_bare_folder(entries, count, &l->inputs, s->operands[i]))
            continue;
        l->failed++;
        print_error(s->operands[i], &bare);
    }
}

/* Drops access to module files unless they are still needed: with several snapshots, the
 * graph of a core dump may be released and read again with them. */
static void give_up_modules(struct loaded *l, const struct settings *s)
{
    size_t count;
    const struct hd_info_entry *entries = hd_comparison_entries(l->comparison, &count);
    bool are_needed = !s->sandbox.is_wide;
    for (size_t i = 0; count > 1 && i < count; i++)
        are_needed |= entries[i].snap != NULL &&
                      strcmp(hd_snapshot_info(entries[i].snap)->format, "core-dump") == 0;
    if (are_needed)
        return;
    /* The thread that shows progress would keep what is given up. */
    bool shows = l->telling->progress != NULL;
    progress_stop(l->telling->progress);
    l->failed += !sandbox_narrow(&s->sandbox);
    l->telling->progress = progress_start(shows);
}

bool load_symbols(struct settings *s)
{
    struct hd_error err = {0};
    if (s->symbols == NULL)
        return true;
    s->read.symbols = s->opened_symbols = hd_symbols_open(s->symbols, &err);
    if (s->opened_symbols == NULL)
        print_error(s->symbols, &err);
    return s->opened_symbols != NULL;
}

struct loaded load_snapshots(const struct settings *s)
{
    struct loaded l = {0};
    size_t pipes = 0;
    uint64_t bytes = 0;
    struct stat st;
    for (size_t i = 0; i < s->operand_count; i++)
        pipes += strcmp(s->operands[i], "-") == 0;
    if (pipes > 1) {
        l.failed = !refuse("standard input can be given only once");
        return l;
    }
    /* An input that cannot be opened keeps its place, with its error. */
    for (size_t i = 0; s->stored == NULL && i < s->operand_count; i++)
        hd_inputs_add(&l.inputs, s->operands[i], NULL);
    if (s->stored != NULL)
        stored_run_add(s->stored, &l.inputs);
    l.telling = zeroed(1, sizeof(*l.telling));
    *l.telling =
        (struct load_progress){.progress = progress_start(!s->no_progress && !s->quiet),
                               .verbose = s->verbose,
                               .inputs = l.inputs};
    l.telling->done = zeroed(l.inputs.count, sizeof(*l.telling->done));
    for (size_t i = 0; i < l.inputs.count; i++) {
        const char *path = l.inputs.all[i].path;
        bool is_file = path != NULL && stat(path, &st) == 0 && S_ISREG(st.st_mode);
        bytes += is_file ? (uint64_t)st.st_size : 0;
    }
    progress_files(l.telling->progress, l.inputs.count, bytes);
    struct hd_read_options how = s->read;
    how.threads = s->threads;
    how.progress = show_progress;
    how.file = print_file;
    how.progress_context = l.telling;
    l.comparison = hd_comparison_open(l.inputs.all, l.inputs.count, &how);
    progress_hide(l.telling->progress);
    give_up_modules(&l, s);
    report_entries(&l, s);
    return l;
}

const char *loaded_path(const struct loaded *l, size_t k)
{
    return hd_snapshot_info(hd_comparison_snapshot(l->comparison, k))->path;
}

void loaded_hide_progress(const struct loaded *l)
{
    progress_hide(l->telling->progress);
}

void loaded_free(struct loaded *l)
{
    hd_comparison_free(l->comparison);
    if (l->telling != NULL) {
        progress_stop(l->telling->progress);
        free(l->telling->done);
    }
    free(l->telling);
    hd_inputs_free(&l->inputs);
    *l = (struct loaded){0};
}
