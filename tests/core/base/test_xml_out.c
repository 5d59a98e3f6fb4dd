#include "base/out.h"

#include <criterion/criterion.h>

static void expect_xml(void (*write)(struct xml_out *x), const char *wanted)
{
    struct hd_memory got = {0};
    struct out o = {.to = hd_sink_memory(&got)};
    struct xml_out x = xml_begin(&o);
    write(&x);
    cr_expect(out_finish(&o, NULL));
    cr_expect_str_eq(got.bytes, wanted, "%s", got.bytes);
    hd_memory_free(&got);
}

static void nested(struct xml_out *x)
{
    xml_open(x, "a");
    xml_open(x, "b");
    xml_attribute(x, "n", "1");
    xml_close_with(x, "b", "two\nlines");
    xml_open(x, "c");
    xml_attribute(x, "n", "1");
    xml_attribute(x, "m", "");
    xml_close(x, "c");
    xml_close(x, "a");
}

Test(xml_out, an_element_has_a_line_and_text_stays_with_its_tags)
{
    expect_xml(nested, "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
                       "<a>\n"
                       "<b n=\"1\">two\nlines</b>\n"
                       "<c n=\"1\" m=\"\" />\n"
                       "</a>\n");
}

static void odd(struct xml_out *x)
{
    xml_open(x, "a");
    xml_attribute(x, "n", "<\"&'>\x1b\xff\xef\xbf\xbf");
    xml_close_with(x, "a", "]]><\"&'>\t");
}

Test(xml_out, characters_that_xml_forbids_are_replaced)
{
    expect_xml(odd, "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
                    "<a n=\"&lt;&quot;&amp;'&gt;\uFFFD\uFFFD\uFFFD\">"
                    "]]&gt;&lt;&quot;&amp;'&gt;\uFFFD</a>\n");
}
