#!/usr/bin/env python3
"""Makes the C files, the coverage page and the list of needed tests from the tables. generate.py WHAT OUTPUT [OPTIONS]; what
there is: MAKERS at the end. Run by meson but for syscalls.md, which is kept in docs/."""

import os
import re
import subprocess
import sys

import table
from table import ABIS, Bad

HERE = os.path.dirname(os.path.abspath(__file__))
# Names whose value libc's headers change: O_LARGEFILE is 0 there on x86_64, O_SYNC and the like may be spelled otherwise.
NOT_AS_LIBC = ("O_LARGEFILE", "F_GETLK64", "F_SETLK64", "F_SETLKW64", "MADV_SOFT_OFFLINE")
HEAD = "/* Generated from the tables in lx_syscall/ by generate.py: change those. */\n"


def quote(s):
    return '"' + s.replace("\\", "\\\\").replace('"', '\\"') + '"' if s is not None else "NULL"


def rows_h(t):
    out = [HEAD, "#ifndef LX_SYSCALL_LX_ROWS_H\n#define LX_SYSCALL_LX_ROWS_H\n"]
    out.append("/* Index into lx_rows[]. */\nenum lx_row_id {")
    out += [f"\tLX_ROW_{r.name} = {i}," for i, r in enumerate(t.rows)]
    out.append(f"\tLX_NROWS = {len(t.rows)},\n}};\n")
    out.append("/* Families of calls. */\nenum lx_class {")
    out += [f"\tLX_C_{c.upper()}," for c in table.CLASSES]
    out.append("\tLX_NCLASSES,\n};\n")
    for i, abi in enumerate(ABIS):
        out.append(f"#define LX_MAXNR_{abi.upper()} {max(r.nr[i] for r in t.rows)}")
    out.append("\n/* What of a world makes it emulate a row: bits of lx_row_needs[]. */")
    out += [f"#define LX_NEED_{c.upper()} {1 << i}u" for i, c in enumerate(table.CONDITIONS)]
    out.append("\n#endif")
    return "\n".join(out) + "\n"


def arg_count(a, args):
    """Where the number of elements is: 0 none, 1-6 argument, 7 the result; +8: what that argument points to."""
    if not a.count or a.count.isdigit():
        return 0
    if a.count == "ret":
        return 7
    names = [x.name for x in args]
    return names.index(a.count.lstrip("*")) + 1 + (8 if a.count[0] == "*" else 0)


def arg_decode(t, a, args):
    """struct lx_arg.decode: id in the low 9 bits (a set of names, a structure or a special), count above."""
    if a.set:
        return f"LX_SET_{a.set}"
    if a.special:
        return f"LX_SP_{a.special}"
    if a.spec == "hex":
        return "DEC_HEX"
    if a.target:
        n = arg_count(a, args) << 9
        if a.count and a.count.isdigit():
            n = int(a.count) << 13
        return f"LX_S_{a.target.split()[-1]} | {n}" if n else f"LX_S_{a.target.split()[-1]}"
    return "0"


