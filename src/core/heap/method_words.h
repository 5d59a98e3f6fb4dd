/* method_words.h - a method as its author wrote it.
 *
 * Compilers move code into methods and classes of their own: bodies of async methods and
 * iterators into state machines, lambdas into closures. Their names contain the name of the
 * original method. Must not depend on the source of names. docs/sites.md. */
#ifndef METHOD_WORDS_H
#define METHOD_WORDS_H

#include "heap/names.h"

/* Appends "Shop.Cart.Add" for a type and a method as the events of the runtime have them:
 * "Shop.Cart+<Add>d__5" and "MoveNext". For a lambda the method around it with " (lambda)",
 * for an accessor the property, for a local function both names. Generic arguments are
 * written as in names of types, and omitted where several share the code. Other names stay
 * unchanged. Linear in their lengths. */
void method_written(struct text *out, struct name_part type, struct name_part method);

#endif
