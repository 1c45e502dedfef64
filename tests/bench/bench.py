#!/usr/bin/env python3
"""What things cost, as ratios to doing without: each pair is measured in turns, so that what else the machine does hits both
alike. Prints, asserts nothing.

    bench.py [--build DIR] [-k PATTERN] [--pairs N]
"""
import argparse
import os
import shutil
import statistics
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
for arg, value in zip(sys.argv, sys.argv[1:]):
    if arg == '--build':
        os.environ['LXZONE_BUILD'] = os.path.abspath(value)
import lxtest  # noqa: E402

BIN = os.path.join(lxtest.BUILD, 'tests', 'bench')
CALLS, CPUTIME = f'{BIN}/calls', f'{BIN}/cputime'


class Failed(Exception):
    pass


def number(*argv, where=-1):
    """The number on a line of a command's output (the last one)."""
    r = lxtest.run(*argv, cwd=BIN, timeout=300)
    try:
        if r.returncode == 0:
            return float(r.out.split()[where])
    except (ValueError, IndexError):
        pass
    raise Failed(str(r))


def in_zone(*argv, args=()):
    return [lxtest.ZONECTL, 'run', *args, '--', *argv]


def progress(text):
    if sys.stderr.isatty():
        sys.stderr.write(f'\r\033[K{text}')
        sys.stderr.flush()


def pairs(name, n, plain, other, unit='ns'):
    """Measures two things in turns and prints the median of the ratios other / plain, and the ratio of the least figures,
    which a busy machine disturbs least."""
    a, b = [], []
    for i in range(n):
        progress(f'{name}: {i + 1} of {n}')
        for kind in (0, 1) if i % 2 else (1, 0):
            (a, b)[kind].append((plain, other)[kind]())
    progress('')
    ratios = sorted(y / x for x, y in zip(a, b))
    low, high = ratios[len(ratios) // 4], ratios[-1 - len(ratios) // 4]
    print(f'{name:44} {statistics.median(ratios):10.3f}x  (half of the pairs: {low:.3f} to {high:.3f}; medians '
          f'{statistics.median(a):.0f} and {statistics.median(b):.0f} {unit}, least {min(b) / min(a):.3f}x; {n} pairs)',
          flush=True)


# ---- Measurements ----

def bench_pass(n):
    count = 1000000
    pairs('getppid in a zone, untraced', n,
          lambda: number(CALLS, 'getppid', count), lambda: number(*in_zone(CALLS, 'getppid', count)))


def write_source(path):
    """A C file of 2,000 lines that gives a compiler ordinary work."""
    with open(path, 'w') as f:
        f.write('#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n')
        for i in range(181):
            f.write(f'''
struct s{i} {{ int a, b; char name[{i + 8}]; struct s{i} *next; }};
static int f{i}(const struct s{i} *p, int n)
{{
	int sum = {i};
	for (; p; p = p->next)
		for (int k = 0; k < n; k++)
			sum += (p->a * k + p->b) % ({i} + 7) + (int)strlen(p->name);
	printf("%d %s\\n", sum, p ? p->name : "none");
	return sum;
}}
''')
        f.write('int main(void)\n{\n\tint r =\n')
        f.write('\t' + ' + '.join(f'f{i}(NULL, {i})' for i in range(181)) + ';\n\treturn r;\n}\n')


def bench_compile(n):
    source = f'{BIN}/generated.c'
    write_source(source)
    cc = [CPUTIME, 'gcc', '-O1', '-w', '-c', source, '-o', '/dev/null']
    pairs('compile of 2,000 lines in a zone, CPU time', n,
          lambda: number(*cc), lambda: number(*in_zone(*cc)), unit='us')


def bench_emulated(n):
    count = 20000
    zone = ['--set', 'kernel-version=4.4.0']
    pairs('uname, emulated', n,
          lambda: number(CALLS, 'uname', count), lambda: number(*in_zone(CALLS, 'uname', count, args=zone)))
    r = lxtest.zonectl('run', *zone, '-q', '-o', '/dev/stderr', '--dtrace',
                       'lx-syscall::uname:return { @ = avg(lxcost); } END { printa("lxcost %@d\\n", @); }',
                       '--', CALLS, 'uname', 1000, cwd=BIN)
    words = r.err.split()
    if r.returncode == 0 and 'lxcost' in words:
        print(f'{"  of which in the handler (lxcost)":44} {words[words.index("lxcost") + 1]:>10} ns')


def bench_traced(n):
    count = 2000
    plain = lambda: number(CALLS, 'getppid', count)  # noqa: E731
    traced = [
        ('getppid, counted by zonectl (ptrace)',
         [lxtest.ZONECTL, 'dtrace', '-q', '-o', '/dev/null', '-n', 'lx-syscall:::entry { @[probefunc] = count(); }',
          '-c', f'{CALLS} getppid {count}']),
        ('getppid, counted by strace -c', ['strace', '-f', '-c', '-o', '/dev/null', CALLS, 'getppid', count]),
        ('getppid, under proot', ['proot', CALLS, 'getppid', count]),
    ]
    for name, argv in traced:
        if shutil.which(argv[0]):
            attempt(name, lambda: pairs(name, n, plain, lambda: number(*argv)))  # noqa: B023
        else:
            print(f'{name:44} not installed')


def attempt(name, fn):
    try:
        fn()
    except Failed as e:
        progress('')
        print(f'{name:44} failed:\n' + ''.join(f'    {line}\n' for line in str(e).splitlines()[:20]))


BENCHES = {'pass': (bench_pass, 15), 'compile': (bench_compile, 30), 'emulated': (bench_emulated, 9),
           'traced': (bench_traced, 7)}


def main():
    ap = argparse.ArgumentParser(description='print what things cost')
    ap.add_argument('--build')
    ap.add_argument('-k', metavar='PATTERN', default='', help='only the measurements whose name contains it: '
                    + ' '.join(BENCHES))
    ap.add_argument('--pairs', type=int, help='how often each pair is measured')
    args = ap.parse_args()
    for name, (fn, n) in BENCHES.items():
        if args.k in name:
            attempt(name, lambda: fn(args.pairs or n))  # noqa: B023


if __name__ == "__main__":
    main()
