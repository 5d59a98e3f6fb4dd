#include "cli/commands/answer.h"
#include "cli/options/options.h"

#include <string.h>
#include <unistd.h>

/* `roots Session folder/`: an operand that is no file may be the type. */
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

/* --- options --------------------------------------------------------------- */

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

OPTIONS_OF(char);

static const struct option options[] = {{"rows", 'n', GROUP_SHOWN, ON_ROOTS,
                                         .kind = OPTION_COUNT, .parse = parse_rows,
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
            {"heapdrift roots --type=Session snapshots/", "which of these chains grew"},
            {"heapdrift roots --exact --type='MyApp.*' app.gcdump",
             "every instance instead of a sample"},
            {"heapdrift roots --type=Session --born=2..4 snapshots/",
             "new in snapshots 2 to 4, still alive"},
        },
    .options = options,
    .least = 1,
    .most = HD_MAX_SNAPSHOTS,
    .run = answer_command,
    .prepare = roots_prepare,
    .ask = hd_report_roots,
};
