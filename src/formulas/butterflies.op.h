/* FFT butterflies: the DFT of a few numbers, in registers: x[0] to x[r-1] become their spectrum, in order.
 *
 * On CPUs and GPUs. Who includes it has defined REAL; vec, a REAL or a vector of them; TIMES, PLUS_TIMES and LESS_TIMES
 * of a vec and a REAL, and rotate, by a twiddle factor; TABLE and INLINE, which begin a table of doubles
 * and a function; UNROLL_ALL. */
#ifndef TESS_FORMULAS_BUTTERFLIES_OP_H
#define TESS_FORMULAS_BUTTERFLIES_OP_H

#define HALF_ROOT ((REAL)0.7071067811865475244008) /* cos(pi / 4) */
#define COS_8TH ((REAL)0.9238795325112867561282)   /* cos(pi / 8) */
#define SIN_8TH ((REAL)0.3826834323650897717285)   /* sin(pi / 8) */

/* cos and sin of 2 pi k / r, for k from 0 to r-1. */
TABLE cos_3[3] = { 1.0, -0.5, -0.5 };
TABLE sin_3[3] = { 0.0, 0.8660254037844386467637, -0.8660254037844386467637 };
TABLE cos_5[5] = { 1.0, 0.3090169943749474241023, -0.8090169943749474241023, -0.8090169943749474241023,
                   0.3090169943749474241023 };
TABLE sin_5[5] = { 0.0, 0.9510565162951535721164, 0.5877852522924731291687, -0.5877852522924731291687,
                   -0.9510565162951535721164 };
TABLE cos_7[7] = { 1.0,
                   0.623489801858733530525,
                   -0.2225209339563144042889,
                   -0.9009688679024191262361,
                   -0.9009688679024191262361,
                   -0.2225209339563144042889,
                   0.623489801858733530525 };
TABLE sin_7[7] = { 0.0,
                   0.7818314824680298087084,
                   0.9749279121818236070181,
                   0.4338837391175581204758,
                   -0.4338837391175581204758,
                   -0.9749279121818236070181,
                   -0.7818314824680298087084 };
TABLE cos_9[5] = { 1.0, 0.7660444431189780352024, 0.1736481776669303488517, -0.5, -0.9396926207859083840541 };
TABLE sin_9[5] = { 0.0, 0.6427876096865393263226, 0.9848077530122080593667, 0.8660254037844386467637,
                   0.3420201433256687330441 };
TABLE cos_11[11] = { 1.0,
                     0.8412535328311811688618,
                     0.4154150130018864255293,
                     -0.1423148382732851404438,
                     -0.6548607339452850640569,
                     -0.9594929736144973898904,
                     -0.9594929736144973898904,
                     -0.6548607339452850640569,
                     -0.1423148382732851404438,
                     0.4154150130018864255293,
                     0.8412535328311811688618 };
TABLE sin_11[11] = { 0.0,
                     0.5406408174555975821076,
                     0.9096319953545183714117,
                     0.9898214418809327323761,
                     0.755749574354258283774,
                     0.2817325568414296977114,
                     -0.2817325568414296977114,
                     -0.755749574354258283774,
                     -0.9898214418809327323761,
                     -0.9096319953545183714117,
                     -0.5406408174555975821076 };
TABLE cos_13[13] = { 1.0,
                     0.8854560256532098959004,
                     0.5680647467311558025118,
                     0.1205366802553230533491,
                     -0.3546048870425356259696,
                     -0.7485107481711010986346,
                     -0.970941817426052027157,
                     -0.970941817426052027157,
                     -0.7485107481711010986346,
                     -0.3546048870425356259696,
                     0.1205366802553230533491,
                     0.5680647467311558025118,
                     0.8854560256532098959004 };
TABLE sin_13[13] = { 0.0,
                     0.464723172043768545656,
                     0.8229838658936563945796,
                     0.9927088740980539928008,
                     0.9350162426854148234398,
                     0.6631226582407952023768,
                     0.2393156642875577671488,
                     -0.2393156642875577671488,
                     -0.6631226582407952023768,
                     -0.9350162426854148234398,
                     -0.9927088740980539928008,
                     -0.8229838658936563945796,
                     -0.464723172043768545656 };

INLINE void dft2(vec *re, vec *im)
{
    const vec r = re[1], i = im[1];
    re[1] = re[0] - r, im[1] = im[0] - i;
    re[0] = re[0] + r, im[0] = im[0] + i;
}

