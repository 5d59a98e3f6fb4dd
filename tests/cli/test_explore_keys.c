/* Keys: each must be listed, where it works, in help and manual; and the text that `c`
 * copies. */
#include "cli/browsed.h"
#include "cli/explore/explore.h"
#include "render/written.h"

#include <criterion/criterion.h>

/* Keys that lead to each view of four shops. */
static const struct way {
    enum place place;
    const char *keys; /* "\r" is Enter */
} ways[] = {{IN_SUSPECTS, ""},    {IN_TREE, "2\r"},      {IN_TYPES, "3j"},
            {IN_OBJECTS, "3\rj"}, {IN_OBJECT, "3\r\rj"}, {IN_HELP, "?j"},
            {IN_TREE, "2"},       {IN_OBJECTS, "3\rj<"}};

enum { WAYS = sizeof(ways) / sizeof(ways[0]) };

static void begin_at(struct browser *b, const struct way *way)
{
    *b = (struct browser){.count = SHOPS};
    open_shops(b->snaps);
    begin(b);
    settle(b);
    screen(b);
    for (const char *c = way->keys; *c != '\0'; c++)
        press(b, *c == '\r' ? PRESS_ENTER : (unsigned char)*c);
    cr_assert_eq(explore_view(&b->e)->kind->place, way->place);
}

static bool is_told(enum place place, char c)
{
    for (size_t i = 0; i < key_line_count; i++)
        if ((key_lines[i].places & (unsigned)place) != 0 &&
            strchr(key_lines[i].characters, c) != NULL)
            return true;
    return false;
}

/* True if a key changes the screen or ends the program. */
static bool does_something(const struct way *way, char c)
{
    struct browser b;
    begin_at(&b, way);
    char *before = strdup(screen(&b));
    press(&b, (unsigned char)c);
    bool is_other = b.e.quit || (strcmp(before, screen(&b)) != 0 && !b.e.is_error);
    free(before);
    end(&b);
    return is_other;
}

Test(explore, every_key_that_does_something_is_in_the_help)
{
    bool works[128] = {false};
    for (size_t w = 0; w < WAYS; w++)
        for (char c = ' '; c <= '~'; c++) {
            bool does = does_something(&ways[w], c);
            works[(unsigned char)c] |= does;
            cr_expect(!does || is_told(ways[w].place, c), "%s: %c",
                      place_name(ways[w].place), c);
        }
    for (size_t i = 0; i < key_line_count; i++)
        for (const char *c = key_lines[i].characters; *c != '\0'; c++)
            cr_expect(works[(unsigned char)*c], "%c: %s", *c, key_lines[i].what);
}

Test(explore, help_begins_with_the_keys_of_the_view_that_it_was_asked_from)
{
    for (size_t w = 0; w < WAYS; w++) {
        struct browser b;
        begin_at(&b, &ways[w]);
        if (ways[w].place != IN_HELP)
            press(&b, '?');
        const char *text = screen_of(&b, 100, 60);
        const char *common = strstr(text, "In every view");
        cr_assert_not_null(common);
        for (size_t i = 0; i < key_line_count; i++) {
            const struct key_line *line = &key_lines[i];
            const char *at = strstr(text, line->what);
            /* From the help it shows keys of the view below. */
            enum place of = ways[w].place == IN_HELP ? IN_SUSPECTS : ways[w].place;
            if (key_is_own(line, of))
                cr_expect(at != NULL && at < common, "%s", line->what);
            else if (line->places == EVERYWHERE)
                cr_expect(at != NULL && at > common, "%s", line->what);
            else
                cr_expect(at == NULL || strstr(text, line->keys) == NULL ||
                              of != IN_SUSPECTS || (line->places & IN_SUSPECTS) != 0,
                          "%s", line->what);
        }
        press(&b, '?');
        cr_expect_null(strstr(screen(&b), "In every view"), "? closes it");
        end(&b);
    }
}

/* --- the manual ------------------------------------------------------------------ */

static void print_places(unsigned places, struct hd_sink to)
{
    bool begun = false;
    if (places == EVERYWHERE) {
        print_to(to, "everywhere");
        return;
    }
    for (unsigned p = 1; p < EVERYWHERE; p *= 2)
        if (places & p) {
            print_to(to, "%s%s", begun ? ", " : "", place_name((enum place)p));
            begun = true;
        }
}

Test(explore, the_manual_has_the_keys_of_the_help)
{
    const char *manual = contents("docs/explore.md");
    for (size_t i = 0; i < key_line_count; i++) {
        struct hd_memory row = {0};
        struct hd_sink to = hd_sink_memory(&row);
        print_to(to, "\n| ");
        print_places(key_lines[i].places, to);
        print_to(to, " | `%s` | %s |\n", key_lines[i].keys, key_lines[i].what);
        cr_expect_not_null(strstr(manual, row.bytes), "docs/explore.md lacks%s", row.bytes);
        hd_memory_free(&row);
    }
}

