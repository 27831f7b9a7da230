"""The command's frame: verbs, options, units, lists, messages, exit codes, progress, signals, help, completion."""
import glob
import json
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import time

import numpy as np

from command import COMMAND, TIME_FACTOR, check, fails, finish, tessera, verb_names


def terminal(*arguments, environment=None, stop=None):
    """Run it with a terminal for stderr (and stdout): (exit code, all that was shown). `stop`: send SIGINT when this
    text has been shown."""
    pid, fd = pty.fork()
    if pid == 0:
        os.environ.update({'TERM': 'xterm', 'SOURCE_DATE_EPOCH': '1000000000', **(environment or {})})
        if not (environment or {}).get('NO_COLOR'):
            os.environ.pop('NO_COLOR', None)
        os.execv(COMMAND, [COMMAND, *map(str, arguments)])
    shown, end, sent = b'', time.monotonic() + 60 * TIME_FACTOR, False
    while time.monotonic() < end:
        if not select.select([fd], [], [], 0.05)[0]:
            continue
        try:
            more = os.read(fd, 65536)
        except OSError:
            break
        if not more:
            break
        shown += more
        if stop and not sent and stop.encode() in shown:
            sent = True
            os.kill(pid, signal.SIGINT)
    else:
        os.kill(pid, signal.SIGKILL)  # it hangs
    _, status = os.waitpid(pid, 0)
    os.close(fd)
    return os.waitstatus_to_exitcode(status), shown.decode('utf-8', 'replace')


# ---- Verbs ----
result = tessera()
check(result.code == 0 and result.out.startswith('Usage: tessera VERB') and not result.err, 'alone: usage', result)
check(tessera('--help').out == result.out and tessera('help').out == result.out, '--help and help are the same')
check(max(map(len, result.out.splitlines())) <= 80, 'the overview is 80 columns wide', result)
check('-V' in result.out and '--version' in result.out and '@list.txt' in result.out, 'the overview names -V and @list', result)
check(tessera('-V').out == tessera('--version').out, '-V is --version')
check(re.fullmatch(r'tessera \d+\.\d+\.\d+\n', tessera('--version').out), '--version', tessera('--version'))
facts = json.loads(tessera('version', '--json').out)[0]
check(re.match(r'(GNU|Clang|AppleClang|Intel\w*) \d+\.', facts['compiler']), 'version names the compiler', tessera('version'))
check('base' in facts['instructions'].split(), 'version names the instruction sets', tessera('version'))
check(('png' in facts['with'].split()) == (' png' in json.loads(tessera('devices', '--json').out)[0]['files']),
      'version names what was built in', tessera('version'))
check(tessera('vers').out == tessera('version').out, 'a verb may be shortened')
fails(tessera('vresion'), 2, 'unknown verb "vresion"', 'did you mean version?')
fails(tessera('bni'), 2, 'did you mean bin?')
fails(tessera('merge'), 2, 'did you mean stack?')
fails(tessera('percentile'), 2, 'did you mean quantile?')
for word in ('foo', 'nosuch', 'wobble', 'gausian'):
    result = tessera(word)
    fails(result, 2, f'unknown verb "{word}"; tessera help lists them')
for word, usage in (('mean', 'IN [-o OUT]'), ('sum', 'IN [-o OUT]'), ('sqrt', 'X -o OUT')):
    check(usage in tessera(word, '--help').out, f'usage of {word}')
fails(tessera('zzzzzz'), 2, 'unknown verb "zzzzzz"', 'tessera help')
fails(tessera('fft_'), 2, '"fft_" is ambiguous: fft_c2c, fft_c2r')
fails(tessera('op', 'sq'), 2, '"sq" is ambiguous: sqrt, square')
fails(tessera('op', 'zzzz'), 2, 'unknown operation "zzzz"')
check(tessera('fft-r2c', '--help').out == tessera('fft_r2c', '--help').out != '', "'-' is '_' in names")
fails(tessera(''), 2, 'unknown verb ""')
fails(tessera('-v', 'sqrt'), 2, '-v precedes the verb')
fails(tessera('version', 'x'), 2, 'unexpected argument "x"')
result = tessera('sqrt')
check(result.code == 2 and not result.out and 'Usage: tessera sqrt' in result.err, 'without arguments: usage', result)

