"""Runs the command in a folder of its own and counts what was checked.

    from command import check, finish, tessera
    out = tessera('info', 'x.mrc')                 # CompletedProcess: .code, .out, .err
    check(out.code == 0 and 'f32' in out.out, 'info names the dtype', out)
    finish()
"""
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COMMAND = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else 'build/tessera')
FOLDER = tempfile.TemporaryDirectory(prefix='tessera-test-')
os.chdir(FOLDER.name)
passed = failed = skipped = 0
# How much slower tests/run found this machine than a quiet one: limits of time are so much longer.
TIME_FACTOR = max(1, int(os.environ.get('TESS_TEST_TIME_FACTOR', 1)))


class Result:
    def __init__(self, arguments, process):
        self.arguments, self.code = arguments, process.returncode
        self.bytes = process.stdout
        self.out = process.stdout.decode('utf-8', 'replace')
        self.err = process.stderr.decode('utf-8', 'replace')

    def __str__(self):
        return f"$ tessera {' '.join(self.arguments)}\n  exit {self.code}\n  out: {self.out[:600]}\n  err: {self.err[:600]}"


def tessera(*arguments, stdin=b'', environment=None, folder=None):
    arguments = [str(a) for a in arguments]
    process = subprocess.run([COMMAND, *arguments], input=stdin, capture_output=True, timeout=120 * TIME_FACTOR, cwd=folder,
                             env={**os.environ, 'SOURCE_DATE_EPOCH': '1000000000', **(environment or {})})
    return Result(arguments, process)


def verb_names():
    """All verbs that are no operations; those with sub-commands, each followed by them: "ctf", "ctf sim", ..."""
    for name in re.findall(r'^  ([a-z0-9]+) ', tessera('help').out, re.M):
        yield name
        commands = re.search(r'^Sub-commands:\n((?:  .*\n)+)', tessera(name, '--help').out, re.M)
        for command in re.findall(r'^  ([a-z0-9]+) ', commands.group(1), re.M) if commands else []:
            yield f'{name} {command}'


def lines_of(document):
    """Commands of a document: from "$ " on, and on as long as a line ends with a backslash."""
    with open(document) as file:
        text = re.sub(r'\\\n\s*', '', file.read())
    return re.findall(r'^\s*\$ (.*\btessera .*)$', text, re.M)


def check(good, what, result=None):
    global passed, failed
    if good:
        passed += 1
        return True
    failed += 1
    print(f'FAILED: {what}')
    if result is not None:
        print(result)
    return False


def fails(result, code, *parts):
    """The command failed with this code, and its message holds every part."""
    return check(result.code == code and all(part in result.err for part in parts),
                 f'exit {code} with {parts}', result)


def skip(what, why):
    global skipped
    skipped += 1
    print(f'SKIPPED {what}: {why}')


def left(*but):
    """Files in the folder, without these; to see that nothing was left behind."""
    return sorted(name for name in os.listdir('.') if name not in but)


def can_write(name):
    """Was the format of this name built in?"""
    result = tessera('gen', 'constant', '--size', 4, '--dtype', 'u8', '-f', '-o', 'can_write_' + name)
    if result.code == 0:
        os.remove('can_write_' + name)
    return result.code == 0


def finish():
    print(f'{passed} passed, {failed} failed' + (f', {skipped} skipped' if skipped else ''))
    os.chdir('/')
    FOLDER.cleanup()
    sys.exit(1 if failed else 0)
