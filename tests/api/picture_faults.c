/* Every call to the operating system and every allocation of reading and writing TIFF and PNG fails in turn, once and for
 * good: the old file is untouched, nothing is left behind, the message names the file, and nothing leaks. */
#include <errno.h>
#include <unistd.h>

#include "support/arrays.h"
#include "support/faults.h"
#include "support/file_faults.h"

/* The name of a file and how it is compressed. */
typedef struct scenario {
    const char *name;
    int32_t     compression;
    int64_t     n, d;
} scenario;

static const scenario scenarios[] = { { "n.tif", TESS_COMPRESSION_NONE, 3, 1 },
                                      { "l.tif", TESS_COMPRESSION_LZW, 3, 1 },
                                      { "d.tif", TESS_COMPRESSION_DEFLATE, 2, 3 },
                                      { "x.png", TESS_COMPRESSION_DEFLATE, 1, 1 } };

enum { N_SCENARIOS = sizeof scenarios / sizeof *scenarios };

/* Is it of a format that was not built in? */
static bool left_out(const scenario *s)
{
    const tess_file_format format = tess_file_format_of(s->name);
    if (tess_file_format_supported(format, (tess_compression)s->compression)) return false;
    test_skip_part("built without libtiff or libpng");
    return true;
}

static tess_status write_one(const void *given)
{
    const scenario       *s = given;
    const tess_meta       meta = { .pixel_size = { 1, 1.5, 2 } };
    const tess_write_opts opts = {
        .overwrite = 1, .dtype = TESS_U8, .compression = s->compression, .rgb = s->d == 3, .meta = &meta
    };
    tess_array  a = { 0 };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status,
              tess_arange(&a, TESS_SHAPE(s->n, s->d, 20, 30), s->d == 3 ? TESS_U8 : TESS_F32, tess_cpu(), 0, 1));
    TESS_GOTO(done, status, tess_write(in_folder(s->name), &a, &opts));
done:
    tess_release(&a);
    return status;
}

static tess_status read_one(const void *given)
{
    const scenario      *s = given;
    const tess_read_opts opts = { .grey = 1, .dtype = TESS_F32 };
    tess_array           a = { 0 };
    const tess_status    status = tess_read(&a, in_folder(s->name), &opts);
    tess_release(&a);
    return status;
}

static void check_write(const scenario *s, long at, bool good)
{
    put_old(s->name);
    const int before = count_files();
    start_faults(at, good, ENOSPC);
    const tess_status status = write_one(s);
    end_faults();
    if (fired == 0 || status == TESS_OK) {
        CHECK(status == TESS_OK && (fired == 0 || after_name));
        return;
    }
    CHECK(status == TESS_EIO && strstr(tess_error_message(), s->name) && strstr(tess_error_message(), "No space left"));
    CHECK(count_files() == before && is_old(s->name));
}

TEST(every_call_of_writing_fails_once_and_for_good)
{
    for (int i = 0; i < N_SCENARIOS; i++)
        for (int good = 0; good < 2 && !left_out(&scenarios[i]); good++) {
            long at = 0;
            do check_write(&scenarios[i], ++at, good);
            while (fired > 0 && at < 300);
            CHECK(at > 5 && at < 300);
        }
}

TEST(every_call_of_reading_fails_once_and_for_good)
{
    for (int i = 0; i < N_SCENARIOS; i++) {
        if (left_out(&scenarios[i])) continue;
        CHECK_OK(write_one(&scenarios[i]));
        for (int good = 0; good < 2; good++)
            for (long at = 1;; at++) {
                start_faults(at, good, EIO);
                const tess_status status = read_one(&scenarios[i]);
                end_faults();
                if (fired == 0) {
                    CHECK_OK(status);
                    CHECK(at > 5);
                    break;
                }
                if (status == TESS_OK) continue; /* closing what was read */
                CHECK(status == TESS_EIO && strstr(tess_error_message(), scenarios[i].name));
                CHECK(strstr(tess_error_message(), "Input/output error") != NULL);
            }
    }
}

static hooks h;

TEST(every_allocation_fails_once_and_for_good)
{
    if (!hooks_on(&h)) return;
    for (int i = 0; i < N_SCENARIOS; i++) {
        if (left_out(&scenarios[i])) continue;
        check_memory(&h, write_one, &scenarios[i], scenarios[i].name, true);
        CHECK_OK(write_one(&scenarios[i]));
        check_memory(&h, read_one, &scenarios[i], scenarios[i].name, false);
    }
    CHECK(h.live == 0 && h.wrong == 0);
    hooks_off();
}
