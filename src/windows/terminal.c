/* Implements terminal.h for a console: a grid is a block of cells, drawn to a separate
 * screen buffer in one call. Works on consoles without escape sequences. */
#include "cli/explore/terminal.h"

#include "cli/explore/explore.h"
#include "cli/guard/allocate.h"
#include "cli/terminal/exit_hook.h"

#include <poll.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <unistd.h>
#include <utf8proc.h>
#include <windows.h>

/* Needed to restore the console, hence static. */
static HANDLE keys, screen = INVALID_HANDLE_VALUE, screen_before;
static DWORD keys_before;
static int signals = -1;
static bool has_colors;

/* --- restoring --------------------------------------------------------------------- */

static void give_back(void)
{
    SetConsoleActiveScreenBuffer(screen_before);
    SetConsoleMode(keys, keys_before);
}

/* --- beginning ------------------------------------------------------------------- */

static bool refuse(const char *why)
{
    fprintf(stderr, "heapdrift: explore %s; `heapdrift tree` prints instead\n", why);
    return false;
}

bool terminal_is_there(void)
{
    DWORD mode;
    keys = GetStdHandle(STD_INPUT_HANDLE);
    screen_before = GetStdHandle(STD_OUTPUT_HANDLE);
    return (GetConsoleMode(keys, &keys_before) && GetConsoleMode(screen_before, &mode)) ||
           refuse("needs a console");
}

bool terminal_begin(bool colors)
{
    static const CONSOLE_CURSOR_INFO hidden = {.dwSize = 1, .bVisible = FALSE};
    sigset_t all = 0;
    if (!terminal_is_there())
        return false;
    screen = CreateConsoleScreenBuffer(GENERIC_READ | GENERIC_WRITE,
                                       FILE_SHARE_READ | FILE_SHARE_WRITE, NULL,
                                       CONSOLE_TEXTMODE_BUFFER, NULL);
    if (screen == INVALID_HANDLE_VALUE || !SetConsoleActiveScreenBuffer(screen))
        return refuse("cannot draw on this console");
    has_colors = colors;
    sigprocmask(SIG_BLOCK, &all, NULL);
    signals = signalfd(-1, &all, 0);
    exit_hook_before(give_back);
    SetConsoleCursorInfo(screen, &hidden);
    /* The mouse is ours; Ctrl-C is a signal. */
    SetConsoleMode(keys, ENABLE_EXTENDED_FLAGS | ENABLE_MOUSE_INPUT | ENABLE_WINDOW_INPUT |
                             ENABLE_PROCESSED_INPUT);
    return true;
}

void terminal_end(void)
{
    sigset_t before = 0;
    give_back();
    exit_hook_before(NULL);
    sigprocmask(SIG_SETMASK, &before, NULL);
    CloseHandle(screen);
    close(signals);
}

/* Returns the visible part of the screen. */
static SMALL_RECT window(void)
{
    CONSOLE_SCREEN_BUFFER_INFO info;
    return GetConsoleScreenBufferInfo(screen, &info) ? info.srWindow
                                                     : (SMALL_RECT){0, 0, -1, -1};
}

void terminal_size(unsigned *width, unsigned *height)
{
    SMALL_RECT w = window();
    *width = (unsigned)(w.Right - w.Left + 1);
    *height = (unsigned)(w.Bottom - w.Top + 1);
}

/* --- drawing --------------------------------------------------------------------- */

enum {
    RED = FOREGROUND_RED,
    GREEN = FOREGROUND_GREEN,
    YELLOW = FOREGROUND_RED | FOREGROUND_GREEN,
    GREY = FOREGROUND_RED | FOREGROUND_GREEN | FOREGROUND_BLUE,
    BRIGHT = FOREGROUND_INTENSITY
};

/* Not every console knows what reverse is: then the colours are. */
static WORD attributes(const struct grid_piece *p)
{
    enum { TO_BACKGROUND = 4 };
    static const WORD all[LOOK_COUNT] = {
        [LOOK_PLAIN] = GREY,
        [LOOK_DIM] = BRIGHT,
        [LOOK_STRONG] = GREY | BRIGHT,
        [LOOK_HEAD] = GREY | COMMON_LVB_UNDERSCORE,
        [LOOK_BAR] = GREY | COMMON_LVB_REVERSE_VIDEO,
        [LOOK_TAB] = GREY | COMMON_LVB_REVERSE_VIDEO,
        [LOOK_GROWN] = RED | BRIGHT,
        [LOOK_SHRUNK] = GREEN | BRIGHT,
        [LOOK_FOUND] = YELLOW | BRIGHT,
        [LOOK_ERROR] = RED | BRIGHT,
    };
    bool is_colored = p->look >= LOOK_GROWN;
    WORD look = is_colored && !has_colors ? GREY | BRIGHT : all[p->look];
    bool is_reverse = p->chosen || (look & COMMON_LVB_REVERSE_VIDEO) != 0;
    return is_reverse ? (WORD)((look & GREY) << TO_BACKGROUND) : look;
}