# ---- Options ----
np.save('x.npy', np.arange(12, dtype=np.float32).reshape(3, 4))
fails(tessera('sqrt', 'x.npy', '--jsn'), 2, 'unknown option --jsn', 'did you mean --json?')
fails(tessera('sqrt', 'x.npy', '--zzzzzz'), 2, 'unknown option --zzzzzz', 'tessera sqrt --help')
fails(tessera('version', '--slices', '1'), 2, '--slices does not apply to this verb')
fails(tessera('sqrt', '-z', 'x.npy'), 2, 'unknown option -z')
fails(tessera('sqrt', 'x.npy', '-o'), 2, '-o needs a value: -o OUT')
fails(tessera('sqrt', 'x.npy', '-o', '--json'), 2, '-o needs a value')
fails(tessera('sqrt', 'x.npy', '--json=1'), 2, '--json is a flag')
fails(tessera('sqrt', 'x.npy', '--apix', 'big'), 2, '--apix is "big"; expected a number')
fails(tessera('sqrt', 'x.npy', '--apix', '-1'), 2, '--apix is -1', 'above 0')
fails(tessera('sqrt', 'x.npy', '--bytes', 'odd'), 2, '--bytes is "odd"', 'signed unsigned imod')
fails(tessera('sqrt', 'x.npy', '--apix', '1', '--angpix=2'), 2, '--apix is given twice, as 1 and as 2')
fails(tessera('sqrt', 'x.npy', '--json', '--tsv'), 2, '--json and --tsv')
fails(tessera('sqrt', 'x.npy', '-j', '2.5'), 2, '-j is "2.5"; an integer')
fails(tessera('sqrt', 'x.npy', '-j', '99999'), 2, '-j is 99999', '1 to 1024')
fails(tessera('sqrt', 'x.npy', '-j', '99999999999999999999'), 2, '-j is 99999999999999999999', '2^63')
fails(tessera('sqrt', 'x.npy', '--mem', '4X'), 2, '--mem is "4X"', 'K, M, G or T')
fails(tessera('sqrt', 'x.npy', '--mem', '-4'), 2, '--mem is "-4"', 'not negative')
fails(tessera('sqrt', 'x.npy', '--mem', '10'), 2, '--mem is 10 bytes', '1M or more')
fails(tessera('sqrt', 'x.npy', '--mem', 'nan'), 2, '--mem is "nan"')
for verb in ('sqrt', 'stats'):
    result = tessera(verb, 'x.npy', '--device', 'auto', '-v')
    check(result.code == 0 and '--device auto: cpu' in result.err, 'auto without a GPU', result)
fails(tessera('sqrt', 'x.npy', '--device', 'tpu'), 2, '--device is "tpu"; cpu, gpu, gpu:N, gpu:free or auto')
fails(tessera('sqrt', 'x.npy', '--as', 'heap'), 2, '--as is "heap"', 'volumes=D')
fails(tessera('sqrt', 'x.npy', '--raw', 'shape=2x2'), 2, '--raw needs shape= and dtype=')
fails(tessera('sqrt', 'x.npy', '--raw', 'shap=2x2'), 2, '--raw has "shap=2x2"')
want = tessera('sqrt', 'x.npy').out
for words in (['-qj2', 'x.npy'], ['x.npy', '-q', '-j', '2'], ['--threads=2', 'x.npy'], ['--mem=64M', '--', 'x.npy'],
              ['--mem', '0.5GiB', 'x.npy'], ['--progress=never', 'x.npy']):
    result = tessera('sqrt', *words)
    check(result.code == 0 and result.out == want, f'options as {words}', result)
