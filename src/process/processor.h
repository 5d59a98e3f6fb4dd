/* processor.h - what the system, its loader and the C library do otherwise on another
 * processor, or Windows on the same.
 *
 * All of 64 bits with the lowest byte first; another one is a row in processor.c. It must
 * not know where the bytes are from. docs/formats/core-dump.md, "Processors". */
#ifndef PROCESSOR_H
#define PROCESSOR_H

#include <stdint.h>

/* The numbers of ELF files, <elf.h>; of Windows that of PE files. */
enum { MACHINE_X86_64 = 62, MACHINE_AARCH64 = 183, MACHINE_WINDOWS = 0x8664 };

enum { MOST_REGISTERS = 34, NO_REGISTER = MOST_REGISTERS };

struct processor {
    const char *name;             /* "aarch64", as the kernel calls it */
    uint32_t machine;             /* e_machine of ELF files */
    uint32_t registers;           /* general ones, in the kernel's order (NT_PRSTATUS), or
                                     that of a CONTEXT of Windows */
    uint32_t stack_pointer;       /* which of them */
    uint32_t thread_pointer;      /* which of them, or NO_REGISTER: it stands in a note */
    uint32_t thread_pointer_note; /* of that type, behind that of the registers; 0: none */
    uint32_t relative;            /* type of relocation: the bias and a number */
};

#define PROCESSORS_READ "x86-64 and aarch64"

/* By the number in ELF files; NULL: cannot be read. */
const struct processor *processor_of(unsigned machine);

/* x86-64 under Windows. */
const struct processor *processor_windows(void);

/* The one that this program runs on; NULL: none of them. */
const struct processor *processor_here(void);

#endif
