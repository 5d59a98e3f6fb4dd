/* The house fleet in a build without it: no answer of its kind is ever made. */
#include "document/build.h"
#include "heapdrift_fleet.h"
#include "render/writer.h"
#include "report/records.h"

void build_fleet(struct build *b)
{
    (void)b;
}

void csv_fleet(struct csv_writer *csv, const struct hd_fleet_answer *a)
{
    (void)csv, (void)a;
}

const struct record record_fleet = {0};
const struct writer write_prometheus = {
    .name = "prometheus", .summary = PROMETHEUS_SUMMARY, .holds = HOLDS_FLEETS};

bool hd_format_is_for_fleet(size_t i)
{
    return hd_format_name(i) != NULL && writers[i]->holds == HOLDS_FLEETS;
}

/* A word of the command line: what is a password in it is not known. */
void hd_store_put_public_url(struct hd_sink to, const char *url)
{
    (void)to, (void)url;
}
