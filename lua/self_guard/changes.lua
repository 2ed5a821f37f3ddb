-- Judges what is more than the effects of a command say: what git brings back, folders that are copied or unpacked onto
-- places, hard links, searches for names, mounts, and programs that may do anything with the files they are given.
-- kit: see self_guard.reached
local path = require "file_guard.path"
local says = require "self_guard.says"
local words = require "file_guard.words"
local set = words.set
local perhaps, UNKNOWN = says.perhaps, says.UNKNOWN

-- Subcommands of git that change their working tree, and those that change the files they name.
local CHANGES_TREE =
  "checkout clean merge pull rebase reset restore stash switch apply am rm mv update-index revert cherry-pick"
local GIT = set(CHANGES_TREE)
local GIT_TAKES = set "rm mv checkout restore clean stash update-index"
-- Of git stash: they change no file that they name.
local KEEPS = set "save list show drop clear"
local MARKS = { "--skip-worktree", "--assume-unchanged", "--force-remove", "--remove", "--index-info", "--cacheinfo" }
local COPIES = set "rsync cp gcp ditto scp mv"
local ARCHIVES = set "tar gtar bsdtar unzip"
-- Programs that mount over a folder, or run a program with another view of the file system.
local MOUNTS = set "mount umount bwrap unshare fusermount fusermount3 bindfs overlayfs pivot_root chroot unionfs"
-- Programs that may change any file they are given although the dictionary describes them.
local OPEN = set "ninja restic borg mmv pax ansible node nodejs bun deno tsx ts-node sqlite3"
-- Those that may only with a word such as this: Lua patterns.
local OPEN_WITH = {
  npm = { "^%-%-prefix", "^%-C$" }, pnpm = { "^%-%-dir", "^%-C$" }, yarn = { "^%-%-cwd" },
  make = { "^%-C" }, gmake = { "^%-C" }, fx = { "^save$" },
}
local SHELLS = set "bash sh zsh dash ksh fish csh tcsh busybox ash mksh"
local HANDS = set "xargs parallel find gfind fd fdfind"
local CHANGES = set "write remove attributes"

