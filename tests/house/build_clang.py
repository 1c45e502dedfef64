#!/usr/bin/env python3
"""clang has nothing to warn about; built with its address and undefined-behaviour sanitizers, the unit tests pass and the fuzz
targets, driven by libFuzzer, stand a short run."""
# lxtest: timeout=900
import glob
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
import checks  # noqa: E402
import lxtest  # noqa: E402

FUZZ_SECONDS = 600 if lxtest.LONG else 4


def sanitized_zones(t, zonectl):
    """Whole zones and sessions; what monitors and holders, which have no terminal, find wrong is in files."""
    logs = lxtest.scratch()
    os.chmod(logs, 0o777)
    env = {'ASAN_OPTIONS': f'log_path={logs}/asan', 'UBSAN_OPTIONS': f'print_stacktrace=1:log_path={logs}/ubsan'}
    trace = ['--dtrace', 'lx-syscall:::return { @[execname, probefunc, lxhow] = quantize(lxcost); self->x = arg0; }']
    for words in (['run', '--', 'true'], ['run', '-q', *trace, '--', 'sh', '-c', 'ls / | sort; uname'],
                  ['run', '-q', '--set', 'kernel-version=4.4.0', *trace, '--', 'uname', '-r'],
                  ['run', '-q', '--set', 'trap=ptrace', '--set', 'cpus=1', *trace, '--', 'nproc'],
                  ['dtrace', '-q', '-c', 'ls /', '-n', 'lx-syscall::open*:entry { @[copyinstr(arg1)] = count(); }'],
                  ['dtrace', '-l'], ['list', '--json'], ['syscalls', '--json']):
        r = lxtest.run(zonectl, *words, env=env, cwd='/')
        t.ok(r.returncode == 0, 'sanitized zonectl ' + ' '.join(words)[:60], r)
    text = ''.join(open(f).read()[:4000] for f in sorted(glob.glob(f'{logs}/*san*')))
    t.ok(not text, 'nothing is wrong in any process of theirs', text)


def main():
    t = lxtest.Tap()
    folder = checks.build(t, 'clang', 'clang', '-Dwerror=true', '-Dfuzzer=true', '-Db_sanitize=address,undefined',
                          '-Db_lundef=false', '-Dc_args=-fno-sanitize-recover=all -fno-omit-frame-pointer')
    if not folder:
        t.done()
    env = {'ASAN_OPTIONS': 'detect_leaks=1:strict_string_checks=1:detect_stack_use_after_return=1',
           'UBSAN_OPTIONS': 'print_stacktrace=1'}
    for source in sorted(glob.glob(f'{lxtest.TOP}/tests/unit/test_*.c')):
        name = os.path.basename(source)[:-2]
        r = lxtest.run(f'{folder}/tests/unit/{name}', env=env, timeout=120)
        t.ok(r.returncode == 0, f'sanitized {name}', r)
    sanitized_zones(t, f'{folder}/zonectl/zonectl')
    for source in sorted(glob.glob(f'{lxtest.TOP}/tests/fuzz/fuzz_*.c')):
        name = os.path.basename(source)[:-2]
        # libFuzzer writes what it finds into the first folder: not into the sources.
        work = lxtest.scratch()
        given = f'{lxtest.TOP}/tests/fuzz/corpus/{name[5:]}'
        if os.path.isdir(given):
            shutil.copytree(given, f'{work}/corpus')
        os.makedirs(f'{work}/corpus', exist_ok=True)
        r = lxtest.run(f'{folder}/tests/fuzz/{name}', f'-max_total_time={FUZZ_SECONDS}', '-seed=1', '-max_len=4096',
                       '-timeout=10', '-print_final_stats=0', '-verbosity=0', f'{work}/corpus', env=env, cwd=work,
                       timeout=FUZZ_SECONDS + 60)
        t.ok(r.returncode == 0, f'fuzzed {name} for {FUZZ_SECONDS} s', r)
        if r.returncode:
            for crash in glob.glob(f'{work}/*-*'):
                keep = os.path.join(lxtest.BUILD, f'{name}-{os.path.basename(crash)}')
                shutil.copyfile(crash, keep)
                print(f'# the input is in {keep}')
    t.done()


main()
