-- Why self-guard refuses a call, or asks about it: see hooks/self-guard.lua.
local code = require "self_guard.code"
local code_written = require "file_guard.code_written"
local git = require "self_guard.git"
local names = require "file_guard.names"
local path = require "file_guard.path"
local places = require "self_guard.places"
local programs = require "self_guard.programs"
local shell_paths = require "shell_guard.paths"
local sources = require "file_guard.sources"
local targets = require "file_guard.targets"
local texts = require "shell_guard.texts"
local verbs = require "self_guard.verbs"
local words = require "file_guard.words"
local set, split, has = words.set, words.split, words.has

local UNKNOWN = places({}, {}).UNKNOWN
local DEEPEST = 4

local DENIED = "%s is %s. An agent may not change it: ask the user to do it, in a terminal of their own."
local ASKED = "%s is %s. An agent changes it only when a person allows it."
local PERHAPS = "%s may change %s. An agent does that only when a person allows it: name the files that are meant."
local VERB = "%s loosens what orcs guards: only a person may run it, in a terminal of their own. Reading passes "
  .. "(orcs trust --show, list, check, eval)."
local WHY = {
  program = "%s takes orcs away: only a person may do that, in a terminal of their own.",
  service = "%s ends the service of orcs: only a person may do that, in a terminal of their own.",
  route = "%s asks the service of orcs for what loosens: only a person may do that.",
}
local REPLACED = "%s may put another program in the place of orcs. An agent does that only when a person allows it."
local MODULE = "%s is a module of orcs itself, which code may use to loosen what it guards."

-- Files of shells and of git that are run later, as rules of file_guard.names.
local LATER = names.table({
  ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".zshrc", ".zshenv",
  ".zprofile", ".zlogin", ".zlogout", ".kshrc", ".cshrc", ".tcshrc", ".envrc", ".xprofile", ".xinitrc",
  ".config/fish/", ".config/autostart/", ".config/systemd/", ".git/hooks/", ".husky/",
})

