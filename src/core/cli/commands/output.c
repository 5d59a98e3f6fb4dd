#include "cli/commands/output.h"

#include "cli/guard/temporary.h"
#include "cli/guard/trust.h"
#include "cli/guard/used_files.h"
#include "cli/options/houses.h"
#include "cli/terminal/clock.h"
#include "cli/terminal/messages.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool output_ends_in(const char *path, const char *suffix)
{
    size_t len = strlen(path), tail = strlen(suffix);
    return len > tail && strcmp(path + len - tail, suffix) == 0;
}

bool output_is_standard(const struct settings *s)
{
    return s->output == NULL || strcmp(s->output, "-") == 0;
}

/* name: of the only snapshot, unless it is that of its file. summary: there is one, which
 * includes some of the warnings. */
static void tell_warnings(const struct hd_report *report, const char *name, bool summary)
{
    size_t count;
    const struct hd_warning *all = hd_report_warnings(report, &count);
    for (size_t i = 0; i < count; i++) {
        const struct hd_warning *w = &all[i];
        if (summary && w->in_summary)
            continue;
        const char *of = name != NULL || w->path == NULL ? name : input_name(w->path);
        begin_message("warning", of != NULL ? of : "");
        if (w->line != HD_UNKNOWN)
            fprintf(stderr, ":%" PRIu64, w->line);
        if (of != NULL)
            fputs(": ", stderr);
        fprintf(stderr, "%s: ", w->code);
        put_name(w->message);
        if (w->count != HD_UNKNOWN && w->count > 1)
            fprintf(stderr, " (%" PRIu64 " times)", w->count);
        fputs("\n", stderr);
    }
}

void output_warnings(const struct hd_report *report)
{
    tell_warnings(report, NULL, false);
}

void output_warnings_of(struct hd_snapshot *snap, const char *name)
{
    struct hd_comparison *only = hd_comparison_of(&snap, 1, NULL);
    struct hd_report *report = hd_report_info(only);
    tell_warnings(report, name, false);
    hd_report_free(report);
    hd_comparison_free(only);
}

/* An output and its destination. */
struct output_job {
    const struct settings *settings;
    const char *path;
    struct output_how how;
    const void *thing;
};

static bool write_to(const struct output_job *j, FILE *to, const char *name)
{
    struct hd_error err = {0};
    if (j->how.write(j->thing, j->settings, to, &err))
        return true;
    /* `| head -1` has read enough; other filters print no error either. */
    if (to == stdout && err.status == HD_CLOSED)
        return true;
    advise(&err);
    return !j->how.tells && trouble(name, err.message);
}

/* Prints why the file cannot be created, and a remedy. */
static bool no_file(const struct output_job *j, int why)
{
    const char *slash = strrchr(j->path, '/');
    size_t folder = slash != NULL ? (size_t)(slash - j->path) : 0;
    char text[PATH_MAX + 80], name[PATH_MAX];
    struct stat st;
    snprintf(name, sizeof(name), "%.*s", (int)folder, j->path);
    bool is_there = folder == 0 || (stat(name, &st) == 0 && S_ISDIR(st.st_mode));
    if (why == EISDIR)
        snprintf(text, sizeof(text), "%s; name a file in it: %s%sheapdrift.%s",
                 strerror(why), j->path, slash != NULL && slash[1] == '\0' ? "" : "/",
                 strcmp(j->settings->format, "text") == 0 ? "txt" : j->settings->format);
    else if (why == ENOENT && !is_there)
        snprintf(text, sizeof(text), "%s: create the folder %.*s first", strerror(why),
                 (int)folder, j->path);
    else if (why == EACCES || why == EROFS)
        snprintf(text, sizeof(text), "%s: this user cannot write %s %.*s", strerror(why),
                 folder > 0 ? "to" : "here:", folder > 0 ? (int)folder : 1,
                 folder > 0 ? j->path : ".");
    else
        snprintf(text, sizeof(text), "%s", strerror(why));
    return trouble(j->path, text);
}

/* Returns the mode that the file has, or that a new one gets, also if the file had another
 * owner. Set-ID bits are lost by writing, and the sandbox does not allow them. */
