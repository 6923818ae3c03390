/*
 * folio.h: documents of objects for programs in any language.
 *
 *     folio_error *error = NULL;
 *     folio_document *library = folio_document_open("Library.folio", NULL, &error);
 *     folio_object *book = folio_document_insert(library, "Book", &error);
 *     folio_value title = folio_text("Middlemarch");
 *     folio_object_set(book, "title", &title, &error);
 *     folio_document_save(library, &error);
 *     folio_object_free(book);
 *     folio_document_free(library);
 *
 * Results and errors. A function that can fail returns a folio_status or a pointer, and takes a
 * folio_error ** as its last parameter, which may be NULL. It returns FOLIO_OK or a pointer on
 * success. On failure it returns another status or NULL and, if an error pointer was given, stores
 * an error there, which the caller frees with folio_error_free(). On success the error pointer is
 * not touched.
 *
 * Handles. Pointers to the incomplete types below are handles. Each has one function that frees it;
 * NULL may be freed. A handle that was freed, and NULL, are answered with FOLIO_USAGE as long as
 * the handle's memory was not given to another handle. Handles of objects and of results answer
 * with FOLIO_USAGE after their document was closed or its handle freed, and are freed all the same.
 *
 * Memory. Text is UTF-8 that ends with a zero byte. A char * that is returned belongs to the caller,
 * who frees it with folio_string_free(). A const char * in a structure about a document, an entity
 * or a property is valid until the document's handle is freed. Text and bytes in a folio_value are
 * valid until the next call that reads values through the same handle, or frees it.
 *
 * Threads. A document is a monitor: every function may be called on any thread, and calls on one
 * document are executed one at a time, on the threads of their callers. While a call waits for
 * files to be written, other calls on the document are executed. A handle of an object, of results
 * or of a stream is for one thread at a time. A handle must not be freed while another thread uses
 * it.
 *
 * Functions of the caller. Handlers and completions, which folio_document_dispatch() calls, may call
 * any function except folio_document_dispatch() on the same document. A folio_source may call any
 * function except those that free the object or the document. `ask` is called before the document
 * has a handle. A folio_dispatcher must not call functions of the library.
 *
 * Processes. A process that was forked after the library was used has none of its threads, and can't
 * use it: calls return FOLIO_USAGE. Handles may be freed there, which has no effect on the documents
 * of the parent. A new program (exec, posix_spawn) may do everything.
 *
 * The library never prints, never ends the process and installs no signal handlers. Symbols are
 * added to it but not removed.
 */
#ifndef FOLIO_H
#define FOLIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Library ---------------------------------------------------------------------------------- */

/* The version of the library, such as "0.3.0". */
const char *folio_version(void);

/* The number of handles that were not freed, errors included: 0 at the end of a program without
 * leaks. */
size_t folio_handle_count(void);

/* Frees text that a function returned. */
void folio_string_free(char *text);

/* ---- Errors ----------------------------------------------------------------------------------- */

/* The result of a call, with the numbers that the command `folio` exits with. */
typedef enum folio_status {
    FOLIO_OK = 0,
    FOLIO_USAGE = 64,          /* The call is wrong: NULL, a freed handle, an unknown key, ... */
    FOLIO_MALFORMED = 65,      /* The document is malformed, or a validation rule is violated. */
    FOLIO_NOT_FOUND = 66,      /* There is no such document, version or object. */
    FOLIO_UNAVAILABLE = 69,    /* Not possible for this kind of document. */
    FOLIO_SOFTWARE = 70,       /* An error of the library itself. */
    FOLIO_CANNOT_CREATE = 73,  /* Something exists where a file is to be created. */
    FOLIO_IO = 74,             /* Reading or writing failed, or the disk is full. */
    FOLIO_TRY_LATER = 75,      /* Locked, changed by another program, or unsaved work was left. */
    FOLIO_NEWER = 76,          /* The document is newer than the library. */
    FOLIO_PERMISSION = 77,     /* Permission denied, or open for reading only. */
    FOLIO_MODEL_MISMATCH = 78, /* The document has another model: it needs a migration. */
    FOLIO_CANCELLED = 130      /* The caller canceled the operation. */
} folio_status;

typedef struct folio_error folio_error;

/* The status that the function returned or, if it returns a pointer, would have returned. */
folio_status folio_error_status(const folio_error *error);
/* A word that identifies the error, such as "locked" or "validation". */
const char *folio_error_code(const folio_error *error);
/* An explanation for people. */
const char *folio_error_message(const folio_error *error);
/* The file that the error is about; NULL for none. */
const char *folio_error_path(const folio_error *error);
/* What can be done; NULL if nothing is known. */
const char *folio_error_hint(const folio_error *error);
/* Details as a JSON object, such as the holder of a lock, the position of an error in the text of
 * a predicate, or the validation rules that are violated. */
