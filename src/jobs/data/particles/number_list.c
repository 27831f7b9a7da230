/* Lists of numbers that a caller gives, one for each image. */
#include "jobs/data/particles/number_list.h"

#include "tessera/ewise.h"

tess_status tess__number_list(tess_array *out, const char *fn, const char *name, const tess_array *list, int64_t n)
{
    tess_array  here = { 0 };
    tess_status status = TESS_OK;
    TESS_CHECK(list, TESS_EARG, "%s: `%s` is `NULL`", fn, name);
    TESS_CHECK(list->data || list->buffer, TESS_EARG, "%s: `%s` is a zeroed array; %lld numbers are expected", fn, name,
               (long long)n);
    TESS_CHECK(tess_dtype_kind(list->dtype) != TESS_KIND_COMPLEX, TESS_EDTYPE,
               "%s: `%s` has complex numbers; real numbers are needed", fn, name);
    TESS_CHECK(tess_n_elements(list) == n, TESS_ESHAPE, "%s: `%s` has %lld numbers; %lld are expected, one per image",
               fn, name, (long long)tess_n_elements(list), (long long)n);
    TESS_TRY(tess_to_device(&here, list, tess_cpu()));
    TESS_GOTO(done, status, tess_cast(out, &here, TESS_F64, NULL));
    TESS_GOTO(done, status, tess_reshape(out, out, TESS_SHAPE(n, 1, 1, 1)));
done:
    tess_release(&here);
    return status;
}
