/* EER movies that went wrong; see tests/fuzz/mutate.h. */
#include "fuzz/arrays.h"

enum { WIDTH = 40, HEIGHT = 30, SIDES = WIDTH * HEIGHT };

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

typedef struct packer {
    uint8_t bytes[FUZZ_LONGEST];
    size_t  n; /* bits, or bytes of a file */
} packer;

static void put_bits(packer *p, unsigned value, int n)
{
    for (int i = 0; i < n; i++, p->n++)
        if (value >> i & 1) p->bytes[p->n / 8] |= (uint8_t)(1 << p->n % 8);
}

/* An electron in every `step`-th pixel. */
static void put_frame(packer *p, int run_bits, int position_bits, unsigned step)
{
    const unsigned longest = (1u << run_bits) - 1;
    for (unsigned at = 0; at < SIDES;) {
        unsigned run = step - 1 < SIDES - at ? step - 1 : SIDES - at;
        for (at += run; run >= longest; run -= longest) put_bits(p, longest, run_bits);
        put_bits(p, run, run_bits);
        if (at++ < SIDES) put_bits(p, at * 7, position_bits);
    }
}

static void put_number(packer *p, uint64_t value, int n)
{
    for (int i = 0; i < n; i++) p->bytes[p->n++] = (uint8_t)(value >> 8 * i);
}

static void put_entry(packer *p, unsigned tag, unsigned type, uint64_t count, uint64_t value)
{
    put_number(p, tag, 2);
    put_number(p, type, 2);
    put_number(p, count, 8);
    put_number(p, value, 8);
}

/* A BigTIFF of some frames. */
static void add_movie(unsigned compression, int run_bits, int n_frames)
{
    static const char xml[] = "<item name=\"sensorPixelSize.width\" unit=\"m\">7e-11</item>";
    static packer     file, frame;
    size_t            link = 8;
    memset(&file, 0, sizeof file);
    memcpy(file.bytes, "II+\0\10\0\0\0", 8);
    file.n = 16;
    for (int i = 0; i < n_frames; i++) {
        memset(&frame, 0, sizeof frame);
        put_frame(&frame, run_bits, 4, 5 + 300 * (unsigned)i);
        const size_t at = file.n, n = (frame.n + 7) / 8, text = at + n;
        memcpy(file.bytes + at, frame.bytes, n);
        memcpy(file.bytes + text, xml, sizeof xml);
        file.n = text + sizeof xml;
        for (int k = 0; k < 8; k++) file.bytes[link + (size_t)k] = (uint8_t)((uint64_t)file.n >> 8 * k);
        put_number(&file, 8, 8);
        put_entry(&file, 256, 4, 1, WIDTH);
        put_entry(&file, 257, 4, 1, HEIGHT);
        put_entry(&file, 259, 3, 1, compression);
        put_entry(&file, 273, 16, 1, at);
        put_entry(&file, 279, 16, 1, n);
        put_entry(&file, 65001, 7, sizeof xml, text);
        put_entry(&file, 65007, 3, 1, (uint64_t)run_bits);
        put_entry(&file, 65008, 3, 1, 2);
        link = file.n;
        put_number(&file, 0, 8);
    }
    fuzz_add(file.bytes, file.n);
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
