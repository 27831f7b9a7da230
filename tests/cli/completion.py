"""Completion in zsh and fish, by the shells themselves; that of bash is in frame.py."""
import os
import re
import select
import shutil
import subprocess
import time

from command import COMMAND, TIME_FACTOR, check, finish, skip, tessera

for name in ('picture.mrc', 'stack.mrcs'):
    open(name, 'w').close()
# What is completed, words that must be offered, and words that must not.
CASES = [('tessera conv', ['convert'], ['crop']),
         ('tessera sq', ['sqrt', 'square'], ['convert']),
         ('tessera help cr', ['crop'], ['convert']),
         ('tessera op cr', ['crop'], ['convert']),
         ('tessera op crop --b', ['--box', '--bytes'], ['--factor']),
         ('tessera completion ', ['bash', 'zsh', 'fish'], ['picture.mrc']),
         ('tessera ctf ', ['sim', 'flip'], ['picture.mrc']),
         ('tessera ctf sim --fo', ['--form', '--force'], ['--factor']),
         ('tessera ctf sim --form ', ['abs', 'squared'], ['picture.mrc']),
         ('tessera ctf flip p', ['picture.mrc'], ['stack.mrcs']),
         ('tessera gen ', ['sphere', 'noise'], ['picture.mrc']),
         ('tessera convert --dt', ['--dtype'], ['--scale']),
         ('tessera convert --endian ', ['little', 'big'], ['picture.mrc']),
         ('tessera sqrt --bytes u', ['unsigned'], ['signed']),
         ('tessera convert p', ['picture.mrc'], ['stack.mrcs']),
         ('tessera convert -o ', ['picture.mrc', 'stack.mrcs'], []),
         ('tessera reduce picture.mrc --method me', ['mean', 'median'], ['max']),
         ('tessera crop bin --f', ['--force'], ['--factor'])]

# In zsh, what is added to the list of words is printed instead.
ZSH = r'''PROMPT= RPROMPT=
fpath=("$PWD" $fpath)
autoload -Uz compinit
compinit -u -D
compadd() {
    local -a found
    if [[ " ${@[1,(i)(-|--)]}" == *\ -[a-zA-Z]#[OAD]\ * ]]; then
        builtin compadd "$@"
        return
    fi
    builtin compadd -O found "$@"
    (( $#found )) && print -rl -- "<"${^found}">"
    return 0
}
_print_words() {
    _main_complete
    print "<e""nd>"
    compstate[insert]= compstate[list]=
}
zle -C print-words complete-word _print_words
bindkey '^I' print-words
print "<rea""dy>"
'''


def zsh_words(lines):
    """The words that an interactive zsh offers for each line."""
    import pty
    open('_tessera', 'w').write(tessera('completion', 'zsh').out)
    open('setup.zsh', 'w').write(ZSH)
    child, terminal = pty.fork()
    if child == 0:
        os.environ.update(TERM='dumb', ZDOTDIR=os.getcwd())
        os.execvp('zsh', ['zsh', '-f', '-i'])

    def read_until(mark):
        text, end = b'', time.monotonic() + 60 * TIME_FACTOR
        while mark not in text and time.monotonic() < end:
            if select.select([terminal], [], [], 1)[0]:
                text += os.read(terminal, 65536)
        return text.decode('utf-8', 'replace')

    os.write(terminal, b'source ./setup.zsh\n')
    read_until(b'<ready>')
    for line in lines:
        os.write(terminal, line.encode() + b'\t')
        words = re.findall('<(.*?)>', read_until(b'<end>'))
        os.write(terminal, b'\x15')  # the line is given up
        yield [w for w in words if w != 'end']
    os.write(terminal, b'exit\n')
    os.close(terminal)
    os.waitpid(child, 0)


def fish_words(lines):
    """The words that fish offers for each line."""
    open('tessera.fish', 'w').write(tessera('completion', 'fish').out)
    script = 'source tessera.fish\n' + ''.join(f"complete -C '{line}'\necho '<end>'\n" for line in lines)
    process = subprocess.run(['fish', '--no-config', '-c', script], capture_output=True, text=True, timeout=120 * TIME_FACTOR,
                             env={**os.environ, 'HOME': os.getcwd(), 'PATH': os.path.dirname(COMMAND) + ':' + os.environ['PATH']})
    check(process.returncode == 0 and not process.stderr, 'fish reads its completion', process.stderr[:600])
    for part in process.stdout.split('<end>\n')[:-1]:
        yield [line.split('\t')[0] for line in part.splitlines()]


for shell, words_of in (('zsh', zsh_words), ('fish', fish_words)):
    if not shutil.which(shell):
        skip(f'completion in {shell}', 'it is not installed')
        continue
    for (line, offered, others), words in zip(CASES, words_of([case[0] for case in CASES])):
        good = all(w in words for w in offered) and not any(w in words for w in others)
        check(good, f'{shell}: {line}', ' '.join(words))
finish()
