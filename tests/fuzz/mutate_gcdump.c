/* A .gcdump: parsed field by field (docs/formats/gcdump.md), one of which is changed;
 * labels, which are offsets, are adjusted. */
#include "fuzz/mutate.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_FIELDS = 600, MAX_LABELS = 200, SIGNATURE = 24 };

enum field_kind { NUMBER, STRING, BLOB, NUMBERS };

struct gc_field {
    enum field_kind kind;
    size_t at, size; /* of a string or blob: after its count of 4 bytes */
};

struct walk {
    const struct piece *p;
    size_t at, label_size;
    bool failed;
    struct gc_field fields[MAX_FIELDS];
    size_t labels[MAX_LABELS]; /* their positions */
    size_t field_count, label_count;
};

static bool take(struct walk *w, size_t size)
{
    if (w->failed || size > w->p->size - w->at)
        w->failed = true;
    else
        w->at += size;
    return !w->failed;
}

static void note(struct walk *w, enum field_kind kind, size_t at, size_t size)
{
    if (w->field_count < MAX_FIELDS)
        w->fields[w->field_count++] = (struct gc_field){kind, at, size};
}

static uint64_t number(struct walk *w, size_t size)
{
    if (!take(w, size))
        return 0;
    note(w, NUMBER, w->at - size, size);
    return piece_get(w->p, w->at - size, size);
}

static unsigned byte(struct walk *w)
{
    return take(w, 1) ? w->p->data[w->at - 1] : 0;
}

static void string(struct walk *w)
{
    uint64_t units = number(w, 4);
    size_t begin = w->at;
    if (w->failed || units > INT32_MAX)
        return; /* the null string */
    for (; units > 0 && !w->failed; units--) {
        unsigned lead = byte(w);
        take(w, lead < 0x80 ? 0 : lead < 0xE0 ? 1 : 2);
    }
    if (!w->failed)
        note(w, STRING, begin, w->at - begin);
}

static void label(struct walk *w)
{
    if (w->label_count < MAX_LABELS)
        w->labels[w->label_count++] = w->at;
    number(w, w->label_size);
}

/* False: null, or a reference to an earlier one. */
static bool object(struct walk *w)
{
    unsigned tag = byte(w);
    if (tag == 2)
        label(w);
    if (tag != 4)
        return false;
    tag = byte(w);
    if (tag == 2) {
        label(w);
    } else {
        byte(w);
        number(w, 4);
        number(w, 4);
        string(w);
        byte(w);
    }
    return !w->failed;
}

/* To the end of the object; unknown tags end the walk. */
static void tagged(struct walk *w)
{
    static const unsigned char sizes[] = {[8] = 1, [9] = 2, [10] = 4, [11] = 8, [12] = 4};
    for (unsigned tag = byte(w); tag != 6 && !w->failed; tag = byte(w)) {
        if (tag == 13)
            string(w);
        else if (tag == 14)
            take(w, (size_t)number(w, 4));
        else if (tag >= 8 && tag <= 12)
            number(w, sizes[tag]);
        else
            w->failed = tag != 1;
    }
}

static void array(struct walk *w, size_t element)
{
    uint64_t count = number(w, 4);
    size_t begin = w->at;
    if (count <= w->p->size && take(w, (size_t)count * element))
        note(w, NUMBERS, begin, (size_t)count * element);
}

static void graph(struct walk *w)
{
    if (!object(w))
        return;
    number(w, 8);
    number(w, 4);
    uint64_t types = number(w, 4);
    for (; types > 0 && !w->failed; types--) {
        string(w);
        number(w, 4);
        string(w);
    }
    array(w, 4);
    uint64_t size = number(w, 4);
    if (size <= w->p->size && take(w, (size_t)size))
        note(w, BLOB, w->at - (size_t)size, (size_t)size);
    array(w, 8);
    tagged(w);
}

static void heap_info(struct walk *w)
{
    if (!object(w))
        return;
    number(w, 8);
    for (uint64_t n = number(w, 4); n > 0 && !w->failed; n--)
        if (object(w)) {
            for (size_t i = 0; i < 6; i++)
                number(w, 8);
            if (w->at < w->p->size && w->p->data[w->at] != 6)
                number(w, 8);
            byte(w);
        }
    tagged(w);
}