const char *folio_error_detail(const folio_error *error);
void folio_error_free(folio_error *error);

/* ---- Progress --------------------------------------------------------------------------------- */

/* Shows the progress of operations, and cancels them. */
typedef struct folio_progress folio_progress;

folio_progress *folio_progress_create(void);
/* Has `progress` show and cancel the operations that the calling thread starts from now on: saves,
 * copies and migrations, also those that folio_document_open() and folio_document_start_save() begin.
 * NULL for none, as at first. It is for one thread and one operation at a time. */
folio_status folio_progress_use(folio_progress *progress, folio_error **error);
/* The part of the operation, or of its present stage, that is done: from 0 to 1. NaN for a handle
 * that was freed. May be called on any thread at any time. */
double folio_progress_fraction(const folio_progress *progress);
/* Cancels the operation that is being executed and those that are started later. Their functions
 * return FOLIO_CANCELLED, and nothing is changed. An operation that has passed its commit ends as if
 * it was not canceled. May be called on any thread at any time. */
void folio_progress_cancel(folio_progress *progress);
void folio_progress_free(folio_progress *progress);

/* ---- Values ----------------------------------------------------------------------------------- */

/* The name of an object in its document: its entity, as an index into the entities of the model,
 * and its primary key. The key is negative, and changes with the first save, for a new object. */
typedef struct folio_reference {
    int64_t key;
    int32_t entity;
} folio_reference;

typedef enum folio_type {
    FOLIO_NULL = 0,
    FOLIO_INTEGER,    /* integer: of any width */
    FOLIO_BOOLEAN,    /* boolean */
    FOLIO_DOUBLE,     /* number */
    FOLIO_FLOAT,      /* number */
    FOLIO_DECIMAL,    /* text: the decimal number in plain notation */
    FOLIO_DATE,       /* number: seconds since 2001-01-01 00:00 UTC */
    FOLIO_STRING,     /* text */
    FOLIO_BYTES,      /* bytes: also the stored bytes of a transformable attribute */
    FOLIO_UUID,       /* uuid */
    FOLIO_URI,        /* text */
    FOLIO_LARGE,      /* integer: the size in bytes, -1 if its file is missing; read it with a
                         folio_stream */
    FOLIO_COMPOSITE,  /* members */
    FOLIO_REFERENCE,  /* reference: a to-one relationship */
    FOLIO_REFERENCES, /* references: a to-many relationship */
    FOLIO_LIST        /* list: only in arguments of predicates */
} folio_type;

typedef struct folio_value folio_value;
typedef struct folio_member folio_member;

/* The value of a property. Which member of the union is valid is written above. */
struct folio_value {
    int32_t type; /* folio_type */
    union {
        int64_t integer;
        bool boolean;
        double number;
        struct { const char *data; size_t size; } text; /* also ends with a zero byte */
        struct { const void *data; size_t size; } bytes;
        uint8_t uuid[16];
        folio_reference reference;
        struct { const folio_reference *items; size_t count; } references;
        struct { const folio_member *items; size_t count; } members;
        struct { const folio_value *items; size_t count; } list;
    } as;
};

/* A part of a composite value. */
struct folio_member {
    const char *name;
    folio_value value;
};

static inline folio_value folio_null(void) {
    folio_value value;
    memset(&value, 0, sizeof value);
    return value;
}

static inline folio_value folio_integer(int64_t integer) {
    folio_value value = folio_null();
    value.type = FOLIO_INTEGER;
    value.as.integer = integer;
    return value;
}

static inline folio_value folio_boolean(bool boolean) {
    folio_value value = folio_null();
    value.type = FOLIO_BOOLEAN;
    value.as.boolean = boolean;
    return value;
}

static inline folio_value folio_double(double number) {
    folio_value value = folio_null();
    value.type = FOLIO_DOUBLE;
    value.as.number = number;
    return value;
}

static inline folio_value folio_date(double seconds) {
    folio_value value = folio_null();
    value.type = FOLIO_DATE;
    value.as.number = seconds;
    return value;
}

/* Text that ends with a zero byte; it is not copied. */
static inline folio_value folio_text(const char *text) {
    folio_value value = folio_null();
    value.type = FOLIO_STRING;
    value.as.text.data = text;
    value.as.text.size = text ? strlen(text) : 0;
    return value;
}

static inline folio_value folio_bytes(const void *data, size_t size) {
    folio_value value = folio_null();
    value.type = FOLIO_BYTES;
    value.as.bytes.data = data;
    value.as.bytes.size = size;
    return value;
}

static inline folio_value folio_object_value(folio_reference reference) {
    folio_value value = folio_null();
    value.type = FOLIO_REFERENCE;
    value.as.reference = reference;
    return value;
}

