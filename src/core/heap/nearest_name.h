/* nearest_name.h - what a pattern that matches no type may have been meant to be. */
#ifndef NEAREST_NAME_H
#define NEAREST_NAME_H

#include "base/text.h"

/* Write what the pattern may have meant among these canonical names: itself in another
 * case, a name whose last part has it inside, or one that is few edits away. The shortest
 * of several, then the first by its bytes. False, and nothing written, if one of the names
 * matches after all, or none is near. Linear in the names. */
bool nearest_name(struct text *out, const char *pattern, const char *const *names,
                  size_t count);

#endif
