/* Results that are exact by definition. */
#ifndef TESS_MATH_SPECIAL_H
#define TESS_MATH_SPECIAL_H

/* Each returns the number of failures, and prints them. `tried` counts the checks. */
int special_values(int fn, int *tried);     /* C11 Annex F and ours for what C has not */
int special_identities(int fn, int *tried); /* symmetry; rsqrt is 1 / sqrt; whole results */

#endif
