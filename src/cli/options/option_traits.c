#include "cli/options/option_traits.h"

#include <stdio.h>
#include <string.h>

const char *const option_group_titles[GROUP_COUNT] = {
    [GROUP_PROCESS] = "the process and its snapshots",
    [GROUP_STORE] = "the store",
    [GROUP_COMPARED] = "what is compared",
    [GROUP_SHOWN] = "what is shown",
    [GROUP_RANKING] = "ranking",
    [GROUP_CHAINS] = "chains",
    [GROUP_BUDGETS] = "budgets",
    [GROUP_OUTPUT] = "output",
    [GROUP_GENERAL] = "general",
};

static const char *const sort_keys[] = {"count", "bytes", "retained", "name", NULL};
static const char *const process_orders[] = {"pid", "name", "memory", "uptime", NULL};
static const char *const collected[] = {"gcdump", "digest", "nettrace", "core", NULL};
static const char *const cores[] = {"heap", "full", NULL};
static const char *const units[] = {"type", "namespace", "module", "holder", NULL};
static const char *const colors[] = {"auto", "always", "never", NULL};
static const char *const size_bases[] = {"16", "10", NULL};
static const char *const fleet_units[] = {"service", "host", "build", NULL};
static const char *const windows[] = {"1d", "7d", "30d", "all", NULL};
static const char *const times[] = {"10s", "30s", "1m", "5m", "1h", NULL};
static const char *const sizes[] = {"512MiB", "1GiB", "4GiB", NULL};
static const char *const ages[] = {"30d", "90d", "1y", NULL};
static const char *const records[] = {"text", "json", NULL};
static const char *const shares[] = {"1%", "2%", "5%", "1MiB", "10MiB", NULL};

