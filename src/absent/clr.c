/* The house clr in a build without it: no dumps, and no names of Native AOT. */
#include "base/error.h"
#include "format/reader.h"
#include "format/snapshot_writer.h"

const struct reader *const clr_readers[] = {NULL};
const struct snapshot_writer *const clr_writers[] = {NULL};

struct hd_symbols *hd_symbols_open(const char *path, struct hd_error *err)
{
    (void)path;
    fail(err, HD_UNSUPPORTED, "this heapdrift was built without dumps and symbols");
    return NULL;
}

void hd_symbols_close(struct hd_symbols *symbols)
{
    (void)symbols;
}
