# Steps with a name, a visible clock and a log. Sourced by bootstrap.

STEP_LOG= # the log of the step that runs

# Shows, while a step runs, for how long it has and the last line it said.
step_clock() { # TITLE LOG
	local start=$SECONDS last width

	while sleep 1; do
		last=$(tail -c 400 "$2" 2>/dev/null | tr '\r' '\n' | grep -v '^[[:space:]]*$' | tail -n 1) || true
		if [ -t 2 ]; then
			width=$(tput cols 2>/dev/null || echo 80)
			printf '\r\033[K%.*s' $((width - 1)) "$1 ... $((SECONDS - start)) s  $last" >&2
		elif [ $(((SECONDS - start) % 10)) -eq 0 ]; then
			printf '  %s s  %.100s\n' $((SECONDS - start)) "$last" >&2
		fi
	done
}

# Runs CMD with its output in a log; on failure shows the log's end, says which step it was and what can be done, exits.
step() { # TITLE HINT CMD...
	local title=$1 hint=$2 clock rc=0 start=$SECONDS
	shift 2

	STEP_LOG=$(mktemp "${TMPDIR:-/tmp}/lxzone-step.XXXXXX")
	[ -t 2 ] && printf '%s ...' "$title" >&2 || printf '%s ...\n' "$title" >&2
	step_clock "$title" "$STEP_LOG" &
	clock=$!
	trap 'kill "$clock" 2>/dev/null; rm -f "$STEP_LOG"' EXIT
	"$@" >"$STEP_LOG" 2>&1 </dev/null || rc=$?
	kill "$clock" 2>/dev/null || true
	wait "$clock" 2>/dev/null || true
	trap - EXIT
	if [ -t 2 ]; then
		printf '\r\033[K' >&2
	fi
	if [ $rc -ne 0 ]; then
		tail -n 40 "$STEP_LOG" >&2
		rm -f "$STEP_LOG"
		fail "$title: failed (status $rc)" "$hint"
	fi
	printf '%s: done, %s s\n' "$title" $((SECONDS - start)) >&2
	rm -f "$STEP_LOG"
}

fail() { # WHAT HINT
	printf 'bootstrap: %s\n' "$1" >&2
	[ -z "${2:-}" ] || printf 'What to do: %s\n' "$2" >&2
	exit 1
}
