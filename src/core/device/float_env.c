/* Floating-point environment of threads, and of conversions from and to text. */
#include "core/device/float_env.h"

tess__text_env tess__text_enter(void)
{
    tess__text_env before;
    before.vectors = tess__float_enter();
    (void)fegetenv(&before.all);
    (void)fesetenv(FE_DFL_ENV);
    return before;
}

void tess__text_leave(const tess__text_env *before)
{
    (void)fesetenv(&before->all);
    tess__float_leave(&before->vectors);
}

void tess__float_begin_thread(void)
{
    (void)fesetenv(FE_DFL_ENV);
    (void)tess__float_enter();
}
