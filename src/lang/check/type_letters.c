/* Satisfiability of type letters, before arrays bind them: does any assignment of types make the text correct? */
#include <stdio.h>
#include <string.h>

#include "lang/front/parse.h"
#include "tessera/error.h"

/* Types that have an order and a sum come first. */
static const tess_dtype tried[] = { TESS_F32, TESS_F64, TESS_I32, TESS_U8,  TESS_U32, TESS_C32, TESS_BOOL, TESS_I64,
                                    TESS_U64, TESS_I8,  TESS_I16, TESS_U16, TESS_F16, TESS_C64, TESS_C16 };

enum { TRIED = sizeof tried / sizeof *tried, ORDERED = 31, FIRST_TRIES = 2 * TRIED };

/* The number of tries, and for long texts of nodes checked in all. */
enum { MIN_TRIES = 64, NODES_TRIED = 1 << 17 };

/* The letters of the arrays, as bits. */
static uint32_t letters_of(const tess__tree *untyped)
{
    uint32_t used = 0;
    for (int32_t k = 0; k < untyped->n_params; k++)
        if (untyped->params[k].type < 0) used |= 1u << (-1 - untyped->params[k].type);
    return used;
}

/* The types of try number i: first one for all letters, then another for each, then all combinations. False if there
 * is none any more. */
static bool choose(int types[TESS__LETTERS], uint32_t used, int i)
{
    int remainder = i - FIRST_TRIES;
    for (int k = 0; k < TESS__LETTERS; k++) {
        types[k] = 0;
        if (!(used >> k & 1)) continue;
        if (i < FIRST_TRIES) types[k] = (i + (i < TRIED ? 0 : 2 * k + 1)) % TRIED;
        else types[k] = remainder % TRIED, remainder /= TRIED;
    }
    return i < FIRST_TRIES || remainder == 0;
}

static tess_status try_types(const tess__tree *untyped, const int types[TESS__LETTERS],
                             const tess_op_parse_opts *limits)
{
    tess__tree       *tree = NULL;
    const tess_dtype  letters[TESS__LETTERS] = { tried[types[0]], tried[types[1]], tried[types[2]] };
    const tess_status status = tess__tree_check(&tree, untyped, letters, limits);
    tess__tree_free(tree);
    return status;
}

/* An error that depends on a type names it. One that is the same for all types that have an order and a sum, of each
 * letter, does not depend on them. */
static bool is_certain(const uint32_t seen[TESS__LETTERS], uint32_t used)
{
    for (int k = 0; k < TESS__LETTERS; k++)
        if (used >> k & 1 && (seen[k] & ORDERED) != ORDERED) return false;
    return true;
}

tess_status tess__tree_try(const tess__tree *untyped, const tess_op_parse_opts *limits)
{
    const uint32_t used = untyped->letters ? letters_of(untyped) : 0;
    const int fitting = NODES_TRIED / (untyped->n_nodes + 1), max_tries = fitting > MIN_TRIES ? fitting : MIN_TRIES;
    static const int f32[TESS__LETTERS] = { 0 };
    tess_status      status = try_types(untyped, f32, limits);
    if (status != TESS_EPARSE || !used) return status;
    char     message[640];
    uint32_t seen[TESS__LETTERS] = { 1, 1, 1 }; /* types with the same message */
    int      types[TESS__LETTERS], i = 1;
    bool     certain = false;
    (void)snprintf(message, sizeof message, "%s", tess_error_message());
    for (; i < max_tries && !certain && choose(types, used, i); i++) {
        status = try_types(untyped, types, limits);
        if (status != TESS_EPARSE) return status;
        if (strncmp(message, tess_error_message(), sizeof message - 1) == 0)
            for (int k = 0; k < TESS__LETTERS; k++) seen[k] |= 1u << types[k];
        certain = i >= FIRST_TRIES - 1 && is_certain(seen, used);
    }
    if (!certain && choose(types, used, i)) return TESS_OK;
    return try_types(untyped, f32, limits);
}
