/* The runtime's library, or the program that contains it; and that of a process that runs.
 */
#include "base/error.h"
#include "base/path.h"
#include "clr/process/runtime.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* --- where it is --------------------------------------------------------------------- */

/* A file that is gone by now has a word behind its name; Windows minds no case. */
static bool runtime_module_is_named(const char *path, const char *name)
{
    const char *file = path_file_name(path);
    return strncasecmp(file, name, strlen(name)) == 0 &&
           (file[strlen(name)] == '\0' || file[strlen(name)] == ' ');
}

bool runtime_library_is(const char *path)
{
    static const char collector[] = "libclrgc";
    return runtime_module_is_named(path, core_kind.library) ||
           strncmp(path_file_name(path), collector, strlen(collector)) == 0;
}

static bool has_library(const struct process_image *image, const char *name)
{
    for (size_t i = 0; i < image->mapping_count; i++)
        if (strcasecmp(path_file_name(image->mappings[i].path), name) == 0)
            return true;
    return false;
}

bool runtime_module_is_framework(const struct process_image *image)
{
    return has_library(image, "clr.dll") || has_library(image, "mscorwks.dll");
}

bool runtime_module_is_32_bit(const struct process_image *image)
{
    return has_library(image, "wow64.dll");
}

/* A program's headers stand behind its first 64 bytes, on its first page. */
bool runtime_module_find(struct runtime_module *m, const struct process_image *image,
                         struct arena *a)
{
    const struct image_mapping *at = NULL;
    for (size_t i = 0; i < image->mapping_count && at == NULL; i++)
        if (image->mappings[i].offset == 0 &&
            runtime_module_is_named(image->mappings[i].path, image->kind->library))
            at = &image->mappings[i];
    *m = (struct runtime_module){.is_program = at == NULL};
    if (at == NULL && image->program_headers > 0)
        at = image_mapping_at(image, image->program_headers);
    if (at == NULL || at->offset != 0)
        return false;
    m->path = at->path;
    m->base = at->start;
    m->in_memory.is_pe = pe_image_at(&m->in_memory.pe, &image->memory, m->base);
    if (!elf_image_at(&m->in_memory.elf, &image->memory, m->base))
        m->in_memory.elf.dynamic_size = 0;
    const struct image_file *file = image_file_at(image, m->base);
    m->has_file = file != NULL &&
                  elf_image_of_file(&m->in_file.elf, &m->file, file->bytes, m->base, a);
    return true;
}

/* --- symbols ------------------------------------------------------------------------- */

struct elf_symbol runtime_image_symbol(const struct runtime_image *i, const char *name)
{
    if (!i->is_pe)
        return elf_symbol(&i->elf, name);
    uint64_t at = pe_export(&i->pe, name);
    return (struct elf_symbol){at, at != 0 ? memory_from(i->pe.memory, at).size : 0};
}

uint64_t runtime_image_pointer(const struct runtime_image *i, uint64_t address, bool *ok)
{
    return i->is_pe ? memory_u64(i->pe.memory, address, ok)
                    : elf_pointer(&i->elf, address, ok);
}

struct elf_symbol runtime_module_symbol(const struct runtime_module *m, const char *name)
{
    struct elf_symbol found = runtime_image_symbol(&m->in_memory, name);
    return found.address == 0 && m->has_file ? runtime_image_symbol(&m->in_file, name)
                                             : found;
}

bool runtime_module_is_native(const struct runtime_module *m)
{
    return runtime_module_symbol(m, "DotNetRuntimeDebugHeader").address != 0;
}

/* --- version ------------------------------------------------------------------------- */

/* Digits and dots, and what follows a hyphen: "11.0.0-preview.2". */
static const char *version_in_path(const char *path, struct arena *a)
{
    static const char folder[] = "Microsoft.NETCore.App/", digits[] = "0123456789.",
                      rest[] = "0123456789.abcdefghijklmnopqrstuvwxyz-";
    const char *at = strstr(path, folder);
    if (at == NULL)
        return NULL;
    at += strlen(folder);
    size_t len = strspn(at, digits);
    if (len > 0 && at[len] == '-')
        len += strspn(at + len, rest);
    return len > 0 && at[len] == '/' ? arena_strdup(a, at, len) : NULL;
}

/* The third number is the patch and two digits more. */
static const char *spell(unsigned major, unsigned minor, unsigned build, struct arena *a)
{
    return arena_printf(a, "%u.%u.%u", major, minor, build / 100);
}

/* "@(#)Version 10.0.1226.42308 @Commit"; without the patch that of a first release:
 * 11.0.26.53018. */
static const char *version_parse(struct bytes where, struct arena *a)
{
    static const char mark[] = "@(#)Version ";
    enum { LONGEST = 48 };
    unsigned major, minor, build;
    const unsigned char *at = bytes_find(where.data, where.size, mark, strlen(mark));
    if (at == NULL)
        return NULL;
    at += strlen(mark);
    char text[LONGEST] = "";
    size_t left = where.size - (size_t)(at - where.data);
    memcpy(text, at, left < LONGEST - 1 ? left : LONGEST - 1);
    if (sscanf(text, "%4u.%4u.%8u", &major, &minor, &build) != 3)
        return NULL;
    return build >= 10 ? spell(major, minor, build, a)
                       : arena_printf(a, "%u.%u", major, minor);
}

