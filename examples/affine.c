/* An affine transform with bilinear interpolation as an operator of your own: from text, compiled with the program, and
 * with the interpolation of the library. The first two use the same arithmetic and give identical results. */
#include <math.h>
#include <stdio.h>

#include "tessera.h"

static const char text[] = "op affine(view zero f32 src, view f32 mat, out f32 dst) {"
                           "  f32 y = mat[b,0,0,0]*h + mat[b,0,0,1]*w + mat[b,0,0,2];"
                           "  f32 x = mat[b,0,1,0]*h + mat[b,0,1,1]*w + mat[b,0,1,2];"
                           "  f32 fy = floor(y); f32 fx = floor(x); f32 ty = y-fy; f32 tx = x-fx;"
                           "  i64 i = (i64)fy; i64 j = (i64)fx;"
                           "  f32 t = src[b,d,i,  j]*(1-tx) + src[b,d,i,  j+1]*tx;"
                           "  f32 u = src[b,d,i+1,j]*(1-tx) + src[b,d,i+1,j+1]*tx;"
                           "  dst = t*(1-ty) + u*ty; }";

/* clang-format off */
TESS_IWISE(compiled, (view(f32,src,zero), view(f32,mat), out(f32,dst)),
    f32 y = tess_at(mat,b,0,0,0)*(f32)h + tess_at(mat,b,0,0,1)*(f32)w + tess_at(mat,b,0,0,2);
    f32 x = tess_at(mat,b,0,1,0)*(f32)h + tess_at(mat,b,0,1,1)*(f32)w + tess_at(mat,b,0,1,2);
    f32 fy = tessm_floor(y); f32 fx = tessm_floor(x);
    f32 ty = y - fy; f32 tx = x - fx;
    i64 i = (i64)fy; i64 j = (i64)fx;
    f32 t = tess_at(src,b,d,i,j)*(1.0f - tx) + tess_at(src,b,d,i,j+1)*tx;
    f32 u = tess_at(src,b,d,i+1,j)*(1.0f - tx) + tess_at(src,b,d,i+1,j+1)*tx;
    dst = t*(1.0f - ty) + u*ty; )

TESS_IWISE(built_in, (view(f32,src,zero), view(f32,mat), out(f32,dst)),
    f32 y = tess_at(mat,b,0,0,0)*(f32)h + tess_at(mat,b,0,0,1)*(f32)w + tess_at(mat,b,0,0,2);
    f32 x = tess_at(mat,b,0,1,0)*(f32)h + tess_at(mat,b,0,1,1)*(f32)w + tess_at(mat,b,0,1,2);
    dst = tessm_interp_linear(src, b, d, y, x); )
/* clang-format on */

/* Rotations about the centre of n x n images, by a different angle each. */
static tess_status rotations(tess_array *mats, int64_t images, int64_t n)
{
    const double middle = 0.5 * (double)(n - 1);
    TESS_TRY(tess_empty(mats, TESS_SHAPE(images, 1, 2, 3), TESS_F32, tess_cpu()));
    for (int64_t b = 0; b < images; b++) {
        const double c = cos(0.3 * (double)b), s = sin(0.3 * (double)b);
        const double m[6] = { c, -s, middle - c * middle + s * middle, s, c, middle - s * middle - c * middle };
        for (int64_t k = 0; k < 6; k++) TESS_TRY(tess_set_f64(mats, b, 0, k / 3, k % 3, m[k]));
    }
    return TESS_OK;
}

static tess_status run(int *wrong)
{
    enum { IMAGES = 3, N = 64 };
    tess_op   *from_text = NULL;
    tess_array images = { 0 }, mats = { 0 }, one = { 0 }, two = { 0 }, three = { 0 };
    float      worst = 0;
    TESS_TRY(tess_op_text(&from_text, text));
    TESS_TRY(tess_arange(&images, TESS_SHAPE(IMAGES, 1, N, N), TESS_F32, tess_cpu(), 0, 0.25));
    TESS_TRY(rotations(&mats, IMAGES, N));
    TESS_TRY(tess_like(&one, &images)); /* the shape of the output is the domain */
    TESS_TRY(tess_like(&two, &images));
    TESS_TRY(tess_like(&three, &images));
    TESS_TRY(tess_call(from_text, &images, &mats, &one));
    TESS_TRY(tess_call(&compiled, &images, &mats, &two));
    TESS_TRY(tess_call(&built_in, &images, &mats, &three));
    const float *a = one.data, *b = two.data, *c = three.data;
    for (int64_t i = 0; i < tess_n_elements(&images); i++) {
        *wrong += a[i] != b[i];
        worst = fmaxf(worst, fabsf(a[i] - c[i]));
    }
    printf("text and compiled differ in %d of %lld pixels\n", *wrong, (long long)tess_n_elements(&images));
    printf("the library's interpolation differs by at most %.2g of 3072\n", (double)worst);
    *wrong += worst > 0.01f;
    tess_release(&one);
    tess_release(&two);
    tess_release(&three);
    tess_release(&images);
    tess_release(&mats);
    tess_op_release(from_text);
    return TESS_OK;
}

int main(void)
{
    int wrong = 0;
    if (run(&wrong) == TESS_OK) return wrong != 0;
    fputs(tess_error_trace(), stderr);
    return 1;
}
