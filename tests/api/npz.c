/* NPZ files: members, both kinds of them, large ones in small, and damage. tests/oracle/npy.py compares with NumPy. */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/zip/zip.h"
#include "support/arrays.h"
#include "support/folder.h"
#include "support/hooks.h"

static const tess_write_opts stored = { .overwrite = 1 },
                             deflated = { .overwrite = 1, .compression = TESS_COMPRESSION_DEFLATE };

/* x.npz with the arrays a {2,1,3,4} of f32, that count from 0, and b {1,1,50,60} of u8, from 7. */
static const char *two(const tess_write_opts *opts)
{
    tess_array a = { 0 }, b = { 0 };
    (void)CHECK_OK(tess_arange(&a, TESS_SHAPE(2, 1, 3, 4), TESS_F32, tess_cpu(), 0, 1));
    (void)CHECK_OK(tess_arange(&b, TESS_SHAPE(1, 1, 50, 60), TESS_U8, tess_cpu(), 7, 0));
    const tess_npz_entry entries[] = { { "a", &a }, { "b", &b } };
    (void)CHECK_OK(tess_npz_write(in_folder("x.npz"), entries, 2, opts));
    tess_release(&a), tess_release(&b);
    return in_folder("x.npz");
}

static void check_two(void)
{
    tess_array a = { 0 }, b = { 0 };
    if (CHECK_OK(tess_read(&a, in_folder("x.npz:a"), NULL))) {
        CHECK_DIMS(a.shape, 2, 1, 3, 4);
        CHECK(TESS_AT(float, a, 1, 0, 2, 3) == 23);
    }
    if (CHECK_OK(tess_read(&b, in_folder("x.npz"), &(tess_read_opts){ .member = "b.npy" })))
        CHECK(b.dtype == TESS_U8 && TESS_AT(uint8_t, b, 0, 0, 49, 59) == 7);
    tess_release(&a), tess_release(&b);
}

TEST(members_are_listed_and_picked)
{
    tess_npz_list *list = NULL;
    tess_array     a = { 0 };
    for (int kind = 0; kind < 2; kind++) {
        const char *path = two(kind ? &deflated : &stored);
        CHECK_OK(tess_npz_members(&list, path));
        CHECK_I64(tess_npz_list_count(list), 2);
        CHECK_TEXT(tess_npz_list_name(list, 0), "a");
        CHECK_TEXT(tess_npz_list_name(list, 1), "b");
        CHECK(tess_npz_list_name(list, 2) == NULL && tess_npz_list_name(list, -1) == NULL);
        tess_npz_list_free(list);
        check_two();
        CHECK_FAILS(tess_read(&a, path, NULL), TESS_EARG, "x.npz has 2 arrays", "a, b");
        CHECK_FAILS(tess_read(&a, in_folder("x.npz:c"), NULL), TESS_EARG, "no array 'c'", "it has a, b");
    }
    tess_npz_list_free(NULL);
    CHECK(tess_npz_list_count(NULL) == 0 && tess_npz_list_name(NULL, 0) == NULL);
}

/* Change a name of three letters in x.npz wherever it stands: ZIP's checksums do not cover names. */
static void rename_members(const char *from, const char *to)
{
    static char bytes[20000];
    const long  n = get_file("x.npz", bytes, sizeof bytes);
    for (long i = 0; i + 7 <= n; i++)
        if (memcmp(bytes + i, from, 3) == 0 && memcmp(bytes + i + 3, ".npy", 4) == 0) memcpy(bytes + i, to, 3);
    put_file("x.npz", bytes, n);
}

/* x.npz with arrays of one element, 0, 1, 2 …, of these names. */
static void named(const char *const *names, int n)
{
    tess_array     numbers[8];
    tess_npz_entry entries[8];
    memset(numbers, 0, sizeof numbers);
    for (int i = 0; i < n; i++) {
        CHECK_OK(tess_arange(&numbers[i], TESS_SHAPE(1, 1, 1, 1), TESS_F32, tess_cpu(), i, 1));
        entries[i] = (tess_npz_entry){ names[i], &numbers[i] };
    }
    CHECK_OK(tess_npz_write(in_folder("x.npz"), entries, n, &stored));
    for (int i = 0; i < n; i++) tess_release(&numbers[i]);
}

