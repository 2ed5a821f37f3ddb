-- Rules for git, Mercurial and Subversion: rows, see shell_guard.row_rules.

local conditions = require "shell_guard.git_conditions"

local STASH_FIRST = "Commit or git stash first"
local LOST = "throws away changes that are not committed"
local RESET = STASH_FIRST .. ", or use git reset --keep"
local CLEANS = "removes files that git does not have, and cannot bring back"
local CLEAN = "git clean -n shows what would go; remove by name what you mean"
local PRUNES = "destroys commits that no branch names any more"
local OVERWRITES, LEASE = "overwrites what others may have pushed", "Use git push --force-with-lease"
local MIRRORS, BY_NAME = "removes branches of the remote that are not here", "Push the branches you mean by name"
local DELETES = "removes a branch or tag from the remote"
local BRANCH_GOES = "removes a branch even if its commits are nowhere else"
local MOVES = "moves a branch that is there already"
local UPDATES, BRANCH_D = "removes a branch or tag without looking", "Use git branch -d"
local REWRITES, CLONE = "rewrites the whole history", "Let the user do it, on a fresh clone"
local SHELVE = "Commit or shelve them first"
local SHARED = "main|master|develop|trunk|production|prod|release"
SHARED = SHARED .. "|refs/heads/" .. SHARED:gsub("|", "|refs/heads/")

