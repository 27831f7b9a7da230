/* EER movies that went wrong; see tests/fuzz/mutate.h. */
#include "fuzz/arrays.h"
#include "support/eer_bytes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static const int32_t upsamplings[] = { 1, 2, 4, 1, 2, 4, 1, 3 };
    const uint32_t       pick = fuzz_pick(data, n);
    const tess_read_opts opts = { .format = pick % 4 ? TESS_FORMAT_EER : 0,
                                  .eer_upsampling = upsamplings[pick / 4 % 8],
                                  .eer_group = pick % 3 ? 1 : 1 + (int32_t)(pick / 32 % 4),
                                  .dtype = pick % 7 ? 0 : TESS_F32 };
    one_file(data, n);
    /* Three bytes are at most two runs of 4095 pixels, 16 times as many where they are up-sampled, of u8. */
    fuzz_read("x.eer", &opts, pick, (int64_t)n * 2730 * 16);
    if (pick % 4 == 0) fuzz_salvage("x.eer:eer");
    return 0;
}

static void add_movie(unsigned compression, int run_bits, int n_frames)
{
    const eer_bytes movie = eer_make(compression, run_bits, n_frames);
    fuzz_add(movie.bytes, movie.n);
}

void fuzz_seeds(void)
{
    for (int n = 1; n <= 4; n++) {
        add_movie(65000, 8, n);
        add_movie(65001, 7, n);
        add_movie(65002, 2 + n, n);
        add_movie(65002, 12, n);
    }
}
