/* Objects: values of every type, relationships, fetching, live results, undo, validation, large
 * values. Arguments: a folder, and the file of the model. */
#include "check.h"

static folio_document *document;

static void model(void) {
    CHECK(folio_document_entity_count(document) == 6);
    int32_t journey = folio_document_find_entity(document, "Journey");
    CHECK(journey >= 0 && folio_document_find_entity(document, "Nothing") == -1);
    folio_entity_info entity = {.size = sizeof entity};
    OK(folio_document_get_entity(document, journey, &entity, &error));
    CHECK(strcmp(entity.name, "Journey") == 0 && entity.superentity == -1 && !entity.is_abstract);
    bool found = false;
    for (size_t index = 0; index < entity.property_count; index++) {
        folio_property_info property = {.size = sizeof property};
        OK(folio_document_get_property(document, journey, index, &property, &error));
        if (strcmp(property.name, "stops") == 0) {
            found = property.is_ordered && property.type == FOLIO_REFERENCES && !property.type_name
                && strcmp(property.inverse, "journey") == 0
                && property.destination == folio_document_find_entity(document, "Stop");
        } else if (strcmp(property.name, "budget") == 0) {
            CHECK(property.type == FOLIO_DECIMAL && property.is_optional && property.destination == -1);
            CHECK(strcmp(property.type_name, "Decimal") == 0);
        }
    }
    CHECK(found);
    int32_t camp = folio_document_find_entity(document, "Camp");
    OK(folio_document_get_entity(document, camp, &entity, &error));
    CHECK(entity.superentity == folio_document_find_entity(document, "Place"));
    folio_error *error = NULL;
    char *json = folio_document_model_json(document, &error);
    MADE(json);
    CHECK(strstr(json, "\"longJourneys\""));
    folio_string_free(json);
}