/* ---- Documents: open, create, close ----------------------------------------------------------- */

typedef struct folio_document folio_document;

/* A document that is opened for reading shows the newest state that was written, work that an editor
 * has only autosaved included; `has_autosaved_work` of its information tells. Once observation is
 * started (folio_document_set_policy), it follows the saves of other programs, and of a package the
 * autosaves, too. */
typedef enum folio_mode { FOLIO_EDITING = 0, FOLIO_READING = 1 } folio_mode;

/* The treatment of work that a former editor autosaved and never saved. */
typedef enum folio_recovery {
    FOLIO_RECOVERY_REFUSE = 0, /* Opening fails with FOLIO_TRY_LATER, code "recoverable". */
    FOLIO_RECOVERY_KEEP = 1,   /* The document has the work as unsaved changes. */
    FOLIO_RECOVERY_DISCARD = 2 /* The document is in its last saved state. */
} folio_recovery;

/* The treatment of a document whose model is not the one in `model`. */
typedef enum folio_migration {
    FOLIO_MIGRATION_NONE = 0,      /* The document keeps its model. `model` is for stores that carry
                                      none, and must fit. */
    FOLIO_MIGRATION_REFUSE = 1,    /* Opening fails with FOLIO_MODEL_MISMATCH. */
    FOLIO_MIGRATION_AUTOMATIC = 2, /* The document is migrated. Its old state is kept as a version,
                                      or as a copy beside it. */
    FOLIO_MIGRATION_ASK = 3,       /* As AUTOMATIC if `ask` returns true, otherwise as REFUSE. */
    FOLIO_MIGRATION_READING_COPY = 4 /* A migrated copy is opened for reading. */
} folio_migration;

/* Options of folio_document_open(). Set all of it to zero, then `size`. */
typedef struct folio_open_options {
    size_t size;               /* sizeof(folio_open_options) */
    folio_mode mode;
    folio_recovery recovery;
    folio_migration migration;
    const char *model;         /* A model file, one version of it (FILE#Name), or a document; NULL for
                                  the document's own model. */
    /* Asked before a migration, with the steps and the losses as a JSON object. Called on the
     * thread that opens the document. */
    bool (*ask)(void *context, const char *plan);
    void *context;
    bool is_version;           /* Whether the earlier version `version` is opened, for reading, instead
                                  of the newest state. FOLIO_USAGE with a recovery or a migration. */
    int64_t version;           /* The generation of the version; the one that a document was created
                                  with has 0. */
} folio_open_options;

/* Opens a document of any kind: a package, an archive or a bare Core Data store. `options` may be
 * NULL: the document is opened for editing. Fails with FOLIO_TRY_LATER if another program is
 * editing it ("locked", with the holder in the detail) or left unsaved work ("recoverable"). */
folio_document *folio_document_open(const char *path, const folio_open_options *options,
                                    folio_error **error);

typedef enum folio_form {
    FOLIO_FORM_DEFAULT = 0, /* By the extension: .folioz archive, .sqlite store, .xml XML store,
                               otherwise package; for save-as and copies of another extension, the
                               form of the document. */
    FOLIO_FORM_PACKAGE = 1,
    FOLIO_FORM_ARCHIVE = 2,
    FOLIO_FORM_SQLITE = 3,
    FOLIO_FORM_BINARY = 4,
    FOLIO_FORM_XML = 5
} folio_form;

/* Creates a document without objects, with the model in the file or document `model`, and opens it
 * for editing. Fails with FOLIO_CANNOT_CREATE if something exists at the path and `replace` is
 * false. */
folio_document *folio_document_create(const char *path, const char *model, folio_form form,
                                      bool replace, folio_error **error);

typedef enum folio_close {
    FOLIO_CLOSE_POLICY = 0, /* As the policy of folio_document_set_policy() says, else KEEP. */
    FOLIO_CLOSE_SAVE = 1,   /* Unsaved work is saved. */
    FOLIO_CLOSE_KEEP = 2,   /* It is autosaved, and can be recovered by the next opening. */
    FOLIO_CLOSE_DISCARD = 3 /* It is discarded. */
} folio_close;

/* Closes the document and releases its lock. If it fails before the files are closed, the document
 * stays open. The handle stays valid for folio_document_is_open() and folio_document_free(). */
folio_status folio_document_close(folio_document *document, folio_close work, folio_error **error);

/* Whether the document is open. False for a handle that was freed. */
bool folio_document_is_open(folio_document *document);

/* Frees the handle. A document that is open is closed before, as with FOLIO_CLOSE_POLICY. If that
 * fails, unsaved work is kept for the next opening, as with FOLIO_CLOSE_KEEP. If that fails, too,
 * what was not autosaved before is lost. Events and completions that were not dispatched are
 * dropped. */
