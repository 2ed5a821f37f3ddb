#!/bin/bash
# One line in a root of its own: namespaces, a root of memory, no network. Called by trace.ts as
#   unshare -Urmpnif --kill-child bash sandbox.sh BASE CWD < LINE
# and prints what ran. Each program is either the real one that records itself first (what carries others: sh, env, xargs,
# find, git, …), or a stub that only records. A line can do nothing outside.
set -e
base=$1 cwd=$2
line=$(cat; printf x); line=${line%x}
root=$base/root
mount -t tmpfs none "$root"
cd "$root"
mkdir -p usr lib lib64 bin sbin opt dev proc etc tmp real old home/me srv var/log mnt boot Users
cp -a "$base/seed/." .
for dir in usr/lib usr/libexec usr/share lib lib64; do
  [ -d "/$dir" ] || continue
  mkdir -p "$dir"
  mount --rbind "/$dir" "$dir"
  mount -o remount,bind,ro,nosuid "$dir" 2>/dev/null || mount -o remount,bind,ro "$dir"
done
mkdir -p usr/bin usr/sbin usr/local/bin usr/local/sbin real/bin
mount --rbind /usr/bin real/bin
mount -o remount,bind,ro,nosuid real/bin 2>/dev/null || mount -o remount,bind,ro real/bin
for name in null zero urandom tty; do touch "dev/$name"; mount --bind "/dev/$name" "dev/$name" || true; done
mount -t proc proc proc
ln -s /proc/self/fd dev/fd
pivot_root . old
export PATH=/real/bin
hash -r
umount -l /old
# Whatever else the line names may be a program.
while read -r word; do
  case $word in
    /*bin/* | /opt/*) path=$word ;;
    *) path=/usr/bin/$word ;;
  esac
  [ -e "$path" ] && continue
  [ -d "${path%/*}" ] || mkdir -p "${path%/*}"
  sed "s/@NAME@/${word##*/}/" /stub >"$path"
  chmod 755 "$path"
done < <(printf '%s' "$line" | grep -oE '[A-Za-z0-9_./+-]+' | grep -E '^[A-Za-z0-9_][A-Za-z0-9_.+-]*$|^/[a-z/]*bin/.|^/opt/.' | grep -v '/$' | sort -u)
mkdir -p "$cwd"
[ "$cwd" = /work/project ] || cp -a /work/project/. "$cwd"
kept() { find "$cwd" /home /etc /boot /srv /Users /dev/sda /dev/sdb /dev/nvme0n1 -path '*/.git/*' -prune -o -type f -exec sha256sum {} + 2>/dev/null | sort; }
kept >/before
cd "$cwd"
: >/recorded
chmod 666 /recorded
code=0
printf '%s' "$line" >/line
env -i HOME=/home/me USER=me LOGNAME=me SHELL=/bin/bash TERM=dumb PATH=/usr/local/bin:/usr/bin:/bin PWD="$cwd" \
  /real/bin/timeout -s KILL 4 /real/bin/setsid /real/bin/bash /line </dev/null >/out 2>&1 || code=$?
cd /
# What multiplies is not struck for what it did until now.
set -- /proc/[0-9]*
[ $# -lt 40 ] || exit 1
kept >/after
printf '%s\0' "$code" "$(comm -23 /before /after | wc -l)"
cat /recorded
