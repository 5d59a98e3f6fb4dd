#include "base/input.h"

#include <criterion/criterion.h>
#include <string.h>

static void expect_foreign(const char *what, const void *data, size_t size,
                           const char *says)
{
    struct hd_error err = {0};
    cr_expect_null(hd_snapshot_from_memory(data, size, NULL, &err), "%s", what);
    cr_expect_eq(err.status, HD_UNSUPPORTED, "%s: %s", what, err.message);
    cr_expect(strstr(err.message, says) != NULL, "%s: %s", what, err.message);
    cr_expect(strlen(err.message) < sizeof(err.message) - 1, "%s: message cut", what);
}

/* A string literal that may contain NULs, without the last one. */
#define FOREIGN(literal, says) expect_foreign(says, literal, sizeof(literal) - 1, says)

/* A file of this container, up to the first fields of its entry object. */
#define SERIALISED(len, name)                                                        \
    "\x14\0\0\0!FastSerialization.1\x04\x04\x01\x03\0\0\0\0\0\0\0" len "\0\0\0" name \
    "\x06 fields of the object"

/* Traces are supported, but not those without a heap. */
Test(foreign, traces_without_a_heap_explain_how_to_record_one)
{
    FOREIGN("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", "OLE compound file"),
        FOREIGN("Nettrace\x14\0\0\0!FastSerialization.1", "heapdrift collect PID");
    FOREIGN(SERIALISED("\x05", "Trace"), "truncated before it");
    FOREIGN(SERIALISED("\x26", "Microsoft.DotNet.Runtime.EventPipeFile"), ".nettrace");
}

Test(foreign, names_other_files_of_perfview)
{
    FOREIGN(SERIALISED("\x12", "Graphs.MemoryGraph"), ".gcHeap");
    FOREIGN(SERIALISED("\x08", "TraceLog"), ".etlx");
    FOREIGN("<GCHeapDump>", ".gcdump.xml");
    FOREIGN("\xEF\xBB\xBF<?xml version=\"1.0\"?>\r\n<GCHeapDump Version=\"1\">",
            ".gcdump.xml");
}

Test(foreign, names_dumps_and_suggests_what_to_extract)
{
    FOREIGN("PAGEDU64\x0F\0\0\0", "Windows kernel");
    FOREIGN("PAGEDUMP\x0F\0\0\0", "Windows kernel");
    FOREIGN("\xCF\xFA\xED\xFE\x07\0\0\x01\x03\0\0\0\x04\0\0\0", "macOS");
    FOREIGN("\xFE\xED\xFA\xCF\x01\0\0\x07\0\0\0\x03\0\0\0\x04", "macOS");
}

Test(foreign, tells_a_program_from_its_dump)
{
    FOREIGN("\x7F"
            "ELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0\x3E\0",
            "program or library");
    FOREIGN("\x7F"
            "ELF\x02\x02\x01\0\0\0\0\0\0\0\0\0\x04\0\0\x16",
            "program or library");
    FOREIGN("\xCF\xFA\xED\xFE\x07\0\0\x01\x03\0\0\0\x02\0\0\0", "program or library");
    FOREIGN("\x7F"
            "ELF",
            "program or library");
}

Test(foreign, names_heaps_of_other_runtimes)
{
    FOREIGN("JAVA PROFILE 1.0.2\0\0\0\0\x08", "Java");
    FOREIGN("{\"snapshot\":{\"meta\":{\"node_fields\":[]}}}", "V8");
    FOREIGN("{\n \"snapshot\" : {\n  \"meta\" : {}}}", "V8");
}

static void expect_not_foreign(const char *data, size_t size)
{
    struct hd_error err = {0};
    cr_expect_null(hd_snapshot_from_memory(data, size, NULL, &err));
    cr_expect_neq(err.status, HD_UNSUPPORTED, "%s", err.message);
}

#define NOT_FOREIGN(literal) expect_not_foreign(literal, sizeof(literal) - 1)

Test(foreign, leaves_everything_else_to_others)
{
    NOT_FOREIGN("");
    NOT_FOREIGN("Nettrac");
    NOT_FOREIGN("<html>");
    NOT_FOREIGN("see <GCHeapDump");
    NOT_FOREIGN("{\"snapshot\":{\"path\":\"a\"}}");
    NOT_FOREIGN("{\"snapshot\":{\"met");
    NOT_FOREIGN("MDMP in text");
    NOT_FOREIGN(SERIALISED("\x0A", "GCHeapDump"));
    NOT_FOREIGN("\x14\0\0\0!FastSerialization.1\x04\x04\x01");
    NOT_FOREIGN(SERIALISED("\xFF", "Tra"));
}
