#include "cli/explore/terminal.h"

#include "cli/explore/explore.h"
#include "cli/explore/terminal_description.h"
#include "cli/guard/allocate.h"
#include "cli/terminal/exit_hook.h"
#include "cli/terminal/style.h"

#include <curses.h>
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>
#include <utf8proc.h>
#include <wchar.h>

/* State for signal handlers, which can only be in variables of this file. */
static volatile sig_atomic_t ended;
static struct termios before;
static char leave[256]; /* what gives the screen back, made beforehand */
static bool is_utf8;

/* --- the way out ----------------------------------------------------------------- */

static void note_end(int number)
{
    ended = number;
}

/* Only what POSIX allows in a handler. */
static void give_back(void)
{
    (void)!write(STDOUT_FILENO, leave, strlen(leave));
    tcsetattr(STDIN_FILENO, TCSANOW, &before);
}

/* NULL if the terminal does not have it; -1 means not a string. */
static const char *capability(const char *name)
{
    const char *s = tigetstr((char *)name);
    return (intptr_t)s == -1 ? NULL : s;
}

static void add_capability(const char *name)
{
    const char *s = capability(name);
    size_t len = strlen(leave);
    if (s != NULL)
        snprintf(leave + len, sizeof(leave) - len, "%s", s);
}

/* --- beginning ------------------------------------------------------------------- */

static bool refuse_terminal(const char *why)
{
    fprintf(stderr, "heapdrift: explore %s; `heapdrift tree` prints instead\n", why);
    return false;
}

/* In a small container terminals have no descriptions: then a terminal with colours is
 * treated as an xterm, which nearly all imitate. Curses accepts a description from the
 * environment, too. */
static bool is_described(const char *term)
{
    int error = 0;
    if (term == NULL || term[0] == '\0')
        return false;
    if (setupterm(NULL, STDOUT_FILENO, &error) == OK)
        return true;
    return style_has_color(term) && setenv("TERMINFO", terminal_description, 1) == 0 &&
           setenv("TERM", terminal_described, 1) == 0 &&
           setupterm(NULL, STDOUT_FILENO, &error) == OK;
}

bool terminal_is_there(void)
{
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
        return refuse_terminal("needs a terminal");
    if (!is_described(getenv("TERM")))
        return refuse_terminal("does not know this terminal (TERM)");
    if (capability("cup") == NULL)
        return refuse_terminal("cannot draw on this terminal (TERM)");
    return true;
}

static void begin_colors(bool wanted)
{
    static const short colors[LOOK_COUNT] = {[LOOK_GROWN] = COLOR_RED,
                                             [LOOK_SHRUNK] = COLOR_GREEN,
                                             [LOOK_FOUND] = COLOR_YELLOW,
                                             [LOOK_ERROR] = COLOR_RED};
    if (!wanted || !has_colors())
        return;
    start_color();
    use_default_colors();
    for (int look = 0; look < LOOK_COUNT; look++) {
        const short usual = -1;
        init_pair((short)(look + 1), usual, usual);
        if (colors[look] != 0)
            init_pair((short)(look + 1), colors[look], usual);
    }
}

/* A locale that is not installed may still ask for UTF-8: then any other with UTF-8 is
 * used. Otherwise curses only gets ASCII. */
static bool begin_characters(void)
{
    static const char *const locales[] = {"", "C.UTF-8", "en_US.UTF-8"};
    if (style_locale_is_ascii())
        return false;
    for (size_t i = 0; i < sizeof(locales) / sizeof(locales[0]); i++)
        if (setlocale(LC_CTYPE, locales[i]) != NULL &&
            strcmp(nl_langinfo(CODESET), "UTF-8") == 0)
            return true;
    return false;
}

