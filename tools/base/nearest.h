/* Names that were meant. */
#ifndef TESSERA_BASE_NEAREST_H
#define TESSERA_BASE_NEAREST_H

#include <stdbool.h>

/* Looks at one name after the other; `name` is the nearest so far, NULL if none is near enough. */
typedef struct nearest {
    const char *wanted;
    const char *name;
    int         distance;
} nearest;

/* Letters that must be added, dropped, changed or swapped to turn one name into the other; case, '-' and '_' count
 * for nothing. */
int names_distance(const char *a, const char *b);

void nearest_start(nearest *n, const char *wanted);
void nearest_try(nearest *n, const char *name);

/* Equal but for '-' and '_'. */
bool names_equal(const char *a, const char *b);

/* Does `name` begin with these letters, '-' and '_' being the same? */
bool name_begins(const char *name, const char *prefix);

#endif
