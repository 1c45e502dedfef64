# What `./bootstrap demo` shows: top in a zone, under three D scripts. Sourced by bootstrap.

demo_script() { # SCRIPT WHAT RUN-ARGS...
	local script=$1 what=$2 out rc=0
	shift 2

	printf '\n--- %s\n' "$what"
	printf '$ zonectl run --dtrace-script %s' "examples/$script"
	[ $# -eq 0 ] || printf ' %s' "$@"
	printf ' -- top -b -d 1 -n 5\n\n'
	out=$(mktemp "${TMPDIR:-/tmp}/lxzone-demo.XXXXXX")
	# top's own five screens are not what the demo is about.
	step "top runs in a zone for 4 seconds" "'$BUILD/zonectl/zonectl run -- top -b -n 1' shows whether a zone starts" \
		"$BUILD/zonectl/zonectl" run -q -o "$out" --dtrace-script "examples/$script" "$@" -- top -b -d 1 -n 5
	cat "$out"
	rm -f "$out"
}

demo() { # [--i386]
	local args=()

	if [ "${1-}" = --i386 ]; then
		. bootstrap.d/guests.sh
		guests_i386
		args=(--root "$BUILD/guests/i386")
	fi
	export TERM=${TERM:-dumb}
	demo_script calls-by-count.d "Which system calls does top make, and how many of each?" "${args[@]}"
	demo_script calls-by-time.d "How much CPU time does each take, next to all of top's?" "${args[@]}"
	demo_script read-sizes.d "How much does each read(2) return?" "${args[@]}"
	printf '\nThe scripts are in examples/; try one of your own:\n  %s run -q --dtrace %s -- ls\n' \
		"$BUILD/zonectl/zonectl" "'lx-syscall::openat:entry { printf(\"%s\\n\", copyinstr(arg1)); }'"
}
