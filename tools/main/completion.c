/* Completion for shells, from the table of verbs and the descriptors. */
#include "main/completion.h"

#include <stdlib.h>
#include <string.h>

#include "command/globals.h"
#include "command/options.h"
#include "main/find.h"
#include "operation/operation.h"

/* All verbs: each of the table with its sub-commands behind it, then operations that are verbs by their own names. */
typedef struct verb_list {
    const verb **at;
    int          n;
} verb_list;

static tess_status list_verbs(verb_list *list)
{
    size_t most = tess_function_count();
    for (int i = 0; verbs[i]; i++, most++)
        for (int k = 0; verbs[i]->commands && verbs[i]->commands[k]; k++) most++;
    list->at = malloc((most + 1) * sizeof *list->at);
    TESS_CHECK(list->at, TESS_ENOMEM, "completion: no memory for %zu verbs", most);
    for (int i = 0; verbs[i]; i++) {
        list->at[list->n++] = verbs[i];
        for (int k = 0; verbs[i]->commands && verbs[i]->commands[k]; k++) list->at[list->n++] = verbs[i]->commands[k];
    }
    for (size_t i = 0; i < tess_function_count(); i++) {
        const tess_function_info *op;
        if (!is_operation_verb(tess_function_at(i))) continue;
        TESS_TRY(find_verb(tess_function_at(i)->name, &list->at[list->n], &op));
        list->n += op != NULL;
    }
    return TESS_OK;
}

/* Text inside single quotes of a shell, without what the shell's own notation would take apart. */
static void put_quoted(FILE *out, const char *text, const char *escape)
{
    for (; *text; text++) {
        if (*text == '\'') (void)fputs("'\\''", out);
        else if (strchr(escape, *text)) (void)fprintf(out, "\\%c", *text);
        else (void)fputc(*text, out);
    }
}

/* The words that a verb's first argument may be, "bash zsh fish" of "bash|zsh|fish"; empty if it is something else. */
static const char *argument_choices(const verb *v, char *text, size_t size)
{
    const size_t n = strcspn(v->arguments, " ");
    (void)snprintf(text, size, "%.*s", memchr(v->arguments, '|', n) ? (int)n : 0, v->arguments);
    for (char *c = text; *c; c++)
        if (*c == '|') *c = ' ';
    return text;
}

static bool is_command(const verb *v) { return strchr(v->name, ' ') != NULL; }

static bool takes_verb(const verb *v) { return strcmp(v->name, "help") == 0 || strcmp(v->name, "op") == 0; }

static void bash_options(FILE *out, const verb *v)
{
    const option *o;
    (void)fprintf(out, "    '%s') options='", v->name);
    for (int i = 0; (o = verb_option(v, i)); i++) (void)fprintf(out, "%s--%s", i ? " " : "", o->name);
    (void)fputs("' ;;\n", out);
}

static void bash_choices(FILE *out, const verb *v)
{
    char          words[100];
    const option *o;
    for (int i = 0; (o = verb_own_option(v, i)); i++)
        if (o->choices) (void)fprintf(out, "    '%s --%s') values='%s' ;;\n", v->name, o->name, o->choices);
    if (!is_command(v) && argument_choices(v, words, sizeof words)[0])
        (void)fprintf(out, "    '%s %s') [ \"$COMP_CWORD\" -eq 2 ] && values='%s' ;;\n", v->name, v->name, words);
}

/* Behind those of verbs, which may have an option of that name. */
static void bash_global_choices(FILE *out)
{
    for (const global *g = globals; g->option.name; g++)
        if (g->option.choices) (void)fprintf(out, "    *' --%s') values='%s' ;;\n", g->option.name, g->option.choices);
}

