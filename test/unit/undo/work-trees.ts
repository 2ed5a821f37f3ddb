import { execFileSync } from "node:child_process";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

// Work trees in states that commands of agents meet, and command lines that lose something there.

const GIT =
  "git -c user.name=a -c user.email=a@example.com -c init.defaultBranch=main -c protocol.file.allow=always -c gc.auto=0";
/** `g` is git with an identity. */
const HEAD = `set -e; g() { ${GIT} "$@"; }; export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null GIT_EDITOR=true`;

const FILES = `
mkdir -p src/deep docs node_modules/x build empty/below
printf 'one\\n' > src/a.ts; printf 'two\\n' > src/b.ts; printf 'three\\n' > src/deep/c.ts; printf '# x\\n' > README.md
printf '#!/bin/sh\\necho hi\\n' > run.sh; chmod 755 run.sh; printf 'k=1\\n' > secret.txt; chmod 600 secret.txt
printf 'node_modules\\nbuild/\\n.env\\n*.db\\n' > .gitignore
printf 'KEY=1\\n' > .env; chmod 600 .env; printf '\\000\\001\\377x' > data.db; echo m > node_modules/x/index.js; echo o > build/out.js
printf 'untracked\\n' > notes.md; ln -s src/a.ts link; ln -s src folder-link; ln -s nowhere dangling; printf 'x' > 'sp ace.txt'`;
const COMMIT = `g init -q; g add .gitignore src README.md run.sh secret.txt link folder-link 'sp ace.txt'; g commit -qm first
g branch topic; g tag v1; echo more >> src/b.ts; g commit -qam second; echo stashed >> src/a.ts; g stash -q
g checkout -q topic; echo topic > src/a.ts; g commit -qam topic; g checkout -q main`;
const DIRTY = `echo dirty >> src/a.ts; echo dirty >> src/deep/c.ts; rm src/b.ts`;

/** Name → the shell script that makes it, in an empty folder. */
export const TREES: Readonly<Record<string, string>> = {
  dirty: `${FILES}\n${COMMIT}\n${DIRTY}`,
  staged: `${FILES}\n${COMMIT}\n${DIRTY}; g add -A src; echo again >> src/a.ts`,
  conflict: `${FILES}\n${COMMIT}\necho main > src/a.ts; g commit -qam main; g merge -q topic || true; echo dirty >> README.md`,
  rebase: `${FILES}\n${COMMIT}\necho main > src/a.ts; g commit -qam main; g rebase -q topic || true; echo dirty >> README.md`,
  worktree: `mkdir -p .main; cd .main; ${FILES}\n${COMMIT}\ng worktree add -q ../tree topic; cd ../tree
    mkdir -p empty docs build; echo o > build/out.js; echo 1 > .env; echo db > data.db; echo n > notes.md; echo dirty >> src/a.ts; rm src/b.ts`,
  submodule: `mkdir -p ../lib; (cd ../lib; echo l > l.txt; g init -q; g add .; g commit -qm l); ${FILES}\n${COMMIT}
    g submodule --quiet add ../lib sub; g commit -qam sub; echo dirty >> sub/l.txt; echo new > sub/new.txt; ${DIRTY}`,
  nested: `${FILES}\n${COMMIT}\nmkdir nested; (cd nested; echo n > n.txt; g init -q; g add .; g commit -qm n; echo dirty >> n.txt); ${DIRTY}`,
  sparse: `${FILES}\n${COMMIT}\ng sparse-checkout set src; ${DIRTY}`,
  lfs: `${FILES}\nprintf 'version https://git-lfs.github.com/spec/v1\\noid sha256:00\\nsize 1\\n' > big.bin; echo '*.bin filter=lfs diff=lfs' > .gitattributes
    ${COMMIT}\ng config filter.lfs.clean 'touch ran; cat'; g config filter.lfs.smudge 'touch ran; cat'; ${DIRTY}`,
  many: `${FILES}\n${COMMIT}\nfor d in $(seq 50); do mkdir -p many/$d; for f in $(seq 200); do echo $d $f > many/$d/$f.txt; done; done
    g add many; g commit -qm many; echo dirty >> many/7/7.txt; ${DIRTY}`,
  "no git": FILES,
  "links and case": `${FILES}\nln -s ../README.md src/up; ln -s /etc/hostname src/outside; echo A > src/A.TS; echo é > 'src/é ü.ts'; mkdir src/Deep; echo d > src/Deep/c.ts
    ${COMMIT}\n${DIRTY}; ln -sf b.ts src/A.TS; chmod 700 src/deep`,
};

