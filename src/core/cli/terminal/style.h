/* style.h - find the abilities of an output: width, colours, characters beyond ASCII. Must
 * not depend on the content. */
#ifndef STYLE_H
#define STYLE_H

#include "heapdrift.h"
#include <stdbool.h>
#include <stdio.h>

enum { MAX_COLUMNS = 1000000 };
enum color { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

/* The options about text. */
struct style {
    enum color color;
    uint32_t width; /* if width_given; 0: no limit */
    bool width_given, ascii;
};

/* Returns the style of a report that is written to that file; without command and
 * inputs. */
struct hd_write_options style_for(const struct style *s, FILE *to);

/* True if the locale has ASCII only, such as LC_ALL=C. */
bool style_locale_is_ascii(void);

/* True if stderr is a terminal on which a line can be overwritten; else progress is printed
 * line by line, without escape sequences. */
bool style_can_redraw(void);

/* True if a terminal with that name, from TERM, has colours; false for NULL. */
bool style_has_color(const char *term);

#endif
