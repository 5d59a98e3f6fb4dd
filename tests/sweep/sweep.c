/* sweep - damaged snapshots must be either rejected or read.
 *
 *     sweep [--quick] FOLDER
 *
 * Every snapshot below FOLDER, decompressed, is opened complete, truncated and changed:
 * every prefix of a small file and 500 of a large one (40 of a trace of megabytes),
 * 100,000 changes of one byte, and in small .gcdump files and traces every 32-bit word,
 * aligned or not, set to 0, 1 and all ones, which covers each length field. Each input
 * must give an error in one line with a position in the input, or a snapshot whose rows
 * sum to its totals, whose reports can be written in every format, and which is the same
 * after conversion. --quick does a fortieth of it, and converts only a third of the large
 * complete files, as of any damaged ones: all would be half of its time.
 *
 * Everything runs in one process: a crash ends it, and prints the input. Sanitizers find
 * leaks and reads beyond the end, so each input has memory of exactly its size. */
#include "base/alloc.h"
#include "base/input.h"
#include "report/report.h"
#include "support/rewritten.h"

#include <dirent.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum {
    SMALL_FILE = 16 * 1024,
    TINY_FILE = 2 * 1024,
    PREFIXES_OF_LARGE = 500,
    HUGE_FILE = 1024 * 1024,
    PREFIXES_OF_HUGE = 40,
    CHANGED_BYTES = 100000,
    QUICKER = 40,
    SECONDS_PER_INPUT = 20, /* processor time; a busy machine fails no input */
    HANG_SECONDS = 20 * 60, /* wall time */
    /* One of this number of damaged readable inputs is also reported on: four reports in
       five formats need ten times as long as reading a small file. */
    REPORT_EVERY = 16,
    WRITE_EVERY = 3
};

enum damage { WHOLE, PREFIX, BYTE, WORD };

struct file {
    char *path;
    unsigned char *data;
    size_t size;
};

struct sweep {
    struct file *files;
    size_t file_count, file_cap;
    unsigned step; /* 1, or QUICKER: only every step-th prefix and word */
    FILE *null;
    uint64_t inputs, opened, reported, written, failed;
    bool input_failed; /* the current one */
};

/* The current input, for messages, also those of a dying process. */
static struct {
    const char *path;
    enum damage damage;
    size_t at;
    uint32_t value;
} now;

static void print_now(FILE *to)
{
    fprintf(to, "%s", now.path);
    if (now.damage == PREFIX)
        fprintf(to, ", first %zu bytes", now.at);
    else if (now.damage == BYTE)
        fprintf(to, ", byte %zu set to 0x%02" PRIx32, now.at, now.value);
    else if (now.damage == WORD)
        fprintf(to, ", word at byte %zu set to 0x%" PRIx32, now.at, now.value);
}