def rows_c(t):
    out = [HEAD, '#include <stddef.h>\n\n#include "lx_syscall/lx.h"\n#include "lx_syscall/decode_impl.h"',
           '#include "lx_syscall/lx_rows.h"\n#include "lx_syscall/lx_impl.h"\n']
    lists, pool = {}, []
    for r in t.rows:
        for i in (0, 1):
            args = r.args[i]
            if r.nr[i] < 0 or not args:
                continue
            body = "".join(
                f"\t{{ {quote(a.name)}, {quote(a.type)}, LX_K_{a.kind}, LX_D_{a.dir}, {arg_decode(t, a, args)}, "
                f"{a.reg}, {a.regs}, {a.width} }},\n" for a in args)
            if body not in lists:
                lists[body] = len(lists)
                pool.append(f"static const struct lx_arg args{lists[body]}[] = {{\n{body}}};\n")
            r.args_id = getattr(r, "args_id", {})
            r.args_id[i] = lists[body]
    out += pool
    out.append("const struct lx_row lx_rows[] = {")
    for r in t.rows:
        ids = getattr(r, "args_id", {})
        refs = ", ".join(f"args{ids[i]}" if i in ids else "NULL" for i in (0, 1))
        counts = ", ".join(str(len(r.args[i]) if r.nr[i] >= 0 else 0) for i in (0, 1))
        err = table.ERRNOS[r.errno] if r.errno else 0
        out.append(f"\t{{ {quote(r.name)}, {quote(r.note)}, {{ {r.nr[0]}, {r.nr[1]} }}, "
                   f"{{ {r.since[0]:#x}, {r.since[1]:#x} }}, {r.removed:#x}, LX_{r.how}, LX_C_{r.cls.upper()}, {err}, "
                   f"{{ {counts} }}, {{ {refs} }} }},")
    out.append("};\nconst unsigned lx_nrows = LX_NROWS;\n")
    for i, abi in enumerate(ABIS):
        by_nr = {r.nr[i]: n for n, r in enumerate(t.rows) if r.nr[i] >= 0}
        out.append(f"const int16_t lx_{abi}_rows[LX_MAXNR_{abi.upper()} + 1] = {{")
        out += ["\t" + " ".join(f"{by_nr.get(n, -1)}," for n in range(a, min(a + 16, max(by_nr) + 1)))
                for a in range(0, max(by_nr) + 1, 16)]
        out.append("};")
    order = sorted(range(len(t.rows)), key=lambda n: t.rows[n].name.encode())
    out.append("const int16_t lx_rows_by_name[LX_NROWS] = {")
    out += ["\t" + " ".join(f"{n}," for n in order[a:a + 16]) for a in range(0, len(order), 16)]
    out.append("};\nconst uint8_t lx_row_needs[LX_NROWS] = {")
    for r in t.rows:
        if r.conditions:
            out.append(f"\t[LX_ROW_{r.name}] = " + " | ".join(f"LX_NEED_{c.upper()}" for c in r.conditions) + ",")
    out.append("};\nconst char *const lx_row_conditions[LX_NROWS] = {")
    out += [f"\t[LX_ROW_{r.name}] = {quote('|'.join(r.conditions))}," for r in t.rows if r.conditions]
    out.append("};\nconst char *const lx_class_names[LX_NCLASSES] = {")
    out.append("\t" + " ".join(f"{quote(c)}," for c in table.CLASSES))
    out.append("};")
    return "\n".join(out) + "\n"


def field_type(a):
    if a.target or a.kind in ("PATH", "STR", "ADDR"):
        return "uint64_t"
    w = abs(a.width)
    if w == 8:
        return "int64_t" if a.width < 0 else "uint64_t"
    return {2: "uint16_t", 4: "int32_t" if a.width < 0 else "uint32_t"}[w]


def args_h(t):
    out = [HEAD, "/* Arguments of each call for its handler: pointers are addresses of the guest, and 64-bit values are whole in both",
           " * ABIs. Calls of both ABIs are laid out as x86_64 has them. */",
           "#ifndef LX_SYSCALL_LX_ARGS_H\n#define LX_SYSCALL_LX_ARGS_H\n\n#include <stdint.h>\n"]
    for r in t.rows:
        args = r.args[0] if r.nr[0] >= 0 else r.args[1]
        if args:
            out.append(f"struct lx_{r.name}_args {{")
            out += [f"\t{field_type(a)} {a.name};" for a in args]
            out.append("};\n")
        elif r.how == "EMULATE":
            out.append(f"struct lx_{r.name}_args {{\n\tchar none;\n}};\n")
    out.append("#endif")
    return "\n".join(out) + "\n"


