#!/usr/bin/env python3
"""The manual pages know every verb, option, D variable and D function that the program has."""
import glob
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
import lxtest  # noqa: E402


def read(name):
    with open(os.path.join(lxtest.TOP, name)) as f:
        return f.read()


def page(name):
    """A page's source without its markup."""
    return read(f'docs/man/{name}.scd').replace('\\', '').replace('*', ' ').replace('_', ' ')


def missing(words, text):
    text = text.replace('_', ' ')
    return sorted(w for w in words if not re.search(rf'(?<![\w-]){re.escape(w.replace("_", " "))}(?!\w)', text))


def main():
    t = lxtest.Tap()
    helps = lxtest.zonectl('help').out
    verbs = re.findall(r'^  (\w+) ', helps, re.M)
    t.ok(len(verbs) > 5, 'verbs are shown', helps)
    t.eq(missing(verbs, page('zonectl.1')), [], 'zonectl(1) has every verb')
    for verb in verbs:
        own = f'zonectl-{verb}.1'
        name = own if os.path.exists(f'{lxtest.TOP}/docs/man/{own}.scd') else 'zonectl.1'
        words = lxtest.zonectl('help', verb).out
        if verb in ('help', 'dtrace'):
            continue
        options = re.findall(r'^  (-(?!h\b)\S+)', words, re.M) + re.findall(r'^  ([a-z-]+)=', words, re.M)
        t.eq(missing([o.rstrip(',') for o in options], page(name)), [], f'{name} has every option of {verb}')
    d = page('zonectl-dtrace.1')
    words = set(re.findall(r'^\t-(\w)\b', lxtest.zonectl('help', 'dtrace').out, re.M))
    t.eq(missing({f'-{w}' for w in words} - {'-b', '-H', '-L', '-X', '-3', '-6'}, d), [], 'zonectl-dtrace(1) has every letter')
    variables = re.findall(r'\{ "(\w+)", "\w+", DVM_B_', read('dtrace/ident.c'))
    t.eq(missing(variables, d), [],
         'zonectl-dtrace(1) has every variable')
    t.eq(missing(re.findall(r'\b[FAG]\("(\w+)"', read('dtrace/check_call.c')), d), [],
         'zonectl-dtrace(1) has every function and action')
    used = set()
    for path in glob.glob(f'{lxtest.TOP}/dtrace/*.c') + glob.glob(f'{lxtest.TOP}/zonectl/*.c'):
        if not path.endswith('/options.c'):
            with open(path) as f:
                used |= set(re.findall(r'DT_OPT_([A-Z]+)', f.read()))
    # The event record is of a later version; the program says so.
    t.eq(missing({u.lower() for u in used} - {'record', 'pspec'}, d), [], 'zonectl-dtrace(1) has every option that does something')
    t.done()


main()
