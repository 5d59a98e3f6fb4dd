#include "heap/survivor_map.h"

#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* --- runs ---------------------------------------------------------------------- */

static void put_varint(struct text *to, uint64_t n)
{
    for (; n >= 0x80; n >>= 7)
        text_add_char(to, (char)(n | 0x80));
    text_add_char(to, (char)n);
}

struct survivor_map survivor_map_write(const struct survivor_side *older,
                                       const struct survivor_side *newer,
                                       const uint32_t *older_of, struct arena *a)
{
    struct survivor_map map = {.older = *older, .newer = *newer};
    struct survivor_run before = {0}, run;
    struct text runs = {0};
    for (uint32_t i = 0; i < newer->objects; i += run.count) {
        run = (struct survivor_run){older_of[i], i, 1};
        if (run.older == UINT32_MAX)
            continue;
        while (run.count < newer->objects - i &&
               older_of[i + run.count] == run.older + run.count)
            run.count++;
        int64_t step = (int64_t)run.older - (int64_t)before.older;
        put_varint(&runs, run.newer - before.newer);
        put_varint(&runs, step < 0 ? ((uint64_t)-step << 1) - 1 : (uint64_t)step << 1);
        put_varint(&runs, run.count - 1);
        before = (struct survivor_run){run.older + run.count, i + run.count, 0};
        map.survivors += run.count;
    }
    if (runs.len > 0)
        map.runs = (unsigned char *)arena_strdup(a, runs.data, runs.len);
    map.size = runs.len;
    text_free(&runs);
    return map;
}

/* False at the end of the map, or for more than 63 bits. */
static bool parse_varint(struct survivor_map_reader *r, uint64_t *n)
{
    *n = 0;
    for (unsigned shift = 0; shift < 63 && r->at < r->map->size; shift += 7) {
        unsigned char byte = r->map->runs[r->at++];
        *n |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80)
            return true;
    }
    return false;
}

bool survivor_map_next(struct survivor_map_reader *r, struct survivor_run *run,
                       bool *damaged)
{
    uint64_t gap, step, more;
    *damaged = false;
    if (r->at == r->map->size)
        return false;
    *damaged = true;
    if (!parse_varint(r, &gap) || !parse_varint(r, &step) || !parse_varint(r, &more))
        return false;
    uint64_t older =
        step & 1 ? r->next.older - ((step >> 1) + 1) : r->next.older + (step >> 1);
    uint64_t newer = r->next.newer + gap;
    const struct survivor_map *t = r->map;
    if (gap > UINT32_MAX || newer >= t->newer.objects || older >= t->older.objects ||
        more >= t->newer.objects - newer || more >= t->older.objects - older)
        return false;
    *run = (struct survivor_run){(uint32_t)older, (uint32_t)newer, (uint32_t)more + 1};
    r->next = (struct survivor_run){run->older + run->count, run->newer + run->count, 0};
    *damaged = false;
    return true;
}

/* --- text ---------------------------------------------------------------------- */

