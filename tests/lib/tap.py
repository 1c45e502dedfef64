"""Reads what a test program printed: TAP points, its plan, its exit status."""
import collections
import fnmatch
import re

Result = collections.namedtuple('Result', 'name state why')

POINT = re.compile(r'^(not )?ok\b\s*\d*\s*-?\s*(.*?)\s*(?:#\s*(SKIP)\S*\s*(.*))?$', re.I)
PLAN = re.compile(r'^1\.\.(\d+)\s*(?:#\s*SKIP\S*\s*(.*))?$', re.I)


def read_allowed(path):
    """Patterns of tests/allowed-skips."""
    with open(path) as f:
        lines = [line.split('#')[0].strip() for line in f]
    return [line for line in lines if line]


def skipped(name, why, allowed):
    if any(fnmatch.fnmatch(name, p) for p in allowed):
        return Result(name, 'skipped', why)
    return Result(name, 'failed', f'skipped ({why}), which tests/allowed-skips does not allow')


def last_line(text):
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1].lstrip('# ') if lines else ''


def parse(name, text, code, allowed):
    results, plan = [], None
    if code == 77:
        return [skipped(name, last_line(text) or 'no reason given', allowed)]
    for line in text.splitlines():
        m = PLAN.match(line)
        if m:
            plan = (plan or 0) + int(m.group(1))  # cmocka prints a plan per group
            if m.group(1) == '0':
                results.append(skipped(name, m.group(2) or 'no reason given', allowed))
            continue
        m = POINT.match(line)
        if m and not line.startswith('ok:'):
            full = f'{name}: {m.group(2) or len(results) + 1}'
            if m.group(1):
                results.append(Result(full, 'failed', ''))
            elif m.group(3):
                results.append(skipped(full, m.group(4), allowed))
            else:
                results.append(Result(full, 'passed', ''))
    points = len(results)
    if plan and points != plan:
        results.append(Result(name, 'failed', f'{points} tests ran of {plan} planned (status {code})'))
    elif code and not any(r.state == 'failed' for r in results):
        why = f'killed by signal {-code}' if code < 0 else f'exit status {code}'
        results.append(Result(name, 'failed', f'{why}: {last_line(text)[:200]}'))
    elif not results:
        results.append(Result(name, 'passed', ''))  # a program without TAP: its status speaks
    return results
