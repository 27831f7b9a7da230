/* How large slabs are: what fits into the memory budget, with room to read and write beside the work. */
#include "jobs/run/pipeline.h"

static int64_t min(int64_t a, int64_t b) { return a < b ? a : b; }

tess_dtype tess__slab_dtype(const tess_slab_plan *plan, int i)
{
    const tess_dtype asked = plan->in_dtypes ? plan->in_dtypes[i] : TESS_DTYPE_NONE;
    return asked != TESS_DTYPE_NONE ? asked : plan->sources[i]->dtype;
}

int64_t tess__image_bytes(tess_shape shape, tess_dtype dtype)
{
    return shape.h * shape.w * (int64_t)tess_dtype_size(dtype);
}

/* The shape of a source with its rows as far apart as they are read. */
tess_shape tess__slab_shape_read(const tess_slab_plan *plan, int i)
{
    tess_shape shape = plan->sources[i]->shape;
    if (plan->in_place && plan->row > shape.w) shape.w = plan->row;
    return shape;
}

/* Which sections of a source a slab takes. */
void tess__slab_sections(const tess_slab_plan *plan, int i, int64_t z, int64_t nz, int64_t *from, int64_t *n)
{
    const int64_t depth = plan->sources[i]->shape.d;
    *from = z, *n = nz;
    if (plan->need) plan->need(plan->need_user, z, nz, from, n);
    else if (plan->whole || depth == 1) *from = 0, *n = depth;
}

/* Sections of a source that nz sections of the domain may take, at most: `need` takes fewest at the ends. */
int64_t tess__slab_max_sections(const tess_slab_plan *plan, int i, int64_t nz)
{
    int64_t max = 1;
    for (int64_t z = 0; z < plan->domain.d; z += nz) {
        int64_t from, n;
        tess__slab_sections(plan, i, z, min(nz, plan->domain.d - z), &from, &n);
        if (n > max) max = n;
    }
    return max;
}

/* Bytes of one set of buffers for each section of the domain. */
static int64_t slot_bytes(const tess__pipeline *p)
{
    const tess_slab_plan *plan = p->plan;
    int64_t               bytes = p->sink && !plan->in_place ? tess__image_bytes(plan->out_shape, plan->out_dtype) : 0;
    for (int i = 0; i < plan->n_sources; ++i) {
        if (p->keep[i]) continue;
        const int64_t depth = plan->domain.d,
                      image = tess__image_bytes(tess__slab_shape_read(plan, i), tess__slab_dtype(plan, i));
        const int64_t n = plan->images  ? 1
                          : plan->whole ? tess__slab_max_sections(plan, i, depth)
                                        : tess__slab_max_sections(plan, i, 1);
        bytes += plan->whole ? (image * n + depth - 1) / depth : image * n;
    }
    return bytes > 0 ? bytes : 1;
}

/* A quarter of the memory is kept back for what readers, writers and operations take for a moment. Nothing is no
 * slabs. */
tess_status tess__choose_slabs(tess__pipeline *p)
{
    const tess_slab_plan *plan = p->plan;
    p->n_slots = 1;
    if (plan->domain.b == 0 || plan->domain.d == 0) return TESS_OK;
    const int64_t depth = plan->domain.d, sections = plan->domain.b * depth;
    const int64_t budget = p->context->memory;
    int64_t       memory = budget - budget / 4 - plan->taken;
    for (int i = 0; i < plan->n_sources; ++i) {
        const tess_shape shape = plan->sources[i]->shape;
        p->keep[i] = shape.b == 1 && shape.d == 1 && sections > 1 && !plan->need && !plan->images && !plan->in_place;
        if (p->keep[i]) memory -= tess__image_bytes(shape, tess__slab_dtype(plan, i));
    }
    const int64_t each = slot_bytes(p), one = each + plan->extra, three = TESS__SLOTS * each + plan->extra;
    if (plan->whole && depth > 1)
        TESS_TRY(tess__volume_fits(p->context, plan->name, plan->n_sources > 0 ? plan->sources[0]->shape : plan->domain,
                                   one * depth + plan->taken));
    else TESS_TRY(tess__image_fits(p->context, plan->name, plan->domain, one + plan->taken));
    p->n_slots = memory / three >= (plan->whole ? depth : 1) ? TESS__SLOTS : 1;
    int64_t fit = min(memory / (p->n_slots > 1 ? three : one), p->context->slab / each);
    if (fit < 1) fit = 1;
    p->max_z = plan->whole || fit >= depth ? depth : fit;
    p->max_b = p->max_z < depth ? 1 : min(fit < depth ? 1 : fit / depth, plan->domain.b);
    p->per_volume = (depth + p->max_z - 1) / p->max_z;
    p->n_slabs = (plan->domain.b + p->max_b - 1) / p->max_b * p->per_volume;
    if (p->n_slabs < TESS__SLOTS) p->n_slots = 1;
    return TESS_OK;
}

tess_slab tess__slab_at(const tess__pipeline *p, int64_t i)
{
    const tess_shape domain = p->plan->domain;
    tess_slab        s = { i / p->per_volume * p->max_b, 0, i % p->per_volume * p->max_z, 0 };
    s.nb = min(p->max_b, domain.b - s.b);
    s.nz = min(p->max_z, domain.d - s.z);
    return s;
}
