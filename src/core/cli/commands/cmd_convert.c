#include "cli/commands/answer.h"
#include "cli/commands/output.h"
#include "cli/guard/allocate.h"
#include "cli/options/options.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct convert_options {
    const char *target; /* NULL: by the suffix of output */
    bool redact;        /* a core dump, without values */
};

/* --- the target ---------------------------------------------------------- */

static bool find_target(const struct settings *s, struct hd_target *target)
{
    const struct convert_options *own = s->own;
    for (size_t i = 0; hd_target(i, target); i++)
        if (own->target != NULL ? strcmp(own->target, target->name) == 0
                                : output_ends_in(s->output, target->suffix))
            return true;
    begin_message(NULL, s->output);
    fputs(": unknown format; use --to=FORMAT, or a name that ends in", stderr);
    for (size_t i = 0; hd_target(i, target); i++)
        fprintf(stderr, "%s %s (%s)", i > 0 ? "," : "", target->suffix, target->name);
    fputs("\n", stderr);
    return false;
}

static bool refuse_count(size_t count)
{
    fprintf(stderr, "heapdrift: convert takes one snapshot, not %zu\n", count);
    return false;
}

static bool is_digest(const struct hd_target *target)
{
    return strcmp(target->name, "digest") == 0;
}

/* An output must not overwrite an input that is read later. */
static bool is_apart(const struct settings *s)
{
    for (size_t i = 1; i <= s->operand_count; i++) {
        struct stat out, in;
        char *name = output_numbered(s->output, (uint32_t)i);
        bool there = name != NULL && stat(name, &out) == 0, apart = true;
        for (size_t k = 0; there && apart && k < s->operand_count; k++)
            apart = stat(s->operands[k], &in) != 0 || in.st_dev != out.st_dev ||
                    in.st_ino != out.st_ino;
        if (!apart)
            trouble(name, "is one of the inputs; name another file");
        free(name);
        if (!apart)
            return false;
    }
    return true;
}

static bool convert_check(const struct settings *s, size_t count, struct hd_target *target)
{
    const struct convert_options *own = s->own;
    if (count > 0 && s->output == NULL)
        return refuse("convert needs an output file: heapdrift convert IN -o OUT");
    if (count > 0 && !find_target(s, target))
        return false;
    if (count > 0 && target->redacts && !own->redact)
        return trouble(s->output,
                       "a core dump is only written without values; add --redact");
    if (count == 0 || (count > 1 && !is_digest(target) && !target->redacts))
        return refuse_count(count);
    if (count > 1 && output_is_standard(s))
        return trouble("-o -", "a series becomes several files: -o app.digest");
    if (count > 1 && !is_apart(s))
        return false;
    if (!target->binary || !output_is_standard(s) || !isatty(STDOUT_FILENO))
        return true;
    return put_message(NULL, NULL, "not writing a %s to a terminal; use -o FILE",
                       target->name);
}

/* --- folders ------------------------------------------------------------- */

/* Operands, with the snapshots of a folder in its place. */
struct expansion {
    struct hd_inputs files;
    const char **operands;
    size_t count;
};

static void add_operand(struct expansion *x, const char *operand)
{
    x->operands = more(x->operands, (x->count + 1) * sizeof(*x->operands));
    x->operands[x->count++] = operand;
}

/* A folder with one snapshot stays: it is opened like in other commands. */
static void expand(struct expansion *x, const struct settings *s, const char *operand)
{
    struct stat st;
    size_t first = x->files.count, found = 0;
    bool is_folder = stat(operand, &st) == 0 && S_ISDIR(st.st_mode);
    if (is_folder)
        hd_inputs_add(&x->files, operand, NULL);
    size_t count = x->files.count - first;
    const struct hd_input *all = x->files.all + first;
    bool *skipped = zeroed(count + 1, sizeof(*skipped));
    for (size_t i = 0; i < count; i++)
        skipped[i] = all[i].from_folder && !hd_path_is_snapshot(all[i].path);
    hd_inputs_claim(all, count, skipped);
    for (size_t i = 0; i < count; i++)
        found += !skipped[i];
    if (found < 2)
        add_operand(x, operand);
    for (size_t i = 0; found > 1 && i < count; i++)
        if (!skipped[i])
            add_operand(x, all[i].path);
        else if (!s->quiet)
            put_message("note", NULL, "%s: skipped: no snapshot", input_name(all[i].path));
    free(skipped);
}

static struct expansion expand_all(struct settings *s)
{
    struct expansion x = {0};
    for (size_t i = 0; s->stored == NULL && i < s->operand_count; i++)
        expand(&x, s, s->operands[i]);
    if (x.count > 0) {
        s->operands = x.operands;
        s->operand_count = x.count;
    }
    return x;
}

/* --- converting ------------------------------------------------------------ */

struct conversion {
    struct hd_snapshot *snap;
    const struct hd_target *target;
    struct hd_losses *lost;
};

static bool write_snapshot(const void *thing, const struct settings *s, FILE *to,
                           struct hd_error *err)
{
    (void)s;
    const struct conversion *c = thing;
    return hd_snapshot_write(c->snap, c->target->name, hd_sink_file(to), c->lost, err);
}

