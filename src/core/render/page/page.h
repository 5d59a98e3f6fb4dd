/* page.h - the parts of the HTML page, for each other.
 *
 * The page is one file that works alone: what the document says stands in it as plain HTML,
 * for who has no JavaScript; the numbers stand behind it as JSON, of which page.js makes
 * what can be looked at more closely. Nothing in the static part is decided here. */
#ifndef PAGE_H
#define PAGE_H

#include "base/json.h"
#include "base/say.h"
#include "document/document.h"
#include "report/report.h"

/* What the assembler took in (bytes.S), without a NUL: the end is the other symbol. */
extern const char page_style[], page_style_end[];
extern const char page_script[], page_script_end[];
extern const char page_policy[], page_policy_end[];

/* Longer names are cut in their middle, wherever they stand in the page: a name can have a
 * megabyte, and stands there several times. In columns. */
enum { PAGE_MAX_NAME = 1000 };

/* --- escapes --------------------------------------------------------------- */

/* Words of ours, and words of others, which are made visible first: as text, and within
 * quotes. All that goes into the page as text goes through one of them. */
void html_words(struct out *o, const char *s);
void html_name(struct out *o, const char *s);

/* Markup, with parts of speech (base/say.h) in the place of each "{}": words of ours, and
 * what others wrote, or a document says, by one of these. */
#define HTML(o, markup, ...) \
    html_put(o, markup, (const struct say_part[]){SAY_PARTS(__VA_ARGS__), {0}})
void html_put(struct out *o, const char *markup, const struct say_part *parts);
struct say_part html_of_name(const char *name);
struct say_part html_of_runs(const struct doc_runs *runs);
struct say_part html_of_line(const struct doc_line *l);

/* The value as JSON within a script element; freed. Only ASCII, and no < > &. */
void html_json(struct out *o, json_t *value);

/* The hints that a page has explained: once is enough. */
struct page_hints {
    const char *all[64];
    size_t len;
};

/* --- parts ----------------------------------------------------------------- */

/* The sections of a document; known: hints that were explained; NULL: none is. */
void page_sections(const struct document *d, const struct hd_write_options *opt,
                   struct page_hints *known, struct out *o);

/* Every row of the table of types, by columns: as rows it would be four times as large. */
json_t *page_types(const struct hd_report *r);

/* The whole ownership tree, of a report that has one (found.tree). */
json_t *page_tree(const struct hd_report *r);

/* --- names in few bytes ---------------------------------------------------- */

/* Names of types in few bytes: what they are made of stands in the page once.
 *
 * Names of generics say the same namespaces and classes again and again: 220 bytes each in
 * a program with a database, of which a tenth is new. A packed name has the numbers of its
 * words in their place and all else as it is: "0.1<2.3>" for "System.Action<App.Order>" and
 * the words "System", "Action", "App", "Order". Words have no mark and no blank, and a
 * namespace is one, with its dots but the last. */
struct page_words {
    struct arena arena;
    struct word *known;
    json_t *all; /* in the order of their numbers; who takes it frees it */
};

/* Append a packed name. */
void words_pack(struct page_words *w, struct text *to, const char *name);

void words_free(struct page_words *w); /* but for all */

#endif
