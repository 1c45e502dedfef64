#!/usr/bin/env python3
"""Zones of older kernels: every row of both ABIs answers ENOSYS exactly when it is newer than the zone's version, or removed
before it, or is denied so, or the host itself says ENOSYS. Each call is made in a child of a static guest."""
# lxtest: timeout=600
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'lx_syscall'))
import lxtest  # noqa: E402
import table  # noqa: E402

VERSIONS = ['2.6.32', '3.10', '4.4', '5.4']
ENOSYS = 38
SLOW = {'sync'}  # exists since ever and takes seconds
PAST_FILTERS = {'uretprobe', 'uprobe'}  # Linux lets these by every seccomp filter (only its own trampolines may make them)


def answers(r):
    return dict(line.split() for line in r.out.splitlines() if len(line.split()) == 2)


def expected(row, abi, version, native):
    """True: must be ENOSYS; False: must not."""
    v = table.version(version)
    if v < row.since[abi] or (row.removed and v >= row.removed):
        return True
    if row.how == 'DENY':
        return row.errno == 'ENOSYS'
    return native == str(ENOSYS)


def main():
    t = lxtest.Tap()
    rows = table.read_rows(os.path.join(lxtest.TOP, 'lx_syscall', 'syscalls.tbl'))
    compilers = lxtest.compilers()
    for abi, name in enumerate(table.ABIS):
        if (name, 'musl') not in compilers:
            t.skip(f'{name}', 'no C library that starts on old kernels (musl)')
            continue
        mine = [r for r in rows if r.nr[abi] >= 0 and r.name not in SLOW | PAST_FILTERS]
        program = lxtest.guest(f'{lxtest.TOP}/tests/guests/every_call.c', name, 'musl')
        args = [f'{r.name}={r.nr[abi]}' for r in mine]
        native = answers(lxtest.run(program, *args, timeout=120))
        t.eq(len(native), len(mine), f'{name}: the host answers every call')
        for version in VERSIONS:
            r = lxtest.zonectl('run', '--set', f'kernel-version={version}', '--', program, *args,
                               cwd=os.path.dirname(program), timeout=120)
            got = answers(r)
            wrong = [f'{row.name} (since {row.since_text[abi]}): {got.get(row.name)}, natively {native.get(row.name)}'
                     for row in mine if row.name not in got or
                     (got[row.name] == str(ENOSYS)) != expected(row, abi, version, native.get(row.name))]
            t.ok(not wrong, f'{name} under {version}: ENOSYS for what it lacks and for nothing else',
                 '\n'.join(wrong[:40]) + ('' if len(got) == len(mine) else f'\n{len(got)} of {len(mine)} answers\n{r.err}'))
    t.done()


main()
