#include "cli/commands/answer.h"

#include <string.h>

/* --- how many, and what is asked of them ------------------------------------ */

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

/* False if the operands are surely more than the command takes. What may be a snapshot and
 * may be none, in a folder, does not count. */
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

/* `heapdrift SNAPSHOT`: there is nothing to compare, but much to see. Not where a status is
 * asked for, which one snapshot cannot give. */
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