void folio_document_free(folio_document *document);

typedef enum folio_kind {
    FOLIO_KIND_PACKAGE = 1,
    FOLIO_KIND_ARCHIVE = 2,
    FOLIO_KIND_STORE = 3,
    FOLIO_KIND_MANAGED_DOCUMENT = 4
} folio_kind;

/* What a document-based application shows of a document. */
typedef struct folio_document_info {
    size_t size;               /* sizeof(folio_document_info), set by the caller */
    folio_kind kind;
    folio_mode mode;
    const char *path;
    const char *uuid;
    const char *model_name;    /* NULL if the model version has no name */
    bool has_unsaved_changes;  /* changed since the last save */
    bool has_autosaved_work;   /* autosaved since the last save; readers show it, too */
    bool has_recovered_work;   /* opened with work of a former editor, and not saved since */
    bool has_conflict;         /* another program replaced it while it was changed here */
    int64_t generation;        /* the number of saves; 0 for a bare store */
    double saved;              /* the time of the last save, as a FOLIO_DATE; NaN for none */
    double autosaved;          /* the time of the last autosave since; NaN for none */
    const char *missing_parts; /* what the store lacks of its model, for people, as a JSON array of
                                  strings: tables and columns, whose objects and values are not shown
                                  and can't be written; "[]" for a complete store */
} folio_document_info;

folio_status folio_document_get_info(folio_document *document, folio_document_info *info,
                                     folio_error **error);

/* A number that is counted up before values or relationships of the document's objects may change,
 * by a call, by a task of the library or by another program. A host that keeps values which it has
 * read keeps the number, too, from before it read them, and may use them while that is the same.
 * The memory belongs to the document's handle; NULL for a handle that was freed. */
const uint64_t *folio_document_change_count(folio_document *document);

/* ---- Saving ----------------------------------------------------------------------------------- */

/* Validates all changes and makes them the saved state, durably. Does nothing without changes. If
 * it fails, the document on disk is unchanged. */
folio_status folio_document_save(folio_document *document, folio_error **error);

/* Called by folio_document_dispatch() when an operation has ended; `error` is NULL on success, and
 * otherwise valid during the call. */
typedef void (*folio_completion)(void *context, const folio_error *error);

/* Starts a save and returns. Changes made afterwards belong to the next save. */
folio_status folio_document_start_save(folio_document *document, folio_completion completion,
                                       void *context, folio_error **error);

/* Saves the document in another place, where it continues. The old document stays in its last saved
 * state. References stay the same; the URIs of objects change. */
folio_status folio_document_save_as(folio_document *document, const char *path, folio_form form,
                                    bool replace, folio_error **error);

/* Writes a copy with the unsaved changes, a document of its own. */
folio_status folio_document_write_copy(folio_document *document, const char *path, folio_form form,
                                       bool replace, bool include_versions, folio_error **error);

/* Protects unsaved changes against crashes without saving them. They need not be valid.
 * FOLIO_UNAVAILABLE for a bare store. */
folio_status folio_document_autosave(folio_document *document, folio_error **error);

/* Discards all changes since the last save, autosaved ones included. */
folio_status folio_document_revert(folio_document *document, folio_error **error);

/* When a document is saved by itself; times in seconds. */
typedef struct folio_policy {
    size_t size;             /* sizeof(folio_policy) */
    double idle;             /* time without changes until an autosave; negative for no autosaves */
    double minimum_interval; /* between two autosaves */
    double maximum_delay;    /* from a change to its autosave if changes never pause */
    bool saves_when_idle;    /* valid changes are saved instead of autosaved */
    folio_close on_close;    /* what FOLIO_CLOSE_POLICY does */
} folio_policy;

/* Starts autosaves by a policy, and the observation of changes by other programs, on threads of
 * the library. NULL for the default: an autosave after 2 seconds without changes, at most every 5
 * seconds, at least every 30. */
folio_status folio_document_set_policy(folio_document *document, const folio_policy *policy,
                                       folio_error **error);

/* Stops autosaves and the observation of other programs. */
folio_status folio_document_stop_policy(folio_document *document, folio_error **error);

/* ---- Versions --------------------------------------------------------------------------------- */

typedef struct folio_versions folio_versions;

typedef struct folio_version_info {
    size_t size;        /* sizeof(folio_version_info), set by the caller */
    int64_t generation; /* the number of the save that made it */
    double saved;       /* as a FOLIO_DATE */
    int64_t bytes;      /* its size on disk */
    const char *name;   /* valid until the list is freed; NULL for none */
    bool is_pinned;     /* never thinned out */
} folio_version_info;

