/* HDF5 files of EMAN2 and EMD with random content; see tests/fuzz/cases.h. An input is a string of decisions of which
 * libhdf5 makes a file, so that its bytes are right: libhdf5 1.10 itself crashes where they are not. What opens must be
 * readable, have the values that were written, and leave nothing open. */
#define _GNU_SOURCE /* dladdr */
#include "fuzz/hdf5_make.h"

#include <stdlib.h>

#include "support/folder.h"

/* ---- Files of EMAN2 ---- */

static void put_image(hid images, int i)
{
    static const char *const names[] = {
        "007", "x", "-1", "1e2", "99", "99999", "999999999", "4294967296", "image", ""
    };
    static const char *const numbers[] = { "EMAN.apix_x", "EMAN.apix_y", "EMAN.apix_z", "EMAN.origin_x" };
    static const char *const ranges[] = { "EMAN.stored_rendermin", "EMAN.stored_rendermax", "EMAN.stored_renderbits" };
    char                     name[16];
    (void)snprintf(name, sizeof name, "%d", i);
    const hid group = make.Gcreate2(images, one_in(16) ? names[draw(10)] : name, 0, 0, 0);
    if (group <= 0) return;
    for (size_t k = 0; k < 4; k++) put_some(group, numbers[k], false);
    const bool has_range = one_in(4);
    made.is_scaled |= has_range;
    for (size_t k = 0; k < 3 && has_range; k++) put_some(group, ranges[k], false);
    const hid data = one_in(30) ? 0 : put_dataset(group, "image", "H5T_NATIVE_FLOAT_g", 2);
    if (data) (void)make.Dclose(data);
    (void)make.Gclose(group);
}

static void put_eman2(hid file)
{
    const hid mdf = make.Gcreate2(file, "MDF", 0, 0, 0), images = make.Gcreate2(mdf, "images", 0, 0, 0);
    const int n = one_in(10) ? 0 : 1 + (int)draw(4);
    put_some(images, "imageid_max", false);
    /* The same decisions for all images, mostly: they must be alike. */
    const uint8_t *from = decisions.at;
    const bool     alike = !one_in(6);
    for (int i = 0; i < n; i++) {
        if (alike) decisions.at = from;
        put_image(images, i);
    }
    (void)make.Gclose(images);
    (void)make.Gclose(mdf);
}

/* ---- EMD ---- */

/* A number or a text as Velox writes it. */
static const char *draw_json(char text[400])
{
    const double number = one_in(3) ? draw_number() : draw_number() * 1e-10;
    if (one_in(6)) (void)snprintf(text, 400, "\"%s\"", draw_text());
    else if (one_in(8)) (void)snprintf(text, 400, "{\"x\": [%g, null]}", number);
    else (void)snprintf(text, 400, one_in(3) ? "%g" : "\"%.17g\"", number);
    return text;
}

static void put_metadata(hid group)
{
    char      a[400], b[400], text[2400], bytes[2400] = "";
    const int n =
        snprintf(text, sizeof text,
                 "{\"Core\": [1, \"]\"], \"BinaryResult\": {\"Detector\": \"%s\", \"PixelSize\": {\"width\": %s, "
                 "\"height\": %s}, \"PixelUnitX\": \"%s\"%s}",
                 draw_text(), draw_json(a), draw_json(b), draw_text(), one_in(4) ? ", \"PixelUnitY\": 1" : "");
    const uint64_t sizes[3] = { one_in(8) ? draw(256) : (uint64_t)n, 1 + draw(2), 1 };
    const hid      space = make.Screate_simple(one_in(8) ? 3 : one_in(4) ? 1 : 2, sizes, NULL);
    const hid      type = make_constant(one_in(8) ? "H5T_NATIVE_INT8_g" : "H5T_NATIVE_UINT8_g");
    const hid      data = make.Dcreate2(group, "Metadata", type, space, 0, 0, 0);
    for (int i = 0; i < n && i * (int)sizes[1] < (int)sizeof bytes; i++) bytes[i * (int)sizes[1]] = text[i];
    if (data > 0 && sizes[0] * sizes[1] <= sizeof bytes && !one_in(12)) (void)make.Dwrite(data, type, 0, 0, 0, bytes);
    if (data > 0) (void)make.Dclose(data);
    (void)make.Sclose(space);
}

