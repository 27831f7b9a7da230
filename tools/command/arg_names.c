/* Words for what descriptors hold. */
#include "command/arg_names.h"

const char *arg_type_name(tess_arg_type type)
{
    switch (type) {
    case TESS_ARG_ARRAY: return "array";
    case TESS_ARG_ARRAYS: return "arrays";
    case TESS_ARG_SHAPE: return "shape";
    case TESS_ARG_DTYPE: return "dtype";
    case TESS_ARG_DEVICE: return "device";
    case TESS_ARG_AXIS: return "axis";
    case TESS_ARG_AXES: return "four axes";
    case TESS_ARG_F64: return "number";
    case TESS_ARG_I64:
    case TESS_ARG_U64:
    case TESS_ARG_U32:
    case TESS_ARG_I32: return "integer";
    case TESS_ARG_FLAG: return "flag";
    case TESS_ARG_CHOICE: return "choice";
    case TESS_ARG_ELEMENT: return "element";
    case TESS_ARG_RESULT: return "result";
    case TESS_ARG_AXIS_SET: return "set of axes";
    case TESS_ARG_NUMBERS: return "numbers";
    case TESS_ARG_REDUCTIONS: return "reductions";
    case TESS_ARG_TEXT: return "text";
    case TESS_ARG_PATH: return "path";
    case TESS_ARG_META: return "info";
    case TESS_ARG_OBJECT: return "object";
    case TESS_ARG_OP: return "operator";
    case TESS_ARG_STRUCT: return "struct";
    case TESS_ARG_SOURCE: return "images";
    case TESS_ARG_SOURCES: return "lists of images";
    case TESS_ARG_SINK: return "sink of images";
    case TESS_ARG_COLUMNS: return "table";
    }
    return "?";
}

const char *arg_role_name(tess_arg_role role)
{
    switch (role) {
    case TESS_ROLE_OUT: return "out";
    case TESS_ROLE_IN: return "in";
    case TESS_ROLE_REQUIRED: return "required";
    case TESS_ROLE_OPTION: return "option";
    case TESS_ROLE_RESULT: return "result";
    }
    return "?";
}

const char *cut_name(tess_cut cut)
{
    return cut == TESS_CUT_ELEMENTS ? "elements" : cut == TESS_CUT_BATCHES ? "batches" : "none";
}
