/* page.h - the interfaces between the parts of the HTML page.
 *
 * The page is one self-contained file: the document as plain HTML, for readers without
 * JavaScript, followed by the numbers as JSON, from which page.js builds its interactive
 * views. The static part makes no decisions. */
#ifndef PAGE_H
#define PAGE_H

#include "base/json.h"
#include "base/say.h"
#include "document/document.h"
#include "report/report.h"

/* Included by the assembler (bytes.S), without a NUL: the end is the other symbol. */
extern const char page_style[], page_style_end[];
extern const char page_script[], page_script_end[];
extern const char page_policy[], page_policy_end[];

/* Longer names are cut in their middle everywhere in the page: a name may have a megabyte,
 * and occurs several times. In columns. */
enum { PAGE_MAX_NAME = 1000 };

/* --- escapes --------------------------------------------------------------- */

/* Our own words, and untrusted ones, which are made visible first: as text, and within
 * quotes. All text of the page passes through these functions. */
void html_words(struct out *o, const char *s);
void html_name(struct out *o, const char *s);

/* Markup in which parts of speech (base/say.h) replace each "{}": our own words directly,
 * untrusted text and text of the document by html_of_*(). */
#define HTML(o, markup, ...) \
    html_put(o, markup, (const struct say_part[]){SAY_PARTS(__VA_ARGS__), {0}})
void html_put(struct out *o, const char *markup, const struct say_part *parts);
struct say_part html_of_name(const char *name);
struct say_part html_of_runs(const struct doc_runs *runs);
struct say_part html_of_line(const struct doc_line *l);

/* Writes the value as JSON within a script element, and frees it. Only ASCII, and no < >
 * &. */
void html_json(struct out *o, json_t *value);

/* The hints explained so far: each once per page. */
struct page_hints {
    const char *all[64];
    size_t len;
};

/* --- parts ----------------------------------------------------------------- */

/* Writes the sections of a document; known: hints explained so far; NULL: omits
 * explanations. */
void page_sections(const struct document *d, const struct hd_write_options *opt,
                   struct page_hints *known, struct out *o);

/* Returns every row of the table of types, by columns: by rows it would be four times as
 * large. */
json_t *page_types(const struct hd_report *r);

/* Returns the whole ownership tree of a report that has one (found.tree). */
json_t *page_tree(const struct hd_report *r);

/* --- names in few bytes ---------------------------------------------------- */

/* Names of types in few bytes: each of their words is in the page once.
 *
 * Names of generics repeat the same namespaces and classes: 220 bytes each in a program
 * with a database, of which a tenth is new. A packed name has the numbers of words in their
 * place and all else unchanged: "0.1<2.3>" for "System.Action<App.Order>" and the words
 * "System", "Action", "App", "Order". Words end at marks and blanks, and a namespace is one
 * word, with its dots except the last. */
struct page_words {
    struct arena arena;
    struct word *known;
    json_t *all; /* in the order of their numbers; the caller frees it */
};

/* Appends a packed name. */
void words_pack(struct page_words *w, struct text *to, const char *name);

void words_free(struct page_words *w); /* does not free `all` */

#endif
