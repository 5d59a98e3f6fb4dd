#include "render/markdown.h"

#include "report/format_units.h"

#include <stdio.h>
#include <string.h>

/* --- what is visible ------------------------------------------------------- */

/* Marks and controls of direction, which make a name look like another one (Unicode
 * Technical Report 36, 3.1), and what has no width at all. */
static bool is_hidden(uint32_t code)
{
    return code == 0x061C || (code >= 0x200B && code <= 0x200F) ||
           (code >= 0x2028 && code <= 0x202E) || (code >= 0x2060 && code <= 0x206F) ||
           code == 0xFEFF;
}

/* As in text, but for these. */
static void add_visible(struct text *t, const char *s)
{
    struct text clean = {0};
    format_name(&clean, s);
    for (size_t i = 0, n; i < clean.len; i += n) {
        const unsigned char *at = (const unsigned char *)clean.data + i;
        n = utf8_length(at, clean.len - i);
        uint32_t code = utf8_decode(at, n);
        char escape[16];
        snprintf(escape, sizeof(escape), "\\u%04x", code);
        if (is_hidden(code))
            text_add_string(t, escape);
        else
            text_add(t, at, n);
    }
    text_free(&clean);
}

/* --- escapes --------------------------------------------------------------- */

/* How much of it is markup: within code what ends a cell; in words of ours, which may have
 * code and emphasis in them, a tag too; in what others wrote everything. */
enum origin { OF_CODE, OF_OURS, OF_OTHERS };

/* A comment within "@team", "#12" and "://" keeps GitHub, which looks for them after
 * Markdown is done, from making links of them. A bar ends a cell even within code, unless
 * there is a backslash before it. */
static void markdown_add_escaped(struct text *t, const struct text *s, enum origin origin,
                                 enum markdown_place in)
{
    const char *const marks = origin == OF_OTHERS   ? "\\`*_[]|~$"
                              : in == MARKDOWN_CELL ? "|"
                                                    : "";
    for (size_t i = 0; i < s->len; i++) {
        const char c = s->data[i];
        char next = '\0';
        if (i + 1 < s->len)
            next = s->data[i + 1];
        bool parted = c == '@' || (c == '#' && next >= '0' && next <= '9') ||
                      (c == ':' && next == '/');
        if (c == '<' && origin != OF_CODE) {
            text_add_string(t, "&lt;");
        } else if (c == '&' && origin == OF_OTHERS) {
            text_add_string(t, "&amp;");
        } else {
            text_add_string(t, c != '\0' && strchr(marks, c) != NULL ? "\\" : "");
            text_add_char(t, c);
        }
        if (parted && origin == OF_OTHERS)
            text_add_string(t, "<!-- -->");
    }
}

/* --- code ------------------------------------------------------------------ */

/* How many backticks stand side by side at most. */
static size_t longest_fence(const char *s)
{
    size_t longest = 0;
    for (size_t run; *s != '\0'; s += run > 0 ? run : 1) {
        run = strspn(s, "`");
        longest = run > longest ? run : longest;
    }
    return longest;
}

static void add_fence(struct text *t, size_t len)
{
    while (len-- > 0)
        text_add_char(t, '`');
}

static void add_code(struct text *t, const struct text *s, enum markdown_place in)
{
    struct text copy = {0};
    text_add(&copy, s->data, s->len);
    size_t fence = longest_fence(text_string(&copy)) + 1;
    bool edge = s->len > 0 && (s->data[0] == '`' || s->data[s->len - 1] == '`');
    add_fence(t, fence);
    text_add_string(t, edge ? " " : "");
    markdown_add_escaped(t, s, OF_CODE, in);
    text_add_string(t, edge ? " " : "");
    add_fence(t, fence);
    text_free(&copy);
}

void markdown_block(struct text *t, const char *first, const char *lines)
{
    enum { USUAL = 3 };
    size_t a = longest_fence(first), b = longest_fence(lines), most = a > b ? a : b;
    size_t fence = most >= USUAL ? most + 1 : USUAL, len = strlen(lines);
    add_fence(t, fence);
    say(t, "\n", first, lines, len > 0 && lines[len - 1] != '\n' ? "\n" : "");
    add_fence(t, fence);
}

/* --- words ----------------------------------------------------------------- */

static void add_around(struct text *t, const char *begin, const struct text *s,
                       const char *end, enum markdown_place in)
{
    text_add_string(t, begin);
    markdown_add_escaped(t, s, OF_OURS, in);
    text_add_string(t, end);
}

void markdown_run(struct text *t, const struct doc_run *run, enum markdown_place in)
{
    struct text s = {0};
    bool is_name = run->style == DOC_NAME || run->style == DOC_LIBRARY_NAME;
    bool is_ours = !is_name && run->style != DOC_QUOTED;
    if (is_ours)
        text_add_string(&s, run->text);
    else
        add_visible(&s, run->text);
    if (in == MARKDOWN_BLOCK)
        text_add(t, text_string(&s), s.len);
    else if (is_name || run->style == DOC_CODE)
        add_code(t, &s, in);
    else if (run->style == DOC_QUOTED)
        markdown_add_escaped(t, &s, OF_OTHERS, in);
    else if (run->style == DOC_STRONG || (run->style == DOC_MORE && in == MARKDOWN_TEXT))
        add_around(t, "**", &s, "**", in);
    else if (run->style == DOC_GOOD)
        add_around(t, "✅ **", &s, "**", in);
    else if (run->style == DOC_BAD)
        add_around(t, "❌ **", &s, "**", in);
    else if (run->style == DOC_UNSURE)
        add_around(t, "❔ **", &s, "**", in);
    else
        markdown_add_escaped(t, &s, OF_OURS, in);
    text_free(&s);
}

void hd_put_markdown_cell(struct hd_sink to, const char *words)
{
    struct text t = {0};
    markdown_run(&t, &(struct doc_run){DOC_QUOTED, words}, MARKDOWN_CELL);
    to.write(to.context, text_string(&t), t.len);
    text_free(&t);
}
