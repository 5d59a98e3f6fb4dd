/* Entry points for libFuzzer and the driver of AFL++. One program has all harnesses and
 * chooses by its own name, "fuzz-gcdump". */
#include "fuzz/harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct harness *harness;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    const char *slash = strrchr((*argv)[0], '/');
    const char *name = slash != NULL ? slash + 1 : (*argv)[0];
    harness = strncmp(name, "fuzz-", 5) == 0 ? harness_named(name + 5) : NULL;
    if (harness == NULL) {
        fprintf(stderr, "%s: there is no such harness\n", name);
        exit(2);
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    harness_run(harness, (struct bytes){data, size});
    return 0;
}