/* Every listed name, as a member and behind a colon, opens its own array. */
static void check_names(const char *const *wanted, int n)
{
    tess_npz_list *list = NULL;
    if (!CHECK_OK(tess_npz_members(&list, in_folder("x.npz")))) return;
    CHECK_I64(tess_npz_list_count(list), n);
    for (int i = 0; i < n; i++) {
        const char *name = tess_npz_list_name(list, i);
        char        text[64];
        CHECK_TEXT(name, wanted[i]);
        (void)snprintf(text, sizeof text, "x.npz:%s", name);
        for (int way = 0; way < 2; way++) {
            tess_array           a = { 0 };
            const tess_read_opts opts = { .member = way ? name : NULL };
            if (CHECK_OK(tess_read(&a, in_folder(way ? "x.npz" : text), &opts))) CHECK(value_at(&a, 0, 0, 0, 0) == i);
            tess_release(&a);
        }
    }
    tess_npz_list_free(list);
}

TEST(every_listed_name_opens_its_own_array)
{
    static const char *const plain[] = { "a/b", "a:b", "x.npz:c", "50%", "%41", "A", "d.npy", "d" };
    static const char *const shown[] = { "a/b", "a:b", "x.npz:c", "50%", "%2541", "A", "d.npy", "d" };
    static const char *const odd[] = { "qaq", "qbq", "qcq", "qdq", "qeq" };
    static const char *const odd_shown[] = { "q%0Aq", "q%0Bq", "q%FFq", "q?q", "\xc3\xa9q" };
    tess_array               a = { 0 };
    named(plain, 8);
    check_names(shown, 8);
    CHECK_OK(tess_read(&a, in_folder("x.npz"), &(tess_read_opts){ .member = "%41" })); /* as it is in the file */
    CHECK(value_at(&a, 0, 0, 0, 0) == 4);
    tess_release(&a);
    named(odd, 5);
    rename_members("qaq", "q\nq"), rename_members("qbq", "q\vq"), rename_members("qcq", "q\xffq");
    rename_members("qdq", "q?q"), rename_members("qeq", "\xc3\xa9q");
    check_names(odd_shown, 5);
    CHECK_OK(tess_read(&a, in_folder("x.npz"), &(tess_read_opts){ .member = "q\vq" }));
    CHECK(value_at(&a, 0, 0, 0, 0) == 1);
    tess_release(&a);
    CHECK_FAILS(tess_read(&a, in_folder("x.npz"), &(tess_read_opts){ .member = "q\tq" }), TESS_EARG, "no array 'q%09q'",
                "it has q%0Aq, q%0Bq, q%FFq");
    static char bytes[20000];
    const long  n = get_file("x.npz", bytes, sizeof bytes);
    put_file("x.npz", bytes, n - 30); /* without its directory */
    CHECK_OK(tess_read(&a, in_folder("x.npz:q%0Bq"), &(tess_read_opts){ .salvage = 1 }));
    CHECK(value_at(&a, 0, 0, 0, 0) == 1);
    tess_release(&a);
}

