/* The same bits from every build. */
#ifndef TESS_MATH_HASH_H
#define TESS_MATH_HASH_H

#include <stdbool.h>
#include <stdint.h>

void hash_begin(void);
void hash_end(void);

/* A number that stands for all results of a function over the hard and `n` random arguments, each NaN counting as the
 * same. It is false, and says so, if single calls and loops of the two builds do not all give the same bits, or if the
 * fast form is not the complete function where it may be used. */
bool hash_f32(uint64_t *hash, int fn, uint64_t n);
bool hash_f64(uint64_t *hash, int fn, uint64_t n);

#endif
