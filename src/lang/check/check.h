/* Type checker: its state, and the functions that its files share. */
#ifndef TESS_LANG_CHECK_CHECK_H
#define TESS_LANG_CHECK_CHECK_H

#include "lang/front/build.h"
#include "lang/front/names.h"
#include "lang/front/parse.h"

/* A declared name. Names stay when their scope ends, for better messages. */
typedef struct tess__named {
    tess__bytes name;
    int32_t     variable; /* -1: not in scope */
    int32_t     param;    /* a view or a scatter; -1: not in scope */
    int32_t     function; /* -1: none */
    bool        assigned; /* somewhere, by a statement other than its declaration */
    bool        declared; /* at some time */
} tess__named;

/* A hash table, in the checker itself while names are few. */
typedef struct tess__scope {
    tess__named *entries;
    int32_t     *table; /* of entries, from 1 on; 0: none */
    int32_t      n, capacity;
    tess__named  few_entries[32];
    int32_t      few_table[64];
} tess__scope;

/* Uniformity of a variable or a function. */
typedef struct tess__knowledge {
    bool     uniform; /* the same for all elements of a row */
    uint32_t needs;   /* in a function: provided that these of its parameters are */
} tess__knowledge;

typedef struct tess__profile {
    tess__knowledge result;
    uint32_t        bounds; /* parameters that must be uniform, since they bound loops */
    double          cost;
    int64_t         size, trips;
    int32_t         uses;
    int32_t         depth; /* of operators, with those of inlined functions */
    int32_t         calls; /* depth of calls */
    int32_t         typed; /* its number in the typed tree, which has functions of the language as well */
} tess__profile;

typedef struct tess__checker {
    tess__builder             b;
    const tess__tree         *untyped;
    const tess_op_parse_opts *limits;
    const tess_dtype         *letters;
    tess__scope               scope;
    tess__knowledge          *knowledge; /* of variables */
    int32_t                   knowledge_capacity;
    tess__profile            *profiles; /* of functions */
    int32_t                   part;     /* a TESS__WITHIN_ */
    int32_t                   function; /* that is being checked */
    bool                      reduces;
    uint32_t                  assigned;                    /* outputs that have a value here, by parameter */
    tess__profile             now;                         /* of what is being checked */
    int32_t                   isclose[2][2];               /* functions: complex, scaled; -1: not built yet */
    tess__profile             isclose_profile[2][2];       /* of them */
    int64_t                   around;                      /* trips of the loops around */
    int32_t                   depth;                       /* expressions around */
    int32_t                   variables[TESS__MAX_PARAMS]; /* of parameters; -1 */
    int32_t                   others[TESS__MAX_PARAMS];    /* s_other of them */
    tess__knowledge           few_knowledge[32];
    tess__profile             few_profiles[4];
} tess__checker;

enum { TESS__WITHIN_BODY, TESS__WITHIN_JOIN, TESS__WITHIN_POST, TESS__WITHIN_FUNCTION, TESS__WITHIN_CONSTANT };

/* An expression with its type. */
typedef struct tess__typed {
    int32_t         node;
    tess__knowledge is;
    tess__bytes     literal; /* the literal that alone makes it f64, if its length is not 0 */
} tess__typed;

static inline int32_t tess__type_of(const tess__checker *c, tess__typed v) { return c->b.nodes[v.node].type; }

static inline const char *tess__text_at(const tess__checker *c, tess__bytes span) { return c->untyped->text + span.at; }

/* For "%.*s". */
#define TESS__SHOW(c, span) tess__shown(span), tess__text_at(c, span)

#define TESS__WRONG(c, span, ...) tess__complain((c)->b.source, span, __VA_ARGS__)

/* ---- Scopes (scope.c) ---- */

