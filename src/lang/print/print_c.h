/* Operators as C: expressions, statements and parameters. What depends on where they run is a dialect's. */
#ifndef TESS_LANG_PRINT_PRINT_C_H
#define TESS_LANG_PRINT_PRINT_C_H

#include "lang/front/names.h"
#include "lang/print/write.h"

typedef struct tess__c_printer tess__c_printer;

/* What is printed in another way for each kind of device. */
typedef struct tess__c_dialect {
    void (*put_scatter)(tess__c_printer *p, const tess__node *node, int indent);
    void (*put_for)(tess__c_printer *p, const tess__node *node, int indent);
    /* What comes before the arguments where a function of the text is called; its comma too. NULL: none. */
    void (*put_call)(tess__c_printer *p, int32_t function);
} tess__c_dialect;

struct tess__c_printer {
    const tess__tree      *tree;
    const char            *name; /* of the functions */
    bool                  *used; /* variables of the part that is printed */
    const tess__c_dialect *dialect;
    tess__writer           w;
    int32_t                counters; /* for the dialect: trip counts of loops so far */
};

/* Parts of an operator. */
enum { TESS__C_BODY, TESS__C_JOIN, TESS__C_POST };

const char *tess__c_held(int32_t type);   /* what a value is held in */
const char *tess__c_stored(int32_t type); /* what an element in memory is */

/* Calls that turn an element into a value, and a value into an element: up to the "(" of the argument. */
const char *tess__c_load(int32_t type);
const char *tess__c_store(int32_t type);

/* The text before a value that is converted; what comes behind it is returned. */
const char *tess__c_convert(tess__c_printer *p, int32_t from, int32_t to);

void tess__c_number(tess__c_printer *p, int32_t type, tess__constant value);
void tess__c_zero(tess__c_printer *p, int32_t type);
void tess__c_expression(tess__c_printer *p, int32_t node);
/* The type that the operator of a monoid is computed in, of numbers of a type. */
int32_t tess__c_computed(int32_t op, int32_t type);
/* "x" and "y" of a type combined, as a value of that type. */
void tess__c_combined(tess__c_printer *p, int32_t op, int32_t type, const char *x, const char *y);

/* The statements of a list. */
void tess__c_statements(tess__c_printer *p, int32_t first, int indent);
/* A loop, as C has it. */
void tess__c_for(tess__c_printer *p, const tess__node *node, int indent);
/* Set `used` to the variables that a list of statements names. */
void tess__c_use_variables(tess__c_printer *p, int32_t first);
/* Those of them, from number `from` on, that are no parameters of the operator. */
void tess__c_locals(tess__c_printer *p, int32_t from, int indent);

/* ---- Parameters ---- */

/* The dtype of an accumulator's lanes. */
int32_t tess__c_lane(const tess__param *param);
/* Sums and products of numbers start from the neutral element and are then combined in a wider type; all others go on
 * from the lane. */
bool tess__c_is_combined(const tess__param *param);
/* Is it an array that this part goes through with the domain? */
bool tess__c_is_row(const tess__tree *tree, int32_t param, int part);
/* Is the variable a parameter that this part has to do with? */
bool tess__c_is_seen(const tess__c_printer *p, int32_t variable, int part);

#endif