static void complain(struct sweep *s, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static void complain(struct sweep *s, const char *fmt, ...)
{
    va_list args;
    print_now(stdout);
    fputs(": ", stdout);
    va_start(args, fmt);
    vprintf(fmt, args);
    va_end(args);
    putchar('\n');
    s->input_failed = true;
}

/* --- a process that is about to die ----------------------------------------- */

/* Provided by the sanitizers' run-time library, if there is one. */
void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

static void say_where(void)
{
    if (now.path == NULL)
        return;
    fputs("sweep: the process ends at ", stderr);
    print_now(stderr);
    fputc('\n', stderr);
    now.path = NULL;
}

/* Not async-signal-safe, strictly, but the process is ending anyway. */
static void die(int number)
{
    say_where();
    if (number == SIGPROF)
        fprintf(stderr, "sweep: it took more than %d seconds of processor time\n",
                SECONDS_PER_INPUT);
    if (number == SIGALRM)
        fprintf(stderr, "sweep: it hangs\n");
    signal(SIGABRT, SIG_DFL);
    abort();
}

/* The library ends the process when memory runs out: a limit detects small inputs that make
 * it allocate far too much. The sanitizers' shadow memory does not fit under a limit, and
 * they have one of their own. */
static void prepare_for_the_worst(void)
{
    static const int deadly[] = {SIGSEGV, SIGBUS, SIGFPE, SIGABRT};
    static const struct rlimit four_gib = {(rlim_t)4 << 30, (rlim_t)4 << 30};
    signal(SIGPROF, die);
    signal(SIGALRM, die);
    atexit(say_where);
    if (__sanitizer_set_death_callback != NULL) {
        __sanitizer_set_death_callback(say_where);
        return;
    }
    for (size_t i = 0; i < sizeof(deadly) / sizeof(deadly[0]); i++)
        signal(deadly[i], die);
    setrlimit(RLIMIT_AS, &four_gib);
}

/* --- what must be true of one input ------------------------------------------ */

static uint64_t count_lines(struct bytes b)
{
    uint64_t lines = 1;
    for (size_t i = 0; i < b.size; i++)
        lines += b.data[i] == '\n';
    return lines;
}

static void check_error(struct sweep *s, const struct hd_error *err, struct bytes b,
                        const char *doing)
{
    if (err->status == HD_OK)
        complain(s, "%s: failed without a status", doing);
    bool printable = err->message[0] != '\0';
    for (const char *c = err->message; *c != '\0'; c++)
        printable = printable && (unsigned char)*c >= ' ' && *c != '\x7f';
    if (!printable)
        complain(s, "%s: not one line of text: \"%s\"", doing, err->message);
    if (err->where == HD_AT_BYTE && err->at > b.size)
        complain(s, "%s: byte %" PRIu64 " of %zu: %s", doing, err->at, b.size,
                 err->message);
    if (err->where == HD_AT_LINE && (err->at == 0 || err->at > count_lines(b)))
        complain(s, "%s: line %" PRIu64 " of %" PRIu64 ": %s", doing, err->at,
                 count_lines(b), err->message);
}

static void check_sum(struct sweep *s, const char *what, struct hd_tally sum,
                      struct hd_tally total)
{
    if (sum.count != total.count)
        complain(s, "%s: rows sum to %" PRIu64 " objects of %" PRIu64, what, sum.count,
                 total.count);
    if (total.bytes != HD_UNKNOWN && sum.bytes != total.bytes)
        complain(s, "%s: rows sum to %" PRIu64 " bytes of %" PRIu64, what, sum.bytes,
                 total.bytes);
}

static void check_rows(struct sweep *s, const struct hd_snapshot *snap)
{
    const struct hd_info *info = hd_snapshot_info(snap);
    struct hd_tally sum = {0};
    for (uint32_t t = 0; t < snap->type_count; t++) {
        if (snap->types[t].kind != TYPE_OBJECT)
            continue;
        sum.count += snap->types[t].raw.count;
        sum.bytes += snap->types[t].raw.bytes;
    }
    check_sum(s, "snapshot", sum, (struct hd_tally){info->objects, info->bytes});
    if (info->reachable_objects != HD_UNKNOWN && info->reachable_objects > info->objects)
        complain(s, "more objects are reachable than there are");
}

static void check_top(struct sweep *s, const struct hd_report *r)
{
    const struct hd_type_table *types = &hd_report_model(r)->top->types;
    struct hd_tally sum = {0};
    for (size_t i = 0; i < types->len; i++)
        tally_add(&sum, &types->rows[i].at[0]);
    check_sum(s, "top", sum, types->totals[0]);
}

/* Takes ownership of the report; NULL: it failed, with err. */
static void check_report(struct sweep *s, struct hd_report *r, const struct hd_error *err,
                         struct bytes b, const char *name)
{
    if (r == NULL) {
        check_error(s, err, b, name);
        if (err->status != HD_USAGE)
            complain(s, "%s: %s", name, err->message);
        return;
    }
    struct hd_write_options narrow = {.width = 80, .color = true};
    const char *format;
    for (size_t i = 0; (format = hd_format_name(i)) != NULL; i++) {
        struct hd_error lost = {0};
        if (!hd_report_write(r, format, i % 2 == 0 ? &narrow : NULL, hd_sink_file(s->null),
                             &lost))
            check_error(s, &lost, b, format);
    }
    hd_report_free(r);
}

static const char *first_type(const struct hd_snapshot *snap)
{
    for (uint32_t t = 0; t < snap->type_count; t++)
        if (snap->types[t].kind == TYPE_OBJECT && snap->types[t].raw.count > 0)
            return snap->types[t].name;
    return "Nothing";
}

/* All questions except diff are asked of one comparison: an answer must not change the
 * next. */
static void check_reports(struct sweep *s, struct hd_snapshot *snap, struct bytes b)
{
    struct hd_options opt = hd_default_options();
    struct hd_snapshot *twice[] = {snap, snap};
    struct hd_comparison *one = hd_comparison_of(&snap, 1, NULL),
                         *two = hd_comparison_of(twice, 2, NULL);
    struct hd_error err = {0};
    check_report(s, hd_report_info(one), &err, b, "info");

    struct hd_report *top = hd_report_top(one, &opt, &err);
    if (top != NULL)
        check_top(s, top);
    check_report(s, top, &err, b, "top");

    err = (struct hd_error){0};
    struct hd_report *diff = hd_report_diff(two, &opt, &err);
    if (diff != NULL && hd_report_suspects(diff) > 0)
        complain(s, "suspects, compared with itself");
    check_report(s, diff, &err, b, "diff");

    err = (struct hd_error){0};
    check_report(s, hd_report_tree(one, &opt, &err), &err, b, "tree");

    const char *type = first_type(snap);
    err = (struct hd_error){0};
    opt.types = &type;
    opt.type_count = 1;
    check_report(s, hd_report_roots(one, &opt, &err), &err, b, "roots");
    hd_comparison_free(one);
    hd_comparison_free(two);
    s->reported++;
}

/* Writers omit garbage if they know it and their format does not. */
static uint64_t objects_to_write(const struct hd_snapshot *snap, const char *target)
{
    bool leaves_some =
        snap->info.holds_garbage && snap->graph != NULL && strcmp(target, "digest") != 0;
    return leaves_some ? snap->info.reachable_objects : snap->info.objects;
}

/* Every writer writes what the reader accepts, and reading it again gives the same. Names
 * in invalid UTF-8 may merge, and heap text has no pseudo-nodes below objects. */
static void check_written(struct sweep *s, struct hd_snapshot *snap, struct bytes b)
{
    struct hd_target target;
    for (size_t i = 0; hd_target(i, &target); i++) {
        struct hd_error err = {0};
        char *data;
        size_t size;
        struct hd_snapshot *again = rewritten(snap, target.name, &data, &size, &err);
        bool from_gcdump = strcmp(snap->info.format, "gcdump") == 0;
        bool to_gcdump = strcmp(target.name, "gcdump") == 0;
        const char *what = NULL;
        if (again == NULL)
            check_error(s, &err, b, target.name);
        if (again == NULL && err.status != HD_USAGE && err.status != HD_TOO_BIG)
            complain(s, "%s that was just written: %s", target.name, err.message);
        else if (again != NULL && !snap->info.sampled &&
                 again->info.objects != objects_to_write(snap, target.name))
            what = "objects";
        else if (again != NULL && to_gcdump)
            what = from_gcdump ? rewritten_gcdump_differs(snap, again)
                               : rewritten_gcdump_overflows(again);
        if (what != NULL)
            complain(s, "%s, read again, differs: %s", target.name, what);
        hd_snapshot_close(again);
        free(data);
        s->written++;
    }
}

static void open_as(struct sweep *s, struct bytes b, bool tables_only)
{
    const struct hd_read_options how = {.tables_only = tables_only, .to_write = true};
    struct hd_error err = {0};
    struct hd_snapshot *snap = hd_snapshot_from_memory(b.data, b.size, &how, &err);
    if (snap == NULL) {
        check_error(s, &err, b, tables_only ? "tables only" : "whole");
        return;
    }
    if (err.status != HD_OK)
        complain(s, "a snapshot and an error: %s", err.message);
    check_rows(s, snap);
    if (s->opened++ % REPORT_EVERY == 0 || now.damage == WHOLE)
        check_reports(s, snap, b);
    bool all_whole = s->step == 1 || b.size <= SMALL_FILE;
    if (s->opened % WRITE_EVERY == 0 || (now.damage == WHOLE && all_whole))
        check_written(s, snap, b);
    hd_snapshot_close(snap);
}

/* --- inputs -------------------------------------------------------------------- */

/* Restarts the limits for one input. */
static void limit_time(void)
{
    static const struct itimerval most = {.it_value.tv_sec = SECONDS_PER_INPUT};
    setitimer(ITIMER_PROF, &most, NULL);
    alarm(HANG_SECONDS);
}

static void try_input(struct sweep *s, struct bytes b)
{
    s->input_failed = false;
    limit_time();
    open_as(s, b, false);
    open_as(s, b, true);
    s->inputs++;
    s->failed += s->input_failed;
}

static void try_prefix(struct sweep *s, const struct file *f, size_t size)
{
    now.path = f->path;
    now.damage = size < f->size ? PREFIX : WHOLE;
    now.at = size;
    unsigned char *copy = alloc_resize(NULL, size > 0 ? size : 1);
    if (size > 0)
        memcpy(copy, f->data, size);
    try_input(s, (struct bytes){copy, size});
    free(copy);
}

static bool begins_with(const struct file *f, const char *magic, size_t len)
{
    return f->size >= len && memcmp(f->data, magic, len) == 0;
}

static bool is_trace(const struct file *f)
{
    static const char magic[] = "Nettrace";
    return begins_with(f, magic, sizeof(magic) - 1);
}

static uint64_t sweep_prefixes(struct sweep *s, const struct file *f)
{
    size_t large =
        is_trace(f) && f->size > HUGE_FILE ? PREFIXES_OF_HUGE : PREFIXES_OF_LARGE;
    size_t count = f->size <= SMALL_FILE ? f->size : large;
    uint64_t before = s->inputs;
    for (size_t i = 0; i < count; i += s->step)
        try_prefix(s, f, count == f->size ? i : (size_t)((uint64_t)f->size * i / count));
    try_prefix(s, f, f->size);
    return s->inputs - before;
}

static void try_change(struct sweep *s, struct file *f, enum damage damage, size_t at,
                       uint32_t value)
{
    size_t width = damage == BYTE ? 1 : 4;
    unsigned char saved[4];
    now.path = f->path;
    now.damage = damage;
    now.at = at;
    now.value = value;
    memcpy(saved, f->data + at, width);
    for (size_t i = 0; i < width; i++)
        f->data[at + i] = (unsigned char)(value >> 8 * i);
    try_input(s, (struct bytes){f->data, f->size});
    memcpy(f->data + at, saved, width);
}

static bool is_small(const struct file *f)
{
    return f->size > 0 && f->size <= SMALL_FILE;
}

/* One byte at a time, the same ones in every run, each small file equally often. */
static uint64_t sweep_bytes(struct sweep *s)
{
    uint64_t small = 0, done = 0;
    for (size_t i = 0; i < s->file_count; i++)
        small += is_small(&s->files[i]);
    while (small > 0 && done < CHANGED_BYTES / s->step) {
        for (size_t i = 0; i < s->file_count && done < CHANGED_BYTES / s->step; i++) {
            struct file *f = &s->files[i];
            if (!is_small(f))
                continue;
            uint64_t chance = XXH3_64bits(&done, sizeof(done));
            size_t at = (size_t)((chance >> 32) % f->size);
            uint32_t flip = 1 + (uint32_t)chance % 255;
            try_change(s, f, BYTE, at, f->data[at] ^ flip);
            done++;
        }
    }
    return done;
}

static uint64_t sweep_words(struct sweep *s, struct file *f)
{
    static const uint32_t values[] = {0, 1, UINT32_MAX};
    static const char magic[] = "\x14\0\0\0!FastSerialization.1";
    uint64_t before = s->inputs;
    bool binary = is_trace(f) || begins_with(f, magic, sizeof(magic) - 1);
    if (f->size > TINY_FILE || !binary)
        return 0;
    for (size_t at = 0; at + 4 <= f->size; at += s->step)
        for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
            try_change(s, f, WORD, at, values[i]);
    return s->inputs - before;
}

/* --- files ---------------------------------------------------------------------- */

static bool load_file(struct sweep *s, const char *path)
{
    struct hd_error err = {0};
    struct input *in = input_open(path, NULL, &err);
    struct bytes all;
    if (in == NULL || !input_all(in, &all, &err)) {
        fprintf(stderr, "sweep: %s: %s\n", path, err.message);
        input_close(in);
        return false;
    }
    struct file f = {.path = alloc_zeroed(strlen(path) + 1),
                     .data = alloc_resize(NULL, all.size > 0 ? all.size : 1),
                     .size = all.size};
    memcpy(f.path, path, strlen(path));
    if (all.size > 0)
        memcpy(f.data, all.data, all.size);
    input_close(in);
    s->files = grow(s->files, s->file_count, &s->file_cap, sizeof(*s->files));
    s->files[s->file_count++] = f;
    return true;
}

/* Hidden, or expected results of other tests. */
static bool is_no_snapshot(const char *name)
{
    return name[0] == '.' || strcmp(name, "expected") == 0 ||
           strcmp(name, "expected.json") == 0;
}

/* Everything below path, in the order of names. */
static bool load(struct sweep *s, const char *path)
{
    struct stat st;
    if (stat(path, &st) < 0) {
        perror(path);
        return false;
    }
    if (!S_ISDIR(st.st_mode))
        return load_file(s, path);
    struct dirent **names;
    int count = scandir(path, &names, NULL, alphasort);
    bool ok = count >= 0;
    for (int i = 0; i < count; i++) {
        char below[4096];
        int len = snprintf(below, sizeof(below), "%s/%s", path, names[i]->d_name);
        if (!is_no_snapshot(names[i]->d_name))
            ok = ok && len < (int)sizeof(below) && load(s, below);
        free(names[i]);
    }
    if (count >= 0)
        free(names);
    return ok;
}

int main(int argc, char **argv)
{
    bool quick = argc == 3 && strcmp(argv[1], "--quick") == 0;
    if (argc != (quick ? 3 : 2)) {
        fputs("usage: sweep [--quick] FOLDER\n", stderr);
        return 2;
    }
    struct sweep s = {.step = quick ? QUICKER : 1, .null = fopen("/dev/null", "w")};
    if (s.null == NULL || !load(&s, argv[argc - 1]))
        return 2;
    prepare_for_the_worst();
    uint64_t prefixes = 0, words = 0;
    for (size_t i = 0; i < s.file_count; i++) {
        prefixes += sweep_prefixes(&s, &s.files[i]);
        words += sweep_words(&s, &s.files[i]);
    }
    uint64_t bytes = sweep_bytes(&s);
    now.path = NULL;

    printf("sweep: %zu files: %" PRIu64 " prefixes, %" PRIu64 " words, %" PRIu64 " bytes; "
           "%" PRIu64 " snapshots opened, %" PRIu64 " of them reported on, %" PRIu64
           " files written\n",
           s.file_count, prefixes, words, bytes, s.opened, s.reported, s.written);
    printf("sweep: %" PRIu64 " inputs, %" PRIu64 " failures\n", s.inputs, s.failed);
    printf("%" PRIu64 " passed, %" PRIu64 " failed\n", s.inputs - s.failed, s.failed);
    for (size_t i = 0; i < s.file_count; i++) {
        free(s.files[i].path);
        free(s.files[i].data);
    }
    free(s.files);
    fclose(s.null);
    return s.failed > 0;
}
