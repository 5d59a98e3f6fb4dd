#include "cli/explore/explore.h"

#include "cli/guard/allocate.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

void *view_new(struct explore *e, const struct view_kind *kind, size_t size)
{
    struct view *v = zeroed(1, size);
    v->kind = kind;
    v->e = e;
    return v;
}

void view_free(struct view *v)
{
    if (v == NULL)
        return;
    if (v->kind->free != NULL)
        v->kind->free(v);
    free(v);
}

struct row view_row(const struct view *v, size_t i)
{
    struct row row = {0};
    v->kind->row(v, i, &row);
    return row;
}

void row_free(struct row *row)
{
    free(row->lead);
    row->lead = NULL;
}

/* --- the cursor ------------------------------------------------------------------ */

static bool is_heading(const struct view *v, size_t i)
{
    struct row row = view_row(v, i);
    row_free(&row);
    return row.is_heading;
}

/* Returns the next row from i on that is not a heading; rows without one. */
static size_t pass_headings(const struct view *v, size_t i, int step)
{
    size_t rows = v->rows;
    while (i < rows && is_heading(v, i))
        i = step > 0 || i > 0 ? i + (size_t)step : rows;
    return i;
}

/* There, or in the other direction; false: all are headings. */
static bool go_past_headings(struct view *v, size_t i, int step)
{
    size_t rows = v->rows, to = pass_headings(v, i, step);
    if (to >= rows)
        to = pass_headings(v, i, -step);
    if (to < rows)
        v->cursor = to;
    return to < rows;
}

void view_go(struct view *v, size_t i)
{
    size_t rows = v->rows;
    i = i < rows ? i : rows - 1;
    if (rows == 0)
        v->cursor = 0;
    else if (!go_past_headings(v, i, 1))
        v->cursor = i;
}

void view_move(struct view *v, long by)
{
    size_t rows = v->rows, i = v->cursor;
    if (rows == 0)
        return;
    if (by < 0)
        i = (size_t)-by < i ? i - (size_t)-by : 0;
    else
        i = (size_t)by < rows - 1 - (i < rows ? i : rows - 1) ? i + (size_t)by : rows - 1;
    go_past_headings(v, i, by < 0 ? -1 : 1);
}

/* --- searching ------------------------------------------------------------------- */

bool view_matches(const struct row *row, const char *text)
{
    size_t len = strlen(text);
    for (int shown = 0; shown < 2; shown++) {
        const char *name = shown ? row->shown : row->name;
        for (; name != NULL && *name != '\0'; name++)
            if (strncasecmp(name, text, len) == 0)
                return true;
    }
    return false;
}

size_t view_find(struct view *v, const char *text, size_t i, int step)
{
    if (v->kind->find != NULL)
        return v->kind->find(v, text, i, step);
    size_t rows = v->rows;
    for (; i < rows; i += (size_t)step) {
        struct row row = view_row(v, i);
        bool found = !row.is_heading && view_matches(&row, text);
        row_free(&row);
        if (found)
            return i;
    }
    return rows;
}

/* --- order --------------------------------------------------------------------- */

const char *view_order(const struct view *v)
{
    bool shows_changes = v->e->model->diff != NULL && !v->e->last;
    return v->kind->orders[v->order][shows_changes];
}

static int view_compare(const void *a, const void *b)
{
    const struct view_slot *x = a, *y = b;
    if (x->is_below != y->is_below)
        return x->is_below ? 1 : -1;
    if (x->key != y->key)
        return x->key < y->key ? 1 : -1;
    int names = strcmp(x->name, y->name);
    return names != 0 ? names : (x->i > y->i) - (x->i < y->i);
}

void view_sort(struct view_slot *all, size_t len)
{
    if (len > 0)
        qsort(all, len, sizeof(*all), view_compare);
}

/* --- words ----------------------------------------------------------------------- */

