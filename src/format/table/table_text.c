#include "format/table/table_text.h"

#include "base/error.h"
#include "base/utf16.h"

#include <string.h>

static const unsigned char utf8_mark[] = {0xEF, 0xBB, 0xBF};

/* --- the text ------------------------------------------------------------ */

static bool is_utf16_mark(struct bytes b)
{
    return b.size >= 2 && ((b.data[0] == 0xFF && b.data[1] == 0xFE) ||
                           (b.data[0] == 0xFE && b.data[1] == 0xFF));
}

/* Half a unit at the end becomes U+FFFD, so that a cut file does not look whole. */
static void decode_utf16(struct text *out, struct bytes b)
{
    enum { MARK = 2 };
    text_add_utf16(out, b.data + MARK, (b.size - MARK) / 2,
                   b.data[0] == 0xFF ? UTF16_LITTLE : UTF16_BIG);
    if (b.size % 2 != 0)
        text_add_code_point(out, 0xFFFD);
}

struct table_text table_text_of(struct bytes bytes)
{
    struct table_text t = {0};
    if (is_utf16_mark(bytes)) {
        decode_utf16(&t.decoded, bytes);
        t.all = (struct span){t.decoded.data, t.decoded.len};
    } else {
        t.all = (struct span){(const char *)bytes.data, bytes.size};
        if (bytes.size >= sizeof(utf8_mark) &&
            memcmp(bytes.data, utf8_mark, sizeof(utf8_mark)) == 0) {
            t.all.data += sizeof(utf8_mark);
            t.all.len -= sizeof(utf8_mark);
        }
    }
    /* An empty text has an address too: pointers into it can be compared. */
    if (t.all.len == 0)
        t.all.data = "";
    return t;
}

bool table_text_open(struct table_text *t, struct input *in, struct builder *b,
                     struct hd_error *err)
{
    struct bytes all;
    uint64_t size;
    bool is_file = input_has_places(in, &size);
    *t = (struct table_text){.all = {"", 0}};
    if (!input_all(in, &all, err))
        return false;
    *t = table_text_of(all);
    struct account *account = builder_account(b);
    account_charge(account, (is_file ? 0 : all.size) + t->decoded.cap);
    return !account_is_over(account) || account_fail(account, err);
}

void table_text_close(struct table_text *t)
{
    text_free(&t->decoded);
}

bool table_text_has_no_nul(const struct table_text *t, struct hd_error *err)
{
    const char *nul = memchr(t->all.data, '\0', t->all.len);
    if (nul == NULL)
        return true;
    struct lines l = lines_of(t->all);
    struct span line;
    while (lines_next(&l, &line) && line.data + line.len <= nul)
        continue;
    return fail_at_line(err, l.number, "nul-byte",
                        "a NUL byte: not text, or damaged; copy the table again");
}

/* --- rows ---------------------------------------------------------------- */

bool table_row_add(struct builder *b, const struct table_row *row, struct hd_error *err)
{
    const struct account *account = builder_account(b);
    if (account_is_over(account))
        return account_fail(account, err);
    bool named = row->name.len > 0;
    if (!named)
        builder_warn(b, WARN_UNKNOWN_TYPE, row->line);
    uint32_t type =
        builder_type(b, TYPE_OBJECT, named ? row->name.data : NULL, row->name.len);
    if (row->module.len > 0)
        builder_module(b, type, row->module.data, row->module.len);
    /* The builder takes this one number for "unknown". */
    bool too_big = !row->bytes_unknown && row->bytes == HD_UNKNOWN;
    uint64_t bytes = row->bytes_unknown ? HD_UNKNOWN : row->bytes;
    if (too_big || !builder_row(b, type, row->count, bytes))
        return fail_at_line(err, row->line, "size-overflow",
                            "the sum of all rows does not fit 64 bits: a number is wrong");
    return true;
}