TEST(members_are_of_archives)
{
    tess_array a = { 0 }, b = { 0 };
    CHECK_OK(tess_zeros(&a, TESS_SHAPE(1, 1, 2, 3), TESS_F32, tess_cpu()));
    CHECK_OK(tess_write(in_folder("m.npy"), &a, &stored));
    CHECK_FAILS(tess_read(&b, in_folder("m.npy"), &(tess_read_opts){ .member = "x" }), TESS_EARG, "opts->member is 'x'",
                "npy files have no members");
    CHECK_FAILS(tess_read(&b, in_folder("m.npy"), &(tess_read_opts){ .page = 2 }), TESS_EARG, "opts->page is 2",
                "npy files have no pages");
    CHECK_FAILS(tess_read(&b, in_folder("m.npy"), &(tess_read_opts){ .n_pages = 3 }), TESS_EARG, "opts->n_pages is 3",
                "npy files have no pages");
    CHECK_OK(tess_write(in_folder("new.npz:a/b:c"), &a, &stored)); /* a file that is not there yet */
    CHECK_OK(tess_read(&b, in_folder("new.npz:a/b:c"), NULL));
    tess_release(&b);
    const char *through = in_folder("d.npz:e"), *inside = in_folder("d.npz:e/f.npy"); /* a folder with such a name */
    CHECK(mkdir(through, 0700) == 0);
    CHECK_OK(tess_write(inside, &a, &stored));
    CHECK(access(inside, F_OK) == 0 && tess_file_format_of(inside) == TESS_FORMAT_NPY);
    CHECK_OK(tess_read(&b, inside, NULL));
    CHECK(unlink(inside) == 0 && rmdir(through) == 0);
    CHECK(tess_file_format_of("new.npz:a/b") == TESS_FORMAT_NPZ && tess_file_format_of("x.npz:mrc") == TESS_FORMAT_NPZ);
    tess_release(&a), tess_release(&b);
}

TEST(what_is_known_of_a_member)
{
    tess_info_file info;
    CHECK_OK(tess_info(&info, in_folder("x.npz:b"), (two(&stored), NULL)));
    CHECK(info.compression == TESS_COMPRESSION_NONE && info.data_offset % 64 == 0 && info.format == TESS_FORMAT_NPZ);
    CHECK_OK(tess_info(&info, in_folder("x.npz:b"), (two(&deflated), NULL)));
    CHECK(info.compression == TESS_COMPRESSION_DEFLATE && info.data_offset == -1);
    CHECK(info.file_size < 1000);
}

/* Everything that is large in ZIP64 is so from 100 bytes on. */
TEST(zip64_in_small)
{
    const int64_t from = tess__zip64_from;
    tess_array    a = { 0 }, b = { 0 };
    tess__zip64_from = 100;
    for (int kind = 0; kind < 2; kind++) {
        (void)two(kind ? &deflated : &stored);
        check_two();
    }
    CHECK_OK(tess_arange(&a, TESS_SHAPE(2, 1, 3, 4), TESS_F32, tess_cpu(), 0, 1));
    for (int kind = 0; kind < 2; kind++) {
        CHECK_OK(tess_write(in_folder("one.npz"), &a, kind ? &deflated : &stored));
        CHECK_OK(tess_read(&b, in_folder("one.npz"), NULL));
        CHECK(TESS_AT(float, b, 1, 0, 2, 3) == 23);
        tess_release(&b);
    }
    tess__zip64_from = from;
    tess_release(&a);
}

