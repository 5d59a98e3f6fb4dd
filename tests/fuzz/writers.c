/* Heaps that are always readable, so that every input reaches the writers: a few bytes
 * describe types, objects and references. */
#include "fuzz/questions.h"
#include "fuzz/surfaces.h"
#include "support/gcdump_bytes.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_TYPES = 8, MAX_NODES = 24, PSEUDO = 4, LONGEST_NAME = 24 };

/* Sequences that a program between us and the reader obeys. */
static const char *const obeyed[] = {"\x1b[31m",
                                     "\a",
                                     "\b",
                                     "\n",
                                     "\r",
                                     "\t",
                                     "\xc2\x9b",
                                     "\xe2\x80\xae",
                                     "\xe2\x80\xa8",
                                     "\xf0\x9f\x98\x80",
                                     "\xed\xa0\x80",
                                     "\xef\xbf\xbe",
                                     "</script>",
                                     "<!--",
                                     "]]>",
                                     "&amp;",
                                     "\"",
                                     "'",
                                     "\\",
                                     "=1+1",
                                     "::error::",
                                     "##vso[",
                                     "|",
                                     "`",
                                     "```",
                                     "<",
                                     ">",
                                     "${{",
                                     "%0A",
                                     "#\xc2\x85",
                                     "[]",
                                     "\xe4\xb8\xad",
                                     "e\xcc\x81",
                                     ",",
                                     ";",
                                     "[static var "};

struct heap {
    const unsigned char *at, *end;
    struct made_type types[MAX_TYPES + PSEUDO];
    struct made_node nodes[MAX_NODES + PSEUDO];
    char names[MAX_TYPES + 2][LONGEST_NAME * 16];
    size_t type_count, node_count;
};

static unsigned take(struct heap *h)
{
    return h->at < h->end ? *h->at++ : 0;
}

/* A byte is literal, or chooses a control sequence. */
static char *take_name(struct heap *h, char *to)
{
    size_t len = 0, count = take(h) % LONGEST_NAME;
    for (size_t i = 0; i < count; i++) {
        unsigned c = take(h);
        const char *more = obeyed[c % (sizeof(obeyed) / sizeof(obeyed[0]))];
        if (c >= 0x80) {
            memcpy(to + len, more, strlen(more));
            len += strlen(more);
        } else if (c != 0) {
            to[len++] = (char)c;
        }
    }
    to[len] = '\0';
    return to;
}

/* Usually small, sometimes the maximum. */
static int32_t take_size(struct heap *h)
{
    unsigned c = take(h);
    return c < 250 ? (int32_t)c * 8 : INT32_MAX - (int32_t)c;
}

static void make_types(struct heap *h)
{
    static const char *const groups[PSEUDO] = {"UNDEFINED", "[.NET Roots]", "[static vars]",
                                               "[local vars]"};
    for (size_t i = 0; i < PSEUDO; i++)
        h->types[i] = (struct made_type){.name = groups[i]};
    h->type_count = PSEUDO;
    size_t count = 1 + take(h) % MAX_TYPES;
    for (size_t i = 0; i < count; i++) {
        unsigned how = take(h);
        h->types[h->type_count++] =
            (struct made_type){.name = take_name(h, h->names[i]),
                               .size = take_size(h),
                               .multiplier = (float)(how % 7),
                               .module = how > 200 ? h->names[i] : NULL};
    }
}

/* The root, two groups, objects; each group holds the first ones. */
static void make_nodes(struct heap *h)
{
    size_t count = take(h) % MAX_NODES;
    h->node_count = 3 + count;
    h->nodes[0] = (struct made_node){.type = 1, .references = 2, .to = {1, 2}};
    for (uint32_t i = 1; i < 3; i++) {
        h->nodes[i] = (struct made_node){.type = i + 1};
        for (uint32_t k = 0; k < MADE_REFERENCES && k < count; k += i)
            h->nodes[i].to[h->nodes[i].references++] = 3 + k;
    }
    for (size_t i = 3; i < h->node_count; i++) {
        struct made_node *n = &h->nodes[i];
        unsigned how = take(h);
        n->type = PSEUDO + how % (uint32_t)(h->type_count - PSEUDO);
        n->size = how > 128 ? take_size(h) : h->types[n->type].size;
        n->address = 0x1000 + 0x100 * i;
        n->references = how / 8 % (MADE_REFERENCES + 1);
        for (uint32_t k = 0; k < n->references; k++)
            n->to[k] = 3 + take(h) % (uint32_t)count;
    }
}

static struct gcdump_bytes make(struct bytes part)
{
    struct heap h = {.at = part.data, .end = part.data + part.size};
    unsigned how = take(&h);
    char process[LONGEST_NAME * 16], tool[LONGEST_NAME * 16];
    make_types(&h);
    make_nodes(&h);
    const struct made_segment segment = {0x1000, 0x9000, {0x2000, 0x2800, 0x9000, 0, 0}};
    return gcdump_bytes_make(
        &(struct made_gcdump){.types = h.types,
                              .type_count = h.type_count,
                              .nodes = h.nodes,
                              .node_count = h.node_count,
                              .eight_byte_labels = (how & 1) != 0,
                              .sampled = (how & 2) != 0,
                              .segments = &segment,
                              .segment_count = how >> 2 & 1,
                              .ticks = INT64_C(638700000000000000) + how,
                              .pid = 77,
                              .process = take_name(&h, process),
                              .tool = take_name(&h, tool)});
}

void surface_writers(struct bytes input)
{
    struct frame f = frame_of(input);
    struct hd_read_options how = question_reading(f.head, input.size);
    struct gcdump_bytes made[FRAME_PARTS];
    struct hd_snapshot *snaps[FRAME_PARTS];
    for (size_t i = 0; i < f.count; i++) {
        struct hd_error err = {0};
        made[i] = make(frame_part(&f, i));
        snaps[i] = hd_snapshot_from_memory(made[i].data.data, made[i].data.len, &how, &err);
        if (snaps[i] == NULL)
            abort();
    }
    question_ask(f.head, snaps, f.count);
    for (size_t i = 0; i < f.count; i++) {
        hd_snapshot_close(snaps[i]);
        gcdump_bytes_free(&made[i]);
    }
}
