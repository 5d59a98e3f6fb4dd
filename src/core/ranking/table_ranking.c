#include "ranking/table_ranking.h"

#include "heap/names.h"
#include "ranking/native_memory.h"
#include "series/ranking_constants.h"

#include <stdlib.h>
#include <string.h>

static double score_of(const struct series *s, const struct series_row *row, double *tau)
{
    double counts[SERIES_MAX_SNAPSHOTS], count_noise[SERIES_MAX_SNAPSHOTS];
    double bytes[SERIES_MAX_SNAPSHOTS], byte_noise[SERIES_MAX_SNAPSHOTS];
    struct trend c = series_trend(s, row, false, counts, count_noise);
    struct trend b = s->bytes_known ? series_trend(s, row, true, bytes, byte_noise) : c;
    bool in_count = row->growth == GROWS_IN_COUNT;
    size_t half = in_count ? trend_half(c.n) : trend_half_of_sizes(c.n);
    *tau = trend_tau(in_count ? &c : &b);
    double length = s->x[s->usable_count - 1] - s->x[0];
    return trend_slowing(&b, half) * trend_sustained(&b, half) * length * *tau * *tau;
}

/* Fills in whether it grew once or often. */
static void judge_steps(const struct series *s, struct suspect *to)
{
    double counts[SERIES_MAX_SNAPSHOTS], bytes[SERIES_MAX_SNAPSHOTS];
    double noise[SERIES_MAX_SNAPSHOTS];
    struct trend c = series_trend(s, to->row, false, counts, noise);
    struct trend b = s->bytes_known ? series_trend(s, to->row, true, bytes, noise) : c;
    to->is_jump = trend_is_jump(&c) && trend_is_jump(&b);
    to->is_repeated = trend_rises_often(to->row->growth == GROWS_IN_COUNT ? &c : &b);
}

uint64_t growth_per_iteration(const struct series *s, const struct series_row *row,
                              const uint64_t *iterations)
{
    if (iterations == NULL || row->noise_share != NULL)
        return HD_UNKNOWN;
    uint64_t q = 0;
    for (size_t i = 1; i < s->usable_count; i++) {
        size_t before = s->usable[i - 1], now = s->usable[i];
        if (row->at[now].count <= row->at[before].count)
            return HD_UNKNOWN;
        uint64_t gained = row->at[now].count - row->at[before].count;
        uint64_t rounds = iterations[now] - iterations[before];
        if (gained % rounds != 0 || (q != 0 && gained / rounds != q))
            return HD_UNKNOWN;
        q = gained / rounds;
    }
    return q > 0 ? q : HD_UNKNOWN;
}

static int table_ranking_by_score(const void *a, const void *b)
{
    const struct suspect *x = a, *y = b;
    if (x->score != y->score)
        return x->score < y->score ? 1 : -1;
    if (x->count_delta != y->count_delta)
        return x->count_delta < y->count_delta ? 1 : -1;
    return strcmp(x->row->name, y->row->name);
}

struct ranking growth_rank(const struct series *s, const uint64_t *iterations,
                           struct arena *a)
{
    struct ranking r = {.all = arena_array(a, struct suspect, s->row_count)};
    if (s->usable_count < 2)
        return r;
    size_t first = s->usable[0], last = s->usable[s->usable_count - 1];
    for (size_t i = 0; i < s->row_count; i++) {
        const struct series_row *row = &s->rows[i];
        if (row->growth == GROWS_NOT)
            continue;
        double tau, score = score_of(s, row, &tau);
        if (score <= 0)
            continue;
        r.all[r.len++] = (struct suspect){
            .row = row,
            .score = score,
            .tau = tau,
            .count_delta = (int64_t)(row->at[last].count - row->at[first].count),
            .per_iteration = growth_per_iteration(s, row, iterations)};
        judge_steps(s, &r.all[r.len - 1]);
    }
    qsort(r.all, r.len, sizeof(*r.all), table_ranking_by_score);
    return r;
}

static double weight(const struct series *s, struct hd_tally at)
{
    return (double)(s->bytes_known ? at.bytes : at.count);
}

struct rest_growth table_rest_growth(const struct series *s,
                                     const struct hd_tally *const *suspects, size_t count,
                                     double heap)
{
    double y[SERIES_MAX_SNAPSHOTS];
    for (size_t i = 0; i < s->usable_count; i++) {
        size_t k = s->usable[i];
        y[i] = weight(s, s->totals[k]);
        for (size_t j = 0; j < count; j++)
            y[i] -= weight(s, suspects[j][k]);
    }
    struct trend rest = {s->usable_count, s->x, y, NULL};
    return rest_growth_of(&rest, heap, 0);
}

/* --- native memory (native_memory.h) ------------------------------------------------ */

static const char assembly[] = "System.Reflection.RuntimeAssembly",
                  module[] = "System.Reflection.RuntimeModule";

/* Names of .NET 10, as snapshots spell them. */
static const struct native_memory_kind kinds[] = {
    {assembly, "loaded assemblies", "assembly-not-unloaded"},
    {module, "loaded modules", "assembly-not-unloaded"},
    {"System.Reflection.LoaderAllocator", "collectible load contexts",
     "assembly-not-unloaded"},
    {"System.Runtime.Loader.AssemblyLoadContext", "load contexts", "assembly-not-unloaded"},
    {"System.Runtime.Loader.IndividualAssemblyLoadContext", "load contexts",
     "assembly-not-unloaded"},
    {"System.Reflection.Emit.DynamicResolver", "dynamic methods", "compiled-code-kept"},
    {"System.Threading.Thread", "threads", "thread-never-ends"}};

