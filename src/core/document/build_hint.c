/* A hint's section of docs/hints.md as blocks of a document.
 *
 * The page is a part of the program (hints.S), so that a report by mail and a terminal
 * without a browser have its text too. Of Markdown it has what is read here, and tests see
 * to it that it has nothing else: paragraphs with **words**, `code` and [words](link), and
 * blocks of code. It does not know how any of it is shown. */
#include "document/build.h"
#include "ranking/hints.h"

#include <string.h>

/* --- the page ------------------------------------------------------------- */

extern const char hints_markdown[]; /* ends with a 0 */

/* Where the text below the heading of that name begins; NULL: there is none. Its end is
 * where the next one begins, or that of the page. */
static const char *section_of(const char *id, const char **end)
{
    static const char heading[] = "\n## ";
    const size_t len = strlen(id);
    for (const char *at = hints_markdown; (at = strstr(at, heading)) != NULL;) {
        at += sizeof(heading) - 1;
        if (strncmp(at, id, len) != 0 || at[len] != '\n')
            continue;
        *end = strstr(at, heading);
        *end = *end != NULL ? *end : at + strlen(at);
        return at + len;
    }
    return NULL;
}

/* --- words ---------------------------------------------------------------- */

/* What stands around a run, and what it is then. */
struct markup {
    const char *open, *close;
    enum doc_style style;
};

/* What the mark that begins here is around, up to *to; NULL: there is none. */
static const char *marked(const struct markup *m, const char *s, const char *end,
                          const char **to)
{
    const size_t len = strlen(m->open);
    if (strncmp(s, m->open, len) != 0)
        return NULL;
    *to = strstr(s + len, m->close);
    return *to != NULL && *to < end ? s + len : NULL;
}

static void add_marked(struct build *b, struct doc_runs *to, const char *s, const char *end)
{
    static const struct markup marks[] = {{"**", "**", DOC_STRONG}, {"`", "`", DOC_CODE}};
    static const struct markup label = {"[", "](", DOC_WORDS};
    while (s < end) {
        const char *from = NULL, *until;
        size_t m = 0;
        while (m < 2 && (from = marked(&marks[m], s, end, &until)) == NULL)
            m++;
        if (from != NULL) {
            build_end(b, to);
            text_add(&b->words, from, (size_t)(until - from));
            SAY_AS(b, to, marks[m].style, "");
            s = until + strlen(marks[m].close);
        } else if ((from = marked(&label, s, end, &until)) != NULL) {
            text_add(&b->words, from, (size_t)(until - from));
            s = until + strcspn(until, ")") + 1; /* nobody can follow it from here */
        } else {
            text_add(&b->words, *s == '\n' ? " " : s, 1);
            s++;
        }
    }
    build_end(b, to);
}

void build_marked(struct build *b, struct doc_runs *to, const char *words)
{
    add_marked(b, to, words, words + strlen(words));
}

/* --- blocks --------------------------------------------------------------- */

static void add_prose(struct build *b, struct doc_section *s, const char *from,
                      const char *end)
{
    struct doc_line *l = &doc_block(b->doc, s, DOC_PROSE)->line;
    l->wraps = true;
    add_marked(b, doc_piece(b->doc, l, ""), from, end);
}

/* From its language on. */
static void add_listing(struct build *b, struct doc_section *s, const char *from,
                        const char *end)
{
    const size_t language = strcspn(from, "\n");
    struct doc_listing *l = &doc_block(b->doc, s, DOC_LISTING)->listing;
    l->language = arena_strdup(&b->doc->arena, from, language);
    from += language + 1;
    l->lines = arena_strdup(&b->doc->arena, from, (size_t)(end - from));
}

/* What s begins with, up to the next of that; or to the end. */
static const char *until(const char *s, const char *what, const char *end)
{
    const char *found = strstr(s, what);
    return found != NULL && found < end ? found : end;
}

void build_hint_page(struct build *b, struct doc_section *s, const char *id)
{
    static const char fence[] = "```";
    const char *end, *at = id != NULL ? section_of(id, &end) : NULL;
    while (at != NULL && at < end) {
        const char *stop;
        if (*at == '\n') {
            at++;
        } else if (strncmp(at, fence, sizeof(fence) - 1) == 0) {
            stop = until(at + 1, "\n```", end);
            add_listing(b, s, at + sizeof(fence) - 1, stop + (stop < end));
            at = stop < end ? stop + sizeof(fence) : end;
        } else {
            stop = until(at, "\n\n", end);
            add_prose(b, s, at, stop > at && stop[-1] == '\n' ? stop - 1 : stop);
            at = stop;
        }
    }
}

/* --- documents of their own ------------------------------------------------ */

struct document *document_of_hint(const char *id)
{
    const struct hint *hint = hint_named(id);
    if (hint == NULL)
        return NULL;
    struct build b = {.doc = document_new("heapdrift help hint")};
    struct doc_section *s = doc_section(b.doc, DOC_ITEM);
    s->title = (struct doc_run){DOC_STRONG, hint->id};
    add_prose(&b, s, hint->fix, hint->fix + strlen(hint->fix));
    build_hint_page(&b, s, id);
    text_free(&b.words);
    return b.doc;
}

struct document *document_of_hints(void)
{
    struct build b = {.doc = document_new("heapdrift help hint")};
    struct doc_section *s = doc_section(b.doc, DOC_PLAIN);
    struct doc_facts *all = &doc_block(b.doc, s, DOC_FACTS)->facts;
    for (size_t i = 0; i < hint_count; i++) {
        if (hints[i].id == NULL)
            continue;
        struct doc_line *l = &doc_fact(b.doc, all, hints[i].id)->value;
        l->wraps = true;
        SAY(&b, doc_piece(b.doc, l, ""), hints[i].fix);
    }
    text_free(&b.words);
    return b.doc;
}
