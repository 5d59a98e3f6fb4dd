/* A line of numbers over time as SVG, without scripts: for rows that are compared. The
 * numbers are beside it in words, so a reader who cannot see it misses nothing. It does not
 * know what the numbers are of. */
#include "base/c_locale.h"
#include "render/page/page.h"

#include <math.h>

enum { WIDE = 160, HIGH = 40, MARGIN = 3 };

struct plane {
    double x0, x1, most;
};

static void put_point(struct out *o, const struct plane *p, double x, double y)
{
    char point[80];
    double right = p->x1 > p->x0 ? (x - p->x0) / (p->x1 - p->x0) : 0.5;
    double up = p->most > 0 ? y / p->most : 0;
    c_snprintf(point, sizeof(point), "%.1f,%.1f ", MARGIN + right * (WIDE - 2 * MARGIN),
               HIGH - MARGIN - up * (HIGH - 2 * MARGIN));
    out_string(o, point);
}

/* What is unknown is a gap. */
static void put_lines(struct out *o, const struct doc_chart *c, const struct plane *p)
{
    bool in_line = false;
    for (size_t k = 0; k < c->len; k++) {
        if (isnan(c->y[k])) {
            out_string(o, in_line ? "\"/>" : "");
            in_line = false;
            continue;
        }
        out_string(o, in_line ? "" : "<polyline points=\"");
        in_line = true;
        put_point(o, p, c->x[k], c->y[k]);
    }
    out_string(o, in_line ? "\"/>" : "");
}

/* Down to zero: sizes of two charts are compared by their height. */
static void put_area(struct out *o, const struct doc_chart *c, const struct plane *p)
{
    out_string(o, "<polygon points=\"");
    put_point(o, p, p->x0, 0);
    for (size_t k = 0; k < c->len; k++)
        if (!isnan(c->y[k]))
            put_point(o, p, c->x[k], c->y[k]);
    put_point(o, p, p->x1, 0);
    out_string(o, "\"/>");
}

void page_chart(struct out *o, const struct doc_chart *c)
{
    if (c->len == 0)
        return;
    const struct plane p = {c->x[0], c->x[c->len - 1], c->most};
    out_printf(o,
               "<svg class=\"multiple\" viewBox=\"0 0 %d %d\" aria-hidden=\"true\" "
               "focusable=\"false\">",
               WIDE, HIGH);
    put_area(o, c, &p);
    put_lines(o, c, &p);
    out_string(o, "</svg>");
}
