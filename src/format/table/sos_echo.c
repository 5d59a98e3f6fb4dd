#include "format/table/sos_echo.h"

#include <string.h>

/* --- prompts ------------------------------------------------------------- */

static size_t count_digits(struct span s)
{
    size_t n = 0;
    while (n < s.len && s.data[n] >= '0' && s.data[n] <= '9')
        n++;
    return n;
}

static void skip(struct span *s, size_t n)
{
    s->data += n;
    s->len -= n;
}

/* 0:000>   0:000:x86>   0: kd>   (WinDbg, cdb, kd) */
static bool skip_windbg_prompt(struct span *line)
{
    struct span s = *line;
    size_t digits = count_digits(s);
    if (digits == 0 || digits == s.len || s.data[digits] != ':')
        return false;
    skip(&s, digits + 1);
    digits = count_digits(s);
    if (digits > 0) {
        skip(&s, digits);
    } else {
        while (s.len > 0 && s.data[0] == ' ')
            skip(&s, 1);
        if (!span_begins(s, "kd"))
            return false;
        skip(&s, 2);
    }
    if (s.len > 0 && s.data[0] == ':')
        while (s.len > 0 && s.data[0] != '>' && s.data[0] != ' ')
            skip(&s, 1);
    if (s.len == 0 || s.data[0] != '>')
        return false;
    skip(&s, 1);
    *line = s;
    return true;
}

static bool skip_prompt(struct span *line)
{
    static const char lldb[] = "(lldb)";
    *line = span_trim(*line);
    if (span_begins(*line, lldb))
        skip(line, strlen(lldb));
    else if (span_begins(*line, ">"))
        skip(line, 1);
    else if (!skip_windbg_prompt(line))
        return false;
    *line = span_trim(*line);
    return true;
}

bool sos_is_prompt(struct span line)
{
    return skip_prompt(&line);
}

/* --- the command --------------------------------------------------------- */

/* Tables of these have the header of dumpheap and count something else. */
static const char *const not_heap[] = {"finalizequeue", "objsize", "gchandles",
                                       "threadpool", "notreachableinrange"};

/* The command's own name: of !sos.dumpheap, sos dumpheap or ext dumpheap. */
static struct span parse_command(struct span *rest)
{
    bool bang = span_begins(*rest, "!");
    if (bang)
        skip(rest, 1);
    struct span word = span_word(rest);
    if (!bang && (span_is_nocase(word, "sos") || span_is_nocase(word, "ext")))
        word = span_word(rest);
    for (size_t i = word.len; i > 0; i--)
        if (word.data[i - 1] == '.') {
            skip(&word, i);
            break;
        }
    return word;
}

/* --- its arguments ------------------------------------------------------- */

/* An argument ends at a blank, unless that is in quotes. */
static struct span parse_argument(struct span *rest)
{
    while (rest->len > 0 && (rest->data[0] == ' ' || rest->data[0] == '\t'))
        skip(rest, 1);
    bool quoted = false;
    size_t n = 0;
    for (; n < rest->len; n++) {
        if (rest->data[n] == '"')
            quoted = !quoted;
        else if (!quoted && (rest->data[n] == ' ' || rest->data[n] == '\t'))
            break;
    }
    struct span argument = {rest->data, n};
    skip(rest, n);
    return argument;
}

static void add_word(struct text *t, struct span word)
{
    if (t->len > 0)
        text_add_char(t, ' ');
    text_add(t, word.data, word.len);
}

