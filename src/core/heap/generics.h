/* generics.h - generic arguments of a type name, written as <A,B>.
 *
 * Metadata, and the tools that print its names, keep all arguments at the end,
 * each with its assembly; others write them behind the part that they belong to:
 *     Dictionary`2+Entry[[A, asm],[B, asm]][]   ->   Dictionary<A,B>+Entry[]
 *     Dictionary<A, B>+Entry[]                  ->   Dictionary<A,B>+Entry[] */
#ifndef GENERICS_H
#define GENERICS_H

#include <stddef.h>

/* Rewrite the len bytes at name in place; returns the new length, never more. A name
 * that does not parse (brackets that do not match, an argument without a type),
 * and one of more than a mebibyte, stays as it is. Linear in len, no recursion. */
size_t generics_write(char *name, size_t len);

#endif
