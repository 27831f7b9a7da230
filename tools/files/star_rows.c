/* The rows of a STAR file, written again for a stack that was made of its images. */
#include <stdlib.h>

#include "files/outputs/output.h"
#include "files/star_file.h"
#include "files/star_rows.h"
#include "files/outputs/target.h"

static tess_status rename_images(tess_star *star, const input *in, const char *stack)
{
    tess_star_table *rows = NULL;
    const char      *label = NULL;
    TESS_TRY(tess_star_find_images(&rows, &label, star, in->name));
    if (in->chosen) TESS_TRY(tess_star_select(rows, in->chosen, in->n_chosen));
    for (int64_t i = 0; i < tess_star_rows(rows); i++) TESS_TRY(tess_star_set_image(rows, i, label, i + 1, stack));
    return TESS_OK;
}

tess_status restar(job *j, const input *in, const char *stack, const char *path)
{
    tess_star  *star = NULL;
    target     *t = NULL;
    tess_status status;
    TESS_TRY(target_parse(&t, j, stack)); /* its name without brackets */
    TESS_GOTO(done, status, tess_star_read_relion(&star, in->name));
    TESS_GOTO(done, status, rename_images(star, in, t->path));
    TESS_GOTO(done, status, star_file_write(path, star, j));
done:
    tess_star_free(star);
    target_free(t);
    return status;
}
