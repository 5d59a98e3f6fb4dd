#include "heap/root_kind.h"

#include "base/c_locale.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

const char *const root_kind_names[ROOT_KIND_COUNT] = {
    [ROOT_STATIC] = "static",
    [ROOT_THREAD_STATIC] = "thread_static",
    [ROOT_STRONG_HANDLE] = "strong_handle",
    [ROOT_PINNED_HANDLE] = "pinned_handle",
    [ROOT_REF_COUNTED_HANDLE] = "ref_counted_handle",
    [ROOT_DEPENDENT_HANDLE] = "dependent_handle",
    [ROOT_STACK] = "stack",
    [ROOT_FINALIZER] = "finalizer",
    [ROOT_OTHER] = "other",
    [ROOT_UNREACHABLE] = "unreachable",
};

unsigned root_kind_class(enum root_kind kind)
{
    static const unsigned char classes[ROOT_KIND_COUNT] = {
        [ROOT_STATIC] = 0,
        [ROOT_THREAD_STATIC] = 0,
        [ROOT_STRONG_HANDLE] = 1,
        [ROOT_PINNED_HANDLE] = 1,
        [ROOT_REF_COUNTED_HANDLE] = 2,
        [ROOT_DEPENDENT_HANDLE] = 3,
        [ROOT_STACK] = 4,
        [ROOT_FINALIZER] = 5,
        [ROOT_OTHER] = 6,
        [ROOT_UNREACHABLE] = 7,
    };
    return kind < ROOT_KIND_COUNT ? classes[kind] : classes[ROOT_OTHER];
}

/* The groups of all known writers: dotnet-gcdump and dotnet-monitor; PerfView
 * from events, before and from 3.1.8; HeapDump.exe with ClrMD 2, and with ClrMD 1,
 * which adds an s. */
static const struct {
    const char *name;
    enum root_kind kind;
} groups[] = {
    {"[static vars]", ROOT_STATIC},
    {"[thread static vars]", ROOT_THREAD_STATIC},
    {"[strong Handles]", ROOT_STRONG_HANDLE},
    {"[StrongHandle]", ROOT_STRONG_HANDLE},
    {"[SizedRefHandle]", ROOT_STRONG_HANDLE},
    {"[SizedRef handles]", ROOT_STRONG_HANDLE},
    {"[pinning Handles]", ROOT_PINNED_HANDLE},
    {"[PinnedHandle]", ROOT_PINNED_HANDLE},
    {"[Pinned handles]", ROOT_PINNED_HANDLE},
    {"[COM/WinRT Objects]", ROOT_REF_COUNTED_HANDLE},
    {"[RefCountedHandle]", ROOT_REF_COUNTED_HANDLE},
    {"[RefCount handles]", ROOT_REF_COUNTED_HANDLE},
    {"[RefCounted handles]", ROOT_REF_COUNTED_HANDLE},
    {"[AsyncPinnedHandle]", ROOT_REF_COUNTED_HANDLE},
    {"[AsyncPinned handles]", ROOT_REF_COUNTED_HANDLE},
    {"[Dependent Handles]", ROOT_DEPENDENT_HANDLE},
    {"[DependentHandle]", ROOT_DEPENDENT_HANDLE},
    {"[local vars]", ROOT_STACK},
    {"[Pinned local vars]", ROOT_STACK},
    {"[finalizer Handles]", ROOT_FINALIZER},
    {"[FinalizerQueue]", ROOT_FINALIZER},
    {"[Finalizer Queue]", ROOT_FINALIZER},
};

/* mono-gcdump names its groups as the runtime names the ranges that it registers
 * with the collector, without brackets. The first word found decides. */
static const struct {
    const char *word;
    enum root_kind kind;
} mono_words[] = {
    {"thread static", ROOT_THREAD_STATIC},
    {"static", ROOT_STATIC},
    {"ephemeron", ROOT_DEPENDENT_HANDLE},
    {"pinned", ROOT_PINNED_HANDLE},
    {"handle", ROOT_STRONG_HANDLE},
    {"finalizer", ROOT_FINALIZER},
    {"stack", ROOT_STACK},
};

static bool contains_word(const char *name, const char *word)
{
    size_t len = strlen(word);
    for (; *name != '\0'; name++)
        if (strncasecmp(name, word, len) == 0)
            return true;
    return false;
}

enum root_kind root_kind_of(const char *pseudo_name)
{
    static const char variable[] = "[static var ", projectn[] = " (static var)";
    if (strncasecmp(pseudo_name, variable, sizeof(variable) - 1) == 0)
        return ROOT_STATIC;
    size_t len = strlen(pseudo_name), tail = sizeof(projectn) - 1;
    if (len > tail && ascii_same_word(pseudo_name + len - tail, projectn))
        return ROOT_STATIC;
    for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
        if (ascii_same_word(pseudo_name, groups[i].name))
            return groups[i].kind;
    for (size_t i = 0;
         pseudo_name[0] != '[' && i < sizeof(mono_words) / sizeof(mono_words[0]); i++)
        if (contains_word(pseudo_name, mono_words[i].word))
            return mono_words[i].kind;
    return ROOT_KIND_COUNT;
}

enum root_kind root_kind_below(const char *pseudo_name, enum root_kind above)
{
    enum root_kind own = root_kind_of(pseudo_name);
    if (own == ROOT_KIND_COUNT || (own == ROOT_STATIC && above == ROOT_THREAD_STATIC))
        return above;
    return own;
}
