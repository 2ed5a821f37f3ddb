-- Rules for git subcommands that discard work, in the format of shell_guard.rule.

local conditions = require "shell_guard.git_conditions"

local STASH_FIRST = "Commit or git stash first"
local LOST = "throws away changes that are not committed"

local CLEAN = "git clean -n shows what would go; remove by name what you mean"
local PRUNES = "destroys commits that no branch names any more"

local PUSH = {
  options = "f,force ,force-with-lease? ,force-if-includes n,dry-run d,delete u,set-upstream v,verbose q,quiet o,push-option= "
    .. ",mirror ,prune ,all ,branches ,tags ,follow-tags ,atomic ,thin ,repo= ,receive-pack= ,exec= ,porcelain ,progress "
    .. ",verify ,signed? ,recurse-submodules? 4,ipv4 6,ipv6",
  rules = {
    {
      any = "force", unless = "dry-run", id = "git.push-force", what = "git push --force",
      because = "overwrites what others may have pushed", instead = "Use git push --force-with-lease",
    },
    {
      test = conditions.refspec("+"), unless = "dry-run", id = "git.push-force", what = "git push +branch",
      because = "overwrites what others may have pushed, as --force does", instead = "Use git push --force-with-lease",
    },
    {
      any = "mirror prune", unless = "dry-run", id = "git.push-mirror", what = "git push --mirror|--prune",
      because = "removes branches of the remote that are not here", instead = "Push the branches you mean by name",
    },
    {
      test = conditions.forced_by_config, unless = "dry-run", id = "git.push-force", what = "git -c remote.….push=+…",
      because = "forces a push by configuration", instead = "Use git push --force-with-lease",
    },
    {
      test = conditions.removes_shared, unless = "dry-run", id = "git.push-delete-shared", what = "git push --delete main",
      because = "removes a branch from the remote that others work on", instead = "Let the user do it",
    },
    {
      any = "delete", unless = "dry-run", id = "git.push-delete", what = "git push --delete",
      because = "removes a branch or tag from the remote", instead = "Let the user do it",
    },
    {
      test = conditions.refspec(":"), unless = "dry-run", id = "git.push-delete", what = "git push :branch",
      because = "removes a branch or tag from the remote", instead = "Let the user do it",
    },
  },
}

local git = {}

