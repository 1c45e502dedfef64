#!/usr/bin/env python3
"""Which calls exist in a zone: every number of both ABIs is tried natively and in zones of several kernel versions. ENOSYS is the
answer exactly where the row is newer in that ABI than the version, or where the host itself says ENOSYS.
lxtest: timeout=300"""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
import lxtest  # noqa: E402

sys.path.insert(0, os.path.join(lxtest.TOP, 'lx_syscall'))
sys.dont_write_bytecode = True
import generate  # noqa: E402
import table  # noqa: E402

# The kernel itself keeps these from every filter, so that its own trampolines work: SIGILL for anybody else, as natively.
UNFILTERED = ('uretprobe', 'uprobe')
VERSIONS = ('2.6.32', '3.10', '4.4', '5.4')


def build(folder, abi):
    """The guest for an ABI, None where the compiler can't make it."""
    path = f'{folder}/versions-{table.ABIS[abi]}'
    r = subprocess.run(['gcc', '-m64' if abi == 0 else '-m32', '-O1', '-Wall', '-Wextra', '-static', '-nostdlib', '-fno-stack-protector',
                        '-fcf-protection=none', '-fno-pic', '-no-pie', f'{lxtest.TOP}/tests/syscalls/versions.c', '-o', path],
                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    return path if r.returncode == 0 else None


def answers(r):
    """{number: True where it is ENOSYS}."""
    return {int(line.split()[0]): line.split()[1] == 'ENOSYS' for line in r.out.splitlines() if len(line.split()) == 2}


def expected(rows, abi, native, version):
    """What a zone of this version (None: the host's) must answer."""
    want = dict.fromkeys(native, True)
    for r in rows:
        if r.nr[abi] >= 0:
            newer = version and table.version(version) < r.since[abi]
            gone = version and r.removed and table.version(version) >= r.removed
            want[r.nr[abi]] = bool(native[r.nr[abi]] or newer or gone)
    return want


def compare(t, rows, abi, got, want, what, r):
    names = {x.nr[abi]: x.name for x in rows}
    wrong = [f'{n} {names.get(n, "?")}: {"ENOSYS" if got.get(n) else "answered" if n in got else "missing"}'
             for n in want if got.get(n) != want[n] and not (n in got and names.get(n) in UNFILTERED)]
    t.ok(not wrong, what, '\n'.join(wrong[:8]) + (f'\n{r}' if len(got) != len(want) else ''))


def main():
    t = lxtest.Tap()
    rows = generate.Table().rows
    user = lxtest.as_user()
    folder = lxtest.scratch(user)
    for abi in (0, 1):
        guest = build(folder, abi)
        if not guest:
            t.skip(f'{table.ABIS[abi]}', 'the compiler makes no such programs')
            continue
        native = answers(lxtest.run(guest, user=user))
        t.ok(len(native) > 600, f'{table.ABIS[abi]}: the guest runs natively')
        runs = [(v, 'notify') for v in (None,) + VERSIONS] + [('3.10', 'ptrace')]
        for version, trap in runs:
            args = (['--set', f'kernel-version={version}'] if version else []) + (['--set', 'trap=ptrace'] if trap == 'ptrace' else [])
            r = lxtest.zonectl('run', *args, '--', guest, cwd=folder, user=user, timeout=100)
            compare(t, rows, abi, answers(r), expected(rows, abi, native, version),
                    f'{table.ABIS[abi]}: {version or "no version of its own"}, {trap}', r)
        if os.getuid() == 0:
            r = lxtest.zonectl('run', '--set', 'kernel-version=4.4', '--', guest, cwd=folder, timeout=100)
            compare(t, rows, abi, answers(r), expected(rows, abi, native, '4.4'), f'{table.ABIS[abi]}: 4.4, a zone of root', r)
    t.done()


main()
