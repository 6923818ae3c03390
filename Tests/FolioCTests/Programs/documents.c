/* Documents: opening with recovery, locks and migration, saving in all ways, versions, events,
 * other programs, import, export, comparison. Arguments: a folder, the file of the models. */
#include "check.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

static const char *folder, *models;
static char first_version[1024];

static folio_open_options options(void) {
    folio_open_options options;
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    return options;
}

static folio_document *open_document(const char *path, const folio_open_options *options) {
    folio_error *error = NULL;
    folio_document *document = folio_document_open(path, options, &error);
    MADE(document);
    return document;
}

static folio_document *create(const char *name) { return create_document(in_folder(folder, name), first_version); }

static void opening(void) {
    folio_document *document = create("Opening.folio");
    const char *path = in_folder(folder, "Opening.folio");
    NONE(folio_document_open(in_folder(folder, "Nothing.folio"), NULL, &error), FOLIO_NOT_FOUND, "notFound");
    folio_error *error = NULL;
    CHECK(folio_document_open(path, NULL, &error) == NULL); /* locked, by this process */
    CHECK(folio_error_status(error) == FOLIO_TRY_LATER && strcmp(folio_error_code(error), "locked") == 0);
    CHECK(strstr(folio_error_detail(error), "\"pid\"") && folio_error_path(error) != NULL);
    (void)folio_error_hint(error);
    folio_error_free(error);
    error = NULL;
    folio_open_options reading = options();
    reading.mode = FOLIO_READING;
    folio_document *reader = open_document(path, &reading);
    CHECK(info(reader).mode == FOLIO_READING && info(document).mode == FOLIO_EDITING);
    NONE(folio_document_insert(reader, "Person", &error), FOLIO_PERMISSION, "readOnly");
    folio_document_free(reader);

    /* Unsaved work is kept, and refused, recovered or discarded by the next opening. */
    add_person(document, "Saved");
    OK(folio_document_save(document, &error));
    add_person(document, "Unsaved");
    CHECK(info(document).has_unsaved_changes && !info(document).has_autosaved_work);
    OK(folio_document_autosave(document, &error));
    CHECK(info(document).has_autosaved_work && !isnan(info(document).autosaved));
    folio_document_free(document); /* keeps it */
    NONE(folio_document_open(path, NULL, &error), FOLIO_TRY_LATER, "recoverable");
    folio_open_options keeping = options();
    keeping.recovery = FOLIO_RECOVERY_KEEP;
    document = open_document(path, &keeping);
    CHECK(info(document).has_recovered_work && count(document, "Person") == 2);
    OK(folio_document_close(document, FOLIO_CLOSE_KEEP, &error));
    CHECK(!folio_document_is_open(document));
    folio_document_free(document);
    keeping.recovery = FOLIO_RECOVERY_DISCARD;
    document = open_document(path, &keeping);
    CHECK(count(document, "Person") == 1 && folio_document_is_open(document));
    CHECK(info(document).kind == FOLIO_KIND_PACKAGE && strlen(info(document).uuid) == 36);
    CHECK(strcmp(info(document).model_name, "Expeditions") == 0 && info(document).generation == 1);
    CHECK(strstr(info(document).path, "Opening.folio") && fabs(info(document).saved) < 1e10);
    OK(folio_document_close(document, FOLIO_CLOSE_DISCARD, &error));
    folio_document_free(document);
    NONE(folio_document_create(path, first_version, FOLIO_FORM_DEFAULT, false, &error), FOLIO_CANNOT_CREATE,
         "cannotCreate");
    document = folio_document_create(path, first_version, FOLIO_FORM_DEFAULT, true, &error);
    MADE(document);
    CHECK(count(document, "Person") == 0);
    folio_document_free(document);
}

