/* Provider lx-syscall: entry and return of every system call of both ABIs, made from the table of calls. The ABI is the module
 * (sys64, sys32); for scripts from elsewhere the provider may also be spelled `syscall` and the module `vmlinux`. */
#include <errno.h>
#include <stddef.h>

#include "dtrace/provider_impl.h"
#include "dvm/image.h"
#include "lx_syscall/lx.h"

static int syscall_list(struct dt_probes *ps, struct err *e)
{
	for (int abi = 0; abi < LX_NABI; abi++) {
		for (unsigned row = 0; row < lx_nrows; row++) {
			struct dt_probe p = {
				.prov = "lx-syscall", .mod = lx_abi_name(abi), .func = lx_rows[row].name,
				.abi = abi, .row = row, .provider = &dt_provider_syscall,
			};

			if (lx_rows[row].nr[abi] < 0)
				continue;
			p.name = "entry";
			p.kind = DVM_P_SYSCALL_ENTRY;
			if (!dt_probe_add(ps, &p))
				return err_set(e, ENOMEM, "probe %s", p.func);
			p.name = "return";
			p.kind = DVM_P_SYSCALL_RETURN;
			if (!dt_probe_add(ps, &p))
				return err_set(e, ENOMEM, "probe %s", p.func);
		}
	}
	return 0;
}

/* Entry: the call's arguments. Return: the result, as arg0 and arg1 both hold it. */
static const char *syscall_argtype(const struct dt_probe *p, unsigned n)
{
	const struct lx_row *r = &lx_rows[p->row];

	if (p->kind == DVM_P_SYSCALL_RETURN)
		return n < 2 ? "long" : NULL;
	return n < r->nargs[p->abi] ? r->args[p->abi][n].type : NULL;
}

const struct dt_provider dt_provider_syscall = {
	.name = "lx-syscall",
	.alias = "syscall",
	.mod_alias = "vmlinux",
	.list = syscall_list,
	.argtype = syscall_argtype,
};
