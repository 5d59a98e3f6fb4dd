/* A piece has the lines that begin in it, so it skips the end of a line that began before
 * it, and reads on behind its end. Line numbers count from its first line until all pieces
 * are read. What does not fit together, or makes no sense, is an error of the text; to say
 * which one, and the first, is the business of the caller, who reads it again.
 *
 * pread() into 256 KiB that stay in the second-level cache is faster than a mapping, and
 * takes no memory. */
#include "format/text/text_pieces.h"

#include "base/alloc.h"
#include "base/workers.h"
#include "format/text/text_marks.h"
#include "format/text/text_records.h"
#include "format/text/text_section.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* --- usual records ------------------------------------------------------------- */

/* Count an object record of heap text without reading it word by word.
 *
 * Nearly every line is "o ID TYPE SIZE" with single spaces, and references behind. Where
 * its words end is known from bits (text_marks.h), so it is understood without a loop and
 * without a branch that is hard to foresee. Whatever is unusual is left to text_records.h.
 */

enum {
    /* Bytes that must be readable from the beginning of a line, and in front of it. */
    USUAL_AHEAD = 64,
    USUAL_BEHIND = 16,
    USUAL_SLOTS = 4096
};

/* Objects of one type that the section does not know of yet. */
struct usual_slot {
    uint64_t id, count, bytes;
    uint32_t number; /* in the section */
};

/* 128 KiB. Types are found by a hash that anybody can foresee: who makes them collide gets
 * the table of the section, which nobody can. */
struct usual {
    struct section *section;
    uint64_t bytes; /* given to sections since the caller set it to 0 */
    uint64_t sizes; /* all digits of all sizes, or-ed */
    struct usual_slot slots[USUAL_SLOTS];
};

static void usual_new_type(struct usual *u, struct usual_slot *slot, uint64_t id,
                           uint64_t bytes, uint64_t line);
static bool usual_wide_object(struct usual *u, const unsigned char *text, uint64_t stops,
                              uint64_t line);

static inline void usual_count(struct usual *u, uint64_t id, uint64_t size, uint64_t line)
{
    struct usual_slot *slot = &u->slots[id * 0x9E3779B97F4A7C15 >> 52];
    if (slot->id != id) {
        usual_new_type(u, slot, id, size, line);
        return;
    }
    slot->count++;
    slot->bytes += size;
}

/* The last 1 to 8 of the bytes in front of end; 0 in place of the others. */
static inline uint64_t usual_digits(const unsigned char *end, uint64_t len)
{
    unsigned others = (unsigned)(64 - 8 * len);
    return text_eight_bytes(end - 8) >> others << others;
}

/* What each hex digit stands for, pairs of them in each second byte. */
static inline uint64_t usual_pairs(uint64_t digits)
{
    uint64_t v = (digits & 0x0F0F0F0F0F0F0F0F) + 9 * (digits >> 6 & 0x0101010101010101);
    return (v << 4 | v >> 8) & 0x00FF00FF00FF00FF;
}

/* Where the three numbers of an object record end, by the bytes that are no hex digits;
 * beyond all numbers if there are not so many. */
struct usual_ends {
    uint64_t id, type, size;
};

static inline struct usual_ends usual_ends(uint64_t stops)
{
    const uint64_t letter_and_blank = 3, beyond = 7ULL << 61;
    struct usual_ends e;
    stops = (stops & ~letter_and_blank) | beyond;
    e.id = (uint64_t)__builtin_ctzll(stops);
    stops &= stops - 1;
    e.type = (uint64_t)__builtin_ctzll(stops);
    stops &= stops - 1;
    e.size = (uint64_t)__builtin_ctzll(stops);
    return e;
}

/* 0 if there are single blanks where they belong. */
static inline unsigned usual_oddness(const unsigned char *text, const struct usual_ends *e)
{
    unsigned odd = (unsigned)(text[0] ^ 'o') | (unsigned)(text[1] ^ ' ') |
                   (unsigned)(text[e->id] ^ ' ') | (unsigned)(text[e->type] ^ ' ');
    unsigned char end = text[e->size];
    return odd | ((unsigned)(end != ' ') & (unsigned)(end != '\n'));
}