bool terminal_begin(bool colors)
{
    enum { ESCAPE_MS = 25, WAIT_MS = 100 };
    is_utf8 = begin_characters();
    if (!terminal_is_there())
        return false;
    tcgetattr(STDIN_FILENO, &before);
    snprintf(leave, sizeof(leave), "\033[?1000l\033[?1006l");
    add_capability("sgr0");
    add_capability("cnorm");
    add_capability("rmkx");
    add_capability("rmcup");
    exit_hook_before(give_back);
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    struct sigaction act = {.sa_flags = 0};
    act.sa_handler = note_end;
    sigemptyset(&act.sa_mask);
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
        sigaction(ends[i], &act, NULL);
    initscr();
    begin_colors(colors);
    cbreak();
    noecho();
    nonl();
    keypad(stdscr, TRUE);
    set_escdelay(ESCAPE_MS);
    timeout(WAIT_MS);
    curs_set(0);
    mousemask(BUTTON1_PRESSED | BUTTON1_CLICKED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
    mouseinterval(0);
    return true;
}

void terminal_end(void)
{
    endwin();
    exit_hook_before(NULL);
}

void terminal_size(unsigned *width, unsigned *height)
{
    *width = (unsigned)(COLS > 0 ? COLS : 0);
    *height = (unsigned)(LINES > 0 ? LINES : 0);
}

/* --- drawing --------------------------------------------------------------------- */

/* The substitute on a terminal without UTF-8. */
static char plain_of(uint32_t code)
{
    static const struct {
        uint32_t code;
        char plain;
    } known[] = {{0x2500, '-'}, {0x2502, '|'}, {0x251C, '|'}, {0x2514, '`'},
                 {0x25B8, '+'}, {0x25BE, '-'}, {0x25C0, '<'}, {0x2026, '~'},
                 {0x2192, '>'}, {0x203A, '>'}, {0x0394, 'd'}, {0x00D7, 'x'},
                 {0x2013, '-'}, {0x2190, '<'}, {0x2191, '^'}, {0x2193, 'v'}};
    static const char filled[] = "_..--=##";
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (known[i].code == code)
            return known[i].plain;
    if (code >= 0x2581 && code <= 0x2588)
        return filled[code - 0x2581];
    return code > 0x2588 && code <= 0x258F ? '#' : '?';
}

/* Returns a character of the width that the grid expects, whatever width the C library has
 * for it. */
static size_t to_wide(uint32_t code, wchar_t *to)
{
    int takes = utf8proc_charwidth((utf8proc_int32_t)code);
    if (code < 0x80 || (is_utf8 && wcwidth((wchar_t)code) == takes)) {
        to[0] = (wchar_t)code;
        return 1;
    }
    for (int i = 0; i < takes; i++)
        to[i] = is_utf8 ? L'?' : (wchar_t)plain_of(code);
    return (size_t)takes;
}

static void show_piece(const struct grid *g, const struct grid_piece *p)
{
    const char *s = g->text.bytes + p->begin;
    wchar_t *wide = more(NULL, (2 * p->len + 1) * sizeof(*wide));
    size_t len = 0;
    for (size_t i = 0; i < p->len;) {
        utf8proc_int32_t code;
        utf8proc_ssize_t n = utf8proc_iterate((const utf8proc_uint8_t *)s + i,
                                              (utf8proc_ssize_t)(p->len - i), &code);
        len += to_wide(n > 0 ? (uint32_t)code : '?', wide + len);
        i += n > 0 ? (size_t)n : 1;
    }
    wide[len] = L'\0';
    static const attr_t all[LOOK_COUNT] = {
        [LOOK_DIM] = A_DIM,     [LOOK_STRONG] = A_BOLD, [LOOK_HEAD] = A_UNDERLINE,
        [LOOK_BAR] = A_REVERSE, [LOOK_TAB] = A_REVERSE, [LOOK_GROWN] = A_NORMAL,
        [LOOK_FOUND] = A_BOLD,  [LOOK_ERROR] = A_BOLD,
    };
    attr_t a = all[p->look];
    attr_set(p->chosen ? (a & ~A_DIM) | A_REVERSE : a,
             has_colors() ? (short)(p->look + 1) : 0, NULL);
    mvaddnwstr((int)p->line, (int)p->column, wide, (int)len);
    free(wide);
}

void terminal_show(const struct grid *g)
{
    erase();
    for (size_t i = 0; i < g->len; i++)
        show_piece(g, &g->pieces[i]);
    attr_set(A_NORMAL, 0, NULL);
    refresh();
}

void terminal_copy(const char *text)
{
    struct hd_memory all = {0};
    const char *tmux = getenv("TMUX");
    copy_put_sequence(text, tmux != NULL && tmux[0] != '\0', hd_sink_memory(&all));
    for (size_t done = 0; done < all.size;) {
        ssize_t n = write(STDOUT_FILENO, all.bytes + done, all.size - done);
        if (n < 0 && errno != EINTR)
            break;
        done += n > 0 ? (size_t)n : 0;
    }
    hd_memory_free(&all);
}

/* --- keys ------------------------------------------------------------------------ */

static struct press mouse_press(void)
{
    MEVENT event;
    struct press press = {.key = PRESS_NOTHING};
    if (getmouse(&event) != OK)
        return press;
    press.x = (unsigned)event.x;
    press.y = (unsigned)event.y;
    if (event.bstate & BUTTON4_PRESSED)
        press.key = PRESS_WHEEL_UP;
    else if (event.bstate & BUTTON5_PRESSED)
        press.key = PRESS_WHEEL_DOWN;
    else if (event.bstate & (BUTTON1_PRESSED | BUTTON1_CLICKED))
        press.key = PRESS_CLICK;
    return press;
}

static uint32_t function_key(wint_t key)
{
    static const struct {
        int code;
        uint32_t key;
    } keys[] = {
        {KEY_UP, PRESS_UP},           {KEY_DOWN, PRESS_DOWN},    {KEY_PPAGE, PRESS_PAGE_UP},
        {KEY_NPAGE, PRESS_PAGE_DOWN}, {KEY_HOME, PRESS_HOME},    {KEY_END, PRESS_END},
        {KEY_LEFT, PRESS_LEFT},       {KEY_RIGHT, PRESS_RIGHT},  {KEY_ENTER, PRESS_ENTER},
        {KEY_BACKSPACE, PRESS_BACK},  {KEY_BTAB, PRESS_BACK_TAB}};
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        if ((wint_t)keys[i].code == key)
            return keys[i].key;
    return PRESS_NOTHING;
}

static uint32_t character(wint_t c)
{
    switch (c) {
    case '\r':
    case '\n':
        return PRESS_ENTER;
    case '\t':
        return PRESS_TAB;
    case 0x1B:
        return PRESS_ESCAPE;
    case '\b':
    case 0x7F:
        return PRESS_BACK;
    case 0x0C: /* Ctrl-L */
        clearok(stdscr, TRUE);
        return PRESS_NOTHING;
    default:
        return (uint32_t)c < KEY_FIRST ? (uint32_t)c : PRESS_NOTHING;
    }
}

struct press terminal_key(int *number)
{
    wint_t c = 0;
    int got = get_wch(&c);
    *number = ended;
    if (got == KEY_CODE_YES && c == KEY_MOUSE)
        return mouse_press();
    if (got == KEY_CODE_YES)
        return (struct press){.key = function_key(c)};
    return (struct press){.key = got == OK ? character(c) : PRESS_NOTHING};
}
