/* aot_image.h - names of the types of a Native AOT program, from its file or its memory; or
 * from its symbols.
 *
 * Method tables contain no names. Reflection finds them: a map leads from the method table
 * of each type definition to a record of the metadata that is in the program, stripped or
 * not. Arrays and generic instances refer to the method tables that they are made of. Known
 * are the layouts of .NET 8 to 11; docs/formats/native-aot.md describes them.
 *
 * Must not depend on snapshots. Every number is of a stranger's file: nothing is read
 * outside of it, and a name that does not fit together is none. */
#ifndef AOT_IMAGE_H
#define AOT_IMAGE_H

#include "base/text.h"
#include "clr/process/memory.h"

/* Objects that hold the static variables of a class, which is not known. */
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
    unsigned major;    /* of the header: 9 is .NET 8, 10 9, 16 10, 26 .NET 11 */
    unsigned tag_bits; /* of a handle: the kind of its record */
    struct bytes metadata;
    struct aot_type *types; /* definitions, by address */
    size_t type_count;
    struct memory own; /* of a file, with method tables as the program has them */
};

/* The program in a file; all of it lives in a. False: no Native AOT program, or one whose
 * layout is not known. O(size of the file). */
bool aot_image_of_file(struct aot_image *i, struct bytes file, struct arena *a);

/* The program or library that is loaded at base and ends before end. */
bool aot_image_in_memory(struct aot_image *i, const struct memory *m, uint64_t base,
                         uint64_t end, struct arena *a);

/* Append the name of the type whose method table is at an RVA, as reflection spells it:
 * "App.Ring`1+Node[[System.String]][]". False, and nothing: there is none. */
bool aot_image_name(const struct aot_image *i, uint64_t rva, struct text *name);

/* --- symbols --------------------------------------------------------------------- */

/* The compiler calls a method table "_ZTV" and the length of a mangled name, in which
 * everything but letters and digits became "_": namespaces, nested classes and generated
 * names are guessed from the other symbols. Less than what the program itself contains, but
 * a .dbg file has only these. docs/formats/native-aot.md, "Symbols". */

/* Part of a symbol's name, in the file. */
struct mangled {
    const char *at;
    size_t len;
};

struct aot_symbol {
    uint64_t rva;
    struct mangled name; /* behind "_ZTV" and the length */
};

struct aot_symbols {
    struct aot_symbol *tables; /* by RVA */
    size_t count, cap;
    struct mangled *types; /* mangled names of classes, by their bytes */
    size_t type_count, type_cap;
    struct mangled assembly; /* that has an entry point; len 0: not known */
};

/* Symbols of an ELF file of 64 bits; they live in a, names in the file. False and err: no
 * such file, or damaged. None is no error. O(n log n) of the symbols, 40 bytes for each. */
bool aot_symbols_of_file(struct aot_symbols *s, struct bytes file, struct arena *a,
                         struct hd_error *err);

/* Append the name of the type whose method table is at an RVA, as reflection spells it; one
 * that cannot be demangled as it is. False, and nothing: no symbol is there. */
bool aot_symbols_name(const struct aot_symbols *s, uint64_t rva, struct text *name);

#endif
