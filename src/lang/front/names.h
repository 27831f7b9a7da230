/* Symbol tables of the language: types, keywords and built-in functions, and spelling suggestions. */
#ifndef TESS_LANG_FRONT_NAMES_H
#define TESS_LANG_FRONT_NAMES_H

#include "lang/front/tree.h"
#include "requests/operator_rows.h"

/* ---- Names in a text ---- */

static inline bool tess__span_is(const char *text, tess__bytes span, const char *word, int32_t length)
{
    if (span.length != length) return false;
    for (int32_t i = 0; i < length; i++)
        if (text[span.at + i] != word[i]) return false;
    return true;
}
#define TESS__IS(text, span, literal) tess__span_is(text, span, literal, (int32_t)sizeof(literal) - 1)

/* The type of a name, a TESS__LETTER_ for a letter, or 0. */
int32_t tess__type_named(const char *text, tess__bytes span);

/* C's own names of types, which macros may have: "int64_t", "_Bool". */
int32_t tess__c_type_named(const char *text, tess__bytes span);

/* "f32", "T". */
const char *tess__type_name(int32_t type);

/* The number of a name in a list that ends with NULL, or -1. */
int32_t tess__keyword_index(const char *text, tess__bytes span, const char *const *keywords);

extern const char *const tess__role_names[];   /* as TESS__PARAM_ */
extern const char *const tess__monoid_names[]; /* as TESS__MONOID_ */
extern const char *const tess__border_names[]; /* as tess_border, then those from TESS__BORDER_FAULT on */

/* The border of a keyword's number among those, and the keyword of a border. */
int32_t     tess__border_named(int32_t keyword);
const char *tess__border_name(int32_t border);

/* Keywords of C that are no part of the language. */
bool tess__is_foreign(const char *text, tess__bytes span);

/* ---- Functions ---- */

enum {
    TESS__FN_OPERATOR,
    TESS__FN_SELECT,
    TESS__FN_ISCLOSE,
    TESS__FN_AT,
    TESS__FN_INTERP,
    TESS__FN_RANDOM,
    TESS__FN_SHAPE,
    TESS__FN_SIZE
};

/* Functions that tessera/math.h computes in f64 for integers, although the operator has an integer kernel. */
bool tess__is_real_only(int32_t op);

typedef struct tess__builtin {
    const char *name;
    int32_t     length;
    int32_t     kind;   /* a TESS__FN_ */
    int32_t     op;     /* a TESS__OP_, or as value.i of a TESS__INTERP */
    int32_t     inputs; /* how many arguments; isclose may have 4 */
} tess__builtin;

/* The function of a name, with or without its prefix; `*prefixed` if it has one. NULL if there is none. */
const tess__builtin *tess__builtin_named(const char *text, tess__bytes span, bool *prefixed);

/* ---- Spelling suggestions ---- */

/* The candidate at the smallest edit distance, if that is small. */
typedef struct tess__guess {
    const char *text, *best; /* text and span: of the name */
    tess__bytes span;
    int32_t     best_length, distance;
} tess__guess;

tess__guess tess__guess_start(const char *text, tess__bytes span);
void        tess__guess_offer(tess__guess *guess, const char *name, int32_t length);
void        tess__guess_offer_all(tess__guess *guess, const char *const *names);
void        tess__guess_offer_builtins(tess__guess *guess);
void        tess__guess_offer_types(tess__guess *guess);

/* "; did you mean 'cos'?", or "". */
typedef struct tess__hint {
    char text[96];
} tess__hint;
tess__hint tess__guess_hint(const tess__guess *guess);

#endif