TEST(wrong_arguments)
{
    tess_array a = { 0 };
    CHECK_OK(tess_zeros(&a, TESS_SHAPE(1, 1, 2, 3), TESS_F32, tess_cpu()));
    const tess_npz_entry same[] = { { "a", &a }, { "a", &a } }, unnamed = { "", &a }, odd = { "a\n", &a };
    const char          *path = in_folder("bad.npz");
    const int            before = count_files();
    CHECK_FAILS(tess_npz_write(path, same, 2, NULL), TESS_EARG, "npz_write: ", "duplicate name 'a'");
    CHECK_FAILS(tess_npz_write(path, &unnamed, 1, NULL), TESS_EARG, "npz_write: ", "has 0 bytes");
    CHECK_FAILS(tess_npz_write(path, &odd, 1, NULL), TESS_EARG, "control character");
    CHECK_FAILS(tess_npz_write(path, same, -1, NULL), TESS_EARG, "n is -1");
    CHECK_FAILS(tess_npz_write(path, NULL, 1, NULL), TESS_EARG, "entries");
    CHECK_FAILS(tess_npz_write(NULL, same, 1, NULL), TESS_EARG, "path");
    CHECK_FAILS(tess_npz_write(path, same, 1, &(tess_write_opts){ .member = "x" }), TESS_EARG, "opts->member is 'x'");
    CHECK_FAILS(tess_npz_write(path, same, 1, &(tess_write_opts){ .format = TESS_FORMAT_MRC }), TESS_EARG,
                "opts->format");
    CHECK_FAILS(tess_npz_write(path, same, 1, &(tess_write_opts){ .compression = TESS_COMPRESSION_LZW }), TESS_EARG,
                "stored or deflated");
    CHECK_I64(count_files(), before);
    CHECK_OK(tess_npz_write(path, same, 1, NULL));
    CHECK_FAILS(tess_npz_write(path, same, 1, NULL), TESS_EEXIST, "npz_write: ", "bad.npz");
    tess_npz_list *list;
    CHECK_FAILS(tess_npz_members(&list, in_folder("not there")), TESS_EIO, "npz_members: ", "not there");
    put_file("no.npz", "PK\3\4", 4);
    CHECK_FAILS(tess_npz_members(&list, in_folder("no.npz")), TESS_EFORMAT, "directory is missing");
    tess_release(&a);
}

TEST(no_arrays_at_all)
{
    tess_npz_list *list = NULL;
    tess_array     a = { 0 };
    CHECK_OK(tess_npz_write(in_folder("none.npz"), NULL, 0, &stored));
    CHECK_OK(tess_npz_members(&list, in_folder("none.npz")));
    CHECK_I64(tess_npz_list_count(list), 0);
    tess_npz_list_free(list);
    CHECK_FAILS(tess_read(&a, in_folder("none.npz"), NULL), TESS_EFORMAT, "no member ends in .npy");
}

/* Change the byte at an offset from a text's first byte. */
static void damage(const char *mark, long offset, int value)
{
    static char bytes[20000];
    const long  n = get_file("x.npz", bytes, sizeof bytes), length = (long)strlen(mark);
    for (long i = 0; i + length < n; i++)
        if (memcmp(bytes + i, mark, (size_t)length) == 0) {
            bytes[i + offset] = (char)value;
            put_file("x.npz", bytes, n);
            return;
        }
    (void)test_failed(__FILE__, __LINE__, "no %s in x.npz", mark);
}

TEST(damage_is_told)
{
    tess_array        a = { 0 };
    tess_file        *file = NULL;
    const tess_region some = { .h = tess_from_to(0, 1) };
    (void)two(&stored);
    damage("'shape': (1, 1, 50", 300, 8); /* in the data of b */
    CHECK_FAILS(tess_read(&a, in_folder("x.npz:b"), NULL), TESS_EFORMAT, "'b.npy' is damaged", "CRC32");
    CHECK(a.data == NULL);
    CHECK_OK(tess_open(&file, in_folder("x.npz:b"), NULL)); /* a part is not enough to see it */
    CHECK_OK(tess_file_read(&a, file, some));
    tess_release(&a);
    tess_file_close(file);
    (void)two(&stored);
    damage("PK\1\2", 24, 99);
    CHECK_FAILS(tess_read(&a, in_folder("x.npz:a"), NULL), TESS_EFORMAT, "'a.npy'", "sizes");
    (void)two(&stored);
    damage("PK\1\2", 10, 14);
    CHECK_FAILS(tess_read(&a, in_folder("x.npz:a"), NULL), TESS_EUNSUPPORTED, "'a.npy'", "method 14");
    (void)two(&stored);
    damage("PK\1\2", 8, 1);
    CHECK_FAILS(tess_read(&a, in_folder("x.npz:a"), NULL), TESS_EUNSUPPORTED, "'a.npy' is encrypted");
    (void)two(&stored);
    damage("PK\1\2", 42, 60);
    CHECK_FAILS(tess_read(&a, in_folder("x.npz:a"), NULL), TESS_EFORMAT, "'a.npy'");
    (void)two(&deflated);
    damage("PK\1\2", 16, 60);
    CHECK_FAILS(tess_read(&a, in_folder("x.npz:a"), NULL), TESS_EFORMAT, "'a.npy' is damaged", "CRC32 is");
    (void)two(&deflated);
    damage("PK\5\6", 16, 255);
    CHECK_FAILS(tess_read(&a, in_folder("x.npz:a"), NULL), TESS_EFORMAT, "x.npz", "ZIP directory");
}