static void print_bash(FILE *out, const verb_list *all)
{
    (void)fputs("# Completion of tessera for bash: tessera completion bash\n_tessera()\n{\n"
                "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} verb=${COMP_WORDS[1]}\n"
                "    local verbs options= values=\n    COMPREPLY=()\n    verbs='",
                out);
    for (int i = 0; i < all->n; i++)
        if (!is_command(all->at[i])) (void)fprintf(out, "%s%s", i ? " " : "", all->at[i]->name);
    (void)fputs(
        "'\n    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        COMPREPLY=($(compgen -W \"$verbs\" -- \"$word\"))\n"
        "        return\n    fi\n    [ \"$verb\" = op ] && [ \"$COMP_CWORD\" -gt 2 ] && verb=${COMP_WORDS[2]}\n",
        out);
    for (int i = 0; verbs[i]; i++)
        if (verbs[i]->commands)
            (void)fprintf(out,
                          "    [ \"$verb\" = %s ] && [ \"$COMP_CWORD\" -gt 2 ] && verb=\"$verb ${COMP_WORDS[2]}\"\n",
                          verbs[i]->name);
    (void)fputs("    case \"$verb $before\" in\n"
                "    'help '*|'op '*) [ \"$COMP_CWORD\" -eq 2 ] && values=$verbs ;;\n",
                out);
    for (int i = 0; i < all->n; i++) bash_choices(out, all->at[i]);
    bash_global_choices(out);
    (void)fputs(
        "    esac\n    if [ -n \"$values\" ]; then\n        COMPREPLY=($(compgen -W \"$values\" -- \"$word\"))\n"
        "        return\n    fi\n    [[ $word == -* ]] || return\n    case $verb in\n",
        out);
    for (int i = 0; i < all->n; i++) bash_options(out, all->at[i]);
    (void)fputs("    esac\n    COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n}\n"
                "complete -o default -F _tessera tessera\n",
                out);
}

/* One of --name and -n keeps the other from being offered, unless both may come often. */
static void zsh_option(FILE *out, const option *o)
{
    const bool takes_value = o->type != OPTION_FLAG;
    (void)fputs(" \\\n            '", out);
    if (o->letter && !o->many) (void)fprintf(out, "(-%c --%s)", o->letter, o->name);
    if (o->many) (void)fputc('*', out);
    if (o->letter)
        (void)fprintf(out, "'{-%c%s,--%s%s}'[", o->letter, takes_value ? "+" : "", o->name, takes_value ? "=" : "");
    else (void)fprintf(out, "--%s%s[", o->name, takes_value ? "=" : "");
    put_quoted(out, o->help, "[]:\\");
    (void)fputc(']', out);
    if (o->choices) (void)fprintf(out, ":value:(%s)", o->choices);
    else if (o->type == OPTION_FILE) (void)fputs(":file:_files", out);
    else if (takes_value) (void)fputs(":value:", out);
    (void)fputc('\'', out);
}

static void zsh_verb(FILE *out, const verb *v)
{
    char          words[100];
    const option *o;
    (void)fprintf(out, "        '%s') _arguments", v->name);
    for (int k = 0; (o = verb_option(v, k)); k++) zsh_option(out, o);
    if (argument_choices(v, words, sizeof words)[0]) (void)fprintf(out, " \\\n            '1:word:(%s)' ;;\n", words);
    else (void)fputs(" \\\n            '*:file:_files' ;;\n", out);
}

static void print_zsh(FILE *out, const verb_list *all)
{
    (void)fputs("#compdef tessera\n# Completion of tessera for zsh: tessera completion zsh\n_tessera() {\n"
                "    local -a verbs\n    verbs=(\n",
                out);
    for (int i = 0; i < all->n; i++) {
        const verb *v = all->at[i];
        if (is_command(v)) continue;
        (void)fprintf(out, "        '%s:", v->name);
        put_quoted(out, v->summary, ":\\");
        (void)fputs("'\n", out);
    }
    (void)fputs("    )\n    if (( CURRENT == 2 )); then\n        _describe verb verbs\n        return\n    fi\n"
                "    local verb=$words[2]\n    shift words\n    (( CURRENT-- ))\n"
                "    if [[ $verb == op ]] && (( CURRENT > 2 )); then\n"
                "        verb=$words[2]\n        shift words\n        (( CURRENT-- ))\n    fi\n",
                out);
    for (int i = 0; verbs[i]; i++)
        if (verbs[i]->commands)
            (void)fprintf(out,
                          "    if [[ $verb == %s ]] && (( CURRENT > 2 )); then\n        verb=\"$verb $words[2]\"\n"
                          "        shift words\n        (( CURRENT-- ))\n    fi\n",
                          verbs[i]->name);
    (void)fputs("    case $verb in\n"
                "        help|op) (( CURRENT == 2 )) && _describe verb verbs ;;\n",
                out);
    for (int i = 0; i < all->n; i++)
        if (!takes_verb(all->at[i])) zsh_verb(out, all->at[i]);
    (void)fputs("    esac\n}\n_tessera \"$@\"\n", out);
}

