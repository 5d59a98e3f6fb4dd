/* made_fields.h - a small heap whose objects have fields and values, as in a core dump,
 * and static variables: for tests about one object.
 *
 * A static dictionary of entries holds two customers. The first has a field of every kind,
 * and refers to itself, to a hostile name, and to an array of ten million bytes. Two lost
 * nodes refer to each other. */
#ifndef MADE_FIELDS_H
#define MADE_FIELDS_H

#include "support/forge.h"

/* Numbers of the objects. */
enum made_object {
    MADE_ENTRIES,
    MADE_CUSTOMER,
    MADE_OTHER,
    MADE_NAME, /* 12 units: "a\"b\\c", ESC, newline, '|', half a pair, NUL, a whole pair */
    MADE_LONG, /* a million units */
    MADE_BYTES,
    MADE_LOST,
    MADE_LOST_TOO,
    MADE_OBJECTS
};

enum { MADE_LONG_TEXT = 1000000, MADE_MANY_BYTES = 10000000, MADE_CUSTOMER_FIELDS = 15 };

/* For hd_snapshot_close(). */
struct hd_snapshot *made_fields(void);

/* Its static variables: s_byNumber, which refers to MADE_ENTRIES, s_letter '|', s_started,
 * a date, and t_last, which no thread has used. */
enum { MADE_STATICS = 4 };

/* Address of an object. */
uint64_t made_address(enum made_object object);

#endif
