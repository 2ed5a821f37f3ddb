-- The arguments of git that name what it writes, apart from the working tree that it runs in.
local copied = require "file_guard.copied"
local path = require "file_guard.path"
local words = require "file_guard.words"
local set, split, has = words.set, words.split, words.has

local GLOBAL = set "-C -c --git-dir --work-tree --namespace --exec-path --config-env"
-- Subcommands that change a working tree or git's record of it.
local CHANGES = set [[
  add am apply checkout cherry-pick clean commit merge mv pull rebase reset restore revert rm stash switch ]]
local READS_STASH = set "list show"
-- Subcommand → options that take a value, and those whose value is written.
local OUTPUT = {
  archive = { "-o --output --format --prefix --remote", "-o --output" },
  ["format-patch"] = { "-o --output-directory --subject-prefix", "-o --output-directory" },
  ["checkout-index"] = { "--prefix --stage", "--prefix" },
  diff = { "--output", "--output" }, log = { "--output", "--output" }, show = { "--output", "--output" },
}
local CLONE = set "-b --branch -o --origin --depth -u --reference -c --config --template -j --jobs --separate-git-dir"
local APPLY = set [[
  --directory -p -C --exclude --include --whitespace --build-fake-ancestor --patch-format --resolvemsg -S --gpg-sign ]]
-- Options with which git apply and git mv change nothing.
local APPLY_READS, MOVE_READS = set "--check --stat --numstat --summary", set "-n --dry-run"
local MODULE = set "-b --branch --name --reference --depth"
local INIT = set "-b --initial-branch --template --separate-git-dir --object-format"
local move = copied.copies({}, "move")
local WORKTREE = set "-b -B --reason"
local CONFIG = set "-f --file --blob --type --default --comment --value"
local CONFIG_READS = set [[
  --get --get-all --get-regexp --get-urlmatch --list -l --get-color --get-colorbool --show-origin --show-scope ]]
local CONFIG_CHANGES = set "--unset --unset-all --add --replace-all -e --edit --rename-section --remove-section"
-- Keys that make git run a command, or use other configuration, another working tree or other URLs.
local STEERS = {
  "^core%.hookspath$", "^core%.fsmonitor$", "^core%.sshcommand$", "^core%.gitproxy$", "^core%.pager$", "^core%.editor$",
  "^core%.worktree$", "^include%.", "^includeif%.", "^filter%.", "^alias%.", "^credential%.", "^gpg%..*program$",
  "%.textconv$", "^diff%.external$", "^url%.",
}

local function steers(key)
  for _, pattern in ipairs(STEERS) do
    if key:lower():find(pattern) then return true end
  end
  return false
end

local function config(rest, add)
  local operands, options = split(rest, CONFIG)
  local verb = operands[1] and operands[1].text
  local modern = verb == "set" or verb == "unset" or verb == "edit" or verb == "get"
  if modern then table.remove(operands, 1) end
  local changes = has(options, CONFIG_CHANGES) or verb == "set" or verb == "unset" or verb == "edit"
    or (not modern and #operands > 1 and not has(options, CONFIG_READS))
  if not changes then return end
  for _, option in ipairs(options) do
    if option.name == "-f" or option.name == "--file" then return add(option.text or ".", option.at) end
  end
  if has(options, set "--system") then return add("/etc/gitconfig", 1) end
  if has(options, set "--global") then return add((path.home or "/root") .. "/.gitconfig", 1) end
  if not operands[1] or steers(operands[1].text) then add(".git/config", 1) end
end

local function git_folder(options, add)
  words.each_value(options, set "--separate-git-dir", add)
end

local function apply(rest, add)
  local _, options = split(rest, APPLY)
  if has(options, APPLY_READS) and not has(options, set "--apply") then return end
  words.each_value(options, set "--directory", function(text, at) add(text, at, "below") end)
end

local function clone(rest, add)
  local operands, options = split(rest, CLONE)
  git_folder(options, add)
  if operands[2] then return add(operands[2].text, operands[2].at) end
  local name = operands[1] and operands[1].text:gsub("/+$", ""):gsub("%.git$", ""):match("([^/:]+)$")
  if name then add(name, operands[1].at) end
end

-- Calls add(text, at, how), like the writers in file_guard.write_targets.
return function(argv, add)
  local at, folder, folder_at = 2, nil, nil
  while argv[at] and argv[at]:sub(1, 1) == "-" do
    local name, value = argv[at]:match("^(%-%-[^=]+)=(.*)$")
    name = name or argv[at]
    value = value or argv[at + 1]
    if (name == "-C" or name == "--work-tree") and value then
      folder = folder and value:sub(1, 1) ~= "/" and folder .. "/" .. value or value
      folder_at = at + 1
    end
    at = at + (GLOBAL[argv[at]] and 2 or 1)
  end
  local sub = argv[at]
  if not sub then return end
  local rest = table.move(argv, at, #argv, 1, {})
  local function named(text, i, how)
    if folder and text:sub(1, 1) ~= "/" then text = folder .. "/" .. text end
    add(text, at + i - 1, how)
  end
  if folder and CHANGES[sub] and not (sub == "stash" and READS_STASH[rest[2]]) then
    add(folder, folder_at, "below")
  end
  local output = OUTPUT[sub]
  if output then
    local _, options = split(rest, set(output[1]))
    words.each_value(options, set(output[2]), named)
  elseif sub == "config" then
    config(rest, named)
  elseif sub == "clone" then
    clone(rest, named)
  elseif sub == "init" then
    local operands, options = split(rest, INIT)
    git_folder(options, named)
    if operands[1] then named(operands[1].text, operands[1].at) elseif folder then add(folder, folder_at) end
  elseif sub == "mv" then
    local _, options = split(rest, {})
    if not has(options, MOVE_READS) then move(rest, named) end
  elseif sub == "apply" or sub == "am" then
    apply(rest, named)
  elseif sub == "submodule" and rest[2] == "add" then
    local operands = split(rest, MODULE)
    if operands[3] then named(operands[3].text, operands[3].at) end
  elseif sub == "worktree" and rest[2] == "move" then
    local operands = split(rest, {})
    if operands[3] then named(operands[3].text, operands[3].at) end
  elseif sub == "worktree" and rest[2] == "add" then
    local operands = split(rest, WORKTREE)
    if operands[2] then named(operands[2].text, operands[2].at) end
  elseif sub == "bundle" and rest[2] == "create" then
    local operands = split(rest, {})
    if operands[2] then named(operands[2].text, operands[2].at) end
  end
end
