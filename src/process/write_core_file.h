/* write_core_file.h - an ELF core that has of a process only what was looked at
 * (memory_watch.h), for core_file.h to read.
 *
 * Nothing is copied as it stands: notes are made anew and have no command line, no
 * environment, no list of mapped files but the runtime, and of registers what the caller
 * left. A note of our own, "heapdrift", says what else a reader needs to know, and people
 * what the file is: docs/formats/core-dump.md. It must not know what a heap is. */
#ifndef WRITE_CORE_FILE_H
#define WRITE_CORE_FILE_H

#include "base/out.h"
#include "process/process_image.h"

/* The name and type of that note; strings "key=value", each with a NUL behind it. */
#define REDACTION_NOTE "heapdrift"
enum { REDACTION_NOTE_TYPE = 0x68640001 };

/* p with these threads, as many as it has. runtime is where libcoreclr.so, or the program
 * that contains it, is mapped. What cannot be written o remembers. */
void core_file_write(const struct process_image *p, const struct image_thread *threads,
                     uint64_t runtime, const struct image_redaction *say, struct out *o);

#endif