/* A program derives classes of its own. */
static const struct native_memory_kind handles = {NULL, "handles of the system",
                                                  "handle-not-disposed"};

const struct native_memory_kind *native_memory_kind_of(const char *type,
                                                       enum type_origin origin)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
        if (strcmp(type, kinds[i].type) == 0)
            return origin != ORIGIN_PROGRAM ? &kinds[i] : NULL;
    return strstr(type, "SafeHandle") != NULL ? &handles : NULL;
}

/* True if a type in the heap matches. */
static bool knows(const struct series *s, const char *pattern)
{
    for (size_t i = 0; i < s->row_count; i++)
        if (names_match(pattern, s->rows[i].name))
            return true;
    return false;
}

/* The generator of an assembly per XmlSerializer leaves no object of its own, but its
 * tables show that it is used. */
static const char *hint_of(const struct series *s, const struct native_memory_kind *kind)
{
    bool is_assembly = kind->type == assembly || kind->type == module;
    return is_assembly && knows(s, "*System.Xml.Serialization.TempAssembly*")
               ? "xml-serializer-per-call"
               : kind->hint;
}

static bool rises_always(const struct series *s, const struct series_row *row)
{
    double y[SERIES_MAX_SNAPSHOTS], noise[SERIES_MAX_SNAPSHOTS];
    struct trend t = series_trend(s, row, false, y, noise);
    return row->growth == GROWS_IN_COUNT && trend_tau(&t) >= 1;
}

static bool is_much(const struct series *s, const struct series_row *row)
{
    uint64_t first = row->at[s->usable[0]].count,
             last = row->at[s->usable[s->usable_count - 1]].count;
    return s->usable_count >= rank_by.enough_snapshots &&
           last - first >= rank_by.fewest_native;
}

/* Types of packages with small objects that wrap large memory. A program's own wrapper has
 * a handle below it, which is found by its name. */
static const char *const holders[] = {"*SafeHandle*",
                                      "Microsoft.Win32.SafeHandles.*",
                                      "SkiaSharp.SK*",
                                      "HarfBuzzSharp.*",
                                      "System.Drawing.*",
                                      "ImageMagick.*",
                                      "OpenCvSharp.*",
                                      "Emgu.CV.*",
                                      "NetVips.*",
                                      "PDFtoImage.*",
                                      "Microsoft.Data.Sqlite.*",
                                      "System.Data.SQLite.*",
                                      "SQLitePCL.*",
                                      "RocksDbSharp.*",
                                      "LightningDB.*",
                                      "Confluent.Kafka.*",
                                      "NetMQ.*",
                                      "Grpc.Core.*",
                                      "LibGit2Sharp.*",
                                      "Microsoft.ML.OnnxRuntime.*",
                                      "TorchSharp.*",
                                      "Tensorflow.*",
                                      "System.IO.MemoryMappedFiles.*",
                                      "System.IO.FileStream",
                                      "System.IO.Compression.*",
                                      "System.Net.Security.*",
                                      "System.Net.Sockets.*",
                                      "System.Security.Cryptography.*",
                                      "System.Reflection.RuntimeAssembly",
                                      "System.Runtime.InteropServices.GCHandle*"};

static bool is_holder(const char *type)
{
    for (size_t i = 0; i < sizeof(holders) / sizeof(*holders); i++)
        if (names_match(holders[i], type))
            return true;
    return false;
}

const struct series_row *native_memory_holder_of(const struct series *s)
{
    const struct series_row *best = NULL;
    uint64_t most = 0;
    for (size_t i = 0; i < s->row_count; i++) {
        const struct series_row *row = &s->rows[i];
        if (!rises_always(s, row) || !is_much(s, row) || !is_holder(row->name))
            continue;
        uint64_t gained =
            row->at[s->usable[s->usable_count - 1]].count - row->at[s->usable[0]].count;
        if (gained > most || (gained == most && strcmp(row->name, best->name) < 0)) {
            most = gained;
            best = row;
        }
    }
    return best;
}

struct native_memory_growth *native_memory_growths_of(const struct series *s, size_t *count,
                                                      struct arena *a)
{
    struct native_memory_growth *all =
        arena_array(a, struct native_memory_growth, s->row_count);
    *count = 0;
    for (size_t i = 0; i < s->row_count && s->usable_count >= rank_by.some_snapshots; i++) {
        const struct series_row *row = &s->rows[i];
        const struct native_memory_kind *kind =
            native_memory_kind_of(row->name, ORIGIN_UNKNOWN);
        if (kind == NULL || !rises_always(s, row) ||
            native_memory_kind_of(row->name,
                                  type_origin_in(s->snaps, s->count, row->name)) == NULL)
            continue;
        all[(*count)++] =
            (struct native_memory_growth){kind, row, hint_of(s, kind), is_much(s, row)};
    }
    /* each assembly has its module */
    size_t kept = 0;
    bool assemblies = false;
    for (size_t i = 0; i < *count; i++)
        assemblies |= all[i].kind->type == assembly;
    for (size_t i = 0; i < *count; i++)
        if (!assemblies || all[i].kind->type != module)
            all[kept++] = all[i];
    *count = kept;
    return all;
}
