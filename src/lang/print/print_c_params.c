/* What the parameters of an operator are to its parts: body, join and post. */
#include "lang/print/print_c.h"
#include "tessera/op.h"

int32_t tess__c_lane(const tess__param *param)
{
    const bool wide = param->monoid == TESS__MONOID_SUM || param->monoid == TESS__MONOID_PROD;
    return wide ? tess_lane_dtype(param->type, 1) : param->type;
}

bool tess__c_is_combined(const tess__param *param)
{
    const bool wide = param->monoid == TESS__MONOID_SUM || param->monoid == TESS__MONOID_PROD;
    return param->role == TESS__PARAM_ACC && wide && param->type != TESS_BOOL;
}

bool tess__c_is_row(const tess__tree *tree, int32_t k, int part)
{
    bool reduces = false;
    for (int32_t i = 0; i < tree->n_params; i++) reduces |= tree->params[i].role == TESS__PARAM_ACC;
    switch (tree->params[k].role) {
    case TESS__PARAM_IN:
    case TESS__PARAM_INOUT: return part == TESS__C_BODY;
    case TESS__PARAM_OUT: return part == (reduces ? TESS__C_POST : TESS__C_BODY);
    default: return false;
    }
}

bool tess__c_is_seen(const tess__c_printer *p, int32_t v, int part)
{
    const tess__variable *variable = &p->tree->variables[v];
    if (variable->param < 0) return false;
    const tess__param *param = &p->tree->params[variable->param];
    if (param->role == TESS__PARAM_ACC) {
        if (variable->other) return part == TESS__C_JOIN;
        return part != TESS__C_JOIN || param->monoid == TESS__MONOID_NONE;
    }
    if (param->role == TESS__PARAM_VAL) return p->used[v];
    return tess__c_is_row(p->tree, variable->param, part);
}
