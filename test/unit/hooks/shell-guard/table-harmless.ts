import type { Group } from "./rows.ts";

/** Near misses: what looks like something that is refused, and is not. */
export const HARMLESS: readonly Group[] = [
  {
    trick: "near misses of git",
    pass: String.raw`
git reset HEAD~2 --soft
git reset -p
git checkout hard
git checkout -t origin/reset--hard
git checkout -b reset-hard
git switch --detach v1.0
git branch force
git branch -v --no-merged
git branch --contains HEAD
git branch --set-upstream-to=origin/main main
git push --all origin
git push --no-verify
git push -v --progress origin main
git push --atomic origin main v1
git push origin "feature/+1"
git stash save "drop clear"
git stash apply stash@{1}
git clean --help
git log --all --grep=force -f x
git show -s --format=%H
git add --force dist/x
git rebase --skip
git merge -X theirs topic
git am --abort
git worktree prune
git submodule sync --recursive
git ls-remote --heads origin
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
rm -f *.o *.d
rm -rf out/*.map
rm -rf "dist/sub dir"
rm -rf dist/{js,css}
rm -rf ios/Pods android/.gradle
rm -rf a/b/../c
rm -rf apps/*/.next
rm -rf file?.bak
rm -rf .gitlab
rmdir -p a/b/c
trash a
tar czf a.tgz a && rm -r a
find . -name '._*' -delete
find . -iname thumbs.db -delete
find . -type f -name '*.swp' -exec rm -f {} +
find coverage dist -delete
find . -false -delete
`,
  },
  {
    trick: "near misses elsewhere",
    pass: String.raw`
dd --help
chmod --reference=a b
chown -R me:me /work/project/src
kill -15 4242
pkill -x vite
shutdown --help
systemctl list-units --state=failed
systemctl stop app
wipefs --no-act -a /dev/sda
parted --help
mkcert localhost
curl x | tar -xzC /tmp/y
curl --output a.sh x && less a.sh
wget -q x && unzip x.zip
python - < script.py
python3 manage.py flush --help
node --check a.js
node -r ts-node/register a.ts
ruby script.rb
awk -f prog.awk data
sudo -v
sudo mkdir /opt/app
time -p ls
command git status
docker kill web
docker image prune
kubectl delete job x
kubectl config use-context dev
helm uninstall x
npm unpublish x
redis-cli del key
psql -c 'drop table x'
export HISTSIZE=1000
echo 'capsh --print' | sh
echo 'emulate -L zsh' | bash
read -ra words <<< "a b"; echo "$\{words[1]}"
mapfile -t files < list; wc -l "$\{files[@]}"
declare -A port=([web]=80); echo "$\{port[web]}"
name=build; echo "$\{name@Q}"; mkdir -p "$\{name@L}"
ip -br link
git -c color.ui=always status
git -C . -c user.name=me commit -m x
sudo -u www-data git log -1
tclsh <<< 'puts [file exists a.txt]'
expect -c 'spawn ls; expect eof'
mkdir -p out && cd "$_"
awk -v n=3 'NR == n' file
`,
  },
];
