-- The tables of a store, for every database: docs/store.md says what they mean.
--
-- Steps, each of which brings a store of the version before forward; a new one goes through
-- all of them. A step is never changed once it was released: write another below. Words in
-- braces are the database's own (struct database); statements end with a semicolon at the end of a line.

-- version 1
CREATE TABLE heapdrift_store (
    version INTEGER NOT NULL,
    thinned_at DOUBLE PRECISION NOT NULL
);
INSERT INTO heapdrift_store (version, thinned_at) VALUES (1, 0);
CREATE TABLE series (
    id {id},
    run {text} NOT NULL UNIQUE,
    service {text} NOT NULL,
    host {text} NOT NULL,
    process {text} NOT NULL,
    pid BIGINT,
    started_at DOUBLE PRECISION,
    build {text} NOT NULL,
    labels {text} NOT NULL
);
CREATE TABLE snapshot (
    id {id},
    series_id BIGINT NOT NULL REFERENCES series (id),
    taken_at DOUBLE PRECISION NOT NULL,
    xxh3 {text} NOT NULL UNIQUE,
    objects BIGINT,
    bytes BIGINT,
    reachable_bytes BIGINT,
    complete BOOLEAN NOT NULL,
    sampled BOOLEAN NOT NULL,
    digest {bytes} NOT NULL
);
CREATE TABLE type (
    id {id},
    name {text} NOT NULL UNIQUE
);
-- No reference to type: a database that locks what is referred to would have every writer wait
-- for System.String.
CREATE TABLE type_row (
    snapshot_id BIGINT NOT NULL REFERENCES snapshot (id),
    type_id BIGINT NOT NULL,
    objects BIGINT,
    bytes BIGINT,
    PRIMARY KEY (snapshot_id, type_id)
);
CREATE TABLE finding (
    series_id BIGINT NOT NULL REFERENCES series (id),
    window_first DOUBLE PRECISION NOT NULL,
    window_last DOUBLE PRECISION NOT NULL,
    rank INTEGER NOT NULL,
    type_id BIGINT NOT NULL,
    subject {text} NOT NULL,
    score DOUBLE PRECISION,
    score_share DOUBLE PRECISION,
    per_hour DOUBLE PRECISION,
    confidence {text} NOT NULL,
    holder {text} NOT NULL,
    PRIMARY KEY (series_id, rank)
);

-- version 2
-- What a fleet asks besides, and an index for each question that a dashboard asks.
ALTER TABLE series ADD COLUMN instance {text} NOT NULL DEFAULT '';
ALTER TABLE series ADD COLUMN memory_limit BIGINT;
ALTER TABLE snapshot ADD COLUMN pause_seconds DOUBLE PRECISION;
ALTER TABLE snapshot ADD COLUMN recorded_at DOUBLE PRECISION NOT NULL DEFAULT 0;
CREATE INDEX series_by_service ON series (service, host, COALESCE(started_at, 0), COALESCE(pid, 0), id);
CREATE INDEX snapshot_by_series ON snapshot (series_id, taken_at);
CREATE INDEX snapshot_by_time ON snapshot (taken_at);
CREATE INDEX type_row_by_type ON type_row (type_id, snapshot_id);
CREATE INDEX finding_by_type ON finding (type_id);

-- version 3
-- Since then a store says itself which programs may use it: those of this version and later.
-- A later step sets it to what it leaves usable.
ALTER TABLE heapdrift_store ADD COLUMN accepts_version INTEGER NOT NULL DEFAULT 3;
-- Digests and rows as what differs from those of a base, an earlier snapshot of the series
-- that has all of both: most are the same. A base stays as long as another needs it.
ALTER TABLE snapshot ADD COLUMN base_id BIGINT REFERENCES snapshot (id);
CREATE INDEX snapshot_by_base ON snapshot (base_id) WHERE base_id IS NOT NULL;
CREATE INDEX snapshot_whole ON snapshot (series_id, taken_at) WHERE base_id IS NULL;
-- All rows of each snapshot. A type that the base lacks has a row of 0 there.
CREATE VIEW type_size (snapshot_id, type_id, objects, bytes) AS
    SELECT snapshot.id, base.type_id,
        CASE WHEN own.type_id IS NULL THEN base.objects ELSE own.objects END,
        CASE WHEN own.type_id IS NULL THEN base.bytes ELSE own.bytes END
    FROM snapshot
    JOIN type_row AS base ON base.snapshot_id = COALESCE(snapshot.base_id, snapshot.id)
    LEFT JOIN type_row AS own ON own.snapshot_id = snapshot.id AND own.type_id = base.type_id;
-- As large as the rows, and nobody asks for a type alone.
DROP INDEX type_row_by_type;

-- version 4
-- Who recorded a series: on a server the role, in a file the machine; '' before this version. Programs
-- of the version before leave it to the default, and go on.
ALTER TABLE series ADD COLUMN owner {text} NOT NULL DEFAULT '';
{server} ALTER TABLE series ALTER COLUMN owner SET DEFAULT CURRENT_USER;
-- A role adds to its own series, and to those of nobody; who may delete a table's rows may do so
-- to all. The table is meant by its number, so no table of that name in another schema is asked about.
{server} ALTER TABLE series ENABLE ROW LEVEL SECURITY;
{server} ALTER TABLE snapshot ENABLE ROW LEVEL SECURITY;
{server} ALTER TABLE type_row ENABLE ROW LEVEL SECURITY;
{server} CREATE POLICY reads ON series FOR SELECT USING (true);
{server} CREATE POLICY reads ON snapshot FOR SELECT USING (true);
{server} CREATE POLICY reads ON type_row FOR SELECT USING (true);
{server} CREATE POLICY removes ON series FOR DELETE USING (true);
{server} CREATE POLICY removes ON snapshot FOR DELETE USING (true);
{server} CREATE POLICY removes ON type_row FOR DELETE USING (true);
{server} CREATE POLICY adds ON series FOR INSERT WITH CHECK (owner = CURRENT_USER);
{server} CREATE POLICY changes ON series FOR UPDATE
    USING (owner IN ('', CURRENT_USER) OR (SELECT has_table_privilege('series'::regclass, 'DELETE')))
    WITH CHECK (owner IN ('', CURRENT_USER) OR (SELECT has_table_privilege('series'::regclass, 'DELETE')));
{server} CREATE POLICY adds ON snapshot FOR INSERT WITH CHECK (EXISTS (SELECT 1 FROM series
    WHERE series.id = series_id AND owner IN ('', CURRENT_USER)));
{server} CREATE POLICY adds ON type_row FOR INSERT WITH CHECK (EXISTS (SELECT 1 FROM snapshot
    JOIN series ON series.id = series_id WHERE snapshot.id = snapshot_id AND owner IN ('', CURRENT_USER)));
