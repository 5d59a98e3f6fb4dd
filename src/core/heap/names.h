/* names.h - one spelling for every type, independent of the writer, and facts derived from
 * names: the same type in two builds, generic arguments, async methods, misspelled
 * patterns.
 *
 * The canonical name is the key by which types are matched across snapshots and rows are
 * merged inside one. Rules: docs/names.md. */
#ifndef NAMES_H
#define NAMES_H

#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* A part of a name, not NUL-terminated; at may be NULL. */
struct name_part {
    const char *at;
    size_t len;
};

static inline struct name_part name_part(const char *s)
{
    return (struct name_part){s, strlen(s)};
}

static inline bool name_part_is(struct name_part part, const char *s)
{
    return part.len == strlen(s) && strncmp(part.at, s, part.len) == 0;
}

static inline bool name_part_equals(struct name_part a, struct name_part b)
{
    return a.len == b.len && strncmp(a.at, b.at, a.len) == 0;
}

/* The name of types without one. */
#define UNKNOWN_TYPE_NAME "<unknown type>"

/* Appends the canonical form of the len bytes at raw to out; never empty. Any bytes are
 * allowed (a NUL becomes U+FFFD, so that the result can be a C string); text that does not
 * parse as a type name is unchanged. Idempotent. Linear in len; never recursive in the
 * nesting. */
void names_canonical(struct text *out, const char *raw, size_t len);

/* True for the canonical name of a type known by number only, "TypeID(0x39a6f0)": in a
 * Native AOT program, the offset of its method table in the program's file. */
bool names_number(const char *name, uint64_t *number);

/* Appends a name of the runtime's events as dotnet-gcdump spells it: without backticks and
 * their numbers, [ ] as < >, <> as []. names_canonical() reverts the excess of this. */
void names_rewritten(struct text *out, const char *name, size_t len);

/* The part of a name to judge. A List<App.Order> is a class of the framework, so its class
 * does not identify the code that created it; but its elements are the program's, and
 * --app-only shows it. */
enum name_extent {
    NAME_CLASS, /* the outermost name alone */
    NAME_WHOLE  /* elements and all arguments too */
};

/* True if a canonical name is the framework's; the only implementation of this rule:
 * System.*, Microsoft.*, MS.*, Internal.*, Interop and types nested in it, bindings of
 * Android and iOS (Java.*, Android.*, UIKit.*, ...), and Free. A nested type counts as its
 * outermost one; a name without a namespace ("Entry<System.String>[]") may be the
 * program's: false. Also false for pseudo-nodes, which their kind identifies. Modules,
 * where known, are more precise (series/type_rank.h). */
bool names_is_framework(struct name_part name, enum name_extent extent);

/* True for a class, or an array of a class, in a namespace that is not the framework's. */
bool names_is_of_program(const char *name);

bool names_has_namespace(const char *name);

/* True for "A[]", "A[,]". Takes a canonical name. */
bool names_is_array(const char *name);

/* True for numbers, dates and the like, whose objects are boxes. */
bool names_is_value(const char *name);

/* True for arrays, pseudo-nodes, closures and proxies made at run time: names without an
 * author, whether of the program or not. */
bool names_is_unnamed(const char *name);

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

/* Appends name with the numbers of compiler-made names, and of type ids, as "#":
 * "<>c__DisplayClass12_0" becomes "<>c__DisplayClass#_#". Takes a canonical name;
 * linear. */
void builds_fold(struct text *out, const char *name, size_t len);

/* --- generics --------------------------------------------------------------------- */

/* Generic arguments of a type name, written as <A,B>.
 *
 * Metadata, and the tools that print its names, have all arguments at the end, each with
 * its assembly; others write them after the part to which they belong:
 *     Dictionary`2+Entry[[A, asm],[B, asm]][]   ->   Dictionary<A,B>+Entry[]
 *     Dictionary<A, B>+Entry[]                  ->   Dictionary<A,B>+Entry[] */

/* Rewrites the len bytes at name in place; returns the new length, never more. A name that
 * does not parse (brackets that do not match, an argument without a type), or of more than
 * a mebibyte, is unchanged. Linear in len, no recursion. */
size_t generics_write(char *name, size_t len);

/* --- async names ------------------------------------------------------------------ */

/* The method behind a compiler-made state machine.
 *
 * A call of an async method that has not ended is an object of the runtime,
 * AsyncStateMachineBox<Int32,App.Worker+<RunAsync>d__5>; its reader knows
 * Worker.RunAsync. */

/* Slices of a canonical type name, which must outlive them. */
struct async_method {
    const char *of; /* its class; not closed by a NUL */
    size_t of_len;
    const char *method;
    size_t method_len;
};

/* Finds the method of a box of a state machine; for a lambda or a local function the method
 * that contains it. False if the type is not such a box, or the method is unknown. */
bool async_method_of(struct async_method *m, const char *type);

/* --- nearest name ----------------------------------------------------------------- */

/* The likely meaning of a pattern that matches no type. */

/* Writes the nearest canonical name: the pattern in another case, a name whose last part
 * contains it, or one that is few edits away; the shortest of several, then the first by
 * its bytes. A pattern with wildcards stays one, with a leading "*" if needed. False,
 * without output, if a name matches after all, or all are too far. Linear in the names. */
bool nearest_name(struct text *out, const char *pattern, const char *const *names,
                  size_t count);

#endif