/* Count the object record that begins at text; stops are the bits of the bytes from there
 * that are no hex digits. False, and nothing has happened, if it is not a usual one. */
__attribute__((always_inline)) static inline bool
usual_object(struct usual *u, const unsigned char *text, uint64_t stops, uint64_t line)
{
    const uint64_t ID_AT = 2, MAX_DIGITS = 16, NARROW = 4;
    struct usual_ends e = usual_ends(stops);
    uint64_t id_len = e.id - ID_AT, type_len = e.type - e.id - 1;
    uint64_t size_len = e.size - e.type - 1;
    /* One branch for all that makes nearly all records usual. */
    bool narrow = ((type_len - 1) | (size_len - 1)) < NARROW;
    if (!narrow || text[ID_AT] == '0')
        return usual_wide_object(u, text, stops, line);
    if ((usual_oddness(text, &e) | (unsigned)(id_len - 1 >= MAX_DIGITS)) != 0)
        return false;
    /* Four digits each, so both numbers at once. */
    uint64_t size_digits = usual_digits(text + e.size, size_len);
    uint64_t v = usual_pairs(usual_digits(text + e.type, type_len) | size_digits >> 32);
    v = v << 8 | v >> 16;
    u->sizes |= size_digits;
    usual_count(u, v >> 32 & 0xFFFF, v & 0xFFFF, line);
    return true;
}

/* Forget all slots; counts go to section from here on. */
static void usual_begin(struct usual *u, struct section *section)
{
    memset(u->slots, 0, sizeof(u->slots));
    u->section = section;
    /* The slot where id 0 belongs must not seem to hold it; that of 1 is another. */
    u->slots[0].id = 1;
}

static void give(struct usual *u, struct usual_slot *slot)
{
    if (slot->count == 0)
        return;
    section_count_more(u->section, slot->number, slot->count, slot->bytes);
    u->bytes += slot->bytes;
    slot->count = slot->bytes = 0;
}

/* Give the section what the slots hold. To be called at least once per 2^32 objects, so
 * that no slot overflows. */
static void usual_flush(struct usual *u)
{
    for (size_t i = 0; i < USUAL_SLOTS; i++)
        give(u, &u->slots[i]);
}

/* Whether a size that was read had a digit from a to f. */
static bool usual_sizes_have_letters(const struct usual *u)
{
    return (u->sizes & 0x4040404040404040) != 0;
}

/* The type of that id has another slot, or none: count one object of it. The
 * section gets the first object at once, so it knows the line, whatever comes there before
 * the slot is flushed. */
static void usual_new_type(struct usual *u, struct usual_slot *slot, uint64_t id,
                           uint64_t bytes, uint64_t line)
{
    give(u, slot);
    u->bytes += bytes;
    *slot = (struct usual_slot){.id = id,
                                .number = section_count(u->section, id, 1, bytes, line)};
}

static uint64_t number_of(uint64_t digits)
{
    uint64_t v = usual_pairs(digits);
    v = (v << 8 | v >> 16) & 0x0000FFFF0000FFFF;
    return (v << 16 | v >> 32) & 0xFFFFFFFF;
}

static bool is_null(const unsigned char *digits, uint64_t len)
{
    while (len > 0 && *digits == '0') {
        digits++;
        len--;
    }
    return len == 0;
}

/* usual_object() for all numbers of a type, sizes of up to 8 digits and leading zeros. */
static bool usual_wide_object(struct usual *u, const unsigned char *text, uint64_t stops,
                              uint64_t line)
{
    const uint64_t ID_AT = 2, MAX_DIGITS = 16, HALF = 8;
    struct usual_ends e = usual_ends(stops);
    uint64_t id_len = e.id - ID_AT, type_len = e.type - e.id - 1;
    uint64_t size_len = e.size - e.type - 1;
    if (usual_oddness(text, &e) != 0 || id_len - 1 >= MAX_DIGITS ||
        type_len - 1 >= MAX_DIGITS || size_len - 1 >= MAX_DIGITS ||
        is_null(text + ID_AT, id_len))
        return false;
    /* Larger than 4 GiB is for those who look for overflows. */
    if (size_len > HALF && !is_null(text + e.type + 1, size_len - HALF))
        return false;
    uint64_t size_digits = usual_digits(text + e.size, size_len < HALF ? size_len : HALF);
    uint64_t id = number_of(usual_digits(text + e.type, type_len < HALF ? type_len : HALF));
    if (type_len > HALF)
        id |= number_of(usual_digits(text + e.type - HALF, type_len - HALF)) << 32;
    u->sizes |= size_digits;
    usual_count(u, id, number_of(size_digits), line);
    return true;
}

