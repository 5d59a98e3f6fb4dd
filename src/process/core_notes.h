/* core_notes.h - what the notes of an ELF core tell: mapped files, threads, the program.
 *
 * As the kernel writes them for x86-64 (fs/binfmt_elf.c); createdump and gcore do the same.
 * It must not know of the memory in the core. docs/formats/core-dump.md. */
#ifndef CORE_NOTES_H
#define CORE_NOTES_H

#include "process/process_image.h"

/* One segment is what all writers make; more than a few would only be somebody's wish that
 * the same bytes be read a million times. */
enum { NOTE_SEGMENTS = 8 };

/* {0} is none. Of notes that are there several times the first counts, but for threads. */
struct core_notes {
    struct bytes files, program, auxiliary;
    struct bytes segments[NOTE_SEGMENTS];
    size_t segment_count, thread_count;
};

/* Look through a segment of notes, whose bytes stay. What is cut or wrong ends it. */
void core_notes_add(struct core_notes *n, struct bytes segment);

/* Fill mappings (by start, disjoint), threads and the rest of p; in a. */
void core_notes_take(const struct core_notes *n, struct process_image *p, struct arena *a);

/* Where the auxiliary vector (pairs of a type and a value) says that the program headers of
 * the main program are; 0: it does not. */
uint64_t core_program_headers(struct bytes auxiliary);

#endif
