#include "heapdrift.h"

const char *hd_version(void)
{
    return HD_VERSION;
}
