/* forge_minidump.h - a process of forge_core.h as a minidump of Windows, for tests.
 *
 *     struct minidump_forge f = {0};
 *     forge_minidump_runtime(&f, &(struct forged_runtime){0});
 *     forge_core_object(&f.process, 2, forge_core_type(&f.process, 24, 0), 24);
 *     struct bytes dump = forge_minidump_bytes(&f);
 *     ...
 *     forge_minidump_free(&f);
 *
 * From the description of the format; must not share code with the reader. */
#ifndef FORGE_MINIDUMP_H
#define FORGE_MINIDUMP_H

#include "support/forge_core.h"

/* Fields set directly are used when the dump is written. {0} has all streams. */
struct minidump_forge {
    struct core_forge process; /* of a mapping only start, end and path; a thread's pointer
                                  is the address of its TEB */
    uint16_t architecture;     /* 0: AMD64; FORGED_X86: 32 bits */
    uint32_t platform;         /* 0: Windows NT */
    uint32_t time;
    uint64_t version; /* of every module: four numbers, the first uppermost; 0: missing */
    bool is_list;     /* MemoryList instead of Memory64List */
    uint32_t lacks;   /* id of a stream to leave out; 0: none */
    struct text dump;
};

enum { FORGED_X86 = 0xffff };

enum {
    FORGED_THREAD_LIST = 3,
    FORGED_MODULE_LIST = 4,
    FORGED_MEMORY_LIST = 5,
    FORGED_SYSTEM_INFO = 7,
    FORGED_MEMORY_64_LIST = 9,
    FORGED_MISC_INFO = 15
};

/* As forge_core_runtime(), with a PE image as library; without a path in how, that of
 * coreclr.dll. */
void forge_minidump_runtime(struct minidump_forge *f, const struct forged_runtime *how);

/* The same for a runtime made by forge_core_runtime(). */
void forge_minidump_library(struct minidump_forge *f, const struct forged_runtime *how);

/* Offset of a stream, which must exist. */
size_t forged_stream(const struct minidump_forge *f, uint32_t type);

/* The dump in its present state; valid until the next call or forge_minidump_free(). */
struct bytes forge_minidump_bytes(struct minidump_forge *f);
void forge_minidump_free(struct minidump_forge *f);

#endif