/* The earlier saved states, the oldest first, without the current one. */
folio_versions *folio_document_versions(folio_document *document, folio_error **error);
size_t folio_versions_count(const folio_versions *versions);
folio_status folio_versions_get(const folio_versions *versions, size_t index,
                                folio_version_info *info, folio_error **error);
void folio_versions_free(folio_versions *versions);

/* Makes an earlier version the saved state. The present state is kept as a version before. */
folio_status folio_document_restore_version(folio_document *document, int64_t generation,
                                            folio_error **error);
/* Names a version; NULL removes the name. */
folio_status folio_document_name_version(folio_document *document, int64_t generation,
                                         const char *name, folio_error **error);
/* Sets whether a version is never thinned out. */
folio_status folio_document_pin_version(folio_document *document, int64_t generation, bool is_pinned,
                                        folio_error **error);
folio_status folio_document_remove_version(folio_document *document, int64_t generation,
                                           folio_error **error);
/* Writes a version as a document of its own. */
folio_status folio_document_export_version(folio_document *document, int64_t generation,
                                           const char *path, folio_form form, bool replace,
                                           folio_error **error);

/* ---- Model ------------------------------------------------------------------------------------ */

typedef struct folio_entity_info {
    size_t size; /* sizeof(folio_entity_info), set by the caller */
    const char *name;
    int32_t superentity; /* its index; -1 for none */
    bool is_abstract;
    size_t property_count; /* inherited ones included */
} folio_entity_info;

typedef struct folio_property_info {
    size_t size; /* sizeof(folio_property_info), set by the caller */
    const char *name;
    folio_type type;       /* of values that are read: FOLIO_REFERENCE for a to-one relationship,
                              FOLIO_REFERENCES for a to-many one */
    bool is_optional;
    bool is_transient;
    bool is_ordered;       /* an ordered to-many relationship */
    int32_t destination;   /* the entity of a relationship; -1 for an attribute */
    const char *inverse;   /* the name of the inverse relationship; NULL for none */
    const char *type_name; /* of an attribute, such as "Integer 16"; NULL for a relationship */
} folio_property_info;

size_t folio_document_entity_count(folio_document *document);
folio_status folio_document_get_entity(folio_document *document, int32_t entity,
                                       folio_entity_info *info, folio_error **error);
/* The index of the entity with a name; -1 if there is none. */
int32_t folio_document_find_entity(folio_document *document, const char *name);
folio_status folio_document_get_property(folio_document *document, int32_t entity, size_t index,
                                         folio_property_info *info, folio_error **error);
/* The whole model, as `folio model DOC --format json` prints it. */
char *folio_document_model_json(folio_document *document, folio_error **error);

/* ---- Objects ---------------------------------------------------------------------------------- */

typedef struct folio_object folio_object;
typedef struct folio_results folio_results;
typedef struct folio_stream folio_stream;

/* Inserts a new object with the model's default values. */
folio_object *folio_document_insert(folio_document *document, const char *entity,
                                    folio_error **error);
/* The object with a reference. FOLIO_NOT_FOUND if there is none. */
folio_object *folio_document_object(folio_document *document, folio_reference reference,
                                    folio_error **error);
/* The object that a URI names, x-coredata://UUID/Entity/p1 or Entity/p1. */
folio_object *folio_document_object_with_uri(folio_document *document, const char *uri,
                                             folio_error **error);
void folio_object_free(folio_object *object);

folio_status folio_object_reference(folio_object *object, folio_reference *reference,
                                    folio_error **error);
/* The URI of an object. The URI of a new object changes with the first save. */
char *folio_object_uri(folio_object *object, folio_error **error);
/* Gives a new object a reference and a URI that the save keeps. */
folio_status folio_object_obtain_permanent_reference(folio_object *object, folio_error **error);

enum {
    FOLIO_INSERTED = 1, /* new, and not saved */
    FOLIO_UPDATED = 2,  /* saved, and changed since */
    FOLIO_DELETED = 4   /* deleted, and the deletion is not saved */
};
/* The changes of the object since the last save, as a sum of the numbers above. */
folio_status folio_object_changes(folio_object *object, int *changes, folio_error **error);

/* Reads a property. */
folio_status folio_object_get(folio_object *object, const char *key, folio_value *value,
                              folio_error **error);
/* Reads several properties, whose values are all valid until the next call that reads. A key may
 * be a path through to-one relationships, such as "author.name". */
folio_status folio_object_read(folio_object *object, const char *const *keys, size_t key_count,
                               folio_value *values, folio_error **error);
