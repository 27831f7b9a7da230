/* What a file says of itself as a dict: fields by their names in tess_info_file and tess_meta. */
#include "files.h"
#include "tuples.h"

static PyObject *tuple_of_f64(const double *numbers, int n)
{
    PyObject *tuple = PyTuple_New(n);
    for (int i = 0; tuple && i < n; i++) {
        PyObject *number = PyFloat_FromDouble(numbers[i]);
        if (!number || PyTuple_SetItem(tuple, i, number)) Py_CLEAR(tuple);
    }
    return tuple;
}

static PyObject *tuple_of_i32(const int32_t numbers[3])
{
    return tuple_of_i64((int64_t[3]){ numbers[0], numbers[1], numbers[2] }, 3);
}

static const char *name_of_sections(int32_t sections)
{
    return sections == TESS_AS_STACK ? "stack" : sections == TESS_AS_VOLUMES ? "volumes" : "volume";
}

static const char *name_of_compression(int32_t compression)
{
    static const char *const names[] = { "none", "none", "gzip", "bzip2", "deflate", "lzw", "zstd", "other" };
    return names[compression >= 0 && compression <= TESS_COMPRESSION_OTHER ? compression : TESS_COMPRESSION_OTHER];
}

static PyObject *list_of_labels(const tess_meta *meta)
{
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < meta->n_labels; i++) {
        PyObject *label = text_from_file(meta->labels[i]);
        if (!label || PyList_Append(list, label)) Py_CLEAR(list);
        Py_XDECREF(label);
    }
    return list;
}

static PyObject *list_of_warnings(const tess_info_file *info)
{
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < info->n_warnings; i++) {
        PyObject *text = text_from_file(info->warnings[i].text);
        if (!text || PyList_Append(list, text)) Py_CLEAR(list);
        Py_XDECREF(text);
    }
    return list;
}

static int put_statistics(PyObject *dict, const tess_meta *meta)
{
    return dict_put(dict, "min", number_or_none(meta->stats & TESS_STATS_MINMAX, meta->min)) ||
           dict_put(dict, "max", number_or_none(meta->stats & TESS_STATS_MINMAX, meta->max)) ||
           dict_put(dict, "mean", number_or_none(meta->stats & TESS_STATS_MEAN, meta->mean)) ||
           dict_put(dict, "std", number_or_none(meta->stats & TESS_STATS_STD, meta->std));
}

static int put_meta(PyObject *dict, const tess_meta *meta)
{
    const double  angles[3] = { (double)meta->angles[0], (double)meta->angles[1], (double)meta->angles[2] };
    const int64_t layout[2] = { meta->extended_layout[0], meta->extended_layout[1] };
    return dict_put(dict, "pixel_size", tuple_of_f64(meta->pixel_size, 3)) ||
           dict_put(dict, "origin", tuple_of_f64(meta->origin, 3)) ||
           dict_put(dict, "start", tuple_of_i64(meta->start, 3)) || dict_put(dict, "angles", tuple_of_f64(angles, 3)) ||
           dict_put(dict, "grid", tuple_of_i32(meta->grid)) ||
           dict_put(dict, "space_group", PyLong_FromLong(meta->space_group)) ||
           dict_put(dict, "labels", list_of_labels(meta)) ||
           dict_put(dict, "extended_type", text_from_file(meta->extended_type)) ||
           dict_put(dict, "extended_layout", tuple_of_i64(layout, 2)) ||
           dict_put(dict, "extended_size", PyLong_FromLongLong(meta->extended_size)) || put_statistics(dict, meta);
}

static int put_layout(PyObject *dict, const tess_info_file *info)
{
    return dict_put(dict, "shape", tuple_of_i64(info->shape.dim, 4)) ||
           dict_put(dict, "dtype", PyUnicode_FromString(tess_dtype_name(info->dtype))) ||
           dict_put(dict, "format", PyUnicode_FromString(tess_file_format_name((tess_file_format)info->format))) ||
           dict_put(dict, "compression", PyUnicode_FromString(name_of_compression(info->compression))) ||
           dict_put(dict, "big_endian", PyBool_FromLong(info->big_endian)) ||
           dict_put(dict, "sections", PyUnicode_FromString(name_of_sections(info->sections))) ||
           dict_put(dict, "sections_rule", PyLong_FromLong(info->sections_rule)) ||
           dict_put(dict, "bytes_rule", PyLong_FromLong(info->bytes_rule)) ||
           dict_put(dict, "rank", PyLong_FromLong(info->rank)) || dict_put(dict, "mode", PyLong_FromLong(info->mode)) ||
           dict_put(dict, "axes", tuple_of_i32(info->axes)) ||
           dict_put(dict, "stored", tuple_of_i64(info->stored, 3)) ||
           dict_put(dict, "file_size", PyLong_FromLongLong(info->file_size)) ||
           dict_put(dict, "data_offset", PyLong_FromLongLong(info->data_offset)) ||
           dict_put(dict, "cell", tuple_of_f64(info->cell, 6)) ||
           dict_put(dict, "cell_grid", tuple_of_i64(info->grid, 3));
}

PyObject *dict_of_info(const tess_info_file *info)
{
    PyObject *dict = PyDict_New();
    if (dict &&
        (put_layout(dict, info) || put_meta(dict, &info->meta) || dict_put(dict, "warnings", list_of_warnings(info))))
        Py_CLEAR(dict);
    return dict;
}