static void values(void) {
    folio_object *person = insert(document, "Person");
    folio_object *place = insert(document, "Camp");
    folio_object *journey = insert(document, "Journey");
    set_text(person, "name", "Frïdtjof");
    CHECK(text_is(person, "name", "Frïdtjof"));
    folio_value value = folio_text("6F0C1D52-0F5B-4C0B-9B0C-0D5B1E1A9A01");
    OK(folio_object_set(person, "badge", &value, &error));
    OK(folio_object_get(person, "badge", &value, &error));
    CHECK(value.type == FOLIO_UUID && value.as.uuid[0] == 0x6F && value.as.uuid[15] == 0x01);
    OK(folio_object_set(person, "badge", &value, &error));
    value = folio_date(-4000000000.5);
    OK(folio_object_set(person, "born", &value, &error));
    OK(folio_object_get(person, "born", &value, &error));
    CHECK(value.type == FOLIO_DATE && value.as.number == -4000000000.5);
    value = folio_text("https://example.org/nansen");
    OK(folio_object_set(person, "homepage", &value, &error));
    OK(folio_object_get(person, "homepage", &value, &error));
    CHECK(value.type == FOLIO_URI && strcmp(value.as.text.data, "https://example.org/nansen") == 0);
    OK(folio_object_set(person, "homepage", NULL, &error));
    OK(folio_object_get(person, "homepage", &value, &error));
    CHECK(value.type == FOLIO_NULL);
    value = folio_double(81.25);
    OK(folio_object_set(place, "latitude", &value, &error));
    OK(folio_object_set(place, "elevation", &value, &error));
    OK(folio_object_get(place, "latitude", &value, &error));
    CHECK(value.type == FOLIO_DOUBLE && value.as.number == 81.25);
    OK(folio_object_get(place, "elevation", &value, &error));
    CHECK(value.type == FOLIO_FLOAT && value.as.number == 81.25);
    OK(folio_object_get(place, "isCharted", &value, &error));
    CHECK(value.type == FOLIO_BOOLEAN && value.as.boolean);
    value = folio_boolean(false);
    OK(folio_object_set(place, "isCharted", &value, &error));
    OK(folio_object_get(place, "isCharted", &value, &error));
    CHECK(value.type == FOLIO_BOOLEAN && !value.as.boolean);
    CHECK(get_integer(place, "capacity") == 4);
    value = folio_text("444339.36");
    OK(folio_object_set(journey, "budget", &value, &error));
    OK(folio_object_get(journey, "budget", &value, &error));
    CHECK(value.type == FOLIO_DECIMAL && strcmp(value.as.text.data, "444339.36") == 0);
    value = folio_bytes("\0\1\2", 3);
    OK(folio_object_set(journey, "route", &value, &error));
    OK(folio_object_get(journey, "route", &value, &error));
    CHECK(value.type == FOLIO_BYTES && value.as.bytes.size == 3 && memcmp(value.as.bytes.data, "\0\1\2", 3) == 0);
    value = folio_integer(1LL << 40);
    OK(folio_object_set(journey, "distance", &value, &error));
    CHECK(get_integer(journey, "distance") == 1LL << 40);

    /* What does not fit. */
    FAILS(folio_object_set(journey, "distance", &(folio_value){.type = 99}, &error), FOLIO_USAGE, "usage");
    value = folio_text("a lot");
    FAILS(folio_object_set(journey, "distance", &value, &error), FOLIO_USAGE, "wrongType");
    FAILS(folio_object_set(journey, "budget", &value, &error), FOLIO_USAGE, "usage");
    FAILS(folio_object_set(person, "badge", &value, &error), FOLIO_USAGE, "usage");
    FAILS(folio_object_set(journey, "length", &value, &error), FOLIO_USAGE, "unknownKey");
    FAILS(folio_object_get(journey, "length", &value, &error), FOLIO_USAGE, "unknownKey");
    value = folio_text("\xff\xfe");
    FAILS(folio_object_set(person, "name", &value, &error), FOLIO_USAGE, "usage");
    FAILS(folio_object_get(person, "\xff", &value, &error), FOLIO_USAGE, "usage");
    value = folio_object_value((folio_reference){.key = 4711, .entity = 1});
    FAILS(folio_object_set(journey, "leader", &value, &error), FOLIO_NOT_FOUND, "unknownObject");
    value = folio_object_value((folio_reference){.key = 1, .entity = 4711});
    FAILS(folio_object_set(journey, "leader", &value, &error), FOLIO_NOT_FOUND, "unknownObject");
    CHECK(text_is(person, "name", "Frïdtjof"));

    /* Several at once, along a relationship. */
    OK(folio_object_set_object(journey, "leader", person, &error));
    set_text(journey, "title", "The drift");
    folio_value read[4];
    const char *keys[] = {"title", "leader.name", "leader", "year"};
    OK(folio_object_read(journey, keys, 4, read, &error));
    CHECK(strcmp(read[0].as.text.data, "The drift") == 0 && strcmp(read[1].as.text.data, "Frïdtjof") == 0);
    CHECK(read[2].type == FOLIO_REFERENCE && read[2].as.reference.key < 0 && read[3].as.integer == 1900);
    FAILS(folio_object_read(journey, (const char *[]){"leader.age"}, 1, read, &error), FOLIO_USAGE, "unknownKey");
    FAILS(folio_object_read(journey, (const char *[]){"members.name"}, 1, read, &error), FOLIO_USAGE, "usage");
    folio_object_free(person);
    folio_object_free(place);
    folio_object_free(journey);
    OK(folio_document_revert(document, &error));
    CHECK(count(document, "Person") == 0);
}

