#include "report/markdown.h"

#include "report/human.h"

#include <string.h>

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

void markdown_code(struct text *t, const char *name)
{
    struct text s = {0};
    human_name(&s, name);
    size_t fence = longest_fence(text_string(&s)) + 1;
    bool edge = s.len > 0 && (s.data[0] == '`' || s.data[s.len - 1] == '`');
    for (size_t i = 0; i < fence; i++)
        text_add_char(t, '`');
    text_add_string(t, edge ? " " : "");
    for (size_t i = 0; i < s.len; i++) {
        if (s.data[i] == '|')
            text_add_char(t, '\\');
        text_add_char(t, s.data[i]);
    }
    text_add_string(t, edge ? " " : "");
    for (size_t i = 0; i < fence; i++)
        text_add_char(t, '`');
    text_free(&s);
}

void markdown_plain(struct text *t, const char *s)
{
    struct text clean = {0};
    human_name(&clean, s);
    for (size_t i = 0; i < clean.len; i++) {
        char c = clean.data[i];
        if (c == '<')
            text_add_string(t, "&lt;");
        else if (c == '[' || c == ']')
            text_add_char(t, '\\');
        if (c != '<')
            text_add_char(t, c);
        if (c == '@')
            text_add_string(t, "<!-- -->");
    }
    text_free(&clean);
}

void markdown_cell(struct text *t, const char *s)
{
    struct text cell = {0};
    markdown_plain(&cell, s);
    for (size_t i = 0; i < cell.len; i++) {
        if (cell.data[i] == '|')
            text_add_char(t, '\\');
        text_add_char(t, cell.data[i]);
    }
    text_free(&cell);
}
