#include "cli/commands/output.h"
#include "cli/options/values.h"

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
    return load_and_answer(s, "roots", HD_MAX_SNAPSHOTS, explain);
}

/* --- options --------------------------------------------------------------- */

/* The rows of roots are its chains. */
static const char *parse_rows(struct settings *s, const struct option *o, const char *value)
{
    enum { MOST_CHAINS = 1000000 };
    const char *wrong = parse_count(s, value, 0, MOST_CHAINS, &s->options.chains);
    (void)o;
    if (wrong == NULL && s->options.chains == 0)
        s->options.chains = UINT32_MAX;
    return wrong;
}

static const struct option options[] = {{"rows", 'n', GROUP_SHOWN, ON_ROOTS,
                                         .kind = OPTION_COUNT, .parse = parse_rows,
                                         .help = "the same as --chains, but 0 shows all"},
                                        {0}};

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
            {"heapdrift roots --type=Session snapshots/", "which of these chains grew"},
            {"heapdrift roots --exact --type='MyApp.*' app.gcdump",
             "every instance instead of a sample"},
            {"heapdrift roots --type=Session --born=2..4 snapshots/",
             "new in snapshots 2 to 4, still alive"},
        },
    .options = options,
    .run = run,
};
