#!/bin/sh
# A PostgreSQL of our own for tests: in a temporary folder, on a socket in it, as a user
# that is not root (initdb refuses that).
#
#   folder=$(tests/store/postgres.sh start)   make one and wait for it; prints its folder
#   tests/store/postgres.sh url FOLDER        what --store takes
#   tests/store/postgres.sh sql FOLDER SQL    ask it: rows without a head, columns by |
#   tests/store/postgres.sh crash FOLDER      kill it, as if the machine lost its processes
#   tests/store/postgres.sh resume FOLDER     start it again
#   tests/store/postgres.sh stop FOLDER       end it and remove the folder
#
# Status 77 where no PostgreSQL is installed (scripts/install-deps.sh postgresql).
set -eu

bin=
for at in /usr/lib/postgresql/*/bin; do [ ! -x "$at/initdb" ] || bin=$at; done
if [ -z "$bin" ]; then
    echo "no PostgreSQL here: scripts/install-deps.sh postgresql" >&2
    exit 77
fi

# Who is root becomes nobody.
as_user() {
    if [ "$(id -u)" -eq 0 ]; then
        (cd / && HOME=$folder setpriv --reuid=65534 --regid=65534 --clear-groups "$@")
    else
        (cd / && "$@")
    fi
}

# What would be lost without power need not be safe here.
run() {
    as_user "$bin/pg_ctl" -D "$folder/data" -l "$folder/log" -w -t 60 -s start -o \
        "-k '$folder' -c listen_addresses='' -c fsync=off -c max_connections=${PG_CONNECTIONS:-100}" \
        >"$folder/start" 2>&1 3>&- </dev/null || {
        cat "$folder/start" "$folder/log" >&2
        return 1
    }
}

start() {
    # A socket's name has 107 characters at most, so not below the folders of tests.
    folder=$(mktemp -d /tmp/heapdrift-postgres-XXXXXX)
    [ "$(id -u)" -ne 0 ] || chown 65534:65534 "$folder"
    # Who asks may be another user than the server.
    chmod 755 "$folder"
    as_user "$bin/initdb" -D "$folder/data" -U heapdrift -A trust -E UTF8 --locale=C.UTF-8 --no-sync \
        >"$folder/initdb" 2>&1 || {
        cat "$folder/initdb" >&2
        rm -rf "$folder"
        return 1
    }
    run || {
        rm -rf "$folder"
        return 1
    }
    sql "CREATE DATABASE heapdrift" postgres >/dev/null
    echo "$folder"
}

sql() {
    psql -X -q -A -t -v ON_ERROR_STOP=1 "postgresql:///${2:-heapdrift}?host=$folder&user=heapdrift" -c "$1"
}

what=${1:-}
folder=${2:-}
[ "$what" = start ] || [ -d "$folder/data" ] || {
    echo "usage: $0 start | url|sql|crash|resume|stop FOLDER" >&2
    exit 2
}
case $what in
start) start ;;
url) echo "postgresql:///heapdrift?host=$folder&user=heapdrift" ;;
sql) sql "$3" ;;
crash) as_user "$bin/pg_ctl" -D "$folder/data" -m immediate -w -s stop ;;
resume) run ;;
stop)
    as_user "$bin/pg_ctl" -D "$folder/data" -m immediate -w -s stop || true
    rm -rf "$folder"
    ;;
*)
    echo "usage: $0 start | url|sql|crash|resume|stop FOLDER" >&2
    exit 2
    ;;
esac
