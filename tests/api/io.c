/* Files without a format of their own to speak of: raw bytes, any part of them, compressed, mapped, and bad requests. */
#include <fcntl.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/arrays.h"
#include "support/folder.h"
#include "support/layouts.h"

static const tess_region all;

static tess_read_opts raw(tess_dtype dtype, int64_t b, int64_t d, int64_t h, int64_t w)
{
    return (tess_read_opts){ .format = TESS_FORMAT_RAW, .raw_dtype = dtype, .shape = TESS_SHAPE(b, d, h, w) };
}

/* i16 values that say where they lie: their number in b, d, h, w order. */
static void put_numbers(const char *name, int64_t n)
{
    int16_t values[20000];
    for (int64_t i = 0; i < n; i++) values[i] = (int16_t)i;
    put_file(name, values, (long)(2 * n));
}

/* ---- Parts ---- */

static tess_range random_range(int64_t n)
{
    const int64_t kind = (int64_t)(test_random() % 4);
    if (kind == 0) return (tess_range){ .kind = TESS_RANGE_ALL };
    if (kind == 1 && n > 0) return tess_only((int64_t)(test_random() % (uint64_t)n));
    const int64_t step = 1 + (int64_t)(test_random() % 3);
    const int64_t from = (int64_t)(test_random() % (uint64_t)(n + 1)),
                  to = (int64_t)(test_random() % (uint64_t)(n + 1));
    return kind == 2 ? tess_from_to_step(from, to, step) : tess_from_to_step(from, to, -step);
}

/* What NumPy's slice would give: first, number, step. Written out here so that it is not the library's own. */
static void indices_of(tess_range r, int64_t n, int64_t *first, int64_t *count, int64_t *step)
{
    *first = 0, *count = n, *step = 1;
    if (r.kind == TESS_RANGE_INDEX) *first = r.from, *count = 1;
    if (r.kind != TESS_RANGE_SLICE) return;
    int64_t from = r.from, to = r.to;
    *step = r.step;
    if (r.step < 0 && from >= n) from = n - 1;
    *first = from;
    *count = 0;
    for (int64_t i = from; r.step > 0 ? i < to : i > to; i += r.step) ++*count;
}

static void check_part(tess_file *file, tess_shape shape, tess_dtype dtype, layout kind)
{
    tess_region r = { random_range(shape.b), random_range(shape.d), random_range(shape.h), random_range(shape.w) };
    const tess_range *ranges[4] = { &r.b, &r.d, &r.h, &r.w };
    int64_t           first[4], count[4], step[4];
    for (int k = 0; k < 4; k++) indices_of(*ranges[k], shape.dim[k], &first[k], &count[k], &step[k]);
    guarded g;
    guarded_make(&g, kind, TESS_SHAPE(count[0], count[1], count[2], count[3]), dtype);
    if (!CHECK_OK(tess_file_read(&g.view, file, r))) return;
    int64_t wrong = 0;
    for (int64_t b = 0; b < count[0]; b++)
        for (int64_t d = 0; d < count[1]; d++)
            for (int64_t h = 0; h < count[2]; h++)
                for (int64_t w = 0; w < count[3]; w++) {
                    const int64_t at[4] = { first[0] + b * step[0], first[1] + d * step[1], first[2] + h * step[2],
                                            first[3] + w * step[3] };
                    const int64_t expected = ((at[0] * shape.d + at[1]) * shape.h + at[2]) * shape.w + at[3];
                    wrong += value_at(&g.view, b, d, h, w) != (double)expected;
                }
    CHECK(wrong == 0);
    guarded_check(&g, "read");
    guarded_free(&g);
}

TEST(any_part_into_any_array)
{
    static const tess_dtype dtypes[] = { TESS_I16, TESS_F32, TESS_F64, TESS_I32, TESS_U32, TESS_U16 };
    put_numbers("part.raw", 3 * 4 * 5 * 70);
    const tess_read_opts o = raw(TESS_I16, 3, 4, 5, 70);
    for (int threads = 1; threads <= 3; threads += 2) {
        tess_file *file;
        CHECK_OK(tess_threads_set(threads));
        if (!CHECK_OK(tess_open(&file, in_folder("part.raw"), &o))) return;
        for (int i = 0; i < 600; i++)
            check_part(file, o.shape, dtypes[test_random() % 6], (layout)(test_random() % n_output_layouts));
        tess_file_close(file);
    }
    CHECK_OK(tess_threads_set(0));
}

TEST(an_array_that_is_made_has_the_dtype_of_the_file_or_of_the_options)
{
    tess_array     a = { 0 }, b = { 0 };
    tess_read_opts o = raw(TESS_I16, 1, 1, 4, 5);
    put_numbers("made.raw", 20);
    CHECK_OK(tess_read(&a, in_folder("made.raw"), &o));
    CHECK(a.dtype == TESS_I16 && value_at(&a, 0, 0, 3, 4) == 19);
    o.dtype = TESS_F32;
    CHECK_OK(tess_read(&b, in_folder("made.raw"), &o));
    CHECK(b.dtype == TESS_F32 && same_values(&a, &b));
    tess_release(&a);
    tess_release(&b);
}

TEST(as_many_columns_as_there_are)
{
    tess_array     a = { 0 }, b = { 0 };
    tess_read_opts o = raw(TESS_I16, 1, 1, 4, -1);
    put_numbers("rest.raw", 20);
    CHECK_OK(tess_read(&a, in_folder("rest.raw"), &o));
    CHECK(a.shape.w == 5 && value_at(&a, 0, 0, 3, 4) == 19);
    o.offset = 8;
    CHECK_OK(tess_read(&b, in_folder("rest.raw"), &o));
    CHECK(b.shape.w == 4 && value_at(&b, 0, 0, 0, 0) == 4 && value_at(&b, 0, 0, 3, 3) == 19);
    tess_release(&a);
    tess_release(&b);
    o.offset = 50; /* behind the end: none */
    CHECK_FAILS(tess_read(&a, in_folder("rest.raw"), &o), TESS_EFORMAT, "at byte 50");
    o = raw(TESS_I16, 1, 1, -1, 5);
    CHECK_FAILS(tess_read(&a, in_folder("rest.raw"), &o), TESS_EARG, "opts->shape is {1,1,-1,5}");
}