/* Of x[0], x[s], x[2 s], x[3 s]. */
INLINE void dft4_of(vec *re, vec *im, int s)
{
    const vec ar = re[0] + re[2 * s], ai = im[0] + im[2 * s], br = re[0] - re[2 * s], bi = im[0] - im[2 * s];
    const vec cr = re[s] + re[3 * s], ci = im[s] + im[3 * s], dr = re[s] - re[3 * s], di = im[s] - im[3 * s];
    re[0] = ar + cr, im[0] = ai + ci;
    re[s] = br + di, im[s] = bi - dr;
    re[2 * s] = ar - cr, im[2 * s] = ai - ci;
    re[3 * s] = br - di, im[3 * s] = bi + dr;
}

INLINE void dft4(vec *re, vec *im) { dft4_of(re, im, 1); }

INLINE void dft8(vec *re, vec *im)
{
    /* The even ones, then the odd ones. */
    dft4_of(re, im, 2);
    dft4_of(re + 1, im + 1, 2);
    const vec even_r[4] = { re[0], re[2], re[4], re[6] }, even_i[4] = { im[0], im[2], im[4], im[6] };
    const vec odd_r[4] = { re[1], re[3], re[5], re[7] }, odd_i[4] = { im[1], im[3], im[5], im[7] };
    const vec pr = odd_r[1] + odd_i[1], pi = odd_i[1] - odd_r[1], qr = odd_i[3] - odd_r[3], qi = odd_r[3] + odd_i[3];
    re[0] = even_r[0] + odd_r[0], im[0] = even_i[0] + odd_i[0];
    re[4] = even_r[0] - odd_r[0], im[4] = even_i[0] - odd_i[0];
    re[1] = PLUS_TIMES(even_r[1], pr, HALF_ROOT), im[1] = PLUS_TIMES(even_i[1], pi, HALF_ROOT);
    re[5] = LESS_TIMES(even_r[1], pr, HALF_ROOT), im[5] = LESS_TIMES(even_i[1], pi, HALF_ROOT);
    re[2] = even_r[2] + odd_i[2], im[2] = even_i[2] - odd_r[2];
    re[6] = even_r[2] - odd_i[2], im[6] = even_i[2] + odd_r[2];
    re[3] = PLUS_TIMES(even_r[3], qr, HALF_ROOT), im[3] = LESS_TIMES(even_i[3], qi, HALF_ROOT);
    re[7] = LESS_TIMES(even_r[3], qr, HALF_ROOT), im[7] = PLUS_TIMES(even_i[3], qi, HALF_ROOT);
}

/* Times exp(-pi i / 4) and its third power. */
INLINE void turn_8th(vec *re, vec *im)
{
    const vec r = *re, i = *im;
    *re = TIMES(r + i, HALF_ROOT);
    *im = TIMES(i - r, HALF_ROOT);
}

INLINE void turn_3_8ths(vec *re, vec *im)
{
    const vec r = *re, i = *im;
    *re = TIMES(i - r, HALF_ROOT);
    *im = TIMES(-r - i, HALF_ROOT);
}

INLINE void dft16(vec *re, vec *im)
{
    UNROLL_ALL
    for (int j = 0; j < 4; j++) dft4_of(re + j, im + j, 4);
    /* Element j + 4 k, which is k of the transform of the jth ones, times exp(-2 pi i j k / 16). */
    rotate(re + 5, im + 5, COS_8TH, -SIN_8TH);
    turn_8th(re + 6, im + 6);
    rotate(re + 7, im + 7, SIN_8TH, -COS_8TH);
    turn_8th(re + 9, im + 9);
    const vec r10 = re[10];
    re[10] = im[10], im[10] = -r10;
    turn_3_8ths(re + 11, im + 11);
    rotate(re + 13, im + 13, SIN_8TH, -COS_8TH);
    turn_3_8ths(re + 14, im + 14);
    rotate(re + 15, im + 15, -COS_8TH, SIN_8TH);
    vec xr[16], xi[16];
    UNROLL_ALL
    for (int k = 0; k < 4; k++) {
        dft4(re + 4 * k, im + 4 * k);
        UNROLL_ALL
        for (int l = 0; l < 4; l++) xr[k + 4 * l] = re[4 * k + l], xi[k + 4 * l] = im[4 * k + l];
    }
    UNROLL_ALL
    for (int k = 0; k < 16; k++) re[k] = xr[k], im[k] = xi[k];
}

