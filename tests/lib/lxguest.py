"""Runs one guest of tests/lx: natively, then in a zone under each trap, for each ABI and C library the machine has.

The guest prints TAP. Lines `lxtest: --set ...` in its first comment each ask for another run in a zone with those arguments of
`zonectl run`. It finds LXTEST_MODE (native or zone) and LXTEST_ARGS (that line) in its environment.
"""
import re
import os
import sys

import lxtest
import tap


def run_lines(source):
    with open(source) as f:
        head = [next(f, '') for _ in range(12)]
    lines = [m.group(1).strip() for m in (re.search(r'lxtest: (--.*?)(\*/|$)', line) for line in head) if m]
    return lines or ['']


def judge(t, what, r):
    """One test point for one run of the guest; its own points are shown when something is wrong."""
    if r.returncode == 77:
        t.skip(what, tap.last_line(r.out))
        return
    points = tap.parse(what, r.out, r.returncode if isinstance(r.returncode, int) else 124, ['*'])
    bad = [p for p in points if p.state == 'failed']
    t.ok(not bad and r.returncode == 0, what, r)


def main():
    source = sys.argv[1]
    t = lxtest.Tap()
    for abi, libc in lxtest.compilers():
        program = lxtest.guest(source, abi, libc)
        native = {'LXTEST_MODE': 'native', 'LXTEST_ARGS': ''}
        judge(t, f'{abi} {libc} native', lxtest.run(program, env=native))
        for line in run_lines(source):
            for trap in ('notify', 'ptrace'):
                args = line.split() + (['--set', 'trap=ptrace'] if trap == 'ptrace' else [])
                r = lxtest.zonectl('run', *args, '-e', 'LXTEST_MODE=zone', '-e', f'LXTEST_ARGS={line}', '--', program,
                                   cwd=os.path.dirname(program))
                judge(t, f'{abi} {libc} zone {line} {trap}', r)
    t.done()


main()
