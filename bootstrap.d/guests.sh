# Foreign userlands for the demo and the tests, fetched from Debian without root and without a word to the host's dpkg:
# apt with a state of its own solves and loads, dpkg-deb unpacks. Sourced by bootstrap after choose_builddir.

guests_apt() { # ARCH APT-GET-ARGS...
	local arch=$1 state=$BUILD/guests/apt-$1
	shift

	mkdir -p "$state"/lists/partial "$state"/cache/archives/partial
	# init-system-helpers is only there for maintainer scripts, which never run here; it would bring in Perl.
	cat >"$state/status" <<-EOF
		Package: init-system-helpers
		Status: install ok installed
		Architecture: all
		Multi-Arch: foreign
		Version: 9999
		Maintainer: none
		Description: not needed in an unpacked tree
	EOF
	apt-get -q -y \
		-o Dir::State="$state" -o Dir::State::lists="$state/lists" -o Dir::State::status="$state/status" \
		-o Dir::Cache="$state/cache" -o Dir::Log="$state/cache" -o Debug::NoLocking=1 \
		-o APT::Architecture="$arch" -o APT::Architectures="$arch" -o APT::Sandbox::User="$(id -un)" \
		-o APT::Update::Post-Invoke-Success= -o APT::Install-Recommends=0 \
		-o Acquire::Languages=none -o Acquire::Retries=3 "$@"
}

guests_lists() { # ARCH
	local state=$BUILD/guests/apt-$1

	if [ -f "$state/fresh" ] && [ -z "$(find "$state/fresh" -mmin +720)" ]; then
		return 0
	fi
	guests_apt "$1" update || echo "some lists could not be read; going on"
	touch "$state/fresh"
}

# Unpacks package files into a new tree laid out as Debian 12's and later: /bin and the others are links into /usr.
guests_unpack() { # DIR FILE...
	local dir=$1 tmp=$1.new d f
	shift

	rm -rf "$tmp"
	mkdir -p "$tmp"/usr/bin "$tmp"/usr/sbin "$tmp"/usr/lib "$tmp"/etc "$tmp"/tmp "$tmp"/var "$tmp"/proc "$tmp"/dev "$tmp"/sys
	for d in bin sbin lib; do
		ln -s usr/$d "$tmp/$d"
	done
	for f in "$@"; do
		echo "unpacking ${f##*/}"
		# dpkg-deb -x would put folders in the place of the links.
		dpkg-deb --fsys-tarfile "$f" | tar -x --keep-directory-symlink -C "$tmp"
	done
	printf 'root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n' >"$tmp/etc/passwd"
	printf 'root:x:0:\nnogroup:x:65534:\n' >"$tmp/etc/group"
	chmod -R u+w "$tmp"
	[ ! -e "$dir" ] || { chmod -R u+w "$dir"; rm -rf "$dir"; }
	mv "$tmp" "$dir"
}

guests_make_i386() {
	local archives=$BUILD/guests/apt-i386/cache/archives

	guests_lists i386
	rm -f "$archives"/*.deb
	guests_apt i386 --download-only install procps ncurses-base
	guests_unpack "$BUILD/guests/i386" "$archives"/*.deb
	rm -f "$archives"/*.deb
}

# A 32-bit userland with top: $BUILD/guests/i386.
guests_i386() {
	[ ! -x "$BUILD/guests/i386/usr/bin/top" ] || return 0
	step "Fetching a 32-bit top and its libraries" "check the network; apt's own words are above" guests_make_i386
}

# musl-gcc's specs name absolute paths; here they point into the unpacked tree.
guests_make_musl32() {
	local dir=$BUILD/guests/musl32 tmp=$BUILD/guests/musl32-debs lib

	guests_lists i386
	rm -rf "$tmp"
	mkdir -p "$tmp"
	(cd "$tmp" && guests_apt i386 download musl musl-dev)
	guests_unpack "$dir" "$tmp"/*.deb
	rm -rf "$tmp"
	lib=$dir/usr/lib/i386-linux-musl
	sed -e "s#/usr/#$dir/usr/#g" -e "s#-nostdlib#-nostdlib -m elf_i386#" "$lib/musl-gcc.specs" >"$lib/musl32.specs"
	printf '#!/bin/sh\nexec "${REALGCC:-gcc}" -m32 "$@" -specs "%s"\n' "$lib/musl32.specs" >"$BUILD/guests/musl32-gcc"
	chmod +x "$BUILD/guests/musl32-gcc"
}

# A compiler for 32-bit musl programs: $BUILD/guests/musl32-gcc; its libraries are under $BUILD/guests/musl32.
guests_musl32() {
	[ ! -x "$BUILD/guests/musl32-gcc" ] || return 0
	step "Fetching 32-bit musl" "check the network; apt's own words are above" guests_make_musl32
}