static void relationships(void) {
    folio_object *journey = insert(document, "Journey");
    folio_object *leader = insert(document, "Person");
    folio_object *stops[3];
    set_text(journey, "title", "South");
    set_text(leader, "name", "Roald");
    folio_object *related = NULL;
    OK(folio_object_get_object(journey, "leader", &related, &error));
    CHECK(related == NULL);
    OK(folio_object_set_object(journey, "leader", leader, &error));
    OK(folio_object_get_object(journey, "leader", &related, &error));
    CHECK(text_is(related, "name", "Roald"));
    folio_object_free(related);
    folio_reference reference;
    OK(folio_object_reference(leader, &reference, &error));
    CHECK(reference.key < 0);
    OK(folio_object_obtain_permanent_reference(leader, &error));
    OK(folio_object_reference(leader, &reference, &error));
    CHECK(reference.key > 0);
    folio_error *error = NULL;
    char *uri = folio_object_uri(leader, &error);
    MADE(uri);
    CHECK(strncmp(uri, "x-coredata://", 13) == 0);
    folio_string_free(uri);

    for (int index = 0; index < 3; index++) {
        stops[index] = insert(document, "Stop");
        set_integer(stops[index], "nights", index);
        OK(folio_object_add(journey, "stops", stops[index], &error));
    }
    OK(folio_object_add(journey, "stops", stops[0], &error)); /* is one already */
    OK(folio_object_insert_at(journey, "stops", stops[2], 0, &error));
    FAILS(folio_object_insert_at(journey, "stops", stops[2], 3, &error), FOLIO_USAGE, "wrongType");
    FAILS(folio_object_insert_at(journey, "members", leader, 0, &error), FOLIO_USAGE, "wrongType");
    FAILS(folio_object_add(journey, "stops", leader, &error), FOLIO_USAGE, "wrongType");
    FAILS(folio_object_add(journey, "title", leader, &error), FOLIO_USAGE, "usage");
    FAILS(folio_object_add(journey, "leader", leader, &error), FOLIO_USAGE, "wrongType");
    folio_results *list = folio_object_get_objects(journey, "stops", &error);
    MADE(list);
    CHECK(folio_results_count(list) == 3);
    folio_value nights[3];
    OK(folio_results_read(list, 0, 3, (const char *[]){"nights"}, 1, nights, &error));
    CHECK(nights[0].as.integer == 2 && nights[1].as.integer == 0 && nights[2].as.integer == 1);
    folio_results_free(list);
    OK(folio_object_remove(journey, "stops", stops[0], &error));
    folio_value value;
    OK(folio_object_get(journey, "stops", &value, &error));
    CHECK(value.type == FOLIO_REFERENCES && value.as.references.count == 2);
    OK(folio_object_get(stops[0], "journey", &value, &error));
    CHECK(value.type == FOLIO_NULL);
    folio_value both = {.type = FOLIO_REFERENCES};
    folio_reference names[2];
    OK(folio_object_reference(stops[0], &names[0], &error));
    OK(folio_object_reference(stops[1], &names[1], &error));
    both.as.references.items = names;
    both.as.references.count = 2;
    OK(folio_object_set(journey, "stops", &both, &error));
    OK(folio_object_get_object(stops[1], "journey", &related, &error));
    CHECK(text_is(related, "title", "South"));
    folio_object_free(related);

    /* Validation says what is missing, and a value is checked before it is set. */
    FAILS(folio_object_validate(stops[0], &error), FOLIO_MALFORMED, "validation");
    FAILS(folio_document_validate(document, &error), FOLIO_MALFORMED, "validation");
    FAILS(folio_document_save(document, &error), FOLIO_MALFORMED, "validation");
    value = folio_integer(5000);
    FAILS(folio_object_validate_value(journey, "year", &value, &error), FOLIO_MALFORMED, "validation");
    value = folio_integer(1911);
    OK(folio_object_validate_value(journey, "year", &value, &error));
    for (int index = 0; index < 3; index++) OK(folio_object_delete(stops[index], &error));
    OK(folio_document_validate(document, &error));
    OK(folio_object_validate(leader, &error));
    int changes = 0;
    OK(folio_object_changes(leader, &changes, &error));
    CHECK(changes == FOLIO_INSERTED);
    OK(folio_document_save(document, &error));
    OK(folio_object_changes(leader, &changes, &error));
    CHECK(changes == 0);
    FAILS(folio_object_get(stops[0], "nights", &value, &error), FOLIO_NOT_FOUND, "unknownObject");

    folio_object *again = folio_document_object(document, reference, &error);
    MADE(again);
    CHECK(text_is(again, "name", "Roald"));
    folio_object_free(again);
    again = folio_document_object_with_uri(document, "Person/p1", &error);
    MADE(again);
    set_text(again, "name", "Another");
    OK(folio_object_changes(again, &changes, &error));
    CHECK(changes == FOLIO_UPDATED);
    OK(folio_object_refresh(again, &error));
    CHECK(text_is(again, "name", "Roald"));
    folio_object_free(again);
    NONE(folio_document_object_with_uri(document, "Person/p99", &error), FOLIO_NOT_FOUND, "unknownObject");
    NONE(folio_document_object_with_uri(document, "nonsense", &error), FOLIO_USAGE, "usage");
    OK(folio_object_delete(leader, &error)); /* denied by a relationship */
    OK(folio_object_changes(leader, &changes, &error));
    CHECK(changes == FOLIO_DELETED);
    FAILS(folio_document_save(document, &error), FOLIO_MALFORMED, "validation");
    OK(folio_document_revert(document, &error));
    for (int index = 0; index < 3; index++) folio_object_free(stops[index]);
    folio_object_free(journey);
    folio_object_free(leader);
}

