-- Judges the commands in a Makefile or a package.json that the line writes and then runs.

local paths = require "shell_guard.paths"
local texts = require "shell_guard.texts"
local words = require "shell_guard.words"

local build_files = {}

local MAKES = words.set "make gmake"
local MAKEFILES = words.list "Makefile makefile GNUmakefile"
local RUNS_SCRIPTS = words.set "npm yarn pnpm bun"
local JUSTFILES = words.list "justfile Justfile .justfile"

-- The value of an option that names the file: `make -f FILE`.
local function named(command)
  for at = 2, #command.argv do
    local word = command.argv[at]
    if word == "-f" or word == "--file" or word == "--makefile" then return { command.argv[at + 1] } end
    local joined = word:match("^%-f(.+)$") or word:match("^%-%-m?a?k?e?file=(.+)$")
    if joined then return { joined } end
  end
end

local function judge_each(text, pattern, command, judge_line)
  for line in text:gmatch(pattern) do
    local reason = judge_line(line, command)
    if reason then return reason end
  end
end

-- Judges the texts of a table that are reached from some of its names: a text reaches the names that it mentions.
-- @param roots list of names; nil: all texts are judged
-- @param reaches function(name, text) that returns a list of further names, or nil if it may be any
local function judge_reached(entries, roots, reaches, judge)
  local queue, seen = {}, {}
  local function add(name)
    if entries[name] and not seen[name] then
      seen[name] = true
      queue[#queue + 1] = name
    end
  end
  local function add_all()
    for name in pairs(entries) do add(name) end
  end
  if not roots then add_all() end
  for _, name in ipairs(roots or {}) do add(name) end
  local at = 1
  while queue[at] do
    local text = entries[queue[at]]
    local further = reaches(queue[at], text)
    if not further then add_all() end
    for _, name in ipairs(further or {}) do add(name) end
    local reason = judge(text)
    if reason then return reason end
    at = at + 1
  end
end

-- Options with which make runs no recipes, but for lines that begin with `+`.
local RUNS_NO_RECIPES = words.set "--dry-run --just-print --recon --question --touch"

local function runs_no_recipes(argv)
  for at = 2, #argv do
    if RUNS_NO_RECIPES[argv[at]] or argv[at]:find("^%-[bBdeikLmnpqrRsStwv]*[nqt]") then return true end
  end
  return false
end

-- Words of a Makefile with which it is not clear which recipes a target reaches.
local COMPUTES = { "%%", "%$%(MAKE", "%$%{MAKE", "%f[%w]include%f[%W]", "%f[%w]define%f[%W]", "%$%(eval", "%.DEFAULT", "\n[^\t#\n]-%$[^\n]*:" }

-- Returns target → its recipe, target → the text of its prerequisites, and the first target; nil if that is not clear.
local function targets_of(text)
  for _, pattern in ipairs(COMPUTES) do
    if text:find(pattern) then return nil end
  end
  local recipes, needs, current, first = {}, {}, {}, nil
  for line in text:gmatch("[^\n]+") do
    local names, behind = line:match("^([^%s#=:][^=:]*):([^=].*)$")
    if not names then names, behind = line:match("^([^%s#=:][^=:]*):()$"), "" end
    if line:sub(1, 1) == "\t" then
      for _, name in ipairs(current) do recipes[name] = recipes[name] .. line .. "\n" end
    elseif names then
      current = words.list(names)
      local prerequisites, recipe = behind:match("^([^;]*);?(.*)$")
      for _, name in ipairs(current) do
        recipes[name] = (recipes[name] or "") .. (recipe ~= "" and "\t" .. recipe .. "\n" or "")
        needs[name] = (needs[name] or "") .. " " .. prerequisites
      end
      first = first or (names:sub(1, 1) ~= "." and current[1]) or nil
    end
  end
  return recipes, needs, first
end

-- The targets that a command names, or the first one; nil if it may be any.
local function goals(argv, recipes, first)
  local found, has_operand = {}, false
  for at = 2, #argv do
    if recipes[argv[at]] then found[#found + 1] = argv[at] end
    has_operand = has_operand or not argv[at]:find("^%-") and not argv[at]:find("=")
  end
  if found[1] then return found end
  return not has_operand and first and { first } or nil
end

local function judge_makefile(text, command, judge_line)
  text = text:gsub("\\t", "\t")
  -- These run when the file is read.
  local reason = judge_each(text, "%$%(shell%s+(.-)%)", command, judge_line) or judge_each(text, "!=%s*([^\n]+)", command, judge_line)
  if reason then return reason end
  local is_dry = runs_no_recipes(command.argv)
  local function judge_recipe(recipe)
    return judge_each(recipe, is_dry and "\n?\t%s*[@-]*%+[@+-]*([^\n]+)" or "\n?\t%s*[@+-]*([^\n]+)", command, judge_line)
  end
  local recipes, needs, first = targets_of("\n" .. text)
  if not recipes then
    return judge_recipe(text) or not is_dry and judge_each(text, "[^\n=:]+:[^;\n=]*;%s*[@-]*([^\n]+)", command, judge_line) or nil
  end
  return judge_reached(recipes, goals(command.argv, recipes, first), function(name) return words.list(needs[name]) end, judge_recipe)
end

-- Subcommands that run scripts of other names than they have: `npm install` runs `prepare`.
local RUNS_OTHERS = words.set [[
  install i in ins isntall add ci clean-install ic install-test it install-ci-test cit update up upgrade publish pack version rebuild rb link
  ln uninstall remove rm prune dedupe exec x dlx create init stage pkg
]]
local SHORT = { t = "test", tst = "test" }

-- The scripts that a command names; nil if it may run any.
local function scripts_named(argv, scripts)
  local found = {}
  for at = 2, #argv do
    local name = SHORT[argv[at]] or argv[at]
    if RUNS_OTHERS[name] then return nil end
    for _, one in ipairs(scripts[name] and { name, "pre" .. name, "post" .. name } or {}) do found[#found + 1] = one end
  end
  return found[1] and found or nil
end

-- Runners of scripts whose names they may compute.
local RUNS_MANY = { "%*", "run%-[sp]", "npm%-run%-all", "turbo", "lerna", "wireit" }

-- What is written twice may be either.
local function add_script(scripts, name, script) scripts[name] = scripts[name] and scripts[name] .. "\n" .. script or script end

-- Adds the scripts in the text of a package.json to a table.
local function add_scripts(scripts, text)
  local is_json, content = pcall(orcs.json_decode, text)
  local listed = is_json and type(content) == "table" and content.scripts
  if type(listed) == "table" then
    for name, script in pairs(listed) do
      if type(script) == "string" then add_script(scripts, name, script) end
    end
    return
  end
  for name, script in text:gmatch('"([^"]*)"%s*:%s*"([^"]*)"') do add_script(scripts, name, script) end
end

-- Adds scripts that `npm pkg set scripts.x=…` has written earlier on the line.
local function add_settings(scripts, command)
  for at = 1, command.at - 1 do
    local argv = command.all[at].argv
    for n = 4, RUNS_SCRIPTS[command.all[at].program] and argv[2] == "pkg" and #argv or 0 do
      local name, script = argv[n]:match("^scripts%.([^=]*)=(.*)$")
      if name then add_script(scripts, name, script) end
    end
  end
end

local function judge_scripts(scripts, command, judge_line)
  local function reaches(_, text)
    for _, runner in ipairs(RUNS_MANY) do
      if text:find(runner) then return nil end
    end
    local names = {}
    for name in text:gmatch("[%w:_./-]+") do
      for _, one in ipairs({ SHORT[name] or name, "pre" .. name, "post" .. name }) do names[#names + 1] = one end
    end
    return names
  end
  return judge_reached(scripts, scripts_named(command.argv, scripts), reaches, function(text) return (judge_line(text, command)) end)
end

-- Options whose value is the folder of the files.
local FOLDERS = words.set "-C --directory --prefix --cwd --dir"

-- The texts that the line writes to files of these names, in the working directory or a folder that the command names.
local function written(command, names)
  local found = {}
  local function add(name)
    local file = paths.from(command.cwd, name)
    for _, text in ipairs(file and texts.written(command, file) or {}) do found[#found + 1] = text end
  end
  for _, name in ipairs(names) do
    add(name)
    for at = 2, #command.argv do
      local word = command.argv[at]
      local folder = FOLDERS[word] and command.argv[at + 1] or word:match("^%-%-[%a-]+=(.+)$") or word:match("^%-C(.+)$")
      if folder then add(folder .. "/" .. name) end
    end
  end
  return found
end

--- Returns a reason to deny a command, or nil.
--- @param judge_line function(line, command) that judges a command line
function build_files.judge(command, program, judge_line)
  if MAKES[program] then
    local files = named(command) or MAKEFILES
    local found = (files[1] == "-" or files[1] == "/dev/stdin") and texts.input(command) or written(command, files)
    return found[1] and judge_makefile(table.concat(found, "\n"), command, judge_line) or nil
  end
  if program == "just" then
    local text = table.concat(written(command, JUSTFILES), "\n")
    return judge_each(text, "\n[ \t]+[@-]*([^\n]+)", command, judge_line)
  end
  if RUNS_SCRIPTS[program] then
    local scripts = {}
    for _, text in ipairs(written(command, { "package.json" })) do add_scripts(scripts, text) end
    add_settings(scripts, command)
    return judge_scripts(scripts, command, judge_line)
  end
end

return build_files
