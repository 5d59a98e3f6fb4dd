/* run_facts.h - the facts of a run that a store keeps beside its snapshots: of options, of
 * the environment that services run in, of Kubernetes and of control groups. What is told
 * by a person wins over what is found. It knows no database. */
#ifndef RUN_FACTS_H
#define RUN_FACTS_H

#include "collect/live/collecting.h"
#include "heapdrift_store.h"

/* {0} is none. */
struct run_facts {
    struct hd_run run;   /* NULL, HD_UNKNOWN, NAN: unknown */
    const char *problem; /* a line about what was there and could not be understood; NULL */
    char **strings;      /* of all that */
    size_t string_count;
    struct hd_label *labels;
    size_t label_bytes;
};

/* Of a process that runs: options, its environment, ours. What the snapshot says itself
 * (host, process, start) is left to hd_store_record(), but for a --host. With --all our
 * environment is that of none of them: of it only the node's name counts, and --service
 * says which are meant, not what they are called. owner: hd_process.owner, which becomes a
 * label whatever the environment says; HD_UNKNOWN: none. */
void run_facts_of(struct run_facts *f, const struct settings *s, uint64_t pid,
                  uint64_t owner);

/* What its environment says alone. */
void run_facts_of_process(struct run_facts *f, uint64_t pid);

/* Of a snapshot that somebody took: options, what it says, our environment. */
void run_facts_of_snapshot(struct run_facts *f, const struct settings *s,
                           struct hd_snapshot *snap);

void run_facts_free(struct run_facts *f);

/* --- parts: each adds what is not known yet ------------------------------------------ */

void run_facts_begin(struct run_facts *f);
void run_facts_add_options(struct run_facts *f, const struct settings *s);

/* Variables, "NAME=VALUE", one behind the other with a NUL behind each, as in
 * /proc/PID/environ: OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES, POD_NAME and its like,
 * DOTNET_GCHeapHardLimit. */
void run_facts_read_environment(struct run_facts *f, const char *variables, size_t size);

/* What the downward API of Kubernetes has written to the folder, usually
 * RUN_FACTS_PODINFO. */
void run_facts_read_pod(struct run_facts *f, const char *folder);
#define RUN_FACTS_PODINFO SANDBOX_PODINFO

/* The memory that its control group allows a process. root is "" or a test's. */
void run_facts_read_group(struct run_facts *f, const char *root, uint64_t pid);

#endif
