/* aot_symbols.h - names of the types of a Native AOT program, from its symbols.
 *
 * The compiler calls a method table "_ZTV" and the length of a mangled name, in which
 * everything but letters and digits became "_": namespaces, nested classes and generated
 * names are guessed from the other symbols. Less than what the program itself contains
 * (aot_image.h), but a .dbg file has only these. docs/formats/native-aot.md, "Symbols".
 *
 * Must not depend on snapshots. Every number is of a stranger's file. */
#ifndef AOT_SYMBOLS_H
#define AOT_SYMBOLS_H

#include "base/arena.h"
#include "base/input.h"
#include "base/text.h"

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