static bool is_address(struct span s)
{
    if (span_begins(s, "0x") || span_begins(s, "0X"))
        skip(&s, 2);
    for (size_t i = 0; i < s.len; i++) {
        char c = s.data[i];
        bool hex =
            (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
        /* WinDbg writes 00007f21`34000028. */
        if (!hex && c != '`')
            return false;
    }
    return s.len > 0;
}

static void set_generation(struct sos_echo *e, struct span word)
{
    static const struct {
        const char *word, *generation;
    } known[] = {
        {"gen0", "gen0"},  {"gen1", "gen1"},  {"gen2", "gen2"},
        {"loh", "loh"},    {"large", "loh"},  {"poh", "poh"},
        {"pinned", "poh"}, {"foh", "frozen"}, {"frozen", "frozen"},
    };
    e->generation = NULL;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (span_is_nocase(word, known[i].word))
            e->generation = known[i].generation;
}

/* An option that leaves out objects, spelled as in the documentation whatever
 * its case and first character, so that two such lists can be compared. NULL if
 * it is none of them. */
static const char *filter_name(struct span option)
{
    static const char *const names[] = {"-type", "-mt",   "-min",
                                        "-max",  "-heap", "-segment"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (span_is_nocase(option, names[i] + 1))
            return names[i];
    return NULL;
}

/* Cut a value off the option that it is attached to: -gen:gen2, -gen=gen2. Empty
 * if there is none. */
static struct span cut_value(struct span *option)
{
    size_t n = 0;
    while (n < option->len && option->data[n] != '=' && option->data[n] != ':')
        n++;
    struct span value = {option->data + n, option->len - n};
    option->len = n;
    if (value.len > 0)
        skip(&value, 1);
    return value;
}

static struct span parse_value(struct sos_echo *e, struct span attached, struct span *rest)
{
    if (attached.len > 0)
        return attached;
    struct span value = parse_argument(rest);
    if (value.len > 0)
        add_word(&e->command, value);
    return value;
}

static void read_option(struct sos_echo *e, struct span option, struct span *rest)
{
    struct span attached = cut_value(&option);
    const char *filter = filter_name(option);
    if (filter != NULL) {
        add_word(&e->filters, (struct span){filter, strlen(filter)});
        add_word(&e->filters, parse_value(e, attached, rest));
    } else if (span_is_nocase(option, "gen")) {
        set_generation(e, parse_value(e, attached, rest));
    } else if (span_is_nocase(option, "live")) {
        e->live = true;
    } else if (span_is_nocase(option, "dead")) {
        e->dead = true;
    } else if (span_is_nocase(option, "strings")) {
        e->output = SOS_STRINGS;
    } else if (span_is_nocase(option, "short") || span_is_nocase(option, "thinlock")) {
        e->output = SOS_NO_TABLE;
    }
}

/* Bare words: the generation of dumpgen, or a range of addresses. */
static void read_arguments(struct sos_echo *e, struct span rest, bool dumpgen)
{
    struct span argument;
    while ((argument = parse_argument(&rest)).len > 0) {
        add_word(&e->command, argument);
        if (argument.len > 1 && (argument.data[0] == '-' || argument.data[0] == '/')) {
            skip(&argument, 1);
            read_option(e, argument, &rest);
        } else if (dumpgen) {
            set_generation(e, argument);
            dumpgen = false;
        } else if (is_address(argument)) {
            add_word(&e->filters, argument);
        }
    }
}

bool sos_echo_read(struct sos_echo *e, struct span line)
{
    struct span rest = line;
    bool prompt = skip_prompt(&rest);
    rest = span_trim(rest);
    struct span command = parse_command(&rest);
    bool dumpgen = span_is_nocase(command, "dumpgen");
    bool heap = dumpgen || span_is_nocase(command, "dumpheap");
    /* Only these two are looked for without a prompt: any line has a first word. */
    if (!heap && (!prompt || command.len == 0))
        return false;
    sos_echo_free(e);
    if (heap) {
        e->output = SOS_HEAP;
        add_word(&e->command, command);
        read_arguments(e, rest, dumpgen);
    }
    for (size_t i = 0; i < sizeof(not_heap) / sizeof(not_heap[0]); i++)
        if (span_is_nocase(command, not_heap[i]))
            e->output = SOS_NOT_HEAP;
    return true;
}

void sos_echo_report(const struct sos_echo *e, struct builder *b)
{
    struct hd_table_origin *o = &b->snap->origin;
    if (e->output != SOS_HEAP)
        return;
    o->command = builder_string(b, e->command.data, e->command.len);
    o->generation = e->generation;
    o->liveness = e->live == e->dead ? "all" : e->live ? "live" : "dead";
    o->filters =
        e->filters.len > 0 ? builder_string(b, e->filters.data, e->filters.len) : "";
    if (e->filters.len > 0)
        builder_warn(b, WARN_FILTERED, 0);
    if (e->dead && !e->live)
        builder_warn(b, WARN_DEAD_OBJECTS_ONLY, 0);
}

void sos_echo_free(struct sos_echo *e)
{
    text_free(&e->command);
    text_free(&e->filters);
    *e = (struct sos_echo){0};
}
