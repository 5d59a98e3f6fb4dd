/* large.h - how large a heap is that shows what recurses or is quadratic. */
#ifndef LARGE_H
#define LARGE_H

/* Objects. Under ASan a step costs twenty times as much, and a frame of the stack more: a
 * tenth shows the same there. */
#ifdef __SANITIZE_ADDRESS__
enum { MILLION = 100000 };
#else
enum { MILLION = 1000000 };
#endif

#endif