static void saving(void) {
    folio_document *document = create("Saving.folio");
    add_person(document, "A");
    OK(folio_document_write_copy(document, in_folder(folder, "Copy.folioz"), FOLIO_FORM_DEFAULT, false, false,
                                 &error));
    FAILS(folio_document_write_copy(document, in_folder(folder, "Copy.folioz"), FOLIO_FORM_DEFAULT, false, false,
                                    &error),
          FOLIO_CANNOT_CREATE, "cannotCreate");
    folio_document *copy = open_document(in_folder(folder, "Copy.folioz"), NULL);
    CHECK(info(copy).kind == FOLIO_KIND_ARCHIVE && count(copy, "Person") == 1);
    folio_document_free(copy);
    OK(folio_document_save_as(document, in_folder(folder, "Other.sqlite"), FOLIO_FORM_DEFAULT, false, &error));
    CHECK(info(document).kind == FOLIO_KIND_STORE && info(document).generation == 0 && isnan(info(document).saved));
    CHECK(info(document).model_name == NULL);
    add_person(document, "B");
    FAILS(folio_document_autosave(document, &error), FOLIO_UNAVAILABLE, "unsupported");
    FAILS(folio_document_export(document, in_folder(folder, "no.json"), FOLIO_JSON, NULL, &error), FOLIO_USAGE,
          "unsavedChanges");
    FAILS(folio_document_close(document, FOLIO_CLOSE_KEEP, &error), FOLIO_USAGE, "unsavedChanges");
    CHECK(folio_document_is_open(document));
    OK(folio_document_close(document, FOLIO_CLOSE_SAVE, &error));
    FAILS(folio_document_save(document, &error), FOLIO_USAGE, "usage");
    folio_document_free(document);
    folio_open_options reading = options();
    reading.mode = FOLIO_READING;
    document = open_document(in_folder(folder, "Other.sqlite"), &reading);
    CHECK(count(document, "Person") == 2);
    folio_document_free(document);
}

static void versions(void) {
    folio_document *document = create("Versions.folio");
    char name[2] = "A";
    for (int index = 0; index < 3; index++, name[0]++) {
        add_person(document, name);
        OK(folio_document_save(document, &error));
    }
    folio_error *error = NULL;
    folio_versions *list = folio_document_versions(document, &error);
    MADE(list);
    size_t number = folio_versions_count(list);
    CHECK(number >= 2);
    folio_version_info version = {.size = sizeof version};
    OK(folio_versions_get(list, number - 1, &version, &error));
    CHECK(version.generation == 2 && version.name == NULL && !version.is_pinned && version.bytes > 0);
    FAILS(folio_versions_get(list, number, &version, &error), FOLIO_USAGE, "usage");
    folio_versions_free(list);
    CHECK(folio_versions_count(list) == 0);
    OK(folio_document_name_version(document, 2, "before", &error));
    OK(folio_document_pin_version(document, 2, true, &error));
    list = folio_document_versions(document, &error);
    MADE(list);
    OK(folio_versions_get(list, number - 1, &version, &error));
    CHECK(strcmp(version.name, "before") == 0 && version.is_pinned);
    folio_versions_free(list);
    OK(folio_document_export_version(document, 1, in_folder(folder, "One.folio"), FOLIO_FORM_DEFAULT, false,
                                     &error));
    folio_document *one = open_document(in_folder(folder, "One.folio"), NULL);
    CHECK(count(one, "Person") == 1);
    folio_document_free(one);
    folio_open_options old = options();
    old.is_version = true;
    old.version = 2;
    one = open_document(in_folder(folder, "Versions.folio"), &old);
    CHECK(count(one, "Person") == 2 && info(one).mode == FOLIO_READING);
    folio_document_free(one);
    old.version = 0;
    one = open_document(in_folder(folder, "Versions.folio"), &old);
    CHECK(count(one, "Person") == 0 && info(one).mode == FOLIO_READING);
    folio_document_free(one);
    OK(folio_document_restore_version(document, 1, &error));
    CHECK(count(document, "Person") == 1);
    OK(folio_document_remove_version(document, 2, &error));
    FAILS(folio_document_restore_version(document, 2, &error), FOLIO_NOT_FOUND, "notFound");
    FAILS(folio_document_name_version(document, 99, NULL, &error), FOLIO_NOT_FOUND, "notFound");
    folio_document_free(document);
}

static bool answer(void *context, const char *plan) {
    CHECK(plan[0] == '{' && strstr(plan, "\"steps\""));
    (*(int *)context)++;
    return *(int *)context > 1;
}

