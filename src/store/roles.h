/* roles.h - who may do what in a store on a server: the least that each needs (roles.sql),
 * for people as SQL, and for an upgrade, which takes nobody a right that it needs then. */
#ifndef STORE_ROLES_H
#define STORE_ROLES_H

#include "store/store.h"

/* In the transaction of an upgrade: give the roles what steps behind version `from` take,
 * if they are there and had what that version took. */
bool roles_bring_forward(struct hd_store *s, int64_t from, struct hd_error *err);

#endif
