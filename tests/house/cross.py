#!/usr/bin/env python3
"""What is not in an arch/ folder compiles for another architecture, generated files included, with the same warnings. Compiled
only: the libraries of that architecture are not needed, their headers are the host's."""
# lxtest: timeout=600
import concurrent.futures
import json
import os
import re
import shlex
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
import lxtest  # noqa: E402


def cross_compiler():
    """Debian's versioned cross compilers beside gcc-multilib, whose unversioned names conflict."""
    major = lxtest.run('gcc', '-dumpversion').out.split('.')[0].strip()
    names = [f'aarch64-linux-gnu-gcc-{major}', 'aarch64-linux-gnu-gcc']
    return next((n for n in names if shutil.which(n)), None)


def command(entry, cc):
    """The build's own command for a file, for cc, without what only x86 or linking knows."""
    argv = [cc]
    words = iter(shlex.split(entry['command'])[1:])
    for w in words:
        if w in ('-o', '-MF', '-MQ', '-MT'):
            next(words)
        elif not re.match(r'-fcf-protection|-fdiagnostics-color|-MD$|-MMD$|-m(32|64|arch|no-|general)|-c$|-fsanitize', w):
            argv.append(w)
    return argv + ['-Werror', '-c', '-o', '/dev/null', '-idirafter', '/usr/include']


def main():
    cc = cross_compiler()
    if not cc:
        lxtest.skip_all('no compiler for aarch64')
    t = lxtest.Tap()
    with open(f'{lxtest.BUILD}/compile_commands.json') as f:
        entries = json.load(f)

    def wanted(e):
        path = os.path.relpath(os.path.join(e['directory'], e['file']), lxtest.TOP)
        return '/arch/' not in path and not path.startswith('tests/')

    entries = [e for e in entries if wanted(e)]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda e: lxtest.run(*command(e, cc), cwd=e['directory']), entries))
    for e, r in zip(entries, results):
        t.ok(r.returncode == 0, f'compiles for aarch64: {e["file"].removeprefix("../")}', r.err[:3000])
    t.done()


main()
