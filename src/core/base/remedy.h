/* remedy.h - what to do instead, behind why a file is refused. */
#ifndef REMEDY_H
#define REMEDY_H

#define TAKE_GCDUMP \
    "; take a gcdump of the process with `heapdrift collect PID -o app.gcdump`"

#endif
