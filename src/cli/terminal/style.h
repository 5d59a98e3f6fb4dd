/* style.h - what the place that text goes to can show: how wide it is, whether it has
 * colours, whether it has more than ASCII. It knows nothing of what is shown. */
#ifndef STYLE_H
#define STYLE_H

#include "cli/options/settings.h"

/* For a report that is written to that file. */
struct hd_write_options style_for(const struct settings *s, FILE *to);

/* Whether the locale has ASCII only, as LC_ALL=C has. */
bool style_locale_is_ascii(void);

/* Whether stderr is a terminal on which a line can be written over; else what goes on is
 * told line by line, without escape sequences. */
bool style_can_redraw(void);

/* Whether a terminal of that name, of TERM, has colours. NULL is none. */
bool style_has_color(const char *term);

#endif
