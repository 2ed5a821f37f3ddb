/** git, as far as it names files: what it does to its own record is not listed. */
export const GIT_PROGRAMS = `
git | -C=cd -c= --git-dir= --work-tree=cd --namespace= --exec-path=? --config-env= --super-prefix= -p,--paginate -P,--no-pager
  --bare --no-replace-objects --no-optional-locks --literal-pathspecs %leading %globs | subcommand guess...
git/cherry-pick git/merge git/pull git/rebase git/revert git/rm git/switch git/checkout git/restore git/reset git/clean
  | -F,--file=reads -m,--message= -e,--exclude= | text... | tree
git/add | %globs -N -p -A -u -f -n -v --chmod= --pathspec-from-file=list | guess... | tree
git/commit | %globs -m,--message= -F,--file=reads -C,-c= --author= --date= --format= -t,--template=reads --pathspec-from-file=list | guess... | tree
git/status git/check-ignore git/check-attr git/ls-files git/ls-tree git/update-index git/branch git/fetch git/push git/remote git/gc
  git/prune git/sparse-checkout git/rev-parse git/rev-list git/bisect git/describe git/count-objects git/fsck git/reflog | | text...
git/tag | -F,--file=reads -m,--message= | text...
git/log git/shortlog git/reflog/show | %globs -p,--patch,-u:shows -S,-G=:shows -L=guess:shows --output=writes -O= -n= --format= --pretty=
  --author= --date= --since= --until= --grep= | shows: guess... ; text...
git/grep | %globs -e=pattern:given -f=reads:given -q,-l,-L,-c,--quiet,--files-with-matches,--count:quiet -A,-B,-C,-m= --max-depth=
  -O= --threads= -n -i -v -w -E -F -P -H -h -W -p --cached --untracked | quiet: text... ; given: guess... ; pattern guess...
git/bundle/verify | | text...
git/stash | | subcommand? text... | tree
git/stash/list | | text...
git/stash/show | %globs | guess...
git/archive | -o,--output=writes --format= --prefix= --remote= --exec= -l,--list -v,--verbose | guess...
git/format-patch | -o,--output-directory=below --subject-prefix= -n -k -s --stdout | guess...
git/checkout-index | --prefix=writes --stage= -a,--all -f,--force -i,--index -n,--no-create -q,--quiet --stdin | guess...
git/diff git/show git/diff-tree git/diff-index git/difftool | %globs --output=writes -S= -G= -O= -n= | guess...
git/config | -f,--file=:file --blob=guess --type= --default= --comment= --value= --url= --get,--get-all,--get-regexp,--get-urlmatch:reads
  -l,--list:reads --get-color,--get-colorbool:reads --show-origin,--show-scope,--show-names:reads
  --unset,--unset-all,--add,--replace-all:changes -e,--edit:changes --rename-section,--remove-section:changes --system:system
  --global:global --local --worktree --null -z --name-only --path --all | text... | fn=gitconfig
git/clone | -b,--branch= -o,--origin= --depth= -u,--upload-pack= --reference= --reference-if-able= -c,--config= --template=reads -j,--jobs=
  --separate-git-dir=writes --filter= --shallow-since= --shallow-exclude= --server-option= --bundle-uri= --ref-format= -q,--quiet
  -v,--verbose -n,--no-checkout --mirror --bare --recursive --recurse-submodules=? -s,--shared -l,--local --single-branch
  | url below? | fn=clone
git/init | -b,--initial-branch= --template= --separate-git-dir=writes --object-format= --ref-format= -q,--quiet --bare --shared=?
  | below? | tree
git/mv | -n,--dry-run:dry -f,--force -k -v,--verbose | dry: names... ; moves... into | fn=copy tree
git/apply | --directory=below -p= -C= --exclude= --include= --whitespace= --build-fake-ancestor= --check,--stat,--numstat,--summary:dry
  --apply:applies -R,--reverse --index --cached -3,--3way -q,--quiet -v,--verbose | reads... | fn=gitapply lang=patch tree
git/am | --directory=below -p= -C= --exclude= --include= --whitespace= --patch-format= --resolvemsg= -S,--gpg-sign=? -s,--signoff
  -k,--keep --keep-cr --keep-non-patch -3,--3way -q,--quiet --abort --continue --skip --quit --resolved --retry | reads... | lang=patch tree
git/submodule | -q,--quiet | subcommand
git/submodule/add | -b,--branch= --name= --reference= --depth= -f,--force | url below?
git/worktree | | subcommand
git/worktree/move | -f,--force | text writes
git/worktree/add | -b= -B= --reason= -d,--detach -f,--force --lock --orphan --checkout --track -q,--quiet | below text?
git/bundle | | subcommand
git/bundle/create | --progress -q,--quiet --version= | writes text...
`;
