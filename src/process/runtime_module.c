#include "process/runtime_module.h"

#include "base/little_endian.h"
#include "base/path.h"
#include "process/process_image.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* --- where it is --------------------------------------------------------------------- */

/* A file that is gone by now has a word behind its name; Windows minds no case. */
static bool is_named(const char *path, const char *name)
{
    const char *file = path_file_name(path);
    return strncasecmp(file, name, strlen(name)) == 0 &&
           (file[strlen(name)] == '\0' || file[strlen(name)] == ' ');
}

bool runtime_library_is(const char *path)
{
    static const char collector[] = "libclrgc";
    return is_named(path, core_kind.library) ||
           strncmp(path_file_name(path), collector, strlen(collector)) == 0;
}

static const struct image_mapping *runtime_mapping(const struct process_image *image)
{
    for (size_t i = 0; i < image->mapping_count; i++)
        if (image->mappings[i].offset == 0 &&
            is_named(image->mappings[i].path, image->kind->library))
            return &image->mappings[i];
    return NULL;
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

/* The program's headers stand behind its first 64 bytes, on its first page. */
static const struct image_mapping *program_mapping(const struct process_image *image)
{
    const struct image_mapping *m =
        image->program_headers > 0 ? image_mapping_at(image, image->program_headers) : NULL;
    return m != NULL && m->offset == 0 ? m : NULL;
}

bool runtime_module_find(struct runtime_module *m, const struct process_image *image,
                         struct arena *a)
{
    const struct image_mapping *at = runtime_mapping(image);
    *m = (struct runtime_module){.is_program = at == NULL};
    if (at == NULL)
        at = program_mapping(image);
    if (at == NULL)
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

const struct memory *runtime_image_memory(const struct runtime_image *i)
{
    return i->is_pe ? i->pe.memory : i->elf.memory;
}

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

/* --- version ------------------------------------------------------------------------- */

/* Digits and dots, and what follows a hyphen: "11.0.0-preview.2". */
static size_t version_length(const char *s)
{
    static const char digits[] = "0123456789.";
    static const char rest[] = "0123456789.abcdefghijklmnopqrstuvwxyz-";
    size_t len = strspn(s, digits);
    return len > 0 && s[len] == '-' ? len + strspn(s + len, rest) : len;
}

static const char *version_in_path(const char *path, struct arena *a)
{
    static const char folder[] = "Microsoft.NETCore.App/";
    const char *at = strstr(path, folder);
    if (at == NULL)
        return NULL;
    at += strlen(folder);
    size_t len = version_length(at);
    return len > 0 && at[len] == '/' ? arena_strdup(a, at, len) : NULL;
}

static const unsigned char *find(struct bytes where, const char *mark, size_t len)
{
    const unsigned char *at = where.data, *end = at + where.size;
    while (where.size > 0 && (at = memchr(at, mark[0], (size_t)(end - at))) != NULL) {
        if ((size_t)(end - at) >= len && memcmp(at, mark, len) == 0)
            return at;
        if (++at == end)
            break;
    }
    return NULL;
}

/* "@(#)Version 10.0.1226.42308 @Commit": the third number is the patch and two digits more,
 * without the patch that of a first release: 11.0.26.53018. */
static const char *version_parse(struct bytes where, struct arena *a)
{
    static const char mark[] = "@(#)Version ";
    enum { LONGEST = 48 };
    unsigned major, minor, build;
    const unsigned char *at = find(where, mark, strlen(mark));
    if (at == NULL)
        return NULL;
    at += strlen(mark);
    char text[LONGEST] = "";
    size_t left = where.size - (size_t)(at - where.data);
    memcpy(text, at, left < LONGEST - 1 ? left : LONGEST - 1);
    if (sscanf(text, "%4u.%4u.%8u", &major, &minor, &build) != 3)
        return NULL;
    return build >= 10 ? arena_printf(a, "%u.%u.%u", major, minor, build / 100)
                       : arena_printf(a, "%u.%u", major, minor);
}

/* VS_FIXEDFILEINFO, which a library's resources hold: signature, version of the structure,
 * minor and major, revision and build. */
static const char *version_fixed(struct bytes where, struct arena *a)
{
    static const char mark[] = "\xBD\x04\xEF\xFE\x00\x00\x01";
    const unsigned char *at = find(where, mark, sizeof(mark));
    if (at == NULL || where.size - (size_t)(at - where.data) < 16)
        return NULL;
    unsigned minor = le_u16(at + 8), major = le_u16(at + 10), build = le_u16(at + 14);
    return arena_printf(a, "%u.%u.%u", major, minor, build / 100);
}

/* That of coreclr.dll, which the list of modules tells; a program has one of its own. */
static const char *version_told(const struct runtime_module *m,
                                const struct process_image *image, struct arena *a)
{
    const struct image_mapping *at = image_mapping_at(image, m->base);
    if (m->is_program || at == NULL || at->version == 0)
        return NULL;
    unsigned major = (unsigned)(at->version >> 48),
             minor = (unsigned)(at->version >> 32 & 0xffff),
             build = (unsigned)(at->version >> 16 & 0xffff);
    return arena_printf(a, "%u.%u.%u", major, minor, build / 100);
}

typedef const char *version_parser(struct bytes where, struct arena *a);

/* In a part of it that is there, up to its end. */
static const char *version_in_mapping(const struct process_image *image,
                                      const struct image_mapping *at, version_parser *parse,
                                      struct arena *a)
{
    const char *found = NULL;
    for (uint64_t next = at->start; next < at->end && found == NULL;) {
        struct bytes there = memory_from(&image->memory, next);
        if (there.size == 0)
            break;
        if (there.size > at->end - next)
            there.size = (size_t)(at->end - next);
        found = parse(there, a);
        next += there.size;
    }
    return found;
}

/* Of a library or program, which have some megabytes. */
static const char *version_in_memory(const struct process_image *image, const char *path,
                                     version_parser *parse, struct arena *a)
{
    enum { LARGEST = 1 << 28 };
    const char *found = NULL;
    uint64_t looked = 0;
    for (size_t i = 0; i < image->mapping_count && found == NULL; i++) {
        const struct image_mapping *at = &image->mappings[i];
        if (strcmp(at->path, path) != 0)
            continue;
        looked += at->end - at->start;
        if (looked > LARGEST)
            break;
        found = version_in_mapping(image, at, parse, a);
    }
    return found;
}

/* That of the runtime's own library, which comes with it: a dump without code has its
 * resources where a program brought its runtime and the file is not here. */
static const char *version_of_library(const struct process_image *image, struct arena *a)
{
    for (size_t i = 0; i < image->mapping_count; i++) {
        const char *path = image->mappings[i].path;
        if (strcmp(path_file_name(path), "System.Private.CoreLib.dll") == 0)
            return version_in_memory(image, path, version_fixed, a);
    }
    return NULL;
}

const char *runtime_module_version(const struct runtime_module *m,
                                   const struct process_image *image, struct arena *a)
{
    const char *found = version_in_path(m->path, a);
    for (size_t i = 0; i < image->mapping_count && found == NULL && m->is_program; i++)
        found = version_in_path(image->mappings[i].path, a);
    const struct image_file *file = image_file_at(image, m->base);
    if (found == NULL)
        found = version_told(m, image, a);
    if (found == NULL && file != NULL)
        found = version_parse(file->bytes, a);
    if (found == NULL)
        found = version_in_memory(image, m->path, version_parse, a);
    return found != NULL ? found : version_of_library(image, a);
}
