import type { Group } from "./rows.ts";

/** Details of what is read: escapes, options with values, the ends of lists, and values that are not known. */
export const DETAILS: readonly Group[] = [
  {
    trick: "awk: options, escapes and values of a program",
    refuse: String.raw`
gawk --file x.awk --field-separator : -v c='rm -rf ~' -e 'BEGIN { system(c) }'
gawk -i inplace -l time -v c='rm -rf ~' -- '{ system(c) }' f
gawk --source 'BEGIN { system("rm -r" "f ~") }' x
gawk -e 'BEGIN { system("rm -r" "f ~") }'
awk -- 'BEGIN { system("rm -r" "f ~") }'
awk 'BEGIN { system("git push \"--fo" "rce\"") }'
awk 'BEGIN { system("git\tpush\x20-" "f") }'
awk 'BEGIN { print "x" | "sort"; print "y" | "rm -r" "f ~" }'
awk 'BEGIN { # a comment⏎ system("rm -r" "f ~") }'
awk 'BEGIN { system(sprintf("rm -r%s ~%%", "f")) }'
awk 'BEGIN { system(sprintf("%s%s", sprintf("rm %s", "-r"), "f ~")) }'
awk 'BEGIN { if (system("git push -" "f") == 0) print "x" }'
awk 'BEGIN { n = split("a b", p); system("rm -r" "f ~") }'
`,
    ask: String.raw`
awk '{ $0 | getline x }' f
c='rm -r' awk 'BEGIN { system(ENVIRON["d"] "f ~") }'
cat f | awk '{ system($1 "f build") }'
`,
  },
  {
    trick: "a program that is not known, and input before its program",
    refuse: String.raw`
$(which sudo) rm -rf /
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
find -H ~ -delete
find . -newerct '1 day ago' -delete
find . -type f -and -delete
find . -name '*.ts' -or -name '*.js' -delete
find . -exec echo {} \; -exec rm {} \;
find . | grep -rv __pycache__ | xargs rm -rf
find . | grep --invert-match __pycache__ | xargs rm -rf
find . | grep __pycache__ list.txt | xargs rm -rf
grep -l x * | find . | xargs rm -rf
files=(ˋfind . -name '*.ts'ˋ); rm -f "$\{files[@]}"
readarray -t list < <(find . -name '*.ts'); rm -f "$\{list[@]}"
truncate --size=0 ~/.bash_history
ddrescue -f /dev/sda /dev/sdb map
ddrescue -s 1G img /dev/sdb
shred -n 3 -z notes.txt
shred --random-source=/dev/urandom a
sed --in-place=.bak d ~/.zsh_history
mv -t x ~
cp -t /dev/sda a
rsync --delete -e 'ssh -p 22' a/ ..
rsync --del a/ .
`,
    ask: String.raw`
find "$X" -delete
chmod -R 755 "$X/dist"
shred $X
`,
    pass: String.raw`
find . -fprintf out.txt -delete
find . -name '*.sw[op]' -delete
find . -name '*.log' -exec grep error {} \;
find . -name x -not -path './src/*' -print
find build dist -mindepth 1 -delete
find $X/node_modules -delete
find . | egrep '\.pyc$|\.pyo$' | xargs rm -f
chmod -R -w build
chmod -R u+rwX,go-w .
tee --append ~/.bash_history < x
tee -ai ~/.zsh_history < x
ddrescue --size=1G -v /dev/sda img
shred -u /tmp/x
dd if=a of=b bs=1M
mv -t /tmp a b
setfacl -m u:x:r a
chattr +i a
`,
  },
  {
    trick: "removing behind cd, in containers and by mktemp, and words that xargs reads",
    refuse: String.raw`
cd x || echo no; rm -rf *
cd "$(git rev-parse --show-toplevel)"; cd /; rm -rf src
t=$(mktemp -d); for t in *; do rm -rf "$t"; done
rm -f ~/.node_repl_history
: > ~/.psql_history
`,
    ask: String.raw`
for d in a b; do cd $d || break; rm -rf *; done
cd "$(git rev-parse --show-toplevel)" && rm -rf $X
pushd "$(git rev-parse --show-toplevel)"; rm -rf src
t=$(mktemp -d); read t; rm -rf "$t"
t=$(mktemp -d); t=$1; rm -rf "$t"
find . -name '*.js' | xargs -n1 node -e
`,
    pass: String.raw`
docker-compose exec web rm -rf /app/x
kubectl exec pod -- rm -rf /data/x
cd x || die "no x"; rm -rf *
cd "$\{0%/*}" && rm -rf out
t=$(mktemp -d); rm -rf "$\{t}"
rm -rf /srv/x/node_modules
docker run alpine rm /etc/passwd
shx ls ~
find . -name '*.pl' | xargs perl -c
find . -name '*.php' | xargs php -l
find . -name '*.py' | xargs python -m py_compile
xargs python -W ignore script.py
ls | xargs awk '{ print $1 }'
ls | xargs -I{} echo {}
echo a b | xargs mkdir -p
`,
  },
  {
    trick: "words of other commands, and everyday neighbours",
    pass: String.raw`
tee notes.md <<E⏎rm -rf /⏎E
cat <<E⏎$(git status)⏎E
printf 'ls\n' > run.sh && chmod +x run.sh && ./run.sh
gh issue create --body 'rm -rf ~ is refused'
rg 'git reset --hard' docs
gradle clean build
cargo clean -p orcs
go clean -cache
docker build --force-rm -t x .
`,
  },
];