/* Sets a property, and the inverse of a relationship. NULL sets no value. An integer is converted
 * to a number of another type if that can represent it, a fraction is rounded to the precision of the
 * type; what is out of its range is FOLIO_USAGE. A FOLIO_STRING is converted to a UUID, a URI or a
 * decimal, FOLIO_BYTES to a large value. The members of an ordered relationship differ: a list that
 * has one twice is FOLIO_USAGE. */
folio_status folio_object_set(folio_object *object, const char *key, const folio_value *value,
                              folio_error **error);

/* The object of a to-one relationship; stores NULL if there is none. */
folio_status folio_object_get_object(folio_object *object, const char *key, folio_object **related,
                                     folio_error **error);
/* Sets a to-one relationship; NULL for no object. */
folio_status folio_object_set_object(folio_object *object, const char *key, folio_object *related,
                                     folio_error **error);
/* The objects of a to-many relationship, in its order. */
folio_results *folio_object_get_objects(folio_object *object, const char *key, folio_error **error);
/* Adds an object to a to-many relationship, at the end of an ordered one. Does nothing if it is a
 * member already. */
folio_status folio_object_add(folio_object *object, const char *key, folio_object *member,
                              folio_error **error);
/* Adds an object to an ordered relationship at an index, or moves it there. */
folio_status folio_object_insert_at(folio_object *object, const char *key, folio_object *member,
                                    size_t index, folio_error **error);
folio_status folio_object_remove(folio_object *object, const char *key, folio_object *member,
                                 folio_error **error);

/* Deletes the object. Delete rules are applied when the event ends. */
folio_status folio_object_delete(folio_object *object, folio_error **error);
/* Discards the unsaved changes of the object and reads it again at its next use. */
folio_status folio_object_refresh(folio_object *object, folio_error **error);

/* Checks one object, all changed objects, or one value for a key, by the rules of the model.
 * FOLIO_MALFORMED with the code "validation" if a rule is violated. */
folio_status folio_object_validate(folio_object *object, folio_error **error);
folio_status folio_document_validate(folio_document *document, folio_error **error);
folio_status folio_object_validate_value(folio_object *object, const char *key,
                                         const folio_value *value, folio_error **error);

/* ---- Large values ----------------------------------------------------------------------------- */

/* Reads a FOLIO_LARGE or FOLIO_BYTES attribute piece by piece. NULL, with FOLIO_NOT_FOUND, if it has
 * no value. The stream stays readable when the attribute changes. */
folio_stream *folio_object_open_stream(folio_object *object, const char *key, folio_error **error);
/* The size of the value in bytes; -1 for a handle that was freed. */
int64_t folio_stream_size(folio_stream *stream);
/* Reads the next bytes; `*read` is less than `size` only at the end. */
folio_status folio_stream_read(folio_stream *stream, void *buffer, size_t size, size_t *read,
                               folio_error **error);
folio_status folio_stream_seek(folio_stream *stream, int64_t offset, folio_error **error);
void folio_stream_free(folio_stream *stream);

/* Sets an attribute to the content of a file, which is read when the document is saved or
 * autosaved. */
folio_status folio_object_set_file(folio_object *object, const char *key, const char *path,
                                   folio_error **error);
/* Gives the next bytes of a value: writes at most `size` bytes and returns their number, 0 at the
 * end, or a negative number to cancel. */
typedef int64_t (*folio_source)(void *context, void *buffer, size_t size);
/* Sets an attribute to the bytes that a function gives. They are kept in memory for an attribute
 * without external storage. Those of other attributes are kept in a temporary file until the handles
 * of the document, its objects and its results are freed. */
folio_status folio_object_set_stream(folio_object *object, const char *key, folio_source source,
                                     void *context, folio_error **error);

/* ---- Fetching --------------------------------------------------------------------------------- */

typedef struct folio_query {
    size_t size;                  /* sizeof(folio_query) */
    const char *entity;
    const char *predicate;        /* format text with placeholders such as %@; NULL for all objects */
    const folio_value *arguments; /* the values of the placeholders */
    size_t argument_count;
    const char *sort;             /* keys with commas between them, - for descending: "year,-title" */
    size_t limit;                 /* 0 for all */
    size_t offset;
    bool excludes_subentities;
} folio_query;

/* The objects that fit a query, unsaved changes included. Without `sort` the order is undefined. */
folio_results *folio_document_fetch(folio_document *document, const folio_query *query,
                                    folio_error **error);
folio_status folio_document_count(folio_document *document, const folio_query *query, size_t *count,
                                  folio_error **error);
/* Checks the text of a predicate, its keys and its types. If it is wrong, `offset`, which may be
 * NULL, is the position of the mistake in characters, SIZE_MAX if it has none. */
folio_status folio_document_check_predicate(folio_document *document, const char *entity,
                                            const char *predicate, size_t *offset,
                                            folio_error **error);

