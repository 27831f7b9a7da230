/* tessera devices: what there is to compute with, and whether it computes right. */
#include <math.h>
#include <string.h>

#include "job.h"
#include "selftest.h"

/* Codecs and formats of other libraries, as they were built in. */
static const struct {
    const char      *name;
    tess_file_format format;
    tess_compression compression;
} codecs[] = {
    { "mrc", TESS_FORMAT_MRC, TESS_COMPRESSION_NONE },        { "npy", TESS_FORMAT_NPY, TESS_COMPRESSION_NONE },
    { "npz", TESS_FORMAT_NPZ, TESS_COMPRESSION_DEFLATE },     { "tiff", TESS_FORMAT_TIFF, TESS_COMPRESSION_NONE },
    { "png", TESS_FORMAT_PNG, TESS_COMPRESSION_DEFLATE },     { "gzip", TESS_FORMAT_MRC, TESS_COMPRESSION_GZIP },
    { "bzip2", TESS_FORMAT_MRC, TESS_COMPRESSION_BZIP2 },     { "tiff-lzw", TESS_FORMAT_TIFF, TESS_COMPRESSION_LZW },
    { "tiff-zstd", TESS_FORMAT_TIFF, TESS_COMPRESSION_ZSTD },
};

static void codec_names(char text[200])
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < sizeof codecs / sizeof *codecs; i++)
        if (tess_file_format_supported(codecs[i].format, codecs[i].compression))
            used += (size_t)snprintf(text + used, 200 - used, "%s%s", used ? " " : "", codecs[i].name);
}

static tess_status add_device(table *t, tess_device device)
{
    tess_device_facts facts;
    char              name[24], text[200];
    TESS_TRY(tess_device_info(&facts, device));
    table_text(t, "device", tess_device_name(device, name, sizeof name));
    table_text(t, "name", facts.name);
    table_text(t, "instructions", facts.isa);
    table_integer(t, "cores", facts.cores);
    table_integer(t, "threads", facts.threads);
    table_number(t, "memory_GiB", floor((double)facts.memory_total / 0x1p30 * 10) / 10);
    table_number(t, "free_GiB", floor((double)facts.memory_free / 0x1p30 * 10) / 10);
    TESS_TRY(fft_provider(text, sizeof text));
    table_text(t, "fft", text);
    codec_names(text);
    table_text(t, "files", text);
    table_row(t);
    return TESS_OK;
}

/* One line per fact: a table of one row is too wide for a terminal. */
static tess_status print_facts(void)
{
    tess_device_facts facts;
    char              text[200];
    TESS_TRY(tess_device_info(&facts, tess_cpu()));
    (void)printf("cpu           %s\n", facts.name);
    (void)printf("instructions  %s\n", facts.isa);
    (void)printf("threads       %d of %d processors (-j, TESS_THREADS)\n", (int)facts.threads, (int)facts.cores);
    (void)printf("memory        %.1f GiB, %.1f GiB free\n", (double)facts.memory_total / 0x1p30,
                 (double)facts.memory_free / 0x1p30);
    TESS_TRY(fft_provider(text, sizeof text));
    (void)printf("fft           %s\n", text);
    codec_names(text);
    (void)printf("files         %s\n", text);
    const int gpus = tess_device_count(TESS_GPU);
    if (gpus == 0) (void)printf("gpu           none\n");
    for (int i = 0; i < gpus; i++) {
        TESS_TRY(tess_device_info(&facts, tess_gpu(i)));
        (void)printf("gpu:%-9d %s, %s, %.1f GiB, %.1f GiB free\n", i, facts.name, facts.isa,
                     (double)facts.memory_total / 0x1p30, (double)facts.memory_free / 0x1p30);
    }
    return TESS_OK;
}

static tess_status run(job *j)
{
    if (job_has(j, "selftest")) return selftest_run(j);
    if (!job_has(j, "json") && !job_has(j, "tsv")) return print_facts();
    table      *t = table_new(j, stdout);
    tess_status status = add_device(t, tess_cpu());
    for (int i = 0; i < tess_device_count(TESS_GPU) && status == TESS_OK; i++) status = add_device(t, tess_gpu(i));
    if (status == TESS_OK) table_end(t);
    else table_free(t);
    return status;
}

static const option options[] = {
    { .name = "selftest", .help = "check some operations against plain loops; exit 1 if one differs" },
    { .name = NULL },
};
static const char *const examples[] = { "tessera devices", "tessera devices --selftest", "tessera devices --json",
                                        NULL };

const verb verb_devices = {
    .name = "devices",
    .subject = "about the command",
    .summary = "processors, memory, instruction sets, and what was built in",
    .arguments = "",
    .text = "The instruction set is the best that the processor has; TESS_CPU=base in the environment lowers it, and "
            "results do not depend on it. Fourier transforms are Tessera's own, or FFTW's with TESS_FFT=fftw.",
    .options = options,
    .examples = examples,
    .globals = GLOBAL_TABLE,
    .run = run,
};
