#!/usr/bin/env python3
"""The program is hardened: position independent, bound at start, its relocations read-only, no executable stack, guarded
stacks, checked libc calls."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
import lxtest  # noqa: E402


def main():
    t = lxtest.Tap()
    elf = lxtest.run('readelf', '-W', '-hldsn', lxtest.ZONECTL).out
    if '__asan_init' in elf:
        lxtest.skip_all('a build with sanitizers has their checks instead')
    t.ok(re.search(r'Type:\s+DYN', elf), 'position independent')
    t.ok('BIND_NOW' in elf or re.search(r'FLAGS_1.*NOW', elf), 'bound at start')
    t.ok('GNU_RELRO' in elf, 'relocations are read-only')
    t.ok(re.search(r'GNU_STACK.*\sRW\s', elf), 'the stack is not executable')
    t.ok('__stack_chk_fail' in elf, 'stacks are guarded')
    t.ok(re.search(r'__\w+_chk\b', elf.replace('__stack_chk_fail', '')), 'libc calls are checked')
    t.done()


main()