/* --- pieces -------------------------------------------------------------------- */

enum {
    BLOCK_BYTES = 256 * 1024,
    /* In front of a block stands the line that the block before it cut, if it is no
     * object: those are counted by their first bytes. */
    CUT_BYTES = BLOCK_BYTES,
    WORDS = (CUT_BYTES + BLOCK_BYTES) / TEXT_WORD,
    LEAST_BYTES = 1024 * 1024,
    MOST_PIECES = 256,
    /* Sections in one piece; each takes 1 KB. Programs have a few. */
    MOST_PARTS = 1000,
    STRIPE = 64 /* words whose line ends are listed at once */
};

/* What a piece has of one section. The first part of a piece goes on with what was open
 * in the piece before; the others begin with a begin record. */
struct part {
    struct section section;
    struct span name; /* in its begin record */
    uint64_t version, stamp, line;
    bool has_records, ended;
    struct span end_name;
    uint64_t end_line;
};

struct piece {
    struct input *in;
    bool has_places;
    uint64_t from, to; /* lines that begin there are its own */
    uint64_t at;       /* of the next byte to be read */
    const struct text_marker *marker;

    unsigned char *memory; /* USUAL_BEHIND, CUT_BYTES, BLOCK_BYTES, USUAL_AHEAD */
    uint64_t *ends, *stops;
    struct usual *usual;

    struct text_records records;
    uint64_t lines; /* begun */
    uint64_t blocks;
    struct part *parts;
    size_t part_count, part_cap;
    struct account account; /* its share of the builder's */
    struct arena names;
    struct text_totals totals;
    bool skipping; /* the line at hand is none of its own, or counted */
    bool is_read;  /* to its end, without a mistake */
};

/* --- lines --------------------------------------------------------------------- */

static struct span keep_name(struct piece *p, struct span name)
{
    return (struct span){arena_strdup(&p->names, name.data, name.len), name.len};
}

/* Usual objects are told by their types only. */
static bool is_used(const struct part *part)
{
    return part->has_records || part->section.type_ids.len > 0;
}

static bool begin_part(struct piece *p)
{
    if (p->part_count == MOST_PARTS)
        return false;
    if (p->part_count > 0)
        usual_flush(p->usual);
    p->parts = grow(p->parts, p->part_count, &p->part_cap, sizeof(*p->parts));
    struct part *part = &p->parts[p->part_count++];
    *part = (struct part){0};
    section_begin(&part->section, false, &p->account);
    /* Parts move when there are more of them; the slots must know the last. */
    usual_begin(p->usual, &part->section);
    p->records.section = &part->section;
    return true;
}

static bool parse_begin(struct piece *p)
{
    struct text_records *r = &p->records;
    if (!begin_part(p))
        return false;
    struct part *part = &p->parts[p->part_count - 1];
    part->name = keep_name(p, r->name);
    part->version = r->version;
    part->stamp = r->stamp;
    part->line = r->line;
    r->in_section = true;
    return true;
}

static void parse_end(struct piece *p)
{
    struct part *part = &p->parts[p->part_count - 1];
    part->ended = true;
    part->end_name = keep_name(p, p->records.name);
    part->end_line = p->records.line;
    p->records.in_section = false;
}

/* Any line, its end included unless the file ends there. */
static bool read_line(struct piece *p, const unsigned char *line, const unsigned char *end)
{
    struct text_records *r = &p->records;
    struct part *part = &p->parts[p->part_count - 1];
    r->line = p->lines;
    r->scan = (struct scan){.at = line, .end = end, .ended = true};
    /* Whether a section is open where a piece begins will be known later. */
    if (p->part_count == 1 && !is_used(part) && !part->ended && *line == 'a')
        r->in_section = false;
    switch (text_record_read(r)) {
    case TEXT_BAD:
        return false;
    case TEXT_BEGIN:
        return parse_begin(p);
    case TEXT_END:
        parse_end(p);
        break;
    case TEXT_RECORD:
        part->has_records = true;
        break;
    case TEXT_BLANK:
        break;
    }
    return true;
}

