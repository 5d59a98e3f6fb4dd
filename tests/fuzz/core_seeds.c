/* core-seeds FOLDER - cores to begin fuzzing with, made by the forge: those of programs are
 * a thousand times larger than what a fuzzer can change all over. */
#include "process/runtime_tables.h"
#include "support/forge_core.h"

#include <stdio.h>
#include <stdlib.h>

static void save(struct core_forge *f, const char *folder, const char *name)
{
    char path[4096];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    struct bytes core = forge_core_bytes(f);
    FILE *to = fopen(path, "wb");
    if (to == NULL || fwrite(core.data, 1, core.size, to) != core.size || fclose(to) != 0) {
        perror(path);
        exit(1);
    }
    forge_core_free(f);
}

/* Objects of three types in two generations, one that refers to the others. */
static void forge_process(struct core_forge *f, struct forged_runtime how)
{
    *f = (struct core_forge){.pid = 4711, .name = "shop"};
    forge_core_runtime(f, &how);
    uint64_t bytes = forge_core_type(f, 24, UINT32_C(0x80000001)),
             node = forge_core_type(f, 32, 0x01000000);
    forge_core_put(f, node - 8, 1, 8); /* one run of two references */
    forge_core_put(f, node - 16, 8, 8);
    forge_core_put(f, node - 24, (uint64_t)-16, 8);
    uint64_t first = forge_core_object(f, 0, node, 32),
             second = forge_core_object(f, 2, node, 32),
             array = forge_core_object(f, 2, bytes, 24 + 40);
    forge_core_put(f, first + 8, second, 8);
    forge_core_put(f, first + 16, array, 8);
    forge_core_put(f, array + 8, 40, 4);
    forge_core_object(f, 2, f->free_type, 24);
    forge_core_region(f, 0x7ff000000000, 0x100);
    forge_core_put(f, 0x7ff000000010, first, 8);
    forge_core_thread(f, 1, 0x7ff000000000, 0x7ff000000100);
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    struct core_forge f;
    forge_process(&f, (struct forged_runtime){0});
    save(&f, argv[1], "heap");
    forge_process(&f, (struct forged_runtime){.json = runtime_table_of(10)->json});
    save(&f, argv[1], "full");
    forge_process(&f,
                  (struct forged_runtime){.path = "/app/libcoreclr.so", .is_old = true});
    f.many_segments = true;
    save(&f, argv[1], "old");
    forge_process(&f, (struct forged_runtime){
                          .path = "/app/shop", .is_program = true, .told = "10.0.700.1"});
    save(&f, argv[1], "single-file");
    forge_process(&f, (struct forged_runtime){.path = "/app/shop", .is_native = true});
    save(&f, argv[1], "native");
    return 0;
}
