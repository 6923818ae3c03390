#pragma once
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/xattr.h>

/* System calls that Swift can't reach: variadic ones, and ones that the C library's module map lacks.
   Every function answers a result of zero or more, or the negated errno. */

int folio_open(int directory, const char *path, int flags, mode_t mode);

/* Opens beneath `directory` without following any symbolic link (RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS). */
int folio_open_beneath(int directory, const char *path, int flags, mode_t mode);

/* Reads the next names of an open folder as records of `getdents64`; 0 at their end. */
ssize_t folio_read_directory(int directory, void *buffer, size_t size);

/* A descriptor that stands for the item alone (O_PATH | O_NOFOLLOW): nothing is opened, and closing it drops no lock. */
int folio_open_path(const char *path);

int folio_rename_exchange(int oldDirectory, const char *oldPath, int newDirectory, const char *newPath);
int folio_rename_noreplace(int oldDirectory, const char *oldPath, int newDirectory, const char *newPath);

/* Exclusive open file description locks on the whole file. `folio_ofd_test` answers 1 where another description holds a conflicting lock. */
int folio_ofd_lock(int descriptor);
int folio_ofd_unlock(int descriptor);
int folio_ofd_test(int descriptor);

/* Shares the blocks of `source` with `target`; refused where the file system has no such thing. */
int folio_clone(int source, int target);
ssize_t folio_copy_range(int source, int64_t sourceOffset, int target, int64_t targetOffset, size_t count);

/* The number by which the kernel names the type of the file system that something lies on. */
int64_t folio_file_system_type(const char *path);

/* SHA-2 over whole blocks, of 64 bytes for SHA-256 and 128 for SHA-512. */
void folio_sha256(uint32_t state[8], const uint8_t *blocks, size_t count);
/* SHA-256 without the processor's instructions for it. */
void folio_sha256_portable(uint32_t state[8], const uint8_t *blocks, size_t count);
void folio_sha512(uint64_t state[8], const uint8_t *blocks, size_t count);

/* Has the kernel begin to write what a file has in memory, and waits for nothing; says nothing of whether it arrives. */
int folio_start_writing(int descriptor);

/* Gives memory that was freed back to the system, where the C library would keep it for later. */
void folio_trim_memory(void);

/* The classes of the program, of all its images, as Swift's runtime registers them. */

/* The number of images with Swift code. */
size_t folio_image_count(void);
/* Visits the descriptor and the name of every class that is not generic. */
void folio_visit_classes(void (*visit)(const void *descriptor, const char *name, void *context), void *context);
/* The module of a class that stands in no other type and no function; NULL for others. */
const char *folio_class_module(const void *descriptor);
/* The class itself. */
const void *folio_class_metadata(const void *descriptor);
/* An instance of a class that inherits from a root class, made by the root's first initializer, which has no parameters; retained.
   `class` is the class itself, `rootDescriptor` the root's descriptor. NULL where the root has no such initializer. */
void *folio_new_instance(const void *class, const void *rootDescriptor);
