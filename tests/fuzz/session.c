/* The manifests of a zip or folder written by Visual Studio, which list files in it. For
 * any input, no file is chosen twice, and all exist. */
#include "fuzz/frame.h"
#include "fuzz/surfaces.h"

#include "base/arena.h"
#include "format/session.h"

#include <stdlib.h>

void surface_session(struct bytes input)
{
    struct arena arena = {0};
    struct frame f = frame_of(input);
    struct zip_file files[] = {
        {.name = "0A1B2C3D-0A1B-0A1B-0A1B-0A1B2C3D0A1B/b.gcdump", .is_wanted = true},
        {.name = "c/a.gcdump", .is_wanted = true},
        {.name = "d\\manifest.json"},
        {.name = "metadata.xml"},
    };
    const size_t count = sizeof(files) / sizeof(*files);
    for (size_t i = 0; i < count; i++)
        files[i].entry = (unsigned)i + 1;
    files[2].text = frame_part(&f, 0);
    files[3].text = frame_part(&f, 1);
    struct session s = session_of(&(struct zip_listing){files, count}, &arena);
    for (size_t i = 0; i < s.count; i++)
        for (size_t k = 0; k < i; k++)
            if (s.all[i].name != NULL && s.all[i].name == s.all[k].name)
                abort();
    arena_free(&arena);
}
