/* What is known of an input, when only some of it is chosen. */
#include <stdlib.h>
#include <string.h>

#include "files/input_meta.h"
#include "measure/geometry.h"
#include "tessera/mrc.h"

void meta_forget_statistics(tess_meta *meta)
{
    meta->min = meta->max = meta->mean = meta->std = 0;
    meta->stats = 0;
}

void meta_drop_records(tess_meta *meta)
{
    meta->extended_type[0] = 0;
    meta->extended_size = 0;
    meta->extended = NULL;
}

/* The sections of the file that are chosen; NULL if sections of the array are not those of the file, or there is no
 * memory. */
static int64_t *chosen_sections(const input *in, bool along_b, const int64_t *chosen, int64_t n)
{
    const tess_info_file *whole = tess_file_info(in->file);
    int64_t               each = along_b ? whole->shape.d : 1;
    if (whole->axes[2] != 3) return NULL;
    int64_t *sections = malloc(sizeof *sections * (size_t)(n * each + 1));
    for (int64_t i = 0; sections && i < n * each; i++) sections[i] = chosen[i / each] * each + i % each;
    return sections;
}

/* Keep the records of the chosen sections; where that cannot be, drop them all with a note. */
static tess_status choose_records(input *in, job *j, bool along_b, const int64_t *chosen, int64_t n)
{
    tess_meta *meta = &in->info.meta;
    if (meta->extended_size == 0) return TESS_OK;
    bool       mrc = in->file && in->info.format == TESS_FORMAT_MRC;
    int64_t   *sections = mrc ? chosen_sections(in, along_b, chosen, n) : NULL;
    tess_array records = { 0 };
    if (sections) {
        int64_t     each = along_b ? tess_file_info(in->file)->shape.d : 1;
        tess_status status = tess_mrc_select_extended(&records, in->file, sections, n * each);
        free(sections);
        TESS_TRY(status);
    }
    free(in->records);
    in->records = NULL;
    size_t size = (size_t)tess_n_bytes(&records);
    if (size > 0) in->records = malloc(size);
    if (in->records) {
        memcpy(in->records, records.data, size);
        meta->extended = in->records;
        meta->extended_size = (int64_t)size;
    } else {
        job_note(j, "%s: its extended header (%.4s) is left out: it says nothing of single sections", in->name,
                 meta->extended_type);
        meta_drop_records(meta);
    }
    tess_release(&records);
    return TESS_OK;
}

tess_status meta_choose(input *in, job *j, bool along_b, const int64_t *chosen, int64_t n)
{
    tess_meta *meta = &in->info.meta;
    bool       whole = n == input_indices(in) && !in->chosen, run = n > 0;
    for (int64_t i = 0; i < n; i++) {
        whole = whole && chosen[i] == i;
        run = run && chosen[i] == chosen[0] + i;
    }
    if (whole) return TESS_OK;
    meta_forget_statistics(meta);
    const double first = run ? (double)(chosen[0] - (in->chosen ? in->chosen[0] : 0)) : 0;
    if (!along_b && run && n > 1) meta_scale(meta, (const double[3]){ 1, 1, 1 }, (const double[3]){ first, 0, 0 });
    return choose_records(in, j, along_b, chosen, n);
}
