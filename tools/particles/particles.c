/* Particles of STAR files as verbs take them. */
#include "particles/particles.h"

#include "files/star_file.h"
#include "files/outputs/target.h"

/* ---- Documents ---- */

tess_status particles_need_halves(tess_particles *p, job *j)
{
    if (p->halves.data) return TESS_OK;
    job_note(j, "%s: no column _rlnRandomSubset; rows are assigned alternately to half sets 1 and 2", p->name);
    return tess_particles_split(p);
}

tess_status particles_name_stack(tess_particles *p, job *j, const char *stack)
{
    target *t = NULL;
    TESS_TRY(target_parse(&t, j, stack)); /* its name without brackets */
    const tess_status status = tess_particles_put_images(p, t->path);
    target_free(t);
    return status;
}

tess_status particles_write(const tess_particles *p, job *j, const char *path)
{
    return tess_particles_write(path, p, &(tess_star_opts){ .overwrite = job_has(j, "force") });
}
