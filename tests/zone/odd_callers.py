#!/usr/bin/env python3
"""Callers that are odd: standard descriptors closed, a working directory that can't be shown, small limits."""
# lxtest: timeout=240
import os
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
import lxtest  # noqa: E402


def sh(user, script, **kw):
    return lxtest.run('sh', '-c', script.replace('ZONECTL', lxtest.reachable(lxtest.ZONECTL) if user else lxtest.ZONECTL), user=user, **kw)


def descriptors(t, name, user):
    """What a guest or a D program writes to a closed descriptor goes nowhere, least of all to one of ours."""
    for closed in ('<&-', '>&-', '2>&-', '<&- >&-', '<&- 2>&-', '>&- 2>&-', '<&- >&- 2>&-'):
        r = sh(user, f'ZONECTL run -- sh -c "for i in 0 1 2; do readlink /proc/self/fd/\\$i; done > /dev/shm/l; echo x; echo y >&2; '
                     f'grep -c socket /dev/shm/l; exit 5" {closed}; echo " $?"', cwd='/', timeout=20)
        want = ('' if '>&-' in closed.split() else 'x\n0\n') + ' 5\n'
        t.ok(r.out == want, f'{name}: a zone with {closed}', r)
        r = sh(user, f'ZONECTL dtrace -q -c "true x" -n "BEGIN {{ printf(\\"seven\\"); }}" {closed}; echo " $?"', cwd='/', timeout=20)
        t.ok(r.out.split() == (['1'] if '>&-' in closed.split() else ['seven', '0']), f'{name}: dtrace with {closed}', r)


def directory(t, name, user, top):
    """A name longer than any mount may have."""
    step = 'd' * 250
    script = f'''cd {top}; exec python3 -c "
import os
for i in range(20): os.mkdir('{step}'); os.chdir('{step}')
os.execv('ZONECTL', ['zonectl', 'run', '--', 'sh', '-c', 'pwd; exit 5'])"'''
    r = sh(user, script, timeout=20)
    t.ok(r.returncode == 5 and r.out == '/\n', f'{name}: a directory with a very long name', r)
    r = sh(user, f'mkdir {top}/gone && cd {top}/gone && rmdir {top}/gone; ZONECTL run -- sh -c "pwd; exit 5"', timeout=20)
    t.ok(r.returncode == 5 and r.out == '/\n', f'{name}: a directory that is gone', r)
    r = sh(user, f'''mkdir "{top}/a
b:,\\\\ c" && cd "{top}/a
b:,\\\\ c" && ZONECTL run -- sh -c "pwd; exit 5"''', timeout=20)
    t.ok(r.returncode == 5 and r.out == f'{top}/a\nb:,\\ c\n', f'{name}: a directory with an odd name', r)


def limits(t, name, user):
    """Clear errors, and a tracer that one limited consumer has started serves others as well."""
    lxtest.wait_for(lambda: False, 1.3)  # the last test's tracer has ended
    r = sh(user, 'ulimit -f 0; ZONECTL run -- true', cwd='/', timeout=20)
    t.ok(r.returncode == 125 and 'File too large' in r.err, f'{name}: a zone where no file may grow', r)
    r = sh(user, 'ulimit -f 0; ZONECTL dtrace -q -c true -n BEGIN', cwd='/', timeout=20)
    t.ok(r.returncode == 1 and 'File too large' in r.err, f'{name}: dtrace where no file may grow', r)
    r = sh(user, 'ulimit -n 10; ZONECTL dtrace -q -c true -n BEGIN; ZONECTL run -- true', cwd='/', timeout=20)
    t.ok('limit of open files' in r.err or (not user and lxtest.run('sh', '-c', 'ulimit -n 10; ulimit -n 99').returncode == 0), f'{name}: dtrace with 10 descriptors', r)
    t.ok(r.returncode == 125 and 'Too many open files' in r.err, f'{name}: a zone with 10 descriptors', r)
    for limit in '-n 70', '-v 60000', '-t 100':
        r = sh(user, f'(ulimit {limit}; exec ZONECTL dtrace -q -c "sleep 1" -n "END {{ trace(1000); }}") & sleep 0.5; '
                     'for i in 1 2 3 4 5 6; do ZONECTL dtrace -q -c true -n "END { trace(7); }" & done; wait', cwd='/', timeout=20)
        t.ok(sorted(r.out.split()) == ['1000'] + 6 * ['7'] and not r.err, f'{name}: sessions beside one with ulimit {limit}', r)


def main():
    t = lxtest.Tap()
    people = (('root', None), ('user', lxtest.as_user())) if os.getuid() == 0 else (('user', None),)
    for name, user in people:
        top = tempfile.mkdtemp(prefix='lxzone-odd-', dir='/var/tmp')
        os.chmod(top, 0o777)
        try:
            descriptors(t, name, user)
            directory(t, name, user, top)
            limits(t, name, user)
        finally:
            shutil.rmtree(top)
    t.done()


main()
