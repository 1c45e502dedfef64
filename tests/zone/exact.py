#!/usr/bin/env python3
"""Counts are exact: programs whose numbers of calls are fixed, of both ABIs, static musl, dynamic glibc and Go, in a zone and as
plain processes. Every entry has its return, but for exit, exit_group and the calls that a process died in. strace agrees."""
# lxtest: timeout=600
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
import lxtest  # noqa: E402

HERE = os.path.join(lxtest.TOP, 'tests', 'guests')
SCRIPT = '''
lx-syscall:::entry { @e[probefunc] = count(); }
lx-syscall:::return { @r[probefunc] = count(); }
END { printa("entry %s %@d\\n", @e); printa("return %s %@d\\n", @r); }
'''
NO_RETURN = {'exit', 'exit_group', 'rt_sigreturn', 'sigreturn'}


def counts(text):
    """The two tables that SCRIPT prints."""
    tables = {'entry': {}, 'return': {}}
    for m in re.finditer(r'^(entry|return) (\S+) (\d+)$', text, re.M):
        tables[m.group(1)][m.group(2)] = int(m.group(3))
    return tables['entry'], tables['return']


def in_zone(argv, folder):
    out = f'{folder}/zone.out'
    r = lxtest.zonectl('run', '-q', '-o', out, '--dtrace', SCRIPT, '--', *argv, cwd=os.path.dirname(argv[0]), timeout=110)
    return r, open(out).read() if os.path.exists(out) else ''


def plain(argv, folder):
    out = f'{folder}/plain.out'
    r = lxtest.dtrace('-q', '-o', out, '-n', SCRIPT, '-c', ' '.join(str(a) for a in argv), timeout=110)
    return r, open(out).read() if os.path.exists(out) else ''


def strace_counts(argv, folder):
    out = f'{folder}/strace.out'
    lxtest.run('strace', '-f', '-qq', '-o', out, *argv, timeout=110)
    found = {}
    with open(out) as f:
        for line in f:
            m = re.match(r'\d+ +(\w+)\(', line)
            if m:
                found[m.group(1)] = found.get(m.group(1), 0) + 1
    return found


def check(t, name, argv, want, single=True, dies=0, strace=True):
    """want: call -> number. single: no thread is in a call when the program ends, so all returns are there; dies: so many are not."""
    for how in (in_zone, plain):
        folder = lxtest.scratch()
        r, text = how(argv, folder)
        entry, ret = counts(text)
        got = {c: entry.get(c, 0) for c in want}
        where = f'{name}, {how.__name__}'
        t.ok(r.returncode == 0 and got == want, f'{where}: entries', f'{r}\n{text}\nwant {want}\ngot {got}')
        bad = {c: (n, ret.get(c, 0)) for c, n in entry.items() if n != ret.get(c, 0) and c not in NO_RETURN}
        missing = sum(n - k for n, k in bad.values())
        fixed_bad = [c for c in bad if c in want and c not in ('clone', 'vfork', 'clone3', 'execve')]
        good = not bad if single else not fixed_bad and 0 <= missing <= dies
        t.ok(good and ret.get('exit_group', 0) == ret.get('exit', 0) == 0, f'{where}: returns', f'entry and return differ: {bad}')
    if strace:
        seen = strace_counts(argv, lxtest.scratch())
        # strace may show the call that ends a program of several threads twice.
        fixed = {c: n for c, n in want.items() if single or c != 'exit_group'}
        t.eq({c: seen.get(c, 0) for c in fixed}, fixed, f'{name}: strace agrees')


def main():
    t = lxtest.Tap()
    programs = {key: lxtest.guest(f'{HERE}/fixed.c', *key) for key in lxtest.compilers()}
    for (abi, libc), fixed in programs.items():
        who = f'{abi} {libc}'
        sigreturn = 'rt_sigreturn' if abi == 'sys64' else 'sigreturn'
        for threads, n in (1, 1000), (2, 300), (64, 20):
            check(t, f'{who} {threads} threads', [fixed, 'threads', threads, n],
                  {'getppid': threads * n, 'getpgrp': threads * n}, single=threads == 1, dies=threads,
                  strace=threads < 64)
        check(t, f'{who} 100 forks', [fixed, 'forks', 100, 3], {'getppid': 300, 'wait4': 100, 'exit_group': 101})
        check(t, f'{who} 50 vforks', [fixed, 'vforks', 50], {'vfork': 50, 'wait4': 50, 'exit_group': 51})
        check(t, f'{who} signals', [fixed, 'signals', 100], {'kill': 100, sigreturn: 100})
        check(t, f'{who} exec in a thread', [fixed, 'threadexec', fixed], {'execve': 2, 'exit_group': 1}, single=False, dies=3)
        check(t, f'{who} 100 execs', [fixed, 'execs', 100, fixed], {'getppid': 101, 'execve': 101})
    paths = list(programs.values())
    if len(paths) > 1:
        check(t, '100 execs through all ABIs', [paths[0], 'execs', 100, *paths[1:], paths[0]], {'getppid': 101, 'execve': 101})
    go = lxtest.go_guest(f'{HERE}/fixed.go')
    check(t, 'Go', [go, 8, 100], {'getppid': 800, 'exit_group': 1}, single=False, dies=64)
    t.done()


main()
