#include "render/text_words.h"

#include "base/alloc.h"
#include "base/text.h"
#include "heap/place.h"
#include "report/format_units.h"

#include <stdlib.h>
#include <string.h>

/* Width of lines that can be broken, if the width of the output is unknown: such text is
 * read in logs. */
enum { FOLD_COLUMNS = 120 };

/* Names are not cut for less than this. */
enum { MIN_WIDTH = 13 };

/* All output passes through here, and untrusted text is escaped. Where only ASCII can be
 * displayed the output converts the rest (struct out); lines are laid out for the converted
 * form. */
void words_add_run(struct text *t, const struct doc_run *run, enum words_names names)
{
    bool is_name = run->style == DOC_NAME || run->style == DOC_LIBRARY_NAME;
    if (is_name && names == SHORT_NAMES)
        format_short_name(t, run->text);
    else if (is_name || run->style == DOC_QUOTED)
        format_name(t, run->text);
    else
        text_add_string(t, run->text);
}

void words_pad(struct text *t, size_t columns)
{
    for (; columns > 0; columns--)
        text_add_char(t, ' ');
}

void words_end_line(struct text *t)
{
    while (t->len > 0 && t->data[t->len - 1] == ' ')
        t->len--;
    text_add_char(t, '\n');
}

void words_paint(struct text *t, const char *color, const char *s, size_t len)
{
    text_add_string(t, color);
    text_add(t, s, len);
    text_add_string(t, color[0] != '\0' ? PLAIN : "");
}

/* A blank at which no line may end; no name contains one, since it is escaped there. */
enum { BOUND_BLANK = '\x1f' };

void words_add_to_wrap(struct text *t, const struct doc_run *run)
{
    size_t from = t->len;
    words_add_run(t, run, WHOLE_NAMES);
    for (size_t i = from; run->style == DOC_CODE && i < t->len; i++)
        if (t->data[i] == ' ')
            t->data[i] = BOUND_BLANK;
}

void words_add_runs(struct text *t, const struct doc_runs *runs, enum words_names names)
{
    for (size_t i = 0; i < runs->len; i++)
        words_add_run(t, &runs->all[i], names);
}

const char *words_color(const struct hd_write_options *opt, enum doc_style style)
{
    static const char *const colors[] = {
        [DOC_STRONG] = BOLD,      [DOC_GOOD] = BOLD GREEN,
        [DOC_BAD] = BOLD RED,     [DOC_UNSURE] = BOLD "\033[33m",
        [DOC_MORE] = RED,         [DOC_LESS] = GREEN,
        [DOC_LIBRARY_NAME] = DIM, [DOC_ASIDE] = DIM,
        [DOC_NAME] = NULL};
    size_t known = sizeof(colors) / sizeof(*colors);
    const char *color = style < known ? colors[style] : NULL;
    return color != NULL && opt->color ? color : "";
}

bool words_is_narrow(const struct hd_write_options *opt, unsigned below)
{
    return opt->width > 0 && opt->width < below;
}

const struct doc_runs *words_of_cell(const struct hd_write_options *opt,
                                     const struct doc_cell *cell)
{
    bool brief = cell->brief != NULL && words_is_narrow(opt, cell->brief->below);
    return brief ? &cell->brief->words : &cell->words;
}

void words_add_cell(const struct hd_write_options *opt, struct text *t,
                    const struct doc_cell *cell)
{
    words_add_runs(t, words_of_cell(opt, cell), WHOLE_NAMES);
}

size_t words_columns(const struct hd_write_options *opt, const struct text *t)
{
    return t->len > 0 ? printed_columns(t->data, t->len, opt->ascii) : 0;
}

/* A piece that is wider than the place is cut if it is a name; never a number. Colours are
 * for lines that are not broken again. */
