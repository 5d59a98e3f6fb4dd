/* read_foreign.c - files that people have in hand instead of a snapshot.
 *
 * Only recognises each kind by its first bytes, to report what the file is and how to get a
 * snapshot from it, which helps more than "not a heap snapshot".
 * docs/formats/foreign.md. */
#include "base/cursor.h"
#include "base/error.h"
#include "format/reader.h"

#include <string.h>

static bool has_at(struct bytes b, size_t offset, const char *magic, size_t len)
{
    return b.size >= offset && b.size - offset >= len &&
           memcmp(b.data + offset, magic, len) == 0;
}

/* A string literal, which may hold NULs. */
#define HAS_AT(bytes, offset, literal) has_at(bytes, offset, literal, sizeof(literal) - 1)

/* --- FastSerialization --------------------------------------------------- */

static bool is_memory_graph(struct bytes head)
{
    struct bytes name;
    return fast_serialization_entry(head, &name) &&
           name.size == strlen("Graphs.MemoryGraph") &&
           HAS_AT(name, 0, "Graphs.MemoryGraph");
}

/* A gcdump does not get here: read_gcdump is asked first. */
static bool is_other_serialised(struct bytes head)
{
    struct bytes name;
    return fast_serialization_entry(head, &name);
}

/* --- traces and dumps ---------------------------------------------------- */

static bool is_windows_dump(struct bytes head)
{
    return HAS_AT(head, 0, "PAGEDU64") || HAS_AT(head, 0, "PAGEDUMP");
}

static bool is_elf(struct bytes head)
{
    return HAS_AT(head, 0, "\177ELF");
}

/* 32 and 64 bit, either byte order. */
static bool is_mach_o(struct bytes head)
{
    return HAS_AT(head, 0, "\xCF\xFA\xED\xFE") || HAS_AT(head, 0, "\xCE\xFA\xED\xFE") ||
           HAS_AT(head, 0, "\xFE\xED\xFA\xCF") || HAS_AT(head, 0, "\xFE\xED\xFA\xCE");
}

static bool is_mach_o_core(struct bytes head)
{
    enum { FILE_TYPE = 12 }; /* MH_CORE: 4, in the byte order of the magic */
    return is_mach_o(head) &&
           (head.data[0] == 0xFE ? HAS_AT(head, FILE_TYPE, "\0\0\0\x04")
                                 : HAS_AT(head, FILE_TYPE, "\x04\0\0\0"));
}

/* --- heaps of other runtimes, and text ----------------------------------- */

static bool is_hprof(struct bytes head)
{
    return HAS_AT(head, 0, "JAVA PROFILE 1.0.");
}

static size_t skip_space(struct bytes b, size_t at)
{
    while (at < b.size && (b.data[at] == ' ' || (b.data[at] >= '\t' && b.data[at] <= '\r')))
        at++;
    return at;
}

static size_t skip_utf8_mark(struct bytes head)
{
    return HAS_AT(head, 0, "\xEF\xBB\xBF") ? 3 : 0;
}

/* {"snapshot":{"meta": ... with any white space. */
static bool is_v8_snapshot(struct bytes head)
{
    static const char *const tokens[] = {"{", "\"snapshot\"", ":", "{", "\"meta\"", ":"};
    size_t at = skip_utf8_mark(head);
    for (size_t i = 0; i < sizeof(tokens) / sizeof(tokens[0]); i++) {
        at = skip_space(head, at);
        if (!has_at(head, at, tokens[i], strlen(tokens[i])))
            return false;
        at += strlen(tokens[i]);
    }
    return true;
}

static bool is_gcdump_xml(struct bytes head)
{
    size_t at = skip_space(head, skip_utf8_mark(head));
    if (at == head.size || head.data[at] != '<')
        return false;
    for (; at < head.size; at++)
        if (head.data[at] == '<' && HAS_AT(head, at, "<GCHeapDump"))
            return true;
    return false;
}

static bool is_compound(struct bytes head)
{
    return HAS_AT(head, 0, "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1");
}

/* --- the list ------------------------------------------------------------ */

/* heapdrift does not run on macOS. */
#define ON_MACOS "take a gcdump of the process with `dotnet-gcdump collect -p PID`"
#define FROM_MACOS                                                                    \
    "; save the output of `dumpheap -stat -live` in `dotnet-dump analyze` as a text " \
    "file, or " ON_MACOS
#define SAVE_GCDUMP "; open it in PerfView, and save the heap as .gcdump"

/* Special kinds before general ones. */
static const struct foreign {
    bool (*is)(struct bytes head);
    const char *message;
} known[] = {
    {is_memory_graph, "this is a .gcHeap, a heap graph without its dump" SAVE_GCDUMP},
    {is_other_serialised,
     "this is a PerfView file (.etlx or similar), not a gcdump" SAVE_GCDUMP},
    {is_gcdump_xml, "this is a .gcdump.xml" SAVE_GCDUMP},
    {is_windows_dump, "this is a dump of the Windows kernel, not of a process" TAKE_GCDUMP},
    {is_elf, "this is a program or library, not a memory dump" TAKE_GCDUMP},
    {is_mach_o_core, "this is a macOS core dump" FROM_MACOS},
    {is_mach_o, "this is a program or library of macOS, not a memory dump; " ON_MACOS},
    {is_compound,
     "this is an OLE compound file, as a .diagsession of an older Visual Studio "
     "is; open it there, and save its snapshots as .gcdump"},
    {is_hprof, "this is a Java heap dump (hprof); heapdrift reads .NET heaps"},
    {is_v8_snapshot, "this is a JavaScript heap snapshot (V8); heapdrift reads .NET heaps"},
};

static const struct foreign *find_foreign(struct bytes head)
{
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (known[i].is(head))
            return &known[i];
    return NULL;
}

static enum recognition foreign_recognises(struct bytes head)
{
    return find_foreign(head) != NULL ? RECOGNISED_YES : RECOGNISED_NO;
}

static bool foreign_read(struct input *in, struct builder *b, struct hd_error *err)
{
    (void)b;
    const struct foreign *f = find_foreign(input_head(in));
    return fail(err, HD_UNSUPPORTED, "%s", f != NULL ? f->message : "not a heap snapshot");
}

const struct reader read_foreign = {
    .name = "foreign",
    .summary = NULL, /* not in --help */
    .recognises = foreign_recognises,
    .read = foreign_read,
};