TEST(lines_longer_than_what_is_read_at_a_time)
{
    const int64_t n = 3000000;
    tess_array    a = numbers(TESS_F32, 1, 1, 1, n), b = { 0 }, c = { 0 };
    CHECK_OK(tess_write(in_folder("long.raw"), &a, NULL));
    tess_read_opts o = raw(TESS_F32, 1, 1, 1, n);
    CHECK_OK(tess_read(&b, in_folder("long.raw"), &o));
    CHECK(memcmp(a.data, b.data, (size_t)n * 4) == 0);
    o.dtype = TESS_F64;
    CHECK_OK(tess_read(&c, in_folder("long.raw"), &o));
    int64_t wrong = 0;
    for (int64_t i = 0; i < n; i++) wrong += ((double *)c.data)[i] != ((float *)a.data)[i];
    CHECK(wrong == 0);
    tess_release(&a);
    tess_release(&b);
    tess_release(&c);
}

TEST(empty_arrays)
{
    tess_array     a = { 0 }, b = { 0 };
    tess_read_opts o = raw(TESS_F32, 0, 1, 4, 5);
    CHECK_OK(tess_zeros(&a, o.shape, TESS_F32, tess_cpu()));
    CHECK_OK(tess_write(in_folder("empty.raw"), &a, NULL));
    CHECK(get_file("empty.raw", NULL, 0) == 0);
    CHECK_OK(tess_read(&b, in_folder("empty.raw"), &o));
    CHECK(tess_same_shape(&a, &b));
    tess_release(&a);
    tess_release(&b);
}

/* ---- Byte order and offset ---- */

TEST(the_other_byte_order_both_ways)
{
    static const tess_dtype dtypes[] = { TESS_I16, TESS_F32, TESS_F64, TESS_C32, TESS_U8, TESS_I64, TESS_C64 };
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++) {
        tess_array     a = numbers(dtypes[i], 2, 1, 3, 7), b = { 0 };
        tess_read_opts o = raw(dtypes[i], 2, 1, 3, 7);
        o.big_endian = 1;
        CHECK_OK(tess_write(in_folder("big.raw"), &a, &(tess_write_opts){ .big_endian = 1, .overwrite = 1 }));
        CHECK_OK(tess_read(&b, in_folder("big.raw"), &o));
        const double last = dtypes[i] == TESS_C32 || dtypes[i] == TESS_C64 ? 0 : value_at(&b, 1, 0, 2, 6);
        CHECK(memcmp(a.data, b.data, (size_t)tess_n_bytes(&a)) == 0 && (last == 0 || last == 41));
        unsigned char bytes[8];
        (void)get_file("big.raw", bytes, 8);
        if (dtypes[i] == TESS_I16) CHECK(bytes[2] == 0 && bytes[3] == 1);
        tess_release(&a);
        tess_release(&b);
    }
}

TEST(an_offset_and_a_file_that_is_too_long_or_too_short)
{
    tess_array     a = { 0 };
    tess_info_file info;
    tess_read_opts o = raw(TESS_I16, 1, 1, 2, 5);
    put_numbers("offset.raw", 20);
    o.offset = 8;
    CHECK_OK(tess_read(&a, in_folder("offset.raw"), &o));
    CHECK(value_at(&a, 0, 0, 0, 0) == 4 && value_at(&a, 0, 0, 1, 4) == 13);
    CHECK_OK(tess_info(&info, in_folder("offset.raw"), &o));
    CHECK(info.n_warnings == 1 && info.warnings[0].code == TESS_ODD_LENGTH && info.data_offset == 8);
    CHECK(strstr(info.warnings[0].text, "40 bytes, 12 more than {1,1,2,5} of i16 at byte 8 need") != NULL);
    o.shape.h = 5;
    CHECK_FAILS(tess_info(&info, in_folder("offset.raw"), &o), TESS_EFORMAT, "{1,1,5,5} of i16 at byte 8 need 58 bytes",
                "the file has 40");
    tess_release(&a);
    o.salvage = 1;
    CHECK_OK(tess_read(&a, in_folder("offset.raw"), &o));
    CHECK(value_at(&a, 0, 0, 3, 0) == 19 && value_at(&a, 0, 0, 3, 1) == 0 && value_at(&a, 0, 0, 4, 4) == 0);
    tess_release(&a);
}

/* ---- Compressed ---- */

static void check_compressed(const char *name, tess_compression compression)
{
    if (!tess_file_format_supported(TESS_FORMAT_RAW, compression)) {
        test_skip_part(name);
        return;
    }
    const int64_t  h = 300, w = 1001;
    tess_array     a = { 0 }, b = { 0 }, c = { 0 };
    tess_read_opts o = raw(TESS_I32, 2, 1, h, w);
    tess_file     *file;
    CHECK_OK(tess_arange(&a, o.shape, TESS_I32, tess_cpu(), 0, 7));
    CHECK_OK(tess_write(in_folder(name), &a, &(tess_write_opts){ .level = 3 }));
    if (!CHECK_OK(tess_open(&file, in_folder(name), &o))) return;
    CHECK(tess_file_info(file)->compression == (int32_t)compression);
    CHECK(tess_file_info(file)->file_size < 2 * h * w * 4);
    CHECK_OK(tess_file_read(&b, file, all));
    CHECK(same_values(&a, &b));
    /* Backwards, and again. */
    for (int i = 0; i < 3; i++) {
        CHECK_OK(
            tess_file_read(&c, file, (tess_region){ .b = tess_only(1 - i % 2), .h = tess_from_to_step(200, 20, -60) }));
        CHECK(value_at(&c, 0, 0, 1, 5) == 7.0 * (double)(((1 - i % 2) * h + 140) * w + 5));
        tess_release(&c);
    }
    CHECK_FAILS(tess_file_map(&c, file), TESS_EUNSUPPORTED, "compressed");
    tess_file_close(file);
    tess_read_opts rest = o; /* as many columns as there are */
    rest.shape.w = -1;
    CHECK_OK(tess_read(&c, in_folder(name), &rest));
    CHECK(same_values(&a, &c));
    tess_release(&c);
    /* Cut short, and damaged. */
    static unsigned char bytes[2000000];
    const long           n = get_file(name, bytes, sizeof bytes);
    put_file("cut.raw", bytes, n / 2);
    CHECK_FAILS(tess_read(&c, in_folder("cut.raw"), &o), TESS_EFORMAT, "end before they are complete");
    CHECK_FAILS(tess_read(&c, in_folder("cut.raw"), &rest), TESS_EFORMAT, "end before they are complete");
    o.salvage = 1; /* the beginning is there */
    CHECK_OK(tess_read(&c, in_folder("cut.raw"), &o));
    CHECK(value_at(&c, 0, 0, 0, 5) == 35 && value_at(&c, 1, 0, h - 1, w - 1) == 0);
    tess_release(&c);
    o.salvage = 0;
    bytes[n / 2] ^= 0x55;
    put_file("cut.raw", bytes, n);
    CHECK_FAILS(tess_read(&c, in_folder("cut.raw"), &o), TESS_EFORMAT, "damaged");
    tess_release(&a);
    tess_release(&b);
}