/* The number of objects. 0, too, for a handle that was freed and for a document that was closed:
 * folio_results_references() with a count of 0 tells whether the results can be used. */
size_t folio_results_count(folio_results *results);
/* A handle of the object at an index. */
folio_object *folio_results_object(folio_results *results, size_t index, folio_error **error);
/* The references of `count` objects from `first` on. */
folio_status folio_results_references(folio_results *results, size_t first, size_t count,
                                      folio_reference *references, folio_error **error);
/* Reads `key_count` properties of `count` objects from `first` on, in one call: values[i * key_count
 * + k] is that of object first + i. Keys may be paths through to-one relationships. A value of an
 * object that lacks the property, or was deleted, is FOLIO_NULL. */
folio_status folio_results_read(folio_results *results, size_t first, size_t count,
                                const char *const *keys, size_t key_count, folio_value *values,
                                folio_error **error);
void folio_results_free(folio_results *results);

/* ---- Live results ----------------------------------------------------------------------------- */

typedef struct folio_live folio_live;

typedef enum folio_change_kind {
    FOLIO_DELETION = 1,  /* of `from` in the old list */
    FOLIO_INSERTION = 2, /* at `to` in the new list */
    FOLIO_MOVE = 3,      /* from `from` in the old list to `to` in the new list */
    FOLIO_UPDATE = 4     /* of the object at `from` in the old list */
} folio_change_kind;

typedef struct folio_change {
    folio_change_kind kind;
    size_t from;
    size_t to;
    folio_reference reference;
} folio_change;

/* Called by folio_document_dispatch() with each change of live results, and the results after it,
 * which are valid during the call. */
typedef void (*folio_live_handler)(void *context, folio_live *live, const folio_change *changes,
                                   size_t count, folio_results *results);

/* Fetches objects and follows changes of them. `query` must have a sort order. */
folio_live *folio_document_watch(folio_document *document, const folio_query *query,
                                 folio_live_handler handler, void *context, folio_error **error);
/* The present results. The caller frees them. */
folio_results *folio_live_results(folio_live *live, folio_error **error);
/* Ends the observation. If it is called on the dispatching thread, the handler is not called any
 * more. */
void folio_live_free(folio_live *live);

/* ---- Undo ------------------------------------------------------------------------------------- */

typedef struct folio_undo_state {
    size_t size; /* sizeof(folio_undo_state), set by the caller */
    bool can_undo;
    bool can_redo;
    size_t open_groups;
    bool has_open_changes; /* the open groups, or the event, have changes */
} folio_undo_state;

/* Undoes the last group. Saves can be undone, too. Does nothing if there is none; FOLIO_USAGE while
 * a group is open. */
folio_status folio_document_undo(folio_document *document, folio_error **error);
folio_status folio_document_redo(folio_document *document, folio_error **error);
folio_status folio_document_get_undo(folio_document *document, folio_undo_state *state,
                                     folio_error **error);
/* The name of the group that would be undone or redone; empty for none. */
char *folio_document_undo_name(folio_document *document, folio_error **error);
char *folio_document_redo_name(folio_document *document, folio_error **error);
/* Opens a group: changes until it is closed are undone together. `name` may be NULL. Groups nest. */
folio_status folio_document_begin_undo_group(folio_document *document, const char *name,
                                             folio_error **error);
folio_status folio_document_end_undo_group(folio_document *document, folio_error **error);
/* Closes the group that was opened last, and takes back the changes since it was opened, those that
 * were not recorded excepted. FOLIO_USAGE if no group is open. */
folio_status folio_document_cancel_undo_group(folio_document *document, folio_error **error);
/* Ends an event: the changes since the last one become one group, delete rules are applied, live
 * results are updated. folio_document_dispatch(), a save and an undo end an event, too. */
folio_status folio_document_end_event(folio_document *document, folio_error **error);
/* Discards all groups. */
folio_status folio_document_clear_undo(folio_document *document, folio_error **error);
/* Sets whether changes are recorded for undo, which they are at first; for large imports. */
folio_status folio_document_set_undo(folio_document *document, bool is_enabled, folio_error **error);

/* ---- Events ----------------------------------------------------------------------------------- */

typedef enum folio_event_kind {
    FOLIO_EVENT_CHANGED = 1,         /* has_unsaved_changes or the undo state may have changed */
    FOLIO_EVENT_RELOADED = 2,        /* another program replaced it; objects have the new values */
    FOLIO_EVENT_CONFLICT = 3,        /* another program replaced it, and there are changes here */
    FOLIO_EVENT_MOVED = 4,           /* it was moved or renamed; it stays open there */
    FOLIO_EVENT_DELETED = 5,         /* it was deleted; it can be saved in another place */
    FOLIO_EVENT_UNREADABLE = 6,      /* the new state can't be read; `error` says why */
    FOLIO_EVENT_AUTOSAVE_FAILED = 7  /* it is tried again; `error` says why it failed */
} folio_event_kind;