static void words_add_piece(const struct hd_write_options *opt, struct text *t,
                            const struct doc_runs *words, const struct text *plain,
                            size_t available, bool paints)
{
    bool has_name = false;
    for (size_t i = 0; i < words->len; i++)
        has_name |= words->all[i].style >= DOC_QUOTED;
    if (has_name && words_columns(opt, plain) > available) {
        format_shorten(t, plain->data, plain->len, available, opt->ascii);
        return;
    }
    for (size_t i = 0; i < words->len; i++) {
        const char *color = paints ? words_color(opt, words->all[i].style) : "";
        text_add_string(t, color);
        if (paints)
            words_add_run(t, &words->all[i], WHOLE_NAMES);
        else
            words_add_to_wrap(t, &words->all[i]);
        text_add_string(t, color[0] != '\0' ? PLAIN : "");
    }
}

/* A new line that begins at indent. */
static void wrap_break(struct text *t, size_t indent)
{
    words_end_line(t);
    words_pad(t, indent);
}

void words_add_pieces(const struct hd_write_options *opt, struct text *t,
                      const struct doc_line *l, size_t column, size_t indent)
{
    struct text piece = {0};
    const size_t width = opt->width;
    size_t available = width > indent + MIN_WIDTH && !l->wraps ? width - indent : SIZE_MAX;
    for (size_t i = 0; i < l->len; i++) {
        const char *joint = i > 0 ? l->all[i].joint : "";
        const struct doc_runs *words = words_of_cell(opt, &l->all[i].cell);
        if (words->len == 0)
            continue;
        text_clear(&piece);
        words_add_runs(&piece, words, WHOLE_NAMES);
        column +=
            printed_columns(joint, strlen(joint), opt->ascii) + words_columns(opt, &piece);
        text_add_string(t, joint);
        if (i > 0 && l->all[i].breaks && width > 0 && column > width) {
            wrap_break(t, indent);
            column = indent + words_columns(opt, &piece);
        }
        words_add_piece(opt, t, words, &piece, available, !l->wraps);
    }
    text_free(&piece);
}

unsigned words_fold_columns(const struct hd_write_options *opt)
{
    return opt->width > 0 ? opt->width : FOLD_COLUMNS;
}

void words_add_command(const struct hd_write_options *opt, struct text *t,
                       const char *command, size_t indent)
{
    const size_t gap = 2;
    const char *all = text_string(t), *end = strrchr(all, '\n');
    const char *line = end != NULL ? end + 1 : all;
    size_t columns = printed_columns(line, strlen(line), opt->ascii);
    bool fits = opt->width == 0 || columns + gap + strlen(command) <= opt->width;
    if (fits)
        text_add_string(t, "  ");
    else
        wrap_break(t, indent);
    text_add_string(t, command);
}

void words_add_line(const struct hd_write_options *opt, struct text *t,
                    const struct doc_line *l, size_t column, size_t indent, const char *end)
{
    struct text flat = {0};
    const struct doc_runs *last = l->len > 1 ? &l->all[l->len - 1].cell.words : NULL;
    bool ends_in_command = last != NULL && last->len == 1 && last->all[0].style == DOC_CODE;
    if (!l->wraps) {
        words_add_pieces(opt, t, l, column, indent);
        text_add_string(t, end != NULL ? end : "");
        return;
    }
    struct doc_line words = *l;
    words.len -= ends_in_command;
    words_add_pieces(opt, &flat, &words, column, indent);
    text_add_string(&flat, end != NULL ? end : "");
    wrap_words(t, text_string(&flat), column, indent, words_fold_columns(opt), opt->ascii);
    if (ends_in_command)
        words_add_command(opt, t, last->all[0].text, indent);
    text_free(&flat);
}

/* --- lines that fit ---------------------------------------------------------------- */

/* A frame cut for a narrow terminal has at least this length. */
enum { SHORTEST_PIECE = 20 };

enum { ARROW = sizeof(HOLDER_ARROW) - 1 };

static bool is_arrow(const char *line, size_t len, size_t i)
{
    return i + ARROW <= len && memcmp(line + i, HOLDER_ARROW, ARROW) == 0;
}

