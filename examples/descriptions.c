/* Descriptions: operations are found by name and called according to their rows, as a command or a binding does. */
#include <stdio.h>
#include <string.h>

#include "tessera.h"

enum { PARTICLES = 3, SIZE = 64 };

/* Operations that take a row of parameters for each batch. */
static void list_streams(void)
{
    int n = 0;
    for (size_t i = 0; i < tess_function_count(); i++) {
        const tess_function_info *op = tess_function_at(i);
        bool                      rows = false;
        for (size_t k = 0; k < op->n_args; k++) rows = rows || (op->args[k].flags & TESS_ARG_ROWS);
        if (op->cut != TESS_CUT_BATCHES || !rows) continue;
        printf("%s%s", n++ ? ", " : "with a row for each batch: ", op->name);
    }
    printf("\n");
}

/* A field of a struct by its name. */
static void set_field(const tess_arg_info *row, void *structure, const char *name, double value)
{
    for (const tess_arg_info *field = row->fields; field->name; field++) {
        if (strcmp(field->name, name) != 0) continue;
        memcpy((char *)structure + field->offset, &value, sizeof value);
        printf("%s = %g%s%s: %s\n", name, value, field->unit[0] ? " " : "", field->unit, field->help);
    }
}

/* tess_ctf_image, of which this program knows only the names. */
static tess_status make_ctf(tess_array *image)
{
    const tess_function_info *op = tess_function_find("ctf_image");
    double                    fields[32] = { 0 };
    tess_value                values[8] = { { .out = image } };
    for (size_t k = 0; k < op->n_args; k++) {
        const tess_arg_info *row = &op->args[k];
        if (row->type == TESS_ARG_SHAPE) values[k].shape = TESS_SHAPE(PARTICLES, 1, SIZE, SIZE);
        if (row->type != TESS_ARG_STRUCT || row->size > sizeof fields) continue;
        set_field(row, fields, "pixel_size", 1.4);
        set_field(row, fields, "defocus", 1.5);
        set_field(row, fields, "cs", 2.7);
        values[k].structure = fields;
    }
    return tess_function_call(op, values, NULL);
}

static tess_status run(void)
{
    tess_array image = { 0 };
    double     least, most;
    list_streams();
    TESS_TRY(make_ctf(&image));
    const tess_status status = tess_host_minmax(&least, &most, &image);
    printf("ctf_image made %s {%d,%d,%d,%d}", tess_dtype_name(image.dtype), (int)image.shape.b, (int)image.shape.d,
           (int)image.shape.h, (int)image.shape.w);
    tess_release(&image);
    TESS_TRY(status);
    printf(", from %.3f to %.3f\n", least, most);
    return TESS_OK;
}

int main(void)
{
    if (run() == TESS_OK) return 0;
    fputs(tess_error_trace(), stderr);
    return 1;
}
