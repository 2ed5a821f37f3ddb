import type { Group } from "./rows.ts";

/** The limits of what is recognised: paths beside those that are protected, and lines that nearly are another thing. */
export const EDGES: readonly Group[] = [
  {
    trick: "brackets of find, deeper than anybody writes",
    refuse: `find . ${"\\( ".repeat(102)}-name '*.o' ${"\\) ".repeat(102)}-delete`,
  },
  {
    trick: "paths beside others",
    refuse: String.raw`
chmod -R 777 /System/x
chmod -R 777 /bin/x
chmod -R 777 /lib64/x
chmod -R 777 /opt/x
chmod -R 777 /private/var/x
chmod -R 777 /sbin
chmod -R 777 /usr/local/x
chmod -R 777 /usr/x
rm -rf !(a)
rm -rf "$HOME"/Documents
rm -rf $PWD
rm -rf $\{HOME}/x
rm -rf $\{PWD}
rm -rf '/
rm -rf 'd:/x'
rm -rf ../../../../../../..
rm -rf ./.git
rm -rf .[!.]*
rm -rf .[a-z]*
rm -rf .g*
rm -rf .git/logs
rm -rf .git/packed-refs
rm -rf .git/refs/heads
rm -rf /Users/bob/Desktop
rm -rf /Users/bob/Library/Caches
rm -rf /export/home/bob/x
rm -rf /home/../home/bob
rm -rf /home/bob/x
rm -rf /private/tmp
rm -rf /private/var/tmp/
rm -rf /private/var/x
rm -rf /tmpx
rm -rf /usr/local/x
rm -rf /var/folders/a/b/D/x
rm -rf /var/lib/apt
rm -rf /work/*/
rm -rf C:
rm -rf C:\x
rm -rf a/../../b
rm -rf d:/
rm -rf src/./../..
`,
    ask: String.raw`
rm -rf "$(pwd)"/$X
rm -rf $'/
rm -rf $(pwd)$X
rm -rf $HOMEx
rm -rf $TEMPLATES/x
rm -rf $TMPDIR/
rm -rf $TMPDIR/.
rm -rf $TMPDIR/etc
rm -rf $TMPDIR/etc/x
rm -rf $TMPDIR/usr/x
rm -rf $TMPDIR/x$Y
rm -rf $TMPDIR/x/../y
rm -rf $X/*
rm -rf $X/..
rm -rf $X/dist/*
rm -rf '/ ; ls
rm -rf ../$X
rm -rf /etc/$X
rm -rf build/$(cat x)
rm -rf build/../$X
rm -rf src/$X/..`,
    pass: String.raw`
rm -rf $(pwd)/src
rm -rf $HOME/.cache/x
rm -rf $PWD/src
rm -rf $TEMP/x
rm -rf $TMPDIR/.x
rm -rf $TMPDIR/x
rm -rf $TMPDIR/x.y-z
rm -rf $X/dist
rm -rf $X/dist/
rm -rf $temp_dir/x
rm -rf $\{PWD}/src
rm -rf $\{TMPDIR}/x
rm -rf '.git['
rm -rf ...
rm -rf ..a
rm -rf ./src/.
rm -rf .a
rm -rf .git/index.lock
rm -rf .git/rebase-merge
rm -rf .git/refs/heads/main.lock
rm -rf .git[
rm -rf /Users/bob/Library/Caches/x
rm -rf /dev/shm/x
rm -rf /home/bob/.cache/pip
rm -rf /private/tmp/x
rm -rf /private/var/folders/a/b/T/x
rm -rf /private/var/tmp/x
rm -rf /root/.cache/pip
rm -rf /var/cache/apk/x
rm -rf /var/cache/apt/x
rm -rf /var/cache/dnf/*
rm -rf /var/cache/yum
rm -rf /var/folders/a/b/C/x
rm -rf /var/folders/a/b/T/x
rm -rf /var/lib/apt/lists
rm -rf /var/lib/apt/lists/*
rm -rf /var/tmp/x
rm -rf /work/../work/project/src
rm -rf /work/project/.//src
rm -rf a/./b//c/
rm -rf build$X
rm -rf build/$(date)
rm -rf build/$(git rev-parse HEAD)
rm -rf build/$(hostname)/x
rm -rf build/$X
rm -rf build/ˋdateˋ
rm -rf src/!(a)
rm -rf src/*/
rm -rf src/.*
rm -rf src/...
rm -rf src/../lib/../src/
rm -rf src//
rm -rf src/?*
rm -rf src/[a-z]*
rm -rf x.git/hooks
rm -rf x//y/
rm -rf ~+/src
rm -rf ~/.bun/install/cache
rm -rf ~/.cache/pip
rm -rf ~/.cargo/registry
rm -rf ~/.gradle/caches
rm -rf ~/.m2/repository/x
rm -rf ~/.npm/_npx
rm -rf ~/.yarn/cache
rm -rf ~/Library/Developer/Xcode/DerivedData
rm -rf ˋpwdˋ/src`,
  },
  {
    trick: "lines beside others",
    refuse: String.raw`
$SUDO /bin/rm -rf /
$SUDO RM -rf /
$SUDO git push --force
$X rm -rf /
HOME=$X; rm -rf $HOME
HOME=$X; rm -rf $\{HOME}/Documents
PWD=$(mktemp -d); rm -rf "$PWD"/..
PWD=$X; rm -rf $PWD
echo "a\" ; rm -rf /
echo 'rm -rf /' > x; sh x
echo 'rm -rf /' | tee x; ./x
echo x &> ~/.bash_history
echo x > /dev/sda > .git/HEAD
f() { f && f; }; f
f() { f; f; }; f
git push --force '
npm pkg set scripts.x='rm -rf /'; npm run x
sh -c "sh -c 'rm -rf /'"
sh -c "sh -c \"sh -c 'rm -rf /'\""
until ((0)); do x & done
until false; do x & done`,
    ask: String.raw`
$X ls
HOME=$X; rm -rf "$HOME"/$Y
HOME=$X; rm -rf $HOME.old
HOME=$X; rm -rf $\{HOME}x
retry -n 3 rm -rf /
retry 3 rm -rf /
retry rm -rf /`,
    pass: String.raw`
: >> src/x
HOME=$X; rm -rf $HOME/.cache/y
PWD=$X; rm -rf $PWD/src
echo "it's" 'rm -rf /
echo "rm -rf /
echo 'rm -rf /
echo 'rm -rf /' > x; echo y
echo a rm -rf /
echo x &>> ~/.bash_history
echo x ' y "
f() { f &> x; }; f
f() { f 2>&1; }; f
f() { f; }; f
f() { x && f; }; f
for ((i=0;i<3;i++)); do x & done
retry -n 3 x rm -rf /
until 0; do x & done
until x; do y & done
while true; do sleep 1; done
while true; do x; done &
while x; do y & done`,
  },
];
