/* fast_serialization.h - how files of .NET's tracing library begin: .gcdump, .netperf and
 * .nettrace up to version 5.
 *
 * One container for objects of any kind. The first one, its entry object, tells what file
 * it is; what stands in it is for who reads such files. */
#ifndef FAST_SERIALIZATION_H
#define FAST_SERIALIZATION_H

#include "base/input.h"

#define FAST_SERIALIZATION "!FastSerialization.1"

/* As it stands in front of a file, behind its length. */
#define FAST_SERIALIZATION_HEAD "\x14\0\0\0" FAST_SERIALIZATION

/* The name of the entry object's type. False if head does not begin like such a file, or
 * ends before the name does. */
bool fast_serialization_entry(struct bytes head, struct bytes *name);

#endif
