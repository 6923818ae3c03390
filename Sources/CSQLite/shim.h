#pragma once
#include <sqlite3.h>

/* Variadic functions and macros with casts, which Swift can't reach. */

static inline int folio_sqlite3_config(int option, int value) {
    return sqlite3_config(option, value);
}

static inline int folio_sqlite3_db_config(sqlite3 *db, int option, int value, int *answer) {
    return sqlite3_db_config(db, option, value, answer);
}

static inline int folio_sqlite3_vtab_config(sqlite3 *db, int option) {
    return sqlite3_vtab_config(db, option, 0);
}

static inline sqlite3_destructor_type folio_sqlite3_transient(void) {
    return SQLITE_TRANSIENT;
}

/* A copy that SQLite frees by sqlite3_free, as it wants messages of virtual tables. */
static inline char *folio_sqlite3_copy(const char *text) {
    return sqlite3_mprintf("%s", text);
}