/* Pieces and characters have the widths of the grid. Cells hold only 16-bit characters. */
static void put_piece(CHAR_INFO *cells, const struct grid *g, const struct grid_piece *p)
{
    enum { REPLACEMENT = 0xFFFD, LAST_OF_A_CELL = 0xFFFF };
    const char *s = g->text.bytes + p->begin;
    CHAR_INFO *to = cells + (size_t)p->line * g->width + p->column;
    const WORD look = attributes(p);
    unsigned left = p->column < g->width ? g->width - p->column : 0;
    for (size_t i = 0; i < p->len && left > 0;) {
        utf8proc_int32_t code;
        utf8proc_ssize_t n = utf8proc_iterate((const utf8proc_uint8_t *)s + i,
                                              (utf8proc_ssize_t)(p->len - i), &code);
        code = n > 0 ? code : '?';
        int takes = utf8proc_charwidth(code);
        if ((unsigned)takes > left)
            return;
        for (int k = 0; k < takes; k++, to++, left--) {
            to->Char.UnicodeChar = code <= LAST_OF_A_CELL ? (WCHAR)code : REPLACEMENT;
            to->Attributes = look;
            if (takes == 2 && code <= LAST_OF_A_CELL)
                to->Attributes |=
                    k == 0 ? COMMON_LVB_LEADING_BYTE : COMMON_LVB_TRAILING_BYTE;
        }
        i += n > 0 ? (size_t)n : 1;
    }
}

void terminal_show(const struct grid *g)
{
    size_t count = (size_t)g->width * g->height;
    CHAR_INFO *cells = more(NULL, (count + 1) * sizeof(*cells));
    SMALL_RECT at = window();
    for (size_t i = 0; i < count; i++)
        cells[i] = (CHAR_INFO){.Char.UnicodeChar = L' ', .Attributes = GREY};
    for (size_t i = 0; i < g->len; i++)
        if (g->pieces[i].line < g->height)
            put_piece(cells, g, &g->pieces[i]);
    WriteConsoleOutputW(screen, cells, (COORD){(SHORT)g->width, (SHORT)g->height},
                        (COORD){0, 0}, &at);
    free(cells);
}

/* As far as the console takes sequences, and knows this one. */
void terminal_copy(const char *text)
{
    struct hd_memory all = {0};
    DWORD mode, done;
    if (!GetConsoleMode(screen, &mode) ||
        !SetConsoleMode(screen, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING))
        return;
    copy_put_sequence(text, false, hd_sink_memory(&all));
    WriteConsoleA(screen, all.bytes, (DWORD)all.size, &done, NULL);
    SetConsoleMode(screen, mode);
    hd_memory_free(&all);
}

/* --- keys ------------------------------------------------------------------------ */

/* Characters beyond 16 bits arrive in two events; no command uses them. */
static uint32_t key_press(const KEY_EVENT_RECORD *e)
{
    static const struct {
        WORD code;
        uint32_t key;
    } known[] = {
        {VK_UP, PRESS_UP},          {VK_DOWN, PRESS_DOWN},    {VK_PRIOR, PRESS_PAGE_UP},
        {VK_NEXT, PRESS_PAGE_DOWN}, {VK_HOME, PRESS_HOME},    {VK_END, PRESS_END},
        {VK_LEFT, PRESS_LEFT},      {VK_RIGHT, PRESS_RIGHT},  {VK_RETURN, PRESS_ENTER},
        {VK_BACK, PRESS_BACK},      {VK_ESCAPE, PRESS_ESCAPE}};
    WCHAR c = e->uChar.UnicodeChar;
    if (!e->bKeyDown)
        return PRESS_NOTHING;
    if (e->wVirtualKeyCode == VK_TAB)
        return (e->dwControlKeyState & SHIFT_PRESSED) != 0 ? PRESS_BACK_TAB : PRESS_TAB;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (known[i].code == e->wVirtualKeyCode)
            return known[i].key;
    bool is_half = c >= HIGH_SURROGATE_START && c <= LOW_SURROGATE_END;
    return c >= ' ' && !is_half ? c : PRESS_NOTHING;
}

struct press terminal_key(int *number)
{
    enum { WAIT_MS = 100 };
    struct press press = {.key = PRESS_NOTHING};
    struct pollfd ready = {.fd = signals, .events = POLLIN};
    struct signalfd_siginfo which;
    INPUT_RECORD record;
    DWORD count = 0;
    bool arrived = poll(&ready, 1, 0) > 0 && read(signals, &which, sizeof(which)) > 0;
    *number = arrived ? (int)which.ssi_signo : 0;
    if (*number != 0 || WaitForSingleObject(keys, WAIT_MS) != WAIT_OBJECT_0 ||
        !ReadConsoleInputW(keys, &record, 1, &count) || count == 0)
        return press;
    if (record.EventType == KEY_EVENT)
        press.key = key_press(&record.Event.KeyEvent);
    if (record.EventType != MOUSE_EVENT)
        return press;
    const MOUSE_EVENT_RECORD *e = &record.Event.MouseEvent;
    SMALL_RECT w = window();
    press.x = (unsigned)(e->dwMousePosition.X - w.Left);
    press.y = (unsigned)(e->dwMousePosition.Y - w.Top);
    if (e->dwEventFlags == MOUSE_WHEELED)
        press.key = (SHORT)HIWORD(e->dwButtonState) > 0 ? PRESS_WHEEL_UP : PRESS_WHEEL_DOWN;
    else if (e->dwEventFlags == 0 && (e->dwButtonState & FROM_LEFT_1ST_BUTTON_PRESSED) != 0)
        press.key = PRESS_CLICK;
    return press;
}
