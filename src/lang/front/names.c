/* Symbol tables of the language: types, keywords and built-in functions. */
#include "lang/front/names.h"

#include <string.h>

#include "backend.h"
#include "core/dtype.h"

/* ---- Types ---- */

int32_t tess__type_named(const char *text, tess__bytes span)
{
    const char *at = text + span.at;
    switch (span.length) {
    case 1: return *at == 'T' ? TESS__LETTER_T : *at == 'U' ? TESS__LETTER_U : *at == 'V' ? TESS__LETTER_V : 0;
    case 2: return memcmp(at, "i8", 2) == 0 ? TESS_I8 : memcmp(at, "u8", 2) == 0 ? TESS_U8 : 0;
    case 3:
        if (memcmp(at, "int", 3) == 0) return TESS_I32;
        for (int32_t t = TESS_I16; t < TESS_SCALAR_DTYPE_COUNT; t++)
            if (memcmp(at, tess__dtypes[t].name, 3) == 0) return t;
        return 0;
    case 4: return memcmp(at, "bool", 4) == 0 ? TESS_BOOL : 0;
    case 5: return memcmp(at, "float", 5) == 0 ? TESS_F32 : 0;
    case 6: return memcmp(at, "double", 6) == 0 ? TESS_F64 : 0;
    default: return 0;
    }
}

int32_t tess__c_type_named(const char *text, tess__bytes span)
{
    static const char *const names[] = { "int8_t",   "int16_t",  "int32_t",  "int64_t", "uint8_t",
                                         "uint16_t", "uint32_t", "uint64_t", "_Bool",   NULL };
    static const int32_t     types[] = { TESS_I8,  TESS_I16, TESS_I32, TESS_I64, TESS_U8,
                                         TESS_U16, TESS_U32, TESS_U64, TESS_BOOL };
    const int32_t            i = span.length >= 5 ? tess__keyword_index(text, span, names) : -1;
    return i < 0 ? 0 : types[i];
}

const char *tess__type_name(int32_t type)
{
    static const char *const letters[] = { "T", "U", "V" };
    return type < 0 ? letters[-1 - type] : tess_dtype_name(type);
}

/* ---- Keywords ---- */

const char *const tess__role_names[] = { "in", "out", "inout", "val", "view", "scatter", "acc", NULL };
const char *const tess__monoid_names[] = { "none", "sum", "prod", "min", "max", "any", "all", NULL };
const char *const tess__border_names[] = { "",
#define TESS__BORDER(name, NAME, help) #name,
#include "tessera/math/borders.def"
                                           "error", "spectrum_f", "spectrum_fc", "spectrum_h", "spectrum_hc", NULL };

enum { ERROR_BORDER = TESS_BORDER_NOTHING + 1 };

int32_t tess__border_named(int32_t keyword)
{
    return keyword < ERROR_BORDER ? keyword : TESS__BORDER_FAULT + keyword - ERROR_BORDER;
}

const char *tess__border_name(int32_t border)
{
    return tess__border_names[border < TESS__BORDER_FAULT ? border : border - TESS__BORDER_FAULT + ERROR_BORDER];
}

static const char *const foreign[] = { "while",   "do",       "goto",   "switch",   "case",     "default",
                                       "break",   "struct",   "union",  "enum",     "sizeof",   "static",
                                       "typedef", "const",    "void",   "char",     "long",     "short",
                                       "signed",  "unsigned", "extern", "inline",   "register", "volatile",
                                       "auto",    "restrict", "size_t", "_Complex", NULL };

int32_t tess__keyword_index(const char *text, tess__bytes span, const char *const *keywords)
{
    for (int32_t i = 0; keywords[i]; i++)
        if (keywords[i][0] == text[span.at] && tess__span_is(text, span, keywords[i], (int32_t)strlen(keywords[i])))
            return i;
    return -1;
}

bool tess__is_foreign(const char *text, tess__bytes span) { return tess__keyword_index(text, span, foreign) >= 0; }

/* ---- Functions ---- */