TEST(gzip_and_bzip2)
{
    check_compressed("packed.raw.gz", TESS_COMPRESSION_GZIP);
    check_compressed("packed.raw.bz2", TESS_COMPRESSION_BZIP2);
}

/* ---- Mapped ---- */

TEST(mapped_data_are_those_of_the_file_and_outlive_it)
{
    tess_array     a = { 0 };
    tess_file     *file;
    tess_read_opts o = raw(TESS_I16, 1, 2, 3, 5);
    put_numbers("map.raw", 40);
    o.offset = 6;
    CHECK_OK(tess_open(&file, in_folder("map.raw"), &o));
    CHECK_OK(tess_file_map(&a, file));
    tess_file_close(file);
    CHECK(value_at(&a, 0, 0, 0, 0) == 3 && value_at(&a, 0, 1, 2, 4) == 32);
    CHECK_OK(tess_fill(&a, 7)); /* the array, not the file */
    int16_t first[4];
    CHECK(get_file("map.raw", first, 8) == 80 && first[3] == 3);
    tess_release(&a);
    o.offset = 7;
    CHECK_OK(tess_open(&file, in_folder("map.raw"), &o));
    CHECK_FAILS(tess_file_map(&a, file), TESS_EUNSUPPORTED, "are not aligned to the size of their elements");
    tess_file_close(file);
    o.offset = 6;
    o.big_endian = 1;
    CHECK_OK(tess_open(&file, in_folder("map.raw"), &o));
    CHECK_FAILS(tess_file_map(&a, file), TESS_EUNSUPPORTED, "other byte order");
    tess_file_close(file);
    CHECK_FAILS(tess_file_map(&a, NULL), TESS_EARG, "file is NULL");
}

/* ---- Writing ---- */

TEST(any_strides_and_dtypes_are_written)
{
    for (int i = 0; i < 60; i++) {
        const tess_shape shape = TESS_SHAPE(1 + (int64_t)(test_random() % 3), 1 + (int64_t)(test_random() % 3), 4, 9);
        tess_array       source = numbers(TESS_F32, shape.b, shape.d, shape.h, shape.w), back = { 0 };
        guarded          g;
        guarded_make(&g, (layout)(test_random() % n_output_layouts), shape, TESS_F32);
        CHECK_OK(tess_copy(&g.view, &source));
        const tess_dtype dtype = i % 2 ? TESS_I16 : TESS_F64;
        CHECK_OK(tess_write(in_folder("any.raw"), &g.view, &(tess_write_opts){ .dtype = dtype, .overwrite = 1 }));
        tess_read_opts o = raw(dtype, shape.b, shape.d, shape.h, shape.w);
        CHECK_OK(tess_read(&back, in_folder("any.raw"), &o));
        CHECK(same_values(&source, &back));
        guarded_free(&g);
        tess_release(&source);
        tess_release(&back);
    }
}

TEST(parts_in_order_make_a_file)
{
    tess_array   a = numbers(TESS_F32, 2, 4, 3, 5), part, back = { 0 };
    tess_writer *w;
    tess_meta    stats = { .stats = 0 };
    CHECK_OK(tess_writer_open(&w, in_folder("parts.raw"), a.shape, TESS_F32, NULL));
    CHECK_OK(tess_subregion_text(&part, &a, "0, 0:3"));
    CHECK_OK(tess_writer_append(w, &part));
    CHECK_FAILS(tess_writer_append(w, &part), TESS_ESHAPE, "{1,3,3,5} after 3 images", "{2,4,3,5}");
    CHECK_OK(tess_subregion_text(&part, &a, "0, 3:4"));
    CHECK_OK(tess_writer_append(w, &part));
    CHECK_OK(tess_subregion_text(&part, &a, "1, :, :, 1:"));
    CHECK_FAILS(tess_writer_append(w, &part), TESS_ESHAPE, "{1,4,3,4}");
    CHECK(access(in_folder("parts.raw"), F_OK) != 0); /* not yet */
    CHECK_OK(tess_subregion_text(&part, &a, "1"));
    CHECK_OK(tess_writer_append(w, &part));
    CHECK_FAILS(tess_writer_append(w, &part), TESS_ESHAPE, "only 0 of 8 are left");
    tess_writer_stats(&stats, NULL, NULL, w);
    CHECK(stats.min == 0 && stats.max == 119 && stats.mean == 59.5 && stats.std > 34.6 && stats.std < 34.7);
    CHECK_OK(tess_writer_finish(w));
    tess_read_opts o = raw(TESS_F32, 2, 4, 3, 5);
    CHECK_OK(tess_read(&back, in_folder("parts.raw"), &o));
    CHECK(same_values(&a, &back));
    tess_release(&a);
    tess_release(&back);
}

