/* The end of documents: what is kept where closing fails, and what is left of a document whose
 * handles were freed. Arguments: a folder, the file of the model. */
#include "check.h"

#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

static const char *folder, *model;

static folio_document *create(const char *name) { return create_document(in_folder(folder, name), model); }

/* The next editor finds unsaved work with so many objects. */
static void is_recovered(const char *name, const char *entity, size_t expected) {
    NONE(folio_document_open(in_folder(folder, name), NULL, &error), FOLIO_TRY_LATER, "recoverable");
    folio_open_options options = {.size = sizeof options, .recovery = FOLIO_RECOVERY_KEEP};
    folio_error *error = NULL;
    folio_document *document = folio_document_open(in_folder(folder, name), &options, &error);
    MADE(document);
    CHECK(info(document).has_recovered_work && count(document, entity) == expected);
    OK(folio_document_close(document, FOLIO_CLOSE_DISCARD, &error));
    folio_document_free(document);
}

/* A policy wants work saved that violates a rule of the model. */
static void work_that_cannot_be_saved_is_kept(void) {
    folio_document *document = create("Invalid.folio");
    folio_policy policy = {.size = sizeof policy, .idle = -1, .on_close = FOLIO_CLOSE_SAVE};
    OK(folio_document_set_policy(document, &policy, &error));
    folio_object *journey = insert(document, "Journey");
    set_text(journey, "title", "Without a leader");
    FAILS(folio_document_save(document, &error), FOLIO_MALFORMED, "validation");
    OK(folio_document_autosave(document, &error));
    folio_document_free(document);
    folio_value value;
    FAILS(folio_object_get(journey, "title", &value, &error), FOLIO_USAGE, "usage");
    folio_object_free(journey);
    is_recovered("Invalid.folio", "Journey", 1);
}

/* The last changes can't be autosaved any more: what was before stays. */
static void autosaved_work_outlives_an_autosave_that_fails(void) {
    folio_document *document = create("Full.folio");
    add_person(document, "Saved");
    OK(folio_document_save(document, &error));
    add_person(document, "Autosaved");
    OK(folio_document_autosave(document, &error));
    size_t size = 8 << 20;
    char *name = malloc(size + 1);
    memset(name, 'x', size);
    name[size] = 0;
    add_person(document, name);
    free(name);
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit limit, unlimited;
    CHECK(getrlimit(RLIMIT_FSIZE, &unlimited) == 0);
    limit = unlimited;
    limit.rlim_cur = 4 << 20;
    CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    CHECK(folio_document_autosave(document, NULL) != FOLIO_OK);
    folio_document_free(document);
    CHECK(setrlimit(RLIMIT_FSIZE, &unlimited) == 0);
    is_recovered("Full.folio", "Person", 2);
}

/* A store by itself has no autosave: its lock is let go all the same. */
static void work_that_cannot_be_kept_is_lost(void) {
    folio_document *document = create("Bare.sqlite");
    add_person(document, "Lost");
    folio_document_free(document);
    folio_error *error = NULL;
    document = folio_document_open(in_folder(folder, "Bare.sqlite"), NULL, &error);
    MADE(document);
    CHECK(count(document, "Person") == 0);
    folio_document_free(document);
}

static int64_t give(void *context, void *buffer, size_t size) {
    int64_t number = *(int64_t *)context;
    CHECK((size_t)number <= size);
    memset(buffer, 1, number);
    *(int64_t *)context = 0;
    return number;
}

static void never(void *context, folio_live *live, const folio_change *changes, size_t number, folio_results *results) {
    (void)context, (void)live, (void)changes, (void)number, (void)results;
    CHECK(false);
}

static size_t scratch_folders(const char *path) {
    DIR *directory = opendir(path);
    CHECK(directory != NULL);
    size_t number = 0;
    for (struct dirent *entry; (entry = readdir(directory));) number += strncmp(entry->d_name, "folio-", 6) == 0;
    closedir(directory);
    return number;
}

/* The temporary files of a document go with it, whatever handlers were still to be told. */
static void nothing_is_left_of_a_document(const char *temporary, bool frees_live_first) {
    folio_document *document = create(frees_live_first ? "First.folio" : "Last.folio");
    folio_query all = query("Person", NULL, "name");
    folio_error *error = NULL;
    folio_live *live = folio_document_watch(document, &all, never, NULL, &error);
    MADE(live);
    folio_object *person = insert(document, "Person");
    set_text(person, "name", "A");
    int64_t size = 100000;
    OK(folio_object_set_stream(person, "portrait", give, &size, &error));
    folio_object_free(person);
    CHECK(scratch_folders(temporary) == 1);
    if (frees_live_first) {
        OK(folio_document_end_event(document, &error)); /* there is something to tell */
        folio_live_free(live);
        OK(folio_document_dispatch(document, &error));
    }
    folio_document_free(document);
    if (!frees_live_first) folio_live_free(live);
    CHECK(scratch_folders(temporary) == 0);
}

int main(int count, char **arguments) {
    CHECK(count == 3);
    folder = arguments[1];
    model = arguments[2];
    char temporary[1024];
    snprintf(temporary, sizeof temporary, "%s/tmp", folder);
    CHECK(mkdir(temporary, 0700) == 0 && setenv("TMPDIR", temporary, 1) == 0);
    work_that_cannot_be_saved_is_kept();
    autosaved_work_outlives_an_autosave_that_fails();
    work_that_cannot_be_kept_is_lost();
    nothing_is_left_of_a_document(temporary, true);
    nothing_is_left_of_a_document(temporary, false);
    CHECK(folio_handle_count() == 0);
    puts("done");
    return 0;
}
