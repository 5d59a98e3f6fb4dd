/* Names from another snapshot of the process: matching ids, merged rows, and the validity
 * of their sums. Traces that need it are in test_read_nettrace.c. */
#include "heap/borrow.h"

#include "support/forge.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

enum { PID = 4242 };

/* A snapshot that has the names of ids, or ids instead of names. */
static struct hd_snapshot *finish(struct forge *f)
{
    struct hd_snapshot *snap = forge_finish(f);
    snap->info.pid = PID;
    snap->info.path = "other";
    return snap;
}

static struct hd_snapshot *lender_of(const struct type_name *names, size_t count)
{
    struct forge f = {0};
    forge_row(&f, "App.Lender", 1, 24);
    struct hd_snapshot *snap = finish(&f);
    snap->type_names = arena_array(&snap->arena, struct type_name, count);
    if (count > 0)
        memcpy(snap->type_names, names, count * sizeof(*names));
    snap->type_name_count = count;
    return snap;
}

static uint64_t warned(const struct hd_snapshot *snap, enum warning_code code)
{
    const struct warning *w = warnings_find(&snap->warnings, code);
    return w != NULL ? w->count : 0;
}

static struct hd_snapshot *borrower(struct forge *f, unsigned unnamed)
{
    struct hd_snapshot *snap = finish(f);
    for (unsigned i = 0; i < unnamed; i++)
        warnings_add(&snap->warnings, WARN_UNKNOWN_TYPE, 0);
    return snap;
}

static void lend(struct hd_snapshot *snap, const struct type_name *names, size_t count)
{
    struct hd_snapshot *all[] = {lender_of(names, count), snap};
    snapshots_borrow_names(all, 2);
    hd_snapshot_close(all[0]);
}

/* --- which names are ids --------------------------------------------------------- */

static const struct type_name box = {0x10, "App.Box"};

Test(borrow, only_what_is_spelled_as_an_id_is_named_by_it)
{
    static const struct {
        bool pseudo;
        const char *name, *becomes;
    } cases[] = {
        {false, "UNKNOWN 0x10", "App.Box"},
        {false, "UNKNOWN 0x0000000000000010", "App.Box"},
        {false, "UNKNOWN 0x00000000000000010", NULL}, /* more than 64 bits */
        {false, "UNKNOWN 0x", NULL},
        {false, "UNKNOWN 0xG", NULL},
        {false, "UNKNOWN 0x10z", NULL},
        {false, "UNKNOWN 0x11", NULL}, /* an unknown id */
        {false, "UNKNOWN 0xf", NULL},
        {false, "[static var Type(0x10).s_x]", NULL},
        {true, "[static var Type(0x10).s_x]", "[static var App.Box.s_x]"},
        {true, "[static var Type(0x10.s_x]", NULL},
        {true, "[static var Type(0x).s_x]", NULL},
        {true, "[static var Type(0x11).s_x]", NULL},
        {true, "UNKNOWN 0x10", NULL},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct forge f = {0};
        enum type_kind kind = cases[i].pseudo ? TYPE_PSEUDO : TYPE_OBJECT;
        if (cases[i].pseudo)
            forge_pseudo(&f, cases[i].name);
        else
            forge_object(&f, cases[i].name, 24);
        struct hd_snapshot *snap = borrower(&f, 1);
        bool named = cases[i].becomes != NULL;
        lend(snap, &box, 1);
        cr_expect_not_null(forge_type(snap, kind, named ? cases[i].becomes : cases[i].name),
                           "%s", cases[i].name);
        cr_expect_eq(warned(snap, WARN_NAMES_BORROWED), named && !cases[i].pseudo, "%s",
                     cases[i].name);
        hd_snapshot_close(snap);
    }
}

/* Files of other tools have no process id; a program is loaded at another address each
 * time. */
