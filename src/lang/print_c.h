/* What the parts of the printer to C share. */
#ifndef TESS_LANG_PRINT_C_H
#define TESS_LANG_PRINT_C_H

#include "lang/names.h"
#include "lang/write.h"

typedef struct tess__c_printer {
    const tess__tree *tree;
    const char       *name; /* of the functions */
    bool             *used; /* variables of the part that is printed */
    tess__writer      w;
} tess__c_printer;

const char *tess__c_held(int32_t type);   /* what a value is held in */
const char *tess__c_stored(int32_t type); /* what an element in memory is */

/* Calls that turn an element into a value, and a value into an element: up to the "(" of the argument. */
const char *tess__c_load(int32_t type);
const char *tess__c_store(int32_t type);

void tess__c_number(tess__c_printer *p, int32_t type, tess__constant value);
void tess__c_expression(tess__c_printer *p, int32_t node);
/* "x" and "y" of a type combined, as a value of that type. */
void tess__c_combined(tess__c_printer *p, int32_t op, int32_t type, const char *x, const char *y);

/* The statements of a list. */
void tess__c_statements(tess__c_printer *p, int32_t first, int indent);
/* Which variables a list of statements names. */
void tess__c_note_variables(tess__c_printer *p, int32_t first);

#endif
