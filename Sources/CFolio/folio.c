// The library is written in Swift (Sources/FolioC). Here stands what its binary interface depends on.
#include "folio.h"

_Static_assert(sizeof(void *) == 8, "references and values are laid out for 64 bits");
_Static_assert(sizeof(folio_reference) == 16, "a reference is a key and an entity");
_Static_assert(sizeof(folio_value) == 24, "a value is a type and two words");
_Static_assert(sizeof(folio_member) == 32, "a member is a name and a value");
