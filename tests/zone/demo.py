#!/usr/bin/env python3
"""What the README promises of the demo: top in a zone under the three scripts of examples/, of both ABIs, as root and as a user."""
# lxtest: timeout=300
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
import lxtest  # noqa: E402

I386 = f'{lxtest.BUILD}/guests/i386'


def table(text):
    """Lines of a name and a number, below the heading."""
    return {m.group(1): int(m.group(2)) for m in re.finditer(r'^(\S.*?) +(\d+)$', text, re.M)}


def top(script, user, root):
    """Runs top under a script; what the script printed."""
    folder = lxtest.scratch(user)
    out = f'{folder}/out'
    # The sources and the unpacked root may lie where only root can go.
    source = lxtest.readable(f'{lxtest.TOP}/examples/{script}', folder)
    args = ['--root', root] if root else []
    r = lxtest.zonectl('run', '-q', '-o', out, '--dtrace-script', source, *args, '--', 'top', '-b', '-d', '0.3', '-n', '5',
                       user=user, cwd=folder, env={'TERM': 'dumb'}, timeout=60)
    text = open(out).read() if os.path.exists(out) else ''
    return r, text


def check(t, who, user, abi, root):
    r, text = top('calls-by-count.d', user, root)
    t.ok(r.returncode == 0 and len(re.findall(r'^top - ', r.out, re.M)) == 5, f'{who}, {abi}: top shows five screens', r)
    counts = table(text)
    names = ['read', 'openat', 'close'] + (['mmap2', '_llseek', 'statx', 'ugetrlimit'] if abi == 'i386' else ['mmap', 'newfstatat'])
    t.ok(all(counts.get(n) for n in names), f'{who}, {abi}: calls by count, with the names of the ABI', f'{r}\n{text}')

    r, text = top('calls-by-time.d', user, root)
    times = table(text)
    syscalls, total = times.pop('- all syscalls -', 0), times.pop('- total -', 0)
    t.ok(0 < syscalls <= total and sum(times.values()) == syscalls and 'read' in times,
         f'{who}, {abi}: calls by CPU time add up', f'{r}\n{text}')

    r, text = top('read-sizes.d', user, root)
    rows = re.findall(r'^ +(\d+) \|@* +(\d+) *$', text, re.M)
    t.ok('------------- Distribution -------------' in text and sum(int(n) for _, n in rows) > 10,
         f'{who}, {abi}: read sizes are drawn', f'{r}\n{text}')


def main():
    t = lxtest.Tap()
    user = lxtest.as_user()
    people = [('root', None), ('user', user)] if os.getuid() == 0 else [('user', user)]
    for who, name in people:
        check(t, who, name, 'x86_64', None)
        check(t, who, name, 'i386', lxtest.readable(I386, f'/var/tmp/{lxtest.USER}-i386') if name and os.getuid() == 0 else I386)
    t.done()


main()
