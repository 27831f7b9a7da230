/* docs/reference.md, from the descriptors: what each operation takes, and the verb that it is. */
#include "main/markdown.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "command/arg_names.h"
#include "main/help.h"
#include "operation/operation.h"

static void print_choices(FILE *out, const tess_arg_info *arg)
{
    for (const tess_choice *c = arg->choices; c && c->name && c->help; c++)
        (void)fprintf(out, "%s`%s` (%s)%s", c == arg->choices ? ": " : ", ", c->name, c->help,
                      arg->role == TESS_ROLE_OPTION && c->value == (int32_t)arg->fallback ? " [default]" : "");
}

/* Those whose help does not say what 0 means. */
static bool has_default(const tess_arg_info *arg)
{
    return arg->role == TESS_ROLE_OPTION && !arg->choices &&
           (arg->type == TESS_ARG_F64 || arg->type == TESS_ARG_I64 || arg->type == TESS_ARG_I32 ||
            arg->type == TESS_ARG_U64 || arg->type == TESS_ARG_U32);
}

/* 2^62, not 4.61169e+18. */
static void print_limit(FILE *out, double limit)
{
    int exponent;
    if (limit >= 0x1p24 && frexp(limit, &exponent) == 0.5) (void)fprintf(out, "2^%d", exponent - 1);
    else (void)fprintf(out, "%g", limit);
}

static void print_range(FILE *out, const tess_arg_info *arg)
{
    const bool has_min = arg->min > -DBL_MAX, has_max = arg->max < DBL_MAX;
    if (!has_min && !has_max) return;
    if (arg->min == DBL_MIN) {
        (void)fputs("; above 0", out);
        if (has_max) (void)fputs(", at most ", out), print_limit(out, arg->max);
        return;
    }
    (void)fputs(has_min ? "; " : "; at most ", out);
    if (has_min) print_limit(out, arg->min);
    if (has_min) (void)fputs(" to ", out);
    print_limit(out, arg->max);
}

/* A bar would end the cell of the table. */
static void print_cell(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '|') (void)fputc('\\', out);
        (void)fputc(*text, out);
    }
}

/* The name in C: the rows metric_dd … are fields of the struct opts.metric. */
static void print_c_name(FILE *out, const char *of, const char *name)
{
    static const char metric[] = "metric_";
    const size_t      length = sizeof metric - 1;
    if (of[0]) (void)fprintf(out, "%s.", of);
    if (strncmp(name, metric, length) == 0) (void)fprintf(out, "`metric.%s`", name + length);
    else (void)fprintf(out, "`%s`", name);
}

/* `of` stands before the name: "opts", or a struct. */
static void print_argument(FILE *out, const char *of, const tess_arg_info *arg)
{
    (void)fprintf(out, "| ");
    print_c_name(out, of, arg->name);
    (void)fprintf(out, " | %s | ", arg_type_name(arg->type));
    print_cell(out, arg->help);
    print_choices(out, arg);
    if (arg->unit[0]) (void)fprintf(out, ", in %s", arg->unit);
    if (arg->computed && arg->type == TESS_ARG_SHAPE) (void)fprintf(out, " [%s]", arg->computed);
    else if (has_default(arg)) {
        if (arg->computed) (void)fprintf(out, " [%s", arg->computed);
        else (void)fprintf(out, " [%g", arg->fallback);
        print_range(out, arg);
        (void)fprintf(out, "]");
    }
    (void)fprintf(out, " |\n");
    for (const tess_arg_info *field = arg->fields; field && field->name; field++) print_argument(out, arg->name, field);
}

/* The verb that runs a job, with its arguments. */
static void print_verb_of(FILE *out, const char *name)
{
    for (const verb *const *v = verbs; *v; v++)
        if ((*v)->job && strcmp((*v)->job, name) == 0)
            (void)fprintf(out, "    tessera %s %s\n\n", (*v)->name, (*v)->arguments);
}

/* Results, then arguments, then options. */
static void print_jobs(FILE *out)
{
    (void)fprintf(out, "\n# Jobs\n\nFor whole jobs see [jobs.md](jobs.md). Fields of the result come first.\n");
    for (size_t i = 0; i < tess_job_count(); i++) {
        const tess_function_info *f = &tess_job_at(i)->function;
        (void)fprintf(out, "\n## %s\n\n%s (`tessera/%s.h`)\n\n", f->name, f->help, f->module);
        print_verb_of(out, f->name);
        (void)fprintf(out, "| argument | type | |\n| --- | --- | --- |\n");
        for (size_t k = 0; k < f->n_args; k++) {
            const tess_arg_role role = f->args[k].role;
            print_argument(out,
                           role == TESS_ROLE_OPTION   ? "opts"
                           : role == TESS_ROLE_RESULT ? "result"
                                                      : "",
                           &f->args[k]);
        }
    }
}

tess_status ops_markdown(FILE *out)
{
    (void)fprintf(out,
                  "# Operations\n\nGenerated from the descriptors of the library (`tessera/table.h`); the headers say "
                  "more. The command line shows the required arguments; `tessera VERB --help` lists the options.\n");
    for (size_t i = 0; i < tess_function_count(); i++) {
        const tess_function_info *op = tess_function_at(i);
        (void)fprintf(out, "\n## %s\n\n%s (`tessera/%s.h`)\n\n", op->name, op->help, op->module);
        if (is_operation_verb(op)) {
            const verb *v;
            char        called[64];
            TESS_TRY(operation_verb(op, &v));
            (void)fprintf(out, "    tessera %s %s\n\n", verb_called(v, called), v->arguments);
        }
        (void)fprintf(out, "| argument | type | |\n| --- | --- | --- |\n");
        for (size_t k = 0; k < op->n_args; k++)
            print_argument(out, op->args[k].role == TESS_ROLE_OPTION ? "opts" : "", &op->args[k]);
    }
    print_jobs(out);
    return TESS_OK;
}
