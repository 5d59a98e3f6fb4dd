/* large.h - size of a heap that reveals recursion and quadratic time. */
#ifndef LARGE_H
#define LARGE_H

/* Objects. Under ASan a step costs twenty times more, and a stack frame is larger: a tenth
 * reveals the same. */
#ifdef __SANITIZE_ADDRESS__
enum { MILLION = 100000 };
#else
enum { MILLION = 1000000 };
#endif

#endif