void print_to(struct hd_sink to, const char *fmt, ...)
{
    char text[512];
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    size_t len = n < 0 ? 0 : (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1;
    if (len > 0)
        to.write(to.context, text, len);
}

static void put_whole(const char *s, struct hd_sink to)
{
    if (s != NULL)
        to.write(to.context, s, strlen(s));
}

void put_said(struct hd_sink to, const char *format, const struct cell *parts)
{
    for (const char *end; (end = strstr(format, "{}")) != NULL; format = end + 2) {
        to.write(to.context, format, (size_t)(end - format));
        cell_print(parts++, to);
    }
    put_whole(format, to);
}

struct cell cell_change(enum cell_kind kind, uint64_t first, uint64_t last)
{
    bool same = first == HD_UNKNOWN || last == HD_UNKNOWN || first == last;
    enum look look = same ? LOOK_PLAIN : last > first ? LOOK_GROWN : LOOK_SHRUNK;
    return (struct cell){.kind = kind, .look = look, .a = first, .b = last};
}

/* --- lists of the report ---------------------------------------------------------- */

static size_t bars_of(const struct explore *e)
{
    enum { FEW = 16, WIDE = 140 };
    size_t count = e->model->snapshot_count;
    return count > FEW && e->width < WIDE ? FEW : count;
}

size_t view_list_columns(const struct explore *e, enum hd_list list, struct hd_column *all)
{
    enum { MIN_BARS = 5, MAX_BARS = 16 };
    unsigned bars = (unsigned)bars_of(e);
    size_t count = hd_list_columns(e->model, list, all);
    for (size_t i = 0; i < count; i++)
        if (all[i].kind == HD_CELL_TREND)
            all[i].width = bars < MIN_BARS ? MIN_BARS : bars > MAX_BARS ? MAX_BARS : bars;
    return count;
}

static struct cell cell_of(const struct explore *e, struct hd_cell c)
{
    switch (c.kind) {
    case HD_CELL_COUNT:
        return COUNT(c.a);
    case HD_CELL_SIZE:
        return BYTES(c.a);
    case HD_CELL_COUNT_CHANGE:
        return cell_change(CELL_COUNT_CHANGE, c.a, c.b);
    case HD_CELL_SIZE_CHANGE:
        return cell_change(CELL_SIZE_CHANGE, c.a, c.b);
    case HD_CELL_FROM_TO:
        return FROM_TO(c.a, c.b);
    case HD_CELL_SHARE:
    case HD_CELL_BAR:
        return (struct cell){.kind = c.share != c.share        ? CELL_NONE
                                     : c.kind == HD_CELL_SHARE ? CELL_PERCENT
                                                               : CELL_BAR,
                             .look = LOOK_DIM,
                             .share = c.share};
    case HD_CELL_TREND:
        return (struct cell){
            .kind = CELL_TREND, .a = e->model->snapshot_count, .b = bars_of(e), .trend = c};
    case HD_CELL_OBJECT:
        return c.a != 0 || c.b == HD_NO_OBJECT
                   ? ADDRESS(c.a)
                   : (struct cell){.kind = CELL_NUMBER, .look = LOOK_DIM, .a = c.b};
    case HD_CELL_WORD:
        return WORD(c.text);
    case HD_CELL_TYPE:
    case HD_CELL_TITLE:
        return NAMED(hd_type_is_framework(c.text) ? LOOK_DIM : LOOK_PLAIN,
                     hd_report_shown(e->report, c.text));
    default:
        return (struct cell){0};
    }
}

void view_list_cells(const struct explore *e, enum hd_list list, const void *of,
                     struct row *row)
{
    struct hd_column all[HD_MAX_COLUMNS];
    size_t count = hd_list_columns(e->model, list, all);
    for (size_t i = 0; i < count; i++)
        if (all[i].cell != NULL)
            row->cells[i] = cell_of(e, all[i].cell(e->model, of));
}

void print_owner(const char *name, unsigned columns, struct hd_sink to)
{
    struct hd_memory text = {0};
    hd_put_short_type(hd_sink_memory(&text), name);
    if (text.bytes != NULL && grid_columns(text.bytes) > columns) {
        text.size = 0;
        put_whole("[static var …", hd_sink_memory(&text));
        if (hd_put_static_field(hd_sink_memory(&text), name)) {
            put_whole("]", hd_sink_memory(&text));
        } else {
            text.size = 0;
            hd_put_type(hd_sink_memory(&text), name, columns);
        }
    }
    put_whole(text.bytes, to);
    hd_memory_free(&text);
}

/* Eighths of a column. */
static void print_bar(double share, struct hd_sink to)
{
    static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    enum { BAR = 8, EIGHTHS = 8 };
    unsigned filled = (unsigned)((share < 1 ? share : 1) * BAR * EIGHTHS + 0.5);
    for (unsigned i = 0; i < filled / EIGHTHS; i++)
        print_to(to, "█");
    print_to(to, "%s", eighths[filled % EIGHTHS]);
}

static void print_trend(const struct cell *c, struct hd_sink to)
{
    struct hd_tally at[HD_MAX_SNAPSHOTS];
    size_t n = hd_cell_trend(&c->trend, c->a, at), bars = c->b < n ? c->b : n;
    hd_put_trend(to, at + (n - bars), bars);
}

static void print_address(uint64_t address, struct hd_sink to)
{
    if (address == 0)
        print_to(to, "-");
    else
        print_to(to, "0x%" PRIx64, address);
}

void cell_print(const struct cell *c, struct hd_sink to)
{
    switch (c->kind) {
    case CELL_NONE:
        break;
    case CELL_COUNT:
        hd_put_count(to, c->a);
        break;
    case CELL_SIZE:
        hd_put_size(to, c->a);
        break;
    case CELL_COUNT_CHANGE:
        hd_put_count_change(to, c->a, c->b);
        break;
    case CELL_SIZE_CHANGE:
        hd_put_size_change(to, c->a, c->b);
        break;
    case CELL_FROM_TO:
        hd_put_count(to, c->a);
        put_whole(" → ", to);
        hd_put_count(to, c->b);
        break;
    case CELL_PERCENT:
        hd_put_share(to, c->share);
        break;
    case CELL_BAR:
        print_bar(c->share, to);
        break;
    case CELL_OTHERS:
        put_whole("[", to);
        hd_put_count(to, c->a);
        put_whole(c->a == 1 ? " other]" : " others]", to);
        break;
    case CELL_TREND:
        print_trend(c, to);
        break;
    case CELL_ADDRESS:
        print_address(c->a, to);
        break;
    case CELL_NUMBER:
        print_to(to, "%" PRIu64, c->a);
        break;
    case CELL_WORD:
        put_whole(c->text, to);
        break;
    case CELL_SHORT:
        hd_put_short_type(to, c->text);
        break;
    case CELL_NAME:
    case CELL_OWNER:
        hd_put_name(to, c->text);
        break;
    }
}

void cell_print_exact(const struct cell *c, struct hd_sink to)
{
    bool is_known = c->a != HD_UNKNOWN && c->b != HD_UNKNOWN;
    switch (c->kind) {
    case CELL_COUNT:
    case CELL_SIZE:
        if (is_known)
            cell_print(&NUMBER(c->a), to);
        break;
    case CELL_COUNT_CHANGE:
    case CELL_SIZE_CHANGE:
        if (is_known)
            PUT(to, c->b < c->a ? "-{}" : "{}",
                NUMBER(c->b < c->a ? c->a - c->b : c->b - c->a));
        break;
    case CELL_FROM_TO:
        if (c->b != HD_UNKNOWN)
            cell_print(&NUMBER(c->b), to);
        break;
    case CELL_ADDRESS:
        if (c->a != 0)
            print_address(c->a, to);
        break;
    default:
        cell_print(c, to);
    }
}

static unsigned value_columns(enum cell_kind kind, const struct hd_tally *at)
{
    struct hd_memory text = {0};
    PUT(hd_sink_memory(&text), "{}", (struct cell){.kind = kind, .a = at->count});
    unsigned columns = grid_columns(text.bytes);
    hd_memory_free(&text);
    return columns;
}

/* Returns the first of the last values that fit after the first one. */
static size_t first_that_fits(const struct hd_tally *at, size_t count, enum cell_kind kind,
                              unsigned columns)
{
    enum { BETWEEN = 2, GAP = 3 };
    unsigned first = count > 0 ? value_columns(kind, at) : 0, all = first;
    for (size_t k = 1; k < count; k++)
        all += BETWEEN + value_columns(kind, &at[k]);
    if (all <= columns || count < 3)
        return 1;
    size_t from = count - 1;
    unsigned used = first + GAP + BETWEEN + value_columns(kind, &at[from]);
    while (from > 2 && used + BETWEEN + value_columns(kind, &at[from - 1]) <= columns)
        used += BETWEEN + value_columns(kind, &at[--from]);
    return from;
}

void print_values(const struct hd_tally *at, size_t count, enum cell_kind kind,
                  unsigned columns, struct hd_sink to)
{
    size_t from = first_that_fits(at, count, kind, columns);
    for (size_t k = 0; k < count; k = k == 0 ? from : k + 1) {
        PUT(to,
            k == 0                  ? "{}"
            : k == from && from > 1 ? "  …  {}"
                                    : "  {}",
            (struct cell){.kind = kind, .a = at[k].count});
    }
}

void print_counts(const struct hd_tally *at, size_t count, unsigned columns,
                  struct hd_sink to)
{
    print_values(at, count, CELL_COUNT, columns, to);
}

bool put_address(const struct explore *e, uint32_t number, struct hd_sink to)
{
    struct hd_object o;
    if (!hd_object(e->objects, number, &o) || o.kind != HD_OBJECT)
        return false;
    PUT(to, o.address != 0 ? "{}" : "#{}",
        o.address != 0 ? ADDRESS(o.address) : NUMBER(number));
    return true;
}

void put_progress(const struct explore *e, unsigned wanted, struct hd_sink to)
{
    static const struct {
        unsigned part;
        const char *words;
    } parts[] = {{HD_OBJECTS_GRAPH, "reading the graph"},
                 {HD_OBJECTS_OF_TYPES, "finding the objects of types"},
                 {HD_OBJECTS_CHAINS, "finding chains"},
                 {HD_OBJECTS_REFERRERS, "finding references"}};
    if (e->objects == NULL)
        return;
    struct hd_objects_progress p = hd_objects_progress(e->objects);
    struct hd_error err = {0};
    if ((p.ready & wanted) == wanted)
        return;
    if (p.making == 0 && !hd_objects_whole(e->objects, &err)) {
        hd_put_name(to, err.message);
        return;
    }
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        if (parts[i].part == p.making)
            PUT(to, "{}: {} %", WORD(parts[i].words), NUMBER(p.percent));
}
