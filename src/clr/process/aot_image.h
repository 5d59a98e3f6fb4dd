/* aot_image.h - names of the types of a Native AOT program, from its file or memory, or
 * from its symbols.
 *
 * Method tables contain no names. Reflection finds them: a map leads from the method table
 * of each type definition to a record of the metadata in the program, stripped or not.
 * Arrays and generic instances refer to the method tables of their components. Supports the
 * layouts of .NET 8 to 11, described in docs/formats/native-aot.md.
 *
 * Must not depend on snapshots. Every number is untrusted: reads stay inside the file, and
 * an inconsistent name is ignored. */
#ifndef AOT_IMAGE_H
#define AOT_IMAGE_H

#include "base/text.h"
#include "clr/process/memory.h"

/* Objects that hold the static variables of an unknown class. */
#define AOT_STATICS "<static variables>"

/* HandleType: kinds of records, the same in all versions. */
enum { AOT_RECORD_NAMESPACE = 0x2f, AOT_RECORD_TYPE = 0x3a };

struct aot_type {
    uint64_t address; /* of its method table */
    uint32_t record;  /* offset in the metadata */
};

struct aot_image {
    const struct memory *memory;
    uint64_t base;     /* address of RVA 0 */
    unsigned major;    /* from the header: 9 is .NET 8, 10 .NET 9, 16 .NET 10, 26 .NET 11 */
    unsigned tag_bits; /* of a handle: the kind of its record */
    struct bytes metadata;
    struct aot_type *types; /* definitions, by address */
    size_t type_count;
    struct memory own; /* for a file: memory with decoded method tables */
};

/* Opens the program in a file; allocated in a. False: not a Native AOT program, or an
 * unknown layout. O(size of the file). */
bool aot_image_of_file(struct aot_image *i, struct bytes file, struct arena *a);

/* Opens the program or library loaded at base, which ends before end. */
bool aot_image_in_memory(struct aot_image *i, const struct memory *m, uint64_t base,
                         uint64_t end, struct arena *a);

/* Appends the name of the type with the method table at an RVA, as in reflection:
 * "App.Ring`1+Node[[System.String]][]". False, with name unchanged, if it is unknown. */
bool aot_image_name(const struct aot_image *i, uint64_t rva, struct text *name);

/* --- symbols --------------------------------------------------------------------- */

/* The compiler names a method table "_ZTV", the length of a mangled name, and that name, in
 * which everything except letters and digits became "_": namespaces, nested classes and
 * generated names are guessed from the other symbols. Less exact than the program itself,
 * but the only source in a .dbg file. docs/formats/native-aot.md, "Symbols". */

/* Part of a symbol's name, in the file. */
struct mangled {
    const char *at;
    size_t len;
};

struct aot_symbol {
    uint64_t rva;
    struct mangled name; /* after "_ZTV" and the length */
};

struct aot_symbols {
    struct aot_symbol *tables; /* by RVA */
    size_t count, cap;
    struct mangled *types; /* mangled names of classes, by their bytes */
    size_t type_count, type_cap;
    struct mangled assembly; /* with an entry point; len 0: unknown */
};

/* Reads the symbols of a 64-bit ELF file; allocated in a, names in the file. False and err:
 * another format, or damaged. A file without symbols is valid. O(n log n) for n symbols, 40
 * bytes each. */
bool aot_symbols_of_file(struct aot_symbols *s, struct bytes file, struct arena *a,
                         struct hd_error *err);

/* Appends the name of the type with the method table at an RVA, as in reflection, or
 * unchanged if it cannot be demangled. False, with name unchanged, without a symbol. */
bool aot_symbols_name(const struct aot_symbols *s, uint64_t rva, struct text *name);

#endif
