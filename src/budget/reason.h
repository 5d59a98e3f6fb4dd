/* reason.h - why a finding is what it is, in short. The sentences are made where findings
 * are printed (report/phrases.h). */
#ifndef REASON_H
#define REASON_H

#include "heapdrift.h"

static inline struct hd_reason because(enum hd_reason_code code)
{
    return (struct hd_reason){.code = code};
}

#endif
