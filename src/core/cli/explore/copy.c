
#include "cli/explore/explore.h"
#include "cli/guard/temporary.h"
#include "cli/guard/trust.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- what ------------------------------------------------------------------------ */

/* Prints the name of the row unless its kind has a better text. */
static bool put_row(const struct view *v, struct hd_sink to)
{
    if (v->kind->copied != NULL)
        return v->kind->copied(v, v->cursor, to);
    struct row row = view_row(v, v->cursor);
    const char *name = row.shown != NULL ? row.shown : row.name;
    bool is_there = !row.is_heading && name != NULL && name[0] != '\0';
    if (is_there)
        hd_put_name(to, name);
    row_free(&row);
    return is_there;
}

static bool put_chain(const struct view *v, struct hd_sink to)
{
    return v->kind->chain != NULL && v->kind->chain(v, v->cursor, to);
}

static void copy_what(struct explore *e,
                      bool (*put_it)(const struct view *v, struct hd_sink to))
{
    const struct view *v = explore_view(e);
    struct hd_memory text = {0}, why = {0};
    hd_memory_free(&e->copied);
    if (v->cursor >= v->rows || !put_it(v, hd_sink_memory(&text)) || text.size == 0) {
        explore_fail(e, "Nothing to copy here.");
    } else if (text.size > COPY_MAX) {
        PUT(hd_sink_memory(&why), "Too long to copy: {} bytes; terminals take {}.",
            COUNT(text.size), COUNT(COPY_MAX));
        explore_fail(e, why.bytes);
    } else {
        explore_message(e, "copied: %s", text.bytes);
        e->copied = text;
        text = (struct hd_memory){0};
    }
    hd_memory_free(&text);
    hd_memory_free(&why);
}

void copy_row(struct explore *e)
{
    copy_what(e, put_row);
}

void copy_chain(struct explore *e)
{
    copy_what(e, put_chain);
}

/* --- the sequence ---------------------------------------------------------------- */

static void copy_put(struct hd_sink to, const char *s)
{
    to.write(to.context, s, strlen(s));
}

static void put_base64(struct hd_sink to, const char *text)
{
    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=";
    enum { PADDING = 64 };
    size_t left = strlen(text);
    for (const unsigned char *s = (const unsigned char *)text; left > 0; s += 3) {
        size_t n = left < 3 ? left : 3;
        uint32_t three =
            (uint32_t)s[0] << 16 | (n > 1 ? (uint32_t)s[1] << 8 : 0) | (n > 2 ? s[2] : 0);
        const char four[4] = {digits[three >> 18], digits[three >> 12 & 63],
                              digits[n > 1 ? three >> 6 & 63 : PADDING],
                              digits[n > 2 ? three & 63 : PADDING]};
        to.write(to.context, four, sizeof(four));
        left -= n;
    }
}

void copy_put_sequence(const char *text, bool in_tmux, struct hd_sink to)
{
    copy_put(to, "\033]52;c;");
    put_base64(to, text);
    copy_put(to, "\a");
    if (!in_tmux)
        return;
    copy_put(to, "\033Ptmux;\033\033]52;c;");
    put_base64(to, text);
    copy_put(to, "\a\033\\");
}

/* --- as a file --------------------------------------------------------------------- */

/* Write errors are checked once, at the end (ferror). */
struct table {
    FILE *to;
    bool csv;
    struct hd_column columns[HD_MAX_COLUMNS];
    size_t count;
};

/* --- cells ----------------------------------------------------------------------- */

static int put_file(void *context, const void *bytes, size_t size)
{
    return fwrite(bytes, 1, size, context) == size ? 0 : -1;
}

/* Prints text with its lead and tail. In CSV only the blanks show the tree. */
static void print_cell(const struct table *t, const struct row *row, size_t i,
                       struct hd_sink to)
{
    const struct cell *c = &row->cells[i];
    bool last = i + 1 == t->count;
    if (t->csv) {
        cell_print_exact(c, to);
        return;
    }
    PUT(to, "{}{}{}", WORD(last && row->lead != NULL ? row->lead : ""), *c,
        WORD(last ? row->tail : ""));
}

static bool is_text(enum cell_kind kind)
{
    return kind == CELL_NAME || kind == CELL_WORD;
}

