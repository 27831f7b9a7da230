/* tessera info: what files say of themselves. */
#include <stdio.h>
#include <stdlib.h>

#include "files/headers/header.h"
#include "files/open_file.h"
#include "tessera/mrc.h"

/* ---- Extended headers ---- */

static void section_row(table *t, const tess_info_mrc_section *f)
{
    const struct {
        const char *name;
        int32_t     flag;
        double      value;
    } items[] = { { "tilt", TESS_MRC_TILT, f->tilt },
                  { "tilt_beta", TESS_MRC_TILT_BETA, f->tilt_beta },
                  { "tilt_axis", TESS_MRC_TILT_AXIS, f->tilt_axis },
                  { "stage_x", TESS_MRC_STAGE_XY, f->stage[0] },
                  { "stage_y", TESS_MRC_STAGE_XY, f->stage[1] },
                  { "stage_z", TESS_MRC_STAGE_Z, f->stage[2] },
                  { "defocus", TESS_MRC_DEFOCUS, f->defocus },
                  { "dose", TESS_MRC_DOSE, f->dose },
                  { "exposure", TESS_MRC_EXPOSURE, f->exposure },
                  { "apix", TESS_MRC_PIXEL_SIZE, f->pixel_size[0] },
                  { "magnification", TESS_MRC_MAGNIFICATION, f->magnification },
                  { "intensity", TESS_MRC_INTENSITY, f->intensity },
                  { "voltage", TESS_MRC_VOLTAGE, f->voltage } };
    for (size_t i = 0; i < sizeof items / sizeof *items; i++) {
        if (f->known & items[i].flag) table_number_as(t, items[i].name, items[i].value, TESS_F32);
    }
}

static tess_status extended_rows(const input *in, table *t, bool with_name)
{
    const tess_meta *m = &in->info.meta;
    TESS_CHECK(in->file && m->extended_size > 0, TESS_EARG, "%s: it has no extended header", in->name);
    int64_t n = tess_file_info(in->file)->stored[2];
    for (int64_t i = 0; i < n; i++) {
        tess_info_mrc_section info;
        TESS_TRY(tess_mrc_section_info(&info, in->file, i));
        if (with_name) table_text(t, "file", in->name);
        table_integer(t, "section", i);
        section_row(t, &info);
        table_row(t);
    }
    return TESS_OK;
}

/* ---- All of it ---- */

static tess_status show(job *j, const input *in, table *t, int i)
{
    const char *fields = job_text(j, "field", NULL);
    if (job_has(j, "ext")) return extended_rows(in, t, j->n_arguments > 1);
    if (job_has(j, "labels")) {
        print_labels(&in->info.meta, "");
        return TESS_OK;
    }
    if (!fields && !job_has(j, "json") && !job_has(j, "tsv")) {
        if (i > 0) (void)putchar('\n');
        print_header(in);
        return TESS_OK;
    }
    row *r = malloc(sizeof *r);
    TESS_CHECK(r, TESS_ENOMEM, "info: no memory for a row");
    header_row(r, in);
    tess_status status = fields ? row_check_fields(r, fields) : TESS_OK;
    if (status == TESS_OK && fields) row_print_fields(r, fields, stdout);
    else if (status == TESS_OK) row_to_table(r, t);
    free(r);
    return status;
}

static tess_status run(job *j)
{
    bool   rows = job_has(j, "json") || job_has(j, "tsv") || job_has(j, "ext");
    bool   bare = job_has(j, "field") || job_has(j, "labels");
    table *t = rows && !bare ? table_new(j, stdout) : NULL;
    silence_warnings(!rows && !bare); /* they are printed with the others */
    for (int i = 0; i < j->n_arguments; i++) {
        input       in;
        tess_status status = input_open(&in, j, j->arguments[i], NEED_ANY);
        if (status == TESS_OK) {
            status = show(j, &in, t, i);
            input_close(&in);
        }
        if (status != TESS_OK) job_failed(j, status, j->arguments[i]);
    }
    table_end(t);
    return TESS_OK;
}

static const option options[] = {
    VALUE("field", "NAMES", OPTION_TEXT, "print only these values, one line per file: size,shape,dtype,apix,min ..."),
    FLAG("ext", "extended header of each section: tilt, dose, stage"),
    FLAG("labels", "print only the labels, one per line"),
    { .name = NULL },
};

static const char *const examples[] = {
    "tessera info x.mrc",
    "tessera info --field size,apix stack.mrcs volume.mrc",
    "tessera info --json x.mrc movie.tif a.npy",
    NULL,
};

const verb verb_info = {
    .name = "info",
    .subject = "files",
    .summary = "show the headers of files",
    .arguments = "INPUT...",
    .text = "Sizes are printed as columns, rows and sections, as in other programs, and as the shape (b, d, h, w) that "
            "all verbs use, with the rule that decided between stack and volume. Statistics are those of the header. "
            "Irregularities of a file are listed last. Data are not read.",
    .globals = GLOBAL_INPUT | GLOBAL_TABLE,
    VERB_OF_FILE(1, -1),
};