static void fetching(void) {
    OK(folio_document_begin_undo_group(document, "Many", &error));
    for (int index = 0; index < 100; index++) {
        char name[32];
        snprintf(name, sizeof name, "Person %03d", index);
        folio_object *person = insert(document, "Person");
        set_text(person, "name", name);
        folio_object_free(person);
    }
    OK(folio_document_end_undo_group(document, &error));
    OK(folio_document_save(document, &error));
    folio_value arguments[] = {folio_text("Person 0"), folio_text("Person 010")};
    folio_query some = query("Person", "name BEGINSWITH %@ AND name < %@", "-name");
    some.arguments = arguments;
    some.argument_count = 2;
    folio_error *error = NULL;
    folio_results *results = folio_document_fetch(document, &some, &error);
    MADE(results);
    CHECK(folio_results_count(results) == 10);
    folio_object *first = folio_results_object(results, 0, &error);
    MADE(first);
    CHECK(text_is(first, "name", "Person 009"));
    folio_object_free(first);
    NONE(folio_results_object(results, 10, &error), FOLIO_USAGE, "usage");
    folio_reference references[10];
    OK(folio_results_references(results, 0, 10, references, &error));
    CHECK(references[0].key > 0 && references[0].key != references[9].key);
    FAILS(folio_results_references(results, 5, 6, references, &error), FOLIO_USAGE, "usage");
    folio_value read[20];
    OK(folio_results_read(results, 0, 10, (const char *[]){"name", "born"}, 2, read, &error));
    CHECK(strcmp(read[18].as.text.data, "Person 000") == 0 && read[19].type == FOLIO_NULL);
    FAILS(folio_results_read(results, 0, 10, (const char *[]){"age"}, 1, read, &error), FOLIO_USAGE, "unknownKey");
    FAILS(folio_results_read(results, 0, SIZE_MAX, (const char *[]){"name"}, 1, read, &error), FOLIO_USAGE, "usage");
    folio_results_free(results);
    some.limit = 3;
    some.offset = 1;
    size_t number = 0;
    OK(folio_document_count(document, &some, &number, &error));
    CHECK(number == 3);
    some.excludes_subentities = true;
    OK(folio_document_count(document, &some, &number, &error));
    folio_value list = {.type = FOLIO_LIST};
    list.as.list.items = arguments;
    list.as.list.count = 2;
    folio_query among = query("Person", "name IN %@", NULL);
    among.arguments = &list;
    among.argument_count = 1;
    OK(folio_document_count(document, &among, &number, &error));
    CHECK(number == 1);

    folio_query wrong = query("Person", "name = ", NULL);
    NONE(folio_document_fetch(document, &wrong, &error), FOLIO_USAGE, "predicateSyntax");
    wrong = query("Person", "age > 3", NULL);
    NONE(folio_document_fetch(document, &wrong, &error), FOLIO_USAGE, "unknownKey");
    wrong = query("Nobody", NULL, NULL);
    NONE(folio_document_fetch(document, &wrong, &error), FOLIO_USAGE, "unknownEntity");
    wrong = query("Person", NULL, "age");
    NONE(folio_document_fetch(document, &wrong, &error), FOLIO_USAGE, "unknownKey");
    wrong = query("Person", "name = %@", NULL);
    NONE(folio_document_fetch(document, &wrong, &error), FOLIO_USAGE, "argument");
    wrong.size = 3;
    NONE(folio_document_fetch(document, &wrong, &error), FOLIO_USAGE, "usage");
    size_t offset = 0;
    FAILS(folio_document_check_predicate(document, "Person", "name == ==", &offset, &error), FOLIO_USAGE,
          "predicateSyntax");
    CHECK(offset == 8);
    OK(folio_document_check_predicate(document, "Person", "ANY journeys.year > 1900", NULL, &error));
}

