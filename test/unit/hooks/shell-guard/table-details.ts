import type { Group } from "./rows.ts";

/** Details of what is read: escapes, options with values, the ends of lists, and values that are not known. */
export const DETAILS: readonly Group[] = [
  {
    trick: "awk: options, escapes and values of a program",
    refuse: String.raw`
awk -vc='rm -rf ~' 'BEGIN { system(c) }'
awk -F : -v c='rm -rf ~' 'BEGIN { system(c) }'
gawk --file x.awk --field-separator : -v c='rm -rf ~' -e 'BEGIN { system(c) }'
gawk -i inplace -l time -v c='rm -rf ~' -- '{ system(c) }' f
gawk --source 'BEGIN { system("rm -r" "f ~") }' x
gawk -e 'BEGIN { system("rm -r" "f ~") }'
awk -- 'BEGIN { system("rm -r" "f ~") }'
awk 'BEGIN { system(ARGV[2] " -rf " ARGV[1]) }' / rm
c="rm -r" awk 'BEGIN { system(ENVIRON["c"] "f ~") }'
awk 'BEGIN { system("\x72m -r" "f ~") }'
awk 'BEGIN { system("\162m -r" "f ~") }'
awk 'BEGIN { system("r\155 -r" "f ~") }'
awk 'BEGIN { system("rm -r" "f \/") }'
awk 'BEGIN { system("git push \"--fo" "rce\"") }'
awk 'BEGIN { system("git\tpush\x20-" "f") }'
awk 'BEGIN { system("cd x;\nrm -r" "f ~") }'
awk 'BEGIN { ("rm -r" "f ~") | getline }'
awk 'BEGIN { "rm -r" "f ~" |& getline }'
awk 'BEGIN { "rm -r" "f ~" | getline x; print x }'
awk 'BEGIN { print "x" |& "rm -r" "f ~" }'
awk 'BEGIN { print "x" | "sort"; print "y" | "rm -r" "f ~" }'
awk 'BEGIN { # a comment⏎ system("rm -r" "f ~") }'
awk 'BEGIN { x = "a" # then⏎ system("rm -r" "f ~") }'
awk 'BEGIN { c = "rm -r"; d = c; system(d "f ~") }'
awk 'BEGIN { system(sprintf("rm -r%s ~%%", "f")) }'
awk 'BEGIN { system(sprintf("%s%s", sprintf("rm %s", "-r"), "f ~")) }'
awk 'BEGIN { while (("rm -r" "f ~" | getline l) > 0) print l }'
awk 'BEGIN { if (system("git push -" "f") == 0) print "x" }'
awk 'BEGIN { n = split("a b", p); system("rm -r" "f ~") }'
awk '$1 == "x" { system("rm -r" "f ~") }'
echo 'rm -r' | awk '{ system($0 "f ~") }'
awk 'BEGIN { c = "git push"; c = c " -f"; system(c) }'
`,
    ask: String.raw`
cat f | awk '{ print | $0 }'
awk '{ $0 | getline x }' f
awk '{ system( $0 ) }' f
awk 'BEGIN { system(ARGV[3] "f ~") }' 'rm -r'
c='rm -r' awk 'BEGIN { system(ENVIRON["d"] "f ~") }'
cat f | awk '{ system($1 "f build") }'
`,
    pass: String.raw`
awk 'BEGIN { system("echo rm -r" "f ~") }'
awk 'BEGIN { print "rm -r" "f ~" }'
awk 'BEGIN { system("ls") } # rm -rf ~'
awk -F, -f /dev/null -v c='rm -rf ~' 'BEGIN { system(c) }'
`,
  },
  {
    trick: "a program that is not known, and input before its program",
    refuse: String.raw`
"$X" rm -rf ~
$(which sudo) rm -rf /
<<E sh⏎rm -rf ~⏎E
<<E bash -s⏎git push --force⏎E
cat <<E | tee run.sh⏎rm -rf ~⏎E⏎sh run.sh
cat <<E | sudo tee run.sh⏎rm -rf ~⏎E⏎sh run.sh
`,
    ask: String.raw`
$SUDO git push
`,
    pass: String.raw`
tee x < y; sh x
`,
  },
  {
    trick: "files that find and grep choose, modes, and what is written over",
    refuse: String.raw`
find -D exec ~ -delete
find -O3 ~ -delete
find -P ~ -exec rm -rf {} +
find -H ~ -delete
find -L ~ -name '*.ts' -delete
find . -newerct '1 day ago' -delete
find . -newermt 2026-01-01 -delete
find . -fprintf out.txt '%p' -delete
find . -type f -and -delete
find . -type f -a -delete
find . -name '*.ts' -or -name '*.js' -delete
find . -exec echo {} ';' -delete
find . -exec echo {} \; -exec rm {} \;
find . ! -name '*.ts' -delete
find . | grep -v __pycache__ | xargs rm -rf
find . | grep -rv __pycache__ | xargs rm -rf
find . | grep --invert-match __pycache__ | xargs rm -rf
find . | grep '' | xargs rm -rf
find . | grep '|' | xargs rm -rf
find . | grep __pycache__ list.txt | xargs rm -rf
find . | grep '__pycache__|src' | xargs rm -rf
grep -l x * | find . | xargs rm -rf
files=$(find . -name '*.ts'); rm -f $files
files=(ˋfind . -name '*.ts'ˋ); rm -f "$\{files[@]}"
for f in $(find . -name '*.ts'); do rm -f $f; done
for f in ˋfind . -name '*.ts'ˋ; do rm -f "$f"; done
mapfile -t list < <(find . -name '*.ts'); rm -f "$\{list[@]}"
readarray -t list < <(find . -name '*.ts'); rm -f "$\{list[@]}"
chmod -R -x ~
chmod -R -rwx ..
chown -R --reference=a /etc
chown -R me /usr/local
tee ~/.bash_history < x
truncate -s 0 "$(find . -name x)"
truncate --size=0 ~/.bash_history
ddrescue -f /dev/sda /dev/sdb map
ddrescue -s 1G img /dev/sdb
shred -u ~/.bash_history
shred -n 3 -z notes.txt
shred --random-source=/dev/urandom a
sed --in-place=.bak d ~/.zsh_history
dd if=/dev/zero of=~/.bash_history
mv a /dev/null
mv .. x
mv -t x ~
cp /dev/null ~/.bash_history
cp a /dev/sda
cp -t /dev/sda a
rsync -a --delete a/ ~
rsync --delete -e 'ssh -p 22' a/ ..
rsync --del a/ .
chattr -R +i ~
`,
    ask: String.raw`
find "$X" -delete
chmod -R 755 "$DIR"
chmod -R 755 "$X/dist"
shred $X
dd if=a of=$X
`,
    pass: String.raw`
rm -rf "$(find . -name dist | head)"
find . -fprintf out.txt -delete
find . -fprint out.txt -print
find . -name '*.swp' -delete
find . -name '*.sw[op]' -delete
find . -name .DS_Store -delete
find . -name '*.orig' -o -name '*.rej' -delete
find . -type d -name __pycache__ -exec rm -rf {} +
find . -type d -name node_modules -prune -exec rm -rf {} \;
find . -name '*.log' -exec grep error {} \;
find . -name '*.ts' -exec sed -n 1p {} \;
find . -name x -not -path './src/*' -print
find build -delete
find build dist -mindepth 1 -delete
find "$X/dist" -delete
find $X/node_modules -delete
find . | grep -E '__pycache__|\.pyc$' | xargs rm -rf
find . | grep -E '(__pycache__|\.pyc$)' | xargs rm -rf
find . | grep '\.pyc$' | xargs rm
find . | grep '__pycache__/$' | xargs rm -rf
find . | rg '\.pyc$' | xargs rm -f
find . | egrep '\.pyc$|\.pyo$' | xargs rm -f
rm -rf $(find . -name dist)
rm -rf ˋfind . -name distˋ
for f in $(ls); do rm -f $f; done
chmod -R -w build
chmod -R u+rwX,go-w .
chmod -R 755 src
chmod -R 777 src
chmod -R o+w src
chmod -R u+w .
chmod -R 0777 build
chmod -R 2775 build
chmod -R "$MODE" src
chown -R me: .
tee -a ~/.bash_history < x
tee --append ~/.bash_history < x
tee -ai ~/.zsh_history < x
truncate -s 10M img
truncate -s 0 log.txt
ddrescue /dev/sda img map
ddrescue --size=1G -v /dev/sda img
shred -u /tmp/x
sed -n p ~/.bash_history
sed -i s/a/b/ src/a.ts
dd if=a of=b bs=1M
dd if=/dev/sda of=img
mv src/a src/b
mv -t /tmp a b
cp /dev/null log
rsync -a --delete a/ build/
rsync -a --delete -n a/ ~
rsync -a --delete a/ host:/srv
rsync -a a/ ~
setfacl -m u:x:r a
chattr +i a
`,
  },
  {
    trick: "removing behind cd, in containers and by mktemp, and words that xargs reads",
    refuse: String.raw`
docker exec web rm -rf /
cd x; rm -rf *
cd x || true; rm -rf *
cd x || echo no; rm -rf *
cd "$(git rev-parse --show-toplevel)"; cd /; rm -rf src
t=$(mktemp -d); for t in *; do rm -rf "$t"; done
rm -rf /etc/node_modules
rm $HISTFILE
rm -f ~/.node_repl_history
: > ~/.psql_history
rm '.history'
shx rm -rf ~
parallel git reset ::: --hard
xargs git checkout --
`,
    ask: String.raw`
for d in a b; do cd $d || break; rm -rf *; done
cd "$(git rev-parse --show-toplevel)" && rm -rf $X
cd "$(git rev-parse --show-toplevel)" && rm -rf ..
cd "$(git rev-parse --show-toplevel)/.." && rm -rf src
pushd "$(git rev-parse --show-toplevel)"; rm -rf src
t=$(mktemp -d); read t; rm -rf "$t"
t=$(mktemp -d); t=$1; rm -rf "$t"
t=$1; rm -rf "$t"
find . -name '*.js' | xargs -n1 node -e
xargs -a list node
`,
    pass: String.raw`
docker-compose exec web rm -rf /app/x
docker exec web rm -rf /app/cache/x
podman exec -it web rm -rf /var/lib/app
kubectl exec pod -- rm -rf /data/x
cd x || exit; rm -rf *
cd x || return; rm -rf *
cd x || die "no x"; rm -rf *
for d in a b; do cd $d || continue; rm -rf out; done
cd x && rm -rf *
set -e; cd x; rm -rf *
set -eu; cd x; rm -rf *
cd "$(git rev-parse --show-toplevel)" && rm -rf build
cd "$(dirname "$0")" && rm -rf out
cd "$(dirname "$0")/.." && rm -rf out
cd "$(dirname "$\{BASH_SOURCE[0]}")" && rm -rf out
cd "$\{0%/*}" && rm -rf out
cd "$X" && rm -rf out
t=$(mktemp -d); rm -rf "$t"
t=$(mktemp -d); rm -rf "$\{t}"
t=$(mktemp -d); rm -rf "$t/a/b"
t=ˋmktemp -dˋ; rm -rf $t
rm -rf /srv/x/node_modules
rm -f /etc/hosts
docker run alpine rm /etc/passwd
shx rm -rf build
shx ls ~
shx mkdir -p ~
find . -name x | xargs node
find . -name '*.js' | xargs node --check
find . -name '*.rb' | xargs ruby -c
find . -name '*.pl' | xargs perl -c
find . -name '*.php' | xargs php -l
find . -name '*.py' | xargs python -m py_compile
xargs node app.js
xargs node --title x app.js
xargs python script.py
xargs python -W ignore script.py
xargs awk '{ print }'
xargs awk -F : '{ print }'
xargs awk -v a=1 '{ print }'
ls | xargs awk '{ print $1 }'
ls *.js | xargs node
ls *.js | xargs node --check
xargs < list rm
xargs rm <<< 'a b'
xargs rm -- x
xargs git reset --
xargs git add
git diff --name-only | xargs git checkout
git diff --name-only | xargs git add
xargs -I{} git log {}
cat list | xargs -r rm -f
ls *.tmp | xargs rm
cat pids | xargs kill
ls | xargs -I{} echo {}
ls | xargs -I{} sh -c 'echo {}'
echo a b | xargs mkdir -p
printf '%s\n' a b | xargs -n1 touch
jq -r .name a.json | xargs npm info
docker ps -q | xargs docker inspect
docker ps -q | xargs docker stop
git log --format=%H | xargs -n1 git show --stat
rg -l x | xargs sed -i s/x/y/
rg -l x | xargs wc -l
`,
  },
  {
    trick: "words of other commands, and everyday neighbours",
    pass: String.raw`
cat <<'E' > notes.md⏎rm -rf ~⏎git push --force⏎E
cat > run.sh <<E⏎ls -la⏎E⏎sh run.sh
bash <<'E'⏎git status⏎npm test⏎E
sh <<< 'ls -la'
tee notes.md <<E⏎rm -rf /⏎E
cat <<E⏎$(git status)⏎E
printf 'ls\n' > run.sh && chmod +x run.sh && ./run.sh
echo 'rm -rf ~' | tee -a notes.md
cat notes.md | grep 'rm -rf ~'
git log --grep='rm -rf /'
git commit -F - <<E⏎fix: no rm -rf /⏎E
git tag -a v1 -m 'no git push --force'
gh issue create --body 'rm -rf ~ is refused'
gh pr create --body "$(cat <<E⏎git reset --hard⏎E⏎)"
rg 'git reset --hard' docs
grep -rn 'git push --force' .
sed -n '/rm -rf/p' run.sh
awk '/rm -rf/ { print FILENAME }' *.sh
jq '.scripts.clean' package.json
npm pkg set scripts.clean='rm -rf dist'
npm run clean && npm run build
make clean all
make -n deploy
mvn clean install
gradle clean build
cargo clean -p orcs
go clean -cache
docker build --force-rm -t x .
kubectl delete pod web-1
git stash push -m wip
git restore --staged a.ts
git rebase --abort
git merge --abort
git push -u origin HEAD
git push --tags
git reset --soft HEAD~1
git reset a.ts
git clean -nd
rsync -avn --delete src/ /srv/x/
history | tail -5
kill %1
pkill -f vite
`,
  },
];
