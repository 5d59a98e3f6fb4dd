#include "cli/explore/copy.h"

#include "cli/explore/view.h"

#include <stdlib.h>
#include <string.h>

/* --- what ------------------------------------------------------------------------ */

/* The name of the row unless its kind has something better. */
static bool put_row(struct explore *e, const struct view *v, struct hd_sink to)
{
    if (v->cursor >= v->kind->rows(e, v))
        return false;
    if (v->kind->copied != NULL)
        return v->kind->copied(e, v, v->cursor, to);
    struct row row = view_row(e, v, v->cursor);
    const char *name = row.shown != NULL ? row.shown : row.name;
    bool is_there = !row.is_heading && name != NULL && name[0] != '\0';
    if (is_there)
        hd_put_name(to, name);
    row_free(&row);
    return is_there;
}

static void say_too_long(struct explore *e, uint64_t bytes)
{
    struct hd_memory all = {0}, most = {0};
    hd_put_count(hd_sink_memory(&all), bytes);
    hd_put_count(hd_sink_memory(&most), COPY_MOST);
    explore_message(e, "Too long to copy: %s bytes; terminals take %s.", all.bytes,
                    most.bytes);
    e->is_error = true;
    hd_memory_free(&all);
    hd_memory_free(&most);
}

static void copy(struct explore *e,
                 bool (*put_it)(struct explore *e, const struct view *v, struct hd_sink to))
{
    struct hd_memory text = {0};
    hd_memory_free(&e->copied);
    if (!put_it(e, explore_view(e), hd_sink_memory(&text)) || text.size == 0) {
        explore_fail(e, "Nothing to copy here.");
        hd_memory_free(&text);
        return;
    }
    if (text.size > COPY_MOST) {
        say_too_long(e, text.size);
        hd_memory_free(&text);
        return;
    }
    explore_message(e, "copied: %s", text.bytes);
    e->copied = text;
}

void copy_row(struct explore *e)
{
    copy(e, put_row);
}

static bool put_chain(struct explore *e, const struct view *v, struct hd_sink to)
{
    return v->kind->chain != NULL && v->cursor < v->kind->rows(e, v) &&
           v->kind->chain(e, v, v->cursor, to);
}

void copy_chain(struct explore *e)
{
    copy(e, put_chain);
}

/* --- the sequence ---------------------------------------------------------------- */

static void put(struct hd_sink to, const char *s)
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
    put(to, "\033]52;c;");
    put_base64(to, text);
    put(to, "\a");
    if (!in_tmux)
        return;
    put(to, "\033Ptmux;\033\033]52;c;");
    put_base64(to, text);
    put(to, "\a\033\\");
}
