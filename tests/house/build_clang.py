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