/* Called by folio_document_dispatch(). `error` is NULL or valid during the call. */
typedef void (*folio_handler)(void *context, folio_document *document, folio_event_kind event,
                              const folio_error *error);

/* Sets the function that is told of events; NULL for none. Called on the dispatching thread, it ends
 * the calls of the one that was set before. */
folio_status folio_document_set_handler(folio_document *document, folio_handler handler,
                                        void *context, folio_error **error);

/* Called on any thread when there is something to dispatch. It makes the thread of the host's event
 * loop call folio_document_dispatch(), and must not call functions of the library itself. */
typedef void (*folio_dispatcher)(void *context);

/* Sets the function that is told that there is something to dispatch, also if that was so before;
 * NULL for none. The calling thread becomes the dispatching thread: folio_document_dispatch() on
 * another one is FOLIO_USAGE. Returns when no other thread is calling the function that was set
 * before, whose context may be freed then. */
folio_status folio_document_set_dispatcher(folio_document *document, folio_dispatcher dispatcher,
                                           void *context, folio_error **error);

/* Ends an event, then calls the handlers and completions that are due, on the calling thread. They
 * may call any function on the document, except this one. */
folio_status folio_document_dispatch(folio_document *document, folio_error **error);

/* ---- Other programs --------------------------------------------------------------------------- */

/* Checks whether another program has moved, replaced or deleted the document, and handles it.
 * `*event`, which may be NULL, is the event, or 0 for none. Not needed with a policy. */
folio_status folio_document_check_outside(folio_document *document, int *event, folio_error **error);

typedef enum folio_resolution {
    FOLIO_KEEP_MINE_AS_COPY = 1, /* The state here is written to `path`, and the other one shown. */
    FOLIO_TAKE_THEIRS = 2,       /* The changes made here are discarded. */
    FOLIO_MERGE_ERROR = 3,       /* Merge; fail if both changed the same property. */
    FOLIO_MERGE_MINE = 4,        /* Merge; the changes made here win. */
    FOLIO_MERGE_THEIRS = 5       /* Merge; the changes made by the other program win. */
} folio_resolution;

/* Resolves a conflict. `path` is for FOLIO_KEEP_MINE_AS_COPY; NULL for an unused name beside the
 * document. `*report`, unless `report` is NULL, is a JSON object: "copy", "version", "clashes". */
folio_status folio_document_resolve_conflict(folio_document *document, folio_resolution resolution,
                                             const char *path, char **report, folio_error **error);

/* ---- Import, export, comparison, migration ---------------------------------------------------- */

typedef struct folio_import_options {
    size_t size;         /* sizeof(folio_import_options) */
    const char *entity;  /* of objects that the file does not say the entity of; NULL */
    const char *match;   /* update the objects with equal values of these keys, "isbn", or "id"; NULL */
    bool creates_missing; /* make objects that relationship.attribute columns name */
    bool imports_as_new;  /* make new objects of rows whose id is the URI of an object of the document,
                           * which they update otherwise */
} folio_import_options;

typedef struct folio_import_report {
    size_t size; /* sizeof(folio_import_report), set by the caller */
    size_t inserted;
    size_t updated;
    size_t unchanged;
} folio_import_report;

/* Imports a file in the formats of folio_document_export(), as unsaved changes that can be undone
 * together, or as a part of the group that is open. `options` and `report` may be NULL. After an
 * error nothing is changed, whether changes are recorded for undo or not. */
folio_status folio_document_import(folio_document *document, const char *path,
                                   const folio_import_options *options, folio_import_report *report,
                                   folio_error **error);

typedef enum folio_format { FOLIO_JSON = 0, FOLIO_JSON_LINES = 1, FOLIO_CSV = 2 } folio_format;

/* Writes all objects, or those of one entity, to a file, which is replaced if it exists. Unsaved
 * changes are autosaved before; those of a bare store are FOLIO_USAGE, code "unsavedChanges".
 * FOLIO_CSV needs an entity. */
folio_status folio_document_export(folio_document *document, const char *path, folio_format format,
                                   const char *entity, folio_error **error);

/* Compares two documents, DOC or DOC@n. `*different` tells whether they differ, `*report`, unless
 * `report` is NULL, is what `folio diff --json` prints. */
folio_status folio_diff(const char *old_document, const char *new_document, bool *different,
                        char **report, folio_error **error);

/* Migrates a document that is not open to another version of its model. The old state is kept. */
folio_status folio_migrate(const char *path, const char *model, folio_error **error);

#ifdef __cplusplus
}
#endif

#endif
