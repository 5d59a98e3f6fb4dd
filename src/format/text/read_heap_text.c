/* The text heap dump of the .NET Compact Framework ("XNA" format): a record per
 * line, a letter and fields. docs/formats/heap-text.md has the grammar and every
 * error and warning.
 *
 * Type tables are read by text_pieces.c, as fast as memory gives the bytes. What it
 * cannot settle is read here, line after line: graphs, and every text in which something
 * is wrong, so that there is one place that says what and where. */
#include "base/error.h"
#include "format/reader.h"
#include "format/text/text_pieces.h"
#include "format/text/text_records.h"
#include "format/text/text_section.h"

#include <string.h>

/* --- the file ------------------------------------------------------------------ */

static bool read_line(struct text_heap *h, struct text_records *r)
{
    r->in_section = h->in_section;
    r->open = h->open;
    switch (text_record_read(r)) {
    case TEXT_BAD:
        return false;
    case TEXT_BEGIN:
        text_heap_begin(h, r->name, r->version, r->stamp, r->line);
        break;
    case TEXT_END:
        text_heap_end(h, r->name, r->line);
        break;
    case TEXT_BLANK:
    case TEXT_RECORD:
        break;
    }
    return true;
}

static bool read_lines(struct text_heap *h, struct text_records *r)
{
    for (bool more = scan_peek(&r->scan) >= 0; more; more = scan_next_line(&r->scan)) {
        r->line += scan_blank_lines(&r->scan) + 1;
        if (!read_line(h, r))
            return false;
    }
    if (r->scan.failed)
        return false;
    if (h->in_section)
        return text_records_truncated(r);
    if (h->sections == 0) {
        fail_at_line(r->err, 1, "empty", "nothing in it");
        /* A run that was stopped leaves such files behind; in a folder they are passed
         * over. */
        if (r->err != NULL && r->err->status == HD_BAD_FORMAT)
            r->err->status = HD_NOT_A_SNAPSHOT;
        return false;
    }
    text_heap_finish(h);
    return true;
}

static bool read_all(struct input *in, struct builder *b, size_t mark, struct hd_error *err)
{
    struct text_heap h = {.b = b};
    struct text_records r = {.scan = scan_begin(in, err),
                             .err = err,
                             .size_base = b->size_base,
                             .section = &h.section,
                             .totals = &h.totals};
    for (size_t i = mark; i > 0 && scan_peek(&r.scan) >= 0; i--)
        r.scan.at++;
    h.names.account = h.roots.names.account = r.scan.account = builder_account(b);
    bool ok = read_lines(&h, &r);
    text_heap_free(&h);
    text_free(&r.rest);
    return ok;
}

static size_t utf8_mark(struct bytes head)
{
    static const unsigned char mark[] = {0xEF, 0xBB, 0xBF};
    bool there = head.size >= sizeof(mark) && memcmp(head.data, mark, sizeof(mark)) == 0;
    return there ? sizeof(mark) : 0;
}

/* Little or big endian, by their byte order mark. */
static bool is_utf16(struct bytes head)
{
    return head.size >= 2 && ((head.data[0] == 0xFF && head.data[1] == 0xFE) ||
                              (head.data[0] == 0xFE && head.data[1] == 0xFF));
}

static bool read(struct input *in, struct builder *b, struct hd_error *err)
{
    struct bytes head = input_head(in);
    if (is_utf16(head))
        return fail_at_line(err, 1, "utf-16", "UTF-16 text; convert it to UTF-8");
    size_t mark = utf8_mark(head);
    if (!b->want_graph) {
        struct text_pieces_options how = {.threads = b->threads, .skip = mark};
        if (text_pieces_read(in, b, &how))
            return true;
        if (!input_rewind(in, err))
            return false;
    }
    return read_all(in, b, mark, err);
}

/* --- recognising --------------------------------------------------------------- */

static bool begins_record(int letter, int next)
{
    return letter > 0 && strchr("atorc", letter) != NULL && (next == ' ' || next == '\t');
}

static enum recognition recognises_utf16(struct bytes head)
{
    enum { MARK = 2, UNIT = 2, WANTED = MARK + 2 * UNIT };
    if (head.size < WANTED)
        return RECOGNISED_NO;
    const unsigned char *p = head.data;
    bool big = p[0] == 0xFE;
    const unsigned char *first = p + MARK, *second = first + UNIT;
    bool ascii = first[big ? 0 : 1] == 0 && second[big ? 0 : 1] == 0;
    return ascii && begins_record(first[big], second[big]) ? RECOGNISED_YES : RECOGNISED_NO;
}

/* By the first line that is not blank. */
static enum recognition recognises(struct bytes head)
{
    if (is_utf16(head))
        return recognises_utf16(head);
    size_t begin = utf8_mark(head), at = begin;
    while (at < head.size && strchr(" \t\r\n", head.data[at]) != NULL && head.data[at] != 0)
        at++;
    if (at == head.size)
        return RECOGNISED_MAYBE;
    bool in_column_1 = at == begin || head.data[at - 1] == '\n';
    bool record = at + 1 < head.size && begins_record(head.data[at], head.data[at + 1]);
    return in_column_1 && record ? RECOGNISED_YES : RECOGNISED_NO;
}

const struct reader read_heap_text = {
    .name = "heap-text",
    .summary = "text heap dump of the .NET Compact Framework (XNA)",
    .recognises = recognises,
    .read = read,
};
