/* One record with a field of every kind: as JSON, as cells, and parsed again. */
#include "base/record.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum colour { RED, GREEN, NO_COLOUR };

static const char *colour_word(unsigned i)
{
    static const char *const all[] = {"red", "green", NULL};
    return i < 3 ? all[i] : NULL;
}

struct part {
    uint32_t small;
};

struct thing {
    const char *name;
    uint64_t number, address, hash;
    size_t size, list_len, part_count;
    uint32_t small;
    int64_t change;
    double real;
    bool truth;
    enum colour colour;
    uint64_t *series;
    struct hd_tally *at;
    const double *list;
    struct part within, *behind, *parts;
};

#define T struct part
static const struct record_field part_fields[] = {
    FIELD("small", UINT32(small), NULL_AT_ZERO, NULL),
};
static const RECORD_OF(part, "part", part_fields, NULL);
#undef T

#define T struct thing
KNOWN(is_true, x->truth)
VALUE(twice, json_integer(2 * x->change))

static void add_both(struct text *t, const void *of, const struct record_walk *w)
{
    (void)w;
    text_add_string(t, ((const T *)of)->name);
    text_add_string(t, "/");
    text_add_string(t, colour_word(((const T *)of)->colour));
}

static const struct record_field thing_fields[] = {
    FIELD("name", TEXT(name), MAY_BE_NULL, "Words."),
    FIELD("number", UINT64(number), MAY_BE_NULL, NULL),
    FIELD("size", SIZE(size), NEVER_NULL, NULL),
    FIELD("small", UINT32(small), NEVER_NULL, NULL),
    FIELD("change", INT64(change), MAY_BE_NULL, NULL, NULL, is_true),
    FIELD("real", REAL(real), MAY_BE_NULL, NULL),
    FIELD("truth", TRUTH(truth), NEVER_NULL, NULL),
    FIELD("colour", CHOICE(colour, colour_word, NO_COLOUR), MAY_BE_NULL, NULL),
    FIELD("address", ADDRESS(address), MAY_BE_NULL, NULL),
    FIELD("hash", XXH3(hash), MAY_BE_NULL, NULL),
    FIELD("series", SERIES(series), MAY_BE_NULL, NULL),
    FIELD("count", COUNTS(at), NEVER_NULL, NULL),
    FIELD("bytes", BYTES(at), NEVER_NULL, NULL),
    FIELD("first", FIRST_COUNT(at), NEVER_NULL, NULL),
    FIELD("list", REALS(list, list_len), NEVER_NULL, NULL),
    FIELD("within", RECORD(within, record_part), NEVER_NULL, NULL),
    FIELD("behind", POINTER(behind, record_part), MAY_BE_NULL, NULL),
    FIELD("parts", RECORDS(parts, part_count, record_part), NEVER_NULL, NULL),
    FIELD("twice", MADE(twice), NEVER_NULL, NULL),
    IN_TABLES("both", CSV_CELL(add_both)),
};
static const struct record record_thing = {
    .name = "thing",
    FIELDS(thing_fields),
    .csv = "name number change real truth colour address both count bytes"};

/* Fields of a nested struct that is not the first member. */
static const struct record_field outer_fields[] = {
    FIELD("name", TEXT(name), MAY_BE_NULL, NULL),
    FIELDS_OF(PART(within, record_part)),
};
static const struct record record_outer = {
    .name = "outer", FIELDS(outer_fields), .csv = "name small"};

/* Fields that can be parsed: no tallies, no computed ones. */
static const struct record_field line_fields[] = {
    FIELD("name", TEXT(name), NEVER_NULL, NULL),
    FIELD("number", UINT64(number), MAY_BE_NULL, NULL),
    FIELD("size", SIZE(size), NEVER_NULL, NULL),
    FIELD("small", UINT32(small), NEVER_NULL, NULL),
    FIELD("real", REAL(real), MAY_BE_NULL, NULL),
    FIELD("colour", CHOICE(colour, colour_word, NO_COLOUR), NEVER_NULL, NULL),
    FIELD("series", SERIES(series), NEVER_NULL, NULL),
    FIELD("list", REALS(list, list_len), NEVER_NULL, NULL),
    FIELD("parts", RECORDS(parts, part_count, record_part), NEVER_NULL, NULL),
};
static const RECORD_OF(line, NULL, line_fields, NULL);
#undef T

static uint64_t three[] = {1, HD_UNKNOWN, 3};
static struct hd_tally tallies[] = {{4, 40}, {5, HD_UNKNOWN}, {6, 60}};
static const double reals[] = {0.5, NAN};
static struct part parts[] = {{7}, {0}};
static const struct record_walk walk = {.snapshots = 3};

static const struct thing known = {"a",   1,       0x7f,  0xabc, 2,     2,
                                   2,     3,       -4,    0.25,  true,  GREEN,
                                   three, tallies, reals, {8},   parts, parts};
static const struct thing unknown = {.number = HD_UNKNOWN,
                                     .hash = HD_UNKNOWN,
                                     .real = NAN,
                                     .colour = NO_COLOUR,
                                     .at = tallies};

