-- heapdrift_writer: watch, collect --store, record. Adds snapshots. Reads no digest, changes and
-- removes nothing but the labels and the limit of a series: for sidecars.
GRANT USAGE ON SCHEMA {schema} TO heapdrift_writer;
GRANT SELECT (version) ON heapdrift_store TO heapdrift_writer;
GRANT SELECT (id, run, labels, memory_limit) ON series TO heapdrift_writer;
GRANT INSERT ON series TO heapdrift_writer;
GRANT UPDATE (labels, memory_limit) ON series TO heapdrift_writer;
GRANT SELECT (id, xxh3, series_id) ON snapshot TO heapdrift_writer;
-- Can do without, but would make a digest of what is recorded already.
GRANT SELECT (taken_at) ON snapshot TO heapdrift_writer;
GRANT INSERT ON snapshot TO heapdrift_writer;
GRANT SELECT (id, name) ON type TO heapdrift_writer;
GRANT INSERT ON type TO heapdrift_writer;
GRANT INSERT ON type_row TO heapdrift_writer;

-- heapdrift_writer from version 3
-- Can do without, until it is older than the store.
GRANT SELECT (accepts_version) ON heapdrift_store TO heapdrift_writer;
-- watch remembers the digests that it builds others on. collect and record, which end behind theirs, would
-- have to read the last whole one of the series, and store each whole without. A digest has names and no
-- values, but of all services:
--   GRANT SELECT (digest, base_id) ON snapshot TO heapdrift_writer;

-- heapdrift_writer from version 4
-- Row security asks who recorded a series: a role adds to its own only. A series from before is of whoever
-- adds to it first.
GRANT SELECT (owner) ON series TO heapdrift_writer;
GRANT UPDATE (owner) ON series TO heapdrift_writer;

-- heapdrift_reader: fleet, store check, dashboards. Reads all.
GRANT USAGE ON SCHEMA {schema} TO heapdrift_reader;
GRANT SELECT ON heapdrift_store TO heapdrift_reader;
GRANT SELECT ON series TO heapdrift_reader;
GRANT SELECT ON snapshot TO heapdrift_reader;
-- Can do without: for store check and dashboards.
GRANT SELECT ON type, type_row, finding TO heapdrift_reader;

-- heapdrift_reader from version 3
-- Can do without: for dashboards.
GRANT SELECT ON type_size TO heapdrift_reader;

-- heapdrift_keeper: fleet --save, record --keep. Reads, removes, adds findings and no snapshots:
-- for the nightly job.
GRANT USAGE ON SCHEMA {schema} TO heapdrift_keeper;
GRANT SELECT ON heapdrift_store TO heapdrift_keeper;
GRANT UPDATE (thinned_at) ON heapdrift_store TO heapdrift_keeper;
GRANT SELECT ON series TO heapdrift_keeper;
-- To lock a row takes the right to change some column of it.
GRANT UPDATE (memory_limit) ON series TO heapdrift_keeper;
GRANT DELETE ON series TO heapdrift_keeper;
GRANT SELECT ON snapshot TO heapdrift_keeper;
GRANT DELETE ON snapshot TO heapdrift_keeper;
GRANT SELECT (id, name) ON type TO heapdrift_keeper;
GRANT INSERT ON type TO heapdrift_keeper;
GRANT SELECT (snapshot_id) ON type_row TO heapdrift_keeper;
GRANT DELETE ON type_row TO heapdrift_keeper;
GRANT SELECT (series_id, window_last) ON finding TO heapdrift_keeper;
GRANT INSERT ON finding TO heapdrift_keeper;
GRANT DELETE ON finding TO heapdrift_keeper;
