/* Masks joined with other masks: the smaller value, the larger one, and the complement. */
#include "jobs/make_mask/joins.h"

#include <stdio.h>
#include <string.h>

#include "jobs/data/pixels.h"
#include "tessera/ewise.h"
#include "tessera/reduce.h"

/* ---- Masks ---- */

tess_status tess__check_mask_values(const char *fn, const char *what, const tess_array *mask)
{
    double least = 0, most = 0;
    if (tess_n_elements(mask) > 0) TESS_TRY(tess_host_minmax(&least, &most, mask));
    TESS_CHECK(least >= -1e-6 && most <= 1 + 1e-6, TESS_ERANGE,
               "%s: %s has values from %g to %g; a mask must have values from 0 to 1", fn, what, least, most);
    return TESS_OK;
}

static tess_status check_size(const char *fn, const tess_source *mask, tess_shape needed)
{
    const tess_shape got = mask->shape;
    TESS_CHECK(got.d == needed.d && got.h == needed.h && got.w == needed.w, TESS_ESHAPE,
               "%s: the mask %s has %lld x %lld x %lld pixels; %lld x %lld x %lld are needed", fn, mask->name,
               (long long)got.w, (long long)got.h, (long long)got.d, (long long)needed.w, (long long)needed.h,
               (long long)needed.d);
    TESS_CHECK(got.b == 1 || got.b == needed.b, TESS_ESHAPE,
               "%s: %s has %lld masks; 1 is needed, or one for each of the %lld inputs", fn, mask->name,
               (long long)got.b, (long long)needed.b);
    return TESS_OK;
}

static tess_status read_mask(tess_array *out, const char *fn, const tess_source *images, const char *name,
                             const tess_source *mask, const tess_context *context)
{
    tess_context here = *context;
    char         what[512];
    here.device = tess_cpu();
    TESS_TRY(tess__check_source(fn, name, mask));
    TESS_TRY(check_size(fn, mask, images->shape));
    TESS_TRY(tess__need_real(fn, mask));
    tess__warn_of_pixel_sizes(context, images, mask);
    TESS_TRY(tess_source_read_all(mask, out, TESS_F32, &here));
    (void)snprintf(what, sizeof what, "the mask %s", mask->name);
    TESS_TRY(tess__check_mask_values(fn, what, out));
    return tess__move(out, context->device);
}

/* ---- Steps ---- */

static tess_status add_step(tess__mask_step **step, tess__mask_joins *joins, const char *fn, char how)
{
    TESS_CHECK(joins->n < TESS__MASK_STEPS, TESS_ERANGE,
               "%s: `opts->use`, `opts->masks` and `opts->join` make more than %d steps", fn, TESS__MASK_STEPS);
    *step = &joins->steps[joins->n++];
    (*step)->how = how;
    return TESS_OK;
}

/* The first letter of the next word of opts->join, 0 at its end. */
static tess_status next_word(char *how, const char **at, const char *fn, const char *join)
{
    static const char *const words[] = { "and", "or", "not" };
    *at += strspn(*at, " ,");
    const size_t n = strcspn(*at, " ,");
    *how = **at;
    if (n == 0) return TESS_OK;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == n && strncmp(*at, words[i], n) == 0) {
            *at += n;
            return TESS_OK;
        }
    TESS_FAIL(TESS_EARG, "%s: `opts->join` is \"%s\"; the words \"and\", \"or\" and \"not\" are expected", fn, join);
}

/* opts->masks in the order of opts->join. */
static tess_status read_joined(tess__mask_joins *joins, const char *fn, const tess_source *images,
                               const tess_make_mask_opts *o, const tess_context *context)
{
    const char      *at = o->join ? o->join : "";
    int              n = 0, used = 0;
    char             how = 'a';
    tess__mask_step *step = NULL;
    while (o->masks && o->masks[n]) n++;
    for (;;) {
        if (o->join) TESS_TRY(next_word(&how, &at, fn, o->join));
        if (o->join ? how == 0 : used == n) break;
        TESS_TRY(add_step(&step, joins, fn, how));
        if (how == 'n') continue;
        TESS_CHECK(used < n, TESS_EARG, "%s: `opts->join` is \"%s\", but `opts->masks` has only %d", fn, o->join, n);
        TESS_TRY(read_mask(&step->mask, fn, images, "opts->masks", o->masks[used++], context));
    }
    TESS_CHECK(used == n, TESS_EARG, "%s: `opts->join` is \"%s\", but `opts->masks` has %d", fn, o->join, n);
    return TESS_OK;
}

tess_status tess__mask_joins_open(tess__mask_joins *joins, const char *fn, const tess_source *images,
                                  const tess_make_mask_opts *o, const tess_context *context)
{
    tess__mask_step *step = NULL;
    if (o->use) {
        TESS_TRY(add_step(&step, joins, fn, 'u'));
        TESS_TRY(read_mask(&step->mask, fn, images, "opts->use", o->use, context));
    }
    return read_joined(joins, fn, images, o, context);
}

void tess__mask_joins_close(tess__mask_joins *joins)
{
    for (int i = 0; i < joins->n; i++) tess_release(&joins->steps[i].mask);
    joins->n = 0;
}

int64_t tess__mask_joins_bytes(const tess__mask_joins *joins)
{
    int64_t bytes = 0;
    for (int i = 0; i < joins->n; i++) bytes += tess_n_bytes(&joins->steps[i].mask);
    return bytes;
}

static tess_status do_step(const tess__mask_step *step, tess_array *masks, int64_t first)
{
    tess_array other = step->mask;
    if (step->how == 'n') return tess_sub(masks, &tess_f32(1), masks);
    if (other.shape.b > 1) TESS_TRY(tess_slice(&other, &step->mask, 0, first, first + masks->shape.b, 1));
    if (step->how == 'u') return tess_copy(masks, &other);
    return step->how == 'a' ? tess_minimum(masks, masks, &other) : tess_maximum(masks, masks, &other);
}

tess_status tess__mask_joins_do(const tess__mask_joins *joins, tess_array *masks, int64_t first)
{
    for (int i = 0; i < joins->n; i++) TESS_TRY(do_step(&joins->steps[i], masks, first));
    return TESS_OK;
}
