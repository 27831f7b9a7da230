/* The border of an array: what lies outside of it. */
#include "ops/resize/border.h"

#include "core/check/output.h"
#include "core/check/text.h"
#include "tessera/resize.h"

const tess_choice tess__borders[] = {
#define TESS__BORDER(name, NAME, help) { #name, TESS_BORDER_##NAME, help },
#define TESS__BORDER_ALIAS(name, NAME) { #name, TESS_BORDER_##NAME, NULL },
#include "tessera/math/borders.def"
    { NULL, 0, NULL },
};

const char *tess__choice_name(const tess_choice *choices, int32_t value)
{
    for (const tess_choice *c = choices; c->name; c++)
        if (c->value == value) return c->name;
    return "";
}

tess_status tess__check_border(const char *fn, const tess_array *out, int32_t border, double value, double value_imag)
{
    char       text[32];
    const bool is_real = value != 0; /* true of NaN */
    TESS_CHECK((!is_real && value_imag == 0) || border == TESS_BORDER_VALUE, TESS_EARG,
               "%s: `opts->%s` is %s, which needs `opts->border` to be \"value\", not \"%s\"", fn,
               is_real ? "value" : "value_imag", tess__number_text(text, is_real ? value : value_imag),
               tess__choice_name(tess__borders, border));
    TESS_CHECK(border != TESS_BORDER_NOTHING || !tess__is_empty_out(out), TESS_EARG,
               "%s: `out` is zeroed and `opts->border` is \"nothing\"; an allocated array is expected", fn);
    return TESS_OK;
}