TEST(a_file_that_is_not_complete_does_not_appear)
{
    const int    before = count_files();
    tess_array   a = numbers(TESS_F32, 2, 1, 3, 5), part;
    tess_writer *w;
    CHECK_OK(tess_index(&part, &a, 0, 0));
    CHECK_OK(tess_writer_open(&w, in_folder("half.raw"), a.shape, TESS_F32, NULL));
    CHECK_OK(tess_writer_append(w, &part));
    CHECK_FAILS(tess_writer_finish(w), TESS_ESHAPE, "1 of 2 images were written");
    CHECK_OK(tess_writer_open(&w, in_folder("half.raw"), a.shape, TESS_F32, NULL));
    CHECK_OK(tess_writer_append(w, &part));
    CHECK(count_files() == before + 1); /* the temporary one */
    tess_discard_unfinished();
    CHECK(count_files() == before);
    tess_writer_discard(w);
    CHECK(count_files() == before);
    tess_release(&a);
}

/* How many unfinished files were found; those that are not being written, or are not there, spoil the number. */
static void count_unfinished(void *context, const char *path, bool alive)
{
    *(int *)context += alive && access(path, F_OK) == 0 ? 1 : 100;
}

TEST(unfinished_files_are_found_while_they_are_written)
{
    tess_array a = numbers(TESS_F32, 1, 1, 3, 5);
    char       name[160] = "";
    memset(name, 'n', 150); /* longer than what the temporary name keeps of it */
    const char *const paths[] = { in_folder("half.raw"), in_folder(name) };
    for (int i = 0; i < 2; i++) {
        tess_writer *w;
        int          found = 0;
        CHECK_OK(tess_writer_open(&w, paths[i], a.shape, TESS_F32, &(tess_write_opts){ .format = TESS_FORMAT_RAW }));
        tess_find_unfinished(paths[i], count_unfinished, &found);
        tess_find_unfinished(in_folder("half.ra"), count_unfinished, &found);
        tess_find_unfinished(in_folder("half.raw.gz"), count_unfinished, &found);
        tess_find_unfinished("/no/such/folder/half.raw", count_unfinished, &found);
        CHECK(found == 1);
        CHECK_OK(tess_writer_append(w, &a));
        CHECK_OK(tess_writer_finish(w));
        tess_find_unfinished(paths[i], count_unfinished, &found);
        CHECK(found == 1);
        (void)unlink(paths[i]);
    }
    tess_find_unfinished(NULL, count_unfinished, NULL);
    tess_find_unfinished(paths[0], NULL, NULL);
    tess_release(&a);
}

/* Run in another folder, below that of the tests; the way back. */
static int leave_folder(void)
{
    const int here = open(".", O_RDONLY | O_DIRECTORY);
    CHECK(here >= 0);
    (void)mkdir(in_folder("elsewhere"), 0777);
    CHECK(chdir(folder()) == 0);
    return here;
}

static void return_to(int here)
{
    CHECK(fchdir(here) == 0);
    (void)close(here);
    (void)rmdir(in_folder("elsewhere"));
}

TEST(a_relative_path_is_one_from_the_folder_where_the_writer_began)
{
    const int    here = leave_folder();
    const int    before = count_files();
    tess_array   a = numbers(TESS_F32, 1, 1, 3, 5), back = { 0 };
    tess_writer *w;
    CHECK_OK(tess_writer_open(&w, "moved.raw", a.shape, TESS_F32, NULL));
    CHECK(chdir("elsewhere") == 0);
    CHECK_OK(tess_writer_append(w, &a));
    CHECK_OK(tess_writer_finish(w));
    CHECK(count_files() == before + 1);
    CHECK(access("moved.raw", F_OK) != 0);
    tess_read_opts o = raw(TESS_F32, 1, 1, 3, 5);
    CHECK_OK(tess_read(&back, in_folder("moved.raw"), &o));
    CHECK(same_values(&a, &back));
    CHECK(chdir("..") == 0);
    CHECK_FAILS(tess_writer_open(&w, "moved.raw", a.shape, TESS_F32, NULL), TESS_EEXIST, "writer_open: moved.raw already exists");
    CHECK_OK(tess_writer_open(&w, "./elsewhere/../dropped.raw", a.shape, TESS_F32, NULL)); /* and what is dropped */
    CHECK(chdir("elsewhere") == 0);
    tess_writer_discard(w);
    CHECK(count_files() == before + 1);
    CHECK(chdir("..") == 0);
    CHECK_OK(tess_writer_open(&w, "signal.raw", a.shape, TESS_F32, NULL));
    CHECK(chdir("/") == 0);
    CHECK(count_files() == before + 2);
    tess_discard_unfinished();
    CHECK(count_files() == before + 1);
    tess_writer_discard(w);
    return_to(here);
    (void)unlink(in_folder("moved.raw"));
    tess_release(&a);
    tess_release(&back);
}

TEST(a_relative_path_in_a_folder_that_was_removed_is_an_error)
{
    const int    here = leave_folder();
    tess_array   a = numbers(TESS_F32, 1, 1, 3, 5);
    tess_writer *w;
    CHECK(chdir("elsewhere") == 0 && rmdir(in_folder("elsewhere")) == 0);
    CHECK_FAILS(tess_writer_open(&w, "gone.raw", a.shape, TESS_F32, NULL), TESS_EIO, "writer_open: gone.raw",
                "cannot create a file in its folder");
    return_to(here);
    tess_release(&a);
}

/* Written into a file of integers, whatever its format, and read again. */
static void check_rounded(const char *name, const double *in, const double *want, int64_t n, tess_dtype dtype)
{
    tess_array a = { 0 }, back = { 0 };
    CHECK_OK(tess_wrap(&a, (void *)(uintptr_t)in, TESS_SHAPE(1, 1, 1, n), TESS_F64, NULL));
    CHECK_OK(tess_write(in_folder(name), &a, &(tess_write_opts){ .dtype = dtype, .overwrite = 1 }));
    CHECK_OK(tess_read(&back, in_folder(name), &(tess_read_opts){ .dtype = TESS_F64 }));
    for (int64_t i = 0; i < n; i++)
        if (value_at(&back, 0, 0, 0, i) != want[i])
            (void)test_failed(__FILE__, __LINE__, "%s: %g became %g", name, in[i], value_at(&back, 0, 0, 0, i));
    tess_release(&back);
    tess_release(&a);
}

