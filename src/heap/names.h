/* names.h - one spelling for every type, whoever wrote its name.
 *
 * The canonical name is the key by which types are matched across snapshots
 * and rows are merged inside one. Rules: docs/names.md. */
#ifndef NAMES_H
#define NAMES_H

#include "base/text.h"

/* What a type without a name is called. */
#define UNKNOWN_TYPE_NAME "<unknown type>"

/* Append the canonical form of the len bytes at raw to out; never nothing. Any
 * bytes are allowed (a NUL becomes U+FFFD, so that the result can be a C string);
 * what does not parse as a type name is kept as it is. The canonical form of a
 * canonical name is that name. Linear in len; never recursive in the nesting. */
void names_canonical(struct text *out, const char *raw, size_t len);

/* Append a name of the runtime's events as dotnet-gcdump spells it: backticks and their
 * numbers go, [ ] become < >, and <> becomes []. names_canonical() undoes where that went
 * too far. */
void names_rewritten(struct text *out, const char *name, size_t len);

/* True for names of the framework, which --app-only hides: System.*,
 * Microsoft.*, MS.*, Internal.*, Interop*, arrays and generics whose every part
 * is one, Free. A nested type counts as its outermost one; a name without a
 * namespace ("Entry<System.String>[]") may be the program's, so it is none. Takes
 * a canonical name. Pseudo-nodes are none: they are told by their kind. */
bool names_is_framework(const char *name);

/* True for "A[]", "A[,]". Takes a canonical name. */
bool names_is_array(const char *name);

/* True if pattern selects the canonical name. With a wildcard (* any bytes, ?
 * one byte or UTF-8 sequence; brackets are literal) it must match the whole name;
 * without one it matches the whole name or its end after a dot that is not
 * inside < >. Byte comparison. O(name * pattern) at worst. */
bool names_match(const char *pattern, const char *name);

/* --- names that line up over builds -------------------------------------------- */

/* Names that line up over two builds of a program.
 *
 * The compiler numbers closures, state machines and anonymous types, and a change in one
 * method renumbers its neighbours. Inside one build the numbers tell types apart, so they
 * are folded only when asked for (--across-builds). */

/* Append name with the numbers of compiler-made names, and of type ids, as "#":
 * "<>c__DisplayClass12_0" becomes "<>c__DisplayClass#_#". Takes a canonical name; linear.
 */
void builds_fold(struct text *out, const char *name, size_t len);

#endif
