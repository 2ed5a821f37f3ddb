-- self-guard: keeps an agent from switching orcs off. It is part of every install of orcs into a coding agent, in front
-- of all other hooks; only the user's own configuration (~/.config/orcs/orcs.toml) can leave it out:
--
--   self_guard = false
--
-- It denies, through every tool that runs or writes
--   - what changes, removes or moves what orcs keeps: the trust store, seals and state, the audit log, the program
--     itself, the folder of the service's socket and token; a folder that holds one of these counts when it is removed
--     or moved (rm -rf ~/.local), and so do links, globs and hard links that lead there
--   - verbs that loosen (orcs trust, trust --revoke, uninstall, …), however orcs is started: by its name, by
--     node …/dist/cli/main.js, npx, pnpm exec, sudo, env -u, sh -c, xargs, tmux, in code of python -c and the like
--   - taking the program away (npm uninstall orcs), and ending the service by name (pkill -f "orcs serve")
-- It asks about, and a coding agent that cannot ask denies
--   - what changes the user's own configuration (~/.config/orcs/**) or settings of a coding agent (.claude/settings.json,
--     .codex/hooks.json and config.toml, .gemini/settings.json, .cursor/hooks.json), unless a tool that edits files gives
--     text that parses, keeps each entry of orcs and each hook that is there now, and turns nothing off
--   - changes of hook files in a project that is dev-trusted: they would be active at once. Other projects may be
--     edited freely: what was trusted stays active until the user trusts the change
--   - a verb of orcs that only the shell will know, and a line that cannot be read and names orcs
-- Reading passes: cat, ls, grep, git diff, cp of these files to elsewhere; orcs list, check, test, eval, explain,
-- audit show, trust --show.
--
-- Options are given by orcs itself, whatever the environment of an agent's command says. Who names the policy in a
-- configuration of a program can give more:
--   state, program, runtime   folders that are kept: absolute
--   config                    folders of the user's own configuration
--   settings                  settings of coding agents: paths of which the last names count, or absolute ones
--   dev                       list of { folder, files }: dev-trusted projects, and more hook files of theirs
--   verbs                     verbs that loosen: true, or { flags = … } or { unless = … } of which one is given
--   routes                    paths of the service that loosen
--   variables                 what variables in targets stand for, such as XDG_STATE_HOME
--
-- It does not see what a program does that an agent has written or that it finds (sh ./x.sh, make, npm run), code that
-- is put together, and other machines and containers. docs/trust.md says what such a program can still do.

local call = require "file_guard.call"
local path = require "file_guard.path"
local places = require "self_guard.places"
local targets = require "file_guard.targets"
local texts = require "shell_guard.texts"
local verbs = require "self_guard.verbs"
local words = require "file_guard.words"
local set, split, has = words.set, words.split, words.has

local KNOWN = set "state program runtime config settings dev verbs routes variables"
local opted = {}
for name, value in pairs(orcs.options or {}) do
  if not KNOWN[name] then error("self-guard: unknown option " .. orcs.json_encode(name), 0) end
  if type(value) ~= "table" then error("self-guard: option " .. name .. " is not a table", 0) end
  opted[name] = value
end

local function list(value)
  local copy = {}
  for i, one in ipairs(value or {}) do copy[i] = one end
  return copy
end

local function lower(given)
  for i, one in ipairs(given) do given[i] = one:lower() end
  return given
end

