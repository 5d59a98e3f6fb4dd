/* memory_of_types.h - the head of an input for types: in place of an application domain's
 * first fields there are a word, the address of the threads, and the types to be asked. */
#ifndef MEMORY_OF_TYPES_H
#define MEMORY_OF_TYPES_H

#define MEMORY_OF_TYPES "CLRTYPES"
#define MEMORY_OF_TYPES_8 "CLRTYPE8" /* .NET 8 layout */
enum {
    MEMORY_OF_TYPES_ASKED = 32,
    MEMORY_OF_TYPES_HEAD = 576 /* offset of the list of assemblies */
};

#endif
