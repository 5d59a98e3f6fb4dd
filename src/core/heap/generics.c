/* Metadata names put all arguments of a name behind its last part, so a list is
 * read before it is known where its text will stand. The result is built as a
 * chain of pieces, and the arguments are linked in where they belong: no text is
 * moved once per level of nesting, and everything is linear. What is open while
 * reading is a stack of frames, so nesting costs memory and no recursion.
 *
 * This file must not know about any other rule for names. */
#include "heap/generics.h"

#include "base/alloc.h"
#include "base/text.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Longer names stay as they are. Metadata allows 1,023 bytes for one identifier,
 * and reading takes up to some 100 bytes of memory per byte of the name. */
enum { LONGEST_PARSED = 1024 * 1024 };

struct generics_piece {
    const char *text; /* in the name, or a literal */
    uint32_t len, next;
};

struct chain {
    uint32_t first, last; /* first is an empty piece: no chain is without one */
};

/* A "`2" that waits for its arguments. */
struct slot {
    uint32_t piece, arity;
};

enum frame_kind { TOP, GROUP, ANGLE, LIST, ARGUMENT };

struct generics_frame {
    enum frame_kind kind;
    struct chain chain; /* of TOP and ARGUMENT */
    size_t owner;       /* the frame whose chain takes what is read here */
    size_t slots, args; /* how many there were when it was opened */
};

struct parse {
    const char *start, *at, *end;
    const char *unlinked; /* [unlinked, at) is read, but in no piece yet */
    struct generics_piece *pieces;
    struct slot *slots; /* a stack; those of the name being read are on top */
    struct chain *args; /* a stack; those of the innermost list are on top */
    struct generics_frame *frames;
    size_t piece_count, piece_cap, slot_count, slot_cap;
    size_t arg_count, arg_cap, frame_count, frame_cap;
};

static struct generics_frame *top(struct parse *p)
{
    return &p->frames[p->frame_count - 1];
}

static uint32_t new_piece(struct parse *p, const char *text, size_t len)
{
    p->pieces = grow(p->pieces, p->piece_count, &p->piece_cap, sizeof(*p->pieces));
    p->pieces[p->piece_count] = (struct generics_piece){.text = text, .len = (uint32_t)len};
    return (uint32_t)p->piece_count++;
}

static uint32_t append(struct parse *p, const char *text, size_t len)
{
    uint32_t piece = new_piece(p, text, len);
    struct chain *chain = &p->frames[top(p)->owner].chain;
    p->pieces[chain->last].next = piece;
    chain->last = piece;
    return piece;
}

/* Link what has been read up to here. */
static void link_text(struct parse *p)
{
    if (p->unlinked < p->at)
        append(p, p->unlinked, (size_t)(p->at - p->unlinked));
    p->unlinked = p->at;
}

static void generics_push(struct parse *p, enum frame_kind kind)
{
    bool own = kind == TOP || kind == ARGUMENT;
    struct generics_frame f = {.kind = kind, .slots = p->slot_count, .args = p->arg_count};
    f.owner = own ? p->frame_count : top(p)->owner;
    if (own)
        f.chain.first = f.chain.last = new_piece(p, "", 0);
    p->frames = grow(p->frames, p->frame_count, &p->frame_cap, sizeof(*p->frames));
    p->frames[p->frame_count++] = f;
}

static void pop(struct parse *p)
{
    p->slot_count = top(p)->slots;
    p->frame_count--;
}

