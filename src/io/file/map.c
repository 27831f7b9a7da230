/* Memory-mapped files: the data of a file as an array without a copy. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/check/error.h"
#include "core/check/check.h"
#include "core/device/memory.h"
#include "core/check/output.h"
#include "io/file/file.h"

typedef struct mapping {
    void  *start;
    size_t size;
} mapping;

static void unmap(void *context)
{
    mapping *m = context;
    (void)munmap(m->start, m->size);
    tess__free(m);
}

/* Why the data cannot be mapped; NULL if they can. */
static const char *obstacle(const tess_file *file)
{
    const tess__flat *flat = &file->flat;
    if (file->format->read || file->format->read_region) return "they are compressed or packed";
    if (file->info.compression != TESS_COMPRESSION_NONE) return "the file is compressed";
    if (tess__source_descriptor(file->source) < 0) return "they do not come from a file on disk";
    if (flat->swapped) return "they have the other byte order";
    if (flat->decode) return "they are packed";
    if (flat->gap) return "headers lie between them";
    if (flat->reversed) return "their rows are stored in the opposite order";
    if (flat->offset % tess__dtype_alignment(flat->dtype) != 0)
        return "they are not aligned to the size of their elements";
    if (file->info.n_warnings && file->opts.salvage) return "the file may be truncated";
    return NULL;
}

static tess_strides strides_of(const tess_file *file)
{
    tess_strides strides;
    int64_t      stride = 1;
    for (int i = 3; i >= 0; i--) {
        const int a = file->flat.axis[i];
        strides.dim[a] = stride;
        stride *= file->info.shape.dim[a];
    }
    return strides;
}

static tess_status map_pages(mapping *m, tess_file *file, int64_t bytes, int64_t *before)
{
    const int64_t page = (int64_t)sysconf(_SC_PAGESIZE), offset = file->flat.offset;
    *before = offset % page;
    m->size = (size_t)(bytes + *before);
    m->start = mmap(NULL, m->size, PROT_READ | PROT_WRITE, MAP_PRIVATE, tess__source_descriptor(file->source),
                    (off_t)(offset - *before));
    TESS__CHECK_SYSTEM(m->start != MAP_FAILED, "file_map: %s", file->path);
    return TESS_OK;
}

static tess_status map_data(tess_array *out, tess_file *file, int64_t bytes)
{
    tess_buffer *buffer = NULL;
    int64_t      before;
    mapping     *m = tess__alloc(sizeof *m);
    TESS_CHECK(m, TESS_ENOMEM, "file_map: %s: no memory for the mapping", file->path);
    tess_status status = map_pages(m, file, bytes, &before);
    if (status != TESS_OK) {
        tess__free(m);
        TESS_TRY(status);
    }
    status = tess__buffer_wrap(&buffer, "file_map", m->start, tess_cpu(), unmap, m);
    if (status != TESS_OK) {
        unmap(m);
        TESS_TRY(status);
    }
    *out = (tess_array){ .shape = file->info.shape,
                         .strides = strides_of(file),
                         .data = (char *)m->start + before,
                         .buffer = buffer,
                         .dtype = file->flat.dtype,
                         .device = tess_cpu() };
    return TESS_OK;
}

tess_status tess_file_map(tess_array *out, tess_file *file)
{
    int64_t bytes;
    TESS_CHECK(file, TESS_EARG, "file_map: `file` is `NULL`; an open file is required");
    TESS_TRY(tess__check_pointer("file_map", "out", out));
    TESS_CHECK(tess__is_empty_out(out), TESS_EARG, "file_map: out is already allocated; pass a zero-initialised array");
    const char *why = obstacle(file);
    TESS_CHECK(!why, TESS_EUNSUPPORTED, "file_map: %s: its data cannot be mapped: %s; read them instead", file->path,
               why);
    if (!tess__bytes_of(&bytes, file->info.shape.dim, 4, tess__dtype_size(file->flat.dtype)) || bytes == 0) {
        TESS_TRY(tess_empty(out, file->info.shape, file->flat.dtype, tess_cpu()));
        return TESS_OK;
    }
    TESS_TRY(map_data(out, file, bytes));
    return TESS_OK;
}
