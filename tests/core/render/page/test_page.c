#include "render/page/page.h"

#include "render/written.h"

#include <jansson.h>

/* --- escapes ------------------------------------------------------------------------ */

static char *escaped(void (*put)(struct out *, const char *), const char *s)
{
    struct hd_memory memory = {0};
    struct out o = {.to = hd_sink_memory(&memory)};
    put(&o, s);
    cr_assert(out_finish(&o, NULL));
    return memory.bytes;
}

static void expect_escaped(void (*put)(struct out *, const char *), const char *s,
                           const char *wanted)
{
    char *got = escaped(put, s);
    cr_expect_str_eq(got, wanted);
    free(got);
}

Test(page, markup_in_a_name_is_text)
{
    expect_escaped(html_name, "<b onclick='x' id=\"y\">&amp;",
                   "&lt;b onclick=&#39;x&#39; id=&quot;y&quot;&gt;&amp;amp;");
    expect_escaped(html_words, "a < b & c", "a &lt; b &amp; c");
}

Test(page, characters_that_change_the_writing_direction_are_written_out)
{
    expect_escaped(html_name,
                   "A\xE2\x80\xAE"
                   "exe",
                   "A\\u202eexe");
    expect_escaped(html_name, "a\nb\x1b", "a\\nb\\x1b");
}

Test(page, a_megabyte_of_a_name_is_cut_in_its_middle)
{
    enum { LONG = 1 << 20 };
    char *name = calloc(1, LONG + 1);
    memset(name, 'x', LONG);
    char *got = escaped(html_name, name);
    cr_expect_lt(strlen(got), (size_t)PAGE_MAX_NAME + 8);
    expect_part(got, "…");
    free(got);
    free(name);
}

Test(page, json_in_a_script_cannot_end_it)
{
    struct hd_memory memory = {0};
    struct out o = {.to = hd_sink_memory(&memory)};
    json_t *value = json_object();
    json_put(value, "a", json_string("</script><!--&\xE2\x80\xA8\xE2\x80\xA9\x7f"));
    html_json(&o, value);
    cr_assert(out_finish(&o, NULL));
    cr_expect_str_eq(memory.bytes, "{\"a\":\"\\u003c/script\\u003e\\u003c!--\\u0026\\u2028"
                                   "\\u2029\\u007f\"}");
    json_t *back = json_loads(memory.bytes, 0, NULL);
    cr_expect_str_eq(json_string_value(json_object_get(back, "a")),
                     "</script><!--&\xE2\x80\xA8\xE2\x80\xA9\x7f");
    json_decref(back);
    free(memory.bytes);
}

/* --- words -------------------------------------------------------------------------- */

/* Unpacks a name in the same way as page.js. */
static void unpack(struct text *to, const struct page_words *w, const char *packed)
{
    for (char *end; *packed != '\0'; packed = end) {
        end = (char *)packed + 1;
        if (*packed >= '0' && *packed <= '9') {
            unsigned long number = strtoul(packed, &end, 10);
            text_add_string(to, json_string_value(json_array_get(w->all, number)));
        } else {
            text_add_char(to, *packed);
        }
    }
}

Test(page, packed_names_are_unpacked)
{
    static const char *const names[] = {
        "System.String",
        "System.Collections.Generic.Dictionary<System.String,App.Order[,]>+Entry[]",
        "[static var App.Shop.s_all]",
        "Order",
        ".ctor",
        "..",
        "7",
        "1.2<3>",
        "",
        "<>c__DisplayClass0_0",
        "a  b (x → y) ×2–9",
        "Caf\xC3\xA9.\xE4\xBD\xA0"};
    struct page_words w = {0};
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        struct text packed = {0}, back = {0};
        words_pack(&w, &packed, names[i]);
        unpack(&back, &w, text_string(&packed));
        cr_expect_str_eq(text_string(&back), names[i], "%s", text_string(&packed));
        text_free(&packed);
        text_free(&back);
    }
    json_decref(w.all);
    words_free(&w);
}

Test(page, a_word_is_stored_once)
{
    struct page_words w = {0};
    struct text packed = {0};
    words_pack(&w, &packed, "App.Orders.Order<App.Orders.Line,App.Orders.Order>");
    cr_expect_str_eq(text_string(&packed), "0.1<0.2,0.1>");
    cr_expect_eq(json_array_size(w.all), 3U);
    json_decref(w.all);
    words_free(&w);
    text_free(&packed);
}

/* --- pages -------------------------------------------------------------------------- */

