import type { Group } from "./rows.ts";

/** Near misses: what looks like something that is refused, and is not. */
export const HARMLESS: readonly Group[] = [
  {
    trick: "near misses of git",
    pass: String.raw`
git reset HEAD~2 --soft
git reset --mixed HEAD~1
git reset --no-hard
git reset -p
git checkout hard
git checkout force-push-fix
git checkout -t origin/reset--hard
git checkout -b reset-hard
git switch -c clean-f
git switch --detach v1.0
git branch force
git branch -v --no-merged
git branch --contains HEAD
git branch --set-upstream-to=origin/main main
git push origin force
git push origin HEAD:force-push
git push --all origin
git push origin refs/heads/main:refs/heads/main
git push --no-verify
git push -v --progress origin main
git push -4 origin main
git push --atomic origin main v1
git push origin "feature/+1"
git push origin tag v1
git stash save "drop clear"
git stash push -- clear
git stash apply stash@{1}
git clean --help
git clean -h
git log -- --force
git log --all --grep=force -f x
git diff --no-index a b
git show -s --format=%H
git add --force dist/x
git commit -F msg.txt
git commit --fixup HEAD~1
git rebase --skip
git rebase --onto main a b
git merge -X theirs topic
git revert --no-commit HEAD~2..HEAD
git cherry-pick --abort
git am --abort
git worktree prune
git worktree remove ../x
git submodule sync --recursive
git remote remove fork
git remote set-url origin git@example.com:a/b.git
git notes add -m x
git ls-remote --heads origin
git ls-tree -r HEAD --name-only
git rm a.txt
git rm -r --cached node_modules
git mv a b
git tag -d v0
git bisect reset
git restore --staged --patch
git sparse-checkout set src
git update-index --assume-unchanged a
git config --unset user.name
git var GIT_EDITOR
git count-objects -v
git fsck --full
git verify-commit HEAD
git maintenance run
git range-diff main a b
git read-tree -m HEAD
git checkout-index -a --prefix=out/
`,
  },
  {
    trick: "near misses of removals",
    pass: String.raw`
rm a b c
rm -f *.o *.d
rm src/old.ts
rm -rf out/*.map
rm -rf ./test/fixtures/tmp
rm -rf "dist/sub dir"
rm -rf 'a*b'
rm -rf dist/{js,css}
rm -rf .cache/babel-loader
rm -rf ios/Pods android/.gradle
rm -rf a/b/../c
rm -rf ./a/./b
rm -rf /tmp/a/b/../c
rm -rf /tmp/./x
rm -rf /work/project/build /tmp/y
rm -rf apps/*/.next
rm -rf [a-c]dir
rm -rf file?.bak
rm -rf .env.d
rm -rf .gitlab
rm -rf .config
rmdir -p a/b/c
unlink a
trash a
mv a b && rm -rf c
cp -r a b && rm -rf a
tar czf a.tgz a && rm -r a
[ ! -d x ] || rm -r x
test -e out && rm -rf out || true
rm -rf node_modules/.cache
rm -rf ~+/dist
find . -maxdepth 1 -name '*.log' -delete
find . -name '*~' -delete
find . -name '._*' -delete
find . -iname thumbs.db -delete
find target -name '*.rlib' -delete
find . -name '*.bak' -mtime +30 -exec rm {} \;
find . -type f -name '*.swp' -exec rm -f {} +
find coverage dist -delete
find . -false -delete
find . -name x -exec echo {} \; -print
`,
  },
  {
    trick: "near misses elsewhere",
    pass: String.raw`
dd --help
dd if=a of=dev/sda
cat /dev/sda1.txt
echo x > dev/sda
echo x > ./null
tee out.log
chmod -R g+w .
chmod --reference=a b
chown root:root a
chown -R me:me /work/project/src
mv dist /tmp/dist
mv /tmp/a .
mv .env.example .env
kill -15 4242
kill -s TERM 77
kill -l 9
killall -9 node
pkill -x vite
shutdown --help
systemctl list-units --state=failed
systemctl stop app
crontab -u me -l
history 20
history | grep reset
wipefs --no-act -a /dev/sda
parted --help
mkfifo pipe
mktemp -d
mkdocs build
mkcert localhost
curl x | sha256sum
curl x | tar -xzC /tmp/y
curl x | sed 's/a/b/'
curl x | psql
curl x | ssh host cat
curl --output a.sh x && less a.sh
bash build.sh | tee log
echo ls | bash
wget -q x && unzip x.zip
python - < script.py
python3 manage.py flush --help
node --check a.js
node -r ts-node/register a.ts
ruby script.rb
perl script.pl
awk -f prog.awk data
sudo -l
sudo -v
sudo mkdir /opt/app
sudo cp a /etc/a
env -u FOO npm test
timeout 5 ping host
xargs -a list echo
time -p ls
command git status
exec bash
docker kill web
docker volume ls
docker image prune
kubectl delete job x
kubectl config use-context dev
terraform destroy
helm uninstall x
aws s3 rm s3://b/key
npm unpublish x
npm dedupe
redis-cli del key
psql -c 'drop table x'
rsync -a --delete build/ host:/srv/
gh repo delete o/r
unset FOO
export HISTSIZE=1000
echo 'capsh --print' | sh
echo 'emulate -L zsh' | bash
read -r name <<< build; ls "$name"
read -ra words <<< "a b"; echo "$\{words[1]}"
mapfile -t files < list; wc -l "$\{files[@]}"
for f in *.txt; do wc -l "$f"; done; echo "$f"
declare -A port=([web]=80); echo "$\{port[web]}"
name=build; echo "$\{name@Q}"; mkdir -p "$\{name@L}"
ip -all netns exec ip link show
ip -br link
git -c color.ui=always status
git -c core.pager=cat log -1
git -C . -c user.name=me commit -m x
find . -name "$name" -print
find src -newer "$stamp" -type f
find "$dir" -maxdepth 1 -type d
bash -c "echo $(date)"
bash -c 'ls '"$dir"
su -c 'git status' me
sudo -u www-data git log -1
tclsh <<< 'puts [file exists a.txt]'
expect -c 'spawn ls; expect eof'
ZDOTDIR=/tmp/z zsh -c 'echo a'
echo "$_"
mkdir -p out && cd "$_"
f() { ls "$1"; }; f src
awk -v n=3 'NR == n' file
parallel gzip ::: a.log b.log
`,
  },
];
