/* What is known of an input, when only some of it is chosen. */
#include <stdlib.h>
#include <string.h>

#include "files/input_meta.h"
#include "tessera/mrc.h"

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
    if (meta->extended_size == 0 || (n > 1 && tess_meta_has_operators(meta))) return TESS_OK;
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
        job_note(j, "%s: its extended header (%.4s) is left out: it does not describe single sections", in->name,
                 meta->extended_type);
        tess_meta_forget_extended(meta);
    }
    tess_release(&records);
    return TESS_OK;
}

/* How far apart the numbers are, if all are as far from each other; else 0. */
static int64_t common_distance(const int64_t *numbers, int64_t n)
{
    const int64_t distance = n > 1 ? numbers[1] - numbers[0] : 1;
    for (int64_t i = 2; i < n; i++)
        if (numbers[i] - numbers[i - 1] != distance) return 0;
    return distance > 0 ? distance : 0;
}

/* Sections of a volume: the first of them moves the map, and each N-th are N times as far apart. Those in another order
 * are no part of the cell. */
static tess_status choose_depth(input *in, const int64_t *chosen, int64_t n)
{
    tess_meta      *meta = &in->info.meta;
    const tess_meta old = *meta;
    const bool      operators = tess_meta_has_operators(meta);
    const int64_t   apart = common_distance(chosen, n),
                  before = common_distance(in->chosen, in->chosen ? in->n_chosen : 0);
    if (apart == 0 || before == 0) {
        tess_meta_forget_cell(meta);
        return TESS_OK;
    }
    const double first = (double)(chosen[0] - (in->chosen ? in->chosen[0] : 0));
    TESS_TRY(tess_meta_scale(meta, (const double[3]){ (double)apart / (double)before, 1, 1 },
                             (const double[3]){ first / (double)before, 0, 0 }));
    if (operators) return TESS_OK;
    meta->extended = old.extended, meta->extended_size = old.extended_size; /* they are of single sections */
    memcpy(meta->extended_type, old.extended_type, sizeof meta->extended_type);
    return TESS_OK;
}

tess_status meta_choose(input *in, job *j, bool along_b, const int64_t *chosen, int64_t n)
{
    tess_meta *meta = &in->info.meta;
    bool       whole = n == input_indices(in) && !in->chosen;
    for (int64_t i = 0; i < n; i++) whole = whole && chosen[i] == i;
    if (whole) return TESS_OK;
    tess_meta_forget_stats(meta);
    TESS_TRY(choose_records(in, j, along_b, chosen, n));
    return !along_b && n > 1 ? choose_depth(in, chosen, n) : TESS_OK;
}