/* ---- Salvage ---- */

static const tess_read_opts salvage = { .salvage = 1 };

/* Elements of a, of 24, that are as they were; -1: it could not be read. Those after them are 0. */
static int64_t salvaged(void)
{
    tess_array a = { 0 };
    int64_t    n = 0;
    if (tess_read(&a, in_folder("x.npz:a"), &salvage) != TESS_OK) return -1;
    CHECK_DIMS(a.shape, 2, 1, 3, 4);
    const float *x = a.data;
    while (n < 24 && x[n] == (float)n) n++;
    for (int64_t i = n + 1; i < 24; i++) CHECK(x[i] == 0); /* element n may have some of its bytes */
    tess_release(&a);
    return n;
}

static long n_warnings(const char *name)
{
    tess_info_file info;
    return CHECK_OK(tess_info(&info, in_folder(name), &salvage)) ? (long)info.n_warnings : -1;
}

/* What is there of an archive that ends anywhere: never less of it in a longer file. */
static void check_shorter(const tess_write_opts *opts)
{
    static char bytes[20000];
    tess_array  b = { 0 };
    int64_t     before = -1;
    (void)two(opts);
    const long n = get_file("x.npz", bytes, sizeof bytes);
    CHECK_I64(salvaged(), 24);
    CHECK_I64(n_warnings("x.npz:a"), 0);
    for (long cut = 4; cut < n; cut += cut < 800 ? 3 : 97) {
        put_file("x.npz", bytes, cut);
        const int64_t good = salvaged();
        CHECK(good >= before);
        before = good;
    }
    CHECK_I64(before, 24);
    CHECK_I64(n_warnings("x.npz:a"), 1); /* the directory */
    CHECK_OK(tess_read(&b, in_folder("x.npz:b"), &salvage));
    CHECK(TESS_AT(uint8_t, b, 0, 0, 49, 59) == 7);
    tess_release(&b);
}

TEST(every_shorter_archive_is_salvaged)
{
    const int64_t from = tess__zip64_from;
    for (int kind = 0; kind < 4; kind++) {
        tess__zip64_from = kind / 2 ? 100 : from;
        check_shorter(kind % 2 ? &deflated : &stored);
    }
    tess__zip64_from = from;
}

TEST(damaged_arrays_are_salvaged)
{
    tess_array a = { 0 };
    (void)two(&stored);
    damage("'shape': (1, 1, 50", 300, 8); /* in the data of b */
    CHECK_OK(tess_read(&a, in_folder("x.npz:b"), &salvage));
    CHECK(TESS_AT(uint8_t, a, 0, 0, 49, 59) == 7);
    tess_release(&a);
    CHECK_I64(n_warnings("x.npz:b"), 1);
    CHECK_I64(n_warnings("x.npz:a"), 0);
    (void)two(&deflated);
    damage("PK\1\2", 16, 60); /* the checksum of a */
    CHECK_I64(salvaged(), 24);
    CHECK_I64(n_warnings("x.npz:a"), 1);
    (void)two(&deflated);
    damage("a.npy", 5, 0x07); /* a block of a kind that there is not, where the data of a begin */
    CHECK_FAILS(tess_read(&a, in_folder("x.npz:a"), &salvage), TESS_EFORMAT, "x.npz:a.npy");
    (void)two(&stored);
    damage("PK\1\2", 42, 60); /* where the header of a is: it is found without the directory */
    CHECK_I64(salvaged(), 24);
    CHECK_FAILS(tess_read(&a, in_folder("x.npz:c"), &salvage), TESS_EARG, "no array 'c'", "it has a, b");
}

