-- Rules about the code that interpreters run, as far as the readers of languages know what it does.

local paths = require "shell_guard.paths"
local reasons = require "shell_guard.reasons"
local rules = require "shell_guard.rules"
local words = require "file_guard.words"

local code = {}

local INTERPRETERS = words.set [[
  python pypy ruby perl node nodejs deno bun php lua luajit rscript awk gawk mawk nawk osascript tclsh ts-node tsx irb
  groovy scala julia elixir swift Rscript R r octave octave-cli gnuplot maxima ghci ghc runghc runhaskell erl guile
  racket raku nim sbcl clojure clj bb ocaml crystal jshell iex rake rails rust-script kotlin kotlinc jrunscript mongosh mongo
]]

--- Whether a program is an interpreter of a language other than shell: python3.12, node.
function code.interprets(program)
  return INTERPRETERS[program] or INTERPRETERS[program:match("^(%a+)[%d.]*$")] or false
end

local REMOVES = {
  "%f[%w]unlink", "%f[%w]rm%a*[%s(._]", "os%.r[em]", "File%.delete", "shutil%.move", "truncate", "Remove%-Item",
}

--- Whether code in the arguments of a command removes files, also those whose names it computes.
function code.removes_files(command)
  for at = 2, #command.argv do
    for _, call in ipairs(REMOVES) do
      if command.argv[at]:find(call) then return true end
    end
  end
  for _, effect in ipairs(command.effects) do
    if effect.kind == "remove" then return true end
  end
  return false
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
  -- In a file, what a relative path is relative to is not known.
  if not kind or HARMLESS[kind] or paths.is_cache(command.place, path) or command.in_file and not effect.word:find("^[/~]") then return nil end
  local text = table.concat(command.argv, " ") .. (command.stdin or "")
  if kind == "home" and not text:find(effect.word, 1, true) and not text:find("[\"']~") then
    return refuse("code.remove-home", command, "may remove somebody's home", NAME_ANOTHER)
  end
  return refuse("code.remove-tree", command, "removes " .. effect.word .. " with all that is in it", NAME_ANOTHER)
end

--- Judges what the code of a command does to files. Returns a reason to deny it, or nil.
function code.judge(command)
  for _, effect in ipairs(command.effects) do
    local reason = effect.kind == "remove" and judge_removal(command, effect)
    if reason then return reason end
  end
  if rules.on("code.remove-files") and code.removes_files(command) then
    local instead = "Use rm, so that it can be seen what goes"
    return refuse("code.remove-files", command, "removes files from within a program", instead)
  end
  if not rules.on("code.inline") then return nil end
  for at = 2, #command.argv do
    if command.argv[at]:find("^%-%-?[cepErnl]+$") or command.argv[at]:find("^%-%-eval") then
      local instead = "Write it to a file that can be looked at"
      return refuse("code.inline", command, "runs code that stands in the command line", instead)
    end
  end
end

return code
