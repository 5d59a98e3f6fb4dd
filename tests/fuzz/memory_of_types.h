/* memory_of_types.h - how an input of the harness for types begins: in front of what an
 * application domain has there, a word, where the threads are, and which types are asked.
 */
#ifndef MEMORY_OF_TYPES_H
#define MEMORY_OF_TYPES_H

#define MEMORY_OF_TYPES "CLRTYPES"
#define MEMORY_OF_TYPES_8 "CLRTYPE8" /* laid out as .NET 8 has it */
enum {
    MEMORY_OF_TYPES_ASKED = 32,
    MEMORY_OF_TYPES_HEAD = 576 /* the list of assemblies stands there */
};

#endif
