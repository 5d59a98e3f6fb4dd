#include "cli/terminal/style.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

static bool is_set(const char *variable)
{
    const char *value = getenv(variable);
    return value != NULL && value[0] != '\0';
}

/* --- width --------------------------------------------------------------- */

/* As in POSIX, COLUMNS has priority over the terminal's own size; also in a pipe. Ignored
 * unless it is a valid width. */
static unsigned width_for(const struct style *s, const struct winsize *terminal)
{
    const char *columns = getenv("COLUMNS");
    unsigned long columns_set = 0;
    char *end = NULL;
    errno = 0;
    if (columns != NULL && columns[0] >= '0' && columns[0] <= '9')
        columns_set = strtoul(columns, &end, 10);
    if (end == NULL || errno != 0 || *end != '\0' || columns_set > MAX_COLUMNS)
        columns_set = 0;
    return s->width_given    ? s->width
           : columns_set > 0 ? (unsigned)columns_set
                             : terminal->ws_col;
}

/* --- colour -------------------------------------------------------------- */

/* Names that dircolors(1) of the GNU coreutils knows to have colours, by how they begin. A
 * data base of terminals need not be there in a container. */
bool style_has_color(const char *term)
{
    static const char *const colored[] = {
        "alacritty", "ansi",  "cygwin",  "dtterm",  "Eterm",   "foot",
        "gnome",     "hurd",  "jfbterm", "konsole", "kterm",   "linux",
        "mlterm",    "putty", "rxvt",    "screen",  "st-",     "terminator",
        "tmux",      "vt100", "vt220",   "vte",     "wezterm", "xterm",
        "ghostty",   "iterm", "kitty",   "contour", "rio",     "mintty"};
    if (term == NULL || strcmp(term, "dumb") == 0)
        return false;
    for (size_t i = 0; i < sizeof(colored) / sizeof(*colored); i++)
        if (strncmp(term, colored[i], strlen(colored[i])) == 0)
            return true;
    return strstr(term, "color") != NULL || strstr(term, "direct") != NULL;
}

bool style_can_redraw(void)
{
    const char *term = getenv("TERM");
    return isatty(STDERR_FILENO) && term != NULL && strcmp(term, "dumb") != 0;
}

/* --- characters ---------------------------------------------------------- */

static bool names_utf8(const char *locale)
{
    const char *codeset = strchr(locale, '.');
    return codeset != NULL && (strncasecmp(codeset + 1, "UTF-8", 5) == 0 ||
                               strncasecmp(codeset + 1, "UTF8", 4) == 0);
}

/* Returns the variable that decides on the characters. */
static const char *locale_name(void)
{
    static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++)
        if (is_set(variables[i]))
            return getenv(variables[i]);
    return "C";
}

#ifdef HD_STATIC
/* Locales that are installed here belong to another C library: only the name counts. */
bool style_locale_is_ascii(void)
{
    return !names_utf8(locale_name());
}
#else
/* A locale that is not installed, as in small containers, is judged by its name. */
bool style_locale_is_ascii(void)
{
    locale_t locale = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
    if (locale == (locale_t)0)
        return !names_utf8(locale_name());
    bool utf8 = strcasecmp(nl_langinfo_l(CODESET, locale), "UTF-8") == 0;
    freelocale(locale);
    return !utf8;
}
#endif

struct hd_write_options style_for(const struct style *s, FILE *to)
{
    struct winsize size = {0};
    bool terminal = isatty(fileno(to));
    if (terminal && ioctl(fileno(to), TIOCGWINSZ, &size) != 0)
        size = (struct winsize){0};
    return (struct hd_write_options){.size = sizeof(struct hd_write_options),
                                     .width = width_for(s, &size),
                                     .color = s->color == COLOR_ALWAYS ||
                                              (s->color == COLOR_AUTO && terminal &&
                                               !is_set("NO_COLOR") &&
                                               style_has_color(getenv("TERM"))),
                                     .ascii = s->ascii,
                                     .lines = size.ws_row};
}
