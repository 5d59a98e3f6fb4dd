#include "fuzz/harness.h"

#include "fuzz/meter.h"
#include "fuzz/surfaces.h"

#include <string.h>

static const struct harness gcdump = {"gcdump", surface_snapshots};
static const struct harness nettrace = {"nettrace", surface_snapshots};
static const struct harness core = {"core", surface_snapshots};
static const struct harness types = {"types", surface_types};
static const struct harness symbols = {"symbols", surface_symbols};
static const struct harness text = {"text", surface_snapshots};
static const struct harness table = {"table", surface_snapshots};
static const struct harness digest = {"digest", surface_snapshots};
static const struct harness packed = {"packed", surface_packed};
static const struct harness session = {"session", surface_session};
static const struct harness delta = {"delta", surface_delta};
static const struct harness store = {"store", surface_store};
static const struct harness budget = {"budget", surface_budget};
static const struct harness baseline = {"baseline", surface_baseline};
static const struct harness options = {"options", surface_options};
static const struct harness peer = {"peer", surface_peer};
static const struct harness movement = {"movement", surface_movement};
static const struct harness writers = {"writers", surface_writers};

const struct harness *const harnesses[] = {
    &gcdump,  &nettrace, &core,     &types,   &symbols, &text,   &table,
    &digest,  &packed,   &session,  &delta,   &store,   &budget, &baseline,
    &options, &peer,     &movement, &writers, NULL};

const struct harness *harness_named(const char *name)
{
    for (size_t i = 0; harnesses[i] != NULL; i++)
        if (strcmp(harnesses[i]->name, name) == 0)
            return harnesses[i];
    return NULL;
}

void harness_run(const struct harness *h, struct bytes input)
{
    meter_begin(input.size);
    h->run(input);
    meter_end();
}
