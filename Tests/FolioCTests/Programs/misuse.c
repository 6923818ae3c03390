/* What the host does wrong is an error and no crash: NULL, handles that were freed or are of another
 * kind, calls on a closed document, text that is no UTF-8, sizes that were not set. Arguments: a
 * folder, the file of the model. */
#include "check.h"

#include <sys/wait.h>
#include <unistd.h>

/* Every function that takes a handle, with the same wrong handle. */
static void wrong_handle(void *handle) {
    folio_value value = folio_integer(1);
    folio_reference reference = {0, 0};
    size_t number = 0;
    int changes = 0;
    char byte = 0;
    folio_query some = query("Person", NULL, "name");
    folio_document *document = handle;
    folio_object *object = handle;
    folio_results *results = handle;
    folio_undo_state undo = {.size = sizeof undo};
    folio_document_info info = {.size = sizeof info};
    folio_entity_info entity = {.size = sizeof entity};
    folio_property_info property = {.size = sizeof property};
    folio_version_info version = {.size = sizeof version};
    FAILS(folio_document_close(document, FOLIO_CLOSE_SAVE, &error), FOLIO_USAGE, "usage");
    CHECK(!folio_document_is_open(document));
    CHECK(folio_document_change_count(document) == NULL);
    FAILS(folio_document_get_info(document, &info, &error), FOLIO_USAGE, "usage");
    FAILS(folio_document_save(document, &error), FOLIO_USAGE, "usage");
    FAILS(folio_document_start_save(document, NULL, NULL, &error), FOLIO_USAGE, "usage");
    FAILS(folio_document_save_as(document, "x", FOLIO_FORM_DEFAULT, false, &error), FOLIO_USAGE, "usage");
    FAILS(folio_document_write_copy(document, "x", FOLIO_FORM_DEFAULT, false, false, &error), FOLIO_USAGE, "usage");
    FAILS(folio_document_autosave(document, &error), FOLIO_USAGE, "usage");
    FAILS(folio_document_revert(document, &error), FOLIO_USAGE, "usage");
    FAILS(folio_document_set_policy(document, NULL, &error), FOLIO_USAGE, "usage");
    FAILS(folio_document_stop_policy(document, &error), FOLIO_USAGE, "usage");
    NONE(folio_document_versions(document, &error), FOLIO_USAGE, "usage");
    CHECK(folio_versions_count(handle) == 0);
    FAILS(folio_versions_get(handle, 0, &version, &error), FOLIO_USAGE, "usage");
    FAILS(folio_document_restore_version(document, 1, &error), FOLIO_USAGE, "usage");
    FAILS(folio_document_name_version(document, 1, "x", &error), FOLIO_USAGE, "usage");
    FAILS(folio_document_pin_version(document, 1, true, &error), FOLIO_USAGE, "usage");
    FAILS(folio_document_remove_version(document, 1, &error), FOLIO_USAGE, "usage");
    FAILS(folio_document_export_version(document, 1, "x", FOLIO_FORM_DEFAULT, false, &error), FOLIO_USAGE, "usage");
    CHECK(folio_document_entity_count(document) == 0 && folio_document_find_entity(document, "Person") == -1);
    FAILS(folio_document_get_entity(document, 0, &entity, &error), FOLIO_USAGE, "usage");
    FAILS(folio_document_get_property(document, 0, 0, &property, &error), FOLIO_USAGE, "usage");
    NONE(folio_document_model_json(document, &error), FOLIO_USAGE, "usage");
    NONE(folio_document_insert(document, "Person", &error), FOLIO_USAGE, "usage");
    NONE(folio_document_object(document, reference, &error), FOLIO_USAGE, "usage");
    NONE(folio_document_object_with_uri(document, "Person/p1", &error), FOLIO_USAGE, "usage");
    FAILS(folio_object_reference(object, &reference, &error), FOLIO_USAGE, "usage");
    NONE(folio_object_uri(object, &error), FOLIO_USAGE, "usage");
    FAILS(folio_object_obtain_permanent_reference(object, &error), FOLIO_USAGE, "usage");
    FAILS(folio_object_changes(object, &changes, &error), FOLIO_USAGE, "usage");
    FAILS(folio_object_get(object, "name", &value, &error), FOLIO_USAGE, "usage");
    FAILS(folio_object_read(object, (const char *[]){"name"}, 1, &value, &error), FOLIO_USAGE, "usage");
    FAILS(folio_object_set(object, "name", &value, &error), FOLIO_USAGE, "usage");
    FAILS(folio_object_get_object(object, "leader", &object, &error), FOLIO_USAGE, "usage");
    FAILS(folio_object_set_object(object, "leader", NULL, &error), FOLIO_USAGE, "usage");
    NONE(folio_object_get_objects(object, "stops", &error), FOLIO_USAGE, "usage");
    FAILS(folio_object_add(object, "stops", object, &error), FOLIO_USAGE, "usage");
    FAILS(folio_object_insert_at(object, "stops", object, 0, &error), FOLIO_USAGE, "usage");
    FAILS(folio_object_remove(object, "stops", object, &error), FOLIO_USAGE, "usage");
    FAILS(folio_object_delete(object, &error), FOLIO_USAGE, "usage");
    FAILS(folio_object_refresh(object, &error), FOLIO_USAGE, "usage");
    FAILS(folio_object_validate(object, &error), FOLIO_USAGE, "usage");
    FAILS(folio_document_validate(document, &error), FOLIO_USAGE, "usage");
    FAILS(folio_object_validate_value(object, "name", &value, &error), FOLIO_USAGE, "usage");
    NONE(folio_object_open_stream(object, "portrait", &error), FOLIO_USAGE, "usage");
    CHECK(folio_stream_size(handle) == -1);
    FAILS(folio_stream_read(handle, &byte, 1, &number, &error), FOLIO_USAGE, "usage");
    FAILS(folio_stream_seek(handle, 0, &error), FOLIO_USAGE, "usage");
    FAILS(folio_object_set_file(object, "portrait", "x", &error), FOLIO_USAGE, "usage");
    FAILS(folio_object_set_stream(object, "portrait", NULL, NULL, &error), FOLIO_USAGE, "usage");
    NONE(folio_document_fetch(document, &some, &error), FOLIO_USAGE, "usage");
    FAILS(folio_document_count(document, &some, &number, &error), FOLIO_USAGE, "usage");
    FAILS(folio_document_check_predicate(document, "Person", "TRUEPREDICATE", NULL, &error), FOLIO_USAGE, "usage");
    CHECK(folio_results_count(results) == 0);
    NONE(folio_results_object(results, 0, &error), FOLIO_USAGE, "usage");
    FAILS(folio_results_references(results, 0, 0, &reference, &error), FOLIO_USAGE, "usage");
    FAILS(folio_results_read(results, 0, 0, NULL, 0, &value, &error), FOLIO_USAGE, "usage");
    NONE(folio_document_watch(document, &some, NULL, NULL, &error), FOLIO_USAGE, "usage");
    NONE(folio_live_results(handle, &error), FOLIO_USAGE, "usage");
    FAILS(folio_document_undo(document, &error), FOLIO_USAGE, "usage");
    FAILS(folio_document_redo(document, &error), FOLIO_USAGE, "usage");
    FAILS(folio_document_get_undo(document, &undo, &error), FOLIO_USAGE, "usage");
    NONE(folio_document_undo_name(document, &error), FOLIO_USAGE, "usage");
    NONE(folio_document_redo_name(document, &error), FOLIO_USAGE, "usage");
    FAILS(folio_document_begin_undo_group(document, NULL, &error), FOLIO_USAGE, "usage");
    FAILS(folio_document_end_undo_group(document, &error), FOLIO_USAGE, "usage");
    FAILS(folio_document_cancel_undo_group(document, &error), FOLIO_USAGE, "usage");
    FAILS(folio_document_end_event(document, &error), FOLIO_USAGE, "usage");
    FAILS(folio_document_clear_undo(document, &error), FOLIO_USAGE, "usage");
    FAILS(folio_document_set_undo(document, true, &error), FOLIO_USAGE, "usage");
    FAILS(folio_document_set_handler(document, NULL, NULL, &error), FOLIO_USAGE, "usage");
    FAILS(folio_document_set_dispatcher(document, NULL, NULL, &error), FOLIO_USAGE, "usage");
    FAILS(folio_document_check_outside(document, NULL, &error), FOLIO_USAGE, "usage");
    FAILS(folio_document_resolve_conflict(document, FOLIO_TAKE_THEIRS, NULL, NULL, &error), FOLIO_USAGE, "usage");
    FAILS(folio_document_import(document, "x.json", NULL, NULL, &error), FOLIO_USAGE, "usage");
    FAILS(folio_document_export(document, "x.json", FOLIO_JSON, NULL, &error), FOLIO_USAGE, "usage");
}