/* The bits of the 64 bytes from at on. */
__attribute__((always_inline)) static inline uint64_t bits_at(const uint64_t *bits,
                                                              size_t at)
{
    unsigned shift = at % TEXT_WORD;
    return bits[at / TEXT_WORD] >> shift | bits[at / TEXT_WORD + 1]
                                               << 1 << (TEXT_WORD - 1 - shift);
}

/* Where the bits are that are set, in ascending order; how many. Most words have less than
 * five, so there is nothing to foresee. */
__attribute__((always_inline)) static inline size_t
list_bits(const uint64_t *words, size_t count, uint32_t at, uint32_t *list)
{
    enum { USUAL = 4 };
    uint32_t *next = list;
    for (size_t w = 0; w < count; w++, at += TEXT_WORD) {
        uint64_t bits = words[w];
        unsigned n = (unsigned)__builtin_popcountll(bits);
        for (unsigned i = 0; i < USUAL; i++, bits &= bits - 1)
            next[i] = at + (bits != 0 ? (unsigned)__builtin_ctzll(bits) : 0);
        for (unsigned i = USUAL; i < n; i++, bits &= bits - 1)
            next[i] = at + (unsigned)__builtin_ctzll(bits);
        next += n;
    }
    return (size_t)(next - list);
}

/* Blank lines, of which a kilobyte can unpack to millions; longer ones take as long as
 * any other line. */
static bool is_short_blank(const unsigned char *line, const unsigned char *line_end)
{
    return line == line_end ||
           (line_end - line == 1 && (*line == ' ' || *line == '\t' || *line == '\r'));
}

/* Lines that end in text. next is where the next one begins. */
__attribute__((always_inline)) static inline bool any_lines(struct piece *p,
                                                            const unsigned char *text,
                                                            size_t size, uint64_t place,
                                                            size_t *next)
{
    enum { LIST = STRIPE * TEXT_WORD + 4 };
    uint32_t list[LIST];
    size_t words = (size + TEXT_WORD - 1) / TEXT_WORD, begin = 0;
    struct usual *usual = p->usual;
    const uint64_t *stops = p->stops;
    bool by_digits = p->records.size_base == 16;
    uint64_t most = p->to > place ? p->to - place : 0, line = p->lines;
    for (size_t w = 0; w < words; w += STRIPE) {
        size_t stripe = words - w < STRIPE ? words - w : STRIPE;
        size_t count = list_bits(p->ends + w, stripe, (uint32_t)(w * TEXT_WORD), list),
               i = 0;
        if (p->skipping && count > 0) {
            begin = list[i++] + (size_t)1;
            p->skipping = false;
        }
        bool in_section = p->records.in_section && by_digits;
        for (; i < count && begin < most; begin = list[i++] + (size_t)1) {
            line++;
            if (in_section &&
                usual_object(usual, text + begin, bits_at(stops, begin), line))
                continue;
            p->lines = line;
            if (is_short_blank(text + begin, text + list[i]))
                continue;
            if (!read_line(p, text + begin, text + list[i] + 1))
                return false;
            in_section = p->records.in_section && by_digits;
        }
    }
    p->lines = line;
    *next = p->skipping ? size : begin;
    return true;
}

static bool read_lines_anywhere(struct piece *p, const unsigned char *text, size_t size,
                                uint64_t place, size_t *next)
{
    return any_lines(p, text, size, place, next);
}

/* The same with bit operations that x86-64-v3 has: 3 % less time in all. */
#if defined(__x86_64__) && !defined(HD_PORTABLE)
__attribute__((target("bmi,bmi2,lzcnt"))) static bool
read_lines_bmi(struct piece *p, const unsigned char *text, size_t size, uint64_t place,
               size_t *next)
{
    return any_lines(p, text, size, place, next);
}
#endif

static bool read_lines(struct piece *p, const unsigned char *text, size_t size,
                       uint64_t place, size_t *next)
{
#if defined(__x86_64__) && !defined(HD_PORTABLE)
    if (p->marker->has_bmi)
        return read_lines_bmi(p, text, size, place, next);
#endif
    return read_lines_anywhere(p, text, size, place, next);
}

