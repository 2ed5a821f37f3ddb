import type { Group } from "./rows.ts";

/** Tricks with words: how they are written, how options are put, and what merely looks like a command. */
export const WORDS: readonly Group[] = [
  {
    trick: "quoting",
    refuse: String.raw`
"rm" -rf /
r''m -rf /
'r'm -r''f /
\rm -rf /
r\m -r\f /
$'rm' -rf /
$'\x72m' -rf /
$'\162\155' -rf /
$"rm" -rf /
rm -rf "/"
rm -rf \/
rm -rf ''/''
rm	-rf	/
rm \⏎ -rf \⏎ /
g"i"t pu"s"h --fo"rc"e
git push \--force
git push -"f"
git reset $'--hard'
"/bin/rm" -rf "$HOME"
`,
    pass: String.raw`
"rm -rf /"
'git push --force'
echo 'rm -rf /'
echo "rm" "-rf" "/"
echo \"rm -rf /\"
printf '%s\n' "git reset --hard"
"git" "status"
g\it sta\tus
rm "a file with spaces.txt"
rm -rf "build dir"
git commit -m "it's \"done\""
git commit -m 'a "quoted" word; rm -rf /'
git commit -m $'first\nsecond'
grep "'" file.txt
echo "a\\b"
`,
  },
  {
    trick: "flags of rm",
    refuse: String.raw`
rm -r -f /
rm -fr /
rm -Rf /
rm -R /
rm --recursive --force /
rm --recurs /
rm --r /
rm -vrf /
rm / -rf
rm -rf -- /
rm -rf --no-preserve-root /
rm -rf --no-pres /
rm -rfv --one-file-system /
rm -rf src docs /
rm -ir ~
`,
    pass: String.raw`
rm -f a.txt
rm -i a.txt b.txt
rm -- -r
rm -f -- -rf
rm -d empty
rm -v old.log
rm --force stale.lock
rm --verbose a
rm --help
rm -rf -- -x
rm -rf ./-x
rm -r docs/old
`,
  },
  {
    trick: "flags of git",
    refuse: String.raw`
git reset --har
git reset --h
git reset -q --hard HEAD~3
git reset HEAD~3 --hard
git reset --merge
git clean -fd
git clean -xfd
git clean -d -f
git clean -f -e -n
git clean -fe -n
git clean -f -n --no-dry-run
git clean --fo -d
git push -fu origin main
git push -uf
git push --mir
git push --force-with-lease -f
git push --force --force-with-lease
git push origin main --force
git push -o ci.skip -f
git branch -df topic
git branch --delete --force topic
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
git reset --keep HEAD~1
git reset -- --hard
git reset -q HEAD a.ts
git reset --soft HEAD^
git clean -nfd
git clean -f -n
git clean --dry-run -f -d
git clean -n -e '*.log'
git push -n -f
git push --force --no-force
git push -o --force
git push --push-option --force origin main
git push --force-with-lease=main:abc123
git push --force-if-includes --force-with-lease
git branch -d topic
git branch --delete topic
git branch --force-create
git branch --list 'D*'
git switch -
git restore --staged -- a
git restore --source=HEAD~1 --staged a
git gc --prune=2.weeks.ago
git gc --auto
git checkout-index --prefix=/tmp/export/ -a -f
git read-tree HEAD
git log -f
git diff --force
git tag -f v1
git add -f dist
git mv -f a b
git commit --amend
git fetch --force
git worktree add -f ../x main
git submodule update --force
git branch -u -D
`,
  },
  {
    trick: "what git is asked to do",
    refuse: String.raw`
git checkout -- .
git checkout .
git checkout -- src/a.ts
git checkout HEAD -- src
git checkout HEAD~2 src/a.ts
git checkout src/a.ts
git checkout ./src
git checkout src/
git checkout '*.ts'
git checkout :/
git checkout --ours .
git checkout -f
git checkout stash@{0} -- x
git checkout --pathspec-from-file=list
git restore .
git restore :/
git restore --worktree --staged a
git switch -f main
git branch -D topic
git stash drop
git stash drop stash@{1}
git stash clear
git push origin +main
git push origin +HEAD:main
git push --repo=origin +main
git push --mirror
git push --prune origin
git filter-branch --tree-filter true HEAD
git filter-repo --path x
git reflog expire --expire=now --all
git reflog delete HEAD@{0}
git prune
git prune --expire=now
git update-ref -d refs/heads/x
git submodule deinit -f --all
git clean -f build/../src
git clean -f src
git rm -rf .
hub push --force
/usr/lib/git-core/git-push --force
hg update --clean
hg purge
svn revert -R .
`,
    pass: String.raw`
git checkout main
git checkout main --
git checkout -b fix/a.ts
git checkout -b x origin/main
git checkout feature/login
git checkout v1.2.3
git checkout HEAD~1
git checkout -
git checkout -p
git checkout --theirs package-lock.json
git checkout --orphan gh-pages
git switch -c new origin/main
git stash
git stash pop
git stash show stash@{0}
git stash branch drop
git stash push -m drop
git push origin main:main
git push origin HEAD
git push origin a+b
git push origin :old
git push --delete origin old
git reflog
git reflog show --all
git reflog expire --dry-run --all
git prune -n
git filter-repo --analyze
git update-ref refs/heads/x HEAD
git submodule deinit lib
git clean -f dist
git clean -fdx dist coverage
git remote prune origin
git help push --force
git branch -m old new
hg status
svn status
git log --grep='reset --hard'
git grep 'push --force'
git rm --cached .env
git show HEAD:src/a.ts
git stash list -- drop
`,
  },
  {
    trick: "options of git itself",
    refuse: String.raw`
git -C /x reset --hard
git -C x -c a=b --no-pager reset --hard
git --git-dir=/x/.git --work-tree=/x reset --hard
git --git-dir /x/.git reset --hard
git -p reset --hard
git --bare push -f
git -c clean.requireForce=false clean -d
git -c clean.requireforce=NO clean
git -c remote.origin.push=+refs/heads/*:refs/heads/* push
git -c remote.origin.mirror=true push
git -c gc.pruneExpire=now gc
git -c alias.x='!rm -rf /' x
git -c alias.yolo='push --force' yolo
git -c core.pager='rm -rf /' log
git config alias.x '!rm -rf /'
git rebase --exec 'git reset --hard' main
git rebase -x "rm -rf /" main
git submodule foreach 'git reset --hard'
git submodule foreach --recursive git clean -fd
GIT_EDITOR='rm -rf /' git commit
GIT_SSH_COMMAND='rm -rf /' git fetch
`,
    pass: String.raw`
git -C push status
git -C reset log --oneline
git -c push.default=current push
git -c clean.requireForce=true clean -n
git -c core.pager=cat log
git -c alias.st='status -s' st
git --no-pager diff
git --version
git -c user.name='rm -rf /' commit -m x
git --work-tree /x status
git rebase --exec 'npm test' main
git submodule foreach 'git status'
git bisect run npm test
git
`,
  },
  {
    trick: "strings that mention commands",
    pass: String.raw`
echo "rm -rf /"
echo rm -rf /
echo 'git push --force' >> notes.md
git commit -m "rm -rf /"
git commit -m 'never git push --force' -m "nor git reset --hard"
git tag -a v1 -m "git clean -fdx"
grep -r "git push --force" docs
grep -rn 'rm -rf /' .
rg 'mkfs|dd of=/dev' scripts
sed -n 's/rm -rf/x/p' f
awk '/rm -rf/ { print }' log.txt
printf 'rm -rf /\n' > x.sh
cat <<X > clean.sh⏎rm -rf /⏎X
cat <<'X'⏎$(rm -rf /)⏎X
ls rm -rf /
man rm
which rm git
test "rm -rf /" = "$x"
[ "$x" = "git push -f" ]
[[ $x == *"rm -rf"* ]]
case "rm -rf /" in *) echo;; esac
x="rm -rf /"
export CMD="rm -rf /"
MSG='git reset --hard' npm test
curl -d 'rm -rf /' localhost
gh issue create --title "rm -rf / is bad" --body "git push --force"
gh pr create --title "drop git stash drop" --body-file body.md
npm run rm -- -rf /
node rm.js -rf /
node -e "console.log('git push --force')"
python -c "print('rm -rf /')"
jq '.scripts.clean = "rm -rf dist"' package.json
: 'rm -rf /'
read -p "rm -rf / ?" x
docker run x echo rm -rf /
ssh host echo rm -rf /
sh -c 'echo rm -rf /'
find . -name 'rm -rf /'
find . -exec echo rm -rf / \;
xargs echo rm -rf /
touch "rm -rf"
mkdir -- -rf
npx cowsay "sudo reboot"
logger "shutdown now"
notify-send 'kill -9 -1'
`,
  },
  {
    trick: "comments and line breaks",
    refuse: String.raw`
rm -rf / # clean
ls⏎rm -rf /
# a comment⏎rm -rf /
echo a#b; rm -rf /
echo "# "; rm -rf /
ls \⏎; rm -rf /
`,
    pass: String.raw`
# rm -rf /
ls # ; rm -rf /
ls # && git push --force
echo done # $(rm -rf /)
echo '#'; ls
npm test # reboot
`,
  },
  {
    trick: "names and look-alikes",
    refuse: String.raw`
/bin/rm -rf /
/usr/bin/../bin/rm -rf /
./rm -rf /
RM -rf /
rm.exe -rf /
grm -rf /
git.exe push --force
GIT push --force
/sbin/reboot
gfind / -delete
`,
    pass: String.raw`
rм -rf /
ｒｍ -rf /
rm​ -rf /
rm-rf /
rmx -rf /
trash /tmp/x
rm -f ／
gît push --force
gi push --force
rebooot
rm⏎-rf /
shutdown-timer
mkfs-docs
ls "rm"
`,
  },
];