/* By name: whoever adds an option to options.c adds a line here, too. */
static const struct trait {
    const char *name;
    enum option_group group;
    enum value_kind kind;
    const char *const *words; /* NULL for VALUE_WORD: the formats of the command */
    unsigned commands;        /* of which it is true; 0: of all but those above */
} traits[] = {
    {"sort", GROUP_SHOWN, VALUE_WORD, process_orders, ON_PS},
    {"no-ages", GROUP_PROCESS, VALUE_FREE, NULL, ON_COLLECT | ON_WATCH},
    {"to", GROUP_OUTPUT, VALUE_WORD, collected, ON_COLLECT},
    {"depth", GROUP_SHOWN, VALUE_FREE, NULL, ON_TREE},
    {"format", GROUP_OUTPUT, VALUE_WORD, records, ON_RECORD},
    {"by", GROUP_SHOWN, VALUE_WORD, fleet_units, ON_FLEET},
    {"since", GROUP_COMPARED, VALUE_HINTS, windows, 0},
    {"until", GROUP_COMPARED, VALUE_HINTS, windows, 0},
    {"shard", GROUP_COMPARED, VALUE_FREE, NULL, 0},
    {"merge", GROUP_COMPARED, VALUE_FREE, NULL, 0},
    {"save", GROUP_OUTPUT, VALUE_FREE, NULL, 0},
    {"min-hosts", GROUP_RANKING, VALUE_HINTS, shares, 0},
    {"min-span", GROUP_RANKING, VALUE_HINTS, times, 0},
    {"max-hosts", GROUP_GENERAL, VALUE_HINTS, shares, 0},
    {"all", GROUP_PROCESS, VALUE_FREE, NULL, 0},
    {"holders", GROUP_SHOWN, VALUE_FREE, NULL, 0},
    {"min", GROUP_SHOWN, VALUE_HINTS, shares, 0},
    {"process-id", GROUP_PROCESS, VALUE_PID, NULL, 0},
    {"name", GROUP_PROCESS, VALUE_PROCESS, NULL, 0},
    {"diagnostic-port", GROUP_PROCESS, VALUE_SOCKET, NULL, 0},
    {"core", GROUP_PROCESS, VALUE_WORD, cores, 0},
    {"direct", GROUP_PROCESS, VALUE_FREE, NULL, 0},
    {"count", GROUP_PROCESS, VALUE_FREE, NULL, 0},
    {"interval", GROUP_PROCESS, VALUE_HINTS, times, 0},
    {"max-heap", GROUP_PROCESS, VALUE_HINTS, sizes, 0},
    {"lock", GROUP_PROCESS, VALUE_FILE_WRITTEN, NULL, 0},
    {"store", GROUP_STORE, VALUE_STORE, NULL, 0},
    {"service", GROUP_STORE, VALUE_FREE, NULL, 0},
    {"host", GROUP_STORE, VALUE_FREE, NULL, 0},
    {"build", GROUP_STORE, VALUE_FREE, NULL, 0},
    {"label", GROUP_STORE, VALUE_FREE, NULL, 0},
    {"limit", GROUP_STORE, VALUE_HINTS, sizes, 0},
    {"keep", GROUP_STORE, VALUE_HINTS, ages, 0},
    {"timeout", GROUP_PROCESS, VALUE_HINTS, times, 0},
    {"gen2", GROUP_COMPARED, VALUE_FREE, NULL, 0},
    {"reachable", GROUP_COMPARED, VALUE_FREE, NULL, 0},
    {"tables-only", GROUP_COMPARED, VALUE_FREE, NULL, 0},
    {"fields", GROUP_COMPARED, VALUE_FREE, NULL, 0},
    {"across-builds", GROUP_COMPARED, VALUE_FREE, NULL, 0},
    {"size-base", GROUP_COMPARED, VALUE_WORD, size_bases, 0},
    {"rows", GROUP_SHOWN, VALUE_FREE, NULL, 0},
    {"values", GROUP_SHOWN, VALUE_FREE, NULL, 0},
    {"sort", GROUP_SHOWN, VALUE_WORD, sort_keys, 0},
    {"type", GROUP_SHOWN, VALUE_FREE, NULL, 0},
    {"exclude", GROUP_SHOWN, VALUE_FREE, NULL, 0},
    {"app-only", GROUP_SHOWN, VALUE_FREE, NULL, 0},
    {"by", GROUP_SHOWN, VALUE_WORD, units, 0},
    {"min-score", GROUP_RANKING, VALUE_HINTS, shares, 0},
    {"min-steady", GROUP_RANKING, VALUE_HINTS, shares, 0},
    {"iterations", GROUP_RANKING, VALUE_FREE, NULL, 0},
    {"no-ages", GROUP_RANKING, VALUE_FREE, NULL, 0},
    {"chains", GROUP_CHAINS, VALUE_FREE, NULL, 0},
    {"samples", GROUP_CHAINS, VALUE_FREE, NULL, 0},
    {"seed", GROUP_CHAINS, VALUE_FREE, NULL, 0},
    {"depth", GROUP_CHAINS, VALUE_FREE, NULL, 0},
    {"born", GROUP_CHAINS, VALUE_FREE, NULL, 0},
    {"exact", GROUP_CHAINS, VALUE_FREE, NULL, 0},
    {"config", GROUP_BUDGETS, VALUE_FILE_READ, NULL, 0},
    {"max-growth", GROUP_BUDGETS, VALUE_HINTS, shares, 0},
    {"max-growth-objects", GROUP_BUDGETS, VALUE_FREE, NULL, 0},
    {"budget", GROUP_BUDGETS, VALUE_FREE, NULL, 0},
    {"max-score", GROUP_BUDGETS, VALUE_HINTS, shares, 0},
    {"baseline", GROUP_BUDGETS, VALUE_FILE_READ, NULL, 0},
    {"baseline-write", GROUP_BUDGETS, VALUE_FILE_WRITTEN, NULL, 0},
    {"format", GROUP_OUTPUT, VALUE_WORD, NULL, 0},
    {"to", GROUP_OUTPUT, VALUE_WORD, NULL, 0},
    {"output", GROUP_OUTPUT, VALUE_FILE_WRITTEN, NULL, 0},
    {"color", GROUP_OUTPUT, VALUE_WORD, colors, 0},
    {"width", GROUP_OUTPUT, VALUE_FREE, NULL, 0},
    {"ascii", GROUP_OUTPUT, VALUE_FREE, NULL, 0},
    {"exit-code", GROUP_GENERAL, VALUE_FREE, NULL, 0},
    {"strict", GROUP_GENERAL, VALUE_FREE, NULL, 0},
    {"memory", GROUP_GENERAL, VALUE_HINTS, sizes, 0},
    {"threads", GROUP_GENERAL, VALUE_FREE, NULL, 0},
    {"no-progress", GROUP_GENERAL, VALUE_FREE, NULL, 0},
    {"no-sandbox", GROUP_GENERAL, VALUE_FREE, NULL, 0},
    {"quiet", GROUP_GENERAL, VALUE_FREE, NULL, 0},
    {"verbose", GROUP_GENERAL, VALUE_FREE, NULL, 0},
    {"help", GROUP_GENERAL, VALUE_FREE, NULL, 0},
    {"version", GROUP_GENERAL, VALUE_FREE, NULL, 0},
};