def handlers_h(t):
    out = [HEAD, "#ifndef LX_SYSCALL_LX_HANDLERS_H\n#define LX_SYSCALL_LX_HANDLERS_H\n",
           '#include "lx_syscall/lx_args.h"\n#include "lx_syscall/lx_rows.h"\n', "struct emul_task;\n",
           "/* Result >= 0, -errno, or EMUL_CONTINUE. */"]
    out += [f"long lx_{r.name}(struct emul_task *t, const struct lx_{r.name}_args *a);"
            for r in t.rows if r.how == "EMULATE"]
    out.append("\n/* By row: takes the arguments from the registers and runs the handler. NULL where there is none. */")
    out.append("typedef long lx_call_fn(struct emul_task *t, const uint64_t regs[6], unsigned abi);")
    out.append("extern lx_call_fn *const lx_calls[LX_NROWS];\n\n#endif")
    return "\n".join(out) + "\n"


def dispatch_c(t):
    out = [HEAD, '#include <stddef.h>\n\n#include "lx_syscall/lx.h"\n#include "lx_syscall/lx_handlers.h"\n']
    rows = [r for r in t.rows if r.how == "EMULATE"]
    for r in rows:
        args = r.args[0] if r.nr[0] >= 0 else r.args[1]
        out.append(f"static long call_{r.name}(struct emul_task *t, const uint64_t regs[6], unsigned abi)\n{{")
        if args:
            out.append(f"\tconst struct lx_arg *d = lx_rows[LX_ROW_{r.name}].args[abi];")
        out.append(f"\tconst struct lx_{r.name}_args a = {{")
        for n, a in enumerate(args):
            out.append(f"\t\t.{a.name} = ({field_type(a)})lx_arg_value(&d[{n}], regs),")
        out.append(f"\t}};\n\n\treturn lx_{r.name}(t, &a);\n}}\n")
    out.append("lx_call_fn *const lx_calls[LX_NROWS] = {")
    out += [f"\t[LX_ROW_{r.name}] = call_{r.name}," for r in rows]
    out.append("};")
    return "\n".join(out) + "\n"