local dev_files = {}
for _, project in ipairs(opted.dev or {}) do
  for _, name in ipairs({ "orcs.toml", "orcs.local.toml", "hooks" }) do
    dev_files[#dev_files + 1] = path.normal(project.folder .. "/" .. name)
  end
  for _, file in ipairs(project.files or {}) do dev_files[#dev_files + 1] = file end
end

local guarded = places({
  { name = "state", folders = list(opted.state), what = "where orcs keeps what was trusted, and its state" },
  { name = "program", folders = list(opted.program), what = "the program of orcs itself" },
  { name = "runtime", folders = list(opted.runtime), what = "where the service of orcs is asked" },
  { name = "config", folders = list(opted.config), asks = true, what = "the user's own configuration of orcs" },
  { name = "dev", folders = dev_files, asks = true, what = "a hook file of a dev-trusted project, active at once" },
}, lower(list(opted.settings)))

local loosening = verbs({
  verbs = opted.verbs or {},
  routes = list(opted.routes),
  is_program = function(real) return (guarded:reached(real) or {}).name == "program" end,
})

local DENIED = "%s is %s. An agent may not change it: ask the user to do it, in a terminal of their own."
local ASKED = "%s is %s. An agent changes it only when a person allows it."
local VERB = "%s loosens what orcs guards: only a person may run it, in a terminal of their own. Reading passes "
  .. "(orcs trust --show, list, check, eval)."
local WHY = {
  program = "%s takes orcs away: only a person may do that, in a terminal of their own.",
  service = "%s ends the service of orcs: only a person may do that, in a terminal of their own.",
  route = "%s asks the service of orcs for what loosens: only a person may do that.",
}

local function shown(text)
  text = text:gsub("%c", " ")
  return '"' .. (#text > 160 and text:sub(1, 157) .. "..." or text) .. '"'
end

local function shown_command(command) return shown(table.concat(command.argv, " ")) end

local function ask(state, why) state.asks = state.asks or why end

-- Whether a change of this file keeps what matters in it: seen by who can read it.
local function is_kept(state, real)
  for _, kept in ipairs(state.kept) do
    if kept == real then return true end
  end
  return false
end

local function judge_place(text, place, how, state)
  local kind = guarded:reached(place, how)
  if not kind then return nil end
  if not kind.asks then return DENIED:format(shown(text), kind.what) end
  if not is_kept(state, place) then ask(state, ASKED:format(shown(text), kind.what)) end
end

-- Why a target is denied; what is asked about is kept in `state`.
local function refusal(text, cwd, how, _, state)
  local lead = path.plain_lead(text)
  local globbed = lead ~= text
  local seen = path.resolve(text, cwd)
  local real = path.target(globbed and lead or text, cwd, not globbed and how or nil)
  if real and globbed then real = path.normal(real .. "/" .. (lead == "." and text or text:sub(#lead + 1))) end
  local refused = real and judge_place(text, real, how, state)
  local differs = seen ~= real and seen:sub(1, 1) == "/"
  return refused or (differs and judge_place(text, seen, how, state)) or nil
end

-- A target with the variables that are known put in.
local function filled(text)
  local known = opted.variables or {}
  text = text:gsub("%${([%w_]+):?%-([^}]*)}", function(name, otherwise) return known[name] or otherwise end)
  text = text:gsub("%${([%w_]+)}", function(name) return known[name] end)
  return (text:gsub("%$([%w_]+)", function(name) return known[name] end))
end

-- The end of a target behind all that nobody knows.
local function known_end(text)
  return text:match("^.*[)}`](.*)$") or text:match("^.*%$[%w_@*#?!-]+(.*)$") or text
end

local function judge_unknown(text, command, how, state)
  local full = filled(text)
  if full ~= text and not full:find("[$`]") and full:sub(1, 1) == "/" then return refusal(full, nil, how, nil, state) end
  local kind = guarded:ends_in(known_end(full))
  if not kind then return nil end
  local why = kind.asks and ASKED or DENIED
  if kind.asks then ask(state, why:format(shown(text), kind.what)) else return why:format(shown(text), kind.what) end
end

local RECURSIVE = set "-R --recursive"
local CHANGES_ALL = set "chmod chown chgrp chattr setfacl"
local OWNERS = set "--reference"
local GIT_GLOBAL = set "-C -c --git-dir --work-tree --namespace --exec-path --config-env"
local GIT_TAKES = set "rm mv checkout restore"
local GIT_CHANGES = set "checkout clean merge pull rebase reset restore stash switch apply am rm mv"
local REMOVES = set "rm unlink shred rimraf trash mv"

-- What git does to files that it is given, and to the folder that it works in.
local function judge_git(command, cwd, state)
  local argv, at, folder = command.argv, 2, cwd
  while argv[at] and argv[at]:sub(1, 1) == "-" do
    if argv[at] == "-C" and argv[at + 1] then folder = path.resolve(argv[at + 1], folder) end
    at = at + (GIT_GLOBAL[argv[at]] and 2 or 1)
  end
  local sub = argv[at]
  local rest = table.move(argv, at, #argv, 1, {})
  if not sub or not GIT_CHANGES[sub] or (sub == "stash" and (rest[2] == "list" or rest[2] == "show")) then return nil end
  if orcs.contains(rest, "--dry-run") or (sub == "clean" and orcs.contains(rest, "-n")) then return nil end
  -- In a folder that is kept, each of these changes it.
  local refused = folder and refusal(".", folder, nil, nil, state)
  if refused then return refused end
  if sub == "clean" and folder then return refusal(".", folder, "gone", nil, state) end
  for _, operand in ipairs(GIT_TAKES[sub] and split(rest, set "-b -B -m --source -s") or {}) do
    refused = folder and refusal(operand.text, folder, "gone", nil, state)
    if refused then return refused end
  end
end

-- A find that removes: what it begins in, and the names that it looks for.
local function judge_find(command, cwd, state)
  local argv, starts, patterns, removes, at = command.argv, {}, {}, false, 2
  while argv[at] and argv[at]:find("^%-[HLPO]%d?$") do at = at + 1 end
  while argv[at] and not argv[at]:find("^[-(!]") do
    starts[#starts + 1] = argv[at]
    at = at + 1
  end
  for i = at, #argv do
    if set("-name -iname -path -ipath -wholename")[argv[i]] then patterns[#patterns + 1] = argv[i + 1] end
    local runs = argv[i]:find("^%-exec") or argv[i]:find("^%-ok")
    removes = removes or argv[i] == "-delete" or (runs and REMOVES[(argv[i + 1] or ""):match("[^/]*$")]) or false
  end
  if not removes or not cwd then return nil end
  for _, start in ipairs(#starts > 0 and starts or { "." }) do
    for _, pattern in ipairs(#patterns > 0 and patterns or { "*" }) do
      local may = #patterns == 0
      for _, folder in ipairs(guarded.folders) do
        for _, segment in ipairs(folder.segments) do may = may or orcs.glob_match(pattern:lower():match("[^/]*$"), segment) end
      end
      for _, name in ipairs({ "trust.json", "seals", "state.jsonl", "settings.json", "hooks.json", "orcs.toml" }) do
        may = may or orcs.glob_match(pattern:lower():match("[^/]*$"), name)
      end
      local refused = may and refusal(start, cwd, "gone", nil, state)
      if refused then return refused end
    end
  end
end

-- What programs do to targets beyond writing them.
local function judge_program(command, cwd, state)
  local program, argv = command.program:lower(), command.argv
  if program == "git" then return judge_git(command, cwd, state) end
  if program == "find" or program == "gfind" then return judge_find(command, cwd, state) end
  local operands, options = split(argv, CHANGES_ALL[program] and OWNERS or set "-t --target-directory -S --suffix -e")
  local last = operands[#operands]
  if CHANGES_ALL[program] and has(options, RECURSIVE) then
    for _, operand in ipairs(operands) do
      local refused = refusal(operand.text, cwd, "gone", nil, state)
      if refused then return refused end
    end
  elseif program == "ln" or (program == "cp" and has(options, set "-l --link")) then
    for i, operand in ipairs(operands) do
      local hard = program == "cp" or not has(options, set "-s --symbolic")
      -- Through another name of the file it could be written; a link in the place of a folder hides it.
      local refused = (hard or i > 1) and refusal(operand.text, cwd, i == #operands and i > 1 and "gone" or nil, nil, state)
      if refused then return refused end
    end
  elseif last and (program == "rsync" or (program == "cp" and has(options, set "-r -R -a --recursive --archive -T"))) then
    -- What is copied with a slash at the end comes to stand in the folder itself.
    local deletes = false
    for _, option in ipairs(options) do deletes = deletes or option.name:find("^%-%-del") ~= nil end
    local whole = has(options, set "-T --no-target-directory")
    for _, operand in ipairs(operands) do whole = whole or (operand ~= last and operand.text:find("/%.?$") ~= nil) end
    if #operands > 1 and (deletes or whole) then return refusal(last.text, cwd, deletes and "gone" or "below", nil, state) end
  end
end

-- What the tests are given as options.
local OPTIONS = {
  state = { "/home/me/.local/state/orcs" },
  program = { "/opt/orcs" },
  config = { "/home/me/.config/orcs" },
  settings = { ".claude/settings.json" },
  dev = { { folder = "/dev/mine", files = { "/dev/mine/checks/a.lua" } } },
  verbs = { trust = { unless = { "--show" } }, uninstall = true, install = { flags = { "--config" } } },
  routes = { "/loosen/" },
  variables = { STATES = "/home/me/.local/state" },
}

-- A test: what becomes of a command line.
local function becomes(verdict, command, more)
  local expected = { action = verdict == "deny" and "abort" or "continue" }
  if verdict ~= "deny" then expected.decision = verdict == "ask" and "ask" or "none" end
  for key, value in pairs(more or {}) do expected[key] = value end
  return { command, options = OPTIONS, event = { tool = "exec", args = { command = command } }, expect = expected }
end

local look, look_at_line

local function judge_command(position, commands, line, cwd, read, state)
  local command = commands[position]
  local found = loosening.of_command(command, line, cwd)
  if found == "ask" then
    ask(state, shown_command(command) .. " may loosen what orcs guards: only the shell will know its words.")
  elseif found then
    return (WHY[found] or VERB):format(shown_command(command))
  end
  local refused = cwd and judge_program(command, cwd, state)
  if refused then return refused end
  -- A script that the line has written before.
  if position > 1 and state.depth < 3 and (line:find(">", 1, true) or line:find("tee ", 1, true)) then
    local known = setmetatable({ all = commands, at = position, line = line }, { __index = command })
    local file = texts.file_run(known, false)
    for _, text in ipairs(file and texts.written(known, file) or {}) do
      state.depth = state.depth + 1
      refused = look_at_line(text, read, state)
      state.depth = state.depth - 1
      if refused then return refused end
    end
  end
end

look, look_at_line = targets({
  refusal = refusal,
  unknown = judge_unknown,
  unreadable = function(line, state)
    local near = line:lower()
    local named = near:find("orcs", 1, true) ~= nil
    for _, rule in ipairs(list(opted.settings)) do named = named or near:find(rule:lower(), 1, true) ~= nil end
    if named then ask(state, "orcs could not read this command line, which names what it guards. Write it more simply.") end
  end,
  command = judge_command,
  code = function(text)
    if loosening.in_code(text) then return VERB:format(shown(text)) end
  end,
  in_script = function(state) return state end,
})

return {
  id = "self-guard",
  point = "tool.pre_execute",
  priority = 1,
  handler = function(ctx)
    local read = call.read(ctx.payload, true)
    if #read.texts == 0 then return nil end
    local said = ctx.metadata["orcs:self-guard"]
    local state = { kept = said and said.kept or {}, depth = 0 }
    local refused = look(read, state)
    if refused then return orcs.deny("self-guard: " .. refused) end
    if state.asks then return orcs.ask("self-guard: " .. state.asks) end
  end,
  tests = {
    becomes("deny", "rm -rf /home/me/.local/state/orcs", { reason = { matches = "^self%-guard: .*may not change it" } }),
    becomes("deny", "cd /home/me && mv .local x"),
    becomes("deny", "sudo npx orcs trust --yes", { reason = { matches = "loosens" } }),
    becomes("deny", "npm rm -g orcs", { reason = { matches = "takes orcs away" } }),
    becomes("deny", "pkill -f 'orcs serve'", { reason = { matches = "ends the service" } }),
    becomes("deny", "systemctl stop orcs"),
    becomes("deny", "curl -X POST localhost:8787/loosen/all", { reason = { matches = "what loosens" } }),
    becomes("deny", "node /opt/orcs/dist/cli/main.js trust"),
    becomes("deny", 'rm -rf "$X/state/orcs"'),
    becomes("deny", "rm -rf $STATES/orcs"),
    becomes("deny", "chmod -R 0 /home/me/.local"),
    becomes("deny", "ln /home/me/.local/state/orcs/trust.json x"),
    becomes("deny", "cp -rT x /home/me/.local/state/orcs"),
    becomes("deny", "rsync -a --delete x/ /home/me/.local/state"),
    becomes("deny", "find /home/me -name 'tr*.json' -delete"),
    becomes("deny", "cd /home/me/.local && find -H -delete"),
    becomes("deny", "cd /home/me && git -C .local clean -fdx"),
    becomes("deny", "cd /home/me/.local/state/orcs && git checkout ."),
    becomes("deny", "git rm /home/me/.local/state/orcs/trust.json"),
    becomes("deny", "echo orcs uninstall > x; sh x"),
    becomes("deny", [[python3 -c "import os; os.system('orcs uninstall')"]]),
    becomes("ask", "orcs $X", { reason = { matches = "only the shell will know" } }),
    becomes("ask", "rm -rf .claude", { reason = { matches = "settings of a coding agent" } }),
    becomes("ask", 'rm "$X/.claude/settings.json"'),
    becomes("ask", "echo > /home/me/.config/orcs/orcs.toml"),
    becomes("ask", "rm -rf /dev/mine/hooks"),
    becomes("ask", "echo > /dev/mine/checks/a.lua"),
    becomes("deny", "orcs trust\nfi"),
    becomes("ask", "cat .claude/settings.json\nfi", { reason = { matches = "could not read" } }),
    becomes("deny", "./node_modules/.bin/orcs trust; /opt/orcs/dist/cli/main.js trust"),
    becomes("deny", "cd /opt/orcs/dist && node ./cli/main.js trust"),
    becomes("pass", "orcs trust --show && orcs list"),
    becomes("pass", "cat /home/me/.local/state/orcs/trust.json"),
    becomes("pass", "git stash list; git clean -n; git log; git checkout main"),
    becomes("pass", 'rm -rf "$X"; find . -name x.json; find "$X" -delete; ls\nfi'),
    becomes("pass", "find . -name '*.pyc' -delete; find /srv -name trust.json -delete"),
    becomes("pass", "echo ls > x; sh x; ln a b; chmod -R u+w src"),
    {
      "keeps tools that write, and code, from it",
      options = OPTIONS,
      events = {
        {
          tool = "write",
          args = { path = "/home/me/.local/state/orcs/trust.json", content = "" },
          expect = { action = "abort" },
        },
        { tool = "run_code", args = { code = "os.system('orcs trust')" }, expect = { action = "abort" } },
        { tool = "run_code", args = { code = "print(1)" }, expect = { action = "continue" } },
        { tool = "edit", args = { path = ".claude/settings.json", edits = {} }, expect = { decision = "ask" } },
        { tool = "agent", args = {}, expect = { action = "continue" } },
      },
    },
    {
      "does not ask about a change that was seen to keep what matters",
      options = OPTIONS,
      event = {
        tool = "write",
        args = { path = "/home/me/.config/orcs/orcs.toml", content = "" },
        metadata = { ["orcs:self-guard"] = { kept = { "/other", "/home/me/.config/orcs/orcs.toml" } } },
      },
      expect = { action = "continue", decision = "none" },
    },
  },
}
