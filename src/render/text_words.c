#include "render/text_words.h"

#include "base/ascii.h"
#include "render/wrap.h"

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
        words_add_runs(t, words, WHOLE_NAMES);
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
