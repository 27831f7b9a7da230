/* tessera devices: what there is to compute with, and whether it computes right. */
#include <math.h>
#include <string.h>

#include "command/job.h"
#include "command/messages.h"
#include "operation/selftest.h"

/* Compressions of other libraries, as they were built in. */
static const struct {
    const char      *name;
    tess_file_format format;
    tess_compression compression;
} codecs[] = {
    { "gzip", TESS_FORMAT_MRC, TESS_COMPRESSION_GZIP },
    { "bzip2", TESS_FORMAT_MRC, TESS_COMPRESSION_BZIP2 },
    { "tiff-lzw", TESS_FORMAT_TIFF, TESS_COMPRESSION_LZW },
    { "tiff-zstd", TESS_FORMAT_TIFF, TESS_COMPRESSION_ZSTD },
};

static void add_word(char text[200], const char *word)
{
    const size_t used = strlen(text);
    (void)snprintf(text + used, 200 - used, "%s%s", used ? " " : "", word);
}

/* The formats that can be read, and the compressions. */
static void codec_names(char text[200])
{
    text[0] = '\0';
    for (int f = 1; *tess_file_format_name((tess_file_format)f); f++)
        if (tess_file_format_supported((tess_file_format)f, TESS_COMPRESSION_DEFAULT))
            add_word(text, tess_file_format_name((tess_file_format)f));
    for (size_t i = 0; i < sizeof codecs / sizeof *codecs; i++)
        if (tess_file_format_supported(codecs[i].format, codecs[i].compression)) add_word(text, codecs[i].name);
}

/* What a table has for every device; what does not apply to one is null there. */
static void add_number(table *t, const char *column, int64_t value, bool applies)
{
    if (applies) table_integer(t, column, value);
    else table_null(t, column);
}

static void add_text(table *t, const char *column, const char *text)
{
    if (text) table_text(t, column, text);
    else table_null(t, column);
}

static void add_memory(table *t, const tess_info_device *info)
{
    table_number(t, "memory_GiB", floor((double)info->memory_total / 0x1p30 * 10) / 10);
    table_number(t, "free_GiB", floor((double)info->memory_free / 0x1p30 * 10) / 10);
    table_integer(t, "memory_bytes", info->memory_total);
    table_integer(t, "free_bytes", info->memory_free);
}

static tess_status add_device(table *t, tess_device device)
{
    tess_info_device info;
    char             name[24], text[200], path[4096];
    const bool       gpu = device.kind == TESS_GPU;
    TESS_TRY(tess_device_info(&info, device));
    table_text(t, "device", tess_device_name(name, sizeof name, device));
    table_text(t, "name", info.name);
    table_text(t, "instructions", info.isa);
    table_integer(t, "cores", info.cores);
    add_number(t, "threads", info.threads, !gpu);
    add_number(t, "compute_capability", info.compute_capability, gpu);
    add_number(t, "driver", info.driver_version, gpu);
    add_number(t, "nvrtc", info.compiler_version, info.compiler_version != 0);
    add_number(t, "cufft", info.fft_version, info.fft_version != 0);
    add_number(t, "cublas", info.blas_version, info.blas_version != 0);
    add_memory(t, &info);
    add_text(t, "fft", !gpu ? "native" : info.fft_version ? "cufft" : NULL);
    codec_names(text);
    table_text(t, "files", text);
    const bool kept = gpu && tess_kernel_cache(path, sizeof path) == TESS_OK;
    add_text(t, "kernels", kept ? path : NULL);
    add_text(t, "why", gpu && !kept ? message_after("kernel_cache: ") : NULL);
    if (gpu && !kept) tess_error_clear();
    table_row(t);
    return TESS_OK;
}

/* Instead of a GPU, where there is none: a row that says why. */
static void add_none(table *t)
{
    tess_info_device info;
    if (tess_device_info(&info, tess_gpu(0)) == TESS_OK) return;
    table_text(t, "device", "gpu");
    table_text(t, "why", message_after("is not available: "));
    table_row(t);
    tess_error_clear();
}

static void print_version(const char *library, int version, const char *without)
{
    if (version == 0) (void)printf("  %-11s none: %s\n", library, without);
    else (void)printf("  %-11s %d.%d\n", library, version / 1000, version % 1000 / 10);
}