/* Prints the separator before a cell. */
static void put_joint(const struct table *t, bool begun)
{
    fputs(t->csv ? (begun ? "," : "") : begun ? " | " : "| ", t->to);
}

static void put_cells(const struct table *t, const struct row *row)
{
    bool begun = false;
    for (size_t i = 0; i < t->count; i++) {
        struct hd_memory text = {0};
        if (t->columns[i].key == NULL)
            continue;
        print_cell(t, row, i, hd_sink_memory(&text));
        const char *s = text.bytes != NULL ? text.bytes : "";
        put_joint(t, begun);
        /* A number is one, though it begins with a sign. */
        struct hd_sink to = {put_file, t->to};
        if (!t->csv)
            hd_put_markdown_cell(to, s);
        else if (is_text(row->cells[i].kind))
            hd_put_csv_cell(to, s);
        else
            fputs(s, t->to);
        begun = true;
        hd_memory_free(&text);
    }
    fputs(t->csv ? "\n" : " |\n", t->to);
}

/* --- the table ------------------------------------------------------------------- */

static size_t put_table(struct table *t, const struct view *v)
{
    size_t rows = v->rows, put = 0;
    t->count = v->kind->columns(v, t->columns);
    bool begun = false;
    for (size_t i = 0; i < t->count; i++) {
        const struct hd_column *c = &t->columns[i];
        if (c->key == NULL)
            continue;
        put_joint(t, begun);
        fputs(t->csv ? c->key : c->title, t->to);
        begun = true;
    }
    fputs(t->csv ? "\n" : " |\n", t->to);
    for (size_t i = 0; !t->csv && i < t->count; i++)
        if (t->columns[i].key != NULL)
            fputs(hd_cell_is_number(t->columns[i].kind) ? "| ---: " : "| --- ", t->to);
    fputs(t->csv ? "" : "|\n", t->to);
    for (size_t i = 0; i < rows && !ferror(t->to); i++) {
        struct row row = view_row(v, i);
        if (!t->csv || !row.is_heading) {
            put_cells(t, &row);
            put++;
        }
        row_free(&row);
    }
    return put;
}

/* --- the file -------------------------------------------------------------------- */

static bool ends_in(const char *path, const char *suffix)
{
    size_t len = strlen(path), tail = strlen(suffix);
    return len > tail && strcasecmp(path + len - tail, suffix) == 0;
}

static enum exported fail_with(const char *path, const char *what, char *why, size_t size)
{
    snprintf(why, size, "%s: %s", path, what);
    return EXPORT_FAILED;
}

static mode_t usual_mode(void)
{
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

enum exported export_view(struct explore *e, const char *path, bool replace, char *why,
                          size_t size)
{
    struct stat st;
    char refused[TRUST_REASON];
    struct table t = {.csv = ends_in(path, ".csv")};
    if (!t.csv && !ends_in(path, ".md"))
        return fail_with(path, "the name must end in .md or .csv", why, size);
    if (!trust_allows(path, TRUST_LINKS, refused))
        return fail_with(path, refused, why, size);
    bool there = stat(path, &st) == 0;
    if (there && !S_ISREG(st.st_mode))
        return fail_with(path, "is not a file", why, size);
    char kept[MESSAGE_MAX];
    if (there && e->keeps != NULL && e->keeps(e->settings, path, kept))
        return fail_with(path, kept, why, size);
    if (there && !replace)
        return EXPORT_EXISTS;
    t.to = temporary_open(path);
    if (t.to == NULL && errno == EACCES)
        return fail_with(path,
                         "Permission denied (only below this folder, or with --no-sandbox)",
                         why, size);
    if (t.to == NULL)
        return fail_with(path, strerror(errno), why, size);
    size_t rows = put_table(&t, explore_view(e));
    bool ok = fchmod(fileno(t.to), there ? st.st_mode & 0777 : usual_mode()) == 0;
    ok = fflush(t.to) == 0 && !ferror(t.to) && ok;
    int error = errno;
    ok = fclose(t.to) == 0 && ok && temporary_rename(path);
    temporary_remove();
    if (!ok)
        return fail_with(path, strerror(error != 0 ? error : errno), why, size);
    snprintf(why, size, "%s: %zu rows", path, rows);
    return EXPORTED;
}
