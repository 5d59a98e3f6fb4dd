/* mapped_files.h - what a dump leaves out of mapped files, from the files themselves.
 *
 * A core of the kernel or of gdb lacks all that was mapped and never written to: the code
 * and constants of programs, and the metadata of assemblies. A file of that path is used
 * if it is the one that was mapped. docs/formats/core-dump.md, "File". */
#ifndef MAPPED_FILES_H
#define MAPPED_FILES_H

#include "process/process_image.h"

/* Look for the files of p's mappings; fill p->files, and put what can be relied on behind
 * the dump's own bytes in p->memory. Only regular files at absolute paths are opened, and
 * used if they are ELF or PE. */
void mapped_files_add(struct process_image *p, struct arena *a);

/* One line about assemblies that would be needed and are not here, or are others by now:
 * "/app/Shop.dll and others"; in a. NULL: none. */
const char *mapped_files_lacking(const struct process_image *p, struct arena *a);

/* Unmap them; what was taken from them is no longer to be looked at. */
void mapped_files_close(struct process_image *p);

#endif