static void undo(void) {
    char *name;
    folio_undo_state state = {.size = sizeof state};
    folio_error *error = NULL;
    OK(folio_document_get_undo(document, &state, &error));
    CHECK(state.can_undo && !state.can_redo && state.open_groups == 0);
    name = folio_document_undo_name(document, &error);
    MADE(name);
    CHECK(strcmp(name, "Many") == 0);
    folio_string_free(name);
    size_t before = count(document, "Person");
    OK(folio_document_undo(document, &error)); /* across the save */
    CHECK(count(document, "Person") == before - 100 && info(document).has_unsaved_changes);
    name = folio_document_redo_name(document, &error);
    MADE(name);
    CHECK(strcmp(name, "Many") == 0);
    folio_string_free(name);
    OK(folio_document_redo(document, &error));
    CHECK(count(document, "Person") == before && !info(document).has_unsaved_changes);
    OK(folio_document_begin_undo_group(document, "Outer", &error));
    OK(folio_document_begin_undo_group(document, NULL, &error));
    FAILS(folio_document_undo(document, &error), FOLIO_USAGE, "usage");
    OK(folio_document_get_undo(document, &state, &error));
    CHECK(state.open_groups == 2 && !state.has_open_changes);
    OK(folio_document_end_undo_group(document, &error));
    OK(folio_document_end_undo_group(document, &error));
    FAILS(folio_document_end_undo_group(document, &error), FOLIO_USAGE, "usage");
    /* A group that is canceled leaves the changes of the group around it. */
    OK(folio_document_begin_undo_group(document, "Outer", &error));
    folio_object_free(insert(document, "Person"));
    OK(folio_document_begin_undo_group(document, NULL, &error));
    folio_object_free(insert(document, "Person"));
    CHECK(count(document, "Person") == before + 2);
    OK(folio_document_cancel_undo_group(document, &error));
    CHECK(count(document, "Person") == before + 1);
    OK(folio_document_cancel_undo_group(document, &error));
    FAILS(folio_document_cancel_undo_group(document, &error), FOLIO_USAGE, "usage");
    CHECK(count(document, "Person") == before && !info(document).has_unsaved_changes);
    /* An event is one step. */
    folio_object *person = insert(document, "Person");
    set_text(person, "name", "A");
    OK(folio_document_end_event(document, &error));
    set_text(person, "name", "B");
    OK(folio_document_end_event(document, &error));
    OK(folio_document_undo(document, &error));
    CHECK(text_is(person, "name", "A"));
    OK(folio_document_undo(document, &error));
    CHECK(count(document, "Person") == before);
    OK(folio_document_set_undo(document, false, &error));
    folio_object *unrecorded = insert(document, "Person");
    OK(folio_document_set_undo(document, true, &error));
    OK(folio_document_clear_undo(document, &error));
    OK(folio_document_get_undo(document, &state, &error));
    CHECK(!state.can_undo && !state.can_redo);
    OK(folio_object_delete(unrecorded, &error));
    folio_object_free(unrecorded);
    folio_object_free(person);
    OK(folio_document_revert(document, &error));
}

struct told {
    size_t calls, deletions, insertions, moves, updates, last_count;
};

static void note(void *context, folio_live *live, const folio_change *changes, size_t number,
                 folio_results *results) {
    struct told *told = context;
    (void)live;
    told->calls++;
    told->last_count = folio_results_count(results);
    for (size_t index = 0; index < number; index++) {
        CHECK(changes[index].reference.entity >= 0);
        told->deletions += changes[index].kind == FOLIO_DELETION;
        told->insertions += changes[index].kind == FOLIO_INSERTION;
        told->moves += changes[index].kind == FOLIO_MOVE;
        told->updates += changes[index].kind == FOLIO_UPDATE;
        if (changes[index].kind == FOLIO_INSERTION) CHECK(changes[index].to < told->last_count);
    }
}

static void live_results(void) {
    struct told told = {0};
    folio_error *error = NULL;
    folio_query some = query("Person", "name BEGINSWITH 'Person 00'", "name");
    folio_live *live = folio_document_watch(document, &some, note, &told, &error);
    MADE(live);
    folio_query unsorted = query("Person", NULL, NULL);
    NONE(folio_document_watch(document, &unsorted, note, &told, &error), FOLIO_USAGE, "usage");
    folio_results *results = folio_live_results(live, &error);
    MADE(results);
    CHECK(folio_results_count(results) == 10);
    folio_object *first = folio_results_object(results, 0, &error);
    MADE(first);
    folio_results_free(results);
    folio_object *person = insert(document, "Person");
    set_text(person, "name", "Person 0000");
    CHECK(told.calls == 0);
    OK(folio_document_dispatch(document, &error));
    CHECK(told.calls == 1 && told.insertions == 1 && told.last_count == 11);
    set_text(person, "name", "Person 00zzz");
    OK(folio_document_dispatch(document, &error));
    CHECK(told.calls == 2 && told.moves == 1);
    folio_value value = folio_date(0);
    OK(folio_object_set(first, "born", &value, &error));
    OK(folio_document_dispatch(document, &error));
    CHECK(told.calls == 3 && told.updates == 1);
    set_text(person, "name", "Somebody");
    OK(folio_document_dispatch(document, &error));
    CHECK(told.calls == 4 && told.deletions == 1 && told.last_count == 10);
    set_text(person, "name", "Person 000");
    folio_live_free(live);
    OK(folio_document_dispatch(document, &error));
    CHECK(told.calls == 4);
    NONE(folio_live_results(live, &error), FOLIO_USAGE, "usage");
    folio_object_free(first);
    folio_object_free(person);
    OK(folio_document_revert(document, &error));
}

