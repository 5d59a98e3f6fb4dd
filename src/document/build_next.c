/* What to run next, as commands to paste: with the snapshots as they were named, so that a
 * folder stays a folder, and a run of a store a run. */
#include "document/build.h"

#include "heap/place.h"
#include "report/text_parts.h"

#include <inttypes.h>
#include <string.h>

/* Whether a word can be printed as it is, for somebody to paste. */
static bool is_plain(const char *word)
{
    struct text t = {0};
    format_name(&t, word);
    bool plain = strcmp(text_string(&t), word) == 0;
    text_free(&t);
    return plain;
}

/* Whether a command line takes the word for something else: -x, @FILE. */
static bool is_no_file_name(const char *word)
{
    return (word[0] == '-' && word[1] != '\0') || word[0] == '@';
}

struct names {
    const char *const *all;
    size_t count;
    bool are_options;
};

static bool are_plain(const struct names *of)
{
    for (size_t i = 0; i < of->count; i++)
        if (!is_plain(of->all[i]))
            return false;
    return true;
}

static void add_names(struct build *b, const struct names *of)
{
    bool dashes = false;
    for (size_t i = 0; i < of->count; i++)
        dashes = dashes || (!of->are_options && is_no_file_name(of->all[i]));
    text_add_string(&b->words, dashes ? " --" : "");
    for (size_t i = 0; i < of->count; i++) {
        text_add_char(&b->words, ' ');
        format_shell_word(&b->words, strcmp(of->all[i], "-") == 0 ? "FILE" : of->all[i]);
    }
}

/* What is in b->words, as commands; a line each. */
static void end_commands(struct build *b, bool names_files)
{
    struct doc_section *s = doc_section(b->doc, DOC_PLAIN);
    struct doc_command *next = &doc_block(b->doc, s, DOC_COMMAND)->command;
    next->label = "next";
    next->lines = doc_string(b->doc, text_string(&b->words));
    next->names_files = names_files;
    text_clear(&b->words);
}

static bool are_stored(const struct build *b)
{
    return b->opt != NULL && b->opt->inputs_are_options;
}

/* The snapshots as the user named them, or else by their paths. */
static struct names inputs_of(struct build *b)
{
    const struct hd_report *r = b->r;
    if (b->opt != NULL && b->opt->input_count > 0)
        return (struct names){b->opt->inputs, b->opt->input_count, are_stored(b)};
    const char **paths = arena_array(&b->doc->arena, const char *, r->snapshot_count);
    for (size_t k = 0; k < r->snapshot_count; k++)
        paths[k] = r->snapshots[k].info.path;
    return (struct names){paths, r->snapshot_count, false};
}

void build_next_of(struct build *b, const char *subject)
{
    const struct hd_report *r = b->r;
    const size_t last = r->snapshot_count - 1;
    const char *paths[] = {r->snapshots[0].info.path, r->snapshots[last].info.path};
    const struct names ends =
        are_stored(b) ? inputs_of(b) : (struct names){paths, last > 0 ? 2 : 1, false};
    struct text word = {0};
    if (subject == NULL || place_is_root(subject) || !is_plain(subject) ||
        !are_plain(&ends))
        return;
    text_add_string(&word, "--type=");
    text_add_string(&word, subject);
    text_add_string(&b->words, "heapdrift roots ");
    format_shell_word(&b->words, text_string(&word));
    text_free(&word);
    add_names(b, &ends);
    end_commands(b, true);
}

/* What began late is found from where it began, if enough was taken since. */
static bool add_diff_since(struct build *b)
{
    const struct hd_report *r = b->r;
    const size_t since = r->diff.growth.since, left = r->snapshot_count - since;
    const char *paths[SERIES_MAX_SNAPSHOTS];
    if (since == 0 || !report_is_enough(left) || are_stored(b))
        return false;
    for (size_t k = 0; k < left; k++)
        paths[k] = r->snapshots[since + k].info.path;
    const struct names later = {paths, left, false};
    if (!are_plain(&later))
        return false;
    text_add_string(&b->words, "heapdrift diff");
    add_names(b, &later);
    end_commands(b, true);
    return true;
}

/* Under load, and long enough; the process may be there still. What is in a store is
 * watched already. */
static void add_watch(struct build *b)
{
    struct heading_origin from;
    char pid[32] = "PID";
    if (are_stored(b))
        return;
    if (heading_origin(b->r, &from) && from.pid != HD_UNKNOWN)
        snprintf(pid, sizeof(pid), "%" PRIu64, from.pid);
    text_add_string(&b->words, "heapdrift watch ");
    text_add_string(&b->words, pid);
    text_add_string(&b->words, " --count=6");
    end_commands(b, false);
}

void build_next(struct build *b)
{
    const struct hd_diff *d = &b->r->diff;
    const struct names in = inputs_of(b);
    if (d->usable_count < 2 || d->no_match != NULL)
        return;
    if (d->suspect_count > 0 && are_plain(&in)) {
        text_add_string(&b->words, "heapdrift explore");
        add_names(b, &in);
        if (in.count == 1 ||
            in.are_options) { /* of many the line would be too long to say twice */
            text_add_string(&b->words, "\nheapdrift report");
            add_names(b, &in);
            text_add_string(&b->words, " -o leak.html");
        }
        end_commands(b, true);
    } else if (d->suspect_count + d->hidden_count == 0 && d->growth.is_open) {
        if (!add_diff_since(b))
            add_watch(b);
    } else if (d->suspect_count + d->hidden_count == 0 &&
               b->r->summary.tone == HD_TONE_UNSURE) {
        add_watch(b);
    }
}
