-- Judges git commands by the files they name and by their working tree.
local path = require "file_guard.path"
local words = require "file_guard.words"
local set, split, has = words.set, words.split, words.has

local GLOBAL = set "-C -c --git-dir --work-tree --namespace --exec-path --config-env"
local CHANGES = set [[
  checkout clean merge pull rebase reset restore stash switch apply am rm mv update-index revert cherry-pick ]]
-- Subcommands that change the files they name.
local TAKES = set "rm mv checkout restore clean stash"
local VALUED = set "-b -B -m --message --source -s --conflict --pathspec-from-file -e --exclude --orphan -t"
local MAKES = set "-b --branch -o --origin --depth -u -c --config --template -j --jobs -B --reason --separate-git-dir"
local FLAGS = set "--skip-worktree --assume-unchanged --force-remove --remove --index-info --cacheinfo"
local INDEX = set "--staged -S --cached"
local READS_STASH = set "list show drop clear"
local TREE = set "--worktree -W"

-- Returns why a git command is denied, or nil.
-- refusal(text, folder, how): returns why one target is denied
-- tree: the folder in GIT_WORK_TREE, or nil
return function(argv, cwd, tree, refusal)
  local at, folder = 2, cwd
  while argv[at] and argv[at]:sub(1, 1) == "-" do
    local name, value = argv[at]:match("^(%-%-[^=]+)=(.*)$")
    name, value = name or argv[at], value or argv[at + 1]
    if name == "-C" and value then folder = path.resolve(value, folder) end
    if name == "--work-tree" and value then tree = path.resolve(value, folder) end
    at = at + (GLOBAL[argv[at]] and 2 or 1)
  end
  folder = tree or folder
  local sub = argv[at]
  local rest = table.move(argv, at, #argv, 1, {})
  if sub == "clone" or (sub == "worktree" and rest[2] == "add") then
    local made = split(rest, MAKES)[2]
    return made and refusal(made.text, folder, "below")
  end
  if not CHANGES[sub] then return nil end
  if sub == "stash" and READS_STASH[rest[2]] then return nil end
  local operands, options = split(rest, VALUED)
  if has(options, set "--dry-run --help -h") or (sub == "clean" and has(options, set "-n")) then return nil end
  -- reset changes files only with --hard, --merge or --keep. update-index changes the index only,
  -- but files that it marks (--skip-worktree) are no longer restored.
  if sub == "reset" and not has(options, set "--hard --merge --keep") then return nil end
  if sub == "update-index" and not has(options, FLAGS) then return nil end
  local only_index = has(options, INDEX) and not has(options, TREE)
  if only_index and (sub == "restore" or sub == "rm") then return nil end
  -- Each of these subcommands may change its whole working tree.
  local refused = refusal(".", folder, tree and "below" or nil)
  if refused then return refused end
  if sub == "update-index" then
    for _, operand in ipairs(operands) do
      refused = refusal(operand.text, folder)
      if refused then return refused end
    end
    return nil
  end
  if not TAKES[sub] then return nil end
  if sub == "stash" and operands[1] and (operands[1].text == "push" or operands[1].text == "save") then
    table.remove(operands, 1)
    if rest[2] == "save" then return nil end
  end
  if sub == "clean" and #operands == 0 then return refusal(".", folder, "gone") end
  for _, operand in ipairs(operands) do
    -- `git checkout .` only restores tracked files.
    if operand.text ~= "." then
      refused = refusal(operand.text, folder, "gone")
      if refused then return refused end
    end
  end
  return nil
end
