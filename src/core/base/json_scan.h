/* json_scan.h - read JSON in the order of its bytes, without making anything of it.
 *
 * For files with a million numbers: jansson allocates for each, which takes twenty times as
 * long. Whoever reads says what comes next; what is something else, or no JSON, is the
 * scanner's first failure. After that every read returns nothing, as of a cursor. */
#ifndef JSON_SCAN_H
#define JSON_SCAN_H

#include "base/cursor.h"
#include "base/text.h"

struct json_scan {
    struct cursor at;
    struct text string; /* the last one that was read */
};

struct json_scan json_scan_over(struct bytes bytes, struct hd_error *err);
void json_scan_free(struct json_scan *j);

/* Enter an object or array: what comes next has to be its bracket, '{' or '['. Then, before
 * each member or element, json_scan_more() with the bracket that ends it: true if there is
 * one; false behind the end, or after a failure. first is true once. */
bool json_scan_enter(struct json_scan *j, char bracket);
bool json_scan_more(struct json_scan *j, char end, bool first);

/* The name of a member, in j->string; and the colon. */
bool json_scan_name(struct json_scan *j);

/* A whole number from 0 to 2^64 - 2, or null as HD_UNKNOWN. */
uint64_t json_scan_number(struct json_scan *j);

/* Behind an element that was such a number, in an array: further ones into `to`, as many as
 * there is room for, up to one that is written in another way. Three times as fast as one
 * by one; the number of them. */
size_t json_scan_numbers(struct json_scan *j, uint64_t *to, size_t room);

/* Any number; NAN for null. */
double json_scan_real(struct json_scan *j);

/* A string as UTF-8 in j->string; false for null, too. */
bool json_scan_string(struct json_scan *j);

bool json_scan_truth(struct json_scan *j);

/* Leave out a value, whatever it is; 64 levels deep at most. */
void json_scan_skip(struct json_scan *j);

/* Nothing but blanks is left. */
bool json_scan_end(struct json_scan *j);

static inline bool json_scan_ok(const struct json_scan *j)
{
    return cursor_ok(&j->at);
}

#endif