static void expect_json(const struct thing *of, const char *expected)
{
    json_t *made = record_json(&record_thing, of, &walk);
    char *text = json_dumps(made, JSON_COMPACT);
    cr_expect_str_eq(text, expected);
    free(text);
    json_decref(made);
}

Test(record, json_has_every_kind_and_null_for_unknown_values)
{
    expect_json(&known,
                "{\"name\":\"a\",\"number\":1,\"size\":2,\"small\":3,\"change\":-4,"
                "\"real\":0.25,\"truth\":true,\"colour\":\"green\",\"address\":\"0x7f\","
                "\"hash\":\"0000000000000abc\",\"series\":[1,null,3],\"count\":[4,5,6],"
                "\"bytes\":[40,null,60],\"first\":4,\"list\":[0.5,null],"
                "\"within\":{\"small\":8},\"behind\":{\"small\":7},"
                "\"parts\":[{\"small\":7},{\"small\":null}],\"twice\":-8}");
    expect_json(&unknown,
                "{\"name\":null,\"number\":null,\"size\":0,\"small\":0,\"change\":null,"
                "\"real\":null,\"truth\":false,\"colour\":null,\"address\":null,"
                "\"hash\":null,\"series\":null,\"count\":[4,5,6],\"bytes\":[40,null,60],"
                "\"first\":4,\"list\":[],\"within\":{\"small\":null},\"behind\":null,"
                "\"parts\":[],\"twice\":0}");
}

static char *table_of(const struct record *r, const struct thing *of)
{
    struct hd_memory memory = {0};
    struct out out = {.to = hd_sink_memory(&memory)};
    struct csv_writer csv = {.out = &out};
    struct record_walk w = {.snapshots = 2, .title = "thing"};
    csv_record_titles(&csv, r, &w);
    csv_record_rows(&csv, r, of, 1, &w);
    out_finish(&out, NULL);
    char *text = strdup(memory.bytes);
    hd_memory_free(&memory);
    return text;
}

Test(record, tables_have_what_is_per_snapshot_last)
{
    char *text = table_of(&record_thing, &known);
    cr_expect_str_eq(text, "thing,number,change,real,truth,colour,address,both,count_1,"
                           "bytes_1,count_2,bytes_2\n"
                           "a,1,-4,0.25,true,green,0x7f,a/green,4,40,5,\n");
    free(text);
}

Test(record, fields_of_a_nested_struct_are_read_at_its_offset)
{
    char *text = table_of(&record_outer, &known);
    cr_expect_str_eq(text, "thing,small\na,8\n");
    free(text);
    json_t *made = record_json(&record_outer, &known, &walk);
    cr_expect_eq(json_integer_value(json_object_get(made, "small")), 8);
    json_decref(made);
}

/* Parses a good line with one value replaced. */
static bool parses(const char *key, const char *value)
{
    json_t *line =
        json_loads("{\"name\":\"a\",\"number\":1,\"size\":2,\"small\":3,\"real\":0.25,"
                   "\"colour\":\"green\",\"series\":[1,null,3],\"list\":[0.5],"
                   "\"parts\":[{\"small\":7},{\"small\":8}]}",
                   0, NULL);
    struct arena a = {0};
    struct thing t = {0};
    if (key != NULL && value == NULL)
        json_object_del(line, key);
    else if (key != NULL)
        json_object_set_new(line, key, json_loads(value, JSON_DECODE_ANY, NULL));
    bool ok = record_parse(&record_line, line, &t, &walk, &a);
    if (key == NULL)
        cr_expect(strcmp(t.name, "a") == 0 && t.number == 1 && t.size == 2 &&
                  t.small == 3 && t.real == 0.25 && t.colour == GREEN &&
                  t.series[1] == HD_UNKNOWN && t.series[2] == 3 && t.list_len == 1 &&
                  t.list[0] == 0.5 && t.part_count == 2 && t.parts[1].small == 8);
    arena_free(&a);
    json_decref(line);
    return ok;
}

Test(record, parsed_values_are_validated)
{
    static const char *const refused[][2] = {
        {"name", "null"},
        {"name", "3"},
        {"name", NULL},
        {"number", "-1"},
        {"number", "1.5"},
        {"number", "\"1\""},
        {"size", "null"},
        {"small", "4294967296"},
        {"small", "-1"},
        {"real", "\"x\""},
        {"colour", "\"blue\""},
        {"colour", "null"},
        {"series", "[1,2]"},
        {"series", "[1,2,3,4]"},
        {"series", "[1,\"2\",3]"},
        {"series", "null"},
        {"list", "{}"},
        {"list", "[[]]"},
        {"parts", "[1]"},
        {"parts", "[{\"small\":-1}]"},
        {"parts", "[{}]"},
    };
    cr_expect(parses(NULL, NULL));
    cr_expect(parses("number", "null"));
    cr_expect(parses("list", "[]"));
    for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++)
        cr_expect_not(parses(refused[i][0], refused[i][1]), "%s: %s", refused[i][0],
                      refused[i][1] != NULL ? refused[i][1] : "missing");
}