void tess__scope_start(tess__scope *s);
void tess__scope_free(tess__scope *s);
/* The entry of a name, created if there is none and `make`; NULL if there is none. */
tess__named *tess__scope_find(tess__checker *c, tess__bytes name, bool make);
/* A new variable; -1 with an error where its name is taken. */
int32_t tess__declare(tess__checker *c, tess__bytes name, int32_t type, tess__knowledge is);
/* A struct: new variables for its members, one after the other, of which the first is returned; -1 with an error. */
int32_t tess__declare_struct(tess__checker *c, tess__bytes name, int32_t type, tess__knowledge is);
/* Close all scopes: only functions stay declared. */
void tess__scope_clear(tess__checker *c);
/* Report a name that is not declared. */
void tess__unknown_name(tess__checker *c, tess__bytes name);

/* ---- Types (types.c) ---- */

int32_t     tess__bind(const tess__checker *c, int32_t type); /* a letter's dtype */
int32_t     tess__promoted(int32_t type);                     /* what it is computed in */
bool        tess__is_integer(int32_t type);                   /* bool as well */
bool        tess__is_real(int32_t type);
bool        tess__is_complex(int32_t type);
bool        tess__is_unsigned(int32_t type);
tess__typed tess__converted(tess__checker *c, tess__typed v, int32_t type);
/* Convert to the type of the assigned variable; `what` names it. */
tess__typed tess__assigned(tess__checker *c, tess__typed v, int32_t type, const char *what, tess__bytes name);
/* The common type of two or three operands, and each of them converted to it. */
int32_t     tess__meet(tess__checker *c, tess__typed *values, int n);
tess__typed tess__truth(tess__checker *c, tess__typed v);
tess__typed tess__typed_operator(tess__checker *c, int32_t op, int32_t computed, int32_t type, tess__bytes span,
                                 const tess__typed *values, int n);

/* ---- Constants (constant_folding.c) ---- */

/* Convert a constant of type `from` to type `to`. */
tess__constant tess__constant_as(tess__constant value, int32_t from, int32_t to);
/* Is an integer constant inside the range of an integer type? */
bool tess__constant_fits(tess__constant value, int32_t from, int32_t to);
/* Fold an operator of constants where that is simple; false if it is not. */
bool tess__fold(tess__checker *c, int32_t node);

/* ---- Expressions, statements ---- */

tess__typed tess__check_expression(tess__checker *c, int32_t untyped);
tess__typed tess__check_call(tess__checker *c, int32_t untyped);
/* The name of the first member of a struct, for messages. */
tess__bytes tess__first_member(const tess__checker *c, int32_t type);
/* A member of a struct. */
tess__typed tess__check_member(tess__checker *c, int32_t untyped);
/* All members of the struct that is an argument of a function, as its arguments. */
void tess__check_struct_argument(tess__checker *c, int32_t untyped, int32_t type, tess__knowledge *is,
                                 tess__list *list);
/* Count what a call adds where it stands, against the limits. */
void tess__check_inlined(tess__checker *c, tess__bytes name, const tess__profile *p);
/* The parameter of a view (or a scatter, if that is allowed), -1 after an error. */
int32_t tess__check_view(tess__checker *c, tess__bytes name, bool scatter);
/* An index as i64; a mistake where it is not an integer. */
tess__typed tess__index_checked(tess__checker *c, tess__typed v);
/* Four indices as children of a node of kind `kind`. */
int32_t tess__check_indices(tess__checker *c, int32_t untyped, int32_t kind, int32_t param, tess__list *list);
/* `op` of ops/ewise/ewise.def, of values that are not converted yet. */
tess__typed tess__check_operator(tess__checker *c, int32_t op, bool real_only, tess__bytes span, tess__typed *values,
                                 int n);
tess__typed tess__check_binary(tess__checker *c, int32_t mark, tess__bytes span, tess__typed left, tess__typed right);
tess__typed tess__check_select(tess__checker *c, tess__bytes span, tess__typed condition, tess__typed yes,
                               tess__typed no);
/* isclose with n arguments. */
tess__typed tess__check_isclose(tess__checker *c, int32_t untyped, int n);
/* Append the statements of add_linear. */
void    tess__check_add_linear(tess__checker *c, int32_t untyped, tess__list *list);
int32_t tess__check_block(tess__checker *c, int32_t untyped);

#endif
