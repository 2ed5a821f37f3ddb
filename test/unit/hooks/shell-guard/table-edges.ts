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
rm -rf !(a)
rm -rf $\{PWD}
rm -rf /Users/bob/Desktop
rm -rf /Users/bob/Library/Caches
`,
    ask: String.raw`
rm -rf $(pwd)$X
rm -rf $TEMPLATES/x
rm -rf $TMPDIR/usr/x
rm -rf $X/*
rm -rf src/$X/..`,
    pass: String.raw`
rm -rf $PWD/src
rm -rf $TEMP/x
rm -rf $X/dist/
rm -rf .git/refs/heads/main.lock
rm -rf .git[
rm -rf /Users/bob/Library/Caches/x
rm -rf /dev/shm/x
rm -rf /private/var/folders/a/b/T/x
rm -rf /var/cache/dnf/*
rm -rf /var/cache/yum
rm -rf build/$(hostname)/x
rm -rf src/!(a)
rm -rf src/...
rm -rf x.git/hooks
rm -rf x//y/
rm -rf ~/.bun/install/cache
rm -rf ~/.cargo/registry
rm -rf ~/.m2/repository/x
rm -rf ~/.npm/_npx
rm -rf ~/Library/Developer/Xcode/DerivedData
rm -rf ˋpwdˋ/src`,
  },
  {
    trick: "lines beside others",
    refuse: String.raw`
PWD=$(mktemp -d); rm -rf "$PWD"/..
PWD=$X; rm -rf $PWD
echo "a\" ; rm -rf /
echo 'rm -rf /' | tee x; ./x
until false; do x & done`,
    ask: String.raw`
HOME=$X; rm -rf "$HOME"/$Y
retry rm -rf /`,
    pass: String.raw`
PWD=$X; rm -rf $PWD/src
echo "it's" 'rm -rf /
for ((i=0;i<3;i++)); do x & done
until x; do y & done
while x; do y & done`,
  },
];