return function(kit)
  local guarded, refusal, named = kit.guarded, kit.refusal, kit.named
  local judge = { subcommands = words.list(CHANGES_TREE) }

  local function word_at(command, n) return command.argv[command.args.operands[n]] end

  local function has(command, ...)
    return words.any({ ... }, function(name) return command.args.options[name] end)
  end

  local function judge_git(command, cwd, state)
    local argv, sub, folder = command.argv, command.args.name:match("^git/([%w-]+)"), cwd or UNKNOWN
    local tree = state.line.text:match("GIT_WORK_TREE=[\"']?([^%s;\"']+)")
    tree = tree and path.resolve(path.given(kit.filled(tree, state)), folder)
    for at = 2, #argv do
      if argv[at] == sub then break end
      if argv[at - 1] == "-C" then folder = path.resolve(argv[at], folder) end
      local work = argv[at]:match("^%-%-work%-tree=(.*)") or (argv[at - 1] == "--work-tree" and argv[at])
      if work then tree = path.resolve(work, folder) end
    end
    folder = tree or folder
    local is_dry = has(command, "--dry-run", "--help", "-h") or (sub == "clean" and has(command, "-n"))
    if not GIT[sub] or is_dry then return nil end
    if command.args.name:find("^git/stash/[lsdc]") and not command.args.name:find("save") then return nil end
    if sub == "reset" and not has(command, "--hard", "--merge", "--keep") then return nil end
    -- Files that it marks are no longer restored.
    local text = table.concat(argv, " ")
    if sub == "update-index" and not has(command, table.unpack(MARKS))
      and not words.any(MARKS, function(mark) return text:find(mark:sub(1, 8), 1, true) end) then
      return nil
    end
    local only_index = has(command, "--staged", "-S", "--cached") and not has(command, "--worktree", "-W")
    if only_index and (sub == "restore" or sub == "rm") then return nil end
    local function judge_target(target, how)
      if folder:sub(1, 1) ~= UNKNOWN then return refusal(target, folder, how, state) end
      return kit.judge_moved(path.normal(folder:sub(3) .. "/" .. target):gsub("^/", ""), how, state)
    end
    local cleans_all = sub == "clean" and #command.args.operands == 0
    local refused = judge_target(".", (tree or cleans_all) and "below" or nil) or cleans_all and judge_target(".", "gone")
    local first = sub == "stash" and word_at(command, 1) or ""
    if KEEPS[first] then return refused end
    for n = first == "push" and 2 or 1, GIT_TAKES[sub] and #command.args.operands or 0 do
      local target = word_at(command, n)
      -- `git checkout .` only restores tracked files.
      if not refused and target ~= "." then refused = judge_target(target, sub ~= "update-index" and "gone" or nil) end
    end
    return refused
  end

  -- Returns a function that returns how a copy changes a word: see Places:reached; "skip" for what it does not write.
  -- Returns nil for other commands.
  function judge.copy(command)
    if not COPIES[command.program] or not command.args or #command.args.operands == 0 then return nil end
    local is_sync = command.program == "rsync" or command.program == "ditto"
    -- The contents of `x/` (rsync) or `x/.` (cp) are copied into the target folder itself.
    local whole, contents = command.program == "ditto" or has(command, "-T"), is_sync and "/%.?$" or "/%.$"
    for n = 1, #command.args.operands - 1 do whole = whole or word_at(command, n):find(contents) ~= nil end
    local options, deletes = command.args.options, false
    for name in pairs(options) do deletes = deletes or name:find("^%-%-del") ~= nil end
    local into = options["-t"] or options["--target-directory"] or word_at(command, #command.args.operands)
    local is_tree = is_sync or command.program == "mv" or has(command, "-r", "-R", "-a", "--recursive")
    return function(word, recursive)
      if word ~= into then return whole and is_sync and "skip" or "tree" end
      return deletes and "gone" or (whole or recursive and not is_tree) and "below" or nil
    end
  end

  -- Judges the operands whose effects are not in the dictionary: what is extracted by name, hard links, mounts.
  local function judge_operands(command, cwd, state)
    local how, first
    if MOUNTS[command.program] then
      for at = 2, #command.argv do
        local word = command.argv[at]
        local refused = word:find("/") and word ~= "/" and refusal(word, cwd, "gone", state)
        if refused then return refused end
      end
    end
    if not command.args then return nil end
    local folder = cwd
    if ARCHIVES[command.program] and not has(command, "-l", "-t", "-v", "-Z", "-p") then
      for _, effect in ipairs(command.effects) do
        if effect.kind == "write" and effect.recursive then
          how, first = "tree", command.program == "unzip" and 2 or 1
          folder = path.resolve(effect.word, effect.cwd)
        end
      end
    elseif command.program == "ln" and not has(command, "-s") or command.program == "cp" and has(command, "-l") then
      first = 1
    end
    for n = first or 1, first and #command.args.operands or 0 do
      local text = word_at(command, n)
      if how then text = text:gsub("/?%*+$", ""):gsub("^%./", "") end
      local refused = text ~= "" and refusal(text, folder, how, state)
      if refused then return refused end
    end
    return nil
  end

  -- Judges a search below a folder for names that match a glob.
  function judge.found(start, pattern, removes, command, cwd, state)
    local base, place = pattern:lower():gsub("/%*+$", ""):match("[^/]*$"), kit.filled(start, state)
    if place:find("[$`]") or not (cwd or place:sub(1, 1) == "/") then
      return perhaps(state, command, (named(pattern, state)))
    end
    local seen = path.resolve(place, cwd)
    local may = base == "*" or guarded:found_below(seen, base)
    local real = not may and kit.real_folder(place, cwd, state)
    if real and real ~= seen then may = guarded:found_below(real, base) end
    -- Settings may be anywhere below the folder: ignore patterns that match too much, such as `*`,
    -- and `*.json` unless the files are removed.
    local said = (removes and base or base:gsub("^[*.]+json$", "-")):gsub("^[*?.]+$", "-")
    for name in pairs(guarded.bases) do
      if words.fits(said, name) then perhaps(state, command, guarded.SETTINGS) end
    end
    return may and refusal(place, cwd, "gone", state) or nil
  end

  -- Judges a search that follows links: these may lead from any folder to a place.
  local function judge_links(position, commands, state)
    local command = commands[position]
    local is_fd = command.program:find("^fd") ~= nil
    local follows, only_links, patterns = false, false, {}
    for at = 2, #command.argv do
      local word, before = command.argv[at], command.argv[at - 1]
      local excluded = before == "-not" or before == "!"
      if word == "-P" then follows = false end
      follows = follows or word == "-L" or word == "-follow" or word == "--follow"
        or (is_fd and word:find("^%-%a*L") ~= nil)
      local is_type = word == "-type" or word == "-xtype"
      only_links = only_links or (is_type and command.argv[at + 1] == "l" and not excluded)
      if word:find("^%-i?name$") or word:find("^%-i?path$") or word:find("^%-i?wholename$") then
        patterns[#patterns + 1] = not excluded and command.argv[at + 1] or nil
      elseif is_fd and #patterns == 0 and word:sub(1, 1) ~= "-" then
        patterns[1] = "*" .. word .. "*"
      end
    end
    if not follows or only_links then return end
    local changes = words.any(commands, function(other)
      local via = other.via
      local by = other == command or orcs.contains(via, command.program) or orcs.contains(via, "xargs")
        or orcs.contains(via, "parallel")
      return by and words.any(other.effects, function(effect) return CHANGES[effect.kind] end)
    end, position)
    local leads = #patterns == 0 or words.any(patterns, function(pattern)
      return guarded:is_named(pattern:lower():gsub("/%*+$", ""):match("[^/]*$"))
    end)
    if changes and leads then perhaps(state, command, guarded:kind("state")) end
  end

  -- Judges a command that gets its files from another one.
  local function judge_handed(command, commands, cwd, state)
    local by, changes = command.via[#command.via], not command.described
    if not HANDS[by] and not HANDS[command.via[#command.via - 1]] then return nil end
    -- ls prints what is in a folder.
    local by_find = by:find("f[id]")
    local by_ls = not by_find and words.any(commands, function(other) return other.program == "ls" end)
    changes = changes or words.any(command.effects, function(effect)
      local word, by_pipe = effect.word or "", by_ls or (not by_find and effect.kind ~= "write")
      return CHANGES[effect.kind] and (by_pipe or word:find("…", 1, true) or word:find("{}", 1, true))
    end)
    if not changes then return nil end
    for _, other in ipairs(commands) do
      for n = 2, other.program:find("locate$") and #other.argv or 0 do
        local word = other.argv[n]
        local refused = word:sub(1, 1) ~= "-" and judge.found("/", "*" .. word .. "*", true, command, "/", state)
        if refused then return refused end
      end
    end
    local kind = named(state.line.text, state) or (cwd and guarded:could_reach(cwd .. "/" .. UNKNOWN, "gone"))
    return perhaps(state, command, kind)
  end

  function judge.command(position, commands, cwd, state)
    local command = commands[position]
    local refused = command.args and command.args.name:find("^git/") and judge_git(command, cwd, state)
      or judge_operands(command, cwd, state) or judge_handed(command, commands, cwd, state)
    if command.program:find("^g?find$") or command.program:find("^fd") then judge_links(position, commands, state) end
    return refused
  end

  -- Whether a command may do anything with the files that its words name.
  function judge.is_open(command)
    local program, argv, pattern = command.program:lower(), command.argv, OPEN_WITH[command.program]
    local is_python = program:find("^python") or program:find("^pypy")
    if SHELLS[program] or is_python then
      -- A script may change the files behind it.
      for at = 2, #argv do
        if argv[at]:find(is_python and "^%-m$" or "^%-%a*[cn]") then return false end
        if argv[at]:sub(1, 1) ~= "-" then return at < #argv end
      end
      return false
    end
    if pattern then return words.any(argv, function(word) return words.matches(word, pattern) end, 2) end
    return not command.described or OPEN[program] ~= nil
  end

  return judge
end
