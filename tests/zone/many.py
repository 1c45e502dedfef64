#!/usr/bin/env python3
"""Many zones, one after the other and at once, leave no process, mount, cgroup or file."""
# lxtest: alone timeout=600
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
import lxtest  # noqa: E402
import supervise  # noqa: E402


def one_after_the_other(t, who, user, n, name):
    began, bad = time.monotonic(), []
    for i in range(n):
        r = lxtest.zonectl('run', '--name', f'{name}-{i % 7}', '--', 'true', user=user, cwd='/')
        if r.returncode or r.out or r.err:
            bad.append(str(r))
    t.ok(not bad, f'{who}: {n} zones, one after the other', '\n'.join(bad[:3]))
    print(f'# {1000 * (time.monotonic() - began) / n:.1f} ms each')


def at_once(t, who, user, n, name):
    """All of them run before the first may end."""
    running = [lxtest.start(lxtest.ZONECTL, 'run', '--name', f'{name}-at-once-{i}', '--', 'sh', '-c',
                            'echo up; read line; exit 7', user=user, cwd='/', stdin=-1) for i in range(n)]
    up = [p.stdout.readline() for p in running]
    listed = lxtest.zonectl('list', user=user).out
    for p in running:
        p.stdin.write('go\n')
        p.stdin.close()
    err = [p.stderr.read() for p in running]
    codes = [p.wait(30) for p in running]
    t.ok(up == ['up\n'] * n and codes == [7] * n, f'{who}: {n} zones at once', f'{up}\n{codes}\n{"".join(err)[:2000]}')
    t.eq(sum(f'{name}-at-once-' in line for line in listed.splitlines()), n, f'{who}: all are listed')


def main():
    t = lxtest.Tap()
    supervise.prctl(supervise.PR_SET_CHILD_SUBREAPER, 1)
    user = lxtest.as_user()
    for who, name in ([('root', None)] if os.getuid() == 0 else []) + [('user', user)]:
        tag = f'many{os.getpid()}{who[0]}'
        before = lxtest.Snapshot(tag)
        one_after_the_other(t, who, name, 1000, tag)
        at_once(t, who, name, 50, tag)
        t.eq(before.leftovers(), [], f'{who}: no mount, cgroup or file is left')
        left = supervise.wait_gone(2)
        t.ok(not left, f'{who}: no process is left', supervise.describe(left))
    t.done()


main()
