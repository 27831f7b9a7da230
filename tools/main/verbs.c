/* The table of verbs. */
#include "command/verb.h"

#define VERB(name) extern const verb verb_##name;
#include "main/verbs.def"
#undef VERB

#define VERB(name) &verb_##name,
const verb *const verbs[] = {
#include "main/verbs.def"
    NULL
};
#undef VERB