return {
  {
    "git.push-force", runs = "git push|send-pack --force", what = "git push --force", because = OVERWRITES,
    instead = LEASE,
  },
  {
    "git.push-force", runs = { "git push|send-pack * ** +?*", "git push|send-pack --repo ** +?*" },
    what = "git push +branch", because = OVERWRITES .. ", as --force does", instead = LEASE,
  },
  {
    "git.push-mirror", runs = "git push|send-pack --mirror|--prune", what = "git push --mirror|--prune",
    because = MIRRORS, instead = BY_NAME,
  },
  {
    "git.push-force", runs = "git push|send-pack", when = conditions.forced_by_config, what = "git -c remote.….push=+…",
    because = "forces a push by configuration", instead = LEASE,
  },
  {
    "git.push-delete-shared",
    runs = { "git push|send-pack --delete ** " .. SHARED, "git push|send-pack ** :" .. SHARED:gsub("|", "|:") },
    what = "git push --delete main",
    because = "removes a branch from the remote that others work on",
  },
  { "git.push-delete", runs = "git push|send-pack --delete", what = "git push --delete", because = DELETES },
  {
    "git.push-delete", runs = { "git push|send-pack * ** :?*", "git push|send-pack --repo ** :?*" },
    what = "git push :branch", because = DELETES,
  },
  { "git.reset-hard", runs = "git reset --hard", because = LOST, instead = RESET },
  { "git.reset-hard", runs = "git reset --merge", because = LOST, instead = RESET },
  { "git.clean", runs = "git clean -f", when = conditions.not_only_artefacts, because = CLEANS, instead = CLEAN },
  {
    "git.clean", runs = "git clean", unless = "--interactive", when = conditions.unset "clean.requireforce",
    what = "git -c clean.requireForce=false clean", because = CLEANS, instead = CLEAN,
  },
  { "git.checkout-force", runs = "git checkout --force", because = LOST, instead = STASH_FIRST },
  {
    "git.checkout-files", runs = "git checkout", when = conditions.checks_out_files, what = "git checkout FILES",
    because = "overwrites changes in those files that are not committed",
    instead = STASH_FIRST .. "; git show REV:FILE shows another version, git switch changes branches",
  },
  { "git.branch-overwrite", runs = "git checkout -B", because = MOVES, instead = "Use -b with a new name" },
  {
    "git.restore-files", runs = "git restore", when = conditions.restores_files, what = "git restore FILES",
    because = "overwrites changes in those files that are not committed",
    instead = STASH_FIRST .. "; git restore --staged alone only unstages",
  },
  {
    "git.restore-files", runs = { "git apply --reverse", "patch --reverse" },
    unless = "--check --stat --numstat --summary --cached", when = conditions.undoes_difference,
    what = "git diff … apply --reverse", because = "throws away uncommitted changes of files",
    instead = "Commit or stash them first",
  },
  {
    "git.checkout-files", runs = "tar|gtar|bsdtar --extract", unless = "--to-stdout",
    when = conditions.extracts_here, what = "git archive … tar -x",
    because = "overwrites files with their uncommitted changes", instead = "Extract into another folder: tar -x -C",
  },
  { "git.switch-discard", runs = "git switch --discard-changes", because = LOST, instead = STASH_FIRST },
  { "git.branch-overwrite", runs = "git switch -C", because = MOVES, instead = "Use -c with a new name" },
  {
    "git.branch-delete", runs = "git branch -D", because = BRANCH_GOES,
    instead = "Use git branch -d, which refuses then",
  },
  {
    "git.branch-delete", runs = "git branch --delete --force", because = BRANCH_GOES,
    instead = "Use git branch -d alone, which refuses then",
  },
  {
    "git.branch-overwrite", runs = "git branch --force|-M|-C", what = "git branch --force",
    because = "writes over a branch that is there already", instead = "Choose a new name",
  },
  {
    "git.stash-drop", runs = "git stash drop", because = "throws stashed work away",
    instead = "Use git stash apply and leave it there",
  },
  {
    "git.stash-clear", runs = "git stash clear", because = "throws all stashed work away",
    instead = "Leave it, or ask the user",
  },
  {
    "git.fetch-force", runs = "git fetch * ** +?*", what = "git fetch +branch",
    because = "may write over a branch of this repository", instead = "Fetch without the +",
  },
  {
    "git.rm-force", runs = "git rm --force", unless = "--cached",
    because = "removes files with changes that are not committed",
    instead = "Use git rm without it, which refuses then",
  },
  { "git.tag-delete", runs = "git tag --delete", because = "removes a tag", instead = "Leave it, or ask the user" },
  {
    "git.tag-force", runs = "git tag --force", because = "moves a tag that is there already",
    instead = "Choose a new name",
  },
  {
    "git.rewrite-history", runs = { "git filter-branch", "git filter-repo", "bfg" }, unless = "--analyze",
    because = REWRITES, instead = CLONE,
  },
  { "git.reflog-expire", runs = "git reflog expire|delete", because = PRUNES, instead = "Leave the reflog as it is" },
  {
    "git.prune", runs = "git gc --prune", when = conditions.prunes_soon, what = "git gc --prune=now", because = PRUNES,
    instead = "Use git gc alone",
  },
  {
    "git.prune", runs = "git gc", when = conditions.set "gc.pruneexpire gc.reflogexpire gc.reflogexpireunreachable",
    what = "git -c gc.pruneExpire=… gc",
    because = PRUNES, instead = "Use git gc alone",
  },
  {
    "git.prune", runs = "git prune", unless = "--expire", because = PRUNES,
    instead = "Use git gc, which keeps what is young",
  },
  {
    "git.prune", runs = "git prune --expire=now|--expire=all", what = "git prune --expire=now", because = PRUNES,
    instead = "Use git gc",
  },
  {
    "git.prune", runs = "git repack -a -d", what = "git repack -ad", because = PRUNES,
    instead = "Use git gc, which keeps what is young",
  },
  { "git.update-ref-delete", runs = "git update-ref -d", because = UPDATES, instead = BRANCH_D },
  {
    "git.update-ref-delete", runs = "git update-ref --stdin", reads = { " delete " }, because = UPDATES,
    instead = BRANCH_D,
  },
  {
    "git.worktree-remove", runs = "git worktree remove --force", because = LOST .. " there",
    instead = "Use it without --force, which refuses then",
  },
  {
    "git.checkout-index", runs = "git checkout-index --force", unless = "--prefix", because = LOST,
    instead = STASH_FIRST,
  },
  { "git.read-tree", runs = "git read-tree --reset -u", because = LOST, instead = STASH_FIRST },
  {
    "git.submodule-deinit", runs = "git submodule deinit --force", because = LOST .. " in the submodule",
    instead = "Use it without --force, which refuses then",
  },
  {
    "git.submodule-update", runs = "git submodule update --force", because = LOST .. " in the submodule",
    instead = "Use it without --force",
  },
  { "git.lfs-prune", runs = "git lfs prune", because = "removes files that may be nowhere else" },
  {
    "git.remote-remove", runs = "git remote remove|rm", what = "git remote remove",
    because = "removes the remote and all its branches here",
  },
  { "git.symbolic-ref-delete", runs = "git symbolic-ref --delete", because = "removes a name of the repository" },

  {
    "vcs.hg-update-clean", runs = "hg update|up|checkout|co|merge --clean", what = "hg update --clean", because = LOST,
    instead = SHELVE,
  },
  { "vcs.hg-revert", runs = "hg revert", because = LOST, instead = SHELVE },
  {
    "vcs.hg-purge", runs = "hg purge|clean", unless = "--print", what = "hg purge",
    because = "removes files that Mercurial does not have", instead = "hg purge --print shows what would go",
  },
  { "vcs.hg-strip", runs = "hg strip", because = "removes commits", instead = "Leave it, or ask the user" },
  {
    "vcs.hg-push-force", runs = "hg push --force", because = "pushes new heads over what is there",
    instead = "Pull and merge first",
  },
  { "vcs.svn-revert", runs = "svn revert", because = LOST, instead = SHELVE },
  {
    "vcs.svn-cleanup", runs = "svn cleanup --remove-unversioned|--remove-ignored",
    what = "svn cleanup --remove-unversioned",
    because = "removes files that Subversion does not have", instead = "svn status lists them",
  },
}