static int64_t give(void *context, void *buffer, size_t size) {
    int64_t *left = context;
    if (*left < 0) return -1;
    int64_t number = *left < (int64_t)size ? *left : (int64_t)size;
    memset(buffer, 'x', number);
    *left -= number;
    return number;
}

static int64_t reenter(void *context, void *buffer, size_t size) {
    (void)buffer, (void)size;
    *(size_t *)context = count(document, "Person");
    return 0;
}

static void large_values(const char *folder) {
    folio_object *person = insert(document, "Person");
    set_text(person, "name", "Large");
    folio_error *error = NULL;
    NONE(folio_object_open_stream(person, "portrait", &error), FOLIO_NOT_FOUND, "noValue");
    NONE(folio_object_open_stream(person, "name", &error), FOLIO_USAGE, "usage");
    int64_t left = 5000000;
    OK(folio_object_set_stream(person, "portrait", give, &left, &error));
    OK(folio_document_save(document, &error));
    folio_value value;
    OK(folio_object_get(person, "portrait", &value, &error));
    CHECK(value.type == FOLIO_LARGE && value.as.integer == 5000000);
    FAILS(folio_object_set(person, "portrait", &value, &error), FOLIO_USAGE, "usage");
    folio_stream *stream = folio_object_open_stream(person, "portrait", &error);
    MADE(stream);
    CHECK(folio_stream_size(stream) == 5000000);
    char buffer[4096];
    size_t done = 0, total = 0;
    do {
        OK(folio_stream_read(stream, buffer, sizeof buffer, &done, &error));
        for (size_t index = 0; index < done; index++) CHECK(buffer[index] == 'x');
        total += done;
    } while (done == sizeof buffer);
    CHECK(total == 5000000);
    OK(folio_stream_seek(stream, 4999999, &error));
    OK(folio_stream_read(stream, buffer, sizeof buffer, &done, &error));
    CHECK(done == 1);
    FAILS(folio_stream_seek(stream, 5000001, &error), FOLIO_USAGE, "usage");
    folio_stream_free(stream);
    CHECK(folio_stream_size(stream) == -1);

    const char *path = in_folder(folder, "portrait.bin");
    FILE *file = fopen(path, "w");
    CHECK(file && fputs("a portrait", file) >= 0 && fclose(file) == 0);
    OK(folio_object_set_file(person, "portrait", path, &error));
    OK(folio_document_save(document, &error));
    OK(folio_object_get(person, "portrait", &value, &error));
    CHECK(value.as.integer == 10);
    FAILS(folio_object_set_file(person, "portrait", in_folder(folder, "nothing"), &error), FOLIO_NOT_FOUND,
          "notFound");
    FAILS(folio_object_set_file(person, "name", path, &error), FOLIO_USAGE, "usage");
    left = -1;
    FAILS(folio_object_set_stream(person, "portrait", give, &left, &error), FOLIO_CANCELLED, "interrupted");
    /* The document may be used by a source: nobody is inside meanwhile. */
    size_t seen = 0;
    OK(folio_object_set_stream(person, "portrait", reenter, &seen, &error));
    CHECK(seen > 100);
    folio_object *journey = insert(document, "Journey");
    left = 2000000;
    OK(folio_object_set_stream(journey, "route", give, &left, &error));
    OK(folio_object_get(journey, "route", &value, &error));
    CHECK(value.type == FOLIO_BYTES && value.as.bytes.size == 2000000);
    folio_object_free(journey);
    folio_object_free(person);
    OK(folio_document_revert(document, &error));
}

int main(int count, char **arguments) {
    CHECK(count == 3);
    document = create_document(in_folder(arguments[1], "Objects.folio"), arguments[2]);
    model();
    values();
    relationships();
    fetching();
    undo();
    live_results();
    large_values(arguments[1]);
    OK(folio_document_close(document, FOLIO_CLOSE_SAVE, &error));
    folio_document_free(document);
    CHECK(folio_handle_count() == 0);
    puts("done");
    return 0;
}