/* The value of a block of data; for json_decref(). */
static json_t *block(const char *page, const char *id)
{
    char begin[80];
    snprintf(begin, sizeof(begin), "<script type=\"application/json\" id=\"%s\">", id);
    const char *at = strstr(page, begin);
    if (at == NULL)
        return NULL;
    at += strlen(begin);
    json_error_t err;
    json_t *value = json_loadb(at, (size_t)(strstr(at, "</script>") - at), 0, &err);
    cr_assert_not_null(value, "%s", err.text);
    return value;
}

Test(page, every_type_is_in_its_data_and_some_in_its_table)
{
    enum { TYPES = 120, SNAPSHOTS = 3 };
    struct hd_snapshot *snaps[SNAPSHOTS];
    for (size_t k = 0; k < SNAPSHOTS; k++) {
        struct forge f = {0};
        for (unsigned i = 0; i < TYPES; i++) {
            char name[32];
            snprintf(name, sizeof(name), "App.Type%u", i);
            forge_row(&f, name, 10 + k * i, (10 + k * i) * 24);
        }
        snaps[k] = forge_finish(&f);
    }
    struct hd_report *r = diff_of(snaps, SNAPSHOTS, NULL);
    char *page = written(r, "html");
    json_t *types = block(page, "types-data"), *whole = block(page, "report-data");
    cr_expect_eq(json_array_size(json_object_get(types, "name")), (size_t)TYPES);
    cr_expect_eq(json_integer_value(json_object_get(whole, "types_omitted")), TYPES);
    cr_expect_eq(json_array_size(json_object_get(whole, "types")), 0U);
    /* The last by growth is constant, and each object has 24 bytes. */
    const json_t *count = json_object_get(types, "count"),
                 *bytes = json_object_get(types, "bytes");
    cr_expect_eq(json_integer_value(json_array_get(count, TYPES - 1)), 10);
    cr_expect_eq(json_integer_value(json_array_get(bytes, 0)), 24);
    expect_part(page, "App.Type119</bdi>");
    expect_no_part(page, "App.Type2</bdi>");
    json_decref(types);
    json_decref(whole);
    free(page);
    hd_report_free(r);
}

Test(page, every_kind_of_report_has_one)
{
    struct hd_options opt = hd_default_options();
    struct hd_report *const reports[] = {shop_diff(NULL),
                                         shop_table_diff(NULL),
                                         shop_check(),
                                         top_of(shop(10), NULL),
                                         info_of_two(),
                                         roots_of(shop(50), "System.String", opt),
                                         shop_tree(NULL),
                                         object_of(shop(10), 5, false, NULL),
                                         objects_of(shop(10), "*", opt)};
    for (size_t i = 0; i < sizeof(reports) / sizeof(*reports); i++) {
        char *page = written(reports[i], "html");
        expect_part(page, "<!DOCTYPE html>");
        expect_part(page, "</html>\n");
        expect_no_part(page, "\"></h1>");
        expect_no_part(page, "<title></title>");
        expect_part(page, "script-src 'sha256-");
        json_decref(block(page, "report-data"));
        free(page);
        hd_report_free(reports[i]);
    }
}

Test(page, has_chains_as_ladders_and_the_command_in_full)
{
    static const char *const words[] = {"heapdrift", "report", "a b", "<x>"};
    const struct hd_write_options how = {
        .size = sizeof(how), .command = words, .command_len = 4};
    struct hd_report *r = shop_diff(NULL);
    char *page = written_with(r, "html", &how);
    expect_part(page, "<ol class=\"ladder\">");
    expect_part(page, "<li class=\"root\"><bdi class=\"name\">[static vars]</bdi></li>");
    expect_part(page, "heapdrift report &#39;a b&#39; &#39;&lt;x&gt;&#39;");
    free(page);
    hd_report_free(r);
}

Test(page, a_tree_is_there_if_it_was_asked_for)
{
    struct hd_options opt = hd_default_options();
    struct hd_report *r = shop_diff(&opt);
    char *page = written(r, "html");
    cr_expect_null(block(page, "tree-data"));
    free(page);
    hd_report_free(r);
    opt.tree = true;
    r = shop_diff(&opt);
    page = written(r, "html");
    json_t *tree = block(page, "tree-data");
    cr_assert_not_null(tree);
    const json_t *top = json_array_get(json_object_get(tree, "nodes"), 0);
    cr_expect_str_eq(json_string_value(json_object_get(top, "kind")), "heap");
    json_decref(tree);
    free(page);
    hd_report_free(r);
}
