/* Arrays of small vectors and matrices: their components as arrays of numbers, and functions of them over all
 * elements.
 *
 * An operation on such arrays is an element-wise operator whose parameters are the components, each a strided array:
 * so it broadcasts, takes any strides and runs on every device. The function itself is one of
 * formulas/geometry/rotation.op.h, built for each instruction set (items.def). */
#ifndef TESS_OPS_GEOMETRY_ITEMS_ITEMS_H
#define TESS_OPS_GEOMETRY_ITEMS_ITEMS_H

#include "requests/item_run.h"
#include "tessera/array.h"

/* What an array holds. A scalar is a number for each item. */
typedef enum tess__item_kind { TESS__ITEM_SCALAR, TESS__ITEM_VECTOR, TESS__ITEM_MATRIX } tess__item_kind;

/* An array of vectors or matrices. `shape` and `strides` of `first`, which is component 0, are those of the items, in
 * numbers of `first.dtype`. */
typedef struct tess__items {
    const char *arg; /* its name in messages */
    tess_array  first;
    int         rows, columns;
    int64_t     row_step, column_step;
    bool        is_compound;
    tess_array  held; /* numbers that were converted first; zeroed if there are none */
} tess__items;

/* The items of an input: vectors of `columns`, or matrices of rows x columns; 0 is any. `held` is released by
 * tess__items_end. With `lists`, n rows {1,1,n,columns} are n items along b. */
typedef struct tess__item_form {
    tess__item_kind kind;
    int             rows, columns;
    bool            lists;
} tess__item_form;

tess_status tess__items_of(tess__items *items, const char *fn, const char *arg, const tess_array *in,
                           tess__item_form form);
void        tess__items_end(tess__items *items);

/* The items of an output, which is allocated if it is zeroed: as many as all of the n inputs broadcast to, of the kind
 * and precision of the first. */
tess_status tess__items_output(tess__items *items, const char *fn, tess_array *out, tess__item_form form,
                               const tess__items *const *inputs, int n);

/* The items without their last row, and one row of them. */
tess__items tess__items_rows(const tess__items *items, int first, int n);

/* Component `row`, `column` as an array of numbers. */
tess_array tess__items_component(const tess__items *items, int row, int column);

/* A function of items: packed, TESS__ITEM_BLOCK across, or with the numbers of each beside each other, 1 across. */
typedef void (*tess__item_fn)(const tess__item_run *run);

#define ITEM(name, a, b, n_out) void tess__item_##name(const tess__item_run *run);
#include "ops/geometry/items/items.def"

/* A function of items. */
typedef struct tess__item_map {
    const char   *fn;       /* the public function's name */
    const char   *function; /* its name in formulas/geometry/rotation.op.h */
    tess__item_fn apply;
    double        cost;  /* nanoseconds an item */
    int           n_val; /* values, or, with a set, the numbers of one of its rows */
} tess__item_map;

#define TESS__ITEM_MAP(fn_, name, cost_, n_val_)                                                                       \
    {                                                                                                                  \
        .fn = (fn_), .function = "tess__" #name, .apply = tess__item_##name, .cost = (cost_), .n_val = (n_val_)        \
    }

/* Values of a map: either numbers, or the rows of an array {n,1,1,n_val} of f64 on the device of the others. */
typedef struct tess__item_values {
    const double     *numbers;
    const tess_array *set;
} tess__item_values;

/* Apply a map to all items of `out`: at most three inputs, which broadcast to it. */
tess_status tess__items_run(const tess__item_map *map, const tess__items *out, const tess__items *const *inputs, int n,
                            tess__item_values values);

/* Inputs are on the output's device and overlap it exactly, which `exact` allows, or not at all. */
tess_status tess__items_check(const char *fn, const tess__items *out, const tess_array *given, const tess__items *in,
                              const tess_array *input, bool exact);

/* Items as rows of a list {1,1,n,rows * columns} of f64 in the host's memory, in b, d, h, w order. `out` is zeroed; it
 * waits. */
tess_status tess__items_fetch(tess_array *out, const char *fn, const tess__items *items);

/* The rows of such a list, at `list`, into items. */
tess_status tess__items_put(const tess__items *items, const char *fn, const double *list);

/* Quaternion i of the argument `arg`, made of length 1. */
tess_status tess__unit_quat(tess_vec4_f64 *q, const char *fn, const char *arg, int64_t i);

/* All of it: a map from one or two arrays to an output. */
typedef struct tess__item_call {
    const tess__item_map *map;
    tess_array           *out;
    tess__item_form       out_form;
    struct {
        const char       *arg;
        const tess_array *array;
        tess__item_form   form;
    } in[2];
    int               n;
    tess__item_values values;
    bool              exact; /* `out` may be exactly an input of its form */
} tess__item_call;

tess_status tess__items_apply(const tess__item_call *call);

#endif