/* VS_FIXEDFILEINFO, which a library's resources hold: signature, version of the structure,
 * minor and major, revision and build. */
static const char *version_fixed(struct bytes where, struct arena *a)
{
    static const char mark[] = "\xBD\x04\xEF\xFE\x00\x00\x01";
    const unsigned char *at = bytes_find(where.data, where.size, mark, sizeof(mark));
    if (at == NULL || where.size - (size_t)(at - where.data) < 16)
        return NULL;
    return spell(le_u16(at + 10), le_u16(at + 8), le_u16(at + 14), a);
}

/* In the parts that are there of a library or program, which have some megabytes. */
static const char *version_in_memory(const struct process_image *image, const char *path,
                                     const char *(*parse)(struct bytes where,
                                                          struct arena *a),
                                     struct arena *a)
{
    enum { LARGEST = 1 << 28 };
    uint64_t looked = 0;
    for (size_t i = 0; i < image->mapping_count; i++) {
        const struct image_mapping *at = &image->mappings[i];
        if (strcmp(at->path, path) != 0)
            continue;
        looked += at->end - at->start;
        if (looked > LARGEST)
            return NULL;
        for (uint64_t next = at->start; next < at->end;) {
            struct bytes there =
                bytes_within(memory_from(&image->memory, next), 0, at->end - next);
            const char *found = there.size > 0 ? parse(there, a) : NULL;
            if (found != NULL)
                return found;
            if (there.size == 0)
                break;
            next += there.size;
        }
    }
    return NULL;
}

const char *runtime_module_version(const struct runtime_module *m,
                                   const struct process_image *image, struct arena *a)
{
    const char *found = version_in_path(m->path, a);
    for (size_t i = 0; i < image->mapping_count && found == NULL && m->is_program; i++)
        found = version_in_path(image->mappings[i].path, a);
    /* That of coreclr.dll, which the list of modules tells; a program has one of its own.
     */
    const struct image_mapping *at = image_mapping_at(image, m->base);
    if (found == NULL && !m->is_program && at != NULL && at->version != 0)
        found = spell((unsigned)(at->version >> 48), (unsigned)(at->version >> 32 & 0xffff),
                      (unsigned)(at->version >> 16 & 0xffff), a);
    const struct image_file *file = image_file_at(image, m->base);
    if (found == NULL && file != NULL)
        found = version_parse(file->bytes, a);
    if (found == NULL)
        found = version_in_memory(image, m->path, version_parse, a);
    /* That of the runtime's own library, which comes with it: a dump without code has its
     * resources where a program brought its runtime and the file is not here. */
    for (size_t i = 0; i < image->mapping_count && found == NULL; i++) {
        const char *path = image->mappings[i].path;
        if (strcmp(path_file_name(path), "System.Private.CoreLib.dll") == 0)
            return version_in_memory(image, path, version_fixed, a);
    }
    return found;
}

/* --- a process that runs ---------------------------------------------------------------
 */

uint64_t clr_heap_count_address(const struct clr_process *p, struct arena *a,
                                struct hd_error *err)
{
    enum { MAX_GLOBALS = 256 }; /* that are asked; .NET 8 has 157, which is most */
    const struct process_image image = {.processor = processor_here(),
                                        .kind = &core_kind,
                                        .program_headers = p->program_headers,
                                        .mappings = p->mappings,
                                        .mapping_count = p->mapping_count,
                                        .memory = memory_of(p->pieces, p->piece_count, a)};
    struct runtime_module module;
    bool found = runtime_module_find(&module, &image, a);
    uint64_t table = found ? runtime_module_symbol(&module, "g_dacTable").address : 0;
    if (found && module.is_program && runtime_module_is_native(&module))
        return fail_about(err, HD_ABOUT_DIRECT, HD_UNSUPPORTED,
                          "a native AOT program, whose memory cannot be read");
    if (table == 0)
        return fail(
            err, HD_UNSUPPORTED,
            "the process has no .NET runtime whose memory can be read: " RUNTIME_OLDEST_READ
            " or later");
    const struct processor *of = module.in_memory.elf.processor;
    if (of != NULL && of != image.processor)
        return fail_about(err, HD_ABOUT_DIRECT, HD_UNSUPPORTED,
                          "a program for %s, which is emulated here", of->name);
    const char *version = runtime_module_version(&module, &image, a);
    if (version != NULL && runtime_is_too_old(version))
        return fail_about(
            err, HD_ABOUT_DIRECT, HD_UNSUPPORTED,
            "its runtime is .NET %s; reading its memory needs " RUNTIME_OLDEST_READ
            " or later",
            version);
    if (version != NULL && runtime_is_of_others(version, image.processor))
        return fail_about(
            err, HD_ABOUT_DIRECT, HD_UNSUPPORTED,
            "its runtime is .NET %s; reading its memory on %s needs a later version",
            version, image.processor->name);
    uint64_t gc = gc_globals_find(&image.memory, table, MAX_GLOBALS),
             at = gc_count_address(&image.memory, gc);
    if (at == 0)
        fail(err, HD_UNSUPPORTED,
             "the runtime does not say where its heap is: it has just started, or its "
             "version is unknown to this heapdrift");
    return at;
}
