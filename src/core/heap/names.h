/* names.h - one spelling for every type, whoever wrote its name; and what names tell: the
 * same type in two builds, generic arguments, an async method, a typing error.
 *
 * The canonical name is the key by which types are matched across snapshots
 * and rows are merged inside one. Rules: docs/names.md. */
#ifndef NAMES_H
#define NAMES_H

#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* A part of a name, not closed by a NUL. at NULL: there is none. */
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

/* What a type without a name is called. */
#define UNKNOWN_TYPE_NAME "<unknown type>"

/* Append the canonical form of the len bytes at raw to out; never nothing. Any
 * bytes are allowed (a NUL becomes U+FFFD, so that the result can be a C string);
 * what does not parse as a type name is kept as it is. The canonical form of a
 * canonical name is that name. Linear in len; never recursive in the nesting. */
void names_canonical(struct text *out, const char *raw, size_t len);

/* True for the canonical name of a type that is known by a number only, "TypeID(0x39a6f0)":
 * of a Native AOT program, where its method table is in the program's file. */
bool names_number(const char *name, uint64_t *number);

/* Append a name of the runtime's events as dotnet-gcdump spells it: backticks and their
 * numbers go, [ ] become < >, and <> becomes []. names_canonical() undoes where that went
 * too far. */
void names_rewritten(struct text *out, const char *name, size_t len);

/* What of a type is asked for. A List<App.Order> is a class of the framework, so it says
 * nothing of who made it; but what it holds is the program's, and --app-only shows it. */
enum name_extent {
    NAME_CLASS, /* the outermost name alone */
    NAME_WHOLE  /* elements and all arguments too */
};

/* The one rule by which a name is the framework's: System.*, Microsoft.*, MS.*, Internal.*,
 * Interop and what is nested in it, bindings of Android and iOS (Java.*, Android.*,
 * UIKit.*, ...), and Free. A nested type counts as its outermost one; a name without a
 * namespace ("Entry<System.String>[]") may be the program's, so it is none. Takes a
 * canonical name.
 * Pseudo-nodes are none: they are told by their kind. Modules say more, where they are told
 * (series/type_rank.h). */
bool names_is_framework(struct name_part name, enum name_extent extent);

/* Of a class, or an array of one, in a namespace that is not the framework's. */
bool names_is_of_program(const char *name);

bool names_has_namespace(const char *name);

/* True for "A[]", "A[,]". Takes a canonical name. */
bool names_is_array(const char *name);

/* Numbers, dates and the like, of which an object is a box. */
bool names_is_value(const char *name);

/* Arrays, pseudo-nodes, closures, proxies made at run time: nobody gave them a name,
 * whoever they are of. */
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

/* Append name with the numbers of compiler-made names, and of type ids, as "#":
 * "<>c__DisplayClass12_0" becomes "<>c__DisplayClass#_#". Takes a canonical name; linear.
 */
void builds_fold(struct text *out, const char *name, size_t len);

/* --- generics --------------------------------------------------------------------- */

/* Generic arguments of a type name, written as <A,B>.
 *
 * Metadata, and the tools that print its names, keep all arguments at the end,
 * each with its assembly; others write them behind the part that they belong to:
 *     Dictionary`2+Entry[[A, asm],[B, asm]][]   ->   Dictionary<A,B>+Entry[]
 *     Dictionary<A, B>+Entry[]                  ->   Dictionary<A,B>+Entry[] */

/* Rewrite the len bytes at name in place; returns the new length, never more. A name
 * that does not parse (brackets that do not match, an argument without a type),
 * and one of more than a mebibyte, stays as it is. Linear in len, no recursion. */
size_t generics_write(char *name, size_t len);

/* --- async names ------------------------------------------------------------------ */

/* The method that a state machine of the compiler is of.
 *
 * A call of an async method that has not ended is an object of the runtime,
 * AsyncStateMachineBox<Int32,App.Worker+<RunAsync>d__5>; its reader knows Worker.RunAsync.
 */

/* Parts of a canonical type name, which they live as long as. */
struct async_method {
    const char *of; /* its class; not closed by a NUL */
    size_t of_len;
    const char *method;
    size_t method_len;
};

/* False: the type is no box of a state machine, or its method cannot be told. Of a lambda
 * or a local function it is the method that has it. */
bool async_method_of(struct async_method *m, const char *type);

/* --- nearest name ----------------------------------------------------------------- */

/* What a pattern that matches no type may have been meant to be. */

/* Write what the pattern may have meant among these canonical names: itself in another
 * case, a name whose last part has it inside, or one that is few edits away. The shortest
 * of several, then the first by its bytes. False, and nothing written, if one of the names
 * matches after all, or none is near. Linear in the names. */
bool nearest_name(struct text *out, const char *pattern, const char *const *names,
                  size_t count);

#endif
