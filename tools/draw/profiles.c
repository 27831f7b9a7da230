/* Histograms and radial means. */
#include "draw/profiles.h"

#include <math.h>
#include <stdlib.h>

#include "maps/rotational_average.h"

static int64_t n_images(const input *in) { return in->info.shape.b * in->info.shape.d; }

static tess_status check_real(const input *in)
{
    TESS_CHECK(tess_dtype_kind(in->info.dtype) != TESS_KIND_COMPLEX, TESS_EDTYPE,
               VERB ": %s has complex numbers; real ones are needed", in->name);
    TESS_CHECK(n_images(in) > 0 && in->info.shape.h > 0 && in->info.shape.w > 0, TESS_ESHAPE, VERB ": %s is empty",
               in->name);
    return TESS_OK;
}

static tess_status make(profile *p, int64_t n_x, int64_t n)
{
    *p = (profile){ .x = calloc((size_t)n_x, sizeof(double)), .y = calloc((size_t)n, sizeof(double)), .n = n };
    if (p->x && p->y) return TESS_OK;
    profile_free(p);
    TESS_FAIL(TESS_ENOMEM, VERB ": no memory for %lld numbers", (long long)n);
}

void profile_free(profile *p)
{
    free(p->x);
    free(p->y);
    *p = (profile){ .n = 0 };
}

/* ---- Histograms ---- */

tess_status profile_range(input *in, double *low, double *high)
{
    tess_array  image = { 0 };
    tess_status status = TESS_OK;
    TESS_TRY(check_real(in));
    for (int64_t i = 0; i < n_images(in); i++) {
        TESS_GOTO(done, status, input_read(in, &image, i, 1, TESS_F32));
        const float *x = image.data;
        for (int64_t k = 0; k < tess_n_elements(&image); k++) {
            if (!isfinite(x[k])) continue;
            *low = fmin(*low, (double)x[k]);
            *high = fmax(*high, (double)x[k]);
        }
    }
done:
    tess_release(&image);
    return status;
}

tess_status profile_histogram(profile *p, input *in, double low, double high, int64_t bins)
{
    tess_array  image = { 0 }, counts = { 0 };
    tess_status status;
    TESS_TRY(check_real(in));
    TESS_TRY(make(p, bins + 1, bins));
    for (int64_t k = 0; k <= bins; k++) p->x[k] = low + (high - low) * (double)k / (double)bins;
    for (int64_t i = 0; i < n_images(in); i++) {
        TESS_GOTO(done, status, input_read(in, &image, i, 1, TESS_F32));
        TESS_GOTO(done, status,
                  tess_histogram(&counts, &image, bins, 0, &(tess_histogram_opts){ .low = low, .high = high }));
        for (int64_t k = 0; k < bins; k++) p->y[k] += (double)((const int64_t *)counts.data)[k];
    }
    status = TESS_OK;
done:
    tess_release(&image);
    tess_release(&counts);
    if (status != TESS_OK) profile_free(p);
    return status;
}

/* ---- Radial means ---- */

static tess_status profile_shells(profile *p, input *in, job *j, bool power)
{
    shells s = { .power = power };
    TESS_TRY(shells_of_input(&s, j, in));
    const tess_status status = make(p, s.n, s.n);
    for (int64_t k = 0; status == TESS_OK && k < s.n; k++) {
        p->x[k] = shells_radius(&s, k);
        p->y[k] = s.mean[k];
    }
    p->angstrom = s.angstrom;
    shells_free(&s);
    return status;
}

tess_status profile_radial(profile *p, input *in, job *j) { return profile_shells(p, in, j, false); }

tess_status profile_spectrum(profile *p, input *in, job *j) { return profile_shells(p, in, j, true); }
