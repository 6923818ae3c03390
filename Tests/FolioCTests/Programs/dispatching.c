/* Telling the host's event loop: when its function is called, and when not any more. Arguments: a
 * folder, the file of the model. */
#include "check.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static const char *folder, *model;

static folio_document *create(const char *name) { return create_document(in_folder(folder, name), model); }

static void post(void *context) { ++*(int *)context; }

static void note(void *context, folio_live *live, const folio_change *changes, size_t number, folio_results *results) {
    (void)live, (void)changes, (void)number, (void)results;
    ++*(int *)context;
}

static void tell(void *context, folio_document *document, folio_event_kind event, const folio_error *error) {
    (void)document, (void)error;
    CHECK(event == FOLIO_EVENT_CHANGED);
    ++*(int *)context;
}

static void the_host_is_told_once_of_what_there_is(void) {
    folio_document *document = create("Posts.folio");
    int posts = 0, changes = 0, events = 0;
    add_person(document, "A");
    /* What was edited before there was a dispatcher. */
    OK(folio_document_set_dispatcher(document, post, &posts, &error));
    CHECK(posts == 1);
    OK(folio_document_dispatch(document, &error));
    CHECK(posts == 1);
    folio_query all = query("Person", NULL, "name");
    folio_error *error = NULL;
    folio_live *live = folio_document_watch(document, &all, note, &changes, &error);
    MADE(live);
    OK(folio_document_set_handler(document, tell, &events, &error));
    folio_object *person = insert(document, "Person");
    set_text(person, "name", "B");
    CHECK(posts == 2);
    /* What the dispatch itself finds is told by it, and needs no other. */
    OK(folio_document_dispatch(document, &error));
    CHECK(changes == 1 && posts == 2);
    OK(folio_document_save(document, &error));
    CHECK(posts == 3);
    OK(folio_document_dispatch(document, &error));
    CHECK(events >= 1 && posts == 3);
    /* What was dispatched without a dispatcher is not told to the next. */
    OK(folio_document_set_dispatcher(document, NULL, NULL, &error));
    set_text(person, "name", "C");
    OK(folio_document_dispatch(document, &error));
    OK(folio_document_set_dispatcher(document, post, &posts, &error));
    CHECK(posts == 3);
    folio_object_free(person);
    folio_live_free(live);
    folio_document_free(document);
}

struct loop {
    atomic_int calls;
    atomic_bool is_gone;
};

static void post_slowly(void *context) {
    struct loop *loop = context;
    loop->calls++;
    usleep(200000);
    CHECK(!loop->is_gone);
}

static void *edit(void *document) {
    folio_object_free(insert(document, "Person"));
    return NULL;
}

/* The context of a dispatcher may be freed when another one was set, or the document freed. */
static void a_dispatcher_that_was_replaced_is_not_being_called(bool frees) {
    folio_document *document = create(frees ? "Freed.folio" : "Replaced.folio");
    struct loop loop = {0};
    OK(folio_document_set_dispatcher(document, post_slowly, &loop, &error));
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, edit, document) == 0);
    while (loop.calls == 0) usleep(1000);
    /* The thread has left the document, and calls the dispatcher. */
    if (frees) {
        folio_document_free(document);
    } else {
        OK(folio_document_set_dispatcher(document, NULL, NULL, &error));
    }
    loop.is_gone = true;
    CHECK(pthread_join(thread, NULL) == 0 && loop.calls == 1);
    if (!frees) folio_document_free(document);
}

static void tell_once(void *context, folio_document *document, folio_event_kind event, const folio_error *error) {
    (void)event, (void)error;
    CHECK(++*(int *)context == 1);
    OK(folio_document_set_handler(document, NULL, NULL, &error));
}

static void a_handler_that_was_replaced_is_not_called(void) {
    folio_document *document = create("Handler.folio");
    int calls = 0;
    OK(folio_document_set_handler(document, tell_once, &calls, &error));
    add_person(document, "A");
    OK(folio_document_autosave(document, &error));
    OK(folio_document_save(document, &error));
    OK(folio_document_dispatch(document, &error)); /* of two events */
    CHECK(calls == 1);
    folio_document_free(document);
}

int main(int count, char **arguments) {
    CHECK(count == 3);
    folder = arguments[1];
    model = arguments[2];
    the_host_is_told_once_of_what_there_is();
    a_dispatcher_that_was_replaced_is_not_being_called(false);
    a_dispatcher_that_was_replaced_is_not_being_called(true);
    a_handler_that_was_replaced_is_not_called();
    CHECK(folio_handle_count() == 0);
    puts("done");
    return 0;
}
