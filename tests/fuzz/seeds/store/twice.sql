INSERT INTO series (run, service, host, process, build, labels) SELECT run || 'x', service, host, process, build, labels FROM series;