/** Lines that remove, overwrite or discard, run in the work tree. */
export const LINES: readonly string[] = `
rm -rf src
rm src/a.ts
rm -rf src/deep docs empty
rm -rf node_modules build .env
rm -f .env data.db
rm -r src/*.ts src/deep
rm -f link folder-link dangling
rm 'sp ace.txt' secret.txt
rm -r folder-link/
find folder-link/ -type f -delete
find . -type f -size -9 -not -path './.git/*' -delete
find . -type d -empty -not -path './.git/*' -delete
rmdir empty/below
unlink README.md
find . -name '*.ts' -not -path './.git/*' -delete
find src -type f -exec rm {} +
find src -type f | xargs rm
mv src lost
mv README.md src/a.ts
mv src/a.ts src/b.ts
cp README.md src/a.ts
cp -r docs/. src
cp -f run.sh secret.txt
echo gone > src/a.ts
echo gone >| README.md
: > secret.txt
> .env
echo new > created.txt
cat /dev/null > data.db
sed -i s/one/two/ src/a.ts
sed -i.bak s/x/y/ README.md
perl -pi -e s/o/0/ src/a.ts
truncate -s 0 README.md
tee src/a.ts < README.md
dd if=/dev/zero of=data.db bs=1 count=9
ln -sf README.md link
ln -sf /etc/passwd src/a.ts
install -m 644 README.md run.sh
chmod -x run.sh && rm run.sh
tar cf x.tar src && rm -rf src && tar xf x.tar
touch src/a.ts && rm src/a.ts
mkdir -p src/new/x && echo 1 > src/new/x/y && rm -rf src/deep
rsync -a --delete docs/ src/
git checkout -- src/a.ts
git checkout .
git checkout -f
git checkout -f topic
git checkout topic -- src
git restore src
git restore --staged --worktree .
git restore --source=topic src/a.ts
git reset --hard
git reset --hard HEAD~1
git reset -q
git clean -fd
git clean -fdx
git clean -ffdx
git stash drop
git stash clear
git stash -u
git stash pop
git branch -D topic
git tag -d v1
git rm -rf src
git rm -f README.md
git switch -f topic
git update-ref -d refs/heads/topic
git rebase --abort
git merge --abort
git read-tree --reset -u HEAD
git checkout-index -f -a
git commit -aqm x --amend
git reflog expire --expire=now --all
git symbolic-ref HEAD refs/heads/topic
git submodule deinit -f sub
git submodule update --force
git -C sub reset --hard
git -C nested checkout .
rm -rf nested sub
git worktree list && git reset --hard
git rm --cached -r src
git config user.name b && git checkout -- README.md
git sparse-checkout disable
git diff | git apply -R`
  .trim()
  .split("\n");

/** Those that have been made: a copy takes less time. */
const made = new Map<string, string>();

/** A new work tree. @returns its folder */
export function makeTree(name: string): string {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "undo-")));
  const folder = join(top, "project");
  const known = made.get(name);
  if (known !== undefined) execFileSync("cp", ["-a", known, folder]);
  else {
    mkdirSync(folder);
    execFileSync("bash", ["-c", `${HEAD}\n${TREES[name]}`], { cwd: folder, stdio: "pipe" });
  }
  if (name === "worktree") return join(folder, "tree");
  // A submodule knows where it is.
  if (known === undefined && name !== "submodule") {
    made.set(name, join(top, "made"));
    execFileSync("cp", ["-a", folder, join(top, "made")]);
  }
  return folder;
}

/** Run a line as an agent would. */
export function runLine(folder: string, line: string): void {
  try {
    execFileSync(
      "bash",
      ["-c", `${HEAD}; set +e; git() { ${GIT.replace(/^git/, "command git")} "$@"; }; ${line}`],
      { cwd: folder, stdio: "pipe", timeout: 20_000 },
    );
  } catch {
    // Many fail in some of the trees.
  }
}

/** All that is in a folder but the objects of git: path → what it is, byte for byte. */
export function stateOf(
  folder: string,
  below = "",
  found: Record<string, string> = {},
): Record<string, string> {
  const names = readdirSync(join(folder, below));
  for (const name of names) {
    if (name === "objects" && names.includes("HEAD")) continue;
    const at = below === "" ? name : `${below}/${name}`;
    const path = join(folder, at);
    const stats = lstatSync(path);
    const mode = (stats.mode & 0o7777).toString(8);
    if (stats.isSymbolicLink()) found[at] = `link ${readlinkSync(path)}`;
    else if (stats.isDirectory()) {
      found[at] = `folder ${mode}`;
      stateOf(folder, at, found);
    } else {
      if ((stats.mode & 0o400) === 0) chmodSync(path, 0o600);
      found[at] = `file ${mode} ${readFileSync(path, "latin1")}`;
    }
  }
  return found;
}
