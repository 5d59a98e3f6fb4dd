/* minidump.h - a minidump of Windows as a process image.
 *
 * Task Manager, procdump, dotnet-dump and createdump write them (MiniDumpWriteDump). Those
 * with all memory have what is needed of programs, too: nothing is read from other files.
 * It must not know what a runtime is. docs/formats/minidump.md. */
#ifndef MINIDUMP_H
#define MINIDUMP_H

#include "process/process_image.h"

/* Whether these bytes begin one; of whichever processor. */
bool minidump_is(struct bytes head);

/* file must stay as long as the image; arrays live in a. False and err: HD_UNSUPPORTED for
 * 32 bits, other processors and systems, HD_BAD_FORMAT where the file is cut or wrong.
 * Nothing is allocated on the word of the file. */
bool minidump_open(struct process_image *p, struct bytes file, struct arena *a,
                   struct hd_error *err);

#endif
