-- Rules about the code that interpreters run, as far as the readers of languages know what it does.

local paths = require "shell_guard.paths"
local reasons = require "shell_guard.reasons"
local rules = require "shell_guard.rules"
local words = require "file_guard.words"

local code = {}

local REMOVES = {
  "%f[%w]unlink", "%f[%w]rm%a*[%s(._]", "os%.r[em]", "File%.delete", "shutil%.move", "truncate", "Remove%-Item",
}

--- Whether code in the arguments of a command removes files, also those whose names it computes.
function code.removes_files(command)
  return words.any(command.argv, function(word) return words.matches(word, REMOVES) end, 2)
    or words.any(command.effects, function(effect) return effect.kind == "remove" end)
end

local refuse = reasons.of
local NAME_ANOTHER = "Name a folder below the working directory"
local HARMLESS = words.set "below temporary unclear"

local function judge_removal(command, effect)
  if not effect.recursive and not (effect.target and effect.target:find("[*?]")) then
    if not paths.is_needed(effect.target or effect.word) then return nil end
    local because = "removes " .. effect.word .. ", which the machine needs"
    return refuse("files.rm-system-file", command, because, "Let the user do it")
  end
  local kind, path
  if effect.target then kind, path = paths.look(command.place, command.cwd, effect.target) end
  if kind == "git" then
    return refuse("files.rm-git", command, "would remove the history of a repository", "Leave .git alone")
  end
  -- In a file, what a relative path is relative to is not known.
  if not kind or HARMLESS[kind] or paths.is_cache(command.place, path) or command.in_file and not effect.word:find("^[/~]") then return nil end
  local text = table.concat(command.argv, " ") .. (command.stdin or "")
  if kind == "home" and not text:find(effect.word, 1, true) and not text:find("[\"']~") then
    return refuse("code.remove-home", command, "may remove somebody's home", NAME_ANOTHER)
  end
  return refuse("code.remove-tree", command, "removes " .. effect.word .. " with all that is in it", NAME_ANOTHER)
end

local function is_code_option(word) return word:find("^%-%-?[cepErnl]+$") or word:find("^%-%-eval") end

--- Judges what the code of a command does to files. Returns a reason to deny it, or nil.
function code.judge(command)
  local reason = reasons.each(command.effects, function(effect)
    return effect.kind == "remove" and judge_removal(command, effect)
  end)
  if reason then return reason end
  if rules.on("code.remove-files") and code.removes_files(command) then
    local instead = "Use rm, so that it can be seen what goes"
    return refuse("code.remove-files", command, "removes files from within a program", instead)
  end
  if not rules.on("code.inline") or not words.any(command.argv, is_code_option, 2) then return nil end
  local instead = "Write it to a file that can be looked at"
  return refuse("code.inline", command, "runs code that stands in the command line", instead)
end

return code