/* --- blocks -------------------------------------------------------------------- */

/* Up to BLOCK_BYTES; -1 on failure, 0 at the end. */
static ssize_t next_block(struct piece *p, unsigned char *to)
{
    if (p->has_places) {
        /* Not much more than what is wanted: the rest is for another thread. */
        enum { BEYOND = 4096 };
        uint64_t left = p->at < p->to ? p->to - p->at : BLOCK_BYTES;
        size_t wanted = left < BLOCK_BYTES - BEYOND ? (size_t)left + BEYOND : BLOCK_BYTES;
        ssize_t n;
        do {
            n = input_read_at(p->in, p->at, to, wanted);
        } while (n < 0 && errno == EINTR);
        return n;
    }
    struct bytes block;
    if (!input_next(p->in, &block, NULL) || block.size > BLOCK_BYTES)
        return -1;
    if (block.size > 0)
        memcpy(to, block.data, block.size);
    return (ssize_t)block.size;
}

/* What is left of a block is the beginning of a line. An object is counted by it; of every
 * other line the rest must come. */
static bool parse_cut_line(struct piece *p, const unsigned char *text, size_t size)
{
    if (size < USUAL_AHEAD || !p->records.in_section || p->records.size_base != 16)
        return false;
    uint64_t ends, stops[1];
    if (!p->marker->mark(text, 1, &ends, stops) ||
        !usual_object(p->usual, text, stops[0], p->lines + 1))
        return false;
    p->lines++;
    return true;
}

static bool add_bytes(struct piece *p)
{
    if (p->usual->bytes > HD_UNKNOWN - 1 - p->totals.bytes)
        return false;
    p->totals.bytes += p->usual->bytes;
    p->usual->bytes = 0;
    return true;
}

/* No slot can overflow in so many blocks, and this often costs nothing. */
static void flush_sometimes(struct piece *p)
{
    enum { BLOCKS = 4096 };
    if (++p->blocks % BLOCKS == 0)
        usual_flush(p->usual);
}

/* The last line of the file, which has no end. */
static bool read_last_line(struct piece *p, const unsigned char *text, size_t size)
{
    if (size == 0 || p->skipping)
        return true;
    p->lines++;
    return read_line(p, text, text + size);
}

static bool read_blocks(struct piece *p)
{
    unsigned char *block = p->memory + USUAL_BEHIND + CUT_BYTES;
    size_t cut = 0; /* bytes of a line, in front of block */
    for (;;) {
        ssize_t got = next_block(p, block);
        unsigned char *text = block - cut;
        uint64_t place = p->at - cut;
        if (got < 0 || account_is_over(&p->account))
            return false;
        if (got == 0)
            return place >= p->to || read_last_line(p, text, cut);
        p->at += (uint64_t)got;
        size_t size = cut + (size_t)got, words = (size + TEXT_WORD - 1) / TEXT_WORD, begin;
        memset(text + size, ' ', USUAL_AHEAD);
        p->stops[words] = 0;
        flush_sometimes(p);
        if (!p->marker->mark(text, words, p->ends, p->stops) ||
            !read_lines(p, text, size, place, &begin) || !add_bytes(p))
            return false;
        if (place + begin >= p->to && !p->skipping)
            return true;
        cut = size - begin;
        if (p->skipping)
            continue;
        p->skipping = parse_cut_line(p, text + begin, cut);
        cut = p->skipping ? 0 : cut;
        if (cut > CUT_BYTES)
            return false;
        memmove(block - cut, text + begin, cut);
    }
}

/* --- pieces -------------------------------------------------------------------- */

/* One of the pieces: the work of a thread. */
static bool read_piece(void *pieces, size_t i)
{
    struct piece *p = (struct piece *)pieces + i;
    p->memory =
        alloc_resize(NULL, USUAL_BEHIND + CUT_BYTES + BLOCK_BYTES + (size_t)USUAL_AHEAD);
    p->ends = alloc_resize(NULL, (WORDS + 1) * sizeof(*p->ends));
    p->stops = alloc_resize(NULL, (WORDS + 1) * sizeof(*p->stops));
    p->usual = alloc_zeroed(sizeof(*p->usual));
    memset(p->memory, 0, USUAL_BEHIND + CUT_BYTES);
    bool ok = begin_part(p) && read_blocks(p);
    usual_flush(p->usual);
    p->is_read = ok && add_bytes(p);
    p->totals.sizes_have_letters |= usual_sizes_have_letters(p->usual);
    free(p->memory);
    free(p->ends);
    free(p->stops);
    free(p->usual);
    text_free(&p->records.rest);
    return p->is_read;
}

