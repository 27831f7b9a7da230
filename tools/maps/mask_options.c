/* Options of masks that are not those of the job. */
#include "maps/mask_options.h"

#include <math.h>
#include <string.h>

#include "command/units.h"

/* Otsu's threshold is the one of the job where none is given. */
static tess_status read_threshold(tess_make_mask_opts *o, const job *j)
{
    const char *text = job_text(j, "threshold", "otsu");
    quantity    q = { 0 };
    if (strcmp(text, "otsu") == 0) {
        TESS_CHECK(!job_has(j, "threshold") || !(has_shapes(j) || job_has(j, "use")), TESS_EARG,
                   "mask: --threshold otsu applies to masks of maps, not to shapes or --use");
        return TESS_OK;
    }
    TESS_TRY(parse_quantity("--threshold", OPTION_NUMBER, text, &q));
    TESS_CHECK(isfinite(q.value), TESS_ERANGE, "mask: --threshold is %s; expected a finite number or otsu", text);
    o->threshold = tess_given(q.value);
    return TESS_OK;
}

static tess_status read_lowpass(mask_options *m, tess_make_mask_opts *o, const job *j, const input *in)
{
    const char      *text = job_text(j, "lowpass", "15");
    const double     size = in->info.meta.pixel_size[2];
    const tess_shape s = in->info.shape;
    int64_t          side = s.h < s.w ? s.h : s.w;
    quantity         q;
    if (s.d > 1 && s.d < side) side = s.d;
    m->cutoff = size / 15;
    if (!job_has(j, "lowpass")) return TESS_OK;
    if (strcmp(text, "none") == 0) {
        o->lowpass = TESS_ZERO;
        return TESS_OK;
    }
    TESS_TRY(parse_quantity("--lowpass", OPTION_CUTOFF, text, &q));
    TESS_TRY(to_cycles("--lowpass", OPTION_CUTOFF, q, size, side, &m->cutoff));
    o->cutoff = tess_given(m->cutoff);
    return TESS_OK;
}

static tess_status open_mask(mask_options *m, job *j, const input *in, const char *path)
{
    TESS_TRY(input_open(&m->masks[m->n], j, path, in->info.shape.d > 1 ? NEED_VOLUME : NEED_IMAGES));
    m->sources[m->n] = input_source(&m->masks[m->n]);
    m->n++;
    return TESS_OK;
}

/* The masks in the order of the command line, behind that of --use. */
static tess_status read_joins(mask_options *m, tess_make_mask_opts *o, job *j, const input *in)
{
    const char *name, *value;
    if (job_has(j, "use")) {
        TESS_TRY(open_mask(m, j, in, job_text(j, "use", "")));
        o->use = m->sources[0];
    }
    o->masks = m->sources + m->n;
    for (int i = 0; job_option(j, i, &name, &value); ++i) {
        if (strcmp(name, "and") != 0 && strcmp(name, "or") != 0 && strcmp(name, "not") != 0) continue;
        TESS_CHECK(m->steps++ < MAX_MASKS, TESS_EARG, "mask: at most %d of --and, --or and --not are allowed",
                   MAX_MASKS);
        strcat(strcat(m->join, " "), name);
        if (name[0] != 'n') TESS_TRY(open_mask(m, j, in, value));
    }
    if (m->steps > 0) o->join = m->join;
    return TESS_OK;
}

/* Where nothing says how to make a mask, the input of --and, --or and --not is one. */
static bool takes_input_as_mask(const mask_options *m, const job *j)
{
    static const char *const making[] = { "threshold", "lowpass", "largest", "extend", "soft", "use", "apply" };
    for (size_t i = 0; i < sizeof making / sizeof *making; ++i)
        if (job_has(j, making[i])) return false;
    return m->steps > 0 && !has_shapes(j);
}

tess_status mask_options_read(mask_options *m, tess_make_mask_opts *o, job *j, const input *in)
{
    TESS_CHECK(!has_shapes(j) || !job_has(j, "extend"), TESS_EARG,
               "mask: --extend applies to masks of maps, not to shapes");
    TESS_TRY(shapes_of_options(&m->shapes, o, j, in));
    TESS_TRY(read_threshold(o, j));
    TESS_TRY(read_lowpass(m, o, j, in));
    TESS_TRY(read_joins(m, o, j, in));
    o->is_mask = takes_input_as_mask(m, j);
    return TESS_OK;
}

void mask_options_free(mask_options *m)
{
    shape_tables_free(&m->shapes);
    for (int i = 0; i < m->n; ++i) input_close(&m->masks[i]);
}