TEST(files_of_integers_hold_the_nearest_even_one)
{
    static const double in[] = { 2.7, -2.7, 0.5, 1.5, 2.5, -0.5, 254.4, 1e9, -1e9, (double)NAN };
    static const double i16[] = { 3, -3, 0, 2, 2, 0, 254, 32767, -32768, 0 };
    static const double u8[] = { 3, 0, 0, 2, 2, 0, 254, 255, 0, 0 };
    check_rounded("a.mrc", in, i16, 10, TESS_I16);
    check_rounded("a.npy", in, i16, 10, TESS_I16);
    check_rounded("a.npz", in, i16, 10, TESS_I16);
    check_rounded("a.npy", in, u8, 10, TESS_U8);
    check_rounded("a.png", in, u8, 10, TESS_U8);
    if (tess_file_format_supported(TESS_FORMAT_TIFF, TESS_COMPRESSION_NONE))
        check_rounded("a.tif", in, i16, 10, TESS_I16);
}

TEST(several_arrays_in_a_file_of_integers_are_rounded)
{
    static float         in[] = { 2.7F, -2.7F, 2.5F, 3.5F };
    tess_array           a = { 0 }, back = { 0 };
    const tess_npz_entry entry = { "x", &a };
    CHECK_OK(tess_wrap(&a, in, TESS_SHAPE(1, 1, 1, 4), TESS_F32, NULL));
    CHECK_OK(tess_npz_write(in_folder("all.npz"), &entry, 1, &(tess_write_opts){ .dtype = TESS_I32, .overwrite = 1 }));
    CHECK_OK(tess_read(&back, in_folder("all.npz"), NULL));
    CHECK(value_at(&back, 0, 0, 0, 0) == 3 && value_at(&back, 0, 0, 0, 1) == -3);
    CHECK(value_at(&back, 0, 0, 0, 2) == 2 && value_at(&back, 0, 0, 0, 3) == 4);
    tess_release(&back);
}

/* 255.4 is 255 and no loss; 255.6 is 256 and becomes 255. */
TEST(what_is_clamped_is_counted_after_rounding)
{
    float        in[] = { 255.4F, 255.6F, -0.4F, -0.6F };
    tess_array   a = { 0 };
    tess_meta    stats;
    tess_writer *w;
    int64_t      clamped = 0;
    CHECK_OK(tess_wrap(&a, in, TESS_SHAPE(1, 1, 1, 4), TESS_F32, NULL));
    CHECK_OK(tess_writer_open(&w, in_folder("clamped.npy"), a.shape, TESS_F32, &(tess_write_opts){ .dtype = TESS_U8 }));
    CHECK_OK(tess_writer_append(w, &a));
    tess_writer_stats(&stats, &clamped, NULL, w);
    CHECK_I64(clamped, 2);
    CHECK(stats.min == 0 && stats.max == 255 && stats.mean == 127.5);
    CHECK_OK(tess_writer_finish(w));
}

TEST(nothing_is_overwritten_without_being_told)
{
    tess_array a = numbers(TESS_U8, 1, 1, 1, 4);
    put_file("old.raw", "old", 3);
    CHECK_FAILS(tess_write(in_folder("old.raw"), &a, NULL), TESS_EEXIST, "old.raw already exists",
                "opts->overwrite is 0");
    char bytes[8];
    CHECK(get_file("old.raw", bytes, 8) == 3);
    CHECK_OK(tess_write(in_folder("old.raw"), &a, &(tess_write_opts){ .overwrite = 1 }));
    CHECK(get_file("old.raw", bytes, 8) == 4);
    CHECK(symlink(in_folder("old.raw"), in_folder("link.raw")) == 0);
    CHECK_OK(tess_write(in_folder("link.raw"), &a, &(tess_write_opts){ .overwrite = 1, .dtype = TESS_I16 }));
    CHECK(get_file("old.raw", bytes, 8) == 8); /* through the link, which stays */
    CHECK(readlink(in_folder("link.raw"), bytes, 8) == 8);
    CHECK_OK(tess_write("/dev/null", &a, &(tess_write_opts){ .format = TESS_FORMAT_RAW }));
    CHECK_FAILS(tess_write(folder(), &a, &(tess_write_opts){ .format = TESS_FORMAT_RAW, .overwrite = 1 }), TESS_EIO,
                "Is a directory");
    tess_release(&a);
}

TEST(clamped_values_are_counted)
{
    tess_array   a = numbers(TESS_F32, 1, 1, 2, 200);
    tess_writer *w;
    int64_t      clamped, nan;
    CHECK_OK(tess_set_f64(&a, 0, 0, 0, 0, -5));
    CHECK_OK(tess_writer_open(&w, in_folder("clamp.raw"), a.shape, TESS_F32, &(tess_write_opts){ .dtype = TESS_U8 }));
    CHECK_OK(tess_writer_append(w, &a));
    tess_writer_stats(NULL, &clamped, &nan, w);
    CHECK(clamped == 1 + 144 && nan == 0);
    CHECK_OK(tess_writer_finish(w));
    tess_release(&a);
}

