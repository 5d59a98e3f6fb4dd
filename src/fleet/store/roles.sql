-- What the roles of docs/store.md ("Rights and secrets") need since a version, for upgrades.

-- heapdrift_writer from version 3
GRANT SELECT (accepts_version) ON heapdrift_store TO heapdrift_writer;

-- heapdrift_writer from version 4
GRANT SELECT (owner) ON series TO heapdrift_writer;
GRANT UPDATE (owner) ON series TO heapdrift_writer;

-- heapdrift_reader from version 3
GRANT SELECT ON type_size TO heapdrift_reader;
