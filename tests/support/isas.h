/* Which instruction sets are tried. */
#ifndef TESS_TEST_ISAS_H
#define TESS_TEST_ISAS_H

#include "cpu/isa.h"
#include "support/test.h"

/* False, and said, if this processor lacks it. */
static inline bool isa_is_there(const tess__isa *isa)
{
    char why[64];
    if (isa->supported()) return true;
    (void)snprintf(why, sizeof why, "this processor has no %s", isa->name);
    test_skip_part(why);
    return false;
}

/* Say which ones this processor lacks. */
static inline void isas_tell_missing(void)
{
    for (const tess__isa *isa = tess__isas; isa->name; isa++) (void)isa_is_there(isa);
}

/* Neither the baseline nor the widest that this processor has. */
static inline bool isa_is_between(const tess__isa *isa)
{
    bool wider = false;
    for (const tess__isa *other = isa + 1; other->name; other++) wider = wider || other->supported();
    return isa != tess__isas && wider;
}

/* Is it this one's turn? The baseline and the widest always have theirs, those between in one case of three. */
static inline bool isa_has_turn(const tess__isa *isa) { return !isa_is_between(isa) || test_random_in(0, 2) == 0; }

#endif
