/* lost_pages.h - what the program says when a file becomes shorter while it is read.
 *
 * The library maps large files. Touching what another process has cut off raises SIGBUS,
 * which nothing can return from: the program says which file it was and ends. A library
 * leaves that to its program, since there is one handler per process. */
#ifndef LOST_PAGES_H
#define LOST_PAGES_H

/* From here on. */
void lost_pages_explain(void);

#endif