check(tessera('abs', '--', '-2.5').out == tessera('abs', '-2.5').out == '2.5\n', 'numbers that begin with a minus')

# ---- Slices ----
np.save('n.npy', np.arange(10, dtype=np.int32).reshape(10, 1, 1, 1))


def chosen(text, *more):
    result = tessera('copy', 'n.npy', '--slices', text, '--tsv', *more)
    return [int(line.split('\t')[-1]) for line in result.out.splitlines()[1:]] if result.code == 0 else result.err


for text, want in (('0-2', [0, 1, 2]), ('7-', [7, 8, 9]), ('0-2,5,8-', [0, 1, 2, 5, 8, 9]), ('5,1', [5, 1]),
                   ('::2', list(range(10))[::2]), ('::-3', list(range(10))[::-3]), ('-3:', [7, 8, 9]),
                   ('2:5', [2, 3, 4]), (':100', list(range(10))), ('-1,0', [9, 0]), ('8:2:-2', [8, 6, 4])):
    check(chosen(text) == want, f'--slices {text} is {want}, got {chosen(text)}')
check(chosen('1-3', '--from-one') == [0, 1, 2], '--from-one counts from 1')
fails(tessera('copy', 'n.npy', '--slices', '3-12'), 2, '--slices is "3-12"', '12 is out of range: 0 to 9')
fails(tessera('copy', 'n.npy', '--slices', '0', '--from-one'), 2, '0 is out of range: 1 to 10')
fails(tessera('copy', 'n.npy', '--slices', '5-3'), 2, '5 exceeds 3')
for text in ('a', '1,', ',1', '1--2', '1:2:0', '', '1-2-3', '99999999999999999999'):
    fails(tessera('copy', 'n.npy', '--slices', text), 2, f'--slices is "{text}"', '0-9,12,20-')
fails(tessera('copy', 'n.npy', '--slices', '20:30'), 2, 'none of 10')
fails(tessera('copy', 'n.npy', '--slices', ':3', '--from-one'), 2, 'count from 0')

# ---- Exit codes and messages ----
fails(tessera('sqrt', 'no.npy', '-o', 'y.npy'), 3, 'tessera: error: ', 'no.npy')
open('bad.npy', 'wb').write(b'\x93NUMPY\x01\x00\xff\xff{')
fails(tessera('sqrt', 'bad.npy', '-o', 'y.npy'), 3, 'bad.npy')
np.save('five.npy', np.zeros((5, 1), np.float32))
fails(tessera('add', 'x.npy', 'five.npy', '-o', 'y.npy'), 2, 'add: ', '{1,1,5,1}')
fails(tessera('sqrt', 'x.npy', '--device', 'cuda:7'), 4, 'cuda') if tessera('devices').out.find('gpu           none') > 0 else None
tessera('sqrt', 'x.npy', '-o', 'y.npy')
fails(tessera('sqrt', 'x.npy', '-o', 'y.npy'), 2, 'y.npy')
check(tessera('sqrt', 'x.npy', '-o', 'y.npy', '-f').code == 0, '-f replaces')
result = tessera('add', 'x.npy', 'five.npy', '-o', 'z.npy', '-v')
check('  at ' in result.err and '.c:' in result.err, '-v shows where errors came from', result)
check('  at ' not in tessera('add', 'x.npy', 'five.npy', '-o', 'z.npy').err, 'without -v it does not')

result = tessera('calc', 'a + * b', 'a=x.npy', 'b=x.npy', '-o', 'z.npy')
check(result.code == 2 and 'a + * b' in result.err and re.search(r'^ +\^', result.err, re.M), 'a caret below an expression',
      result)

import mrcfile  # noqa: E402
for name in ('odd1.mrc', 'odd2.mrc', 'odd3.mrc'):
    mrcfile.new(name, np.ones((4, 4), np.float32)).close()
    with open(name, 'r+b') as file:
        file.seek(212)
        file.write(bytes(4))  # no machine stamp