static void dump(struct walk *w)
{
    if (!object(w))
        return;
    graph(w);
    number(w, 1);
    number(w, 4);
    number(w, 4);
    if (object(w))
        tagged(w);
    heap_info(w);
    string(w);
    number(w, 8);
    string(w);
    string(w);
    number(w, 4);
    number(w, 8);
    number(w, 8);
    array(w, 4);
}

/* The width of labels, and some of them, are at the end of the file. */
static bool find_labels(struct walk *w)
{
    const struct piece *p = w->p;
    for (w->label_size = 4; w->label_size <= 8; w->label_size += 4) {
        size_t width = w->label_size;
        if (p->size < SIGNATURE + 4 + 2 * width ||
            piece_get(p, p->size - width, width) != p->size - 2 * width)
            continue;
        w->labels[w->label_count++] = p->size - width;
        w->labels[w->label_count++] = p->size - 2 * width;
        uint64_t table = piece_get(p, p->size - 2 * width, width);
        for (uint64_t at = table + 4; table >= SIGNATURE && at + 2 * width < p->size &&
                                      w->label_count < MAX_LABELS / 2;
             at += width)
            w->labels[w->label_count++] = (size_t)at;
        return true;
    }
    w->label_size = 4;
    return false;
}

/* --- changes ----------------------------------------------------------------------- */

/* Adjusts for everything from `at` on having moved by `by` bytes. */
static void move_labels(struct walk *w, struct piece *p, size_t at, long by)
{
    for (size_t i = 0; i < w->label_count && by != 0; i++) {
        size_t place = w->labels[i] >= at ? w->labels[i] + (size_t)by : w->labels[i];
        if (place + w->label_size > p->size)
            continue;
        uint64_t target = piece_get(p, place, w->label_size);
        if (target >= at)
            piece_put(p, place, w->label_size, target + (uint64_t)by);
    }
}

/* Adjusts the preceding number of units. */
static void change_string(struct walk *w, struct piece *p, const struct gc_field *f)
{
    long by = piece_mutate(p, f->at, f->size, true);
    size_t units = 0, size = f->size + (size_t)by;
    for (size_t i = 0; i < size; units++) {
        unsigned lead = p->data[f->at + i];
        i += lead < 0x80 ? 1 : lead < 0xE0 ? 2 : 3;
    }
    piece_put(p, f->at - 4, 4, units);
    move_labels(w, p, f->at + f->size, by);
}

static void change_blob(struct walk *w, struct piece *p, const struct gc_field *f)
{
    long by = piece_mutate(p, f->at, f->size, true);
    piece_put(p, f->at - 4, 4, f->size + (size_t)by);
    move_labels(w, p, f->at + f->size, by);
}

static void change_numbers(struct piece *p, const struct gc_field *f, struct dice *d)
{
    size_t at = f->at + dice_below(d, f->size / 4) * 4;
    if (dice_below(d, 2) == 0)
        piece_put(p, at, 4, dice_number(d, piece_get(p, at, 4)));
    else
        piece_put(p, at, 4, piece_get(p, f->at + dice_below(d, f->size / 4) * 4, 4));
}

bool mutate_gcdump(struct piece *p, struct dice *d)
{
    if (p->size < SIGNATURE || memcmp(p->data, "\x14\0\0\0!FastSerialization.1", 24) != 0)
        return false;
    struct walk *w = calloc(1, sizeof(*w));
    if (w == NULL)
        abort();
    w->p = p;
    w->at = SIGNATURE;
    find_labels(w);
    dump(w);
    bool done = w->field_count > 0;
    if (done) {
        const struct gc_field *f = &w->fields[dice_below(d, w->field_count)];
        /* Records of nodes are a single field among many. */
        for (size_t i = 0; dice_below(d, 3) == 0 && i < w->field_count; i++)
            if (w->fields[i].kind == BLOB)
                f = &w->fields[i];
        if (f->kind == STRING)
            change_string(w, p, f);
        else if (f->kind == BLOB && f->size > 0)
            change_blob(w, p, f);
        else if (f->kind == NUMBERS && f->size >= 4)
            change_numbers(p, f, d);
        else
            piece_put(p, f->at, f->size < 8 ? f->size : 8,
                      dice_number(d, piece_get(p, f->at, f->size < 8 ? f->size : 8)));
    }
    free(w);
    return done;
}
