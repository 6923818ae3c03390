/* The progress of operations and their cancellation. Arguments: a folder, the file of the models. */
#include "check.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static const char *folder, *models;
static char first_version[1024];

static folio_document *create(const char *name) { return create_document(in_folder(folder, name), first_version); }

static int64_t give(void *context, void *buffer, size_t size) {
    int64_t *left = context;
    int64_t number = *left < (int64_t)size ? *left : (int64_t)size;
    for (int64_t index = 0; index < number; index++) ((char *)buffer)[index] = (char)rand();
    *left -= number;
    return number;
}

static void add_portrait(folio_document *document, int64_t bytes) {
    folio_object *person = insert(document, "Person");
    set_text(person, "name", "A");
    OK(folio_object_set_stream(person, "portrait", give, &bytes, &error));
    folio_object_free(person);
}

static folio_progress *progress(void) {
    folio_progress *progress = folio_progress_create();
    CHECK(progress != NULL && folio_progress_fraction(progress) == 0);
    return progress;
}

static void an_operation_that_was_cancelled_changes_nothing(void) {
    folio_document *document = create("Cancelled.folio");
    add_person(document, "A");
    folio_progress *cancelled = progress();
    folio_progress_cancel(cancelled);
    OK(folio_document_validate(document, &error));
    OK(folio_progress_use(cancelled, &error));
    FAILS(folio_document_save(document, &error), FOLIO_CANCELLED, "interrupted");
    FAILS(folio_document_save_as(document, in_folder(folder, "New.folioz"), FOLIO_FORM_DEFAULT, false, &error),
          FOLIO_CANCELLED, "interrupted");
    CHECK(info(document).has_unsaved_changes && info(document).generation == 0 && count(document, "Person") == 1);
    CHECK(access(in_folder(folder, "New.folioz"), F_OK) != 0);
    OK(folio_progress_use(NULL, &error));
    OK(folio_document_save(document, &error));
    OK(folio_document_close(document, FOLIO_CLOSE_SAVE, &error));
    folio_document_free(document);

    OK(folio_progress_use(cancelled, &error));
    FAILS(folio_migrate(in_folder(folder, "Cancelled.folio"), models, &error), FOLIO_CANCELLED, "interrupted");
    /* A handle that was freed is used by nobody. */
    folio_progress_free(cancelled);
    CHECK(isnan(folio_progress_fraction(cancelled)));
    folio_progress_cancel(cancelled);
    FAILS(folio_progress_use(cancelled, &error), FOLIO_USAGE, "usage");
    folio_progress *shown = progress();
    OK(folio_progress_use(shown, &error));
    OK(folio_migrate(in_folder(folder, "Cancelled.folio"), models, &error));
    CHECK(folio_progress_fraction(shown) == 1);
    OK(folio_progress_use(NULL, &error));
    folio_progress_free(shown);
}

struct watch {
    folio_progress *progress;
    atomic_bool is_done;
    double seen;
};

/* Cancels as soon as a part is done. */
static void *cancel_when_begun(void *context) {
    struct watch *watch = context;
    while (!watch->is_done) {
        double fraction = folio_progress_fraction(watch->progress);
        CHECK(fraction >= 0 && fraction <= 1);
        if (fraction > 0 && watch->seen == 0) {
            watch->seen = fraction;
            folio_progress_cancel(watch->progress);
        }
    }
    return NULL;
}

static void an_operation_is_watched_and_cancelled_by_another_thread(void) {
    folio_document *document = create("Large.folio");
    for (int index = 0; index < 48; index++) add_portrait(document, 1 << 20);
    OK(folio_document_save(document, &error));
    struct watch watch = {.progress = progress()};
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, cancel_when_begun, &watch) == 0);
    OK(folio_progress_use(watch.progress, &error));
    FAILS(folio_document_write_copy(document, in_folder(folder, "Large.folioz"), FOLIO_FORM_DEFAULT, false, false,
                                    &error),
          FOLIO_CANCELLED, "interrupted");
    OK(folio_progress_use(NULL, &error));
    watch.is_done = true;
    CHECK(pthread_join(thread, NULL) == 0 && watch.seen > 0);
    folio_progress_free(watch.progress);
    CHECK(access(in_folder(folder, "Large.folioz"), F_OK) != 0);
    OK(folio_document_write_copy(document, in_folder(folder, "Large.folioz"), FOLIO_FORM_DEFAULT, false, false,
                                 &error));
    folio_document_free(document);
}

static void note(void *context, const folio_error *error) {
    CHECK(folio_error_status(error) == FOLIO_CANCELLED);
    ++*(int *)context;
}

static void a_save_that_was_started_is_cancelled(void) {
    folio_document *document = create("Started.folio");
    add_person(document, "A");
    folio_progress *cancelled = progress();
    folio_progress_cancel(cancelled);
    OK(folio_progress_use(cancelled, &error));
    int calls = 0;
    OK(folio_document_start_save(document, note, &calls, &error));
    OK(folio_progress_use(NULL, &error));
    for (int round = 0; round < 1000 && calls == 0; round++) {
        usleep(10000);
        OK(folio_document_dispatch(document, &error));
    }
    CHECK(calls == 1 && info(document).has_unsaved_changes);
    folio_progress_free(cancelled);
    folio_document_free(document);
}

int main(int count, char **arguments) {
    CHECK(count == 3);
    folder = arguments[1];
    models = arguments[2];
    snprintf(first_version, sizeof first_version, "%s#Expeditions", models);
    an_operation_that_was_cancelled_changes_nothing();
    an_operation_is_watched_and_cancelled_by_another_thread();
    a_save_that_was_started_is_cancelled();
    CHECK(folio_handle_count() == 0);
    puts("done");
    return 0;
}
