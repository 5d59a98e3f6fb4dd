#include "cli/commands/answer.h"
#include "cli/options/options.h"

static bool statics_prepare(struct settings *s)
{
    show_all_rows_in_tables(s);
    s->read.reach_later = true;
    return true;
}

OPTIONS_OF(char);

static const struct option options[] = {
    {"rows", 'n', GROUP_SHOWN, ON_STATICS, COUNT(s.options.rows, 0, HD_DEFAULT_ROWS - 1),
     .help = "variables to show; default 20, 0 for all"},
    {"type", 't', GROUP_SHOWN, ON_STATICS, PATTERNS(s.types),
     .help = "those whose class, name or type matches; repeatable"},
    {"values", 0, GROUP_SHOWN, ON_STATICS, FLAG(s.options.values),
     .help = "show strings and characters, which may be secrets"},
    {.more = shared_options}};

const struct command cmd_statics = {
    .name = "statics",
    .bit = ON_STATICS,
    .purpose = FOR_FILES,
    .operands = "SNAPSHOT",
    .summary = "static variables: what they hold",
    .description =
        "List static variables, those first that retain most: class and name, value, type "
        "of\n"
        "what they refer to. Core dumps have all of them with values, [ThreadStatic] ones "
        "per\n"
        "thread; other snapshots those that refer to an object, as far as they name them.\n"
        "--type matches the class, the variable (MyApp.Store.s_all), its type, or that of "
        "the\n"
        "object it refers to.",
    .examples =
        {
            {"heapdrift statics app.core", "those that retain most"},
            {"heapdrift statics --app-only app.core", "without those of the framework"},
            {"heapdrift statics -n0 --values --type=MyApp.Config app.core",
             "all of one class, with text"},
            {"heapdrift statics --format=csv app.core", "all of them, as a table"},
        },
    .options = options,
    .least = 1,
    .most = 1,
    .run = answer_command,
    .prepare = statics_prepare,
    .ask = hd_report_statics,
};
