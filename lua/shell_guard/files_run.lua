-- Which rules hold for the commands of files that a line runs: scripts, Makefiles, package.json. What a project's own
-- scripts do in the project is fine; those that are marked are about harm outside of it, code that nobody has seen, and
-- history that is lost.

local rules = require "shell_guard.rules"
local words = require "file_guard.words"

local files_run = {}

-- In a container, only these: its files are not those of this machine.
local COUNTS_ELSEWHERE = words.set "code.reverse-shell git.push-force git.push-mirror git.push-delete-shared"

--- Splits the commands of a line from those of the files that it runs. Returns the former, and the latter as a list of
--- lists, one a file, in the order of the line.
function files_run.split(list)
  local own, files, by_name = {}, {}, {}
  for _, command in ipairs(list) do
    local name = command.file
    if name and not by_name[name] then
      by_name[name] = {}
      files[#files + 1] = by_name[name]
    end
    table.insert(name and by_name[name] or own, command)
  end
  return own, files
end

-- Rules about files and disks: a word that is only known to the shell may be anything, so that only the others count.
local NEEDS_WORDS = { "^files%.", "^disk%.", "^processes%.", "^history%." }
-- Rules about a repository, which may be another one: `git --git-dir=$X`.
local OF_A_REPOSITORY = words.set "git.reflog-expire git.prune git.update-ref-delete"

-- The command without the words that are not known; nil if nothing but options is left.
local function with_known_words(command)
  local argv, has_operand = {}, false
  for at, word in ipairs(command.argv) do
    if not command.unknown[at] then
      argv[#argv + 1] = word
      has_operand = has_operand or at > 1 and word:sub(1, 1) ~= "-"
    end
  end
  return has_operand and setmetatable({ argv = argv, unknown = {}, is_certain = true }, { __index = command }) or nil
end

-- Whether one of the words is an absolute path.
local function names_path(argv)
  return words.any(argv, function(word) return word:find("^[/~]") end, 2)
end

local function is_of_another(argv)
  return words.any(argv, function(word) return word == "-C" or word:find("^%-%-git%-dir") end, 2)
end

-- What installers put where it is, and remove: toolchains, state of a running system.
local TOOLCHAINS = words.set [[
  .cargo .rustup .go go .nvm .pyenv .rbenv .sdkman .oh-my-zsh .gradle .m2 .npm .yarn .pnpm-store .bun .deno .asdf .volta .gem
  .bundle .cpan .stack .ghcup .cabal .conda miniconda3 .virtualenvs .minikube .rvm .fzf .vagrant.d
]]
local INSTALLED = words.set "/usr/local/go /usr/local/aws-cli /usr/local/node /usr/local/bundle /var/lib/apt/lists /opt/venv"
local OF_THE_MOMENT = { "^/run/[^/]+/.", "^/var/run/[^/]+/.", "^/var/cache/[^/]+/?", "^%a:/" }

local function is_made_again(reason, command)
  local path = reason:match("%(([^()]*)%)%. [%u]") or reason:match("%(([^()]*)%)[^()]*$") or ""
  local home = command.place.home
  if home and path:sub(1, #home + 1) == home .. "/" then return TOOLCHAINS[path:sub(#home + 2):match("^[^/]*")] == true end
  return INSTALLED[(path:gsub("/%*$", ""))] or words.matches(path, OF_THE_MOMENT)
end

-- Whether find removes old logs and backups: `find /var/backups/app -mtime +30 -delete`.
local OF_LOGS = { "^/var/backups?/.", "^/var/log/.", "^/var/cache/.", "^/var/spool/." }
local function clears_old(command)
  local argv, is_old = command.argv, false
  for at, word in ipairs(argv) do
    is_old = is_old or word:find("^%-[mac]time$") and (argv[at + 1] or ""):find("^%+[1-9]") ~= nil
    local is_far = word:find("^/") and not words.matches(word, OF_LOGS) or word:find("..", 1, true)
    if at > 1 and is_far then return false end
  end
  return is_old
end

-- Whether the words that are not known are what find or the like lists, of a folder that is known.
local function is_listed_surely(command)
  return not words.any(command.effects, function(effect) return effect.found and effect.found:find("[$`]") end)
end

-- Whether a command removes the history of what a command in front of it has cloned.
local function is_cloned(command)
  local target
  for _, effect in ipairs(command.effects) do target = effect.kind == "remove" and effect.target or target end
  local folder = (target or ""):match("^(.*)/%.git/?$")
  -- A clone into the folder itself fails where something is in it.
  if folder and not (command.cwd and folder:sub(1, #command.cwd + 1) == command.cwd .. "/") then return false end
  for at = 1, folder and command.at - 1 or 0 do
    local before = command.all[at]
    for _, effect in ipairs(before.program == "git" and before.argv[2] == "clone" and before.effects or {}) do
      if effect.kind == "write" and effect.target == folder then return true end
    end
  end
  return false
end

--- Returns the command that has to be judged again before a rule counts for it: without the words that are not known;
--- nil and true if it cannot count.
function files_run.certain(reason, command)
  local id = reason:match("^shell%-guard %(([%w.-]+)%)") or ""
  if OF_A_REPOSITORY[id] and is_of_another(command.argv) then return nil, true end
  local is_found = id == "files.find-outside-roots"
  if (is_found or id:find("^files%.rm")) and is_made_again(reason, command) then return nil, true end
  if id == "files.rm-git" and is_cloned(command) or is_found and clears_old(command) then return nil, true end
  -- In a folder that is not known, a relative path may be anywhere.
  if not command.cwd and id:find("^files%.") and not names_path(command.argv) then return nil, true end
  if next(command.unknown) == nil or command.is_certain or is_found and is_listed_surely(command) then return nil end
  if not words.matches(id, NEEDS_WORDS) then return nil end
  local certain = with_known_words(command)
  return certain, certain == nil
end

--- Returns a reason with the place in the file, if its rule holds for files; else nil.
--- @param start folder that the line starts in, or nil
--- @param in_container whether the command runs in one
function files_run.reason(reason, command, start, in_container)
  local id, text = reason:match("^shell%-guard %(([%w.-]+)%): (.*)$")
  local counts = id and rules.are_of_files(id) and (not in_container or COUNTS_ELSEWHERE[id])
  if not counts then return nil end
  local file = command.file
  if start and file:sub(1, #start + 1) == start .. "/" then file = file:sub(#start + 2) end
  return ("shell-guard (%s): in %s, line %d: %s"):format(id, file, command.in_file, text)
end

return files_run
