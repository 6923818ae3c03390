/* Eight threads on one document, and on eight. Arguments: a folder, the file of the model. */
#include "check.h"

#include <pthread.h>

enum { THREADS = 8, ROUNDS = 60 };

struct work {
    folio_document *document;
    int number;
};

static void *edit(void *context) {
    struct work *work = context;
    for (int round = 0; round < ROUNDS; round++) {
        char name[64];
        snprintf(name, sizeof name, "Person %d of thread %d", round, work->number);
        folio_object *person = insert(work->document, "Person");
        set_text(person, "name", name);
        CHECK(text_is(person, "name", name));
        folio_value argument = folio_text(name);
        folio_query some = query("Person", "name == %@", NULL);
        some.arguments = &argument;
        some.argument_count = 1;
        folio_error *error = NULL;
        folio_results *results = folio_document_fetch(work->document, &some, &error);
        MADE(results);
        CHECK(folio_results_count(results) == 1);
        folio_value read;
        OK(folio_results_read(results, 0, 1, (const char *[]){"name"}, 1, &read, &error));
        CHECK(strcmp(read.as.text.data, name) == 0);
        folio_results_free(results);
        if (round % 20 == 7) {
            /* Another thread may have inserted a person that has no name yet. */
            folio_status status = folio_document_save(work->document, NULL);
            CHECK(status == FOLIO_OK || status == FOLIO_MALFORMED);
        }
        if (round % 20 == 13) OK(folio_document_autosave(work->document, &error));
        if (round % 3 == 0) OK(folio_object_delete(person, &error));
        folio_object_free(person);
        folio_document_dispatch(work->document, NULL); /* refused while another thread does */
    }
    return NULL;
}

static void run(folio_document **documents) {
    pthread_t threads[THREADS];
    struct work work[THREADS];
    for (int index = 0; index < THREADS; index++) {
        work[index] = (struct work){documents[index], index};
        CHECK(pthread_create(&threads[index], NULL, edit, &work[index]) == 0);
    }
    for (int index = 0; index < THREADS; index++) CHECK(pthread_join(threads[index], NULL) == 0);
}

static folio_document *create(const char *folder, const char *model, int number) {
    char name[64];
    snprintf(name, sizeof name, "Threads %d.folio", number);
    folio_document *document = create_document(in_folder(folder, name), model);
    folio_policy policy = {.size = sizeof policy, .idle = 0.01, .minimum_interval = 0.01, .maximum_delay = 0.1,
                           .on_close = FOLIO_CLOSE_SAVE};
    OK(folio_document_set_policy(document, &policy, &error));
    return document;
}

int main(int arguments_count, char **arguments) {
    CHECK(arguments_count == 3);
    folio_document *documents[THREADS];
    documents[0] = create(arguments[1], arguments[2], 0);
    for (int index = 1; index < THREADS; index++) documents[index] = documents[0];
    run(documents);
    CHECK(count(documents[0], "Person") == THREADS * ROUNDS * 2 / 3);
    OK(folio_document_close(documents[0], FOLIO_CLOSE_POLICY, &error));
    folio_document_free(documents[0]);

    for (int index = 0; index < THREADS; index++) documents[index] = create(arguments[1], arguments[2], index + 1);
    run(documents);
    for (int index = 0; index < THREADS; index++) {
        CHECK(count(documents[index], "Person") == ROUNDS * 2 / 3);
        folio_document_free(documents[index]);
    }
    folio_error *error = NULL;
    folio_document *document =
        folio_document_open(in_folder(arguments[1], "Threads 0.folio"), NULL, &error);
    MADE(document);
    CHECK(count(document, "Person") == THREADS * ROUNDS * 2 / 3);
    folio_document_free(document);
    CHECK(folio_handle_count() == 0);
    puts("done");
    return 0;
}