/* Freeing what is no such handle does nothing. */
static void free_wrong(void *handle, bool is_document) {
    size_t before = folio_handle_count();
    if (!is_document) folio_document_free(handle);
    folio_object_free(handle);
    folio_results_free(handle);
    folio_stream_free(handle);
    folio_live_free(handle);
    folio_versions_free(handle);
    folio_error_free(handle);
    CHECK(folio_handle_count() == before);
    CHECK(folio_error_status(handle) == FOLIO_USAGE && folio_error_code(handle) == NULL);
    CHECK(folio_error_message(handle) == NULL && folio_error_path(handle) == NULL);
    CHECK(folio_error_hint(handle) == NULL && folio_error_detail(handle) == NULL);
}

static void never(void *context, folio_live *live, const folio_change *changes, size_t number, folio_results *results) {
    (void)context, (void)live, (void)changes, (void)number, (void)results;
    CHECK(false);
}

int main(int count, char **arguments) {
    CHECK(count == 3);
    const char *path = in_folder(arguments[1], "Misuse.folio");
    folio_error *error = NULL;
    folio_document *document = create_document(path, arguments[2]);
    folio_object *person = insert(document, "Person");
    set_text(person, "name", "A");
    OK(folio_document_save(document, &error));

    wrong_handle(NULL);
    FAILS(folio_document_dispatch(NULL, &error), FOLIO_USAGE, "usage");
    free_wrong(NULL, false);
    free_wrong(document, true);
    folio_object *freed = insert(document, "Person");
    OK(folio_object_delete(freed, &error));
    folio_object_free(freed);
    wrong_handle(freed);
    free_wrong(freed, false);
    folio_object_free(freed);

    /* NULL in the place of everything else, and an error that nobody wants. */
    CHECK(folio_document_open(NULL, NULL, NULL) == NULL);
    NONE(folio_document_open(NULL, NULL, &error), FOLIO_USAGE, "usage");
    NONE(folio_document_open("\xc3\x28", NULL, &error), FOLIO_USAGE, "usage");
    NONE(folio_document_create(NULL, NULL, FOLIO_FORM_DEFAULT, false, &error), FOLIO_USAGE, "usage");
    NONE(folio_document_create("x", NULL, FOLIO_FORM_DEFAULT, false, &error), FOLIO_USAGE, "usage");
    NONE(folio_document_create("x", arguments[2], (folio_form)77, false, &error), FOLIO_USAGE, "usage");
    folio_open_options options = {.size = sizeof options, .mode = (folio_mode)9};
    NONE(folio_document_open(path, &options, &error), FOLIO_USAGE, "usage");
    options = (folio_open_options){.size = 1};
    NONE(folio_document_open(path, &options, &error), FOLIO_USAGE, "usage");
    options = (folio_open_options){.size = sizeof options, .migration = FOLIO_MIGRATION_AUTOMATIC};
    NONE(folio_document_open(path, &options, &error), FOLIO_USAGE, "usage");
    options = (folio_open_options){.size = sizeof options, .is_version = true, .version = 1, .recovery = FOLIO_RECOVERY_KEEP};
    NONE(folio_document_open(path, &options, &error), FOLIO_USAGE, "usage");
    options = (folio_open_options){.size = sizeof options, .is_version = true, .version = -1};
    NONE(folio_document_open(path, &options, &error), FOLIO_USAGE, "usage");
    options = (folio_open_options){.size = sizeof options, .version = 1};
    NONE(folio_document_open(path, &options, &error), FOLIO_USAGE, "usage");
    FAILS(folio_document_get_info(document, NULL, &error), FOLIO_USAGE, "usage");
    folio_document_info unsized = {0};
    FAILS(folio_document_get_info(document, &unsized, &error), FOLIO_USAGE, "usage");
    FAILS(folio_document_close(document, (folio_close)9, &error), FOLIO_USAGE, "usage");
    FAILS(folio_document_save_as(document, NULL, FOLIO_FORM_DEFAULT, false, &error), FOLIO_USAGE, "usage");
    NONE(folio_document_insert(document, NULL, &error), FOLIO_USAGE, "usage");
    NONE(folio_document_insert(document, "Nobody", &error), FOLIO_USAGE, "unknownEntity");
    NONE(folio_document_insert(document, "Place", &error), FOLIO_USAGE, "abstractEntity");
    NONE(folio_document_object(document, (folio_reference){0, 0}, &error), FOLIO_NOT_FOUND, "unknownObject");
    NONE(folio_document_object(document, (folio_reference){-77, 1}, &error), FOLIO_NOT_FOUND, "unknownObject");
    NONE(folio_document_object(document, (folio_reference){INT64_MIN, 1}, &error), FOLIO_NOT_FOUND, "unknownObject");
    NONE(folio_document_object(document, (folio_reference){1, -1}, &error), FOLIO_NOT_FOUND, "unknownObject");
    folio_value value;
    FAILS(folio_object_get(person, NULL, &value, &error), FOLIO_USAGE, "usage");
    FAILS(folio_object_get(person, "name", NULL, &error), FOLIO_USAGE, "usage");
    FAILS(folio_object_read(person, NULL, 1, &value, &error), FOLIO_USAGE, "usage");
    FAILS(folio_object_read(person, (const char *[]){NULL}, 1, &value, &error), FOLIO_USAGE, "usage");
    FAILS(folio_object_read(person, (const char *[]){"name"}, 1, NULL, &error), FOLIO_USAGE, "usage");
    FAILS(folio_object_read(person, (const char *[]){"na\xff"}, 1, &value, &error), FOLIO_USAGE, "usage");
    FAILS(folio_object_read(person, (const char *[]){""}, 1, &value, &error), FOLIO_USAGE, "unknownKey");
    FAILS(folio_object_read(person, (const char *[]){"leads.title"}, 1, &value, &error), FOLIO_USAGE, "usage");
    OK(folio_object_read(person, NULL, 0, NULL, &error));
    FAILS(folio_object_add(person, "journeys", NULL, &error), FOLIO_USAGE, "usage");
    value = (folio_value){.type = FOLIO_STRING};
    value.as.text.size = 7;
    FAILS(folio_object_set(person, "name", &value, &error), FOLIO_USAGE, "usage");
    value = (folio_value){.type = FOLIO_REFERENCES};
    value.as.references.count = SIZE_MAX;
    FAILS(folio_object_set(person, "journeys", &value, &error), FOLIO_USAGE, "usage");
    value = folio_bytes(NULL, 3);
    FAILS(folio_object_set(person, "portrait", &value, &error), FOLIO_USAGE, "usage");
    FAILS(folio_object_set_stream(person, "portrait", NULL, NULL, &error), FOLIO_USAGE, "usage");
    NONE(folio_document_fetch(document, NULL, &error), FOLIO_USAGE, "usage");
    folio_query some = query("Person", "name = %@", "name");
    some.argument_count = 1;
    NONE(folio_document_fetch(document, &some, &error), FOLIO_USAGE, "usage");
    some = query("Person", NULL, "name");
    some.limit = SIZE_MAX;
    NONE(folio_document_fetch(document, &some, &error), FOLIO_USAGE, "usage");
    some.limit = 0;
    some.sort = "\xff";
    NONE(folio_document_fetch(document, &some, &error), FOLIO_USAGE, "usage");
    some.sort = "name";
    NONE(folio_document_watch(document, &some, NULL, NULL, &error), FOLIO_USAGE, "usage");
    FAILS(folio_document_get_entity(document, -1, NULL, &error), FOLIO_USAGE, "usage");
    folio_entity_info entity = {.size = sizeof entity};
    FAILS(folio_document_get_entity(document, 99, &entity, &error), FOLIO_USAGE, "usage");
    folio_property_info property = {.size = sizeof property};
    FAILS(folio_document_get_property(document, 0, SIZE_MAX, &property, &error), FOLIO_USAGE, "usage");
    FAILS(folio_document_resolve_conflict(document, (folio_resolution)0, NULL, NULL, &error), FOLIO_USAGE, "usage");
    FAILS(folio_document_export(document, "x", (folio_format)9, NULL, &error), FOLIO_USAGE, "usage");
    FAILS(folio_document_import(document, NULL, NULL, NULL, &error), FOLIO_USAGE, "usage");
    FAILS(folio_diff(NULL, "x", NULL, NULL, &error), FOLIO_USAGE, "usage");
    FAILS(folio_diff("x", "y", NULL, NULL, &error), FOLIO_USAGE, "usage");
    FAILS(folio_migrate(path, NULL, &error), FOLIO_USAGE, "usage");

    /* A list that names a member of an ordered relationship twice. Nothing is changed. */
    folio_object *stop = insert(document, "Stop"), *south = insert(document, "Journey");
    folio_reference twice[2];
    OK(folio_object_reference(stop, &twice[0], &error));
    twice[1] = twice[0];
    value = (folio_value){.type = FOLIO_REFERENCES};
    value.as.references.items = twice;
    value.as.references.count = 2;
    FAILS(folio_object_set(south, "stops", &value, &error), FOLIO_USAGE, "usage");
    twice[1].key = INT64_MIN;
    FAILS(folio_object_set(south, "stops", &value, &error), FOLIO_NOT_FOUND, "unknownObject");
    value.as.references.count = 1;
    uint64_t changes = *folio_document_change_count(document);
    OK(folio_object_set(south, "stops", &value, &error));
    CHECK(*folio_document_change_count(document) > changes);
    changes = *folio_document_change_count(document);
    OK(folio_object_get(south, "title", &value, &error));
    CHECK(*folio_document_change_count(document) == changes);
    OK(folio_object_delete(south, &error));
    OK(folio_object_delete(stop, &error));

    /* A process that was forked has no use of the handles of its parent, and does them no harm. */
    pid_t child = fork();
    if (child == 0) {
        FAILS(folio_object_get(south, "title", &value, &error), FOLIO_USAGE, "usage");
        FAILS(folio_document_save(document, &error), FOLIO_USAGE, "usage");
        NONE(folio_document_open(path, NULL, &error), FOLIO_USAGE, "usage");
        folio_object_free(south);
        folio_document_free(document);
        _exit(0);
    }
    int ended = 0;
    CHECK(waitpid(child, &ended, 0) == child && WIFEXITED(ended) && WEXITSTATUS(ended) == 0);
    CHECK(folio_document_is_open(document));
    folio_object_free(south);
    folio_object_free(stop);

    /* Objects of another document, and of a document that was closed. */
    folio_document *other = create_document(in_folder(arguments[1], "Other.folio"), arguments[2]);
    folio_object *journey = insert(other, "Journey");
    FAILS(folio_object_set_object(journey, "leader", person, &error), FOLIO_USAGE, "usage");
    FAILS(folio_object_add(journey, "members", person, &error), FOLIO_USAGE, "usage");
    folio_object_free(journey);
    folio_document_free(other);
    folio_results *results = folio_document_fetch(document, &some, &error);
    MADE(results);
    folio_live *live = folio_document_watch(document, &some, never, NULL, &error);
    MADE(live);
    OK(folio_document_close(document, FOLIO_CLOSE_SAVE, &error));
    FAILS(folio_object_get(person, "name", &value, &error), FOLIO_USAGE, "usage");
    CHECK(folio_results_count(results) == 0);
    NONE(folio_results_object(results, 0, &error), FOLIO_USAGE, "usage");
    NONE(folio_live_results(live, &error), FOLIO_USAGE, "usage");
    FAILS(folio_document_close(document, FOLIO_CLOSE_SAVE, &error), FOLIO_USAGE, "usage");
    OK(folio_document_dispatch(document, &error));
    folio_document_free(document);
    wrong_handle(document);
    FAILS(folio_object_get(person, "name", &value, &error), FOLIO_USAGE, "usage");
    folio_object_free(person);
    folio_results_free(results);
    folio_live_free(live);
    folio_string_free(NULL);
    CHECK(folio_handle_count() == 0);
    puts("done");
    return 0;
}