result = tessera('stats', 'odd1.mrc', 'odd2.mrc', 'odd3.mrc')
warnings = [line for line in result.err.splitlines() if 'warning' in line]
check(len(warnings) == 2 and warnings[0].startswith('tessera: warning: odd1.mrc: ') and '2 more times: ' in warnings[1],
      'a warning that comes again is counted', result)
result = tessera('stats', 'odd1.mrc', 'odd2.mrc', 'odd3.mrc', '-v')
check(result.err.count('tessera: warning: odd') == 3, 'with -v it is repeated', result)

# ---- Numbers and tables ----
for text in ('0.1', '1e-7', '123456789', '1e300', '-0.5', '5e-324', '0.30000000000000004', '1e16', '100000', '-0'):
    out = tessera('add', '--', text, '0').out.strip()
    check(float(out) == float(text), f'{text} is printed as {out}')
check(tessera('add', '1', '2').out == '3\n' and tessera('div', '1', '0').out == 'inf\n', 'plain numbers')
np.save('odd.npy', np.array([[1.5, np.nan, np.inf]], dtype=np.float32))
rows = json.loads(tessera('copy', 'odd.npy', '--json').out)
check([row['out'] for row in rows] == [1.5, None, None], 'NaN and infinity are null in JSON')
check(tessera('copy', 'odd.npy', '--tsv').out == 'w\tout\n0\t1.5\n1\tnan\n2\tinf\n', '--tsv')
check(tessera('copy', 'odd.npy').out == 'w  out\n0  1.5\n1  nan\n2  inf\n', 'columns', tessera('copy', 'odd.npy'))
if os.environ.get('LOCPATH'):
    out = tessera('add', '0.5', '0', environment={'LC_ALL': 'de_DE.UTF-8'}).out
    check(out == '0.5\n', f'a point whatever the locale, not {out}')

# ---- Terminals ----
code, shown = terminal('vresion')
check(code == 2 and '\x1b[1;31merror:\x1b[0m' in shown, 'colour on a terminal', shown)
check('\x1b' not in terminal('vresion', environment={'NO_COLOR': '1'})[1], 'NO_COLOR is honoured')
check('\x1b' not in terminal('vresion', environment={'TERM': 'dumb'})[1], 'no colour on a dumb terminal')
check('\x1b' not in tessera('vresion').err, 'no colour in a pipe')

np.save('long.npy', np.full((64, 1, 256, 512), 0.7 + 0.2j, dtype=np.complex64))
work = ('pow', 'long.npy', '1.7', '-o', 'out.npy', '-j', '1', '--mem', '8M')
code, shown = terminal(*work)
lines = [line for line in re.split(r'[\r\n]', shown) if 'left' in line]
check(code == 0 and lines, 'a progress line on a terminal', shown[-500:])
check(lines and re.search(r'pow \[#*\.*\] +\d+ % \d+/64 images, \d+.* [MG]B/s, \d+:\d\d left', lines[-1]), 'its form',
      lines[-1:])
check(all(len(re.sub(r'\x1b\[K', '', line)) <= 80 for line in lines), 'it fits the terminal', lines[:1])
check(shown.rstrip('\r\n').endswith('\x1b[K'), 'it is taken away at the end', shown[-80:])
result = tessera(*work, '-f')
check(result.code == 0 and result.err == '' and result.out == '', 'silence in a pipe', result)
result = tessera(*work, '-f', '--progress', 'always')
told = result.err.splitlines()
check(len(told) <= 10 and '100 %, 64 of 64 images' in told[-1], 'a line for each 10 % in a log', result)
check(terminal(*work, '-f', '--progress', 'never')[1] == '', 'no progress if it is not wanted')
check(terminal(*work, '-f', '-q')[1] == '', 'no progress with -q')

