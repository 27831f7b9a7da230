"""Projections and reconstructions of 2000 particles of 128 x 128 by the command, beside RELION's where it is installed.

One JSON line each: {"work", "ours_s", "ours_cpu_s", "theirs_s", "theirs_cpu_s", "ratio"}; runs of both alternate, and the best
of each counts. Seconds of processors tell more where others use the machine. RELION's programs of Debian have one thread. Run
as `python3 bench/particles.py build/tessera [particles] [rounds]`.
"""
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time

COMMAND = os.path.abspath(sys.argv[1])
COUNT = int(sys.argv[2]) if len(sys.argv) > 2 else 2000
ROUNDS = int(sys.argv[3]) if len(sys.argv) > 3 else 3
SIDE, APIX = 128, 1.5


def run(words):
    """Seconds of the clock, and of processors."""
    start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.run([str(w) for w in words], capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if process.returncode:
        sys.exit(f"{' '.join(str(w) for w in words)}: exit {process.returncode}\n{process.stderr[-500:]}")
    return (time.perf_counter() - start, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def compare(work, ours, theirs):
    times = [[], []]
    for _ in range(ROUNDS):
        times[0].append(run([COMMAND, *ours, '-f', '-j', 2]))
        if shutil.which(theirs[0]):
            times[1].append(run(theirs))
    best = [[min(t[k] for t in side) if side else None for k in (0, 1)] for side in times]
    print(json.dumps({'work': work, 'ours_s': best[0][0], 'ours_cpu_s': best[0][1], 'theirs_s': best[1][0],
                      'theirs_cpu_s': best[1][1], 'ratio': best[1][0] / best[0][0] if best[1][0] else None}), flush=True)


def with_optics(source, target):
    """RELION needs voltage and Cs in its optics table."""
    text = open(source).read().replace('_rlnOpticsGroupName', '_rlnVoltage\n_rlnSphericalAberration\n_rlnAmplitudeContrast\n'
                                       '_rlnOpticsGroupName', 1).replace('1 opticsGroup1', '1 300 2.7 0.1 opticsGroup1', 1)
    lines = [line.split('#')[0].rstrip() if line.startswith('_rln') else line for line in text.splitlines()]
    open(target, 'w').write('\n'.join(lines) + '\n')


def main():
    with tempfile.TemporaryDirectory(prefix='tessera-bench-') as folder:
        os.chdir(folder)
        run([COMMAND, 'gen', 'sphere', '--size', f'{SIDE},{SIDE},{SIDE}', '--radius', 40, '--soft', 5, '--apix', APIX, '-o', 'map.mrc'])
        run([COMMAND, 'project', 'map.mrc', '--random', COUNT, '-o', 'images.mrcs', '--star', 'made.star'])
        with_optics('made.star', 'p.star')
        compare(f'project {COUNT} of {SIDE}', ['project', 'map.mrc', '--angles', 'p.star', '-o', 'ours.mrcs'],
                ['relion_project', '--i', 'map.mrc', '--ang', 'p.star', '--o', 'theirs', '--angpix', APIX])
        compare(f'reconstruct {COUNT} of {SIDE}', ['reconstruct', 'p.star', '-o', 'ours.mrc'],
                ['relion_reconstruct', '--i', 'p.star', '--o', 'theirs.mrc', '--angpix', APIX, '--pad', 2])


main()
