/* builds.h - names that line up over two builds of a program.
 *
 * The compiler numbers closures, state machines and anonymous types, and a change in one
 * method renumbers its neighbours. Inside one build the numbers tell types apart, so
 * they are folded only when asked for (--across-builds). */
#ifndef BUILDS_H
#define BUILDS_H

#include "base/text.h"

/* Append name with the numbers of compiler-made names, and of type ids, as "#":
 * "<>c__DisplayClass12_0" becomes "<>c__DisplayClass#_#". Takes a canonical name; linear.
 */
void builds_fold(struct text *out, const char *name, size_t len);

#endif