size_t wrap_count_arrows(const char *line, size_t len)
{
    size_t count = 0;
    for (size_t i = 0; i < len; i++)
        count += is_arrow(line, len, i);
    return count;
}

/* Its arrow has the colour of the line. */
static void add_element(struct text *t, const char *s, size_t len, const char *color)
{
    size_t lead = is_arrow(s, len, 0) ? ARROW : 0;
    if (lead == 0 && len >= ARROW - 1 && memcmp(s, &HOLDER_ARROW[1], ARROW - 1) == 0)
        lead = ARROW - 1;
    text_add(t, s, lead);
    words_paint(t, color, s + lead, len - lead);
}

void wrap_arrows(struct text *t, const char *line, size_t len, struct wrap_area area,
                 const char *const *colors)
{
    struct text element = {0};
    size_t column = area.column, number = 0;
    for (size_t i = 0, end; i < len; i = end, number++) {
        for (end = i + 1; end < len && !is_arrow(line, len, end);)
            end++;
        size_t piece = printed_columns(line + i, end - i, area.ascii);
        if (area.width > 0 && column > area.indent && column + piece > area.width) {
            wrap_break(t, area.indent);
            column = area.indent;
            bool blank = line[i] == ' ';
            i += blank;
            piece -= blank;
        }
        size_t left =
            area.width > column + SHORTEST_PIECE ? area.width - column : SHORTEST_PIECE;
        text_clear(&element);
        format_shorten_name(&element, line + i, end - i,
                            area.width > 0 && area.is_hard ? left : piece, area.ascii);
        add_element(t, text_string(&element), element.len,
                    colors != NULL ? colors[number] : "");
        column += piece;
    }
    text_free(&element);
}

/* "3.31 MiB", "66 %", "0 → 6,000": no line ends within a number. */
static bool is_one(const char *words, const char *blank)
{
    static const char *const units[] = {"%", "B", "KiB", "MiB", "GiB", "TiB", "→"};
    const char *next = blank + 1;
    bool after_arrow = blank - words >= 3 && memcmp(blank - 3, "→", 3) == 0;
    if (after_arrow)
        return *next >= '0' && *next <= '9';
    if (blank == words || blank[-1] < '0' || blank[-1] > '9')
        return false;
    for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
        size_t len = strlen(units[i]);
        if (strncmp(next, units[i], len) == 0 && strchr(" ,.;:)", next[len]) != NULL)
            return true;
    }
    return false;
}

void wrap_words(struct text *t, const char *words, size_t column, size_t indent,
                unsigned width, bool ascii)
{
    const char *begin = words;
    struct text one = {0};
    for (const char *end; *words != '\0'; words = end + (*end == ' ')) {
        end = words + strcspn(words, " ");
        while (*end == ' ' && is_one(begin, end))
            end += 1 + strcspn(end + 1, " ");
        text_clear(&one);
        text_add(&one, words, (size_t)(end - words));
        for (size_t i = 0; i < one.len; i++)
            if (one.data[i] == BOUND_BLANK)
                one.data[i] = ' ';
        size_t word = one.len > 0 ? printed_columns(one.data, one.len, ascii) : 0;
        if (width > 0 && column > indent && column + word > width) {
            wrap_break(t, indent);
            column = indent;
        }
        text_add(t, text_string(&one), one.len);
        if (*end == ' ')
            text_add_char(t, ' ');
        column += word + 1;
    }
    text_free(&one);
}

/* --- trees -------------------------------------------------------------------------- */

enum {
    GAP = 2,           /* between columns */
    MARK_GAP = 3,      /* in front of remarks */
    NAME_WIDTH = 24,   /* left by the guides */
    NARROW_WIDTH = 14, /* the same in a narrow place */
    NARROW_BELOW = 80,
    MARKED_WIDTH = 14, /* the same for a name with a remark */
    SHORTEST = 4,      /* of a word that was cut */
    READABLE = 14,     /* the same, where frames could be left out instead */
    WIDE_FROM = 100,   /* columns for wide guides */
    MAX_LEVELS = 40    /* with guides, for any width */
};

