#!/usr/bin/env python3
"""Emulation in whole zones beyond what tests/lx covers: as an ordinary user, traced from the first instruction, in commands that
enter a running zone, in zones that emulate nothing, and what hostile guests can do to others."""
# lxtest: timeout=300
import json
import os
import re
import shutil
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
import lxtest  # noqa: E402

GUESTS = {
    'uname': '--set kernel-version=4.4.0',
    'olduname': '--set kernel-version=4.4.0',
    'sysinfo': '--set memory=512M',
    'sched_getaffinity': '--set cpus=1',
    'sched_setaffinity': '--set cpus=2',
    'unknown': '--set kernel-version=4.4.0',
    'int80': '--set kernel-version=4.4.0 --set memory=512M --set cpus=1',
}
COUNT = 'lx-syscall:::entry { @[probefunc] = count(); } lx-syscall:::return { @r[probefunc] = count(); }'
TRAPS = {'notify': [], 'ptrace': ['--set', 'trap=ptrace']}


def guest(t, what, name, line, abi, trap, *more, user=None):
    program = lxtest.guest(f'{lxtest.TOP}/tests/lx/{name}.c', abi, 'glibc', ('-static',))
    if user:
        program = lxtest.reachable(program)
    r = lxtest.zonectl('run', *line.split(), *TRAPS[trap], '-e', 'LXTEST_MODE=zone', '-e', f'LXTEST_ARGS={line}', *more, '--',
                       program, cwd=os.path.dirname(program), user=user, timeout=60)
    good = r.returncode == 0 and re.search(r'^1\.\.\d+$', r.out, re.M) and '\nnot ok' not in '\n' + r.out
    t.ok(good, f'{name} {abi} {line} {trap} {what}', r)
    return r


def as_user(t):
    user = lxtest.as_user()
    for name, line in GUESTS.items():
        for abi in ('sys64', 'sys32'):
            for trap in TRAPS:
                guest(t, f'as {"an ordinary user" if os.getuid() == 0 else user}', name, line, abi, trap, user=user)


def traced(t):
    folder = lxtest.scratch()
    for name, line in {**GUESTS, 'signals': '--set kernel-version=4.4.0 --set cpus=1', 'vsyscall': '--set cpus=1'}.items():
        for abi in ('sys64', 'sys32'):
            for trap in TRAPS:
                guest(t, 'traced', name, line, abi, trap, '-e', 'LXTEST_FEWER=10', '-q', '-o', f'{folder}/out', '--dtrace', COUNT)


def how_and_cost(t):
    """What D sees of a call that was emulated, and of one that was not."""
    script = 'lx-syscall::uname:return, lx-syscall::getppid:return { printf("%s %s %d\\n", probefunc, lxhow, lxcost > 0); }'
    for trap, args in TRAPS.items():
        r = lxtest.zonectl('run', '--set', 'kernel-version=4.4.0', *args, '-q', '--dtrace', script, '--', 'sh', '-c',
                           'uname -r >/dev/null')
        seen = set(r.out.split('\n'))
        t.ok('uname emulate 1' in seen or 'uname emulated 1' in seen, f'{trap}: lxhow and lxcost of an emulated call', r)


def entering(t):
    """Commands that enter a zone are under its filter; the monitor keeps nothing of those that ended."""
    for trap, args in TRAPS.items():
        name = f'lxtest-emul-{os.getpid()}'
        r = lxtest.zonectl('run', '-d', '--name', name, '--set', 'kernel-version=4.4.0', *args, '--', 'sleep', '100')
        if not t.ok(r.returncode == 0, f'{trap}: a zone in the background', r):
            continue
        monitor = next(z['monitor'] for z in json.loads(lxtest.zonectl('list', '--json').out) if z['name'] == name)
        outs = [lxtest.zonectl('exec', name, '--', 'uname', '-r') for _ in range(5)]
        t.ok(all(r.out == '4.4.0\n' for r in outs), f'{trap}: commands that enter it see its version', outs[0])

        def descriptors():
            return len(os.listdir(f'/proc/{monitor}/fd'))

        before = descriptors()
        for _ in range(10):
            lxtest.zonectl('exec', name, '--', 'true')
        t.ok(lxtest.wait_for(lambda: descriptors() <= before, 3), f'{trap}: the monitor keeps no listener of theirs')
        lxtest.zonectl('halt', name)


def flood(t):
    """A guest that does nothing but make emulated calls, badly, holds nobody else up."""
    program = lxtest.guest(f'{lxtest.TOP}/tests/guests/flood.c', 'sys64', 'glibc', ('-static',))
    name = f'lxtest-flood-{os.getpid()}'
    for trap, args in TRAPS.items():
        r = lxtest.zonectl('run', '-d', '--name', name, '--set', 'kernel-version=4.4.0', '--set', 'cpus=2', *args, '--', program, '8',
                           cwd=os.path.dirname(program))
        if not t.ok(r.returncode == 0, f'{trap}: a flood', r):
            continue
        rs = [lxtest.zonectl('exec', name, '--', 'uname', '-r', timeout=10) for _ in range(3)]
        t.ok(all(r.out == '4.4.0\n' for r in rs), f'{trap}: others of its zone get their answers', rs[-1])
        r = lxtest.zonectl('run', '--set', 'kernel-version=5.4.0', '--', 'uname', '-r', timeout=10)
        t.eq(r.out, '5.4.0\n', f'{trap}: other zones too', r)
        r = lxtest.zonectl('halt', name, timeout=10)
        t.ok(r.returncode == 0, f'{trap}: it ends when it is told to', r)


def go(t):
    """A runtime that signals its own threads all the time: every call has its answer, and none is repeated for ever."""
    if not shutil.which('go'):
        t.skip('a Go guest', 'no go')
        return
    program = lxtest.go_guest(f'{lxtest.TOP}/tests/guests/uname.go')
    for trap, args in TRAPS.items():
        r = lxtest.zonectl('run', '--set', 'kernel-version=4.4.0', '--set', 'cpus=1', *args, '--', program,
                           cwd=os.path.dirname(program), timeout=60)
        t.eq(r.out, 'bad 0 cpus 1\n', f'{trap}: a Go guest', r)


def idle(t):
    """A zone that makes no emulated call costs nothing: its monitor sleeps."""
    def switches(pid):
        total = 0
        for task in os.listdir(f'/proc/{pid}/task'):
            with open(f'/proc/{pid}/task/{task}/status') as f:
                total += sum(int(line.split()[1]) for line in f if 'ctxt_switches' in line)
        return total

    name = f'lxtest-idle-{os.getpid()}'
    lxtest.zonectl('run', '-d', '--name', name, '--set', 'kernel-version=4.4.0', '--', 'sh', '-c', 'uname -r; sleep 100')
    monitor = next(z['monitor'] for z in json.loads(lxtest.zonectl('list', '--json').out) if z['name'] == name)
    time.sleep(0.5)
    before = switches(monitor)
    time.sleep(1)
    t.ok(switches(monitor) - before <= 4, f'an idle monitor sleeps ({switches(monitor) - before} switches in a second)')
    lxtest.zonectl('halt', name)


def native(t):
    """A zone that emulates nothing has no listener: its guests may have one."""
    r = lxtest.zonectl('run', '--set', 'brand=native', '--', 'uname', '-r')
    t.eq(r.out, os.uname().release + '\n', 'brand native: the host\'s own version', r)


def main():
    t = lxtest.Tap()
    as_user(t)
    entering(t)
    native(t)
    flood(t)
    go(t)
    idle(t)
    how_and_cost(t)
    traced(t)
    t.done()


main()
