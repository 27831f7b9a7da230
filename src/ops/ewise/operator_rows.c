/* Tables of the elementwise operators, expanded from ops/ewise/ewise.def, ops/ewise/complex.def and
 * ops/ewise/complex_real.def (X-macros). */
#include "requests/operator_rows.h"

#include "requests/ewise.h"

const tess__operator_row tess__operator_rows[TESS__ALL_OPS] = {
#define ROW(name, n, types, result, cost)                                                                              \
    [TESS__OP_##name] = { #name, (float)(cost), n, TESS__IN_##types, TESS__GIVES_##result },
#define EWISE1(name, types, result, cost, expr, help) ROW(name, 1, types, result, cost)
#define EWISE1_SLOW EWISE1
#define EWISE2(name, types, result, cost, expr, help) ROW(name, 2, types, result, cost)
#define EWISE2_SLOW EWISE2
#define EWISE3(name, types, result, cost, expr, help) ROW(name, 3, types, result, cost)
#include "ops/ewise/ewise.def"
#undef EWISE1
#undef EWISE1_SLOW
#undef EWISE2
#undef EWISE2_SLOW
#undef EWISE3
#undef ROW
#define COMPLEX_REAL(name, cost, expr) [TESS__OP_##name] = { #name, (float)(cost), 2, 0, TESS__GIVES_NOTHING },
#include "ops/ewise/complex_real.def"
#undef COMPLEX_REAL
};

const tess__operator_row tess__complex_rows[TESS__ALL_OPS] = {
#define ROW(name, n, result, cost) [TESS__OP_##name] = { #name, (float)(cost), n, 0, TESS__GIVES_##result },
#define COMPLEX1(name, result, cost, expr) ROW(name, 1, result, cost)
#define COMPLEX1_SLOW COMPLEX1
#define COMPLEX2(name, result, cost, expr) ROW(name, 2, result, cost)
#define COMPLEX3(name, result, cost, expr) ROW(name, 3, result, cost)
#include "ops/ewise/complex.def"
#undef COMPLEX1
#undef COMPLEX1_SLOW
#undef COMPLEX2
#undef COMPLEX3
#define COMPLEX_REAL(name, cost, expr) ROW(name, 2, SAME, cost)
#include "ops/ewise/complex_real.def"
#undef COMPLEX_REAL
#undef ROW
};