struct tree_drawer {
    const struct doc_table *t;
    const struct tree_look *look;
    struct text *to;
    size_t *widths;   /* per column; 0: not shown */
    size_t left;      /* columns in front of the guides */
    size_t pitch;     /* columns per level */
    size_t levels;    /* with guides */
    bool *is_last;    /* per row: of its siblings */
    bool *goes_on;    /* per level: there are more siblings */
    struct text word; /* scratch */
};

/* --- words ---------------------------------------------------------------- */

static size_t words_width_of(struct tree_drawer *d, const struct doc_runs *runs)
{
    size_t columns = 0;
    for (size_t i = 0; i < runs->len; i++) {
        text_clear(&d->word);
        d->look->add(&d->word, &runs->all[i]);
        columns += words_columns(d->look->opt, &d->word);
    }
    return columns;
}

static void add_runs(struct tree_drawer *d, const struct doc_runs *runs)
{
    for (size_t i = 0; i < runs->len; i++) {
        text_clear(&d->word);
        d->look->add(&d->word, &runs->all[i]);
        words_paint(d->to, words_color(d->look->opt, runs->all[i].style),
                    text_string(&d->word), d->word.len);
    }
}

static size_t sum_of(const size_t *wide, size_t count, size_t most)
{
    size_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += wide[i] < most ? wide[i] : most;
    return sum;
}

