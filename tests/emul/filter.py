#!/usr/bin/env python3
"""The guests of tests/lx, static, under the filter of their world and nothing else of a zone: under both traps, as root and as
an ordinary user, and with each kernel feature that emulation can do without switched off."""
# lxtest: timeout=300
import glob
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
import lxtest  # noqa: E402

EMUL_RUN = f'{lxtest.BUILD}/tests/unit/emul_run'
OPTION = {'kernel-version': '-r', 'domainname': '-d', 'cpus': '-c', 'memory': '-m'}
FALLBACKS = {'killable': 'signals', 'syncwake': 'uname', 'nspid': 'sched_setaffinity', 'notify': 'unknown'}


def lines(source):
    with open(source) as f:
        found = [m.group(1).strip() for m in (re.search(r'lxtest: (--.*)', next(f, '')) for _ in range(12)) if m]
    return [line for line in found if 'hostname' not in line]  # what only a whole zone has


def options(line):
    """`--set cpus=1` -> `-c 1`, as emul_run has it."""
    argv = []
    for key, value in re.findall(r'--set ([\w-]+)=(\S+)', line):
        if key == 'memory':
            value = int(value[:-1]) << {'M': 20, 'G': 30}[value[-1]]
        argv += [OPTION[key], value]
    return argv


def one(t, program, line, what, *options_too, user=None, without=None):
    env = {'LXTEST_MODE': 'zone', 'LXTEST_ARGS': line}
    if without:
        env['LXZONE_WITHOUT'] = without
    run = lxtest.reachable(EMUL_RUN) if user else EMUL_RUN
    guest = lxtest.reachable(program) if user else program
    r = lxtest.run(run, *options_too, *options(line), '--', guest, env=env, user=user, timeout=60)
    bad = [x for x in r.out.splitlines() if x.startswith('not ok')]
    if os.getuid() and what == 'ptrace':
        # Outside user namespaces the kernel keeps such a process's memory from a tracer that is not root.
        bad = [x for x in bad if not x.endswith('a process that hides its memory')]
        t.ok(r.returncode in (0, 1) and not bad, f'{os.path.basename(program)} {line} {what}', r)
    else:
        t.ok(r.returncode == 0 and not bad, f'{os.path.basename(program)} {line} {what}', r)


def main():
    t = lxtest.Tap()
    user = lxtest.as_user() if os.getuid() == 0 else None
    for source in sorted(glob.glob(f'{lxtest.TOP}/tests/lx/*.c')):
        name = os.path.basename(source)[:-2]
        for abi, libc in lxtest.compilers():
            if libc != 'glibc':
                continue
            program = lxtest.guest(source, abi, libc, ('-static',))
            for line in lines(source):
                one(t, program, line, 'notify', '-u')
                one(t, program, line, 'ptrace', '-t', 'ptrace')
                if user:
                    one(t, program, line, 'notify as a user', '-u', user=user)
                for feature, of in FALLBACKS.items():
                    if of == name:
                        one(t, program, line, f'without {feature}', '-u', without=feature)
    t.done()


main()
