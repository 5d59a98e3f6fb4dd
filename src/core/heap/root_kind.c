#include "heap/root_kind.h"

#include "base/text.h"
#include "heap/place.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

const char *const root_kind_names[HD_ROOT_KIND_COUNT] = {
    [HD_ROOT_STATIC] = "static",
    [HD_ROOT_THREAD_STATIC] = "thread_static",
    [HD_ROOT_STRONG_HANDLE] = "strong_handle",
    [HD_ROOT_PINNED_HANDLE] = "pinned_handle",
    [HD_ROOT_REF_COUNTED_HANDLE] = "ref_counted_handle",
    [HD_ROOT_DEPENDENT_HANDLE] = "dependent_handle",
    [HD_ROOT_STACK] = "stack",
    [HD_ROOT_FINALIZER] = "finalizer",
    [HD_ROOT_OTHER] = "other",
    [HD_ROOT_UNREACHABLE] = "unreachable",
};

unsigned root_kind_class(enum hd_root_kind kind)
{
    static const unsigned char classes[HD_ROOT_KIND_COUNT] = {
        [HD_ROOT_STATIC] = 0,
        [HD_ROOT_THREAD_STATIC] = 0,
        [HD_ROOT_STRONG_HANDLE] = 1,
        [HD_ROOT_PINNED_HANDLE] = 1,
        [HD_ROOT_REF_COUNTED_HANDLE] = 2,
        [HD_ROOT_DEPENDENT_HANDLE] = 3,
        [HD_ROOT_STACK] = 4,
        [HD_ROOT_FINALIZER] = 5,
        [HD_ROOT_OTHER] = 6,
        [HD_ROOT_UNREACHABLE] = 7,
    };
    return kind < HD_ROOT_KIND_COUNT ? classes[kind] : classes[HD_ROOT_OTHER];
}

/* Groups of all known writers: dotnet-gcdump and dotnet-monitor; PerfView from events,
 * before and from 3.1.8; HeapDump.exe with ClrMD 2, and with ClrMD 1, which appends an s.
 * dotnet-gcdump's name is the first of each kind. */
static const struct {
    const char *name;
    enum hd_root_kind kind;
} groups[] = {
    {"[static vars]", HD_ROOT_STATIC},
    {"[thread static vars]", HD_ROOT_THREAD_STATIC},
    {"[strong Handles]", HD_ROOT_STRONG_HANDLE},
    {"[StrongHandle]", HD_ROOT_STRONG_HANDLE},
    {"[SizedRefHandle]", HD_ROOT_STRONG_HANDLE},
    {"[SizedRef handles]", HD_ROOT_STRONG_HANDLE},
    {"[pinning Handles]", HD_ROOT_PINNED_HANDLE},
    {"[PinnedHandle]", HD_ROOT_PINNED_HANDLE},
    {"[Pinned handles]", HD_ROOT_PINNED_HANDLE},
    {"[COM/WinRT Objects]", HD_ROOT_REF_COUNTED_HANDLE},
    {"[RefCountedHandle]", HD_ROOT_REF_COUNTED_HANDLE},
    {"[RefCount handles]", HD_ROOT_REF_COUNTED_HANDLE},
    {"[RefCounted handles]", HD_ROOT_REF_COUNTED_HANDLE},
    {"[AsyncPinnedHandle]", HD_ROOT_REF_COUNTED_HANDLE},
    {"[AsyncPinned handles]", HD_ROOT_REF_COUNTED_HANDLE},
    {"[Dependent Handles]", HD_ROOT_DEPENDENT_HANDLE},
    {"[DependentHandle]", HD_ROOT_DEPENDENT_HANDLE},
    {"[local vars]", HD_ROOT_STACK},
    {"[Pinned local vars]", HD_ROOT_STACK},
    {"[finalizer Handles]", HD_ROOT_FINALIZER},
    {"[FinalizerQueue]", HD_ROOT_FINALIZER},
    {"[Finalizer Queue]", HD_ROOT_FINALIZER},
};

/* mono-gcdump names its groups as the runtime names the ranges that it registers
 * with the collector, without brackets. The first word found decides. */
static const struct {
    const char *word;
    enum hd_root_kind kind;
} mono_words[] = {
    {"thread static", HD_ROOT_THREAD_STATIC},
    {"static", HD_ROOT_STATIC},
    {"ephemeron", HD_ROOT_DEPENDENT_HANDLE},
    {"pinned", HD_ROOT_PINNED_HANDLE},
    {"handle", HD_ROOT_STRONG_HANDLE},
    {"finalizer", HD_ROOT_FINALIZER},
    {"stack", HD_ROOT_STACK},
};

static bool contains_word(const char *name, const char *word)
{
    size_t len = strlen(word);
    for (; *name != '\0'; name++)
        if (strncasecmp(name, word, len) == 0)
            return true;
    return false;
}

const char *root_kind_group(enum hd_root_kind kind)
{
    for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
        if (groups[i].kind == kind)
            return groups[i].name;
    return "[other roots]";
}

enum hd_root_kind root_kind_of(const char *pseudo_name)
{
    struct place place = place_of(pseudo_name);
    if (place_is_variable(&place))
        return place.kind == PLACE_STATIC ? HD_ROOT_STATIC : HD_ROOT_THREAD_STATIC;
    for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
        if (ascii_same_word(pseudo_name, groups[i].name))
            return groups[i].kind;
    for (size_t i = 0;
         place.kind == PLACE_TYPE && i < sizeof(mono_words) / sizeof(mono_words[0]); i++)
        if (contains_word(pseudo_name, mono_words[i].word))
            return mono_words[i].kind;
    return HD_ROOT_KIND_COUNT;
}

enum hd_root_kind root_kind_below(const char *pseudo_name, enum hd_root_kind above)
{
    enum hd_root_kind own = root_kind_of(pseudo_name);
    if (own == HD_ROOT_KIND_COUNT ||
        (own == HD_ROOT_STATIC && above == HD_ROOT_THREAD_STATIC))
        return above;
    return own;
}
