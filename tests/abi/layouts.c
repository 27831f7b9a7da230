/* Prints the size and the field offsets of every public struct, and the values of enums that cross the ABI. Options of
 * operations come from their descriptions; listed by hand is what has none. */
#include <stdio.h>

#include "tessera.h"
#include "tessera/dlpack.h"

#define SIZE(type) printf("%s: %zu bytes\n", #type, sizeof(type));
#define FIELD(type, field)                                                                                             \
    printf("  %s at %zu, %zu bytes\n", #field, offsetof(type, field), sizeof(((type *)0)->field));

static void print_arrays(void)
{
    SIZE(tess_shape)
    SIZE(tess_strides)
    SIZE(tess_array)
    FIELD(tess_array, shape)
    FIELD(tess_array, strides)
    FIELD(tess_array, data)
    FIELD(tess_array, buffer)
    FIELD(tess_array, dtype)
    FIELD(tess_array, device)
    FIELD(tess_array, flags)
    SIZE(tess_device)
    SIZE(tess_range)
    FIELD(tess_range, from)
    FIELD(tess_range, to)
    FIELD(tess_range, step)
    FIELD(tess_range, kind)
    SIZE(tess_region)
    SIZE(tess_along)
    SIZE(tess_wrap_opts)
    FIELD(tess_wrap_opts, strides)
    FIELD(tess_wrap_opts, offset)
    FIELD(tess_wrap_opts, length)
    FIELD(tess_wrap_opts, device)
    FIELD(tess_wrap_opts, drop)
    FIELD(tess_wrap_opts, context)
    FIELD(tess_wrap_opts, read_only)
    FIELD(tess_wrap_opts, reserved)
    SIZE(tess_format_opts)
    FIELD(tess_format_opts, threshold)
    FIELD(tess_format_opts, edge)
    FIELD(tess_format_opts, precision)
    FIELD(tess_format_opts, width)
    FIELD(tess_format_opts, no_header)
    FIELD(tess_format_opts, all_axes)
    FIELD(tess_format_opts, reserved)
    SIZE(tess_stream_opts)
    FIELD(tess_stream_opts, async)
    FIELD(tess_stream_opts, reserved)
    SIZE(tess_info_device)
    FIELD(tess_info_device, name)
    FIELD(tess_info_device, isa)
    FIELD(tess_info_device, memory_total)
    FIELD(tess_info_device, memory_free)
    FIELD(tess_info_device, cores)
    FIELD(tess_info_device, threads)
    FIELD(tess_info_device, compute_capability)
    FIELD(tess_info_device, driver_version)
    FIELD(tess_info_device, compiler_version)
    FIELD(tess_info_device, fft_version)
    FIELD(tess_info_device, blas_version)
    FIELD(tess_info_device, reserved)
    SIZE(tess_allocator)
    SIZE(tess_span_f32)
    FIELD(tess_span_f32, data)
    FIELD(tess_span_f32, strides)
    FIELD(tess_span_f32, shape)
    SIZE(tess_arg_info)
    SIZE(tess_function_info)
}

static void print_files(void)
{
    SIZE(tess_info_mrc_section)
    FIELD(tess_info_mrc_section, tilt)
    FIELD(tess_info_mrc_section, tilt_beta)
    FIELD(tess_info_mrc_section, tilt_axis)
    FIELD(tess_info_mrc_section, stage)
    FIELD(tess_info_mrc_section, shift)
    FIELD(tess_info_mrc_section, defocus)
    FIELD(tess_info_mrc_section, dose)
    FIELD(tess_info_mrc_section, exposure)
    FIELD(tess_info_mrc_section, pixel_size)
    FIELD(tess_info_mrc_section, magnification)
    FIELD(tess_info_mrc_section, intensity)
    FIELD(tess_info_mrc_section, voltage)
    FIELD(tess_info_mrc_section, mean)
    FIELD(tess_info_mrc_section, piece)
    FIELD(tess_info_mrc_section, known)
    SIZE(tess_mrc_finding)
    FIELD(tess_mrc_finding, code)
    FIELD(tess_mrc_finding, fixable)
    FIELD(tess_mrc_finding, field)
    FIELD(tess_mrc_finding, found)
    FIELD(tess_mrc_finding, wanted)
    FIELD(tess_mrc_finding, text)
    SIZE(tess_mrc_report)
    FIELD(tess_mrc_report, stats)
    FIELD(tess_mrc_report, n_nan)
    FIELD(tess_mrc_report, n_inf)
    FIELD(tess_mrc_report, data_read)
    FIELD(tess_mrc_report, n_findings)
    FIELD(tess_mrc_report, findings)
    SIZE(tess_npz_entry)
    FIELD(tess_npz_entry, array)
}

static void print_operators(void)
{
    SIZE(tess_tile)
    FIELD(tess_tile, ptr)
    FIELD(tess_tile, stride)
    FIELD(tess_tile, shape)
    FIELD(tess_tile, origin)
    FIELD(tess_tile, extent)
    FIELD(tess_tile, size)
    FIELD(tess_tile, val)
    FIELD(tess_tile, acc)
    FIELD(tess_tile, other)
    FIELD(tess_tile, ctx)
    FIELD(tess_tile, fault)
    FIELD(tess_tile, count)
    FIELD(tess_tile, contig)
    FIELD(tess_tile, lanes)
    SIZE(tess_fault)
    FIELD(tess_fault, set)
    FIELD(tess_fault, view)
    FIELD(tess_fault, index)
    SIZE(tess_op_parse_opts)
    FIELD(tess_op_parse_opts, name)
    FIELD(tess_op_parse_opts, max_text)
    FIELD(tess_op_parse_opts, max_nodes)
    FIELD(tess_op_parse_opts, max_nesting)
    FIELD(tess_op_parse_opts, max_trips)
    FIELD(tess_op_parse_opts, max_registers)
    FIELD(tess_op_parse_opts, reserved)
    SIZE(tess_op_loop_opts)
    FIELD(tess_op_loop_opts, ctx)
    FIELD(tess_op_loop_opts, drop)
    FIELD(tess_op_loop_opts, join)
    FIELD(tess_op_loop_opts, post)
    FIELD(tess_op_loop_opts, cost)
    FIELD(tess_op_loop_opts, cuda_source)
    FIELD(tess_op_loop_opts, cuda_entry)
    FIELD(tess_op_loop_opts, reserved)
    SIZE(tess_op_def)
    FIELD(tess_op_def, name)
    FIELD(tess_op_def, params)
    FIELD(tess_op_def, body)
    FIELD(tess_op_def, file)
    FIELD(tess_op_def, uses)
    FIELD(tess_op_def, tile)
    FIELD(tess_op_def, join)
    FIELD(tess_op_def, post)
    FIELD(tess_op_def, line)
    FIELD(tess_op_def, mode)
    FIELD(tess_op_def, op)
    FIELD(tess_op_def, reserved)
    SIZE(tess_bind)
    FIELD(tess_bind, kind)
    FIELD(tess_bind, dtype)
    FIELD(tess_bind, as)
    SIZE(tess_run_opts)
    FIELD(tess_run_opts, stream)
    FIELD(tess_run_opts, domain)
    FIELD(tess_run_opts, threads)
    FIELD(tess_run_opts, reserved)
}

static void print_geometry(void)
{
    SIZE(tess_parts_2d)
    FIELD(tess_parts_2d, scale)
    FIELD(tess_parts_2d, shear)
    FIELD(tess_parts_2d, rotation)
    FIELD(tess_parts_2d, translation)
    FIELD(tess_parts_2d, centre)
    FIELD(tess_parts_2d, reserved)
    SIZE(tess_parts_3d)
    FIELD(tess_parts_3d, scale)
    FIELD(tess_parts_3d, shear)
    FIELD(tess_parts_3d, rotation)
    FIELD(tess_parts_3d, translation)
    FIELD(tess_parts_3d, centre)
    FIELD(tess_parts_3d, reserved)
}

static void print_options(const tess_function_info *op)
{
    printf("options of %s: %zu bytes\n", op->name, op->opts_size);
    for (const tess_arg_info *row = op->args; row < op->args + op->n_args; row++)
        if (row->role == TESS_ROLE_OPTION) printf("  %s at %zu, %zu bytes\n", row->name, row->offset, row->size);
    printf("  reserved at %zu, %zu bytes\n", op->reserved_offset, op->opts_size - op->reserved_offset);
}

static void print_enums(void)
{
#define STATUS(name, value, text) printf("%s = %d\n", #name, (int)name);
    TESS_STATUSES(STATUS)
#define DTYPE(NAME, ...) printf("TESS_%s = %d, %zu bytes\n", #NAME, TESS_##NAME, tess_dtype_size(TESS_##NAME));
    TESS_SCALAR_DTYPES(DTYPE)
    TESS_COMPOUND_DTYPES(DTYPE)
}

int main(void)
{
    print_arrays();
    print_files();
    print_operators();
    print_geometry();
    for (size_t i = 0; i < tess_function_count(); i++)
        if (tess_function_at(i)->opts_size) print_options(tess_function_at(i));
    print_enums();
    return 0;
}
