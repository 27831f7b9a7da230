/* Exposures from a dose per frame, from a list, or from an mdoc file. */
#include "movies/exposure.h"

#include <stdlib.h>

#include "movies/mdoc_exposure.h"
#include "movies/tilts.h"

/* The number of an image in its file. */
static int64_t index_of(const input *in, int64_t i) { return in->chosen ? in->chosen[i] : i; }

static tess_status read_mdoc(double *doses, const job *j, const input *in, int64_t n)
{
    mdoc_source from = { .verb = j->verb->name, .path = job_text(j, "mdoc", "") };
    tess_mdoc  *mdoc = NULL;
    int64_t    *numbers = malloc((size_t)(n + 1) * sizeof *numbers);
    tess_status status = TESS_OK;
    TESS_CHECK(numbers, TESS_ENOMEM, "%s: out of memory for the numbers of %lld sections", from.verb, (long long)n);
    TESS_GOTO(done, status, tess_mdoc_read(&mdoc, from.path));
    from.mdoc = mdoc;
    for (int64_t i = 0; i < n; ++i) numbers[i] = index_of(in, i);
    TESS_GOTO(done, status, mdoc_exposures(doses, &from, numbers, n));
done:
    tess_mdoc_free(mdoc);
    free(numbers);
    return status;
}

tess_status exposure_list(tess_array *doses, const job *j, const input *in)
{
    const int64_t n = input_indices(in);
    const int     given = job_has(j, "dose") + job_has(j, "doses") + job_has(j, "mdoc");
    TESS_CHECK(given <= 1, TESS_EARG, "%s: more than one of --dose, --doses and --mdoc is given; give only one",
               j->verb->name);
    if (job_has(j, "doses")) {
        TESS_TRY(tess_tilts_read(doses, job_text(j, "doses", ""), 0));
        return keep_those_of_images(doses, job_text(j, "doses", ""), "exposures", in);
    }
    if (!job_has(j, "mdoc") && !(job_has(j, "dose") && in->chosen)) return TESS_OK;
    TESS_TRY(tess_empty(doses, TESS_SHAPE(n, 1, 1, 1), TESS_F64, tess_cpu()));
    if (job_has(j, "mdoc")) return read_mdoc(doses->data, j, in, n);
    for (int64_t i = 0; i < n; ++i) ((double *)doses->data)[i] = job_number(j, "dose", 0) * (double)(in->chosen[i] + 1);
    return TESS_OK;
}
