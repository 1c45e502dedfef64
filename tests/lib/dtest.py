"""Runs one D test, tst.NAME.d or err.[D_TAG.]NAME.d, as the DTrace suites do.

In comments of the script: `@@runtest-opts: -q -w` (more arguments for dtrace), `@@trigger: NAME ARGS` (run under -c; NAME is
tests/dtrace/triggers/NAME.c or a program of the host), `@@sort` (lines of the output may come in any order), `@@skip: WHY`.
tst: exit status 0 (or `@@status: N`), the output of tst.NAME.out and, if there is tst.NAME.err, what it says on stderr. err.D_TAG: fails to compile with that tag. err: fails.
"""
import difflib
import os
import re
import shlex
import sys

import lxtest


def directives(text):
    return {m.group(1): (m.group(2) or '').strip() for m in re.finditer(r'@@([a-z-]+)(?::([^\n*]*))?', text)}


def trigger(command):
    words = shlex.split(command)
    source = os.path.join(lxtest.TOP, 'tests', 'dtrace', 'triggers', words[0] + '.c')
    if os.path.exists(source):
        words[0] = lxtest.guest(source)
    return shlex.join(words)


def show(text):
    print(''.join(f'# {line}\n' for line in text.splitlines()), end='')


def check_output(path, out, unordered):
    """path: what is expected; a file that does not exist expects nothing in particular."""
    if not os.path.exists(path):
        return True
    with open(path) as f:
        want = f.read()
    got, want = out.splitlines(), want.splitlines()
    if unordered:
        got, want = sorted(got), sorted(want)
    # Blank lines at either end are a matter of the printing action before END, as the suites see it.
    diff = list(difflib.unified_diff(want, got, 'expected', 'printed', lineterm='', n=2))
    show('\n'.join(diff))
    return not diff


def main():
    path = sys.argv[1]
    name = os.path.basename(path)
    with open(path) as f:
        d = directives(f.read())
    if 'skip' in d:
        lxtest.skip_all(d['skip'])
    args = shlex.split(d.get('runtest-opts', ''))
    if 'trigger' in d:
        args += ['-c', trigger(d['trigger'])]
    compile_error = re.match(r'err\.(D_[A-Z0-9_]+)\.', name)
    if compile_error:
        args += ['-x', 'errtags']
    r = lxtest.dtrace(*args, '-s', path, env={'_DTRACE_TESTING': '1'}, cwd=os.path.dirname(path))
    if compile_error:
        good = r.returncode == 1 and f'[{compile_error.group(1)}]' in r.err
    elif name.startswith('err.'):
        good = r.returncode not in (0, 'timeout')
    else:
        good = r.returncode == int(d.get('status', 0))
        good = good and check_output(path[:-2] + '.out', r.out, 'sort' in d)
        good = good and check_output(path[:-2] + '.err', r.err, 'sort' in d)
    print(f'{"ok" if good else "not ok"} 1 - {name}')
    if not good:
        show(str(r))
    print('1..1')
    sys.exit(0 if good else 1)


main()
