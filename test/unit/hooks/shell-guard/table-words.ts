import type { Group } from "./rows.ts";

/** Tricks with words: how they are written, how options are put, and what merely looks like a command. */
export const WORDS: readonly Group[] = [
  {
    trick: "quoting",
    refuse: String.raw`
"rm" -rf /
r''m -rf /
g"i"t pu"s"h --fo"rc"e
git reset $'--hard'
"/bin/rm" -rf "$HOME"
`,
    pass: String.raw`
rm "a file with spaces.txt"
git commit -m 'a "quoted" word; rm -rf /'
grep "'" file.txt
echo "a\\b"
`,
  },
  {
    trick: "flags of rm",
    refuse: String.raw`
rm -vrf /
rm -rf --no-preserve-root /
rm -rfv --one-file-system /
rm -rf src docs /
`,
    pass: String.raw`
rm -d empty
rm --verbose a
`,
  },
  {
    trick: "flags of git",
    refuse: String.raw`
git reset --har
git clean -fd
git clean -d -f
git clean -f -e -n
git push --mir
git push --force --force-with-lease
git push -o ci.skip -f
git branch -df topic
git checkout -qf main
git switch --disc main
git restore -SW a
git restore -s HEAD~1 a
git worktree remove -f ../x
git checkout-index -fa
git read-tree -u --reset HEAD
git stash -q drop
git gc --prune=now --aggressive
`,
    pass: String.raw`
git clean --dry-run -f -d
git clean -n -e '*.log'
git push --force --no-force
git push --push-option --force origin main
git branch --delete topic
git branch --force-create
git branch --list 'D*'
git restore --source=HEAD~1 --staged a
git gc --auto
git tag -f v1
git mv -f a b
git worktree add -f ../x main
git submodule update --force
git branch -u -D
`,
  },
  {
    trick: "what git is asked to do",
    refuse: String.raw`
git checkout -- .
git checkout stash@{0} -- x
git checkout --pathspec-from-file=list
git switch -f main
git stash clear
git push origin +main
git push --repo=origin +main
git filter-branch --tree-filter true HEAD
git reflog expire --expire=now --all
git prune --expire=now
git update-ref -d refs/heads/x
git submodule deinit -f --all
git rm -rf .
hub push --force
/usr/lib/git-core/git-push --force
hg update --clean
hg purge
svn revert -R .
`,
    pass: String.raw`
git checkout -p
git checkout --orphan gh-pages
git switch -c new origin/main
git push origin main:main
git push origin :old
git push --delete origin old
git reflog expire --dry-run --all
git prune -n
git filter-repo --analyze
git update-ref refs/heads/x HEAD
git submodule deinit lib
git branch -m old new
svn status
git show HEAD:src/a.ts
`,
  },
  {
    trick: "options of git itself",
    refuse: String.raw`
git -C x -c a=b --no-pager reset --hard
git --git-dir=/x/.git --work-tree=/x reset --hard
git --bare push -f
git -c clean.requireForce=false clean -d
git -c clean.requireforce=NO clean
git -c remote.origin.push=+refs/heads/*:refs/heads/* push
git -c gc.pruneExpire=now gc
git -c alias.x='!rm -rf /' x
git config alias.x '!rm -rf /'
git rebase --exec 'git reset --hard' main
git rebase -x "rm -rf /" main
GIT_EDITOR='rm -rf /' git commit
GIT_SSH_COMMAND='rm -rf /' git fetch
`,
    pass: String.raw`
git -c push.default=current push
git -c clean.requireForce=true clean -n
git -c alias.st='status -s' st
git --no-pager diff
git --version
git --work-tree /x status
`,
  },
  {
    trick: "strings that mention commands",
    pass: String.raw`
echo 'git push --force' >> notes.md
git commit -m 'never git push --force' -m "nor git reset --hard"
git tag -a v1 -m "git clean -fdx"
sed -n 's/rm -rf/x/p' f
printf 'rm -rf /\n' > x.sh
cat <<'X'⏎$(rm -rf /)⏎X
test "rm -rf /" = "$x"
case "rm -rf /" in *) echo;; esac
curl -d 'rm -rf /' localhost
gh issue create --title "rm -rf / is bad" --body "git push --force"
gh pr create --title "drop git stash drop" --body-file body.md
node rm.js -rf /
node -e "console.log('git push --force')"
jq '.scripts.clean = "rm -rf dist"' package.json
docker run x echo rm -rf /
sh -c 'echo rm -rf /'
touch "rm -rf"
mkdir -- -rf
npx cowsay "sudo reboot"
logger "shutdown now"
notify-send 'kill -9 -1'
`,
  },
  {
    trick: "names and look-alikes",
    refuse: String.raw`
rm.exe -rf /
grm -rf /
/sbin/reboot
gfind / -delete
`,
    pass: String.raw`
rm-rf /
gi push --force
rebooot
`,
  },
];