static void migration(void) {
    folio_document *document = create("Old.folio");
    add_person(document, "A");
    OK(folio_document_close(document, FOLIO_CLOSE_SAVE, &error));
    folio_document_free(document);
    const char *path = in_folder(folder, "Old.folio");
    folio_open_options newer = options();
    char third_version[1024];
    snprintf(third_version, sizeof third_version, "%s#Expeditions 3", models);
    newer.model = third_version;
    NONE(folio_document_open(path, &newer, &error), FOLIO_MODEL_MISMATCH, "modelMismatch");
    newer.model = models;
    newer.migration = FOLIO_MIGRATION_REFUSE;
    NONE(folio_document_open(path, &newer, &error), FOLIO_MODEL_MISMATCH, "modelMismatch");
    newer.migration = FOLIO_MIGRATION_READING_COPY;
    document = open_document(path, &newer);
    CHECK(folio_document_find_entity(document, "Equipment") >= 0 && info(document).mode == FOLIO_READING);
    folio_document_free(document);
    newer.migration = FOLIO_MIGRATION_ASK;
    int asked = 0;
    newer.context = &asked;
    NONE(folio_document_open(path, &newer, &error), FOLIO_USAGE, "usage");
    newer.ask = answer;
    NONE(folio_document_open(path, &newer, &error), FOLIO_MODEL_MISMATCH, "modelMismatch");
    CHECK(asked == 1);
    document = open_document(path, &newer);
    CHECK(asked == 2 && folio_document_find_entity(document, "Equipment") >= 0 && count(document, "Person") == 1);
    folio_document_free(document);
    newer.migration = FOLIO_MIGRATION_AUTOMATIC;
    document = open_document(path, &newer); /* is of that version already */
    folio_document_free(document);

    document = create("Old 2.folio");
    folio_document_free(document);
    OK(folio_migrate(in_folder(folder, "Old 2.folio"), models, &error));
    FAILS(folio_migrate(in_folder(folder, "Nothing.folio"), models, &error), FOLIO_NOT_FOUND, "notFound");
    document = open_document(in_folder(folder, "Old 2.folio"), NULL);
    CHECK(folio_document_find_entity(document, "LogEntry") >= 0);
    folio_document_free(document);
}

/* The first record of the file fits, the second does not. */
static void failing_imports(void) {
    folio_document *document = create("Failing.folio");
    const char *path = in_folder(folder, "failing.csv");
    FILE *file = fopen(path, "w");
    fputs("name,born\nA,1900-01-01T00:00:00Z\nB,no date\n", file);
    fclose(file);
    add_person(document, "Before");
    OK(folio_document_save(document, &error));
    folio_import_options person = {.size = sizeof person, .entity = "Person"};
    CHECK(folio_document_import(document, path, &person, NULL, NULL) != FOLIO_OK);
    CHECK(count(document, "Person") == 1 && !info(document).has_unsaved_changes);
    /* In a group, whose other changes stay. */
    OK(folio_document_begin_undo_group(document, NULL, &error));
    add_person(document, "In the group");
    CHECK(folio_document_import(document, path, &person, NULL, NULL) != FOLIO_OK);
    CHECK(count(document, "Person") == 2);
    OK(folio_document_end_undo_group(document, &error));
    OK(folio_document_undo(document, &error));
    CHECK(count(document, "Person") == 1 && !info(document).has_unsaved_changes);
    /* What could be redone still can. */
    CHECK(folio_document_import(document, path, &person, NULL, NULL) != FOLIO_OK);
    OK(folio_document_redo(document, &error));
    CHECK(count(document, "Person") == 2);
    OK(folio_document_save(document, &error));
    OK(folio_document_set_undo(document, false, &error));
    CHECK(folio_document_import(document, path, &person, NULL, NULL) != FOLIO_OK);
    CHECK(count(document, "Person") == 2 && !info(document).has_unsaved_changes);
    /* One that succeeds is not recorded then. */
    file = fopen(path, "w");
    fputs("name\nC\n", file);
    fclose(file);
    OK(folio_document_import(document, path, &person, NULL, &error));
    CHECK(count(document, "Person") == 3 && info(document).has_unsaved_changes);
    OK(folio_document_set_undo(document, true, &error));
    OK(folio_document_undo(document, &error)); /* the group before */
    CHECK(count(document, "Person") == 2 && info(document).has_unsaved_changes);
    folio_document_free(document);
}