static void put_velox(hid file)
{
    const hid    top = make.Gcreate2(file, "Data", 0, 0, 0), images = make.Gcreate2(top, "Image", 0, 0, 0);
    const size_t n = one_in(4) ? draw(5) : 1;
    char         name[48];
    for (size_t i = 0; i < n; i++) {
        (void)snprintf(name, sizeof name, "%032zx", i);
        const hid group = make.Gcreate2(images, name, 0, 0, 0);
        const hid data = one_in(20) ? 0 : put_dataset(group, "Data", "H5T_NATIVE_UINT16_g", 3);
        if (data) (void)make.Dclose(data);
        if (!one_in(8)) put_metadata(group);
        (void)make.Gclose(group);
    }
    if (one_in(10)) (void)make.Lcreate_soft("/Data", images, "loop", 0, 0);
    if (one_in(10)) (void)make.Lcreate_soft("/nowhere", images, "nothing", 0, 0);
    (void)make.Gclose(images);
    (void)make.Gclose(top);
}

static void put_berkeley(hid above, int depth)
{
    static const char *const names[] = { "a", "b", "data", "dim1" };
    const hid                group = make.Gcreate2(above, names[draw(4)], 0, 0, 0);
    const int                rank = 1 + (int)draw(4), first = one_in(2);
    char                     name[16];
    if (group <= 0) return;
    if (depth < 3 && one_in(3)) put_berkeley(group, depth + 1);
    put_some(group, "emd_group_type", one_in(2));
    const hid data = put_dataset(group, "data", "H5T_NATIVE_FLOAT_g", rank);
    if (data) (void)make.Dclose(data);
    for (int k = 0; k < rank; k++) {
        (void)snprintf(name, sizeof name, "dim%d", k + first);
        const hid dim = one_in(8) ? 0 : put_dataset(group, name, "H5T_NATIVE_DOUBLE_g", 1);
        if (!dim) continue;
        put_some(dim, "name", true);
        put_some(dim, "units", true);
        (void)make.Dclose(dim);
    }
    if (one_in(10)) (void)make.Lcreate_hard(group, ".", group, "loop", 0, 0);
    if (one_in(10)) (void)make.Lcreate_soft("/", group, "root", 0, 0);
    (void)make.Gclose(group);
    if (depth < 2 && one_in(4)) put_berkeley(above, depth + 1);
}

static void make_file(const char *path)
{
    const hid creation = make.Pcreate(make_constant("H5P_CLS_FILE_CREATE_ID_g"));
    if (one_in(10)) (void)make.Pset_userblock(creation, 512);
    const hid file = make.Fcreate(path, 2, creation, 0);
    (void)make.Pclose(creation);
    if (file <= 0) fuzz_fail("libhdf5 makes no file");
    const size_t kind = draw(10);
    memset(&made, 0, sizeof made);
    made.is_eman2 = kind < 3 || kind == 9;
    if (made.is_eman2) put_eman2(file);
    if (kind >= 3 && kind < 6) put_velox(file);
    if (kind >= 6) put_berkeley(file, 0);
    if (make.Fclose(file) < 0) fuzz_fail("libhdf5 does not close the file");
}

/* ---- What is open ---- */

/* Files, groups, types, spaces and datasets. */
static uint64_t count_open(void)
{
    uint64_t all = 0;
    for (int kind = 1; kind <= 5; kind++) {
        uint64_t n = 0;
        if (make.Inmembers(kind, &n) < 0) continue;
        all += n;
    }
    return all;
}

/* ---- Reading ---- */

/* The sum of the elements; of complex ones that of the real parts, which are smaller by 1 than the imaginary ones. */
static double sum_of(const tess_array *a)
{
    tess_array wide = { 0 };
    double     sum = 0, other = 0;
    const bool is_complex = a->dtype == TESS_C32 || a->dtype == TESS_C64;
    if (!fuzz_ok(tess_cast(&wide, a, is_complex ? TESS_C64 : TESS_F64, NULL))) fuzz_fail("no sum");
    const double *values = wide.data;
    for (int64_t i = 0; i < tess_n_elements(&wide); i++) {
        sum += values[is_complex ? 2 * i : i];
        if (is_complex) other += values[2 * i + 1];
    }
    if (is_complex && sum + (double)tess_n_elements(a) != other) fuzz_fail("another imaginary part");
    tess_release(&wide);
    return sum;
}

/* Each dataset has the same values by index; an image of EMAN2 is one. */
static void check_values(const tess_array *a)
{
    const int64_t datasets = made.is_eman2 ? a->shape.b : 1, n = tess_n_elements(a) / datasets;
    double        wanted = 0;
    for (int64_t i = 0; i < n; i++) wanted += value_of((uint64_t)i);
    if (sum_of(a) != wanted * (double)datasets) fuzz_fail("other values than were written");
}

static void check_info(const tess_info_file *info, const char *path, const tess_read_opts *opts)
{
    tess_info_file again = { .format = 0 };
    for (int k = 0; k < 4; k++)
        if (info->shape.dim[k] < 1) fuzz_fail("a size below 1");
    for (int k = 0; k < 3; k++) {
        if (!(info->meta.pixel_size[k] >= 0) || !isfinite(info->meta.pixel_size[k])) fuzz_fail("no pixel size");
        if (!isfinite(info->meta.origin[k])) fuzz_fail("no origin");
    }
    if (tess_info(&again, path, opts) != TESS_OK) fuzz_fail("opened, but without information");
    if (memcmp(&again.shape, &info->shape, sizeof info->shape) != 0 || again.dtype != info->dtype)
        fuzz_fail("other information");
}

