#include "cli/commands/answer.h"
#include "cli/options/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Addresses are hexadecimal, with 0x and without, as every tool prints them: so 1234 is
 * 0x1234. The number of an object is decimal, after a #. False for anything else. */
static bool parse_place(const char *text, struct hd_object_question *ask)
{
    static const char decimal[] = "0123456789", hex[] = "0123456789abcdefABCDEF";
    ask->by_number = text[0] == '#';
    const char *digits = text + ask->by_number;
    if (!ask->by_number && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X'))
        digits += 2;
    if (digits[0] == '\0' || digits[strspn(digits, ask->by_number ? decimal : hex)] != '\0')
        return false;
    errno = 0;
    uint64_t n = strtoull(digits, NULL, ask->by_number ? 10 : 16);
    if (errno != 0 || (ask->by_number && n >= HD_NO_OBJECT))
        return false;
    ask->number = ask->by_number ? (uint32_t)n : 0;
    ask->address = ask->by_number ? 0 : n;
    return ask->by_number || n != 0;
}

/* The address is last, so that it is not ambiguous. */
static bool parse_operands(struct settings *s, struct hd_object_question *ask)
{
    /* A shell takes #1234 without quotes for a comment. */
    if (s->operand_count < (s->stored != NULL ? 1 : 2))
        return refuse("object needs a snapshot and an address: heapdrift object app.gcdump "
                      "0x7f5d2193ec88, an object number in quotes: '#1234', or "
                      "--type=MyApp.Order");
    const char *text = s->operands[s->operand_count - 1];
    if (parse_place(text, ask))
        return true;
    if (s->operand_count == 2 && access(text, F_OK) == 0 &&
        parse_place(s->operands[0], ask))
        return put_message(NULL, NULL, "give the snapshot first: heapdrift object %s %s",
                           text, s->operands[0]);
    return put_message(
        NULL, NULL,
        "%s: must be an address such as 0x7f5d2193ec88 (hexadecimal, up to 64 "
        "bits), or the number of an object such as '#1234'",
        text);
}

/* --- its options ----------------------------------------------------------------- */

struct object_options {
    bool values;                   /* show strings, and the content of arrays */
    struct hd_object_question ask; /* about the one; size 0: a type is asked for */
};

/* --- those of some types --------------------------------------------------------- */

/* A file may be named like an address. */
static bool check_no_address(const struct settings *s)
{
    struct hd_object_question ask;
    for (size_t i = 0; i < s->operand_count; i++)
        if (access(s->operands[i], F_OK) != 0 && parse_place(s->operands[i], &ask))
            return put_message(NULL, NULL,
                               "object takes an address or --type, not both: %s",
                               s->operands[i]);
    const struct object_options *own = s->own;
    return !own->values ||
           refuse("--values applies to one object: it cannot be combined with --type");
}

/* Filter options do not apply to a single object. */
static bool check_no_choice(const struct settings *s)
{
    const struct hd_options *o = &s->options;
    const char *option = o->born_first > 0      ? "--born"
                         : o->gen2              ? "--gen2"
                         : o->app_only          ? "--app-only"
                         : o->exclude_count > 0 ? "--exclude"
                                                : NULL;
    return option == NULL ||
           put_message(NULL, NULL,
                       "%s needs a type: heapdrift object --type=MyApp.Order SNAPSHOT",
                       option);
}

/* --- one ------------------------------------------------------------------------- */

static int object_answer(struct settings *s, const struct loaded *l)
{
    struct hd_error err = {0};
    const struct object_options *own = s->own;
    struct hd_report *report =
        own->ask.size == 0 ? hd_report_objects(l->comparison, &s->options, &err)
                           : hd_report_object(l->comparison, &s->options, &own->ask, &err);
    return output_answer(s, l, report, &err);
}

static int object_run(struct settings *s)
{
    struct object_options *own = s->own;
    bool is_one = s->options.type_count == 0;
    if (is_one ? !check_no_choice(s) || !parse_operands(s, &own->ask)
               : !check_no_address(s))
        return EXIT_TROUBLE;
    if (is_one) {
        s->operand_count--;
        own->ask.size = sizeof(own->ask);
        own->ask.values = own->values;
        s->read.reach_later = true;
    } else {
        show_all_rows_in_tables(s);
    }
    return load_and_answer(s, object_answer);
}

OPTIONS_OF(struct object_options);

static const struct option options[] = {
    {"rows", 'n', GROUP_SHOWN, ON_OBJECT, COUNT(s.options.rows, 0, HD_DEFAULT_ROWS - 1),
     .help = "elements and rows to show; default 20 and all fields, 0 for all"},
    {"type", 't', GROUP_SHOWN, ON_OBJECT, PATTERNS(s.types),
     .help = "list the instances of matching types instead; repeatable"},
    {"values", 0, GROUP_SHOWN, ON_OBJECT, FLAG(own.values),
     .help = "show strings and array elements, which may be secrets"},
    {.more = shared_options}};

const struct command cmd_object = {
    .name = "object",
    .bit = ON_OBJECT,
    .purpose = FOR_FILES,
    .operands = "SNAPSHOT... ADDRESS",
    .summary = "one object: its fields and root chain",
    .description =
        "Show one object: type, size and generation, fields with their values (in core\n"
        "dumps), the objects that it refers to and that refer to it, and a chain from a "
        "root.\n"
        "ADDRESS is hexadecimal, with or without 0x, as printed by `roots` after \"e.g.\"; "
        "an\n"
        "address inside an object means that object. '#1234', in quotes, is the number of "
        "an\n"
        "object, as in JSON and in heap text. Given several snapshots, the object is "
        "looked\n"
        "up in the last one, and the output has the first snapshot in which it exists.\n\n"
        "With --type, and without an address, list the instances of a type in the last\n"
        "snapshot, the largest first, with their number, their roots and retained sizes.",
    .examples =
        {
            {"heapdrift object --values app.gcdump 7f5d2193ec88",
             "with strings, which may be secrets"},
            {"heapdrift object -n 100 app.gcdump '#1234'", "by its number; 100 elements"},
            {"heapdrift object snapshots/ 0x7f5d2193ec88", "in the last one, with its age"},
            {"heapdrift object --type=Session app.gcdump", "all sessions"},
            {"heapdrift object --type=Session --born=2..4 snapshots/",
             "new in snapshots 2 to 4"},
        },
    .options = options,
    .own_size = sizeof(struct object_options),
    .least = 1,
    .most = HD_MAX_SNAPSHOTS,
    .run = object_run,
};
