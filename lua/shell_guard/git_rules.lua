-- Rules for git, Mercurial and Subversion: see shell_guard.packs. Conditions: shell_guard.conditions.

return [[
SHARED = main|master|develop|trunk|production|prod|release|refs/heads/main|refs/heads/master|refs/heads/develop|
  refs/heads/trunk|refs/heads/production|refs/heads/prod|refs/heads/release
NO_SHARED = :main|:master|:develop|:trunk|:production|:prod|:release|:refs/heads/main|:refs/heads/master|
  :refs/heads/develop|:refs/heads/trunk|:refs/heads/production|:refs/heads/prod|:refs/heads/release
PUSH = git push|send-pack
STASH_FIRST = Commit or git stash first
LOST = throws away changes that are not committed
CLEANS = removes files that git does not have, and cannot bring back
CLEAN = git clean -n shows what would go; remove by name what you mean
PRUNES = destroys commits that no branch names any more
GC = Use git gc, which keeps what is young
OVERWRITES = overwrites what others may have pushed
LEASE = Use git push --force-with-lease
DELETES = removes a branch or tag from the remote
BRANCH_GOES = removes a branch even if its commits are nowhere else
FILES_LOST = overwrites changes in those files that are not committed
MOVES = moves a branch that is there already
UPDATES = removes a branch or tag without looking | Use git branch -d
SHELVE = Commit or shelve them first
WITHOUT = Use it without --force, which refuses then
LEAVE = Leave it, or ask the user
NEW_NAME = Choose a new name
git.push-force* | $PUSH --force ; @what git push --force | $OVERWRITES | $LEASE
git.push-force | $PUSH * ** +?* ; $PUSH --repo ** +?* ; @what git push +branch | $OVERWRITES, as --force does | $LEASE
git.push-mirror* | $PUSH --mirror|--prune ; @what git push --mirror|--prune | removes branches of the remote that are
  not here | Push the branches you mean by name
git.push-force | $PUSH ; @when forced_by_config ; @what git -c remote.….push=+… | forces a push by configuration
  | $LEASE
git.push-delete-shared* | $PUSH --delete ** $SHARED ; $PUSH ** $NO_SHARED ; @what git push --delete main | removes a
  branch from the remote that others work on
git.push-delete! | $PUSH --delete ; @what git push --delete | $DELETES
git.push-delete! | $PUSH * ** :?* ; $PUSH --repo ** :?* ; @what git push :branch | $DELETES
git.reset-hard^ | git reset --hard ; git reset --merge | $LOST | $STASH_FIRST, or use git reset --keep
git.clean^ | git clean -f ; @when not_only_artefacts | $CLEANS | $CLEAN
git.clean | git clean ; @unless --interactive ; @when unset clean.requireforce ; @what git -c clean.requireForce=false
  clean | $CLEANS | $CLEAN
git.checkout-force^ | git checkout --force | $LOST | $STASH_FIRST
git.checkout-files^ | git checkout ; @when checks_out_files ; @what git checkout FILES | $FILES_LOST | $STASH_FIRST;
  git show REV:FILE shows another version, git switch changes branches
git.branch-overwrite!^ | git checkout -B | $MOVES | Use -b with a new name
git.restore-files^ | git restore ; @when restores_files ; @what git restore FILES | $FILES_LOST | $STASH_FIRST; git
  restore --staged alone only unstages
git.restore-files | git apply --reverse ; patch --reverse ; @unless --check --stat --numstat --summary --cached ;
  @when undoes_difference ; @what git diff … apply --reverse | throws away uncommitted changes of files | Commit or
  stash them first
git.checkout-files | tar|gtar|bsdtar --extract ; @unless --to-stdout ; @when extracts_here ; @what git archive … tar
  -x | overwrites files with their uncommitted changes | Extract into another folder: tar -x -C
git.switch-discard^ | git switch --discard-changes | $LOST | $STASH_FIRST
git.branch-overwrite! | git switch -C | $MOVES | Use -c with a new name
git.branch-delete^ | git branch -D | $BRANCH_GOES | Use git branch -d, which refuses then
git.branch-delete | git branch --delete --force | $BRANCH_GOES | Use git branch -d alone, which refuses then
git.branch-overwrite! | git branch --force|-M|-C ; @what git branch --force | writes over a branch that is there
  already | $NEW_NAME
git.stash-drop^ | git stash drop | throws stashed work away | Use git stash apply and leave it there
git.stash-clear*^ | git stash clear | throws all stashed work away | $LEAVE
git.fetch-force!^ | git fetch * ** +?* ; @what git fetch +branch | may write over a branch of this repository | Fetch
  without the +
git.rm-force^ | git rm --force ; @unless --cached | removes files with changes that are not committed | Use git rm
  without it, which refuses then
git.tag-delete!^ | git tag --delete | removes a tag | $LEAVE
git.tag-force!^ | git tag --force | moves a tag that is there already | $NEW_NAME
git.rewrite-history*^ | git filter-branch ; git filter-repo ; bfg ; @unless --analyze | rewrites the whole history
  | Let the user do it, on a fresh clone
git.reflog-expire* | git reflog expire|delete | $PRUNES | Leave the reflog as it is
git.prune* | git gc --prune ; @when prunes_soon ; @what git gc --prune=now | $PRUNES | Use git gc alone
git.prune | git gc ; @when set gc.pruneexpire gc.reflogexpire gc.reflogexpireunreachable ; @what git -c
  gc.pruneExpire=… gc | $PRUNES | Use git gc alone
git.prune | git prune ; @unless --expire | $PRUNES | $GC
git.prune | git prune --expire=now|--expire=all ; @what git prune --expire=now | $PRUNES | Use git gc
git.prune | git repack -a -d ; @what git repack -ad | $PRUNES | $GC
git.update-ref-delete*^ | git update-ref -d | $UPDATES
git.update-ref-delete | git update-ref --stdin ; @reads " delete " | $UPDATES
git.worktree-remove | git worktree remove --force | $LOST there | $WITHOUT
git.checkout-index^ | git checkout-index --force ; @unless --prefix | $LOST | $STASH_FIRST
git.read-tree^ | git read-tree --reset -u | $LOST | $STASH_FIRST
git.submodule-deinit^ | git submodule deinit --force | $LOST in the submodule | $WITHOUT
git.submodule-update!^ | git submodule update --force | $LOST in the submodule | Use it without --force
git.lfs-prune! | git lfs prune | removes files that may be nowhere else
git.remote-remove!^ | git remote remove|rm ; @what git remote remove | removes the remote and all its branches here
git.symbolic-ref-delete!^ | git symbolic-ref --delete | removes a name of the repository
vcs.hg-update-clean | hg update|up|checkout|co|merge --clean ; @what hg update --clean | $LOST | $SHELVE
vcs.hg-revert | hg revert | $LOST | $SHELVE
vcs.hg-purge | hg purge|clean ; @unless --print ; @what hg purge | removes files that Mercurial does not have | hg
  purge --print shows what would go
vcs.hg-strip* | hg strip | removes commits | $LEAVE
vcs.hg-push-force* | hg push --force | pushes new heads over what is there | Pull and merge first
vcs.svn-revert | svn revert | $LOST | $SHELVE
vcs.svn-cleanup | svn cleanup --remove-unversioned|--remove-ignored ; @what svn cleanup --remove-unversioned | removes
  files that Subversion does not have | svn status lists them
]]
