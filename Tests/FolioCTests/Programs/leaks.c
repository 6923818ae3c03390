/* Memory does not grow: what was opened, read, edited and closed forty times leaves as much as what was ten
 * times, but for what the system's thread pool keeps for itself. Arguments: a folder, the file of the model. */
#include "check.h"

#include <malloc.h>

static void note(void *context, folio_live *live, const folio_change *changes, size_t number, folio_results *results) {
    (void)live, (void)changes, (void)number, (void)results;
    ++*(size_t *)context;
}

static int64_t give(void *context, void *buffer, size_t size) {
    int64_t number = *(int64_t *)context;
    CHECK((size_t)number <= size);
    memset(buffer, 1, number);
    *(int64_t *)context = 0;
    return number;
}

static void cycle(const char *path) {
    folio_error *error = NULL;
    folio_document *document = folio_document_open(path, NULL, &error);
    MADE(document);
    folio_query all = query("Person", NULL, "name");
    size_t told = 0;
    folio_live *live = folio_document_watch(document, &all, note, &told, &error);
    MADE(live);
    for (int index = 0; index < 5; index++) {
        folio_object *person = insert(document, "Person");
        set_text(person, "name", "A name that is too long to be a part of a word");
        int64_t size = 100000;
        OK(folio_object_set_stream(person, "portrait", give, &size, &error));
        folio_value value = folio_text("x");
        FAILS(folio_object_set(person, "journeys", &value, &error), FOLIO_USAGE, "wrongType");
        FAILS(folio_object_get(person, "age", &value, &error), FOLIO_USAGE, "unknownKey");
        folio_object_free(person);
    }
    OK(folio_document_dispatch(document, &error));
    CHECK(told == 1);
    OK(folio_document_save(document, &error));
    folio_results *results = folio_document_fetch(document, &all, &error);
    MADE(results);
    folio_value values[5];
    CHECK(folio_results_count(results) == 5);
    OK(folio_results_read(results, 0, 5, (const char *[]){"name"}, 1, values, &error));
    for (int index = 0; index < 5; index++) {
        folio_object *person = folio_results_object(results, index, &error);
        MADE(person);
        folio_stream *stream = folio_object_open_stream(person, "portrait", &error);
        MADE(stream);
        folio_stream_free(stream);
        OK(folio_object_delete(person, &error));
        folio_object_free(person);
    }
    folio_results_free(results);
    folio_live_free(live);
    folio_string_free(folio_document_undo_name(document, &error));
    /* The versions of each round would be a longer list to read. */
    OK(folio_document_save(document, &error));
    folio_versions *versions = folio_document_versions(document, &error);
    MADE(versions);
    while (folio_versions_count(versions) > 2) {
        folio_version_info version = {.size = sizeof version};
        OK(folio_versions_get(versions, 0, &version, &error));
        OK(folio_document_remove_version(document, version.generation, &error));
        folio_versions_free(versions);
        versions = folio_document_versions(document, &error);
        MADE(versions);
    }
    folio_versions_free(versions);
    OK(folio_document_close(document, FOLIO_CLOSE_SAVE, &error));
    folio_document_free(document);
    CHECK(folio_handle_count() == 0);
}

int main(int count, char **arguments) {
    CHECK(count == 3);
    const char *path = in_folder(arguments[1], "Leaks.folio");
    folio_document_free(create_document(path, arguments[2]));
    char kept[1024];
    snprintf(kept, sizeof kept, "%s", path);
    size_t used = 0;
    for (int round = 0; round < 50; round++) {
        if (round == 10) used = mallinfo2().uordblks;
        cycle(kept);
    }
    size_t growth = mallinfo2().uordblks > used ? mallinfo2().uordblks - used : 0;
    fprintf(stderr, "%zu bytes more after 40 rounds\n", growth);
    CHECK(growth < 400000);
    puts("done");
    return 0;
}