static void free_piece(struct piece *p)
{
    for (size_t i = 0; i < p->part_count; i++)
        section_free(&p->parts[i].section);
    free(p->parts);
    arena_free(&p->names);
}

struct sum {
    struct text_heap *h; /* NULL on trial */
    struct section trial;
    struct text_totals totals;
    bool open, any;
    uint64_t lines; /* before the piece at hand */
};

static bool put_part(struct sum *s, const struct part *part, bool begins)
{
    if (begins && s->open)
        return false;
    if (!begins && !s->open && (is_used(part) || part->ended))
        return false;
    if (begins && s->h != NULL)
        text_heap_begin(s->h, part->name, part->version, part->stamp,
                        part->line + s->lines);
    s->any |= begins;
    s->open |= begins;
    struct section *section = s->h != NULL ? &s->h->section : &s->trial;
    if (!section_merge(section, &part->section, s->lines))
        return false;
    if (!part->ended)
        return true;
    if (s->h != NULL)
        text_heap_end(s->h, part->end_name, part->end_line + s->lines);
    section_free(&s->trial);
    s->open = false;
    return true;
}

/* The pieces in order, into h; or, if h is NULL, only whether they fit together, since
 * the builder takes nothing back. */
static bool put_together(const struct piece *pieces, size_t count, struct text_heap *h)
{
    struct sum s = {.h = h};
    bool ok = true;
    for (size_t i = 0; ok && i < count; s.lines += pieces[i++].lines) {
        const struct piece *p = &pieces[i];
        ok = p->is_read && totals_merge(&s.totals, &p->totals);
        for (size_t k = 0; ok && k < p->part_count; k++)
            ok = put_part(&s, &p->parts[k], k > 0);
    }
    section_free(&s.trial);
    if (h != NULL)
        h->totals = s.totals;
    return ok && s.any && !s.open;
}

static size_t piece_count(const struct text_pieces_options *how, uint64_t size)
{
    uint64_t least = how->least_bytes > 0 ? how->least_bytes : LEAST_BYTES;
    uint64_t threads = how->threads < 1             ? 1
                       : how->threads > MOST_PIECES ? MOST_PIECES
                                                    : how->threads;
    uint64_t worth = size / least;
    return (size_t)(worth < 1 ? 1 : worth < threads ? worth : threads);
}

bool text_pieces_read(struct input *in, struct builder *b,
                      const struct text_pieces_options *how)
{
    uint64_t size = 0;
    bool has_places = input_has_places(in, &size);
    size_t count = has_places ? piece_count(how, size) : 1;
    struct piece *pieces = alloc_zeroed(array_bytes(count, sizeof(*pieces)));
    for (size_t i = 0; i < count; i++) {
        struct piece *p = &pieces[i];
        *p =
            (struct piece){.in = in,
                           .has_places = has_places,
                           .from = size / count * i,
                           .to = i + 1 < count ? size / count * (i + 1) : UINT64_MAX,
                           .marker = how->marker != NULL ? how->marker : text_marker_best(),
                           .skipping = i > 0};
        p->at = i > 0 ? p->from - 1 : how->skip;
        p->account.limit = builder_account(b)->limit / count;
        p->names.account = &p->account;
        p->records = (struct text_records){
            .size_base = b->size_base, .totals = &p->totals, .in_section = i > 0};
    }
    workers_run(count, (unsigned)count, read_piece, pieces);
    bool ok = put_together(pieces, count, NULL);
    if (ok) {
        struct text_heap h = {.b = b};
        put_together(pieces, count, &h);
        text_heap_finish(&h);
        text_heap_free(&h);
    }
    for (size_t i = 0; i < count; i++)
        free_piece(&pieces[i]);
    free(pieces);
    return ok;
}
