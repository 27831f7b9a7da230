/* Prints docs/reference.md from the descriptions that the library carries. */
#include <math.h>
#include <stdio.h>

#include "tessera.h"

static const char *type_name(tess_arg_type type)
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
    case TESS_ARG_META: return "facts";
    }
    return "?";
}

static void print_choices(const tess_arg_info *arg)
{
    for (const tess_choice *c = arg->choices; c && c->name; c++)
        printf("%s`%s` (%s)%s", c == arg->choices ? ": " : ", ", c->name, c->help,
               c->value == (int32_t)arg->fallback ? " [default]" : "");
}

static void print_argument(const tess_arg_info *arg)
{
    printf("| %s`%s` | %s | %s", arg->role == TESS_ROLE_OPTION ? "opts." : "", arg->name, type_name(arg->type),
           arg->help);
    print_choices(arg);
    if (arg->unit[0]) printf(", in %s", arg->unit);
    if (arg->role == TESS_ROLE_OPTION && !arg->choices && arg->type != TESS_ARG_FLAG && arg->type != TESS_ARG_RESULT &&
        arg->type != TESS_ARG_ARRAY && arg->type != TESS_ARG_AXIS_SET) { /* whose help says what 0 means */
        printf(" [%g", arg->fallback);
        if (!isinf(arg->most)) printf("; %g to %g", arg->least, arg->most);
        printf("]");
    }
    printf(" |\n");
}

int main(void)
{
    printf("# Operations\n\nMade from the descriptions in the library (`tessera/table.h`); the headers say more.\n");
    for (size_t i = 0; i < tess_op_count(); i++) {
        const tess_op_info *op = tess_op_at(i);
        printf("\n## %s\n\n%s (`tessera/%s.h`)\n\n| argument | type | |\n| --- | --- | --- |\n", op->name, op->help,
               op->module);
        for (size_t k = 0; k < op->n_args; k++) print_argument(&op->args[k]);
    }
    return 0;
}