static void fish_quoted(FILE *out, const char *text)
{
    (void)fputc('\'', out);
    for (; *text; text++)
        if (*text == '\'' || *text == '\\') (void)fprintf(out, "\\%c", *text);
        else (void)fputc(*text, out);
    (void)fputc('\'', out);
}

static void fish_option(FILE *out, const verb *v, const option *o)
{
    (void)fprintf(out, "complete -c tessera -n '__tessera_verb %s' -l %s", v->name, o->name);
    if (o->letter) (void)fprintf(out, " -s %c", o->letter);
    if (o->choices) (void)fprintf(out, " -x -a '%s'", o->choices);
    else if (o->type == OPTION_FILE) (void)fputs(" -r -F", out);
    else if (o->type != OPTION_FLAG) (void)fputs(" -x", out);
    (void)fputs(" -d ", out);
    fish_quoted(out, o->help);
    (void)fputc('\n', out);
}

/* What may stand behind a verb. */
static void fish_verb(FILE *out, const verb *v)
{
    char          words[100];
    const option *o;
    const char   *values = takes_verb(v) ? "(__tessera_verbs)" : argument_choices(v, words, sizeof words);
    if (*values && !is_command(v))
        (void)fprintf(out, "complete -c tessera -n '__tessera_words 2; and __tessera_verb %s' -f -a '%s'\n", v->name,
                      values);
    for (int k = 0; (o = verb_option(v, k)); k++) fish_option(out, v, o);
}

static void print_fish(FILE *out, const verb_list *all)
{
    (void)fputs("# Completion of tessera for fish: tessera completion fish\n"
                "function __tessera_words\n    test (count (commandline -opc)) -eq $argv[1]\nend\n"
                "function __tessera_verb\n    set -l words (commandline -opc)\n    set -e words[1]\n"
                "    test \"$words[1]\" = op; and set -q words[2]; and set -e words[1]\n"
                "    for i in (seq (count $argv))\n        test \"$words[$i]\" = $argv[$i]; or return 1\n    end\nend\n"
                "function __tessera_verbs\n    printf '%s\\t%s\\n'",
                out);
    for (int i = 0; i < all->n; i++) {
        const verb *v = all->at[i];
        if (is_command(v)) continue;
        (void)fprintf(out, " \\\n        %s ", v->name);
        fish_quoted(out, v->summary);
    }
    (void)fputs("\nend\ncomplete -c tessera -n '__tessera_words 1' -f -a '(__tessera_verbs)'\n", out);
    for (int i = 0; i < all->n; i++) fish_verb(out, all->at[i]);
}

tess_status completion_print(FILE *out, const char *shell)
{
    static const struct {
        const char *name;
        void (*print)(FILE *out, const verb_list *all);
    } shells[] = { { "bash", print_bash }, { "zsh", print_zsh }, { "fish", print_fish } };
    int       i = 0;
    verb_list all = { 0 };
    while (i < 3 && strcmp(shells[i].name, shell) != 0) i++;
    TESS_CHECK(i < 3, TESS_EARG, "completion: unknown shell \"%s\"; expected bash, zsh or fish", shell);
    const tess_status status = list_verbs(&all);
    if (status == TESS_OK) shells[i].print(out, &all);
    free(all.at);
    return status;
}
