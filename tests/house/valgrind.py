#!/usr/bin/env python3
"""valgrind finds nothing wrong, and no leak, in what commands do on the host's side."""
# lxtest: timeout=600
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
import lxtest  # noqa: E402

ERROR = 99
COMMANDS = [
    ['help'],
    ['syscalls'],
    ['syscalls', '--abi', 'sys32', '--json'],
    ['list'],
    ['list', '--json'],
    ['dtrace', '-l'],
    ['dtrace', '-l', '-n', 'lx-syscall::open*:entry'],
    ['dtrace', '-e', '-n', 'lx-syscall::read:return /pid != $pid/ { @a[execname, probefunc] = quantize(arg0); self->x = 1; }'],
    ['dtrace', '-n', 'BEGIN { printf("%d %s", 1 + 2, "x"); @[1] = count(); exit(0); }'],
    ['dtrace', '-n', 'BEGIN { nonsense(; }'],
]


def main():
    if not shutil.which('valgrind'):
        lxtest.skip_all('no valgrind')
    if '__asan_init' in lxtest.run('nm', '-D', lxtest.ZONECTL).out:
        lxtest.skip_all('a build with sanitizers does not run in valgrind')
    t = lxtest.Tap()
    for args in COMMANDS:
        r = lxtest.run('valgrind', '-q', f'--error-exitcode={ERROR}', '--leak-check=full', '--child-silent-after-fork=yes',
                       lxtest.ZONECTL, *args, timeout=120)
        t.ok(r.returncode not in (ERROR, 'timeout') and '==' not in r.err, ' '.join(args)[:60], r)
    t.done()


main()