/* What is written of an array of many pieces, and its statistics, are those of the array converted at once. */
static void check_pieces(const tess_array *given, tess_dtype dtype, const char *name, bool big_endian)
{
    const tess_write_opts o = { .dtype = dtype, .overwrite = 1, .big_endian = big_endian };
    tess_array            whole = { .data = NULL }, back = { .data = NULL }, rounded = { .data = NULL };
    tess_writer          *w;
    tess_meta             stats = { .stats = 0 };
    tess_read_opts        r = raw(dtype, given->shape.b, given->shape.d, given->shape.h, given->shape.w);
    double                info[4];
    r.big_endian = big_endian;
    CHECK_OK(tess_writer_open(&w, in_folder(name), given->shape, given->dtype, &o));
    CHECK_OK(tess_writer_append(w, given));
    tess_writer_stats(&stats, NULL, NULL, w);
    CHECK_OK(tess_writer_finish(w));
    if (dtype == TESS_I16) CHECK_OK(tess_rint(&rounded, given));
    CHECK_OK(tess_cast(&whole, dtype == TESS_I16 ? &rounded : given, dtype, NULL));
    if (CHECK_OK(tess_read(&back, in_folder(name), &r)))
        CHECK(memcmp(back.data, whole.data, (size_t)tess_n_bytes(&whole)) == 0);
    CHECK_OK(tess_host_min(&info[0], &whole));
    CHECK_OK(tess_host_max(&info[1], &whole));
    CHECK_OK(tess_host_mean_std(&info[2], &info[3], &whole, NULL));
    CHECK(stats.min == info[0] && stats.max == info[1]);
    CHECK(fabs(stats.mean - info[2]) <= 1e-12 * info[3] && fabs(stats.std - info[3]) <= 1e-12 * info[3]);
    tess_release(&rounded);
    tess_release(&whole);
    tess_release(&back);
}

TEST(pieces_of_large_images_rows_and_groups_of_small_ones)
{
    static const tess_shape shapes[] = { { { 2, 1, 301, 409 } }, { { 1, 1, 1, 140001 } }, { { 9, 31, 64, 61 } } };
    static const tess_dtype dtypes[] = { TESS_F16, TESS_I16, TESS_F32 };
    for (int s = 0; s < 3; s++) {
        tess_array a = { .data = NULL }, turned;
        CHECK_OK(tess_empty(&a, shapes[s], TESS_F32, tess_cpu()));
        CHECK_OK(tess_random_uniform(&a, -60000, 60000, 7, NULL));
        CHECK_OK(tess_reverse(&turned, &a, TESS_B | TESS_W));
        for (int d = 0; d < 3; d++) {
            check_pieces(&a, dtypes[d], "pieces.raw", s == 1);
            check_pieces(&turned, dtypes[d], s == 1 ? "pieces.raw.gz" : "pieces.raw", d == 0);
        }
        tess_release(&a);
    }
}

/* Values of f64 that f32 and f16 do not hold. */
static void check_losses(void)
{
    static const double   values[] = { 0x1.ffffffp127, -1e39, INFINITY, -INFINITY, 16777217, -0x1p53 - 2, 65519, 0.1 };
    static double         data[8];
    const tess_write_opts mrc = { .overwrite = 1 }, half = { .overwrite = 1, .dtype = TESS_F16 };
    const tess_write_opts bytes = { .overwrite = 1, .dtype = TESS_I8 };
    tess_array            a = { 0 };
    tess_losses           losses;
    char                  text[160];
    memcpy(data, values, sizeof data);
    CHECK_OK(tess_wrap(&a, data, TESS_SHAPE(1, 1, 2, 4), TESS_F64, NULL));
    CHECK_OK(tess_write_losses(&losses, in_folder("losses.mrc"), &a, &mrc));
    CHECK(losses.n_infinite == 2 && losses.n_rounded == 1 && losses.n_clamped == 0 && losses.n_values == 8);
    CHECK(losses.dtype == TESS_F32 && losses.note[0] == '\0');
    CHECK_TEXT(tess_losses_text(text, sizeof text, &losses, 1), "1 integer has more digits than f32 can hold and "
                                                                "was rounded");
    CHECK(tess_losses_text(text, sizeof text, &losses, 2) == NULL);
    CHECK_OK(tess_write_losses(&losses, in_folder("losses.mrc"), &a, &half));
    CHECK(losses.n_infinite == 4 && losses.n_clamped == 0 && losses.dtype == TESS_F16);
    data[7] = NAN;
    CHECK_OK(tess_write_losses(&losses, in_folder("losses.mrc"), &a, &bytes));
    CHECK(losses.n_infinite == 0 && losses.n_clamped == 7 && losses.n_nan == 1);
    CHECK_TEXT(tess_losses_text(text, sizeof text, &losses, 1), "1 value was NaN and became 0");
    tess_writer_losses(&losses, NULL);
    CHECK(losses.n_values == 0 && tess_losses_text(text, sizeof text, &losses, 0) == NULL);
}

TEST(nans_and_lost_digits_are_counted)
{
    tess_array   a = numbers(TESS_F32, 2, 1, 2, 10), b = numbers(TESS_I32, 1, 1, 1, 4);
    tess_writer *w;
    tess_meta    stats = { .stats = 0 };
    int64_t      clamped, nan;
    for (int k = 0; k < 3; k++) CHECK_OK(tess_set_f64(&a, k % 2, 0, 0, k, NAN));
    for (int as = 0; as < 2; as++) {
        const tess_write_opts o = { .dtype = as ? TESS_I16 : TESS_F32, .overwrite = 1 };
        CHECK_OK(tess_writer_open(&w, in_folder("nan.raw"), a.shape, TESS_F32, &o));
        CHECK_OK(tess_writer_append(w, &a));
        tess_writer_stats(&stats, &clamped, &nan, w);
        CHECK(nan == 3 && clamped == 0 && stats.stats == 0);
        tess_writer_discard(w);
    }
    CHECK_OK(tess_fill(&a, 1));
    CHECK_OK(tess_set_f64(&a, 0, 0, 0, 0, INFINITY));
    CHECK_OK(tess_set_f64(&a, 0, 0, 0, 1, -INFINITY));
    CHECK_OK(tess_writer_open(&w, in_folder("inf.raw"), a.shape, TESS_F32, NULL));
    CHECK_OK(tess_writer_append(w, &a));
    tess_writer_stats(&stats, NULL, &nan, w);
    CHECK(nan == 0 && stats.stats == TESS_STATS_MINMAX);
    tess_writer_discard(w);
    CHECK_OK(tess_set_f64(&b, 0, 0, 0, 2, 16777217));
    CHECK_OK(tess_set_f64(&b, 0, 0, 0, 3, -16777217));
    CHECK_OK(tess_writer_open(&w, in_folder("digits.raw"), b.shape, TESS_I32, &(tess_write_opts){ .dtype = TESS_F32 }));
    CHECK_OK(tess_writer_append(w, &b));
    CHECK(tess_writer_rounded(w) == 2 && tess_writer_rounded(NULL) == 0);
    tess_writer_discard(w);
    check_losses();
    tess_release(&a);
    tess_release(&b);
}