TEST(no_name_ends_a_message_early)
{
    tess_array a = { 0 };
    char       name[300];
    CHECK_OK(tess_zeros(&a, TESS_SHAPE(1, 1, 2, 3), TESS_F32, tess_cpu()));
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    const tess_npz_entry entries[] = { { name, &a }, { "short", &a } };
    CHECK_OK(tess_npz_write(in_folder("long.npz"), entries, 2, &stored));
    tess_array b = { 0 };
    CHECK_FAILS(tess_read(&b, in_folder("long.npz"), NULL), TESS_EARG, "has 2 arrays");
    CHECK_OK(tess_read(&b, in_folder("long.npz"), &(tess_read_opts){ .member = name }));
    tess_release(&a), tess_release(&b);
}

/* ---- Memory that runs out ---- */

static hooks h;

static tess_status scenario(void)
{
    tess_array     a = { 0 }, b = { 0 };
    tess_npz_list *list = NULL;
    tess_status    status = TESS_OK;
    TESS_GOTO(done, status, tess_arange(&a, TESS_SHAPE(2, 1, 30, 40), TESS_F32, tess_cpu(), 0, 1));
    const tess_npz_entry entries[] = { { "a", &a }, { "b", &a } };
    for (int kind = 0; kind < 2; kind++) {
        const tess_write_opts opts = { .overwrite = 1,
                                       .compression = kind ? TESS_COMPRESSION_DEFLATE : 0,
                                       .big_endian = 1 };
        TESS_GOTO(done, status, tess_write(in_folder("f.npz"), &a, &opts));
        TESS_GOTO(done, status, tess_read(&b, in_folder("f.npz"), &(tess_read_opts){ .dtype = TESS_F64 }));
        tess_release(&b);
        TESS_GOTO(done, status, tess_npz_write(in_folder("f.npz"), entries, 2, &opts));
        TESS_GOTO(done, status, tess_read(&b, in_folder(kind ? "cut.npz:a" : "whole.npz:a"), &salvage));
        tess_release(&b);
        TESS_GOTO(done, status, tess_npz_members(&list, in_folder("f.npz")));
        tess_npz_list_free(list);
        TESS_GOTO(done, status,
                  tess_write(in_folder("f.npy"), &a, &(tess_write_opts){ .overwrite = 1, .big_endian = 1 }));
        TESS_GOTO(done, status, tess_read(&b, in_folder("f.npy"), NULL));
        tess_release(&b);
    }
done:
    tess_release(&a);
    tess_release(&b);
    return status;
}

TEST(every_allocation_fails)
{
    static char bytes[20000];
    (void)two(&deflated);
    const long n = get_file("x.npz", bytes, sizeof bytes);
    put_file("whole.npz", bytes, n);
    put_file("cut.npz", bytes, n - 30);
    CHECK_OK(scenario());
    if (!hooks_on(&h)) return;
    for (int good = 0; good < 2; good++)
        for (long at = 1; at < 500; at++) {
            if (at > 20 && !test_takes_case()) continue;
            const int before = count_files();
            atomic_store(&h.calls, 0), atomic_store(&h.fired, 0);
            atomic_store(&h.fail_at, at), atomic_store(&h.for_good, good);
            const tess_status status = scenario();
            atomic_store(&h.fail_at, 0);
            if (atomic_load(&h.fired) == 0) {
                CHECK_OK(status);
                CHECK(at > 30);
                break;
            }
            CHECK(status == TESS_ENOMEM || status == TESS_OK);
            CHECK_I64(count_files(), before);
            CHECK_I64(atomic_load(&h.live), 0);
        }
    CHECK_I64(atomic_load(&h.wrong), 0);
    hooks_off();
}
