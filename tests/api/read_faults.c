/* Every call to the operating system and every allocation of reading EER, DM, SPIDER, EM, SER and IMAGIC files fails in
 * turn, once and for good: the message names the file, and nothing leaks. */
#include <errno.h>

#include "support/arrays.h"
#include "support/dm_bytes.h"
#include "support/eer_bytes.h"
#include "support/faults.h"
#include "support/file_faults.h"

typedef struct scenario {
    const char *name;
    const char *said; /* in messages */
    int32_t     group;
} scenario;

static const scenario scenarios[] = {
    { "frames.eer", "frames.eer", 1 }, { "groups.eer", "groups.eer", 2 }, { "x.dm3", "x.dm3", 0 },
    { "x.dm4", "x.dm4", 0 },           { "x.spi", "x.spi", 0 },           { "x.em", "x.em", 0 },
    { "x.ser", "x.ser", 0 },           { "pair.hed", "pair.", 0 }, /* or pair.img */
};

enum { N_SCENARIOS = sizeof scenarios / sizeof *scenarios };

static void put_spider(void)
{
    float header[256 + 64 * 4] = { 0 };
    header[0] = 1, header[1] = 4, header[4] = 1, header[11] = 64, header[12] = 4, header[21] = 1024, header[22] = 256;
    put_file("x.spi", header, sizeof header);
}

/* A volume of 2 x 3 x 4 bytes. */
static void put_em(void)
{
    unsigned char bytes[512 + 24] = { 6, 0, 0, 1, 4, 0, 0, 0, 3, 0, 0, 0, 2 };
    put_file("x.em", bytes, sizeof bytes);
}

/* One spectrum of 8 bytes. */
static void put_ser(void)
{
    unsigned char bytes[38 + 26 + 8] = {
        'I', 'I', 0x97, 1, 0x10, 2, 0x20, 0x41, 0, 0, 0x52, 0x41, 0, 0, 1, 0, 0, 0, 1
    };
    bytes[22] = 30; /* the offsets */
    bytes[30] = 38; /* the spectrum */
    bytes[38 + 20] = 1;
    bytes[38 + 22] = 8;
    put_file("x.ser", bytes, sizeof bytes);
}

/* An image of 4 x 6 bytes. */
static void put_imagic(void)
{
    unsigned char header[1024] = { 1 }, image[24] = { 0 };
    header[48] = 4;
    header[52] = 6;
    memcpy(header + 56, "PACK", 4);
    put_file("pair.hed", header, sizeof header);
    put_file("pair.img", image, sizeof image);
}

static void put_files(void)
{
    const eer_bytes movie = eer_make(65001, 7, 4);
    put_file("frames.eer", movie.bytes, (long)movie.n);
    put_file("groups.eer", movie.bytes, (long)movie.n);
    for (int version = 3; version <= 4; version++) {
        dm_make(version, 3, 1, 2, 6, 4);
        put_file(version == 3 ? "x.dm3" : "x.dm4", dm_bytes, (long)dm_n_bytes);
    }
    put_spider();
    put_em();
    put_ser();
    put_imagic();
}

static tess_status read_one(const void *given)
{
    const scenario      *s = given;
    const tess_read_opts opts = { .dtype = TESS_F64, .eer_group = s->group };
    tess_array           a = { 0 };
    const tess_status    status = tess_read(&a, in_folder(s->name), &opts);
    tess_release(&a);
    return status;
}

TEST(every_call_of_reading_fails_once_and_for_good)
{
    put_files();
    for (int i = 0; i < N_SCENARIOS; i++)
        for (int good = 0; good < 2; good++)
            for (long at = 1;; at++) {
                start_faults(at, good, EIO);
                const tess_status status = read_one(&scenarios[i]);
                end_faults();
                if (fired == 0) {
                    CHECK_OK(status);
                    CHECK(at > 3);
                    break;
                }
                if (status == TESS_OK) continue; /* closing what was read, or a pixel size */
                CHECK(status == TESS_EIO && strstr(tess_error_message(), scenarios[i].said));
                CHECK(strstr(tess_error_message(), "Input/output error") != NULL);
            }
}

static hooks h;

TEST(every_allocation_fails_once_and_for_good)
{
    put_files();
    if (!hooks_on(&h)) return;
    for (int i = 0; i < N_SCENARIOS; i++) check_memory(&h, read_one, &scenarios[i], scenarios[i].said, false);
    CHECK(h.live == 0 && h.wrong == 0);
    hooks_off();
}
