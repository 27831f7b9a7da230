/* Random operators: text that is right by construction, with all of the language in it. */
#ifndef TESS_TEST_GENERATE_H
#define TESS_TEST_GENERATE_H

#include "support/test.h"

enum { GENERATED_TEXT = 1 << 15, GENERATED_PARAMS = 16 };

typedef enum generated_role {
    role_in,
    role_out,
    role_inout,
    role_val,
    role_view,
    role_scatter,
    role_acc
} generated_role;

typedef struct generated_param {
    generated_role role;
    tess_dtype     type;
    char           name[8];
} generated_param;

typedef struct generated {
    char            text[GENERATED_TEXT];
    char            signature[1024]; /* for tess_op_loop: types in place of letters */
    tess_dtype      letters[3];      /* what T, U and V are to be bound to */
    bool            has_letters, reduces, joins, posts, indexed;
    int             n_params;
    generated_param params[GENERATED_PARAMS];
} generated;

/* Another one at each call; test_random decides. */
void generate(generated *g);

#endif
