#include "CSystem.h"
#include <stdbool.h>
#include <string.h>

/* The layout of Swift's type records, as docs/ABI/TypeMetadata.rst and the toolchain's MetadataSections.h describe it:
   relative pointers of 32 bits, whose lowest bits say in some places whether they lead to a pointer. */

typedef struct {
    uintptr_t start;
    size_t length;
} SectionRange;

typedef struct {
    uintptr_t version;
    const void *image;
    void *unused[2];
    SectionRange protocols, conformances, types;
} ImageSections;

extern void swift_enumerateAllMetadataSections(bool (*visit)(const ImageSections *sections, void *context), void *context)
    __attribute__((weak));

enum { MODULE = 0, ANONYMOUS = 2, CLASS = 16, GENERIC = 1 << 7 };
enum { HAS_RESILIENT_SUPERCLASS = 1 << 29, HAS_VTABLE = 1u << 31 };

static const void *target(const int32_t *pointer, int32_t bits) {
    return *pointer ? (const char *)pointer + (*pointer & ~bits) : NULL;
}

static const void *indirectable(const int32_t *pointer) {
    const void *found = target(pointer, 1);
    return found && (*pointer & 1) ? *(const void *const *)found : found;
}

static const uint32_t *descriptor(const int32_t *record) {
    const void *found = target(record, 3);
    switch (*record & 3) {
    case 0: return found;
    case 1: return found ? *(const void *const *)found : NULL;
    default: return NULL;
    }
}

static bool count(const ImageSections *sections, void *context) {
    (void)sections;
    ++*(size_t *)context;
    return true;
}

size_t folio_image_count(void) {
    size_t images = 0;
    if (swift_enumerateAllMetadataSections) swift_enumerateAllMetadataSections(count, &images);
    return images;
}

typedef struct {
    void (*visit)(const void *, const char *, void *);
    void *context;
} Visit;

static bool visitImage(const ImageSections *sections, void *context) {
    const Visit *visit = context;
    const int32_t *record = (const int32_t *)sections->types.start;
    for (size_t index = 0; record && index < sections->types.length / sizeof *record; index++) {
        const uint32_t *found = descriptor(record + index);
        if (!found || (*found & 31) != CLASS || (*found & GENERIC)) continue;
        const char *name = target((const int32_t *)found + 2, 0);
        if (name) visit->visit(found, name, visit->context);
    }
    return true;
}

void folio_visit_classes(void (*visit)(const void *, const char *, void *), void *context) {
    Visit all = {visit, context};
    if (swift_enumerateAllMetadataSections) swift_enumerateAllMetadataSections(visitImage, &all);
}

const char *folio_class_module(const void *class) {
    const uint32_t *parent = indirectable((const int32_t *)class + 1);
    return parent && (*parent & 31) == MODULE ? target((const int32_t *)parent + 2, 0) : NULL;
}

typedef struct {
    const void *metadata;
    size_t state;
} MetadataResponse;

const void *folio_class_metadata(const void *class) {
    MetadataResponse (*access)(size_t) __attribute__((swiftcall)) = target((const int32_t *)class + 3, 0);
    return access ? access(0).metadata : NULL;
}

/* The place of a class's first initializer in its virtual table, in words from the metadata; 0 where there is none that fits. */
static size_t initializer(const void *class) {
    const uint32_t flags = *(const uint32_t *)class;
    if (!(flags & HAS_VTABLE) || (flags & (GENERIC | HAS_RESILIENT_SUPERCLASS))) return 0;
    const uint32_t *next = (const uint32_t *)class + 11;
    switch (flags >> 16 & 3) {
    case 0: break;
    case 1: next += 3; break;
    default: return 0;
    }
    const uint32_t offset = next[0], size = next[1];
    const void *const *metadata = folio_class_metadata(class);
    for (uint32_t index = 0; metadata && index < size; index++) {
        const uint32_t *method = next + 2 + 2 * index;
        // Kind 1 is an initializer; 0x10 is set for those of instances that are there already.
        if ((*method & 0x1f) == 1)
            return metadata[offset + index] == target((const int32_t *)method + 1, 0) ? offset + index : 0;
    }
    return 0;
}

void *folio_new_instance(const void *metadata, const void *root) {
    const size_t place = initializer(root);
    if (!place) return NULL;
    void *(*make)(const void *self __attribute__((swift_context))) __attribute__((swiftcall)) =
        ((const void *const *)metadata)[place];
    return make(metadata);
}