/* Returns the width of the widest words such that all fit: narrower ones are not cut. */
static size_t fair_share(const size_t *wide, size_t count, size_t available)
{
    size_t low = SHORTEST, high = available > low ? available : low;
    while (low < high) {
        size_t middle = high - (high - low) / 2;
        if (sum_of(wide, count, middle) <= available)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* "…" in the place of the runs from one to in front of another. */
static void words_leave_out(struct doc_runs *runs, unsigned from, unsigned to)
{
    runs->all[from] = (struct doc_run){DOC_ASIDE, "…"};
    memmove(&runs->all[from + 1], &runs->all[to], (runs->len - to) * sizeof(*runs->all));
    runs->len -= to - from - 1;
}

/* Shortens a chain: drops its second frame while there are three, finally the target of a
 * variable. False if it cannot be shortened. */
static bool shorten_runs(struct doc_runs *runs)
{
    unsigned arrows[3], found = 0;
    for (unsigned i = 0; i < runs->len && found < 3; i++)
        if (strcmp(runs->all[i].text, " → ") == 0 || strcmp(runs->all[i].text, " ← ") == 0)
            arrows[found++] = i;
    bool again = found > 1 && arrows[1] == arrows[0] + 2 &&
                 strcmp(runs->all[arrows[0] + 1].text, "…") == 0;
    if (found > 1u + again) {
        words_leave_out(runs, arrows[0] + 1, arrows[1 + again]);
        return true;
    }
    bool variable = found > 0 && arrows[0] > 3 && strcmp(runs->all[1].text, ": ") == 0;
    if (variable)
        words_leave_out(runs, 2, arrows[again]);
    return variable;
}

static size_t share_of(struct tree_drawer *d, const struct doc_runs *runs, size_t available,
                       size_t *wide)
{
    for (size_t i = 0; i < runs->len; i++)
        wide[i] = words_width_of(d, &(struct doc_runs){.all = &runs->all[i], .len = 1});
    return fair_share(wide, runs->len, available);
}

/* Appends runs in at most `available` columns: drops frames of a long chain after the
 * first, then cuts the longest words, or drops all except the last. */
static void add_fitting(struct tree_drawer *d, const struct doc_runs *whole,
                        size_t available)
{
    if (words_width_of(d, whole) <= available) {
        add_runs(d, whole);
        return;
    }
    struct doc_runs copy = {.all = alloc_zeroed(array_bytes(whole->len, sizeof(*copy.all))),
                            .len = whole->len},
                    *runs = &copy;
    memcpy(copy.all, whole->all, array_bytes(whole->len, sizeof(*copy.all)));
    size_t *wide = alloc_zeroed(array_bytes(whole->len, sizeof(*wide))), first = 0;
    size_t most = share_of(d, runs, available, wide);
    while (most < READABLE && shorten_runs(runs))
        most = share_of(d, runs, available, wide);
    if (sum_of(wide, runs->len, most) > available) {
        first = runs->len - 1;
        most = available;
    }
    struct text cut = {0};
    for (size_t i = first; i < runs->len; i++) {
        text_clear(&cut);
        text_clear(&d->word);
        d->look->add(&d->word, &runs->all[i]);
        format_shorten(&cut, text_string(&d->word), d->word.len, most, d->look->opt->ascii);
        words_paint(d->to, words_color(d->look->opt, runs->all[i].style), text_string(&cut),
                    cut.len);
    }
    text_free(&cut);
    free(wide);
    free(copy.all);
}

/* --- measures ------------------------------------------------------------- */

static void words_measure(struct tree_drawer *d)
{
    const unsigned width = d->look->opt->width;
    for (size_t c = 0; c + 1 < d->t->column_count; c++) {
        const struct doc_column *column = &d->t->columns[c];
        if (column->is_for_pages || words_is_narrow(d->look->opt, column->from_width))
            continue;
        d->widths[c] =
            printed_columns(column->title, strlen(column->title), d->look->opt->ascii);
        for (size_t i = 0; i < d->t->row_count; i++) {
            size_t wide =
                words_width_of(d, words_of_cell(d->look->opt, &d->t->rows[i].cells[c]));
            d->widths[c] = wide > d->widths[c] ? wide : d->widths[c];
        }
        d->left += d->widths[c] + GAP;
    }
    size_t name = width < NARROW_BELOW ? NARROW_WIDTH : NAME_WIDTH;
    size_t available = width > d->left + name ? width - d->left - name : 0;
    d->pitch = width == 0 || width >= WIDE_FROM ? 3 : 2;
    d->levels =
        width == 0 || available / d->pitch > MAX_LEVELS ? MAX_LEVELS : available / d->pitch;
    d->levels = d->levels > 2 ? d->levels : 2;
}

/* Finds the rows without a sibling below: backwards, since the end decides. A row is at
 * most one deeper than the one before, so clearing is linear. */
static void find_last(struct tree_drawer *d)
{
    unsigned deepest = 0;
    for (size_t i = d->t->row_count; i-- > 0;) {
        unsigned depth = d->t->rows[i].depth;
        for (; deepest > depth; deepest--)
            d->goes_on[deepest] = false;
        d->is_last[i] = !d->goes_on[depth];
        d->goes_on[depth] = true;
        deepest = depth > deepest ? depth : deepest;
    }
}

/* --- lines ---------------------------------------------------------------- */

static void add_titles(struct tree_drawer *d)
{
    struct text line = {0};
    for (size_t c = 0; c < d->t->column_count; c++) {
        const struct doc_column *column = &d->t->columns[c];
        bool is_name = c + 1 == d->t->column_count;
        size_t wide =
            printed_columns(column->title, strlen(column->title), d->look->opt->ascii);
        if (!is_name && d->widths[c] == 0)
            continue;
        if (!is_name && column->align == DOC_RIGHT)
            words_pad(&line, d->widths[c] - wide);
        text_add_string(&line, column->title);
        if (!is_name)
            words_pad(&line, (column->align == DOC_LEFT ? d->widths[c] - wide : 0) + GAP);
    }
    words_paint(d->to, words_color(d->look->opt, DOC_ASIDE), text_string(&line), line.len);
    words_end_line(d->to);
    text_free(&line);
}

/* Appends the guides before a name: levels down to the parent, and the branch. Returns
 * their width. */
static size_t add_guides(struct tree_drawer *d, const struct doc_row *row, bool is_last)
{
    struct text line = {0};
    bool too_deep = row->depth > d->levels;
    size_t levels = too_deep ? d->levels - 1 : row->depth;
    for (size_t l = 1; l < levels + too_deep; l++) {
        text_add_string(&line, d->goes_on[l] ? "│" : " ");
        words_pad(&line, d->pitch - 1);
    }
    if (too_deep) {
        say(&line, "⋮", row->depth - levels, " ");
    }
    if (row->depth > 0) {
        say(&line, is_last ? "└" : "├", d->pitch > 2 ? "─ " : " ");
    }
    words_paint(d->to, words_color(d->look->opt, DOC_ASIDE), text_string(&line), line.len);
    size_t columns = words_columns(d->look->opt, &line);
    text_free(&line);
    return columns;
}

static void add_numbers(struct tree_drawer *d, const struct doc_row *row)
{
    for (size_t c = 0; c + 1 < d->t->column_count; c++) {
        const struct doc_runs *words = words_of_cell(d->look->opt, &row->cells[c]);
        if (d->widths[c] == 0)
            continue;
        size_t available = d->widths[c] - words_width_of(d, words);
        bool right = d->t->columns[c].align == DOC_RIGHT;
        words_pad(d->to, right ? available : 0);
        add_runs(d, words);
        words_pad(d->to, (right ? 0 : available) + GAP);
    }
}

/* Returns how many runs of the remarks fit after a name of width `wanted`; *taken: their
 * total width. At least one. */
static size_t remarks_that_fit(struct tree_drawer *d, const struct doc_runs *remark,
                               size_t wanted, size_t available, size_t *taken)
{
    size_t least = wanted < MARKED_WIDTH ? wanted : MARKED_WIDTH, count = 0;
    *taken = remark->len > 0 ? MARK_GAP : 0;
    for (; count < remark->len; count++) {
        struct doc_runs one = {.all = &remark->all[count], .len = 1};
        size_t wide = words_width_of(d, &one);
        if (count > 0 && *taken + wide + least > available)
            break;
        *taken += wide;
    }
    return count;
}

static void words_add_row(struct tree_drawer *d, size_t i)
{
    const struct doc_row *row = &d->t->rows[i];
    const struct doc_runs *name =
        words_of_cell(d->look->opt, &row->cells[d->t->column_count - 1]);
    struct doc_runs remark = row->remark_count > 0 ? row->remarks[0] : (struct doc_runs){0};
    add_numbers(d, row);
    size_t used = d->left + add_guides(d, row, d->is_last[i]), taken;
    size_t available = d->look->opt->width > used ? d->look->opt->width - used : SHORTEST;
    available = d->look->opt->width == 0 ? SIZE_MAX : available;
    remark.len =
        (unsigned)remarks_that_fit(d, &remark, words_width_of(d, name), available, &taken);
    add_fitting(d, name, available > taken + SHORTEST ? available - taken : SHORTEST);
    words_pad(d->to, remark.len > 0 ? MARK_GAP : 0);
    add_runs(d, &remark);
    words_end_line(d->to);
}

void tree_lines(struct text *to, const struct doc_table *t, const struct tree_look *look)
{
    struct tree_drawer d = {.t = t, .look = look, .to = to};
    unsigned deepest = 0;
    for (size_t i = 0; i < t->row_count; i++)
        deepest = t->rows[i].depth > deepest ? t->rows[i].depth : deepest;
    d.widths = alloc_zeroed(array_bytes(t->column_count, sizeof(*d.widths)));
    d.is_last = alloc_zeroed(array_bytes(t->row_count, sizeof(*d.is_last)));
    d.goes_on = alloc_zeroed(array_bytes((size_t)deepest + 1, sizeof(*d.goes_on)));
    words_measure(&d);
    find_last(&d);
    memset(d.goes_on, 0, array_bytes((size_t)deepest + 1, sizeof(*d.goes_on)));
    add_titles(&d);
    for (size_t i = 0; i < t->row_count; i++) {
        words_add_row(&d, i);
        d.goes_on[t->rows[i].depth] = !d.is_last[i];
    }
    free(d.widths);
    free(d.is_last);
    free(d.goes_on);
    text_free(&d.word);
}
