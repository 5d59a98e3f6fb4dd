/* unmatched.h - what was meant by the pattern of a budget that matches nothing.
 *
 * A budget for "contoso.*" passes for ever where the types are Contoso.Orders.Order; so who
 * wrote it is told what is there. It guesses, and decides nothing. */
#ifndef UNMATCHED_H
#define UNMATCHED_H

#include "budget/budgets.h"
#include "budget/evidence.h"

/* For each rule of b for types or holders that matches none in the evidence, the pattern
 * that would be right, in a; else NULL. Only the first few of them are looked at. */
void unmatched_find(const char **meant, const struct hd_budgets *b,
                    const struct evidence *e, struct arena *a);

#endif