Test(borrow, a_number_in_the_same_image_is_an_id)
{
    static const struct type_name image_box = {0x560000001010, "App.Box"};
    static const struct {
        uint64_t own, lenders;
        bool lends;
    } cases[] = {{0x560000001000, 0x560000001000, true},
                 {0x560000001000, 0x560000002000, false},
                 {0x560000002000, 0x560000001000, false},
                 {0, 0, false},
                 {0, 0x560000001000, false}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct forge f = {0};
        forge_object(&f, "Type(0x10)", 24);
        forge_object(&f, "App.Box", 32);
        struct hd_snapshot *all[] = {lender_of(&image_box, 1), borrower(&f, 1)};
        all[0]->info.pid = all[1]->info.pid = HD_UNKNOWN;
        all[0]->image_base = cases[i].lenders;
        all[1]->image_base = cases[i].own;
        snapshots_borrow_names(all, 2);
        const struct type *row = forge_type(all[1], TYPE_OBJECT, "App.Box");
        cr_expect_eq(row->raw.count, cases[i].lends ? 2 : 1);
        cr_expect_eq(warned(all[1], WARN_UNKNOWN_TYPE), !cases[i].lends);
        hd_snapshot_close(all[0]);
        hd_snapshot_close(all[1]);
    }
}

Test(borrow, the_lender_is_of_the_same_process_and_reported)
{
    static const struct {
        uint64_t pid;
        const char *process, *own;
        bool lends;
    } cases[] = {
        {PID, NULL, NULL, true},         {PID, "shop", NULL, true},
        {PID, NULL, "shop", true},       {PID, "shop", "shop", true},
        {PID, "shop", "store", false},   {PID + 1, "shop", "shop", false},
        {HD_UNKNOWN, NULL, NULL, false},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct forge f = {0};
        forge_object(&f, "UNKNOWN 0x10", 24);
        struct hd_snapshot *all[] = {borrower(&f, 1), lender_of(&box, 1)};
        all[0]->info.process = cases[i].own;
        all[1]->info.process = cases[i].process;
        all[1]->info.pid = cases[i].pid;
        snapshots_borrow_names(all, 2);
        const struct warning *w = warnings_find(&all[0]->warnings, WARN_NAMES_BORROWED);
        cr_expect_eq(w != NULL, cases[i].lends, "case %zu", i);
        if (w != NULL)
            cr_expect_not_null(strstr(w->detail, "names taken from other"), "%s",
                               w->detail);
        cr_expect_eq(warned(all[0], WARN_UNKNOWN_TYPE), !cases[i].lends, "case %zu", i);
        hd_snapshot_close(all[0]);
        hd_snapshot_close(all[1]);
    }
}

/* Two processes without an id are not known to be the same. */
Test(borrow, unknown_processes_are_not_the_same)
{
    struct forge f = {0};
    forge_object(&f, "UNKNOWN 0x10", 24);
    struct hd_snapshot *all[] = {borrower(&f, 1), lender_of(&box, 1)};
    all[0]->info.pid = all[1]->info.pid = HD_UNKNOWN;
    snapshots_borrow_names(all, 2);
    cr_expect_not_null(forge_type(all[0], TYPE_OBJECT, "UNKNOWN 0x10"));
    hd_snapshot_close(all[0]);
    hd_snapshot_close(all[1]);
}

/* --- rows that become one -------------------------------------------------------- */

Test(borrow, bytes_are_unknown_if_those_of_a_part_are)
{
    static const struct {
        uint64_t named, unnamed, sum;
    } cases[] = {{24, 40, 64},
                 {HD_UNKNOWN, 40, HD_UNKNOWN},
                 {24, HD_UNKNOWN, HD_UNKNOWN},
                 {HD_UNKNOWN, HD_UNKNOWN, HD_UNKNOWN}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct forge f = {0};
        forge_row(&f, "App.Box", 1, cases[i].named);
        forge_row(&f, "UNKNOWN 0x10", 2, cases[i].unnamed);
        struct hd_snapshot *snap = borrower(&f, 1);
        lend(snap, &box, 1);
        const struct type *row = forge_type(snap, TYPE_OBJECT, "App.Box");
        cr_assert_not_null(row);
        cr_expect_eq(row->raw.count, 3);
        cr_expect_eq(row->raw.bytes, cases[i].sum, "case %zu", i);
        cr_expect_eq(row->tally[SELECT_ALL].count, 3);
        cr_expect_eq(row->tally[SELECT_ALL].bytes, cases[i].sum, "case %zu", i);
        cr_expect_eq(snap->info.types, 1);
        hd_snapshot_close(snap);
    }
}

