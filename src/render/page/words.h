/* words.h - names of types in few bytes: what they are made of stands in the page once.
 *
 * Names of generics say the same namespaces and classes again and again: 220 bytes each in
 * a program with a database, of which a tenth is new. A packed name has the numbers of its
 * words in their place and all else as it is: "0.1<2.3>" for "System.Action<App.Order>" and
 * the words "System", "Action", "App", "Order". Words have no mark and no blank, and a
 * namespace is one, with its dots but the last. */
#ifndef WORDS_H
#define WORDS_H

#include "render/page/page.h"

struct words {
    struct arena arena;
    struct word *known;
    json_t *all; /* in the order of their numbers; who takes it frees it */
};

/* Append a packed name. */
void words_pack(struct words *w, struct text *to, const char *name);

void words_free(struct words *w); /* but for all */

#endif
