#include "cli/commands/output.h"

#include <string.h>
#include <unistd.h>

static int explain(struct settings *s, const struct loaded *l)
{
    struct hd_error err = {0};
    struct hd_report *report = hd_report_roots(l->comparison, &s->options, &err);
    return output_answer(s, l, report, &err);
}

/* `roots Session folder/`: what is no file may be the type. */
static int refuse_without_type(const struct settings *s)
{
    const char *first = s->operand_count > 0 ? s->operands[0] : "";
    bool is_type =
        first[0] != '\0' && strchr(first, '/') == NULL && access(first, F_OK) != 0;
    fputs("heapdrift: roots needs a type", stderr);
    if (is_type) {
        fputs("; did you mean roots --type=", stderr);
        put_name(first);
        fputs("?\n", stderr);
    } else {
        fputs(": heapdrift roots --type=MyApp.Order SNAPSHOT\n", stderr);
    }
    return EXIT_TROUBLE;
}

static int run(struct settings *s)
{
    if (s->options.type_count == 0)
        return refuse_without_type(s);
    return load_and_answer(s, "roots", explain);
}

const struct command cmd_roots = {
    .name = "roots",
    .bit = ON_ROOTS,
    .purpose = FOR_FILES,
    .operands = "--type=PATTERN SNAPSHOT...",
    .summary = "why instances of a type are alive",
    .description =
        "Sampled instances of the type in the last snapshot, grouped by the chain of\n"
        "references that leads to them from a root.",
    .examples =
        {
            {"heapdrift roots --type=Session app.gcdump", "what holds the sessions"},
            {"heapdrift roots --type=Session snapshots/", "which of these chains grew"},
            {"heapdrift roots --exact --type='MyApp.*' app.gcdump",
             "every instance, no sample"},
            {"heapdrift roots --type=Session --born=2..4 snapshots/",
             "those new in snapshots 2 to 4 that stayed"},
        },
    .run = run,
};
