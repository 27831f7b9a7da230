/* Loop-invariant code motion by specialisation: programs of a body for calls in which some inputs are the same along a
 * row, as parameters of a batch are. They are compiled when such a call comes, and kept. */
#ifndef TESS_LANG_STILL_H
#define TESS_LANG_STILL_H

#include "lang/codegen/program.h"

typedef struct tess__still tess__still;

/* `tree` stays the caller's, and must live as long. */
tess_status tess__still_make(tess__still **out, const tess__tree *tree, const tess_op_parse_opts *limits);
void        tess__still_free(tess__still *s);

/* The program for inputs `inputs`, as bits; NULL if there is none, for lack of memory or since too many were asked for:
 * then the one for all calls is right as well. */
const tess__program *tess__still_program(tess__still *s, uint32_t inputs);

#endif