/* Of an odd number r: elements j and r-j meet the same cosines, and opposite sines. */
INLINE void dft_odd(vec *re, vec *im, int r, const double *cosines, const double *sines)
{
    vec       sr[7], si[7], dr[7], di[7]; /* sums and differences */
    const vec r0 = re[0], i0 = im[0];
    const int half = r / 2;
    UNROLL_ALL
    for (int j = 1; j <= half; j++) {
        sr[j] = re[j] + re[r - j], si[j] = im[j] + im[r - j];
        dr[j] = re[j] - re[r - j], di[j] = im[j] - im[r - j];
    }
    vec total_r = r0, total_i = i0;
    UNROLL_ALL
    for (int j = 1; j <= half; j++) total_r += sr[j], total_i += si[j];
    re[0] = total_r, im[0] = total_i;
    UNROLL_ALL
    for (int k = 1; k <= half; k++) {
        vec ar = PLUS_TIMES(r0, sr[1], (REAL)cosines[k]), ai = PLUS_TIMES(i0, si[1], (REAL)cosines[k]);
        vec br = TIMES(dr[1], (REAL)sines[k]), bi = TIMES(di[1], (REAL)sines[k]);
        UNROLL_ALL
        for (int j = 2; j <= half; j++) {
            const REAL c = (REAL)cosines[j * k % r], s = (REAL)sines[j * k % r];
            ar = PLUS_TIMES(ar, sr[j], c), ai = PLUS_TIMES(ai, si[j], c);
            br = PLUS_TIMES(br, dr[j], s), bi = PLUS_TIMES(bi, di[j], s);
        }
        re[k] = ar + bi, im[k] = ai - br;
        re[r - k] = ar - bi, im[r - k] = ai + br;
    }
}

INLINE void dft3(vec *re, vec *im) { dft_odd(re, im, 3, cos_3, sin_3); }
INLINE void dft5(vec *re, vec *im) { dft_odd(re, im, 5, cos_5, sin_5); }
INLINE void dft7(vec *re, vec *im) { dft_odd(re, im, 7, cos_7, sin_7); }
INLINE void dft11(vec *re, vec *im) { dft_odd(re, im, 11, cos_11, sin_11); }
/* Good-Thomas prime-factor algorithm. n = a b, where a and b are coprime: j = b ja + a jb and k, which leaves k mod a
 * and k mod b, split the transform into those of a and of b, without twiddle factors. */
typedef void dft_fn(vec *re, vec *im);

INLINE void dft_coprime(vec *re, vec *im, int a, dft_fn *dft_a, int b, dft_fn *dft_b)
{
    vec       xr[16], xi[16];
    const int n = a * b;
    UNROLL_ALL
    for (int j = 0; j < b; j++) {
        vec tr[8], ti[8];
        UNROLL_ALL
        for (int i = 0; i < a; i++) tr[i] = re[(b * i + a * j) % n], ti[i] = im[(b * i + a * j) % n];
        dft_a(tr, ti);
        UNROLL_ALL
        for (int i = 0; i < a; i++) xr[i * b + j] = tr[i], xi[i * b + j] = ti[i];
    }
    UNROLL_ALL
    for (int i = 0; i < a; i++) dft_b(xr + i * b, xi + i * b);
    UNROLL_ALL
    for (int k = 0; k < n; k++) re[k] = xr[k % a * b + k % b], im[k] = xi[k % a * b + k % b];
}

INLINE void dft6(vec *re, vec *im) { dft_coprime(re, im, 3, dft3, 2, dft2); }
INLINE void dft10(vec *re, vec *im) { dft_coprime(re, im, 5, dft5, 2, dft2); }
INLINE void dft12(vec *re, vec *im) { dft_coprime(re, im, 3, dft3, 4, dft4); }
INLINE void dft15(vec *re, vec *im) { dft_coprime(re, im, 5, dft5, 3, dft3); }

INLINE void dft9(vec *re, vec *im)
{
    vec xr[9], xi[9];
    UNROLL_ALL
    for (int j = 0; j < 3; j++) {
        vec tr[3] = { re[j], re[j + 3], re[j + 6] }, ti[3] = { im[j], im[j + 3], im[j + 6] };
        dft3(tr, ti);
        UNROLL_ALL
        for (int k = 0; k < 3; k++) xr[3 * k + j] = tr[k], xi[3 * k + j] = ti[k];
    }
    /* Element j of the kth three times exp(-2 pi i j k / 9). */
    rotate(xr + 4, xi + 4, (REAL)cos_9[1], (REAL)-sin_9[1]);
    rotate(xr + 5, xi + 5, (REAL)cos_9[2], (REAL)-sin_9[2]);
    rotate(xr + 7, xi + 7, (REAL)cos_9[2], (REAL)-sin_9[2]);
    rotate(xr + 8, xi + 8, (REAL)cos_9[4], (REAL)-sin_9[4]);
    UNROLL_ALL
    for (int k = 0; k < 3; k++) {
        dft3(xr + 3 * k, xi + 3 * k);
        UNROLL_ALL
        for (int l = 0; l < 3; l++) re[k + 3 * l] = xr[3 * k + l], im[k + 3 * l] = xi[3 * k + l];
    }
}

INLINE void dft13(vec *re, vec *im) { dft_odd(re, im, 13, cos_13, sin_13); }

#endif