/* --- the line at the bottom ------------------------------------------------------ */

Test(explore, the_last_line_always_has_room_for_help_and_quit)
{
    for (size_t w = 0; w < WAYS; w++) {
        struct browser b;
        begin_at(&b, &ways[w]);
        for (unsigned width = 30; width < 200; width += 7) {
            const char *text = screen_of(&b, width, 24);
            cr_expect_not_null(strstr(text, "? help  q quit"), "%s", text);
        }
        cr_expect_not_null(strstr(screen_of(&b, 160, 24), "/ search"));
        end(&b);
    }
}

Test(explore, a_prompt_lists_its_keys)
{
    struct browser b;
    begin_at(&b, &ways[0]);
    press(&b, 'e');
    shows(&b, "save as (.md or .csv): suspects.md_");
    shows(&b, "Enter: save, Esc: cancel");
    press(&b, PRESS_ESCAPE);
    press(&b, '/');
    shows(&b, "Enter: search, Esc: cancel");
    end(&b);
}

/* --- copying --------------------------------------------------------------------- */

static const char *copied(struct browser *b)
{
    press(b, 'c');
    return b->e.copied.size > 0 ? b->e.copied.bytes : "";
}

Test(explore, copies_what_the_cursor_is_on)
{
    struct browser b;
    begin_at(&b, &ways[0]);
    cr_expect_str_eq(copied(&b), "App.Order");
    shows(&b, "copied: App.Order");
    press(&b, PRESS_ENTER);
    cr_expect_not_null(strstr(copied(&b), "[static vars] → "), "%s", b.e.copied.bytes);
    press(&b, PRESS_ENTER);
    cr_expect_eq(copied(&b)[0], '#', "without addresses the number: %s", b.e.copied.bytes);
    press(&b, PRESS_ENTER);
    cr_expect_str_eq(copied(&b), "[static vars]");
    press(&b, 'C');
    cr_expect_str_eq(b.e.copied.bytes,
                     "[static vars] → [static var Shop.s_orders] → Shop → "
                     "Order[] → Order");
    press(&b, PRESS_END);
    press(&b, 'C');
    cr_expect_str_eq(b.e.copied.bytes,
                     "[static vars] → [static var Shop.s_orders] → Shop → "
                     "Order[] → Order",
                     "wherever the cursor is");
    press(&b, '?');
    press(&b, 'c');
    shows(&b, "Nothing to copy here.");
    press(&b, '1');
    press(&b, 'C');
    cr_expect_not_null(strstr(b.e.copied.bytes, "Shop → Order[] → Order"));
    end(&b);
}

Test(explore, copies_no_control_characters_and_no_long_text)
{
    static char huge[2 * COPY_MAX];
    memset(huge, 'x', sizeof(huge) - 1);
    const char *names[] = {"App.\033]52;c;eA==\a\nrm -rf ~", huge};
    struct browser b = {.count = 1};
    struct forge f = {0};
    for (size_t i = 0; i < 2; i++)
        forge_row(&f, names[i], 2 - i, 1000);
    b.snaps[0] = forge_finish(&f);
    begin(&b);
    settle(&b);
    for (int i = 0; i < 2; i++) {
        const char *text = copied(&b);
        for (const char *c = text; *c != '\0'; c++)
            cr_assert((unsigned char)*c >= ' ' && *c != 0x7F);
        if (text[0] == '\0')
            shows(&b, "Too long to copy: 149,987 bytes; terminals take 74,994.");
        else
            shows(&b, "copied: App.\\x1b]52;c;eA==\\x07\\nrm -rf ~");
        press(&b, PRESS_DOWN);
    }
    end(&b);
}

static void expect_sequence(const char *text, bool in_tmux, const char *expected)
{
    struct hd_memory all = {0};
    copy_put_sequence(text, in_tmux, hd_sink_memory(&all));
    cr_expect_str_eq(all.bytes, expected);
    hd_memory_free(&all);
}

Test(explore, a_terminal_takes_what_is_copied_in_base64)
{
    expect_sequence("a", false, "\033]52;c;YQ==\a");
    expect_sequence("ab", false, "\033]52;c;YWI=\a");
    expect_sequence("abc", false, "\033]52;c;YWJj\a");
    expect_sequence("\xC3\xBF\xC3\xBE~", false, "\033]52;c;w7/Dvn4=\a");
    expect_sequence("a", true, "\033]52;c;YQ==\a\033Ptmux;\033\033]52;c;YQ==\a\033\\");
}
