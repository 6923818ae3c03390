/* What the programs of these tests share: a check that says where it failed, and short names. */
#ifndef CHECK_H
#define CHECK_H

#include <folio.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                     \
    do {                                                                                     \
        if (!(condition)) {                                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                  \
            exit(1);                                                                         \
        }                                                                                    \
    } while (0)

/* Ends the program with the error, if there is one. */
static inline void no_error(const char *file, int line, folio_error *error) {
    if (!error) return;
    fprintf(stderr, "%s:%d: %s: %s %s\n", file, line, folio_error_code(error), folio_error_message(error),
            folio_error_detail(error));
    exit(1);
}

/* A call that succeeds. */
#define OK(call)                                                                             \
    do {                                                                                     \
        folio_error *error = NULL;                                                           \
        folio_status status = (call);                                                        \
        no_error(__FILE__, __LINE__, error);                                                 \
        CHECK(status == FOLIO_OK);                                                           \
    } while (0)

/* A call that returns a pointer, which `error` is stored by. */
#define MADE(pointer)                                                                        \
    do {                                                                                     \
        no_error(__FILE__, __LINE__, error);                                                 \
        CHECK((pointer) != NULL);                                                            \
    } while (0)

/* A call that fails with a status and a code. */
#define FAILS(call, expected, word)                                                          \
    do {                                                                                     \
        folio_error *error = NULL;                                                           \
        folio_status status = (call);                                                        \
        CHECK(error != NULL);                                                                \
        if (folio_error_status(error) != (expected) || strcmp(folio_error_code(error), (word)) != 0) \
            no_error(__FILE__, __LINE__, error);                                             \
        CHECK(status == (expected));                                                         \
        CHECK(strlen(folio_error_message(error)) > 0 && folio_error_detail(error)[0] == '{'); \
        folio_error_free(error);                                                             \
    } while (0)

/* A call that returns NULL, with a status and a code. */
#define NONE(call, expected, word)                                                           \
    do {                                                                                     \
        folio_error *error = NULL;                                                           \
        CHECK((call) == NULL);                                                               \
        CHECK(error != NULL);                                                                \
        if (folio_error_status(error) != (expected) || strcmp(folio_error_code(error), (word)) != 0) \
            no_error(__FILE__, __LINE__, error);                                             \
        folio_error_free(error);                                                             \
    } while (0)

static inline folio_query query(const char *entity, const char *predicate, const char *sort) {
    folio_query query;
    memset(&query, 0, sizeof query);
    query.size = sizeof query;
    query.entity = entity;
    query.predicate = predicate;
    query.sort = sort;
    return query;
}

/* A path in the folder that the program was given. */
static inline const char *in_folder(const char *folder, const char *name) {
    static char paths[8][1024];
    static int next;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static inline void set_text(folio_object *object, const char *key, const char *text) {
    folio_value value = folio_text(text);
    OK(folio_object_set(object, key, &value, &error));
}

static inline void set_integer(folio_object *object, const char *key, int64_t integer) {
    folio_value value = folio_integer(integer);
    OK(folio_object_set(object, key, &value, &error));
}

static inline int64_t get_integer(folio_object *object, const char *key) {
    folio_value value;
    OK(folio_object_get(object, key, &value, &error));
    CHECK(value.type == FOLIO_INTEGER);
    return value.as.integer;
}

static inline bool text_is(folio_object *object, const char *key, const char *text) {
    folio_value value;
    OK(folio_object_get(object, key, &value, &error));
    return value.type == FOLIO_STRING && value.as.text.size == strlen(text) && strcmp(value.as.text.data, text) == 0;
}

static inline folio_object *insert(folio_document *document, const char *entity) {
    folio_error *error = NULL;
    folio_object *object = folio_document_insert(document, entity, &error);
    MADE(object);
    return object;
}

/* A new document in the default form. */
static inline folio_document *create_document(const char *path, const char *model) {
    folio_error *error = NULL;
    folio_document *document = folio_document_create(path, model, FOLIO_FORM_DEFAULT, false, &error);
    MADE(document);
    return document;
}

static inline void add_person(folio_document *document, const char *name) {
    folio_object *person = insert(document, "Person");
    set_text(person, "name", name);
    folio_object_free(person);
}

static inline size_t count(folio_document *document, const char *entity) {
    folio_query all = query(entity, NULL, NULL);
    size_t count = 0;
    OK(folio_document_count(document, &all, &count, &error));
    return count;
}

static inline folio_document_info info(folio_document *document) {
    folio_document_info info;
    memset(&info, 0, sizeof info);
    info.size = sizeof info;
    OK(folio_document_get_info(document, &info, &error));
    return info;
}

#endif
