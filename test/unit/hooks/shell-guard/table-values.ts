import type { Group } from "./rows.ts";

/** Values of variables that the line sets in unusual ways: each was tried with bash. */
export const VALUES: readonly Group[] = [
  {
    trick: "values of read, mapfile, $_, loops and arrays",
    refuse: String.raw`
read -r A B C <<< 'git push --force'; $A $B $C
read -r <<< --force; git push "$REPLY"
IFS=, read -r A B <<< push,--force; git $A $B
mapfile -t L < <(printf '%s\n' git push --force); "$\{L[@]}"
declare -a L=(push --force); git "$\{L[@]}"
L[0]=push; L[1]=--force; git "$\{L[@]}"
O=--force; eval "git push $\{O@Q}"
mkdir -p / && rm -rf $_
`,
    ask: String.raw`
for F in --quiet --force; do [ -n "$F" ] && break; done; git "$F" push
declare -A M=([k]=push [l]=pull); "$\{M[@]}" --force
`,
    pass: String.raw`
read -r HOST PORT <<< 'db 5432'; pg_isready -h "$HOST" -p "$PORT"
IFS=. read -r MAJOR MINOR PATCH <<< "$VERSION"; echo "$MAJOR.$MINOR"
while read -r LINE; do echo "$LINE"; done <<< "$TEXT"
declare -A PORTS=([web]=80 [db]=5432); echo "$\{PORTS[web]}"
mapfile -t FILES < <(git ls-files); wc -l "$\{FILES[@]}"
O='a\tb'; printf '%s\n' "$\{O@E}"
`,
  },
  {
    trick: "unknown words that are an option, a setting or a part of one",
    refuse: String.raw`
read -r L <<< --force; find . -maxdepth 0 -exe$UNSET""c git push "$L" ';'
env -i bash -c 'git push "$\{NONE:---force}"'
read -r L <<< alias.zz='push --force'; git -c "$L" zz
git -C . -$UNSET""C . push --force
git "-$X" . push -f
git push "$(< <(echo --force))"
ip -all netns exec git push --force
ip -netns blue netns exec red git push --force
ip vrf exec red git push --force
mkdir d; echo 'git push --force' > d/.zshenv; ZDOTDIR=d zsh -c :
mkdir d; echo 'git push --force' > d/.zshrc; ZDOTDIR=d zsh -i
echo 'file delete -force ~' | tclsh
`,
    ask: String.raw`
find . -exe$UNSET""c "$L" ';'
find . "$A" "$B" '{}' +
git -c "al$X" zz
`,
    pass: String.raw`
find "$A" "$B" -exec grep -n x {} ';'
git -$X log --oneline
git --$X status
git -c "http.proxy=$P" lg
X=main; sudo git push origin "$X"
ip -n blue link set eth0 up
ip -all netns exec ip addr
ZDOTDIR=$HOME/.config/zsh zsh -c ls
tclsh <<< 'file delete -force build'
`,
  },
];
