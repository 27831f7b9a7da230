/* Specialisation of reductions: the accumulator type in kernel source for each operation and dtype. */
#include "cuda/reduce/items.h"

#include <stdio.h>

#include "core/dtype.h"

enum { ITEM_TEXT = 160 };

static bool is_integer(int d) { return tess__dtypes[d].kind < TESS_KIND_FLOAT; }

static bool is_complex(int d) { return tess__dtypes[d].kind == TESS_KIND_COMPLEX; }

/* Elements whose products are exact in f64. */
static bool is_short(int d) { return d == TESS_F16 || d == TESS_F32 || d == TESS_C16 || d == TESS_C32; }

tess__cuda_item tess__cuda_item_of(const tess__reduce *work, int item)
{
    const bool two = work->n_inputs == 2;
    const int  d = two ? work->dtype : work->in[0].dtype;
    return (tess__cuda_item){ .op = (uint8_t)work->item[item].op,
                              .x = (uint8_t)work->in[0].dtype,
                              .y = (uint8_t)(two ? work->in[1].dtype : TESS_U8),
                              .common = (uint8_t)d,
                              .skip_nan = work->skip_nan && !is_integer(d),
                              .compensated = work->compensated && !is_integer(d) };
}

/* A type that is written, and the slots of its state. */
typedef struct typed {
    char text[ITEM_TEXT];
    int  slots;
} typed;

#define TYPED(slots_, ...)                                                                                             \
    do {                                                                                                               \
        (void)snprintf(t.text, sizeof t.text, __VA_ARGS__);                                                            \
        t.slots = (slots_);                                                                                            \
    } while (0)

/* Sums of a term of `parts` doubles. */
static typed added(const tess__cuda_item *i, const char *term, int parts, const char *epilogue)
{
    typed t;
    TYPED(parts * (i->compensated ? 2 : 1) + i->skip_nan, "added<%s, %d, %d, %s>", term, i->compensated, i->skip_nan,
          epilogue);
    return t;
}

static typed sum(const tess__cuda_item *i, bool mean)
{
    typed t;
    char  term[32];
    /* Sums of up to 32 bits are exact; the mean of wider integers must not wrap. */
    if (is_integer(i->x) && (!mean || tess__dtypes[i->x].size < 8)) {
        TYPED(1, "added_integers<%d, %d>", i->x, mean);
        return t;
    }
    (void)snprintf(term, sizeof term, "term_self<%d>", i->x);
    return added(i, term, is_complex(i->x) ? 2 : 1, mean ? "EPILOGUE_MEAN" : "EPILOGUE_SUM");
}

static typed norm(const tess__cuda_item *i)
{
    typed t;
    char  term[32];
    if (i->op == TESS__R_NORM_MAX) {
        TYPED(1, "largest_magnitude<%d, %d>", i->x, i->skip_nan);
        return t;
    }
    if (i->op == TESS__R_NORM_L2 && !is_short(i->x)) {
        TYPED(3, "length<term_self<%d>, %d, 0>", i->x, i->skip_nan);
        return t;
    }
    const bool squares = i->op == TESS__R_NORM_L2;
    (void)snprintf(term, sizeof term, "%s<%d>", squares ? "term_square" : "term_magnitude", i->x);
    return added(i, term, 1, squares ? "EPILOGUE_SQRT" : "EPILOGUE_SUM");
}

static typed dot(const tess__cuda_item *i)
{
    typed t;
    char  term[64];
    if (is_integer(i->common)) {
        const int wide = tess__dtypes[i->common].kind == TESS_KIND_UINT ? TESS_U64 : TESS_I64;
        TYPED(1, "added_products<%d, %d, %d>", wide, i->x, i->y);
        return t;
    }
    const int read = is_complex(i->common)                                    ? TESS_C64
                     : is_short(i->common) && !i->compensated && !i->skip_nan ? TESS_F32
                                                                              : TESS_F64;
    (void)snprintf(term, sizeof term, "term_product<%d, %d, %d>", read, i->x, i->y);
    return added(i, term, is_complex(i->common) ? 2 : 1, "EPILOGUE_SUM");
}

static typed rmsd(const tess__cuda_item *i)
{
    typed t;
    TYPED(3, "length<term_difference<%d, %d, %d>, 0, 1>", is_complex(i->common) ? TESS_C64 : TESS_F64, i->x, i->y);
    return t;
}

static typed minmax(const tess__cuda_item *i)
{
    typed t;
    TYPED(tess__dtypes[i->x].size == 8 ? 2 : 1, "minmax<%d, %d>", i->x, i->skip_nan);
    return t;
}

static typed nonzero(const tess__cuda_item *i)
{
    typed t;
    TYPED(1 + i->skip_nan, "nonzero<%d, %d, %s>", i->x, i->skip_nan,
          i->op == TESS__R_ANY   ? "EPILOGUE_ANY"
          : i->op == TESS__R_ALL ? "EPILOGUE_ALL"
                                 : "EPILOGUE_COUNT");
    return t;
}

static typed product(const tess__cuda_item *i)
{
    typed t;
    if (is_integer(i->x)) TYPED(1, "multiplied_integers<%d>", i->x);
    else TYPED(is_complex(i->x) ? 2 : 1, "multiplied<%d, %d>", i->x, i->skip_nan);
    return t;
}

static typed variance(const tess__cuda_item *i)
{
    typed     t;
    const int slots = i->x == TESS_F64 || i->x == TESS_C64 ? 4 : 3;
    TYPED(slots * (is_complex(i->x) ? 2 : 1) + 1, "variance<%d, %d, %d>", i->x, i->skip_nan, i->op == TESS__R_STD);
    return t;
}

static typed type_of(const tess__cuda_item *i)
{
    typed     t;
    const int parts = is_complex(i->x) ? 2 : 1;
    switch (i->op) {
    case TESS__R_SUM: return sum(i, false);
    case TESS__R_MEAN: return sum(i, true);
    case TESS__R_PROD: return product(i);
    case TESS__R_VAR:
    case TESS__R_STD: return variance(i);
    case TESS__R_NORM_L2:
    case TESS__R_NORM_L1:
    case TESS__R_NORM_MAX: return norm(i);
    case TESS__R_MINMAX: return minmax(i);
    case TESS__R_ARGMIN:
    case TESS__R_ARGMAX: TYPED(2, "argminmax<%d, %d, %d>", i->x, i->skip_nan, i->op == TESS__R_ARGMAX); return t;
    case TESS__R_ANY:
    case TESS__R_ALL:
    case TESS__R_COUNT: return nonzero(i);
    case TESS__R_LOGSUMEXP: TYPED(2, "exponentials<%d, %d>", i->x, i->skip_nan); return t;
    case TESS__R_DOT: return dot(i);
    case TESS__R_RMSD: return rmsd(i);
    default: TYPED(1 + parts, "weighted<%d, %d>", i->x, i->y); return t;
    }
}

int tess__cuda_item_print(tess__writer *w, const tess__cuda_item *item)
{
    const typed t = type_of(item);
    if (w) tess__write(w, "%s", t.text);
    return t.slots;
}
