/* The table of verbs. */
#include "verb.h"

#define VERB(name) extern const verb verb_##name;
#include "verbs.def"
#undef VERB

#define VERB(name) &verb_##name,
const verb *const verbs[] = {
#include "verbs.def"
    NULL
};
#undef VERB