static mode_t wanted_mode(const struct output_job *j)
{
    struct stat st;
    if (j->how.is_private)
        return S_IRUSR | S_IWUSR;
    if (stat(j->path, &st) == 0 && trust_user(st.st_uid))
        return st.st_mode & 0777;
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

/* Writes through a temporary file in the same folder. Devices and pipes are written
 * directly: they cannot be renamed. */
bool output_file(const struct settings *s, const char *path, struct output_how how,
                 const void *thing)
{
    const struct output_job j = {s, path, how, thing};
    struct stat st;
    char why[USED_FILE_REASON];
    if (path == NULL || strcmp(path, "-") == 0)
        return write_to(&j, stdout, "standard output");
    if (used_files_have(s->used, path, why))
        return trouble(path, why);
    if (!trust_check(path, TRUST_LINKS))
        return false;
    bool in_place = stat(path, &st) == 0 && !S_ISREG(st.st_mode);
    FILE *to =
        in_place ? trust_fopen(path, how.never_waits ? "wn" : "w") : temporary_open(path);
    if (to == NULL)
        return no_file(&j, errno);
    bool ok = write_to(&j, to, path);
    if (ok && !in_place && fchmod(fileno(to), wanted_mode(&j)) != 0)
        ok = trouble(path, strerror(errno));
    if (fclose(to) != 0 && ok)
        ok = trouble(path, strerror(errno));
    if (ok && !in_place && !temporary_rename(path))
        ok = trouble(path, strerror(errno));
    if (!in_place)
        temporary_remove();
    return ok;
}

struct hd_write_options output_style(const struct settings *s, FILE *to)
{
    struct hd_write_options style = style_for(&s->style, to);
    style.files_go = s->files_go;
    style.details = s->verbose;
    style.command = s->words;
    style.command_len = s->word_count;
    style.inputs = s->operands;
    style.input_count = s->operand_count;
    style.pages = s->pages;
    style.page_count = s->page_count;
    if (s->stored != NULL) {
        style.inputs = stored_run_words(s->stored, &style.input_count);
        style.inputs_are_options = true;
    }
    return style;
}

static bool write_report(const void *report, const struct settings *s, FILE *to,
                         struct hd_error *err)
{
    struct hd_write_options style = output_style(s, to);
    if (strcmp(s->format, "html") == 0)
        report_time(&style.made_at);
    return hd_report_write(report, s->format, &style, hd_sink_file(to), err);
}

bool output_report(const struct settings *s, const struct hd_report *report,
                   bool warnings_are_in_it)
{
    bool text = strcmp(s->format, "text") == 0 && s->output == NULL;
    bool ok = output_file(s, s->output, (struct output_how){.write = write_report}, report);
    fflush(stdout);
    if (!s->quiet && !warnings_are_in_it)
        tell_warnings(report, NULL, text);
    return ok;
}

const char *output_partial(const struct hd_model *m)
{
    for (size_t k = 0; k < m->snapshot_count; k++)
        if (!m->snapshots[k].info.complete || m->snapshots[k].info.sampled)
            return "a snapshot is incomplete or sampled";
    return NULL;
}

/* Returns why hd_report_conclusive() is false: its first reason, in its order. */
static const char *why_inconclusive(const struct hd_report *report)
{
    const struct hd_model *m = hd_report_model(report);
    const struct hd_diff *d = m->diff;
    size_t count;
    const struct hd_warning *all = hd_report_warnings(report, &count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(all[i].code, "no-such-type") == 0)
            return "no type matches";
    if (output_partial(m) != NULL)
        return output_partial(m);
    bool none = d != NULL && d->suspect_count + d->hidden_count == 0;
    if (none && d->free != NULL && d->free->is_finding)
        return "the heap is fragmented";
    if (none && hd_diff_grows_outside(d))
        return "the process grew outside of its objects";
    if (none && d->growth.is_open)
        return "part of the growth is unexplained";
    if (none && d->growth.has_leveled_off)
        return "the heap grew, then leveled off";
    if (none && hd_diff_is_reserved(d))
        return "what grew may be there by design";
    return "fewer than four snapshots can be compared";
}

int output_status(const struct settings *s, const struct hd_report *report)
{
    if (s->exit_code && hd_report_suspects(report) > 0)
        return EXIT_OVER;
    if (s->strict && !hd_report_conclusive(report)) {
        fprintf(stderr, "heapdrift: inconclusive: %s\n", why_inconclusive(report));
        return EXIT_INCONCLUSIVE;
    }
    return EXIT_DONE;
}

char *output_numbered(const char *path, uint32_t number)
{
    size_t size = strlen(path) + 16;
    char *name = malloc(size);
    const char *slash = strrchr(path, '/'), *suffix = strrchr(path, '.');
    if (suffix == NULL || (slash != NULL && suffix < slash))
        suffix = path + strlen(path);
    if (name != NULL)
        snprintf(name, size, "%.*s-%" PRIu32 "%s", (int)(suffix - path), path, number,
                 suffix);
    return name;
}
