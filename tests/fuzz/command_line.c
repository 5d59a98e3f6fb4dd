/* Words of a command line, parsed as the program parses them; their options are applied to
 * a series that is always the same. No command runs, since commands open files and ask
 * processes. */
#include "fuzz/memory_file.h"
#include "fuzz/questions.h"
#include "fuzz/series.h"
#include "fuzz/surfaces.h"

#include "cli/commands/commands.h"
#include "cli/options/command_line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_WORDS = 40 };

/* Discards the program's error messages. */
static FILE *nowhere(void)
{
    static FILE *null;
    if (null == NULL && (null = fopen("/dev/null", "w")) == NULL)
        abort();
    return null;
}

/* An @FILE is the file in memory, whatever its name. */
static int words_of(char *copy, size_t size, char **words, const char *file)
{
    static char program[] = "heapdrift";
    static char at[64];
    int count = 0;
    words[count++] = program;
    snprintf(at, sizeof(at), "@%s", file);
    for (size_t i = 0; i < size && count < MAX_WORDS; i += strlen(copy + i) + 1)
        words[count++] = copy[i] == '@' && copy[i + 1] != '\0' ? at : copy + i;
    words[count] = NULL;
    return count;
}

static struct hd_report *ask(const struct settings *s, struct hd_comparison *c,
                             const struct hd_options *opt, struct hd_error *err)
{
    switch ((unsigned)s->command->bit) {
    case ON_ROOTS:
        return hd_report_roots(c, opt, err);
    case ON_OBJECT:
        return hd_report_objects(c, opt, err);
    case ON_STATICS:
        return hd_report_statics(c, opt, err);
    case ON_TREE:
        return hd_report_tree(c, opt, err);
    case ON_CHECK: {
        struct hd_budgets *b = hd_budgets_new();
        bool ok = true;
        const struct text_list *given = &((const struct check_options *)s->own)->budgets;
        for (size_t i = 0; ok && i < given->count; i += 2)
            ok = hd_budgets_add_option(b, given->all[i], given->all[i + 1], err);
        struct hd_report *report = ok ? hd_report_check(c, opt, b, err) : NULL;
        hd_budgets_free(b);
        return report;
    }
    default:
        return hd_report_diff(c, opt, err);
    }
}

static void ask_series(const struct frame *f, const struct settings *s)
{
    struct hd_snapshot *snaps[SERIES_STEPS];
    struct hd_options opt = s->options;
    struct hd_error err = {0};
    series_open(snaps, true);
    bool is_top = s->command->bit == ON_TOP || s->command->bit == ON_STATICS;
    struct hd_comparison *c = hd_comparison_of(snaps, is_top ? 1 : SERIES_STEPS, NULL);
    opt.iterations = s->iteration_count == SERIES_STEPS ? s->iterations : NULL;
    struct hd_report *report =
        s->command->bit == ON_TOP ? hd_report_top(c, &opt, &err) : ask(s, c, &opt, &err);
    question_answer(f->head, report, &err);
    hd_comparison_free(c);
    series_close(snaps);
}

static void take(const struct frame *f, const struct arguments *a)
{
    const struct command *named = a->count > 1 ? find_command(a->all[1]) : NULL;
    const struct command *command = named != NULL ? named : command_named("diff");
    int skip = named != NULL ? 1 : 0;
    struct settings s;
    if (settings_parse(&s, command, a->count - skip, a->all + skip)) {
        if (s.help)
            print_help(command, nowhere());
        else
            ask_series(f, &s);
    }
    settings_free(&s);
}

void surface_options(struct bytes input)
{
    struct frame f = frame_of(input);
    struct bytes part = frame_part(&f, 0);
    char *copy = calloc(1, part.size + 1), *words[MAX_WORDS + 1];
    if (copy == NULL)
        abort();
    memcpy(copy, part.data, part.size);
    FILE *said = stderr;
    stderr = nowhere();
    struct arguments a;
    const char *file = memory_file(0, frame_part(&f, 1));
    if (arguments_expand(&a, words_of(copy, part.size, words, file), words))
        take(&f, &a);
    arguments_free(&a);
    stderr = said;
    free(copy);
}