static void transfer(void) {
    folio_document *document = create("Transfer.folio");
    add_person(document, "A");
    add_person(document, "B");
    OK(folio_document_export(document, in_folder(folder, "all.json"), FOLIO_JSON, NULL, &error));
    OK(folio_document_export(document, in_folder(folder, "Person.csv"), FOLIO_CSV, "Person", &error));
    OK(folio_document_export(document, in_folder(folder, "all.jsonl"), FOLIO_JSON_LINES, NULL, &error));
    FAILS(folio_document_export(document, in_folder(folder, "x.csv"), FOLIO_CSV, NULL, &error), FOLIO_USAGE, "usage");
    OK(folio_document_save(document, &error));
    folio_document *other = create("Other.folio");
    folio_import_report report = {.size = sizeof report};
    OK(folio_document_import(other, in_folder(folder, "all.json"), NULL, &report, &error));
    CHECK(report.inserted == 2 && report.updated == 0 && count(other, "Person") == 2);
    OK(folio_document_undo(other, &error)); /* an import is one step */
    CHECK(count(other, "Person") == 0);
    OK(folio_document_redo(other, &error));
    folio_import_options match = {.size = sizeof match, .entity = "Person", .match = "name"};
    OK(folio_document_import(other, in_folder(folder, "Person.csv"), &match, &report, &error));
    CHECK(report.inserted == 0 && report.updated + report.unchanged == 2);
    match.match = "age";
    FAILS(folio_document_import(other, in_folder(folder, "Person.csv"), &match, &report, &error), FOLIO_USAGE,
          "unknownKey");
    FAILS(folio_document_import(other, in_folder(folder, "none.csv"), NULL, NULL, &error), FOLIO_NOT_FOUND,
          "notFound");
    OK(folio_document_save(other, &error));
    bool different = true;
    char *difference = NULL;
    OK(folio_diff(in_folder(folder, "Transfer.folio"), in_folder(folder, "Other.folio"), &different, &difference,
                  &error));
    if (different) fputs(difference, stderr);
    CHECK(!different && difference[0] == '{');
    folio_string_free(difference);
    add_person(other, "C");
    OK(folio_document_save(other, &error));
    OK(folio_diff(in_folder(folder, "Transfer.folio"), in_folder(folder, "Other.folio"), &different, NULL, &error));
    CHECK(different);
    FAILS(folio_diff(in_folder(folder, "Transfer.folio"), in_folder(folder, "None.folio"), &different, NULL, &error),
          FOLIO_NOT_FOUND, "notFound");
    folio_document_free(other);
    folio_document_free(document);
}

/* An event loop of the host: told by any thread, and dispatching on its own. */
struct loop {
    pthread_mutex_t mutex;
    pthread_cond_t condition;
    int posts;
    folio_document *document;
    int changed, conflicts, moved, failed, saved;
};

static void post(void *context) {
    struct loop *loop = context;
    pthread_mutex_lock(&loop->mutex);
    loop->posts++;
    pthread_cond_signal(&loop->condition);
    pthread_mutex_unlock(&loop->mutex);
}

static void tell(void *context, folio_document *document, folio_event_kind event, const folio_error *error) {
    struct loop *loop = context;
    CHECK(document == loop->document);
    (void)error;
    loop->changed += event == FOLIO_EVENT_CHANGED;
    loop->conflicts += event == FOLIO_EVENT_CONFLICT;
    loop->moved += event == FOLIO_EVENT_MOVED;
    loop->failed += event == FOLIO_EVENT_AUTOSAVE_FAILED;
    FAILS(folio_document_dispatch(document, &error), FOLIO_USAGE, "usage");
    CHECK(folio_document_is_open(document)); /* a handler may use the document */
}

static void saved(void *context, const folio_error *error) {
    struct loop *loop = context;
    CHECK(error == NULL);
    loop->saved++;
}

/* Waits until the host is told, at most ten seconds, and dispatches. */
static bool run(struct loop *loop) {
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += 10;
    pthread_mutex_lock(&loop->mutex);
    int failure = 0;
    while (loop->posts == 0 && failure == 0) failure = pthread_cond_timedwait(&loop->condition, &loop->mutex, &end);
    bool told = loop->posts > 0;
    loop->posts = 0;
    pthread_mutex_unlock(&loop->mutex);
    OK(folio_document_dispatch(loop->document, &error));
    return told;
}

static void *dispatch_elsewhere(void *document) {
    FAILS(folio_document_dispatch(document, &error), FOLIO_USAGE, "usage");
    return NULL;
}