TEST(modes_links_and_long_names)
{
    tess_array  a = numbers(TESS_U8, 1, 1, 1, 4);
    struct stat info;
    char        name[241];
    put_file("private.raw", "old", 3);
    CHECK(chmod(in_folder("private.raw"), 0600) == 0);
    CHECK_OK(tess_write(in_folder("private.raw"), &a, &(tess_write_opts){ .overwrite = 1 }));
    CHECK(stat(in_folder("private.raw"), &info) == 0 && (info.st_mode & 0777) == 0600);
    CHECK(symlink("not-there.raw", in_folder("dangling.raw")) == 0);
    CHECK_OK(tess_write(in_folder("dangling.raw"), &a, NULL));
    CHECK(lstat(in_folder("dangling.raw"), &info) == 0 && S_ISLNK(info.st_mode));
    CHECK(access(in_folder("not-there.raw"), F_OK) == 0);
    CHECK(symlink("ring.raw", in_folder("ring.raw")) == 0);
    CHECK_FAILS(tess_write(in_folder("ring.raw"), &a, NULL), TESS_EIO, "more than 40 symbolic links");
    memset(name, 'n', sizeof name);
    memcpy(name + sizeof name - 5, ".raw", 5);
    char path[400];
    (void)snprintf(path, sizeof path, "%s/%s", folder(), name);
    CHECK_OK(tess_write(path, &a, NULL));
    CHECK(unlink(path) == 0);
    tess_release(&a);
}

TEST(compressions_that_a_format_does_not_have)
{
    tess_array a = numbers(TESS_U8, 1, 1, 1, 4);
    CHECK_FAILS(tess_write(in_folder("c.raw"), &a, &(tess_write_opts){ .compression = TESS_COMPRESSION_LZW }),
                TESS_EUNSUPPORTED, "opts->compression is lzw, which is not supported for raw files");
    CHECK_FAILS(tess_write(in_folder("c.mrc"), &a, &(tess_write_opts){ .compression = TESS_COMPRESSION_DEFLATE }),
                TESS_EUNSUPPORTED, "deflate, which is not supported for mrc files");
    tess_release(&a);
}

TEST(sizes_that_no_file_has)
{
    tess_info_file info;
    tess_read_opts o = raw(TESS_U8, 1, 1, INT64_C(1) << 31, INT64_C(1) << 31);
    put_file("small.raw", "abc", 3);
    o.offset = INT64_C(1) << 62;
    CHECK_FAILS(tess_info(&info, in_folder("small.raw"), &o), TESS_EFORMAT,
                "lie beyond the largest possible file size");
    o = raw(TESS_F64, 0, 1, 1, INT64_MAX);
    CHECK_OK(tess_info(&info, in_folder("small.raw"), &o));
}

/* ---- Bad requests ---- */

TEST(bad_requests_have_clear_messages)
{
    tess_array     a = numbers(TESS_F32, 1, 1, 2, 3), out = { 0 };
    tess_info_file info;
    tess_file     *file;
    tess_writer   *w;
    tess_read_opts o = raw(TESS_F32, 1, 1, 2, 3);
    CHECK_FAILS(tess_info(&info, NULL, NULL), TESS_EARG, "path is NULL");
    CHECK_FAILS(tess_info(&info, "", NULL), TESS_EARG, "path is empty");
    CHECK_FAILS(tess_info(NULL, "x", NULL), TESS_EARG, "info is NULL");
    CHECK_FAILS(tess_open(NULL, "x", NULL), TESS_EARG, "file is NULL");
    CHECK_FAILS(tess_info(&info, in_folder("none.mrc"), NULL), TESS_EIO, "none.mrc: No such file");
    CHECK_FAILS(tess_info(&info, folder(), NULL), TESS_EIO, "directory");
    put_file("strange", "what is this, please?", 21);
    CHECK_FAILS(tess_info(&info, in_folder("strange"), NULL), TESS_EFORMAT, "unknown format",
                "77 68 61 74 20 69 73 20 74 68 69 73 2c 20 70 6c", "raw");
    put_file("nothing", "", 0);
    CHECK_FAILS(tess_info(&info, in_folder("nothing"), NULL), TESS_EFORMAT, "nothing is empty");
    CHECK_FAILS(tess_info(&info, in_folder("strange"), &(tess_read_opts){ .format = 77 }), TESS_EARG,
                "opts->format is 77");
    CHECK_FAILS(tess_info(&info, in_folder("strange"), &(tess_read_opts){ .as = TESS_AS_VOLUMES }), TESS_EARG,
                "opts->depth is 0");
    CHECK_FAILS(tess_info(&info, in_folder("strange"), &(tess_read_opts){ .depth = 3 }), TESS_EARG,
                "opts->depth is 3 but opts->as is not volumes");
    CHECK_FAILS(tess_info(&info, in_folder("strange"), &(tess_read_opts){ .format = TESS_FORMAT_RAW }), TESS_EARG,
                "opts->raw_dtype is missing");
    CHECK_FAILS(tess_info(&info, in_folder("strange"), &(tess_read_opts){ .raw_dtype = TESS_F32 }), TESS_EARG,
                "opts->shape is {0,0,0,0}");
    o.shape.h = -2;
    CHECK_FAILS(tess_info(&info, in_folder("strange"), &o), TESS_EARG, "opts->shape is {1,1,-2,3}");
    CHECK_FAILS(tess_write(in_folder("x.what"), &a, NULL), TESS_EARG, "unknown extension \"what\"", "raw");
    CHECK_FAILS(tess_write(in_folder("x"), &a, NULL), TESS_EARG, "unknown extension \"\"");
    CHECK_FAILS(tess_write("/nowhere/at/all/x.raw", &a, NULL), TESS_EIO, "/nowhere/at/all/x.raw",
                "No such file or directory");
    CHECK_FAILS(tess_write(in_folder("x.raw"), NULL, NULL), TESS_EARG, "in is NULL");
    CHECK_FAILS(tess_write(in_folder("x.raw"), &a, &(tess_write_opts){ .level = 12 }), TESS_ERANGE,
                "opts->level is 12");
    CHECK_FAILS(tess_write(in_folder("x.raw"), &a, &(tess_write_opts){ .meta = &(tess_meta){ .n_labels = 11 } }),
                TESS_ERANGE, "n_labels is 11");
    CHECK_FAILS(tess_writer_open(NULL, in_folder("x.raw"), a.shape, TESS_F32, NULL), TESS_EARG, "writer is NULL");
    CHECK_FAILS(tess_writer_open(&w, in_folder("x.raw"), TESS_SHAPE(1, 1, -1, 2), TESS_F32, NULL), TESS_ESHAPE,
                "shape");
    CHECK_FAILS(tess_writer_finish(NULL), TESS_EARG, "writer is NULL");
    CHECK_FAILS(tess_writer_append(NULL, &a), TESS_EARG, "writer is NULL");
    tess_writer_discard(NULL);
    tess_file_close(NULL);
    put_numbers("ok.raw", 20);
    o = raw(TESS_I16, 1, 1, 4, 5);
    CHECK_OK(tess_open(&file, in_folder("ok.raw"), &o));
    CHECK_FAILS(tess_file_read(&out, NULL, all), TESS_EARG, "file is NULL");
    CHECK_FAILS(tess_file_read(NULL, file, all), TESS_EARG, "out is NULL");
    CHECK_FAILS(tess_file_read(&a, file, all), TESS_ESHAPE, "{1,1,2,3}", "{1,1,4,5} is needed");
    CHECK_FAILS(tess_file_read(&out, file, (tess_region){ .h = tess_only(4) }), TESS_ERANGE, "h is 4");
    tess_file_close(file);
    tess_release(&a);
}