static tess_status print_gpu(int i)
{
    tess_info_device info;
    TESS_TRY(tess_device_info(&info, tess_gpu(i)));
    (void)printf("gpu:%-9d %s\n", i, info.name);
    (void)printf("  memory      %.1f GiB, %.1f GiB free\n", (double)info.memory_total / 0x1p30,
                 (double)info.memory_free / 0x1p30);
    (void)printf("  compute     capability %d.%d, %d multiprocessors\n", (int)info.compute_capability / 10,
                 (int)info.compute_capability % 10, (int)info.cores);
    (void)printf("  driver      CUDA %d.%d\n", (int)info.driver_version / 1000, (int)info.driver_version % 1000 / 10);
    print_version("nvrtc", info.compiler_version, "only kernels compiled earlier can run (tessera warm)");
    print_version("cufft", info.fft_version, "no Fourier transforms");
    print_version("cublas", info.blas_version, "no matrix products of floats");
    return TESS_OK;
}

static void print_kernels(void)
{
    char path[4096];
    if (tess_kernel_cache(path, sizeof path) == TESS_OK) {
        (void)printf("kernels       cached in %s\n", path);
        return;
    }
    (void)printf("kernels       %s\n", message_after("kernel_cache: "));
    tess_error_clear();
}

/* All of them, or why there is none. */
static tess_status print_gpus(void)
{
    tess_info_device info;
    const int        gpus = tess_device_count(TESS_GPU);
    if (gpus == 0 && tess_device_info(&info, tess_gpu(0)) != TESS_OK) {
        (void)printf("gpu           none: %s\n", message_after("is not available: "));
        tess_error_clear();
    }
    for (int i = 0; i < gpus; i++) TESS_TRY(print_gpu(i));
    if (gpus) print_kernels();
    return TESS_OK;
}

/* One line per fact: a table of one row is too wide for a terminal. */
static tess_status print_facts(void)
{
    tess_info_device info;
    char             text[200];
    TESS_TRY(tess_device_info(&info, tess_cpu()));
    (void)printf("cpu           %s\n", info.name);
    (void)printf("instructions  %s\n", info.isa);
    (void)printf("threads       %d of %d processors (-j, TESS_THREADS)\n", (int)info.threads, (int)info.cores);
    (void)printf("memory        %.1f GiB, %.1f GiB free\n", (double)info.memory_total / 0x1p30,
                 (double)info.memory_free / 0x1p30);
    codec_names(text);
    (void)printf("files         %s\n", text);
    return print_gpus();
}

static tess_status run(job *j)
{
    if (job_has(j, "selftest")) return selftest_run(j);
    if (!job_has(j, "json") && !job_has(j, "tsv")) return print_facts();
    table      *t = table_new(j, stdout);
    tess_status status = add_device(t, tess_cpu());
    for (int i = 0; i < tess_device_count(TESS_GPU) && status == TESS_OK; i++) status = add_device(t, tess_gpu(i));
    if (status == TESS_OK && tess_device_count(TESS_GPU) == 0) add_none(t);
    if (status == TESS_OK) table_end(t);
    else table_free(t);
    return status;
}

static const option options[] = {
    FLAG("selftest", "check some operations against simple loops; exit 1 if one differs"),
    { .name = NULL },
};
static const char *const examples[] = { "tessera devices", "tessera devices --selftest", "tessera devices --json",
                                        NULL };

const verb verb_devices = {
    .name = "devices",
    .subject = "about the command",
    .summary = "list processors, GPUs, memory, instruction sets and libraries",
    .arguments = "",
    .text = "The instruction set is the best that the processor supports; TESS_CPU=base in the environment lowers it. "
            "Results do not depend on it.\n\nA GPU is found through NVIDIA's driver, and kernels for it are compiled "
            "by NVRTC when they are first needed; TESS_CUDA_PATH names folders to search for these libraries first. "
            "Versions in tables are those of CUDA: 13000 is 13.0; a compute capability of 90 is 9.0. Values that do "
            "not apply to a device are null in JSON; a row \"gpu\" without more says why there is no GPU.",
    .globals = GLOBAL_TABLE,
    VERB_OF_FILE(0, 0),
};
