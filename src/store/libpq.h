/* libpq.h - PostgreSQL's library, loaded when a URL first asks for it: linked, it would
 * cost every run of the program the start of OpenSSL, Kerberos and LDAP. Only where its
 * header is there, and never in a static program, which can load nothing. */
#ifndef LIBPQ_H
#define LIBPQ_H

#if !defined(HD_STATIC) && __has_include(<postgresql/libpq-fe.h>)
#include <postgresql/libpq-fe.h>
#define HAVE_LIBPQ
#elif !defined(HD_STATIC) && __has_include(<libpq-fe.h>)
#include <libpq-fe.h>
#define HAVE_LIBPQ
#endif

#ifdef HAVE_LIBPQ

#include "heapdrift.h"

/* What is used of it. */
#define LIBPQ_FUNCTIONS(F)  \
    F(PQconninfoParse)      \
    F(PQconninfoFree)       \
    F(PQconnectdbParams)    \
    F(PQfinish)             \
    F(PQstatus)             \
    F(PQerrorMessage)       \
    F(PQsetNoticeProcessor) \
    F(PQexecParams)         \
    F(PQresultStatus)       \
    F(PQresultErrorField)   \
    F(PQclear)              \
    F(PQntuples)            \
    F(PQgetisnull)          \
    F(PQgetvalue)           \
    F(PQgetlength)          \
    F(PQunescapeBytea)      \
    F(PQfreemem)

struct libpq {
#define LIBPQ_MEMBER(name) __typeof__(&(name)) name;
    LIBPQ_FUNCTIONS(LIBPQ_MEMBER)
#undef LIBPQ_MEMBER
};

/* False and err if it is not there, or lacks one of them. It stays loaded. */
bool libpq_load(struct libpq *pq, struct hd_error *err);

#endif
#endif
