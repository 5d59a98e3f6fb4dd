/* draw_head.h - what stands above a list: the verdict where the browser opens, one line of
 * it elsewhere; then the panes. */
#ifndef EXPLORE_DRAW_HEAD_H
#define EXPLORE_DRAW_HEAD_H

#include "cli/explore/explore.h"

/* Put it above line `end`, where the list ends, and leave room for a few rows. Gives the
 * line behind the panes. */
unsigned head_draw(struct explore *e, struct grid *g, unsigned end);

#endif
