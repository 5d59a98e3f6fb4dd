/* xml_out.h - XML as it goes out: a line per element, text with its tags.
 *
 * Nothing is kept but how deep it is, so memory cannot run out in the middle. Attributes of
 * an element come before what is in it. What XML has no character for becomes U+FFFD. */
#ifndef XML_OUT_H
#define XML_OUT_H

#include "base/out.h"

struct xml_out {
    struct out *to;
    bool in_tag; /* attributes may follow */
};

/* Begin with the declaration. */
struct xml_out xml_begin(struct out *to);

void xml_open(struct xml_out *x, const char *name);
void xml_attribute(struct xml_out *x, const char *name, const char *value);
void xml_close(struct xml_out *x, const char *name);

/* The whole content of the element that was opened, which holds no elements; closes it. */
void xml_close_with(struct xml_out *x, const char *name, const char *content);

#endif