/* Generations known for the named row, the other, both, or neither. */
Test(borrow, generations_are_those_of_all_parts)
{
    for (unsigned which = 0; which < 4; which++) {
        struct forge f = {0};
        node_id named = forge_object(&f, "App.Box", 24),
                unnamed = forge_object(&f, "UNKNOWN 0x10", 40),
                other = forge_object(&f, "App.Other", 16);
        forge_generation(&f, other, HD_GEN0);
        if (which & 1)
            forge_generation(&f, named, HD_GEN1);
        if (which & 2)
            forge_generation(&f, unnamed, HD_GEN2);
        struct hd_snapshot *snap = borrower(&f, 1);
        lend(snap, &box, 1);
        const struct type *row = forge_type(snap, TYPE_OBJECT, "App.Box");
        const struct hd_tally *g = row->by_generation;
        cr_expect_eq(g != NULL ? g[HD_GEN1].bytes : 0, which & 1 ? 24 : 0, "%u", which);
        cr_expect_eq(g != NULL ? g[HD_GEN2].bytes : 0, which & 2 ? 40 : 0, "%u", which);
        cr_expect_eq(snap->graph->type[named], snap->graph->type[unnamed]);
        cr_expect_eq(row->raw.bytes, 64);
        hd_snapshot_close(snap);
    }
}

/* Rows of static variables have no objects and do not count as types. */
Test(borrow, static_variables_with_the_same_name_are_merged)
{
    struct forge f = {0};
    node_id object = forge_object(&f, "App.Box", 24);
    node_id first = forge_pseudo(&f, "[static var App.Box.s_x]"),
            second = forge_pseudo(&f, "[static var Type(0x10).s_x]");
    forge_reference(&f, first, object);
    forge_reference(&f, second, object);
    struct hd_snapshot *snap = borrower(&f, 1);
    uint64_t types = snap->info.types;
    lend(snap, &box, 1);
    cr_expect_eq(snap->graph->type[first], snap->graph->type[second]);
    cr_expect_eq(snap->info.types, types);
    cr_expect_eq(warned(snap, WARN_UNKNOWN_TYPE), 1, "no type of an object was named");
    hd_snapshot_close(snap);
}

/* A placeholder name of the file's reader, without objects, is not a named type. */
Test(borrow, a_row_without_objects_is_named_but_not_counted)
{
    struct forge f = {0};
    forge_row(&f, "App.Box", 1, 24);
    forge_row(&f, "UNKNOWN 0x10", 0, 0);
    struct hd_snapshot *snap = borrower(&f, 1);
    lend(snap, &box, 1);
    cr_expect_eq(snap->info.types, 1);
    cr_expect_eq(warned(snap, WARN_NAMES_BORROWED), 0);
    cr_expect_eq(forge_type(snap, TYPE_OBJECT, "App.Box")->raw.count, 1);
    hd_snapshot_close(snap);
}

/* --- many ------------------------------------------------------------------------ */

enum { MANY = 3000 };

static void spell(char name[32], const char *format, unsigned i)
{
    snprintf(name, 32, format, i);
}

/* A third already have a row with their name. */
Test(borrow, thousands_of_types_are_named)
{
    static char spelled[MANY][32];
    static struct type_name names[MANY];
    struct forge f = {0};
    char name[32];
    for (unsigned i = 0; i < MANY; i++) {
        spell(spelled[i], "App.Type%u", i);
        names[i] = (struct type_name){0x1000 + i, spelled[i]};
        spell(name, "UNKNOWN 0x%x", 0x1000 + i);
        forge_row(&f, name, 1, 24);
        spell(name, "App.%u.Known", i);
        forge_row(&f, name, 1, 8);
        if (i % 3 == 0)
            forge_row(&f, spelled[i], 1, 40);
    }
    struct hd_snapshot *snap = borrower(&f, MANY);
    lend(snap, names, MANY);
    cr_expect_eq(warned(snap, WARN_NAMES_BORROWED), MANY);
    cr_expect_eq(warned(snap, WARN_UNKNOWN_TYPE), 0);
    cr_expect_eq(snap->info.types, 2 * MANY);
    for (type_id t = 0, i = 0; t < snap->type_count; t++) {
        if (strncmp(snap->types[t].name, "App.Type", 8) != 0 ||
            snap->types[t].raw.count == 0)
            continue;
        bool merged = snap->types[t].raw.count == 2;
        cr_assert_eq(snap->types[t].raw.bytes, merged ? 64 : 24, "%s", snap->types[t].name);
        i++;
        cr_assert_leq(i, MANY);
    }
    hd_snapshot_close(snap);
}
