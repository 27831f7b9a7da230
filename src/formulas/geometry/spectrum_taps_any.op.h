/* The text of spectrum_taps.op.h for one type of coefficients: included there, with the macros that it sets, and
 * undefined here. */
#include "tessera/math/fn.h"

#ifdef TESS__TAPS_REAL

#define TESS__P_CAT_(a, b) a##b
#define TESS__P_CAT(a, b) TESS__P_CAT_(a, b)
#define TESS__P(name) TESS__P_CAT(name, TESS__TAPS_NAME)
#define TESS__R TESS__TAPS_REAL

/* The taps of a coordinate: the frequency of the first, and their weights. */
typedef struct TESS__P(tess__spectrum_window_) {
    int     dims, taps;
    int64_t first[3];
    TESS__R w[3][TESS__SPECTRUM_TAPS];
} TESS__P(tess__spectrum_window_);

TESS__FAST_FN void TESS__P(tess__spectrum_window_of_)(TESS__P(tess__spectrum_window_) * window, int dims,
                                                      int32_t method, const double c[3])
{
    window->dims = dims;
    window->taps = tess__interp_taps(method);
    for (int k = 0; k < 3; k++) window->first[k] = 0;
    window->w[0][0] = 1;
    for (int k = 3 - dims; k < 3; k++) {
        double        t;
        const int64_t i = tess__coordinate_f64(c[k], &t);
        const int     down = (method == TESS_INTERP_NEAREST) & (t == 0.5) & (c[k] < 0.0);
        window->first[k] = tess__interp_base_f64(method, i, t) + tess__interp_first(method) - down;
        TESS__P(tess__interp_weights_)(method, (TESS__R)t, window->w[k]);
    }
}

/* A row of taps, at offsets x. */
TESS__FAST_FN void TESS__P(tess__spectrum_row_)(TESS__R *sum, const TESS__R *row, const int64_t *x, const TESS__R *w,
                                                int parts, int taps)
{
    for (int p = 0; p < parts; p++) sum[p] = 0;
    for (int i = 0; i < taps; i++)
        for (int p = 0; p < parts; p++) sum[p] = TESS__TAPS_FMA(w[i], row[x[i] + p], sum[p]);
}

/* A window of which all taps are stored, or all are conjugates. */
TESS__FAST_FN void TESS__P(tess__spectrum_inside_)(TESS__R *out, const TESS__R *data, const tess__spectrum_grid *g,
                                                   int parts, const TESS__P(tess__spectrum_window_) * window, int side)
{
    const int taps = window->taps;
    int64_t   x[TESS__SPECTRUM_TAPS], y[TESS__SPECTRUM_TAPS];
    for (int i = 0; i < taps; i++) {
        x[i] = tess__spectrum_offset(g, 2, side * (window->first[2] + i)) * parts;
        y[i] = tess__spectrum_offset(g, 1, side * (window->first[1] + i)) * parts;
    }
    for (int p = 0; p < parts; p++) out[p] = 0;
    for (int k = 0; k < (window->dims == 3 ? taps : 1); k++) {
        TESS__R        plane[2] = { 0, 0 }, row[2];
        const TESS__R *at = data + tess__spectrum_offset(g, 0, side * (window->first[0] + k)) * parts;
        for (int j = 0; j < taps; j++) {
            TESS__P(tess__spectrum_row_)(row, at + y[j], x, window->w[2], parts, taps);
            for (int p = 0; p < parts; p++) plane[p] = TESS__TAPS_FMA(window->w[1][j], row[p], plane[p]);
        }
        for (int p = 0; p < parts; p++) out[p] = TESS__TAPS_FMA(window->w[0][k], plane[p], out[p]);
    }
    if (parts == 2) out[1] = side < 0 ? -out[1] : out[1];
}

/* One row of taps of which some do not exist or are conjugates. */
TESS__FAST_FN void TESS__P(tess__spectrum_broken_row_)(TESS__R *sum, const TESS__R *data, const tess__spectrum_grid *g,
                                                       int parts, int taps, const int64_t k[3], const TESS__R *w)
{
    sum[0] = sum[1] = 0;
    for (int i = 0; i < taps; i++) {
        const int64_t x = k[2] + i;
        if (!tess__spectrum_has(g, 2, x, x)) continue;
        const int     side = g->order[2] == TESS__ORDER_HALF && x < 0 ? -1 : 1;
        const int64_t at = tess__spectrum_offset(g, 0, side * k[0]) + tess__spectrum_offset(g, 1, side * k[1]) +
                           tess__spectrum_offset(g, 2, side * x);
        const TESS__R *v = data + at * parts;
        sum[0] = TESS__TAPS_FMA(w[i], v[0], sum[0]);
        if (parts == 2) sum[1] = TESS__TAPS_FMA(w[i], side < 0 ? -v[1] : v[1], sum[1]);
    }
}

TESS_FN void TESS__P(tess__spectrum_broken_)(TESS__R *out, const TESS__R *data, const tess__spectrum_grid *g, int parts,
                                             const TESS__P(tess__spectrum_window_) * window)
{
    const int taps = window->taps;
    TESS__R   sum[2] = { 0, 0 };
    for (int k = 0; k < (window->dims == 3 ? taps : 1); k++) {
        TESS__R       plane[2] = { 0, 0 }, row[2];
        const int64_t z = window->first[0] + k;
        if (!tess__spectrum_has(g, 0, z, z)) continue;
        for (int j = 0; j < taps; j++) {
            const int64_t y = window->first[1] + j, at[3] = { z, y, window->first[2] };
            if (!tess__spectrum_has(g, 1, y, y)) continue;
            TESS__P(tess__spectrum_broken_row_)(row, data, g, parts, taps, at, window->w[2]);
            for (int p = 0; p < parts; p++) plane[p] = TESS__TAPS_FMA(window->w[1][j], row[p], plane[p]);
        }
        for (int p = 0; p < parts; p++) sum[p] = TESS__TAPS_FMA(window->w[0][k], plane[p], sum[p]);
    }
    for (int p = 0; p < parts; p++) out[p] = sum[p];
}

/* The value of a spectrum of `parts` numbers a coefficient at c: z, y, x. With dims 2 there is no z. */
TESS__FAST_FN void TESS__P(tess__spectrum_at_)(TESS__R *out, const TESS__R *data, const tess__spectrum_grid *g,
                                               int dims, int parts, int32_t method, const double c[3])
{
    TESS__P(tess__spectrum_window_) window;
    TESS__P(tess__spectrum_window_of_)(&window, dims, method, c);
    const int side = tess__spectrum_side(g, window.first, dims, window.taps);
    if (side) TESS__P(tess__spectrum_inside_)(out, data, g, parts, &window, side);
    else TESS__P(tess__spectrum_broken_)(out, data, g, parts, &window);
}

#undef TESS__P_CAT_
#undef TESS__P_CAT
#undef TESS__P
#undef TESS__R
#undef TESS__TAPS_REAL
#undef TESS__TAPS_NAME
#undef TESS__TAPS_FMA

#endif
