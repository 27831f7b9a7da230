/* Operator objects: their source, and their compiled instances for the dtypes of calls. */
#ifndef TESS_OPS_OP_OP_H
#define TESS_OPS_OP_OP_H

#include <pthread.h>

#include "backend.h"
#include "lang/front/parse.h"
#include "lang/operator.h"

/* So many instances are kept; those for yet other dtypes live for their call alone. */
enum { TESS__MAX_INSTANCES = 32 };

/* Of operators that are not built in. */
typedef struct tess__op_body {
    tess__tree        *untyped;
    char              *source;
    char              *names; /* of the operator, then of its parameters, each ended by 0 */
    const char        *params[TESS__MAX_PARAMS];
    tess_op_parse_opts limits;
    tess_tile_fn       native[TESS__PARTS_OF_OPERATOR];
    void              *ctx;
    void (*drop)(void *ctx);
    char           *cuda;    /* of a loop: cuda_entry, then cuda_source, each ended by 0; NULL: none */
    double          cost;    /* 0: from the tree */
    bool            indexed; /* said to be so, or seen */
    bool            reduces;
    int32_t         n_arguments, n_defaults; /* and how many of those may be left out */
    pthread_mutex_t lock;                    /* held while instances are compiled */
    atomic_int      n_instances;
    tess__operator *instance[TESS__MAX_INSTANCES];
} tess__op_body;

struct tess_op {
    tess_buffer    buffer; /* counts references */
    const char    *name;
    const char    *source;    /* of built-in operators */
    int32_t        builtin;   /* TESS__OP_ of ewise.def, where `body` is NULL */
    bool           permanent; /* built in, or of a definition: nobody's to release */
    tess__op_body *body;
    tess_op       *next; /* of those of definitions */
};

/* The instance for these dtypes in place of T, U and V, TESS_DTYPE_NONE for letters that are not used. Where it cannot
 * be kept with the operator it is `*own` as well, to be released after the call. */
tess_status tess__op_instance(const tess__operator **out, tess__operator **own, const tess_op *op,
                              const tess_dtype letters[TESS__LETTERS]);

/* A tree with types as an operator, with native code or programs. Takes the tree, also if it fails. */
tess_status tess__operator_make(tess__operator **out, const tess_op *op, tess__tree *tree);

/* An operator of a text of the library's own: parsed at the first use, and kept to the end. */
typedef struct tess__kept_op {
    const char *text;
    void       *op; /* a tess_op; NULL before */
} tess__kept_op;

tess_status tess__op_kept(const tess_op **op, tess__kept_op *kept);

/* A call of a built-in operator. */
tess_status tess__run_builtin(const tess_op *op, const tess_bind *binds, int n, const tess_run_opts *opts);

/* Their text. */
const char *tess__builtin_source(const tess_op *op);

/* Reject a call whose loops are certain to exceed max_trips. */
tess_status tess__check_trips(const tess__op_call *work, int64_t max);

/* Has a tree loops whose trip count a call may determine? */
bool tess__has_open_trips(const tess__tree *tree);

#endif