static const char digits[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static size_t parse_base64(const char *text, size_t len, unsigned char *to)
{
    uint32_t group = 0;
    size_t size = 0, bits = 0;
    for (size_t i = 0; i < len; i++) {
        const char *digit = text[i] != '\0' ? strchr(digits, text[i]) : NULL;
        if (digit == NULL)
            return SIZE_MAX;
        group = group << 6 | (uint32_t)(digit - digits);
        bits += 6;
        if (bits < 8)
            continue;
        bits -= 8;
        to[size++] = (unsigned char)(group >> bits);
    }
    return size;
}

/* 01234567.. of the older, its objects; the same of the newer; survivors. */
#define NUMBERS "%016" PRIx64 " %" PRIu32 " %016" PRIx64 " %" PRIu32 " %" PRIu32 " "

void survivor_map_put(const struct survivor_map *map, struct text *to)
{
    char numbers[96];
    snprintf(numbers, sizeof(numbers), NUMBERS, map->older.token, map->older.objects,
             map->newer.token, map->newer.objects, map->survivors);
    text_add_string(to, numbers);
    /* RFC 4648, without the padding. */
    for (size_t i = 0; i < map->size; i += 3) {
        size_t left = map->size - i < 3 ? map->size - i : 3;
        uint32_t group = 0;
        for (size_t k = 0; k < left; k++)
            group |= (uint32_t)map->runs[i + k] << (16 - 8 * k);
        for (size_t k = 0; k <= left; k++)
            text_add_char(to, digits[group >> (18 - 6 * k) & 63]);
    }
}

/* Parses a number in this base and the blank after it; advances *text. */
static bool parse_number(const char **text, const char *end, unsigned base, uint64_t most,
                         uint64_t *n)
{
    static const char hex[] = "0123456789abcdef";
    const char *begin = *text, *digit;
    *n = 0;
    for (; *text < end && **text != ' '; (*text)++) {
        digit = **text != '\0' ? strchr(hex, **text) : NULL;
        if (digit == NULL || digit - hex >= base || *n > most / base)
            return false;
        *n = *n * base + (uint64_t)(digit - hex);
    }
    return *text > begin && *text < end && *(*text)++ == ' ' && *n <= most;
}

static bool parse_side(const char **text, const char *end, struct survivor_side *side)
{
    uint64_t objects;
    bool ok = parse_number(text, end, 16, UINT64_MAX, &side->token) &&
              parse_number(text, end, 10, UINT32_MAX, &objects);
    side->objects = ok ? (uint32_t)objects : 0;
    return ok;
}

struct survivor_map *survivor_map_parse(const char *text, size_t len, struct arena *a)
{
    struct survivor_map map = {.survivors = 0};
    const char *end = text + len;
    uint64_t survivors;
    if (!parse_side(&text, end, &map.older) || !parse_side(&text, end, &map.newer) ||
        !parse_number(&text, end, 10, UINT32_MAX, &survivors))
        return NULL;
    size_t left = (size_t)(end - text);
    unsigned char *runs = arena_alloc(a, left / 4 * 3 + 3);
    map.survivors = (uint32_t)survivors;
    map.runs = runs;
    map.size = parse_base64(text, left, runs);
    if (map.size == SIZE_MAX || map.survivors > map.older.objects ||
        map.survivors > map.newer.objects)
        return NULL;
    struct survivor_map *kept = arena_alloc(a, sizeof(*kept));
    *kept = map;
    return kept;
}

/* --- why survivors are unknown ------------------------------------------------- */

static const struct {
    const char *name, *words;
} reasons[HD_SURVIVORS_UNKNOWN_COUNT] = {
    [HD_SURVIVORS_UNKNOWN_REFUSED] = {"refused", "the process opened no session for it"},
    [HD_SURVIVORS_UNKNOWN_ENDED] = {"ended", "the process ended the session"},
    [HD_SURVIVORS_UNKNOWN_TOO_MUCH] =
        {"too-much",
         "its GC moves more objects than can be reported without slowing it down"},
    [HD_SURVIVORS_UNKNOWN_LOST] = {"lost-events", "the process lost events"},
    [HD_SURVIVORS_UNKNOWN_GAPS] = {"gaps", "the GC events of the process have gaps"},
    [HD_SURVIVORS_UNKNOWN_MISPLACED] =
        {"misplaced", "objects are not at the addresses of the GC events"},
    [HD_SURVIVORS_UNKNOWN_RESTARTED] = {"restarted", "it is another process"},
    [HD_SURVIVORS_UNKNOWN_INCOMPLETE] = {"incomplete",
                                         "this snapshot or the previous one is incomplete"},
    [HD_SURVIVORS_UNKNOWN_SILENT] = {
        "silent", "the runtime does not report survivors (Native AOT never does)"}};

const char *hd_survivors_unknown_name(enum hd_survivors_unknown why)
{
    return (unsigned)why < HD_SURVIVORS_UNKNOWN_COUNT ? reasons[why].name : NULL;
}

const char *hd_survivors_unknown_words(enum hd_survivors_unknown why)
{
    return (unsigned)why < HD_SURVIVORS_UNKNOWN_COUNT ? reasons[why].words : NULL;
}

enum hd_survivors_unknown survivors_unknown_named(const char *name, size_t len)
{
    for (int i = HD_SURVIVORS_UNKNOWN_NONE + 1; i < HD_SURVIVORS_UNKNOWN_COUNT; i++)
        if (strlen(reasons[i].name) == len && memcmp(reasons[i].name, name, len) == 0)
            return (enum hd_survivors_unknown)i;
    return HD_SURVIVORS_UNKNOWN_NONE;
}