def header_numbers(cc, header):
    """{name: number} of a kernel header, or None where this machine lacks it."""
    p = subprocess.run(cc + ["-dM", "-E", "-x", "c", "-"], input=f"#include <{header}>\n", text=True,
                       stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    if p.returncode:
        return None
    return {m[1]: int(m[2]) for m in re.finditer(r"^#define __NR_(\w+) (\d+)$", p.stdout, re.M)}


def check_c(t, abi, cc):
    """Static assertions of the numbers; a header's call that the table lacks stops the build here."""
    header = ("asm/unistd_64.h", "asm/unistd_32.h")[abi]
    have = {r.name for r in t.rows if r.nr[abi] >= 0}
    lacks = sorted(set(header_numbers(cc, header) or {}) - have)
    if lacks:
        raise Bad(f"<{header}> has calls that syscalls.tbl lacks: {' '.join(lacks)}")
    out = [HEAD, "/* The numbers as this machine's kernel headers have them; headers older than the table lack some. */",
           f"#if defined(__x86_64__) && __has_include(<{header}>)\n#include <{header}>\n"]
    for r in t.rows:
        if r.nr[abi] >= 0:
            out.append(f"#ifdef __NR_{r.name}\n_Static_assert(__NR_{r.name} == {r.nr[abi]}, \"{ABIS[abi]} {r.name}\");\n#endif")
    out.append("\n#endif")
    return "\n".join(out) + "\n"


def names_h(t):
    out = [HEAD, "/* What lx_arg.decode names. */\n#ifndef LX_SYSCALL_LX_NAMES_H\n#define LX_SYSCALL_LX_NAMES_H\n"]
    for what, names in (("SET", list(t.sets)), ("S", t.target_names()), ("SP", t.specials())):
        out.append(f"enum {{\n\tLX_{what}_NONE,")
        out += [f"\tLX_{what}_{n}," for n in names]
        out.append(f"\tLX_N{what},\n}};\n")
    out.append("#endif")
    return "\n".join(out) + "\n"


def names_c(t):
    out = [HEAD, '#include <stddef.h>\n\n#include "lx_syscall/decode_impl.h"\n']
    for s in t.sets.values():
        out.append(f"static const struct lx_name set_{s.name}[] = {{")
        out += [f"\t{{ \"{n}\", {v & (1 << 64) - 1:#x}, {m & (1 << 64) - 1:#x} }}," for n, v, m in s.entries]
        out.append("};\n")
    out.append("const struct lx_set lx_sets[LX_NSET] = {")
    out += [f"\t[LX_SET_{s.name}] = {{ set_{s.name}, {len(s.entries)}, {int(s.flags)} }}," for s in t.sets.values()]
    out.append("};\n")
    for s in t.structs.values():
        for abi in (0, 1):
            out.append(f"static const struct lx_field {ABIS[abi]}_{s.name}[] = {{")
            for f in s.layout[abi][0]:
                dec = f"LX_SET_{f.set}" if f.set else f"LX_S_{f.struct}" if f.struct else "0"
                out.append(f"\t{{ \"{f.name}\", \"{f.type}\", LX_K_{f.kind}, {f.width}, {f.off}, {f.count}, {dec}, {int(f.hidden)} }},")
            out.append("};\n")
    out.append("const struct lx_struct lx_structs[LX_NS][LX_NABI] = {")
    for s in t.structs.values():
        both = ", ".join(f'{{ "{s.type}", {ABIS[i]}_{s.name}, {len(s.layout[i][0])}, {s.layout[i][1]} }}' for i in (0, 1))
        out.append(f"\t[LX_S_{s.name}] = {{ {both} }},")
    out.append("};")
    return "\n".join(out) + "\n"


def names_check_c(t, kernel):
    """Static assertions of each name's value against the headers that its set gives: the kernel's or libc's, which can't
    be included together."""
    def kernels(h):
        return h.split("/")[0] in ("linux", "asm")
    out = [HEAD, "#ifdef __x86_64__ /* some differ elsewhere */\n#include <stddef.h>"]
    for h in sorted({h for s in t.sets.values() for h in s.headers if kernels(h) == kernel}):
        out.append(f"#if __has_include(<{h}>)\n#include <{h}>\n#endif")
    for s in t.sets.values():
        if not kernel and any(kernels(h) for h in s.headers):
            continue
        out += [f"#ifdef {n}\n_Static_assert((unsigned long long){n} == (unsigned long long){v}LL, \"{n}\");\n#endif"
                for n, v, _ in s.entries if n not in NOT_AS_LIBC]
    out.append("#endif")
    return "\n".join(out) + "\n"


def since_md(r):
    if r.never:
        return "never"
    a, b = r.since_text
    text = a if b in ("-", a) else b if a == "-" else f"{a} / {b}"
    return text + (f", removed {r.removed_text}" if r.removed else "")


def how_md(r):
    return {"PASS": "pass", "EMULATE": f"emulate ({', '.join(r.conditions)})", "DENY": f"deny: {r.errno}"}[r.how]


def syscalls_md(t):
    """The coverage page."""
    def nr(n):
        return str(n) if n >= 0 else "-"

    def noted(rows):
        return ["| call | how | why |", "|---|---|---|"] + [f"| {r.name} | {how_md(r)} | {r.note} |" for r in rows]
    by = {h: [r for r in t.rows if r.how == h and not r.never] for h in ("PASS", "EMULATE", "DENY")}
    never = [r for r in t.rows if r.never]
    out = ["# System calls", "",
           "Generated from `lx_syscall/syscalls.tbl` by `lx_syscall/generate.py syscalls.md docs/syscalls.md`; `zonectl syscalls` prints the same.",
           "",
           f"{len(t.rows)} calls: {sum(r.nr[0] >= 0 for r in t.rows)} numbers of x86_64, {sum(r.nr[1] >= 0 for r in t.rows)} of i386. "
           f"{len(by['PASS'])} pass, {len(by['EMULATE'])} are emulated where the zone needs it, {len(by['DENY'])} are denied, "
           f"{len(never)} were never implemented by any kernel.", "",
           "In every zone: a call newer than its kernel version is ENOSYS, as is any unknown number, the x32 ABI and any foreign one. "
           "A call that passes is the kernel's own: it costs nothing more and asks for the capabilities it always asks for, which a guest has in its "
           "own user namespace only. No call is denied with ENOSYS that the kernel has, since programs take that for an older kernel.", "",
           "## Emulated", "", *noted(by["EMULATE"]), "",
           "`uts`: `--set kernel-version` or a domain name; `cpus`, `memory`: the settings of that name. Without them these calls pass too.", "",
           "## Denied", "", *noted(by["DENY"]), "",
           "Never implemented, ENOSYS everywhere: " + ", ".join(r.name for r in never) + ".", "",
           "## Passing, and worth a word", "", *noted([r for r in by["PASS"] if r.note]), "",
           "## All", "", "Since: `A / B`: x86_64 / i386.", "",
           "| call | x86_64 | i386 | since | how | family |", "|---|---|---|---|---|---|"]
    out += [f"| {r.name} | {nr(r.nr[0])} | {nr(r.nr[1])} | {since_md(r)} | {how_md(r)} | {r.cls} |" for r in t.rows]
    return "\n".join(out) + "\n"


def tests_txt(t):
    """Rows that need a guest of their own in tests/lx: emulated ones, and those that contain other calls."""
    inner = ("socketcall", "ipc")
    return "".join(r.name + "\n" for r in t.rows if r.how == "EMULATE" or r.name in inner)


def handlers_of(folder):
    """Names of the handlers that emul/ has, or None before it has any."""
    found = set()
    for f in sorted(os.listdir(folder)):
        if f.endswith(".c"):
            with open(os.path.join(folder, f), encoding="utf-8") as h:
                found |= set(re.findall(r"^long lx_(\w+)\(struct emul_task \*", h.read(), re.M))
    return found or None


def check_handlers(t, folder):
    found = handlers_of(folder)
    if found is None:
        return
    want = {r.name for r in t.rows if r.how == "EMULATE"}
    if want - found:
        raise Bad(f"emulate rows without a handler lx_<name>() in {folder}: {' '.join(sorted(want - found))}")
    if found - want:
        raise Bad(f"handlers of rows that are not emulate: {' '.join(sorted(found - want))}")


class Table:
    """All of it."""

    def __init__(self):
        self.rows = table.read_rows(os.path.join(HERE, "syscalls.tbl"))
        self.structs = table.read_structs(os.path.join(HERE, "structs.tbl"))
        self.sets = table.read_names(os.path.join(HERE, "names.tbl"))
        table.check_uses(self.rows, self.structs, self.sets)

    def target_names(self):
        """What pointers point to: structures first, then what the decoder has a function for."""
        return list(self.structs) + [n.split()[-1] for n in table.TARGETS]

    def specials(self):
        return sorted({a.special for r in self.rows for i in (0, 1) for a in r.args[i] if a.special})


MAKERS = {
    "rows.h": lambda t, o: rows_h(t),
    "rows.c": lambda t, o: rows_c(t),
    "args.h": lambda t, o: args_h(t),
    "names.h": lambda t, o: names_h(t),
    "names.c": lambda t, o: names_c(t),
    "names_kernel.c": lambda t, o: names_check_c(t, True),
    "names_libc.c": lambda t, o: names_check_c(t, False),
    "handlers.h": lambda t, o: handlers_h(t),
    "dispatch.c": lambda t, o: check_handlers(t, o[0]) or dispatch_c(t),
    "syscalls.md": lambda t, o: syscalls_md(t),
    "tests.txt": lambda t, o: tests_txt(t),
    "check64.c": lambda t, o: check_c(t, 0, o),
    "check32.c": lambda t, o: check_c(t, 1, o),
}


def main(argv):
    try:
        text = MAKERS[argv[1]](Table(), argv[3:])
    except Bad as e:
        print(e, file=sys.stderr)
        return 1
    if not (os.path.exists(argv[2]) and open(argv[2], encoding="ascii").read() == text):
        with open(argv[2], "w", encoding="ascii") as f:  # untouched when the same: nothing is compiled again
            f.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
