/* Every mistake that the D compiler reports has a tag, the name that libdtrace gives that mistake. Tests and scripts
 * (-x errtags) know them by name. */
#ifndef DTRACE_ERRTAG_H
#define DTRACE_ERRTAG_H

#define DT_ERRTAGS(X) \
	X(D_UNKNOWN)            /* anything without a tag of its own */ \
	X(D_SYNTAX)             /* the text is not D */ \
	X(D_EMPTY)              /* a source without a clause */ \
	X(D_NOREGS)             /* an expression needs more registers than the machine has */ \
	X(D_TYPE_MEMBER)        /* no such member in a struct or union */ \
	X(D_CG_EXPR)            /* an action or aggregating function where a value is wanted */ \
	X(D_CG_DYN)             /* a value without a static type where one is wanted */ \
	X(D_ID_OFLOW)           /* more variables than the program can have */ \
	X(D_PDESC_ZERO)         /* a description that matches no probe */ \
	X(D_PDESC_INVAL)        /* a description that cannot be one */ \
	X(D_PRED_SCALAR)        /* a predicate that is not true or false */ \
	X(D_FUNC_IDENT)         /* call of something that is not a name */ \
	X(D_FUNC_UNDEF)         /* call of an unknown function */ \
	X(D_FUNC_IDKIND)        /* call of something that is not a function */ \
	X(D_OFFSETOF_TYPE)      /* offsetof of something without members */ \
	X(D_OFFSETOF_BITFIELD)  /* offsetof of a bit-field */ \
	X(D_SIZEOF_TYPE)        /* sizeof of something without a size */ \
	X(D_SIZEOF_BITFIELD)    /* sizeof of a bit-field */ \
	X(D_STRINGOF_TYPE)      /* stringof of something that cannot be a string */ \
	X(D_OP_INT)             /* operator needs integers */ \
	X(D_OP_SCALAR)          /* operator needs scalars */ \
	X(D_OP_ARITH)           /* operator needs numbers */ \
	X(D_OP_WRITE)           /* assignment to what cannot be written */ \
	X(D_OP_LVAL)            /* assignment to what is no place */ \
	X(D_OP_INCOMPAT)        /* operands whose types do not go together */ \
	X(D_OP_VFPTR)           /* arithmetic on a pointer to something without a size */ \
	X(D_OP_ARRFUN)          /* assignment to an array or function */ \
	X(D_OP_PTR)             /* -> on what is no pointer */ \
	X(D_OP_SOU)             /* . or -> on what has no members */ \
	X(D_OP_INCOMPLETE)      /* use of a type that was declared and never defined */ \
	X(D_OP_DYN)             /* operator on an aggregation or another untyped thing */ \
	X(D_OP_ACT)             /* operator on an action */ \
	X(D_AGG_REDEF)          /* two aggregating functions for one aggregation */ \
	X(D_AGG_FUNC)           /* aggregation assigned something else than an aggregating function */ \
	X(D_AGG_MDIM)           /* @a[x][y] */ \
	X(D_AGG_NULL)           /* a statement that only names an aggregation */ \
	X(D_AGG_SCALAR)         /* aggregating function needs a scalar */ \
	X(D_ARR_BADREF)         /* tuple used on what is no associative array */ \
	X(D_ARR_BOUNDS)         /* constant index outside an array */ \
	X(D_ARR_LOCAL)          /* associative array as a clause-local variable */ \
	X(D_DIV_ZERO)           /* division by a constant zero */ \
	X(D_DEREF_NONPTR)       /* * on what is no pointer */ \
	X(D_DEREF_VOID)         /* * on void * */ \
	X(D_DEREF_FUNC)         /* * on a pointer to a function */ \
	X(D_ADDROF_LVAL)        /* & on what is no place */ \
	X(D_ADDROF_VAR)         /* & on a D variable */ \
	X(D_ADDROF_BITFIELD)    /* & on a bit-field */ \
	X(D_XLATE_REDECL)       /* a second translator for the same types */ \
	X(D_XLATE_NOCONV)       /* member that the translator does not give */ \
	X(D_XLATE_NONE)         /* no translator for these types */ \
	X(D_XLATE_SOU)          /* translation to something without members */ \
	X(D_XLATE_INCOMPAT)     /* translator member with a value of another type */ \
	X(D_XLATE_MEMB)         /* translator member that the type lacks */ \
	X(D_CAST_INVAL)         /* cast between types that cannot be cast */ \
	X(D_PRAGERR)            /* #error */ \
	X(D_PRAGCTL_INVAL)      /* unknown # directive */ \
	X(D_PRAGMA_INVAL)       /* unknown #pragma */ \
	X(D_PRAGMA_MALFORM)     /* #pragma with wrong arguments */ \
	X(D_PRAGMA_OPTSET)      /* option that cannot be set */ \
	X(D_PRAGMA_DEPEND)      /* #pragma depends_on something that is missing */ \
	X(D_MACRO_UNDEF)        /* macro argument or variable that does not exist */ \
	X(D_MACRO_OFLOW)        /* macro argument too big for an integer */ \
	X(D_MACRO_UNUSED)       /* more macro arguments than the program uses */ \
	X(D_INT_OFLOW)          /* integer constant too big */ \
	X(D_INT_DIGIT)          /* integer constant with a wrong digit */ \
	X(D_STR_NL)             /* string constant across lines */ \
	X(D_CHR_NL)             /* character constant across lines */ \
	X(D_CHR_NULL)           /* '' */ \
	X(D_CHR_OFLOW)          /* character constant of more than eight characters */ \
	X(D_IDENT_BADREF)       /* name used as something it is not */ \
	X(D_IDENT_UNDEF)        /* name that is not known */ \
	X(D_VAR_UNDEF)          /* self-> or this-> variable read before anything gives it a type */ \
	X(D_PROTO_LEN)          /* wrong number of arguments or keys */ \
	X(D_PROTO_ARG)          /* argument or key of a wrong type */ \
	X(D_ARGS_MULTI)         /* args[] where probes of different types match */ \
	X(D_ARGS_NONE)          /* args[] outside a clause */ \
	X(D_ARGS_TYPE)          /* args[] of a type that is not known */ \
	X(D_ARGS_IDX)           /* args[] beyond the probe's arguments */ \
	X(D_KEY_TYPE)           /* key that cannot be one */ \
	X(D_PRINTF_ARG_FMT)     /* format that is no string constant */ \
	X(D_PRINTF_FMT_EMPTY)   /* empty format */ \
	X(D_PRINTF_FMT_UNDEF)   /* conversion that does not exist */ \
	X(D_PRINTF_DYN_PROTO)   /* no argument for a * in a format */ \
	X(D_PRINTF_DYN_TYPE)    /* argument for a * that is no integer */ \
	X(D_PRINTF_AGG_CONV)    /* %@ outside printa() */ \
	X(D_PRINTF_ARG_PROTO)   /* conversion without an argument */ \
	X(D_PRINTF_ARG_TYPE)    /* argument of a wrong type for its conversion */ \
	X(D_PRINTF_ARG_EXTRA)   /* argument without a conversion */ \
	X(D_DECL_CHARATTR)      /* long char and the like */ \
	X(D_DECL_VOIDATTR)      /* unsigned void and the like */ \
	X(D_DECL_SIGNINT)       /* signed or unsigned with a type that is no integer */ \
	X(D_DECL_LONGINT)       /* short or long with a type that is no number */ \
	X(D_DECL_IDENT)         /* declaration without a type, or with an unknown one */ \
	X(D_DECL_CLASS)         /* two storage classes */ \
	X(D_DECL_BADCLASS)      /* storage class that D does not have */ \
	X(D_DECL_PARMCLASS)     /* parameter with a storage class */ \
	X(D_DECL_COMBO)         /* type specifiers that do not go together */ \
	X(D_DECL_ARRSUB)        /* array size that is no positive constant */ \
	X(D_DECL_ARRNULL)       /* array without a size */ \
	X(D_DECL_ARRBIG)        /* array too big */ \
	X(D_DECL_IDRED)         /* name declared twice, differently */ \
	X(D_DECL_TYPERED)       /* type defined twice */ \
	X(D_DECL_MNAME)         /* member without a name */ \
	X(D_DECL_SCOPE)         /* ` in a declared name */ \
	X(D_DECL_BFCONST)       /* bit-field size that is no constant */ \
	X(D_DECL_BFSIZE)        /* bit-field too wide */ \
	X(D_DECL_BFTYPE)        /* bit-field that is no integer */ \
	X(D_DECL_ENCONST)       /* enumerator value that is no constant */ \
	X(D_DECL_ENOFLOW)       /* enumerator value beyond int */ \
	X(D_DECL_USELESS)       /* declaration that declares nothing */ \
	X(D_DECL_LOCASSC)       /* associative array declared as clause-local */ \
	X(D_DECL_VOIDOBJ)       /* variable of type void */ \
	X(D_DECL_INCOMPLETE)    /* variable of a type that is not defined */ \
	X(D_DECL_PROTO_TYPE)    /* parameter of a type that cannot be one */ \
	X(D_DECL_PROTO_VOID)    /* void beside other parameters */ \
	X(D_PRINTA_PROTO)       /* printa() with the wrong number of arguments */ \
	X(D_PRINTA_AGGARG)      /* printa() of what is no aggregation */ \
	X(D_PRINTA_AGGBAD)      /* printa() of an aggregation that nothing fills */ \
	X(D_PRINTA_AGGKEY)      /* printa() of aggregations with different numbers of keys */ \
	X(D_PRINTA_AGGPROTO)    /* printa() of aggregations with keys of different types */ \
	X(D_TRACE_VOID)         /* trace() of nothing */ \
	X(D_TRACE_DYN)          /* trace() of an untyped thing */ \
	X(D_TRACE_AGG)          /* trace() of an aggregation */ \
	X(D_PRINT_VOID)         /* print() of nothing */ \
	X(D_PRINT_DYN)          /* print() of an untyped thing */ \
	X(D_PRINT_AGG)          /* print() of an aggregation */ \
	X(D_TRACEMEM_ADDR)      /* tracemem() address that is none */ \
	X(D_TRACEMEM_SIZE)      /* tracemem() size that is no positive constant */ \
	X(D_TRACEMEM_ARGS)      /* tracemem() with the wrong number of arguments */ \
	X(D_TRACEMEM_DYNSIZE)   /* tracemem() run-time size that is no integer */ \
	X(D_LQUANT_BASETYPE)    /* lquantize() base that is no integer constant */ \
	X(D_LQUANT_BASEVAL)     /* lquantize() base beyond 32 bits */ \
	X(D_LQUANT_LIMTYPE)     /* lquantize() limit that is no integer constant */ \
	X(D_LQUANT_LIMVAL)      /* lquantize() limit beyond 32 bits */ \
	X(D_LQUANT_MISMATCH)    /* lquantize() limit below its base */ \
	X(D_LQUANT_STEPTYPE)    /* lquantize() step that is no positive constant */ \
	X(D_LQUANT_STEPVAL)     /* lquantize() step beyond 16 bits */ \
	X(D_LQUANT_STEPLARGE)   /* lquantize() step larger than the range */ \
	X(D_LQUANT_STEPSMALL)   /* lquantize() with more than 65,535 steps */ \
	X(D_LQUANT_MATCHBASE)   /* lquantize() base unlike the one before */ \
	X(D_LQUANT_MATCHLIM)    /* lquantize() limit unlike the one before */ \
	X(D_LQUANT_MATCHSTEP)   /* lquantize() step unlike the one before */ \
	X(D_LLQUANT_FACTORTYPE) /* llquantize() factor that is no integer constant */ \
	X(D_LLQUANT_FACTORVAL)  /* llquantize() factor beyond its range */ \
	X(D_LLQUANT_FACTORSMALL) /* llquantize() factor below 2 */ \
	X(D_LLQUANT_LMAGTYPE)   /* llquantize() low magnitude that is no integer constant */ \
	X(D_LLQUANT_LMAGVAL)    /* llquantize() low magnitude beyond its range */ \
	X(D_LLQUANT_HMAGTYPE)   /* llquantize() high magnitude that is no integer constant */ \
	X(D_LLQUANT_HMAGVAL)    /* llquantize() high magnitude beyond its range */ \
	X(D_LLQUANT_HMAGLARGE)  /* llquantize() high magnitude whose power does not fit 64 bits */ \
	X(D_LLQUANT_MAGRANGE)   /* llquantize() high magnitude below the low one */ \
	X(D_LLQUANT_STEPTYPE)   /* llquantize() step count that is no integer constant */ \
	X(D_LLQUANT_STEPVAL)    /* llquantize() step count beyond its range */ \
	X(D_LLQUANT_STEPSMALL)  /* llquantize() step count below the factor */ \
	X(D_LLQUANT_FACTOREVEN) /* llquantize() step count that does not divide a power of the factor */ \
	X(D_LLQUANT_MATCHFACTOR) /* llquantize() factor unlike the one before */ \
	X(D_LLQUANT_MATCHLMAG)  /* llquantize() low magnitude unlike the one before */ \
	X(D_LLQUANT_MATCHHMAG)  /* llquantize() high magnitude unlike the one before */ \
	X(D_LLQUANT_MATCHSTEPS) /* llquantize() step count unlike the one before */ \
	X(D_CLEAR_PROTO)        /* clear() with the wrong number of arguments */ \
	X(D_CLEAR_AGGARG)       /* clear() of what is no aggregation */ \
	X(D_CLEAR_AGGBAD)       /* clear() of an aggregation that nothing fills */ \
	X(D_NORMALIZE_PROTO)    /* normalize() or denormalize() with the wrong number of arguments */ \
	X(D_NORMALIZE_SCALAR)   /* normalize() by what is no scalar */ \
	X(D_NORMALIZE_AGGARG)   /* normalize() of what is no aggregation */ \
	X(D_NORMALIZE_AGGBAD)   /* normalize() of an aggregation that nothing fills */ \
	X(D_TRUNC_PROTO)        /* trunc() with the wrong number of arguments */ \
	X(D_TRUNC_SCALAR)       /* trunc() to what is no scalar */ \
	X(D_TRUNC_AGGARG)       /* trunc() of what is no aggregation */ \
	X(D_TRUNC_AGGBAD)       /* trunc() of an aggregation that nothing fills */

enum dt_errtag {
#define DT_ERRTAG_ENUM(name) name,
	DT_ERRTAGS(DT_ERRTAG_ENUM)
#undef DT_ERRTAG_ENUM
	DT_NERRTAGS
};

const char *dt_errtag_name(enum dt_errtag tag);

#endif