static int convert(const struct settings *s, const struct loaded *l,
                   const struct hd_target *target, const char *output)
{
    struct hd_snapshot *snap = hd_comparison_snapshot(l->comparison, 0);
    const struct hd_info *info = hd_snapshot_info(snap);
    if (target->redacts && strcmp(info->format, "core-dump") != 0) {
        trouble(info->path, "is not a core dump; only a core dump can be written as one");
        return EXIT_TROUBLE;
    }
    if (target->needs_graph && !info->has_graph) {
        struct hd_error table = {0};
        snprintf(table.message, sizeof(table.message),
                 "a %s has no objects: it can be converted to table-csv%s",
                 info->has_owners ? "digest" : "type table",
                 info->has_owners ? " or table-json" : ", table-json or digest");
        print_error(info->path, &table);
        return EXIT_TROUBLE;
    }
    if (!s->quiet)
        output_warnings_of(snap, NULL);
    struct hd_losses lost = {0};
    const struct conversion c = {snap, target, &lost};
    if (!output_file(s, output, (struct output_how){.write = write_snapshot}, &c))
        return EXIT_TROUBLE;
    for (size_t i = 0; i < lost.count && !s->quiet; i++)
        put_message("note", NULL, "%s: %s: %s", input_name(info->path), lost.all[i].what,
                    lost.all[i].message);
    if (!s->strict || (info->complete && !info->sampled))
        return EXIT_DONE;
    fputs("heapdrift: inconclusive: the snapshot is incomplete or sampled\n", stderr);
    return EXIT_INCONCLUSIVE;
}

/* Snapshots of a series are opened one after the other, so that only one is in memory, and
 * pass on the ages of their objects. */
static int convert_number(const struct settings *s, size_t i,
                          const struct hd_target *target, struct hd_ages *ages)
{
    struct settings one = *s;
    int status = EXIT_TROUBLE;
    bool several = s->operand_count > 1;
    if (s->stored == NULL) {
        one.operands += i;
        one.operand_count = 1;
    }
    /* Files of modules may be those of the next one, too. */
    one.sandbox.is_wide &= !several;
    char *name = several ? output_numbered(s->output, (uint32_t)i + 1) : NULL;
    struct loaded l = load_snapshots(&one);
    if (l.failed == 0 && l.count != 1) {
        refuse_count(l.count);
    } else if (l.failed == 0) {
        if (several && is_digest(target))
            hd_snapshot_set_ages(hd_comparison_snapshot(l.comparison, 0), ages);
        status = convert(&one, &l, target, name != NULL ? name : s->output);
    }
    loaded_free(&l);
    free(name);
    return status;
}

static int convert_all(struct settings *s)
{
    struct hd_target target;
    int status = EXIT_DONE;
    /* A stored run is converted by its last snapshot. */
    const size_t count = s->stored != NULL ? 1 : s->operand_count;
    if (!convert_check(s, count, &target))
        return EXIT_TROUBLE;
    /* A digest is not a copy of an input. */
    s->read.to_write = !is_digest(&target);
    s->read.tables_only = !target.takes_graph;
    s->read.redact = target.redacts;
    /* So that it lines up with gcdumps of the same program. */
    s->read.reach_later = is_digest(&target); /* it is found on the way */
    s->read.plain_names = is_digest(&target) || strcmp(target.name, "gcdump") == 0;
    struct hd_ages *ages = hd_ages_begin();
    for (size_t i = 0; i < count && status != EXIT_TROUBLE; i++) {
        int result = convert_number(s, i, &target, ages);
        status = result != EXIT_DONE ? result : status;
    }
    hd_ages_end(ages);
    return status;
}

static int convert_run(struct settings *s)
{
    struct expansion x = expand_all(s);
    int status = convert_all(s);
    hd_inputs_free(&x.files);
    free(x.operands);
    return status;
}

OPTIONS_OF(struct convert_options);

static const struct option options[] = {
    {"to", 0, GROUP_OUTPUT, ON_CONVERT, TEXT(WORD, own.target),
     .help = "output format; by default, the suffix of OUT decides"},
    {"format", 0, GROUP_OUTPUT, ON_CONVERT, TEXT(WORD, own.target),
     .help = "the same as --to", .hidden = true},
    {"redact", 0, GROUP_OUTPUT, ON_CONVERT, FLAG(own.redact),
     .help = "with a core dump: overwrite all values with zeros"},
    {"output", 'o', GROUP_OUTPUT, ON_CONVERT, TEXT(SNAPSHOT, s.output),
     .help = "where to write; required, - is standard output"},
    {.more = shared_options}};

const struct command cmd_convert = {
    .name = "convert",
    .bit = ON_CONVERT,
    .purpose = FOR_FORMATS,
    .operands = "IN... -o OUT",
    .summary = "write a snapshot in another format",
    .description = "Write a snapshot as gcdump (.gcdump), digest (.digest), heap-text "
                   "(.txt), table-csv\n"
                   "(.csv), table-json (.json) or, for a core dump and without values, "
                   "core dump (.core).\n"
                   "Data that the target format cannot hold is listed on standard error. "
                   "-o - is standard\n"
                   "output. A series, also in a folder, is converted to digests OUT-1, "
                   "OUT-2, ...,\n"
                   "which keep the age of objects if the snapshots have it.",
    .examples =
        {
            {"heapdrift convert app.nettrace -o app.gcdump",
             "for PerfView and Visual Studio"},
            {"heapdrift convert app.gcdump -o app.digest",
             "data for the analysis, in kilobytes"},
            {"heapdrift convert before.gcdump after.gcdump -o s.digest",
             "s-1.digest, s-2.digest"},
            {"heapdrift convert app.core --redact -o safe.core",
             "without values, to hand over"},
            {"heapdrift convert app.gcdump -o app.csv", "types, counts and bytes"},
            {"heapdrift convert --to=heap-text app.gcdump -o - | less",
             "one line per object"},
        },
    .options = options,
    .own_size = sizeof(struct convert_options),
    .least = 1,
    .most = SIZE_MAX,
    .run = convert_run,
};