static void events(void) {
    struct loop loop = {.mutex = PTHREAD_MUTEX_INITIALIZER, .condition = PTHREAD_COND_INITIALIZER};
    folio_document *document = loop.document = create("Events.folio");
    OK(folio_document_set_handler(document, tell, &loop, &error));
    OK(folio_document_set_dispatcher(document, post, &loop, &error));
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, dispatch_elsewhere, document) == 0 && pthread_join(thread, NULL) == 0);
    add_person(document, "A");
    CHECK(run(&loop) && loop.changed == 1);
    OK(folio_document_start_save(document, saved, &loop, &error));
    while (loop.saved == 0) CHECK(run(&loop));
    CHECK(!info(document).has_unsaved_changes && loop.changed >= 2);

    /* By itself, some time after a change. */
    folio_policy policy = {.size = sizeof policy, .idle = 0.05, .minimum_interval = 0, .maximum_delay = 1,
                           .on_close = FOLIO_CLOSE_SAVE};
    OK(folio_document_set_policy(document, &policy, &error));
    policy.idle = NAN;
    FAILS(folio_document_set_policy(document, &policy, &error), FOLIO_USAGE, "usage");
    add_person(document, "B");
    OK(folio_document_dispatch(document, &error));
    for (int round = 0; round < 200 && !info(document).has_autosaved_work; round++) usleep(50000);
    CHECK(info(document).has_autosaved_work);
    /* Moved by another program, which the document follows. */
    CHECK(rename(in_folder(folder, "Events.folio"), in_folder(folder, "Moved.folio")) == 0);
    for (int round = 0; round < 200 && loop.moved == 0; round++) run(&loop);
    CHECK(loop.moved == 1 && strstr(info(document).path, "Moved.folio") && loop.failed == 0);
    OK(folio_document_stop_policy(document, &error));
    OK(folio_document_set_policy(document, NULL, &error));
    int event = 7;
    OK(folio_document_check_outside(document, &event, &error));
    CHECK(event == 0);
    OK(folio_document_set_dispatcher(document, NULL, NULL, &error));
    OK(folio_document_set_handler(document, NULL, NULL, &error));
    OK(folio_document_close(document, FOLIO_CLOSE_POLICY, &error));
    folio_document_free(document);
}

static void conflict(folio_resolution resolution, size_t expected) {
    folio_document *document = create("Conflict.folio");
    add_person(document, "Common");
    OK(folio_document_save(document, &error));
    /* Another program replaces the document. */
    char command[4096];
    snprintf(command, sizeof command, "cp -r '%s/Conflict.folio' '%s/Theirs.folio'", folder, folder);
    CHECK(system(command) == 0);
    folio_document *theirs = open_document(in_folder(folder, "Theirs.folio"), NULL);
    add_person(theirs, "Theirs");
    OK(folio_document_close(theirs, FOLIO_CLOSE_SAVE, &error));
    folio_document_free(theirs);
    add_person(document, "Mine");
    FAILS(folio_document_resolve_conflict(document, FOLIO_TAKE_THEIRS, NULL, NULL, &error), FOLIO_USAGE, "usage");
    snprintf(command, sizeof command, "mv '%s/Conflict.folio' '%s/Gone.folio' && mv '%s/Theirs.folio' '%s/Conflict.folio'",
             folder, folder, folder, folder);
    CHECK(system(command) == 0);
    int event = 0;
    OK(folio_document_check_outside(document, &event, &error));
    CHECK(event == FOLIO_EVENT_CONFLICT && info(document).has_conflict);
    FAILS(folio_document_save(document, &error), FOLIO_TRY_LATER, "changed");
    char *report = NULL;
    OK(folio_document_resolve_conflict(document, resolution, NULL, &report, &error));
    CHECK(strstr(report, "\"clashes\""));
    folio_string_free(report);
    CHECK(count(document, "Person") == expected && !info(document).has_conflict);
    OK(folio_document_save(document, &error));
    OK(folio_document_close(document, FOLIO_CLOSE_SAVE, &error));
    folio_document_free(document);
    snprintf(command, sizeof command, "rm -rf '%s/Conflict.folio' '%s/Gone.folio' '%s/Theirs.folio'", folder, folder,
             folder);
    CHECK(system(command) == 0);
}

int main(int count, char **arguments) {
    CHECK(count == 3);
    folder = arguments[1];
    models = arguments[2];
    snprintf(first_version, sizeof first_version, "%s#Expeditions", models);
    CHECK(strlen(folio_version()) > 0);
    opening();
    saving();
    versions();
    migration();
    transfer();
    failing_imports();
    events();
    conflict(FOLIO_TAKE_THEIRS, 2);
    conflict(FOLIO_MERGE_MINE, 3);
    conflict(FOLIO_KEEP_MINE_AS_COPY, 2);
    CHECK(folio_handle_count() == 0);
    puts("done");
    return 0;
}