static const struct trait *trait_of(const char *name, const struct command *command)
{
    static const struct trait none = {"", GROUP_GENERAL, VALUE_FREE, NULL, 0};
    for (size_t i = 0; i < sizeof(traits) / sizeof(*traits); i++) {
        const struct trait *t = &traits[i];
        bool is_for = t->commands == 0 || (t->commands & (unsigned)command->bit) != 0;
        if (is_for && strcmp(t->name, name) == 0)
            return t;
    }
    return &none;
}

enum option_group option_group_of(const struct option *o, const struct command *command)
{
    return trait_of(o->name, command)->group;
}

enum value_kind option_value_kind(const struct option *o, const struct command *command)
{
    bool is_output = strcmp(o->name, "output") == 0;
    if (is_output && command->bit == ON_WATCH)
        return VALUE_FOLDER;
    if (is_output && (command->bit == ON_COLLECT || command->bit == ON_CONVERT))
        return VALUE_SNAPSHOT;
    return trait_of(o->name, command)->kind;
}

/* --- words --------------------------------------------------------------- */

static const char *target_name(size_t i)
{
    struct hd_target target;
    return hd_target(i, &target) ? target.name : NULL;
}

/* Formats that the command can write. */
static const char *format_name(const struct command *command, size_t i)
{
    bool checks = ((unsigned)command->bit & (ON_CHECK | ON_WATCH)) != 0;
    bool trees = command->bit == ON_TREE, fleets = command->bit == ON_FLEET;
    if (command->bit == ON_CONVERT)
        return target_name(i);
    for (size_t k = 0; hd_format_name(k) != NULL; k++)
        if ((checks || !hd_format_is_for_check(k)) &&
            (trees || !hd_format_is_for_tree(k)) &&
            (fleets || !hd_format_is_for_fleet(k)) && i-- == 0)
            return hd_format_name(k);
    return NULL;
}

const char *option_word(const char *name, const struct command *command, size_t i)
{
    const struct trait *t = trait_of(name, command);
    if (t->words == NULL)
        return t->kind == VALUE_WORD ? format_name(command, i) : NULL;
    for (size_t k = 0; k <= i; k++)
        if (t->words[k] == NULL)
            return NULL;
    return t->words[i];
}

int option_word_index(struct settings *s, const char *name, const char *value)
{
    size_t count = 0;
    for (const char *word; (word = option_word(name, s->command, count)) != NULL; count++)
        if (strcmp(word, value) == 0)
            return (int)count;
    size_t len = 0;
    s->wanted[0] = '\0';
    for (size_t i = 0; i < count && len < sizeof(s->wanted); i++) {
        const char *joint = i == 0 ? "" : i + 1 < count ? ", " : " or ";
        int n = snprintf(s->wanted + len, sizeof(s->wanted) - len, "%s%s", joint,
                         option_word(name, s->command, i));
        len += n > 0 ? (size_t)n : 0;
    }
    return -1;
}
