#include "render/text_words.h"

#include "base/ascii.h"
#include "heap/place.h"
#include "report/format_units.h"

#include <string.h>

/* How wide lines may be that can be broken, where nobody says how wide the place is: such
 * text is read in logs. */
enum { FOLD_COLUMNS = 120 };

/* Names are not cut for less than this. */
enum { LEAST_ROOM = 13 };

/* All that is printed goes through here, and what others wrote is escaped. Where only ASCII
 * can be shown the output turns the rest into it, once and for all (struct out); lines are
 * laid out for what they will be. */
void words_add_run(struct text *t, const struct doc_run *run, enum words_names names)
{
    switch (run->style) {
    case DOC_NAME:
    case DOC_LIBRARY_NAME:
        if (names == SHORT_NAMES)
            format_short_name(t, run->text);
        else
            format_name(t, run->text);
        break;
    case DOC_QUOTED:
        format_name(t, run->text);
        break;
    case DOC_WORDS:
    case DOC_STRONG:
    case DOC_CODE:
    case DOC_GOOD:
    case DOC_BAD:
    case DOC_UNSURE:
    case DOC_MORE:
    case DOC_LESS:
    case DOC_ASIDE:
        text_add_string(t, run->text);
        break;
    }
}

/* Stands for a blank where no line may end; no name has one, as it is escaped there. */
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

/* The same in their colours, which take no columns. */
static void add_painted_runs(const struct hd_write_options *opt, struct text *t,
                             const struct doc_runs *runs)
{
    for (size_t i = 0; i < runs->len; i++) {
        const char *color = words_color(opt, runs->all[i].style);
        text_add_string(t, color);
        words_add_run(t, &runs->all[i], WHOLE_NAMES);
        text_add_string(t, color[0] != '\0' ? PLAIN : "");
    }
}

bool words_is_narrow(const struct hd_write_options *opt, unsigned below)
{
    return opt->width > 0 && opt->width < below;
}

/* What of a cell fits the place. */
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

static bool has_name(const struct doc_runs *runs)
{
    for (size_t i = 0; i < runs->len; i++)
        if (runs->all[i].style >= DOC_QUOTED)
            return true;
    return false;
}

/* A piece that is wider than the place is cut if it is a name; never a number. Colours are
 * for lines that are not broken again. */
static void add_piece(const struct hd_write_options *opt, struct text *t,
                      const struct doc_runs *words, const struct text *plain, size_t room,
                      bool paints)
{
    if (plain->len > 0 && has_name(words) && words_columns(opt, plain) > room)
        format_shorten(t, plain->data, plain->len, room, opt->ascii);
    else if (paints)
        add_painted_runs(opt, t, words);
    else
        for (size_t i = 0; i < words->len; i++)
            words_add_to_wrap(t, &words->all[i]);
}

/* A word, and how wide it is. */
static size_t add_word(struct text *t, const char *word, size_t len, bool ascii)
{
    size_t from = t->len;
    text_add(t, word, len);
    for (size_t i = from; i < t->len; i++)
        if (t->data[i] == BOUND_BLANK)
            t->data[i] = ' ';
    return len > 0 ? printed_columns(t->data + from, len, ascii) : 0;
}

/* A new line that begins at indent; blanks at the end of the one before go. */
static void wrap_break(struct text *t, size_t indent)
{
    while (t->len > 0 && t->data[t->len - 1] == ' ')
        t->len--;
    text_add_char(t, '\n');
    for (size_t column = 0; column < indent; column++)
        text_add_char(t, ' ');
}

/* Pieces broken where they do not fit; a joint loses its blanks at the end of a line. */
void words_add_pieces(const struct hd_write_options *opt, struct text *t,
                      const struct doc_line *l, size_t column, size_t indent)
{
    struct text piece = {0};
    const size_t width = opt->width;
    size_t room = width > indent + LEAST_ROOM && !l->wraps ? width - indent : SIZE_MAX;
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
        add_piece(opt, t, words, &piece, room, !l->wraps);
    }
    text_free(&piece);
}

unsigned words_fold_columns(const struct hd_write_options *opt)
{
    return opt->width > 0 ? opt->width : FOLD_COLUMNS;
}

/* A line that begins at the given column, and goes on at indent if it may be broken. */
void words_add_line(const struct hd_write_options *opt, struct text *t,
                    const struct doc_line *l, size_t column, size_t indent)
{
    struct text flat = {0};
    if (!l->wraps) {
        words_add_pieces(opt, t, l, column, indent);
        return;
    }
    words_add_pieces(opt, &flat, l, column, indent);
    wrap_words(t, text_string(&flat), column, indent, words_fold_columns(opt), opt->ascii);
    text_free(&flat);
}

/* --- lines that fit ---------------------------------------------------------------- */

/* A frame that is cut for a narrow terminal keeps at least this. */
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

/* Its arrow keeps the colour of the line. */
static void add_element(struct text *t, const char *s, size_t len, const char *color)
{
    size_t lead = is_arrow(s, len, 0) ? ARROW : 0;
    if (lead == 0 && len >= ARROW - 1 && memcmp(s, &HOLDER_ARROW[1], ARROW - 1) == 0)
        lead = ARROW - 1;
    text_add(t, s, lead);
    text_add_string(t, color);
    text_add(t, s + lead, len - lead);
    text_add_string(t, color[0] != '\0' ? "\033[0m" : "");
}

void wrap_arrows(struct text *t, const char *line, size_t len, struct wrap_room room,
                 const char *const *colors)
{
    struct text element = {0};
    size_t column = room.column, number = 0;
    for (size_t i = 0, end; i < len; i = end, number++) {
        for (end = i + 1; end < len && !is_arrow(line, len, end);)
            end++;
        size_t piece = printed_columns(line + i, end - i, room.ascii);
        if (room.width > 0 && column > room.indent && column + piece > room.width) {
            wrap_break(t, room.indent);
            column = room.indent;
            bool blank = line[i] == ' ';
            i += blank;
            piece -= blank;
        }
        size_t left =
            room.width > column + SHORTEST_PIECE ? room.width - column : SHORTEST_PIECE;
        text_clear(&element);
        format_shorten_name(&element, line + i, end - i,
                            room.width > 0 && room.is_hard ? left : piece, room.ascii);
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
        size_t word = add_word(&one, words, (size_t)(end - words), ascii);
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
