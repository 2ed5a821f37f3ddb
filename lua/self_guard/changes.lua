-- Judges what programs do to protected places other than writing files: find, xargs, git, archives,
-- copies of folders, links, and unknown programs. kit: see self_guard.reached
local ELSEWHERE = require "file_guard.elsewhere"
local code = require "self_guard.code"
local git = require "self_guard.git"
local names = require "file_guard.names"
local path = require "file_guard.path"
local programs = require "self_guard.programs"
local says = require "self_guard.says"
local words = require "file_guard.words"
local set, split, has = words.set, words.split, words.has
local shown_command, ask, PERHAPS, VERB, UNKNOWN = says.shown_command, says.ask, says.PERHAPS, says.VERB, says.UNKNOWN

local RECURSIVE = set "-R --recursive"
local CHANGES_ALL = set "chmod chown chgrp chattr setfacl"
local OWNERS = set "--reference"
local ARCHIVES = set "tar bsdtar unzip zip"
local SYNCS = set "rsync cp gcp ditto scp"
local TREES = set "-r -R -a --recursive --archive -T"
local HANDS = set "xargs parallel"
local LINKS = set "ln cp mv install link"

return function(kit)
  local guarded, loosening, is_kept, real_folder = kit.guarded, kit.loosening, kit.is_kept, kit.real_folder
  local refusal, filled, named, judge_moved = kit.refusal, kit.filled, kit.named, kit.judge_moved

  -- Judges what find, fd or locate remove or change, by their starting points and name patterns.
  -- changes: whether another command changes the files that are found
  -- removes: whether it removes them
  local function judge_find(command, cwd, state, changes, removes)
    local argv, starts, patterns, at = command.argv, {}, {}, 2
    local follows, only_links = false, false
    local program = command.program:lower()
    if program == "fd" or program == "fdfind" or program == "locate" or program == "plocate" then
      for i = 2, #argv do
        if argv[i]:find("^%-[xX]$") or argv[i]:find("^%-%-exec") then
          local run = argv[i + 1] or ""
          if not programs.harmless(run:match("[^/]*$"), table.move(argv, i + 1, #argv, 1, {})) then changes = true end
          break
        end
        follows = follows or argv[i]:find("^%-%a*L") ~= nil or argv[i] == "--follow"
        if argv[i]:sub(1, 1) ~= "-" then
          if #patterns == 0 then patterns[1] = "*" .. argv[i] .. "*" else starts[#starts + 1] = argv[i] end
        end
      end
      if program:find("locate") then starts = { "/" } end
    else
      while argv[at] and argv[at]:find("^%-[HLPO]%d?$") do
        if not argv[at]:find("^%-O") then follows = argv[at] == "-L" end
        at = at + 1
      end
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
        follows = follows or word == "-follow"
        -- Where links are followed, only broken ones are links.
        only_links = only_links or ((word == "-type" or word == "-xtype") and argv[i + 1] == "l" and not excluded)
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
    -- Links may lead from any folder to a place.
    local leads = follows and not only_links and #patterns == 0
    for _, pattern in ipairs(follows and not only_links and patterns or {}) do
      leads = leads or guarded:is_named(pattern:lower():gsub("/%*+$", ""):match("[^/]*$"))
    end
    if leads then ask(state, PERHAPS:format(shown_command(command), guarded:kind("state").what)) end
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
          -- Settings may be anywhere below the folder: ignore patterns that match too much, such as
          -- `*`, and `*.json` unless the files are removed.
          local said = (removes and base or base:gsub("^[*.]+json$", "-")):gsub("^[*?.]+$", "-")
          for name in pairs(guarded.bases) do
            if names.fits(said, name) and state.root then
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

  -- Judges a command that xargs or parallel runs with the output of another command.
  local function judge_handed(position, commands, cwd, state)
    local command = commands[position]
    local by = command.via[#command.via]
    if not HANDS[by] and not HANDS[command.via[#command.via - 1]] then return nil end
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

  -- Judges programs with known effects, such as git, find, chmod -R, ln, tar, zip and rsync.
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
    if program == "find" or program == "gfind" or program == "fd" or program == "fdfind" then
      return judge_find(command, cwd, state, false, false)
    end
    if not cwd then return nil end
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
        -- A hard link allows writing to the file under another name. A link that replaces a folder
        -- hides the folder.
        local gone = i == #operands and i > 1 and "gone" or nil
        local refused = (hard or i > 1) and refusal(operand.text, cwd, gone, nil, state)
        if refused then return refused end
      end
    elseif program == "unzip" and has(given, set "-l -t -v -Z -p") then
      return nil
    elseif program == "tar" or program == "bsdtar" or program == "unzip" then
      -- Members that are extracted by name.
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
          local refused = refusal(argv[at], cwd, "gone", nil, state)
          if refused then return refused end
        end
      end
    elseif program == "zip" then
      local gone = false
      for at = 2, #argv do gone = gone or argv[at]:find("^%-%a*m") ~= nil end
      for at = 2, gone and #argv or 0 do
        local refused = refusal(argv[at], cwd, "gone", nil, state)
        if refused then return refused end
      end
    elseif last and SYNCS[program] and (program == "rsync" or program == "ditto" or has(given, TREES)) then
      -- The contents of `x/` (rsync) or `x/.` (cp) are copied into the target folder itself.
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

  -- Judges programs without rules of their own whose arguments name protected places.
  local function judge_others(position, commands, cwd, state)
    local command = commands[position]
    local program, argv = command.program:lower(), command.argv
    if #argv < 2 or (program == "" and command.unknown[1] ~= 1) then return nil end
    if programs.MOUNTS[program] then
      for at = 2, #argv do
        local refused = argv[at]:find("/") and argv[at] ~= "/" and refusal(argv[at], cwd, "gone", nil, state)
        if refused then return refused end
      end
      return nil
    end
    if program == "docker" or program == "podman" or program == "nerdctl" then
      for _, effect in ipairs(command.effects) do
        local place = effect.kind == "read" and effect.recursive and effect.target
        local kind = place and guarded:reached(place, "tree", state.root)
        if kind and kind.name ~= "program" then
          ask(state, PERHAPS:format(shown_command(command), kind.what))
        end
      end
    end
    if programs.reads(command) then return nil end
    -- Arguments may contain a command line of orcs that is typed or run later, such as in tmux.
    local by_name = loosening.is_orcs(argv[1], cwd, state.line and state.line.aliases)
    local typed = not by_name and not ELSEWHERE[program]
    if typed and loosening.in_words(table.concat(argv, " ", 2)) then
      ask(state, VERB:format(shown_command(command)))
    end
    local known = words.unknown(command)
    local next_one = commands[position + 1]
    local last = #argv
    -- Arguments that are a command of their own are judged with that command.
    if next_one and next_one.via[#next_one.via] == program and #next_one.argv < #argv then
      last = #argv - #next_one.argv
    end
    local language = code.interpreter(program)
    local found
    local function look(text)
      if found or text == "" then return end
      if text:find("%s") then
        if not language and text:find("/") then
          local kind, above = named(text, state)
          found = not above and kind or nil
        end
        return
      end
      text = path.given(text)
      if not cwd and text:sub(1, 1) ~= "/" then return end
      local place = path.resolve(text, cwd)
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
        words.parts(word, look)
      end
    end
    if found and programs.reads(command) ~= true then
      ask(state, PERHAPS:format(shown_command(command), found.what))
    end
    return nil
  end

  return { program = judge_program, handed = judge_handed, others = judge_others }
end