static void read_file(const char *path, const tess_read_opts *opts)
{
    tess_file *file = NULL;
    tess_array out = { 0 };
    if (!fuzz_ok(tess_open(&file, path, opts))) return;
    const tess_info_file *info = tess_file_info(file);
    check_info(info, path, opts);
    if (!fuzz_ok(tess_file_read(&out, file, (tess_region){ .b = { .from = 0 } }))) fuzz_fail("opened, but not read");
    if (!opts->salvage && !made.has_holes && !made.is_scaled) check_values(&out);
    tess_release(&out);
    tess_file_close(file);
}

/* ---- Writing ---- */

/* An array of any bytes is written and read again. */
static void write_and_read(const char *path)
{
    static const tess_dtype dtypes[] = { TESS_I8, TESS_U8, TESS_I16, TESS_U16, TESS_I32, TESS_U32, TESS_F32, TESS_F64 };
    const tess_dtype        dtype = dtypes[draw(8)];
    const tess_shape        shape =
        TESS_SHAPE(1 + (int64_t)(one_in(4) ? draw(256) : draw(6)), one_in(2) ? 1 : 1 + (int64_t)draw(4),
                   1 + (int64_t)draw(5), 1 + (int64_t)draw(5));
    tess_array     a = { 0 }, again = { 0 };
    tess_meta      meta = { .space_group = 0 };
    tess_info_file info;
    if (tess_empty(&a, shape, dtype, tess_cpu()) != TESS_OK) fuzz_fail("no array");
    for (int64_t i = 0; i < tess_n_bytes(&a); i++) ((uint8_t *)a.data)[i] = (uint8_t)draw(256);
    for (int k = 0; k < 3; k++) meta.pixel_size[k] = draw_number(), meta.origin[k] = draw_number();
    const tess_write_opts opts = { .meta = &meta, .overwrite = 1, .big_endian = one_in(2) };
    if (!fuzz_ok(tess_write(path, &a, &opts))) {
        tess_release(&a);
        return;
    }
    if (!fuzz_ok(tess_info(&info, path, NULL)) || !fuzz_ok(tess_read(&again, path, NULL))) fuzz_fail("not read again");
    if (again.dtype != dtype || memcmp(&again.shape, &shape, sizeof shape) != 0) fuzz_fail("another array");
    if (memcmp(again.data, a.data, (size_t)tess_n_bytes(&a)) != 0) fuzz_fail("other elements");
    for (int k = 0; k < 3; k++) {
        const float size = (float)meta.pixel_size[k], origin = (float)meta.origin[k]; /* as EMAN2 has them */
        if (info.meta.pixel_size[k] != (isfinite(size) && size > 0 ? size : 0)) fuzz_fail("another pixel size");
        if (info.meta.origin[k] != (isfinite(origin) ? origin : 0)) fuzz_fail("another origin");
    }
    tess_release(&a);
    tess_release(&again);
}

/* ---- Cases ---- */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    char path[128];
    (void)snprintf(path, sizeof path, "%s", in_folder("x.hdf"));
    decisions.at = data;
    decisions.end = data + n;
    if (one_in(8)) return write_and_read(path), 0;
    tess__h5_enter();
    make_file(path);
    const uint64_t before = count_open();
    tess__h5_leave();
    const tess_read_opts opts = { .salvage = one_in(5),
                                  .keep_rows = one_in(3),
                                  .page = one_in(4) ? TESS_ZERO_INT : (int64_t)(one_in(4) ? draw(4) : 0) };
    read_file(path, &opts);
    tess_error_clear();
    tess__h5_enter();
    if (count_open() != before) fuzz_fail("something is still open");
    tess__h5_leave();
    return 0;
}

static void begin(void)
{
    const char *obstacle = "";
    if (make_load(&obstacle)) return;
    printf("SKIPPED HDF5 files: %s\n0 passed, 0 failed, 1 skipped\n", obstacle);
    exit(0);
}

#ifdef TESS_LIBFUZZER

int LLVMFuzzerInitialize(int *argc, char ***argv);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    begin();
    return 0;
}

#else

void fuzz_begin(void) { begin(); }
void fuzz_end(void) {}

size_t fuzz_make(uint8_t bytes[FUZZ_LONGEST], uint64_t number)
{
    const size_t n = 1 + fuzz_below(400);
    (void)number;
    for (size_t i = 0; i < n; i++) bytes[i] = (uint8_t)fuzz_random();
    return n;
}

#endif
