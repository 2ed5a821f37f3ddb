-- Conditions for the rules in git.lua that cannot be expressed by options alone.

local artefacts = require "shell_guard.artefacts"
local texts = require "shell_guard.texts"
local words = require "shell_guard.words"

local conditions = {}

-- File name extensions: `git checkout a.ts` names a file, not a branch.
local FILE_ENDINGS = words.set [[
  astro bash bat c cc cfg clj cmake conf cpp cs css csv cts cxx dart ex exs fish go gradle graphql h hpp hs htm html ini
  ipynb java jl js json jsonc jsx kt kts less lock lua m md mdx mjs ml mm mts php pl pm prisma proto ps1 py pyi r rb rs rst
  sass scala scss sh sol sql svelte svg swift tf toml ts tsx txt vue xml yaml yml zig zsh
]]
local FILES = words.set "Makefile Dockerfile LICENSE README Gemfile Rakefile"

local function is_path(word)
  if word == "." or word == ".." or word:find("^%.%.?/") or word:find("^[/:]") or word:find("/$") then return true end
  if word:find("[*?]") then return true end
  local name = word:match("[^/]*$")
  local ending = name:match("%.(%w+)$")
  return FILES[name] == true or (ending ~= nil and FILE_ENDINGS[ending:lower()] == true)
end

--- Whether a pathspec may match all files. Pathspecs that begin with `:` always count.
function conditions.wide(word)
  return word == "." or word == ".." or word:find("^:") ~= nil or word:find("^%.?/?%*") ~= nil
end

-- `--ours FILE` and `--theirs FILE` resolve conflicts: this is allowed for single files.
local function takes_a_side(parsed, command)
  if not (parsed.on.ours or parsed.on.theirs) then return false end
  for _, at in ipairs(parsed.operands) do
    if conditions.wide(command.argv[at]) then return false end
  end
  return true
end

--- Whether `git checkout` checks out files, not a branch.
function conditions.checks_out_files(parsed, command)
  local on, operands = parsed.on, parsed.operands
  if on.patch or takes_a_side(parsed, command) then return false end
  if on["pathspec-from-file"] then return true end
  if parsed.before then return #operands > parsed.before end
  if on.b or on.B or on.orphan or on.track or on.detach then return false end
  if #operands == 1 then return is_path(command.argv[operands[1]]) end
  return #operands > 1
end

--- Whether `git restore` overwrites files.
function conditions.restores_files(parsed, command)
  local on = parsed.on
  if on.patch or takes_a_side(parsed, command) or (on.staged and not on.worktree) then return false end
  return #parsed.operands > 0 or on["pathspec-from-file"] ~= nil
end

--- Returns a condition: an argument after the remote begins with this character (`+main`, `:main`).
function conditions.refspec(begins)
  return function(parsed, command)
    for n = parsed.on.repo and 1 or 2, #parsed.operands do
      local word = command.argv[parsed.operands[n]]
      if word:sub(1, 1) == begins and #word > 1 then return true end
    end
    return false
  end
end

local SHARED = words.set "main master develop trunk production prod release"

--- Whether a push removes a shared branch such as main.
function conditions.removes_shared(parsed, command)
  for n = parsed.on.repo and 1 or 2, #parsed.operands do
    local word = command.argv[parsed.operands[n]]
    local name = parsed.on.delete and word or word:match("^:(.+)$")
    if name and SHARED[(name:gsub("^refs/heads/", ""))] then return true end
  end
  return false
end

local FALSE = { ["false"] = true, no = true, off = true, ["0"] = true, [""] = true }

--- Whether a value of git's configuration means false.
function conditions.is_false(value) return FALSE[value:lower()] == true end

--- Returns a condition: the command sets one of these git settings (`-c name=value`) to a value
--- other than false.
function conditions.configured(...)
  local wanted = words.set(table.concat({ ... }, " "))
  return function(_, command)
    for name, value in pairs(command.config or {}) do
      if wanted[name] and not conditions.is_false(value) then return true end
    end
    return false
  end
end

--- Whether the command sets git settings that force a push.
function conditions.forced_by_config(_, command)
  for name, value in pairs(command.config or {}) do
    if name:find("^remote%..*%.push$") and value:sub(1, 1) == "+" then return true end
    if name:find("^remote%..*%.mirror$") and not conditions.is_false(value) then return true end
  end
  return false
end

--- Returns a condition: a line that the command reads matches a Lua pattern.
function conditions.reads(pattern)
  return function(_, command)
    for _, text in ipairs(texts.input(command)) do
      for line in text:gmatch("[^\n]+") do
        if line:find(pattern) then return true end
      end
    end
    return false
  end
end

--- Whether there are operands and all of them are generated files.
function conditions.only_artefacts(parsed, command)
  for _, at in ipairs(parsed.operands) do
    if not artefacts.path(command.argv[at]) then return false end
  end
  return #parsed.operands > 0
end

return conditions