local function shown(text)
  text = text:gsub("%c", " ")
  return '"' .. (#text > 160 and text:sub(1, 157) .. "..." or text) .. '"'
end

local function shown_command(command) return shown(table.concat(command.argv, " ")) end

local function ask(state, why) state.asks = state.asks or why end

-- A text with a mark in the place of each part that only the shell will know.
local function masked(text)
  text = text:gsub("%$%b()", UNKNOWN):gsub("%$%b{}", UNKNOWN):gsub("`[^`]*`", UNKNOWN):gsub("[<>]%b()", UNKNOWN)
  return (text:gsub("%$[%w_@*#?!-]+", UNKNOWN):gsub(UNKNOWN .. "+", UNKNOWN))
end

-- The end of a target behind all that nobody knows.
local function known_end(text)
  return text:match("^.*[)}`](.*)$") or text:match("^.*%$[%w_@*#?!-]+(.*)$") or text
end

local SWITCHES = set "disableallhooks allowmanagedhooksonly hooks hooksconfig enablehooks codex_hooks"
local SWITCHED = "%s says whether hooks run. An agent changes it only when a person allows it."

-- Tools with these in their names are given programs, not command lines.
local LANGUAGES = set "python node javascript js typescript ts ruby perl php lua jupyter notebook cell repl sql julia r"

local MOVES = set "cd chdir pushd popd"
local RECURSIVE = set "-R --recursive"
local CHANGES_ALL = set "chmod chown chgrp chattr setfacl"
local OWNERS = set "--reference"
local ARCHIVES = set "tar bsdtar unzip zip"
local SYNCS = set "rsync cp gcp ditto scp"
local TREES = set "-r -R -a --recursive --archive -T"
local PRINTS = set "find gfind ls echo printf"
local HANDS = set "xargs parallel"
local ELSEWHERE = set "docker podman nerdctl kubectl oc docker-compose mosh vagrant lxc incus ssh"
local LINKS = set "ln cp mv install link"

-- options: as in hooks/self-guard.lua
-- Returns a function of what file_guard.call reads and of files whose change was seen to keep what matters: why the
-- call is refused, and why it is asked about.
return function(options)
  local function kinds()
    local dev_files = {}
    for _, project in ipairs(options.dev) do
      for _, name in ipairs({ "orcs.toml", "orcs.local.toml", "hooks" }) do
        dev_files[#dev_files + 1] = path.normal(project.folder .. "/" .. name)
      end
      for _, file in ipairs(project.files or {}) do dev_files[#dev_files + 1] = file end
    end
    return {
      { name = "state", folders = options.state, what = "where orcs keeps what was trusted, and its state" },
      { name = "program", folders = options.program, loose = true, what = "the program of orcs itself" },
      { name = "runtime", folders = options.runtime, exact = true, what = "where the service of orcs is asked" },
      { name = "config", folders = options.config, asks = true, what = "the user's own configuration of orcs" },
      { name = "dev", folders = dev_files, asks = true, what = "a hook file of a dev-trusted project, active at once" },
    }
  end
  local guarded = places(kinds(), options.settings)
  local PROGRAM = kinds()[2]
  local packages = {}
  for _, list in ipairs({ options.program, options.package }) do
    for _, folder in ipairs(list) do packages[#packages + 1] = path.normal(folder) end
  end

  local loosening = verbs({
    verbs = options.verbs,
    routes = options.routes,
    is_program = function(real)
      for _, folder in ipairs(packages) do
        if path.inside(folder, real) then return true end
      end
      return false
    end,
  })

  -- Whether a change of this file keeps what matters in it: seen by who can read it.
  local function is_kept(state, real)
    for _, kept in ipairs(state.kept) do
      if kept == real then return true end
    end
    return false
  end

  -- Whether a command leaves what the file says, and who may read it.
  local function leaves(command)
    if not command then return false end
    if command.program == "touch" then return true end
    if command.program ~= "chmod" then return false end
    for at = 2, #command.argv do
      local word = command.argv[at]
      if word:find("^%-%-") or word:find("^%-[A-Zvcf]+$") then
        -- An option.
      elseif word:find("^0?[4-7]%d%d$") or word:find("^[ugoa]*%+[rwxX]+$") then
        return true
      elseif word:find("^%d") or word:find("^[-ugoa=]") then
        return word:find("^[go]+%-") ~= nil
      end
    end
    return false
  end

  local function judge_place(text, place, how, state)
    local kind, certain = guarded:reached(place, how, state.root)
    if not kind then return nil end
    if kind.asks and leaves(state.command) then return nil end
    if not certain then
      ask(state, PERHAPS:format(shown(text), kind.what))
    elseif not kind.asks then
      return DENIED:format(shown(text), kind.what)
    elseif not is_kept(state, place) then
      ask(state, ASKED:format(shown(text), kind.what))
    end
    return nil
  end

  -- Where links of a folder lead, once for each folder of a call.
  local function real_folder(folder, cwd, state)
    local key = folder:sub(1, 1) == "/" and folder or (cwd or "") .. "\0" .. folder
    local real = state.reals[key]
    if real == nil then
      real = path.real(folder, cwd) or false
      state.reals[key] = real
    end
    return real
  end

  local function real_target(text, cwd, how, state)
    if how ~= "gone" then return real_folder(text, cwd, state) end
    local bare = text:find("/", -1, true) and text:gsub("(.)/+$", "%1") or text
    local folder, base = bare:match("^(.*/)([^/]*)$")
    if not folder then folder, base = ".", bare end
    if base == "." or base == ".." or bare ~= text then return real_folder(text, cwd, state) end
    local real = real_folder(folder, cwd, state)
    return real and (real == "/" and "/" .. base or real .. "/" .. base)
  end

  local judge_moved

  -- Why a target is denied; what is asked about is kept in `state`.
  local function refusal(text, cwd, how, _, state)
    -- What find begins in: the names that it looks for are targets of their own.
    local command = state.command
    if how == "below" and command and (PRINTS[command.program] or HANDS[command.via[#command.via] or ""]) then
      how = nil
    end
    if state.line and state.line.cdpath and text:sub(1, 1) ~= "/" then
      local refused = judge_moved(text, how, state)
      if refused then return refused end
    end
    local lead = path.plain_lead(text)
    local globbed = lead ~= text
    local seen = path.resolve(text, cwd)
    -- Another program under its name, where programs are looked for.
    if seen:find("/bin/orcs", -9, true) and not leaves(state.command) then ask(state, REPLACED:format(shown(text))) end
    local real = real_target(globbed and lead or text, cwd, not globbed and how or nil, state)
    if real and globbed then real = path.normal(real .. "/" .. (lead == "." and text or text:sub(#lead + 1))) end
    local refused = real and judge_place(text, real, how, state)
    local differs = seen ~= real and seen:sub(1, 1) == "/"
    return refused or (differs and judge_place(text, seen, how, state)) or nil
  end

  -- A target with the variables that are known put in.
  local function filled(text, state)
    if not text:find("$", 1, true) then return text end
    local line = state.line
    local function value(name)
      if name == "OLDPWD" and line then return line.old end
      return options.variables[name]
    end
    text = text:gsub("%${([%w_]+):?%-([^}]*)}", function(name, otherwise) return value(name) or otherwise end)
    text = text:gsub("%${([%w_]+)}", value)
    return (text:gsub("%$([%w_]+)", value))
  end

  -- The absolute path of a word as it is written; nil when it has none.
  local function seen_in(state)
    return function(word)
      word = path.given(filled(word, state))
      if word:sub(1, 1) ~= "/" then return nil end
      return path.normal(masked(word))
    end
  end

  local function named(text, state)
    local known = state.names[text]
    if not known then
      local kind, above = guarded:named(text, seen_in(state))
      known = { kind, above }
      state.names[text] = known
    end
    return known[1], known[2]
  end

  -- A relative target behind a change of folder that is not known.
  function judge_moved(text, how, state)
    local relative = text:gsub("^%./+", "")
    for _, move in ipairs(state.line and state.line.moves or {}) do
      if move.known then
        local place = path.normal(move.known .. "/" .. relative)
        local refused = not place:find(UNKNOWN, 1, true) and judge_place(text, place, how, state)
        if refused then return refused end
        local kind = place:find(UNKNOWN, 1, true) and guarded:could_reach(place, how)
        if kind then ask(state, PERHAPS:format(shown(text), kind.what)) end
      else
        local place = path.normal(move.text .. "/" .. relative)
        local kind = guarded:ends_in(place, true, how)
          or (place:sub(1, 1) == "/" and guarded:could_reach(place, how)) or nil
        if kind then ask(state, PERHAPS:format(shown(text), kind.what)) end
      end
    end
    return nil
  end

  -- The names that stand in a line without a dollar before them: they may be given there.
  local function names_of(line)
    if not line.names then
      line.names = {}
      for mark, name in (" " .. line.text):gmatch("([^%w_])([%a_][%w_]*)") do
        if mark ~= "$" and mark ~= "{" then line.names[name] = true end
      end
    end
    return line.names
  end

  -- Whether a word is made in the line itself: by a command in it, or by a name that it gives.
  local function is_made(text, line)
    if text:find("[`(]") or text == "…" or text == "{}" then return true end
    for name in text:gmatch("%${?[#!]?([%w_@*]+)") do
      if name:find("^[%d@*]") or names_of(line)[name] then return true end
    end
    return false
  end

  -- A place that is found by the name of the program: `$(which orcs)`.
  local function looks_up(text)
    return text:find("which%s+[-%a%s]*orcs%f[^%w_-]") or text:find("command%s+%-v%s+orcs%f[^%w_-]")
      or text:find("type%s+%-%a+%s+orcs%f[^%w_-]") or text:find("whence%s+[-%a%s]*orcs%f[^%w_-]")
  end

  local function judge_unknown(text, command, how, state)
    local line = state.line or { text = "", moves = {} }
    local full = filled(text, state)
    if full:sub(1, 2) == "~/" then full = path.given(full) end
    if full ~= text and not full:find("[$`]") and full:sub(1, 1) == "/" then
      return refusal(full, nil, how, nil, state)
    end
    if looks_up(text) then return DENIED:format(shown(text), PROGRAM.what) end
    local kind = guarded:ends_in(known_end(full))
    if kind then
      if not kind.asks then return DENIED:format(shown(text), kind.what) end
      ask(state, ASKED:format(shown(text), kind.what))
      return nil
    end
    local cwd = command.cwd
    local mask = masked(full)
    if cwd and mask:sub(1, 1) ~= "/" then
      if mask:find(UNKNOWN, 1, true) then
        local place = path.resolve(mask, cwd)
        kind = place:sub(1, 1) == "/" and guarded:could_reach(place, command.program == "mkdir" and "made" or how)
      end
    elseif mask:sub(1, 1) == "/" then
      kind = guarded:could_reach(path.normal(mask), command.program == "mkdir" and "made" or how)
    end
    if not cwd and mask:sub(1, 1) ~= "/" then
      local refused = judge_moved(mask, how, state)
      if refused then return refused end
    end
    -- A word that the line makes, and a name of what is kept beside it; the same of a folder that it goes to.
    local made = mask:find(UNKNOWN, 1, true) and is_made(full, line)
      or (not cwd and mask:sub(1, 1) ~= "/" and line.moved_unknown)
    if not kind and made and command.program ~= "mkdir" then kind = named(line.text, state) end
    if kind then ask(state, PERHAPS:format(shown(text), kind.what)) end
    return nil
  end

  -- What a find would remove or change: what it begins in, and the names that it looks for.
  -- changes: whether all that it prints is changed by others
  local function judge_find(command, cwd, state, changes, removes)
    local argv, starts, patterns, at = command.argv, {}, {}, 2
    local program = command.program:lower()
    if program == "fd" or program == "fdfind" or program == "locate" or program == "plocate" then
      for i = 2, #argv do
        if argv[i]:find("^%-[xX]$") or argv[i]:find("^%-%-exec") then
          local run = argv[i + 1] or ""
          if not programs.harmless(run:match("[^/]*$"), table.move(argv, i + 1, #argv, 1, {})) then changes = true end
          break
        end
        if argv[i]:sub(1, 1) ~= "-" then
          if #patterns == 0 then patterns[1] = "*" .. argv[i] .. "*" else starts[#starts + 1] = argv[i] end
        end
      end
      if program:find("locate") then starts = { "/" } end
    else
      while argv[at] and argv[at]:find("^%-[HLPO]%d?$") do at = at + 1 end
      while argv[at] and not argv[at]:find("^[-(!]") do
        starts[#starts + 1] = argv[at]
        at = at + 1
      end
      local whole = false
      for i = at, #argv do
        local word = argv[i]
        local excluded = argv[i - 1] == "-not" or argv[i - 1] == "!"
        if set("-name -iname -path -ipath -wholename -iwholename")[word] and not excluded then
          patterns[#patterns + 1] = argv[i + 1]
        end
        whole = whole or word == "-regex" or word == "-iregex"
        local runs = word:find("^%-exec") or word:find("^%-ok")
        if word == "-delete" then changes, removes = true, true end
        if runs then
          local run = (argv[i + 1] or ""):match("[^/]*$")
          local rest = table.move(argv, i + 1, #argv, 1, {})
          if not programs.harmless(run, rest) then changes = true end
          if set("rm unlink shred rimraf trash mv rmdir")[run] then removes = true end
        end
      end
      if whole then patterns = {} end
    end
    if not changes then return nil end
    for _, start in ipairs(#starts > 0 and starts or { "." }) do
      local place = filled(start, state)
      if not place:find("[$`]") and (cwd or place:sub(1, 1) == "/") then
        local all = #patterns == 0
        local may = all
        for _, pattern in ipairs(patterns) do
          local base = pattern:lower():gsub("/%*+$", ""):match("[^/]*$")
          local seen = path.resolve(place, cwd)
          may = may or guarded:found_below(seen, base)
          local real = not may and real_folder(place, cwd, state)
          if real and real ~= seen then may = guarded:found_below(real, base) end
          -- Settings may be anywhere below; a pattern has to say enough of them.
          local said = (removes and base or base:gsub("^[*.]+json$", "-")):gsub("^[*?.]+$", "-")
          for name in pairs(guarded.bases) do
            if orcs.glob_match(said, name) and state.root then
              ask(state, PERHAPS:format(shown_command(command), guarded.SETTINGS.what))
            end
          end
        end
        local refused = may and refusal(place, cwd, "gone", nil, state)
        if refused then return refused end
      elseif #patterns > 0 then
        local kind = named(table.concat(patterns, " "), state)
        if kind then ask(state, PERHAPS:format(shown_command(command), kind.what)) end
      end
    end
    return nil
  end

  -- Words that come from what another command prints.
  local function judge_handed(position, commands, cwd, state)
    local command = commands[position]
    local by = command.via[#command.via]
    if not HANDS[by] and not HANDS[command.via[#command.via - 1] or ""] then return nil end
    if programs.harmless(command.program, command.argv) then return nil end
    local from
    for at = position - 1, 1, -1 do
      if HANDS[commands[at].program] then
        from = commands[at]
        break
      end
    end
    local producers = from and from.from or {}
    for _, name in ipairs(producers) do
      for at = position - 1, 1, -1 do
        local other = commands[at]
        if other.program == name then
          local folder = other.cwd or cwd
          if set("find gfind fd fdfind locate plocate")[name] then
            local removes = set("rm unlink shred rimraf trash mv rmdir")[command.program] or false
            local refused = judge_find(other, folder, state, true, removes)
            if refused then return refused end
          elseif name == "ls" and folder then
            local operands = split(other.argv, set "-I -w -T --ignore")
            for _, operand in ipairs(#operands > 0 and operands or { { text = "." } }) do
              local place = path.resolve(operand.text, folder) .. "/" .. UNKNOWN
              local kind = guarded:could_reach(place, "gone")
              if kind then ask(state, PERHAPS:format(shown_command(command), kind.what)) end
            end
          end
          break
        end
      end
    end
    local kind = state.line and named(state.line.text, state)
    if kind then ask(state, PERHAPS:format(shown_command(command), kind.what)) end
    return nil
  end

  -- What programs do to targets beyond writing them.
  local function judge_program(command, cwd, state)
    local program, argv = command.program:lower(), command.argv
    if program == "git" then
      local tree = state.line and state.line.text:match("GIT_WORK_TREE=[\"']?([^%s;\"']+)")
      tree = tree and path.resolve(path.given(filled(tree, state)), cwd)
      return git(argv, cwd or UNKNOWN, tree, function(text, folder, how)
        if folder:sub(1, 1) ~= UNKNOWN then return refusal(text, folder, how, nil, state) end
        return judge_moved(path.normal(folder:sub(3) .. "/" .. text):gsub("^/", ""), how, state)
      end)
    end
    if not cwd then return nil end
    if program == "find" or program == "gfind" or program == "fd" or program == "fdfind" then
      return judge_find(command, cwd, state, false, false)
    end
    local by_others = not CHANGES_ALL[program] and not LINKS[program] and not SYNCS[program]
    if by_others and not ARCHIVES[program] then return nil end
    local operands, given = split(argv, CHANGES_ALL[program] and OWNERS or set "-t --target-directory -S --suffix -e")
    local last = operands[#operands]
    if CHANGES_ALL[program] and has(given, RECURSIVE) then
      for i, operand in ipairs(operands) do
        if i > 1 or has(given, OWNERS) then
          local refused = refusal(operand.text, cwd, "gone", nil, state)
          if refused then return refused end
        end
      end
    elseif program == "ln" or (program == "cp" and has(given, set "-l --link")) then
      for i, operand in ipairs(operands) do
        local hard = program == "cp" or not has(given, set "-s --symbolic")
        -- Through another name of the file it could be written; a link in the place of a folder hides it.
        local gone = i == #operands and i > 1 and "gone" or nil
        local refused = (hard or i > 1) and refusal(operand.text, cwd, gone, nil, state)
        if refused then return refused end
      end
    elseif program == "tar" or program == "bsdtar" or program == "unzip" then
      -- What is taken out of an archive by its name.
      local folder
      for at = 2, #argv do
        local set_by = argv[at - 1] == "-C" or argv[at - 1] == "-d" or argv[at - 1] == "--directory"
        folder = argv[at]:match("^%-%-directory=(.+)$") or (set_by and argv[at]) or folder
      end
      for at = 3, #argv do
        local member = argv[at]:gsub("/?%*+$", ""):gsub("^%./", "")
        local refused = member ~= "" and member:find("^%.?[%w]") and argv[at] ~= folder
          and (orcs.contains(argv, "-x") or program == "unzip" or argv[2]:find("x"))
          and refusal(member, folder and path.resolve(folder, cwd) or cwd, "tree", nil, state)
        if refused then return refused end
      end
      if orcs.contains(argv, "--remove-files") then
        for at = 2, #argv do
          local refused = argv[at]:sub(1, 1) ~= "-" and refusal(argv[at], cwd, "gone", nil, state)
          if refused then return refused end
        end
      end
    elseif program == "zip" then
      local gone = false
      for at = 2, #argv do gone = gone or argv[at]:find("^%-%a*m") ~= nil end
      for at = 2, gone and #argv or 0 do
        local refused = argv[at]:sub(1, 1) ~= "-" and refusal(argv[at], cwd, "gone", nil, state)
        if refused then return refused end
      end
    elseif last and SYNCS[program] and (program == "rsync" or program == "ditto" or has(given, TREES)) then
      -- What is copied with a slash at the end comes to stand in the folder itself.
      local deletes, moves = false, false
      for _, option in ipairs(given) do
        deletes = deletes or option.name:find("^%-%-del") ~= nil
        moves = moves or option.name == "--remove-source-files"
      end
      local whole = has(given, set "-T --no-target-directory") or program == "ditto"
      local contents = program == "rsync" and "/%.?$" or "/%.$"
      for _, option in ipairs(given) do
        if (option.name == "-t" or option.name == "--target-directory") and option.text then
          last = { text = option.text }
          operands[#operands + 1] = last
        end
      end
      for _, operand in ipairs(operands) do
        if operand ~= last then
          whole = whole or operand.text:find(contents) ~= nil
          local base = operand.text:gsub("^[^/]*:", ""):match("([^/]+)/*$")
          local refused
          if base and base ~= "." and base ~= ".." and not operand.text:find(contents) then
            refused = refusal(last.text:gsub("/+$", "") .. "/" .. base, cwd, "tree", nil, state)
          end
          if moves and not refused then refused = refusal(operand.text, cwd, "gone", nil, state) end
          if refused then return refused end
        end
      end
      if #operands > 1 and (deletes or whole) then
        return refusal(last.text, cwd, deletes and "gone" or "below", nil, state)
      end
    elseif program == "cp" and last and #operands > 1 then
      for _, operand in ipairs(operands) do
        if operand ~= last and operand.text:find("[*?]$") then return refusal(last.text, cwd, "below", nil, state) end
      end
    end
    return nil
  end

  -- What a program that nobody knows is told to do with what is kept.
  local function judge_others(position, commands, cwd, state)
    local command = commands[position]
    local program, argv = command.program:lower(), command.argv
    if #argv < 2 or (program == "" and command.unknown[1] ~= 1) then return nil end
    if programs.MOUNTS[program] then
      for at = 2, #argv do
        local refused = argv[at]:find("/", 1, true) and argv[at] ~= "/" and refusal(argv[at], cwd, "gone", nil, state)
        if refused then return refused end
      end
      return nil
    end
    if program == "docker" or program == "podman" or program == "nerdctl" then
      for _, folder in ipairs(sources.volumes(command)) do
        local place = path.resolve(path.given(folder), cwd)
        local kind = place:sub(1, 1) == "/" and guarded:reached(place, "tree", state.root)
        if kind and kind.name ~= "program" and kind.name ~= "dev" then
          ask(state, PERHAPS:format(shown_command(command), kind.what))
        end
      end
    end
    if programs.reads(command) then return nil end
    -- Words that may be typed, or run later.
    local by_name = loosening.is_orcs(argv[1], cwd, state.line and state.line.aliases)
    if state.line and state.line.orcs and not by_name and not ELSEWHERE[program] and loosening.in_words(table.concat(argv, " ", 2)) then
      ask(state, VERB:format(shown_command(command)))
    end
    local known = words.unknown(command)
    local next_one = commands[position + 1]
    local last = #argv
    -- What another program is started with is looked at there.
    if next_one and next_one.via[#next_one.via] == program and #next_one.argv < #argv then last = #argv - #next_one.argv end
    local language = code.interpreter(program)
    local found
    local function look(text)
      if found or text == "" then return end
      if text:find("%s") then
        if not programs.TALKS[program] and not language and text:find("/", 1, true) then
          local kind, above = named(text, state)
          found = not above and kind or nil
        end
        return
      end
      text = path.given(text)
      if not cwd and text:sub(1, 1) ~= "/" then return end
      local place = path.resolve(text, cwd)
      if place:sub(1, 1) ~= "/" then return end
      local kind = guarded:reached(place, nil, state.root)
      if not kind then
        local real = place:find("[*?[]") == nil and real_folder(place, nil, state)
        kind = real and real ~= place and guarded:reached(real, nil, state.root) or nil
      end
      kind = kind or guarded:holds_settings(place)
      if kind and not is_kept(state, place) and kind.name ~= "program" and kind.name ~= "runtime" then found = kind end
    end
    for at = 2, last do
      local word = argv[at]
      if not known[at] and not (language and word:find("[(\"'`;{!]")) then
        if word:find("[=:]") or word:sub(1, 1) == "-" then
          sources.parts(word, look)
          for part in word:gmatch("[^=:,@]+") do look(part) end
        else
          look(word)
        end
      end
    end
    if found and programs.reads(command) ~= true then
      ask(state, PERHAPS:format(shown_command(command), found.what))
    end
    return nil
  end

  local look, look_at_line

  -- A line that another one runs.
  local function look_deeper(line, read, state, cwd)
    if state.depth >= DEEPEST then return nil end
    state.depth = state.depth + 1
    local kept_line, kept_cwd, kept_command = state.line, read.command_cwd, state.command
    state.line = nil
    read.command_cwd = cwd or read.command_cwd
    local refused = look_at_line(line, read, state)
    state.line, read.command_cwd, state.command = kept_line, kept_cwd, kept_command
    state.depth = state.depth - 1
    return refused
  end

  local function matters(text)
    return text:lower():find("orcs", 1, true) ~= nil or guarded:glanced(text)
  end

  -- Code, in whatever language; `language` is nil where it is not known.
  local function judge_code(text, language, given, read, state, cwd)
    local whole = #given > 0 and text .. " " .. table.concat(given, " ") or text
    if not matters(whole) then return nil end
    local refused
    local runs_given = false
    code.runs(text, language, function(line)
      if refused then return end
      runs_given = true
      local words_of = type(line) == "table" and table.concat(line, " ") or line
      if matters(words_of) or (cwd and guarded:reached(cwd)) then refused = look_deeper(line, read, state, cwd) end
    end)
    if refused then return refused end
    if language and language:find("awk") and text:find("system", 1, true) then
      for _, value in ipairs(given) do refused = refused or look_deeper(value, read, state, cwd) end
      if refused then return refused end
    end
    if text:find("argv", 1, true) and #given > 1 and matters(table.concat(given, " ")) then
      refused = look_deeper({ table.unpack(given) }, read, state, cwd)
      if refused then return refused end
    end
    local at_home = {}
    local list = code.ordered(text)
    local function look_at(literal)
      if loosening.is_module(literal, cwd) and (text:find("import", 1, true) or text:find("require", 1, true)) then
        ask(state, MODULE:format(shown(literal)))
      end
    end
    for i, literal in ipairs(list) do
      look_at(literal)
      -- A call under another name that is given a program and its words.
      local after = list[i + 1]
      if after and not after:find("%s") and loosening.is_name(literal) and loosening.in_words(literal .. " " .. after) then
        ask(state, VERB:format(shown(literal .. " " .. after)))
      end
    end
    code.literals(text, look_at)
    if not guarded:glanced(whole) then return nil end
    code_written.each(text, function(target, how)
      refused = refused or refusal(path.given(target), cwd, how, read, state)
    end)
    if refused or not (runs_given or code.changes(text)) then return refused end
    local removes = text:lower():find("rmtree") or text:lower():find("rm[sd%(_]") or text:lower():find("remove")
      or text:find("unlink") or text:find("rename") or text:find("move") or text:find("delete") or text:find("%.rm")
    local found
    local function consider(literal)
      if found or literal:find("%s") or literal == "" then return end
      local place = path.given(literal)
      if place:find("[{}]") then place = masked(place:gsub("%$?%b{}", UNKNOWN)) end
      if place:sub(1, 1) == "/" and not place:find(UNKNOWN, 1, true) then
        found = guarded:reached(path.normal(place), removes and "gone" or nil, state.root)
      end
      if not found and cwd and guarded:glanced(place) and not place:find(UNKNOWN, 1, true) then
        found = guarded:reached(path.resolve(place, cwd), nil, state.root)
      end
      found = found or guarded:ends_in(place)
      if found and found.name == "program" then found = nil end
    end
    for _, literal in ipairs(list) do
      at_home[#at_home + 1] = not literal:find("%s") and literal or nil
      consider(literal)
    end
    code.literals(text, consider)
    for _, word in ipairs(given) do consider(word) end
    found = found or guarded:joined(at_home)
    if found then ask(state, PERHAPS:format(shown(text), found.what)) end
    return nil
  end

  -- Where a line goes before a command whose folder is not known.
  local function note_move(command, cwd, line, state)
    local argv = command.argv
    local operand
    for at = 2, #argv do
      if argv[at]:sub(1, 1) ~= "-" or argv[at] == "-" then
        operand = argv[at]
        break
      end
    end
    local from = cwd and { known = cwd } or line.moves[#line.moves]
    local to
    if operand == nil then
      to = command.program ~= "popd" and command.program ~= "pushd" and path.home and { known = path.home } or nil
    elseif operand == "-" then
      to = line.old and { known = line.old }
    else
      local full = path.given(filled(operand, state))
      local mask = masked(full)
      if mask:sub(1, 1) == "/" then
        to = mask:find(UNKNOWN, 1, true) and { text = path.normal(mask) } or { known = path.normal(full) }
      elseif mask:sub(1, 1) == UNKNOWN or not from then
        to = { text = mask }
        line.moved_unknown = true
      elseif from.known and not mask:find(UNKNOWN, 1, true) then
        to = { known = path.normal(from.known .. "/" .. mask) }
        if line.cdpath and not mask:find("^%.") then
          line.moves[#line.moves + 1] = { text = UNKNOWN .. "/" .. mask }
          for value in line.text:gmatch("CDPATH=[\"']?([^%s;\"']+)") do
            for folder in value:gmatch("[^:]+") do
              local place = path.given(filled(folder, state))
              if place:sub(1, 1) == "/" then line.moves[#line.moves + 1] = { known = path.normal(place .. "/" .. mask) } end
            end
          end
        end
      else
        to = { text = path.normal((from.known or from.text) .. "/" .. mask) }
      end
      if to and to.text then line.moved_unknown = true end
    end
    if cwd then
      line.old = cwd
      if #line.moves == 0 then line.moves[1] = { known = cwd } end
    end
    if to and #line.moves < 32 then line.moves[#line.moves + 1] = to end
  end

  -- Whether a command runs on another machine, or in a container.
  local function is_elsewhere(position, commands)
    for _, via in ipairs(commands[position].via) do
      if ELSEWHERE[via] and via ~= "ssh" then return true end
      if via == "ssh" then
        for at = position - 1, 1, -1 do
          if commands[at].program == "ssh" then
            local operands = split(commands[at].argv, set "-i -o -l -p -S -J -E -b -c -D -e -F -L -m -O -Q -R -W -w")
            local host = operands[1] and operands[1].text:lower():match("[^@]*$") or ""
            local here = host == "" or host:find("^localhost") or host:find("^127%.") or host == "::1"
              or host == "0.0.0.0" or host:find("[$`]")
            return not here
          end
        end
      end
    end
    return false
  end

  -- Texts that a command reads as its rules, its keys or its lines.
  local function given_texts(known, line)
    local argv, list = known.argv, texts.input(known)
    if loosening.MAKES[known.program] then
      for _, name in ipairs(loosening.RULES) do
        for _, text in ipairs(line.written(known, name)) do list[#list + 1] = text end
      end
    end
    for at = 2, #argv do
      if argv[at]:sub(1, 1) ~= "-" then
        for _, text in ipairs(line.written(known, argv[at])) do list[#list + 1] = text end
      end
    end
    if line.text:find("<<<", 1, true) then list[#list + 1] = line.text:match("<<<(.*)$") end
    return list
  end

  -- What is written to a file that is run later.
  local function judge_later(position, commands, line)
    local command = commands[position]
    local file
    for _, redirect in ipairs(command.redirects) do
      if redirect.op:find(">", 1, true) and LATER:match(path.normal("/" .. redirect.target)) then file = redirect.target end
    end
    if command.program == "tee" or command.program == "sponge" then
      for at = 2, #command.argv do
        if LATER:match(path.normal("/" .. command.argv[at])) then file = command.argv[at] end
      end
    end
    if not file then return nil end
    local known = setmetatable({ all = commands, at = position, line = line.text }, { __index = command })
    local list = texts.input(known)
    if command.program == "echo" or command.program == "printf" or command.program == "cat" then
      list[#list + 1] = table.concat(command.argv, " ", 2):gsub("\\n", "\n")
    end
    for _, text in ipairs(list) do
      if loosening.in_words(text:gsub("[\"']", " ")) then return VERB:format(shown(file)) end
    end
    return nil
  end

  local function check_only(command)
    if not programs.SHELLS[command.program] then return false end
    for at = 2, #command.argv do
      local word = command.argv[at]
      if word:find("^%-%a*n%a*$") then return true end
      if word:sub(1, 1) ~= "-" then return false end
    end
    return false
  end

  local function begin(text)
    local line = {
      text = text, moves = {}, aliases = {}, cdpath = text:find("CDPATH", 1, true) ~= nil,
      writes = text:find(">", 1, true) ~= nil or text:find("tee ", 1, true) ~= nil,
      orcs = text:lower():find("orcs", 1, true) ~= nil,
    }
    function line.written(known, file)
      if not line.writes or known.at < 2 then return {} end
      return texts.written(known, shell_paths.from(known.cwd, file) or file)
    end
    return line
  end

  local function judge_command(position, commands, text, cwd, read, state)
    local command = commands[position]
    if position == 1 or not state.line then state.line = begin(text) end
    local line = state.line
    state.command = command
    if is_elsewhere(position, commands) then return nil end
    if MOVES[command.program] then note_move(command, cwd, line, state) end
    if not cwd then
      local move = line.moves[#line.moves]
      cwd = move and move.known or nil
    end
    local known = setmetatable({ all = commands, at = position, line = text }, { __index = command })
    if line.orcs or #command.unknown > 0 or options.routes[1] or cwd then
      local found = loosening.of_command(command, text, cwd, line.aliases, function() return given_texts(known, line) end)
      if found == "ask" then
        ask(state, shown_command(command) .. " may loosen what orcs guards: only the shell will know its words.")
      elseif found == "replaced" then
        ask(state, REPLACED:format(shown_command(command)))
      elseif found then
        return (WHY[found] or VERB):format(shown_command(command))
      end
    end
    -- Another name of the program.
    if line.orcs and LINKS[command.program] then
      local operands = split(command.argv, set "-t --target-directory -S --suffix -m -o -g")
      local from, to = operands[1], operands[#operands]
      if from and to and from ~= to
        and (looks_up(from.text) or (loosening.is_orcs(from.text, cwd, line.aliases, true) and from.text:find("/"))) then
        line.aliases[#line.aliases + 1] = path.resolve(to.text, cwd)
      end
    end
    local refused = judge_program(command, cwd, state)
    if not refused and #command.via > 0 then refused = judge_handed(position, commands, cwd, state) end
    local pieces = code.of_command(command, known)
    if not refused and (#pieces == 0 or pieces[1].language == "sqlite") then refused = judge_others(position, commands, cwd, state) end
    if not refused and line.orcs then refused = judge_later(position, commands, line) end
    if refused then return refused end
    for _, piece in ipairs(pieces) do
      refused = judge_code(piece.text, piece.language, piece.words, read, state, cwd)
      if refused then return refused end
    end
    local program = command.program:lower()
    if line.orcs and (program == "node" or program == "bun" or program == "tsx" or program == "deno") then
      for at = 2, #command.argv do
        local module = command.argv[at]:match("^%-%-?%a[%w-]*=(.+)$") or command.argv[at]
        local option = set("-r --require --import --loader --experimental-loader")[command.argv[at - 1]]
          or module ~= command.argv[at]
        if option and loosening.is_module(path.resolve(module, cwd), cwd) then ask(state, MODULE:format(shown(module))) end
      end
    end
    -- A script that the line has written before.
    if position > 1 and state.depth < DEEPEST - 1 and line.writes and not check_only(command) then
      local file = texts.file_run(known, false)
      for _, script in ipairs(file and texts.written(known, file) or {}) do
        refused = look_deeper(script, read, state, cwd)
        if refused then return refused end
      end
    end
    return nil
  end

  look, look_at_line = targets({
    refusal = refusal,
    unknown = judge_unknown,
    unreadable = function(line, state)
      if state.script and not loosening.in_words(line) then return nil end
      local near = line:lower()
      local told = near:find("orcs", 1, true) ~= nil
      for _, rule in ipairs(options.settings) do told = told or near:find(rule, 1, true) ~= nil end
      if told then ask(state, "orcs could not read this command line, which names what it guards. Write it more simply.") end
    end,
    command = judge_command,
    glance = function(text) return guarded:glanced(text) end,
    code = function(text, read, state) return judge_code(text, nil, {}, read, state, read.command_cwd) end,
    -- What may be a command line is none that has to be understood.
    in_script = function(state) return setmetatable({ script = true }, { __index = state, __newindex = state }) end,
    is_code = function(read)
      for word in pairs(read.words) do
        if LANGUAGES[word] then return true end
      end
      return false
    end,
    verbs = set [[
      purge erase destroy trash clear format set upload wipe reset sync checkout restore stash commit pull merge rebase ]],
    removes = set "purge erase destroy trash clear wipe",
  })

  -- A tool that changes the settings of its own agent: `Config` of Claude Code.
  local function judge_config(read, state)
    if not (read.words.config or read.words.settings or read.words.setting) or #read.texts == 0 then return end
    for _, entry in ipairs(read.texts) do
      for name in entry.text:gmatch("[%w_.]+") do
        local last = name:lower():match("[^.]*$")
        if SWITCHES[last] then ask(state, SWITCHED:format(shown(name))) end
      end
    end
  end

  return function(read, kept)
    local state = { kept = kept, depth = 0, reals = {}, names = {}, root = read.cwd }
    judge_config(read, state)
    local refused = look(read, state)
    return refused, state.asks
  end
end