git.subcommands = {
  reset = {
    options = ",hard ,soft ,mixed ,merge ,keep q,quiet p,patch N,intent-to-add ,refresh ,pathspec-from-file= ,pathspec-file-nul ,recurse-submodules?",
    rules = {
      { any = "hard", id = "git.reset-hard", what = "git reset --hard", because = LOST, instead = STASH_FIRST .. ", or use git reset --keep" },
      {
        any = "merge", id = "git.reset-hard", what = "git reset --merge",
        because = LOST, instead = STASH_FIRST .. ", or use git reset --keep",
      },
    },
  },
  clean = {
    options = "f,force n,dry-run i,interactive d x X q,quiet e,exclude=",
    rules = {
      {
        any = "force", unless = "dry-run", id = "git.clean", what = "git clean -f", because = "removes files that git does not have, and cannot bring back",
        instead = CLEAN, test = function(parsed, command) return not conditions.only_artefacts(parsed, command) end,
      },
      {
        unless = "dry-run interactive", id = "git.clean", what = "git -c clean.requireForce=false clean",
        because = "removes files that git does not have, and cannot bring back", instead = CLEAN,
        test = function(_, command)
          local required = (command.config or {})["clean.requireforce"]
          return required ~= nil and conditions.is_false(required)
        end,
      },
    },
  },
  checkout = {
    options = "f,force b= B= ,orphan= t,track? d,detach p,patch q,quiet 2,ours 3,theirs m,merge l ,conflict= ,progress ,guess "
      .. ",ignore-other-worktrees ,overlay ,overwrite-ignore ,pathspec-from-file= ,pathspec-file-nul ,recurse-submodules? "
      .. ",ignore-skip-worktree-bits U,unified= ,inter-hunk-context=",
    rules = {
      { any = "force", id = "git.checkout-force", what = "git checkout --force", because = LOST, instead = STASH_FIRST },
      {
        test = conditions.checks_out_files, id = "git.checkout-files", what = "git checkout FILES", because = "overwrites changes in those files that are not committed",
        instead = STASH_FIRST .. "; git show REV:FILE shows another version, git switch changes branches",
      },
      {
        any = "B", id = "git.branch-overwrite", what = "git checkout -B", because = "moves a branch that is there already",
        instead = "Use -b with a new name",
      },
    },
  },
  restore = {
    options = "S,staged W,worktree s,source= p,patch q,quiet ,progress 2,ours 3,theirs m,merge ,conflict= ,ignore-unmerged "
      .. ",overlay ,pathspec-from-file= ,pathspec-file-nul ,ignore-skip-worktree-bits ,recurse-submodules? U,unified= "
      .. ",inter-hunk-context=",
    rules = {
      {
        test = conditions.restores_files, id = "git.restore-files", what = "git restore FILES", because = "overwrites changes in those files that are not committed",
        instead = STASH_FIRST .. "; git restore --staged alone only unstages",
      },
    },
  },
  switch = {
    options = "f,force c,create= C,force-create= ,discard-changes d,detach m,merge t,track? q,quiet ,orphan= ,conflict= ,guess "
      .. ",progress ,ignore-other-worktrees ,recurse-submodules? ,overwrite-ignore",
    rules = {
      { any = "force discard-changes", id = "git.switch-discard", what = "git switch --discard-changes", because = LOST, instead = STASH_FIRST },
      {
        any = "force-create", id = "git.branch-overwrite", what = "git switch -C", because = "moves a branch that is there already",
        instead = "Use -c with a new name",
      },
    },
  },
  branch = {
    options = "d,delete D f,force m,move M c,copy C l,list a,all r,remotes v,verbose q,quiet t,track? u,set-upstream-to= "
      .. ",unset-upstream ,contains? ,no-contains? ,merged? ,no-merged? ,sort= ,points-at= ,format= ,show-current ,edit-description "
      .. ",color? ,column? ,abbrev? ,create-reflog i,ignore-case ,recurse-submodules",
    rules = {
      {
        any = "D", id = "git.branch-delete", what = "git branch -D", because = "removes a branch even if its commits are nowhere else",
        instead = "Use git branch -d, which refuses then",
      },
      {
        all = "delete force", id = "git.branch-delete", what = "git branch --delete --force",
        because = "removes a branch even if its commits are nowhere else", instead = "Use git branch -d alone, which refuses then",
      },
      {
        any = "force M C", id = "git.branch-overwrite", what = "git branch --force", because = "writes over a branch that is there already",
        instead = "Choose a new name",
      },
    },
  },
  stash = {
    options = "m,message=",
    rules = {
      {
        sub = "drop", id = "git.stash-drop", what = "git stash drop",
        because = "throws stashed work away", instead = "Use git stash apply and leave it there",
      },
      {
        sub = "clear", id = "git.stash-clear", what = "git stash clear",
        because = "throws all stashed work away", instead = "Leave it, or ask the user",
      },
    },
  },
  push = PUSH,
  ["send-pack"] = PUSH,
  fetch = {
    options = "f,force a,append ,all ,multiple p,prune P,prune-tags t,tags n u,update-head-ok q,quiet v,verbose j,jobs= o,server-option= "
      .. ",depth= ,deepen= ,refmap= ,upload-pack= ,dry-run ,set-upstream ,recurse-submodules?",
    rules = {
      {
        test = conditions.refspec("+"), unless = "dry-run", id = "git.fetch-force", what = "git fetch +branch",
        because = "may write over a branch of this repository", instead = "Fetch without the +",
      },
    },
  },
  rm = {
    options = "f,force n,dry-run r ,cached q,quiet ,ignore-unmatch ,sparse ,pathspec-from-file= ,pathspec-file-nul",
    rules = {
      {
        any = "force", unless = "dry-run cached", id = "git.rm-force", what = "git rm --force",
        because = "removes files with changes that are not committed", instead = "Use git rm without it, which refuses then",
      },
    },
  },
  tag = {
    options = "d,delete a,annotate s,sign f,force l,list m,message= F,file= u,local-user= n? v,verify e,edit ,sort= ,format= ,contains? ,points-at=",
    rules = {
      { any = "delete", id = "git.tag-delete", what = "git tag --delete", because = "removes a tag", instead = "Leave it, or ask the user" },
      {
        any = "force", id = "git.tag-force", what = "git tag --force",
        because = "moves a tag that is there already", instead = "Choose a new name",
      },
    },
  },
  ["filter-branch"] = {
    rules = { { id = "git.rewrite-history", what = "git filter-branch", because = "rewrites the whole history", instead = "Let the user do it, on a fresh clone" } },
  },
  ["filter-repo"] = {
    options = ",analyze ,dry-run h,help ,version",
    rules = {
      {
        unless = "analyze dry-run help version", id = "git.rewrite-history", what = "git filter-repo",
        because = "rewrites the whole history", instead = "Let the user do it, on a fresh clone",
      },
    },
  },
  reflog = {
    options = "n,dry-run ,all ,expire= ,expire-unreachable= ,updateref ,rewrite ,stale-fix q,quiet v,verbose",
    rules = {
      {
        sub = "expire delete", unless = "dry-run", id = "git.reflog-expire", what = "git reflog expire|delete",
        because = PRUNES, instead = "Leave the reflog as it is",
      },
    },
  },
  gc = {
    options = ",aggressive ,auto ,prune? q,quiet ,force ,keep-largest-pack ,cruft ,detach ,max-cruft-size= ,expire-to=",
    rules = {
      {
        id = "git.prune", what = "git gc --prune=now", because = PRUNES, instead = "Use git gc alone",
        test = function(parsed)
          local value = parsed.on.prune
          return type(value) == "string" and not (value:find("week") or value:find("month") or value:find("year") or value == "never")
        end,
      },
      {
        id = "git.prune", what = "git -c gc.pruneExpire=… gc", because = PRUNES, instead = "Use git gc alone",
        test = conditions.configured("gc.pruneexpire", "gc.reflogexpire", "gc.reflogexpireunreachable"),
      },
    },
  },
  prune = {
    options = "n,dry-run v,verbose ,progress ,expire= ,exclude-promisor-objects",
    rules = {
      {
        unless = "dry-run expire", id = "git.prune", what = "git prune",
        because = PRUNES, instead = "Use git gc, which keeps what is young",
      },
      {
        any = "expire", unless = "dry-run", id = "git.prune", what = "git prune --expire=now", because = PRUNES, instead = "Use git gc",
        test = function(parsed) return parsed.on.expire == "now" or parsed.on.expire == "all" end,
      },
    },
  },
  ["update-ref"] = {
    options = "d m= z ,stdin ,no-deref ,create-reflog",
    rules = {
      {
        any = "d", id = "git.update-ref-delete", what = "git update-ref -d",
        because = "removes a branch or tag without looking", instead = "Use git branch -d",
      },
      {
        any = "stdin", test = conditions.reads("^delete "), id = "git.update-ref-delete", what = "git update-ref --stdin",
        because = "removes a branch or tag without looking", instead = "Use git branch -d",
      },
    },
  },
  worktree = {
    options = "f,force b= B= ,detach ,lock ,reason= n,dry-run v,verbose ,expire= ,orphan ,porcelain q,quiet ,track ,guess-remote ,checkout",
    rules = {
      {
        sub = "remove", any = "force", id = "git.worktree-remove", what = "git worktree remove --force",
        because = LOST .. " there", instead = "Use it without --force, which refuses then",
      },
    },
  },
  ["checkout-index"] = {
    options = "f,force a,all n,no-create u,index q,quiet ,prefix= ,stage= ,temp z ,stdin ,ignore-skip-worktree-bits",
    rules = {
      { any = "force", unless = "prefix", id = "git.checkout-index", what = "git checkout-index --force", because = LOST, instead = STASH_FIRST },
    },
  },
  ["read-tree"] = {
    options = "m ,reset u i n,dry-run v ,trivial ,aggressive ,prefix= ,index-output= ,no-sparse-checkout ,empty q,quiet",
    rules = {
      { all = "reset u", unless = "dry-run", id = "git.read-tree", what = "git read-tree --reset -u", because = LOST, instead = STASH_FIRST },
    },
  },
  submodule = {
    options = "f,force q,quiet ,all ,init ,recursive ,remote ,checkout ,merge ,rebase b,branch= ,reference= ,depth= j,jobs= ,name= N,no-fetch",
    rules = {
      {
        sub = "deinit", any = "force", id = "git.submodule-deinit", what = "git submodule deinit --force",
        because = LOST .. " in the submodule", instead = "Use it without --force, which refuses then",
      },
      {
        sub = "update", any = "force", id = "git.submodule-update", what = "git submodule update --force",
        because = LOST .. " in the submodule", instead = "Use it without --force",
      },
    },
  },
  ["lfs"] = {
    options = "f,force n,dry-run v,verbose",
    rules = { { sub = "prune", unless = "dry-run", id = "git.lfs-prune", what = "git lfs prune", because = "removes files that may be nowhere else" } },
  },
  remote = {
    options = "v,verbose",
    rules = { { sub = "remove rm", id = "git.remote-remove", what = "git remote remove", because = "removes the remote and all its branches here" } },
  },
  ["symbolic-ref"] = {
    options = "d,delete q,quiet m= ,short",
    rules = { { any = "delete", id = "git.symbolic-ref-delete", what = "git symbolic-ref --delete", because = "removes a name of the repository" } },
  },
}

return git
