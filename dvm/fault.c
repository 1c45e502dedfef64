/* The texts of run-time faults, as dtrace(1) prints them. */
#include "dvm/dvm_impl.h"

const char *dvm_fault_text(unsigned fault)
{
	static const char *const text[DVM_NFAULTS] = {
		[DVM_FLT_UNKNOWN] = "unknown fault",
		[DVM_FLT_BADADDR] = "invalid address",
		[DVM_FLT_BADALIGN] = "invalid alignment",
		[DVM_FLT_ILLOP] = "illegal operation",
		[DVM_FLT_DIVZERO] = "divide-by-zero",
		[DVM_FLT_NOSCRATCH] = "out of scratch space",
		[DVM_FLT_KPRIV] = "invalid kernel access",
		[DVM_FLT_UPRIV] = "invalid user access",
		[DVM_FLT_TUPOFLOW] = "tuple stack overflow",
		[DVM_FLT_BADSTACK] = "bad stack",
		[DVM_FLT_BADSIZE] = "invalid size",
		[DVM_FLT_BADINDEX] = "invalid index",
	};

	return fault < DVM_NFAULTS ? text[fault] : text[DVM_FLT_UNKNOWN];
}
