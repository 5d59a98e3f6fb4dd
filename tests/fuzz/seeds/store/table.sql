CREATE TABLE series (id INTEGER PRIMARY KEY, run, service, host, process, pid, started_at, build, labels, instance, memory_limit, owner AS ('x'))