/* The choices of opts->format of an operation. */
static const tess_choice *format_choices(const char *operation)
{
    const tess_function_info *op = tess_function_find(operation);
    for (size_t i = 0; i < op->n_args; i++)
        if (strcmp(op->args[i].name, "format") == 0) return op->args[i].choices;
    return NULL;
}

static bool is_choice(const tess_choice *choices, const char *name, int value)
{
    for (const tess_choice *c = choices; c->name; c++)
        if (strcmp(c->name, name) == 0 && c->value == value) return true;
    return false;
}

TEST(formats_are_listed_as_they_are_read_and_written)
{
    const tess_array a = numbers(TESS_F32, 1, 1, 2, 2);
    int              n = 0, n_read = 0, n_written = 0;
    char             path[300];
    for (int f = 1; *tess_file_format_name((tess_file_format)f); f++, n++) {
        const char *name = tess_file_format_name((tess_file_format)f);
        const bool  writes = tess_file_format_writes((tess_file_format)f);
        CHECK(is_choice(format_choices("read"), name, f) && *tess_file_format_extensions((tess_file_format)f));
        CHECK(is_choice(format_choices("write"), name, f) == writes);
        (void)snprintf(path, sizeof path, "%s:%s", in_folder("unwritten"), name);
        if (!writes)
            CHECK_FAILS(tess_write(path, &a, NULL), TESS_EUNSUPPORTED, name,
                        "files cannot be written; writable formats: mrc, npy");
        n_written += writes;
    }
    for (const tess_choice *c = format_choices("read"); c->name; c++) n_read++;
    for (const tess_choice *c = format_choices("write"); c->name; c++) n_written--;
    CHECK(n == n_read && n_written == 0 && n >= 10);
    CHECK(!tess_file_format_writes(TESS_FORMAT_DEFAULT) && !*tess_file_format_extensions(TESS_FORMAT_DEFAULT));
    CHECK_FAILS(tess_write(in_folder("x.unknown"), &a, NULL), TESS_EARG, "unknown extension", "mrc, npy, npz, tiff");
    CHECK(!strstr(tess_error_message(), "eer") && !strstr(tess_error_message(), "dm"));
}

TEST(names_say_their_format)
{
    CHECK(tess_file_format_of("x.raw") == TESS_FORMAT_RAW && tess_file_format_of("a/b.c/X.RAW.GZ") == TESS_FORMAT_RAW);
    CHECK(tess_file_format_of("x.dat:raw") == TESS_FORMAT_RAW && tess_file_format_of("x") == TESS_FORMAT_DEFAULT);
    CHECK(tess_file_format_of("raw") == TESS_FORMAT_DEFAULT && tess_file_format_of(NULL) == TESS_FORMAT_DEFAULT);
    CHECK(strcmp(tess_file_format_name(TESS_FORMAT_RAW), "raw") == 0);
    CHECK(strcmp(tess_file_format_name(TESS_FORMAT_DEFAULT), "") == 0);
    CHECK(!tess_file_format_supported(TESS_FORMAT_RAW, TESS_COMPRESSION_LZW));
    tess_array     a = numbers(TESS_U8, 1, 1, 1, 4), b = { 0 };
    tess_read_opts o = raw(TESS_U8, 1, 1, 1, 4);
    char           name[300];
    o.format = TESS_FORMAT_DEFAULT;
    (void)snprintf(name, sizeof name, "%s:raw", in_folder("colon.xyz"));
    CHECK_OK(tess_write(name, &a, NULL));
    CHECK_OK(tess_read(&b, name, &o));
    CHECK(same_values(&a, &b) && access(in_folder("colon.xyz"), F_OK) == 0);
    tess_release(&a);
    tess_release(&b);
}