/* Names of ewise.def, then C's names for the same, then functions that are no operators. */
static const tess__builtin builtins[] = {
#define ROW(name, n) { #name, (int32_t)sizeof #name - 1, TESS__FN_OPERATOR, TESS__OP_##name, n },
#define EWISE1(name, ...) ROW(name, 1)
#define EWISE1_SLOW EWISE1
#define EWISE2(name, ...) ROW(name, 2)
#define EWISE2_SLOW EWISE2
#define EWISE3(name, ...) ROW(name, 3)
#include "ops/ewise/ewise.def"
#undef EWISE1
#undef EWISE1_SLOW
#undef EWISE2
#undef EWISE2_SLOW
#undef EWISE3
#undef ROW
#define ALSO(name, kind, op, n)                                                                                        \
    {                                                                                                                  \
#name, (int32_t)sizeof #name - 1, TESS__FN_##kind, op, n                                                       \
    }
    ALSO(min, OPERATOR, TESS__OP_fmin, 2),
    ALSO(max, OPERATOR, TESS__OP_fmax, 2),
    ALSO(fmod, OPERATOR, TESS__OP_mod, 2),
    ALSO(fabs, OPERATOR, TESS__OP_abs, 1),
    ALSO(isnan, OPERATOR, TESS__OP_is_nan, 1),
    ALSO(isinf, OPERATOR, TESS__OP_is_inf, 1),
    ALSO(isfinite, OPERATOR, TESS__OP_is_finite, 1),
    ALSO(select, SELECT, 0, 3),
    ALSO(where, SELECT, 0, 3),
    ALSO(isclose, ISCLOSE, 0, 2),
    ALSO(at, AT, 0, 5),
#define TESS__INTERP(name, NAME, method, taps, cost, help) ALSO(interp_##method, INTERP, TESS_INTERP_##NAME, 5),
#include "tessera/math/interps.def"
#define TESS__INTERP(name, NAME, method, taps, cost, help)                                                             \
    ALSO(interp3_##method, INTERP, TESS_INTERP_##NAME + TESS__INTERP_VOLUME, 5),
#include "tessera/math/interps.def"
#define SLOPE(method, NAME, axis, along)                                                                               \
    ALSO(interp_##method##_##axis, INTERP, TESS_INTERP_##NAME + along * TESS__INTERP_ALONG, 5),
#define SLOPE3(method, NAME, axis, along)                                                                              \
    ALSO(interp3_##method##_##axis, INTERP, TESS_INTERP_##NAME + TESS__INTERP_VOLUME + along * TESS__INTERP_ALONG, 5),
#define TESS__INTERP_UNWEIGHTED(name, NAME, method, taps, cost, help)
#define TESS__INTERP(name, NAME, method, taps, cost, help)                                                             \
    SLOPE(method, NAME, dx, 1)                                                                                         \
    SLOPE(method, NAME, dy, 2)                                                                                         \
    SLOPE3(method, NAME, dx, 1)                                                                                        \
    SLOPE3(method, NAME, dy, 2)                                                                                        \
    SLOPE3(method, NAME, dz, 3)
#include "tessera/math/interps.def"
#undef SLOPE
#undef SLOPE3
    ALSO(rng_uniform, RANDOM, 0, 2),
    ALSO(shape, SHAPE, 0, 2),
    ALSO(size, SIZE, 0, 1),
#undef ALSO
};

static const tess__builtin *find(const char *name, int32_t length)
{
    for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++)
        if (builtins[i].length == length && builtins[i].name[0] == name[0] &&
            memcmp(builtins[i].name, name, (size_t)length) == 0)
            return &builtins[i];
    return NULL;
}

const tess__builtin *tess__builtin_named(const char *text, tess__bytes span, bool *prefixed)
{
    const char *name = text + span.at;
    *prefixed = span.length > 6 && memcmp(name, "tessm_", 6) == 0;
    if (*prefixed) return find(name + 6, span.length - 6);
    if (TESS__IS(text, span, "tess_at")) return find("at", 2);
    return find(name, span.length);
}

bool tess__is_real_only(int32_t op)
{
    switch (op) {
    case TESS__OP_floor:
    case TESS__OP_ceil:
    case TESS__OP_trunc:
    case TESS__OP_round:
    case TESS__OP_rint:
    case TESS__OP_pow:
    case TESS__OP_mod:
    case TESS__OP_fma: return true;
    default: return false;
    }
}

void tess__guess_offer_builtins(tess__guess *guess)
{
    for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++)
        tess__guess_offer(guess, builtins[i].name, builtins[i].length);
}

void tess__guess_offer_types(tess__guess *guess)
{
    for (int32_t t = TESS_BOOL; t < TESS_SCALAR_DTYPE_COUNT; t++)
        tess__guess_offer(guess, tess__dtypes[t].name, (int32_t)strlen(tess__dtypes[t].name));
    static const char *const others[] = { "int", "float", "double", NULL };
    tess__guess_offer_all(guess, others);
}