# ---- Signals and pipes ----
before = set(os.listdir('.'))
endless = ('gen', 'noise', '--size', '2048', '--count', '4000', '-o', 'endless.mrcs')  # ended here, however fast it is
code, shown = terminal(*endless, stop='left')
check(code == -signal.SIGINT, f'Ctrl-C ends it by the signal, not {code}', shown[-300:])
check(set(os.listdir('.')) == before, f'and leaves nothing behind: {set(os.listdir(".")) - before}')
process = subprocess.Popen([COMMAND, *endless], stderr=subprocess.DEVNULL)
end = time.monotonic() + 20 * TIME_FACTOR
while set(os.listdir('.')) == before and time.monotonic() < end:
    time.sleep(0.01)
process.send_signal(signal.SIGTERM)
check(process.wait(30 * TIME_FACTOR) == -signal.SIGTERM and set(os.listdir('.')) == before, 'SIGTERM too')
process = subprocess.Popen([COMMAND, 'ops', '--json'], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
process.stdout.read(10)
process.stdout.close()
check(process.stderr.read() == b'' and process.wait(30 * TIME_FACTOR) in (0, -signal.SIGPIPE), 'a closed pipe ends quietly')
if os.path.exists('/dev/full'):
    process = subprocess.run([COMMAND, 'ops', '--json'], stdout=open('/dev/full', 'w'), stderr=subprocess.PIPE)
    check(process.returncode == 3 and b'standard output' in process.stderr, 'a full disk is told', process.stderr)

# ---- Help ----
# 24 lines, or a line for each option where there are many.
def is_short(text):
    lines = text.splitlines()
    options = re.split('Examples:|Also:', text.split('Options:')[-1])[0].strip('\n').split('\n')
    return len(lines) <= 24 or (len(lines) <= 44 and all(re.match(r' +-', line) for line in options))


for name in verb_names():
    words = name.split()
    result = tessera(*words, '--help')
    lines = result.out.splitlines()
    check(result.code == 0 and not result.err, f'{name} --help', result)
    check(is_short(result.out), f'{name} --help has {len(lines)} lines')
    check(max(map(len, lines)) <= 80, f'{name} --help is {max(map(len, lines))} columns wide: '
          f'{[line for line in lines if len(line) > 80]}')
    check(f'Usage: tessera {name}' in result.out and 'Examples:' in result.out, f'{name} --help has usage and examples')
    check(tessera('help', *words).code == 0 and tessera(*words, '-h').out == result.out, f'help {name}')
operations = json.loads(tessera('ops', '--json').out)
for op in operations:
    words = op['call'].split()
    if op['verb']:
        check(words[-1] == op['name'] and tessera(*words[1:], '--help').out.startswith(f"tessera {' '.join(words[1:])}"),
              f"{op['name']} is called as {op['call']}")
    else:
        fails(tessera(op['name'], 'x.npy'), 2, f"{op['name']} is a function of the library, not a verb", op['call'])
check({op['name']: op['call'] for op in operations if op['name'] in ('bin', 'mrc_check', 'xf_write', 'abs')} ==
      {'abs': 'tessera abs', 'bin': 'tessera op bin', 'mrc_check': 'tessera check', 'xf_write': 'in C: tess_xf_write'},
      'how operations are called')
check(len(operations) > 150 and all({'name', 'module', 'help', 'args'} <= set(op) for op in operations), 'ops --json')
for op in operations:
    if not op['verb']:
        continue
    result = tessera('op', op['name'], '--help')
    lines = result.out.splitlines()
    check(result.code == 0 and is_short(result.out) and max(map(len, lines)) <= 80, f'op {op["name"]} --help', result)
check('sqrt' in tessera('help', 'ops').out and 'fft_r2c' in tessera('ops', 'fft').out, 'operations are listed')

# ---- Sub-commands ----
result = tessera('ctf')
check(result.code == 2 and 'Sub-commands:' in result.err and result.err == tessera('ctf', '--help').out, 'a verb of several', result)
check(tessera('ctf', 'si', '--help').out == tessera('ctf', 'sim', '--help').out, 'a sub-command may be shortened')
fails(tessera('ctf', 'simm'), 2, 'ctf: unknown sub-command "simm"', 'sim, apply')
fails(tessera('ctf', '-q', 'sim'), 2, 'ctf: tessera ctf -q sim has no sub-command')
fails(tessera('ctf', 'sim', '--fom', 'abs'), 2, 'ctf sim: unknown option --fom; did you mean --form?')
check('tessera\\-ctf\\-sim' in tessera('help', '--man', 'ctf').out, 'the manual page of its verb names it')

# ---- Manual pages ----
check(tessera('help', '--man-folder', 'man').code == 0 and os.path.exists('man/tessera.1'), 'manual pages')
check(all(os.path.exists(f'man/tessera-{name}.1'.replace(' ', '-')) for name in verb_names()), 'one for each verb')
page = open('man/tessera.1').read()
for name in ('TESS_THREADS', 'TESS_CUDA_PATH', 'CUDA_VISIBLE_DEVICES', 'XDG_CACHE_HOME', 'TESS_DEBUG', 'NO_COLOR'):
    check(f'.B {name}\n' in page.split('.SH ENVIRONMENT')[1], f'the manual page names {name}')
if shutil.which('groff'):
    for page in glob.glob('man/*.1'):
        process = subprocess.run(['groff', '-man', '-Tutf8', '-ww', page], capture_output=True, text=True)
        check(process.returncode == 0 and not process.stderr, f'{page} is troff', process.stderr[:300])

# ---- Completion ----
open('completion.bash', 'w').write(tessera('completion', 'bash').out)
fails(tessera('completion', 'csh'), 2, 'unknown shell "csh"; expected bash, zsh or fish')


def completed(line):
    words = line.split(' ')
    script = f'''source ./completion.bash
COMP_WORDS=({' '.join(repr(w) for w in words)}); COMP_CWORD={len(words) - 1}
_tessera; printf '%s\\n' "${{COMPREPLY[@]}}"; complete -p tessera'''
    process = subprocess.run(['bash', '-c', script], capture_output=True, text=True)
    return process.stdout.split('\n') if process.returncode == 0 else process.stderr


check(subprocess.run(['bash', '-n', 'completion.bash']).returncode == 0, 'bash reads its completion')
check('sqrt' in completed('tessera sq') and 'square' in completed('tessera sq'), 'verbs are completed')
check('--json' in completed('tessera version --js'), 'options are completed', completed('tessera version --js'))
check('unsigned' in completed('tessera sqrt --bytes u'), 'values are completed')
check('linear' in completed('tessera quantile --method l'), 'values of operations are completed')
check('ramp' in completed('tessera gen r') and 'zsh' in completed('tessera completion z'), 'words are completed')
check('--box' in completed('tessera op crop --b'), 'options behind op are completed')
check('sim' in completed('tessera ctf s') and '--form' in completed('tessera ctf sim --fo'), 'sub-commands are completed')
check('squared' in completed('tessera ctf sim --form s'), 'values of sub-commands are completed')
check(completed('tessera sqrt x')[0] == '', 'files are left to the shell')
check(any('complete' in line and '_tessera' in line for line in completed('tessera sq')), 'it is registered')

# ---- About the machine ----
check(re.search(r'^threads +\d+ of \d+ processors', tessera('devices').out, re.M), 'devices', tessera('devices'))
check(json.loads(tessera('devices', '--json').out)[0]['device'] == 'cpu', 'devices --json')
result = tessera('devices', '--selftest')
check(result.code == 0 and 'BAD' not in result.out and result.out.count('good') >= 6, 'devices --selftest', result)
check('r2c f32 by native' in tessera('warm', '64,64').out, 'warm makes plans', tessera('warm', '64,64'))
result = tessera('bench', '--images', '2', '--json')
check({row['work'] for row in json.loads(result.out)} >= {'copy', 'add', 'sum', 'fft', 'read', 'write'}, 'bench', result)
finish()