/* What follows is another name: arities so far had no arguments, and stay. */
static void begin_name(struct parse *p)
{
    p->slot_count = top(p)->slots;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static void read_arity(struct parse *p)
{
    const char *digit = p->at + 1;
    uint32_t arity = 0;
    for (; digit < p->end && is_digit(*digit); digit++)
        if (arity < LONGEST_PARSED) /* more than any list has */
            arity = arity * 10 + (uint32_t)(*digit - '0');
    if (arity > 0) {
        link_text(p);
        p->slots = grow(p->slots, p->slot_count, &p->slot_cap, sizeof(*p->slots));
        uint32_t piece = append(p, p->at, (size_t)(digit - p->at));
        p->slots[p->slot_count++] = (struct slot){.piece = piece, .arity = arity};
        p->unlinked = digit;
    }
    p->at = digit;
}

/* Turn a piece of the chain that text goes to into "<A,B>". */
static void write_list(struct parse *p, uint32_t piece, const struct chain *args,
                       size_t count)
{
    struct chain *out = &p->frames[top(p)->owner].chain;
    uint32_t after = p->pieces[piece].next, last = piece;
    bool at_end = out->last == piece;
    p->pieces[piece].text = "<";
    p->pieces[piece].len = 1;
    for (size_t i = 0; i < count; i++) {
        p->pieces[last].next = args[i].first;
        last = new_piece(p, i + 1 < count ? "," : ">", 1);
        p->pieces[args[i].last].next = last;
    }
    p->pieces[last].next = after;
    if (at_end)
        out->last = last;
}

/* Give the arguments to the parts of the name by their arities; if these do not
 * add up (obfuscators drop arities), they stay together at the end of the name. */
static void deal_out(struct parse *p, const struct chain *args, size_t count)
{
    size_t first = top(p)->slots;
    uint64_t sum = 0;
    for (size_t i = first; i < p->slot_count; i++)
        sum += p->slots[i].arity;
    if (sum != count) {
        write_list(p, append(p, "", 0), args, count);
    } else {
        for (size_t i = first; i < p->slot_count; args += p->slots[i].arity, i++)
            write_list(p, p->slots[i].piece, args, p->slots[i].arity);
    }
    begin_name(p);
}

/* Whether "[[" opens a list: it then stands right behind a name. */
static bool opens_list(const struct parse *p)
{
    return p->at > p->start && strchr(" ,[]<>(", p->at[-1]) == NULL && p->end - p->at > 2 &&
           p->at[1] == '[' && p->at[2] != '[' && p->at[2] != ']';
}

static void skip_blanks(struct parse *p)
{
    while (p->at < p->end && *p->at == ' ')
        p->at++;
}

static bool is_at(const struct parse *p, char c)
{
    return p->at < p->end && *p->at == c;
}

/* At the inner "[" of a list: skip it, and the blanks before the type. */
static void open_argument(struct parse *p)
{
    generics_push(p, ARGUMENT);
    p->at++;
    skip_blanks(p);
    p->unlinked = p->at;
}

static void open_bracket(struct parse *p)
{
    if (opens_list(p)) {
        link_text(p);
        generics_push(p, LIST);
        p->at++;
        open_argument(p);
    } else {
        generics_push(p, GROUP);
        p->at++;
    }
}

/* At the second "]" of a list. False if another list follows: whose would it be? */
static bool close_list(struct parse *p)
{
    size_t first = top(p)->args;
    pop(p);
    deal_out(p, p->args + first, p->arg_count - first);
    p->arg_count = first;
    p->unlinked = ++p->at;
    return !is_at(p, '[') || p->end - p->at < 2 || p->at[1] != '[';
}

/* At the "]" behind an argument, or at the comma before its assembly, which goes.
 * Then there is another argument, or the end of the list. */
static bool close_argument(struct parse *p)
{
    link_text(p);
    while (p->at < p->end && *p->at != ']' && *p->at != '[')
        p->at++;
    struct chain type = top(p)->chain;
    if (type.first == type.last || !is_at(p, ']'))
        return false;
    p->at++;
    pop(p);
    p->args = grow(p->args, p->arg_count, &p->arg_cap, sizeof(*p->args));
    p->args[p->arg_count++] = type;

    if (is_at(p, ']'))
        return close_list(p);
    if (!is_at(p, ','))
        return false;
    p->at++;
    skip_blanks(p);
    if (!is_at(p, '['))
        return false;
    open_argument(p);
    return true;
}

static void read_comma(struct parse *p)
{
    begin_name(p);
    p->at++;
    if (top(p)->kind != ANGLE || !is_at(p, ' '))
        return;
    link_text(p);
    skip_blanks(p);
    p->unlinked = p->at;
}

/* Read one thing; false if it cannot stand there. */
static bool read_next(struct parse *p)
{
    enum frame_kind kind = top(p)->kind;
    switch (*p->at) {
    case '`':
        read_arity(p);
        return true;
    case '[':
        open_bracket(p);
        return true;
    case ']':
        if (kind == ARGUMENT)
            return close_argument(p);
        if (kind != GROUP)
            return false;
        pop(p);
        break;
    case '<':
        generics_push(p, ANGLE);
        break;
    case '>':
        if (kind == ANGLE)
            pop(p);
        break;
    case ',':
        if (kind == ARGUMENT)
            return close_argument(p);
        read_comma(p);
        return true;
    case ' ':
        begin_name(p);
        break;
    default:
        break;
    }
    p->at++;
    return true;
}

static bool contains(const char *name, size_t len, const char *two)
{
    for (size_t i = 0; i + 1 < len; i++)
        if (name[i] == two[0] && name[i + 1] == two[1])
            return true;
    return false;
}

/* The text of a chain, over the name that its pieces were cut from. */
static size_t write_back(const struct parse *p, struct chain chain, char *name)
{
    struct text result = {0};
    for (uint32_t i = chain.first; i != chain.last; i = p->pieces[i].next)
        text_add(&result, p->pieces[i].text, p->pieces[i].len);
    text_add(&result, p->pieces[chain.last].text, p->pieces[chain.last].len);

    size_t len = result.len;
    assert(len <= (size_t)(p->end - p->start)); /* a list loses more than it gains */
    memcpy(name, result.data, len);
    text_free(&result);
    return len;
}

size_t generics_write(char *name, size_t len)
{
    if (len > LONGEST_PARSED || (!contains(name, len, "[[") && !contains(name, len, ", ")))
        return len;
    struct parse p = {.start = name, .at = name, .end = name + len, .unlinked = name};
    generics_push(&p, TOP);
    bool ok = true;
    while (ok && p.at < p.end)
        ok = read_next(&p);
    if (ok && p.frame_count == 1) {
        link_text(&p);
        len = write_back(&p, p.frames[0].chain, name);
    }
    free(p.pieces);
    free(p.slots);
    free(p.args);
    free(p.frames);
    return len;
}
