/* style.h - what the place that text goes to can show: how wide it is, whether it has
 * colours, whether it has more than ASCII. It knows nothing of what is shown. */
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

/* The style of a report that is written to that file; without command and inputs. */
struct hd_write_options style_for(const struct style *s, FILE *to);

/* Whether the locale has ASCII only, as LC_ALL=C has. */
bool style_locale_is_ascii(void);

/* Whether stderr is a terminal on which a line can be written over; else what goes on is
 * told line by line, without escape sequences. */
bool style_can_redraw(void);

/* Whether a terminal of that name, of TERM, has colours. NULL is none. */
bool style_has_color(const char *term);

#endif
