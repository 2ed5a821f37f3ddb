-- Judges whether targets reach a place that self-guard protects. Returns functions that the other
-- modules use as `kit`. options: as in hooks/self-guard.lua
local path = require "file_guard.path"
local places = require "self_guard.places"
local says = require "self_guard.says"
local verbs = require "self_guard.verbs"
local words = require "file_guard.words"
local set = words.set
local shown, ask, perhaps, masked, known_end = says.shown, says.ask, says.perhaps, says.masked, says.known_end
local DENIED, ASKED, REPLACED, UNKNOWN = says.DENIED, says.ASKED, says.REPLACED, says.UNKNOWN

local TEMPORARY = set "TMPDIR TMP TEMP"
-- Commands that print the path of orcs.
local LOOKS_UP = {
  "which%s+[-%a%s]*orcs%f[^%w_-]", "command%s+%-v%s+orcs%f[^%w_-]", "type%s+%-%a+%s+orcs%f[^%w_-]",
  "whence%s+[-%a%s]*orcs%f[^%w_-]",
}

return function(options)
  local function kinds()
    local dev_files = {}
    for _, project in ipairs(options.dev) do
      for _, name in ipairs({ "orcs.toml", "orcs.local.toml", "orcs.lock", "hooks" }) do
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
      return words.any(packages, function(folder) return path.inside(folder, real) end)
    end,
  })

  -- Whether a command keeps the contents of a file and the owner's right to read it.
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
    if not certain or state.unsure then
      perhaps(state, text, kind)
    elseif not kind.asks then
      return DENIED:format(shown(text), kind.what)
    elseif not orcs.contains(state.kept, place) then
      -- What a file does cannot be answered in part. A project's own tools may format its hooks.
      if state.in_file and kind.name ~= "dev" then return DENIED:format(shown(text), kind.what) end
      ask(state, ASKED:format(shown(text), kind.what))
    end
    return nil
  end

  -- Resolves the links of a folder; cached for the call.
  local function real_folder(folder, cwd, state)
    local key, reals = (cwd or "") .. "\0" .. folder, state.reals
    if reals[key] == nil then reals[key] = path.real(folder, cwd) or false end
    return reals[key]
  end

  local judge_moved

  -- Fast check for removed files, because a line may name thousands: whether the file has no
  -- special name and its folder is far from all places.
  local function is_ordinary(text, cwd, state)
    if not cwd or text:find("[^%w_./-]") or text:find("..", 1, true) then return false end
    local folder, base = text:match("^(.*/)([^/]+)$")
    if not folder and text:find("/") then return false end
    if not folder then folder, base = ".", text end
    if guarded.bases[base:lower()] or base:lower() == "orcs" or base:sub(-1) == "." then return false end
    local real = real_folder(folder, cwd, state)
    return real and guarded:is_far(real) and guarded:is_far(path.resolve(folder, cwd))
  end

  -- Returns why a target is denied, or nil. A reason to ask is stored in `state`.
  local function refusal(text, cwd, how, state)
    if state.line and state.line.cdpath and text:sub(1, 1) ~= "/" then
      local refused = judge_moved(text, how, state)
      if refused then return refused end
    end
    if how == "gone" and is_ordinary(text, cwd, state) then return nil end
    local seen = path.resolve(text, cwd)
    -- A file `bin/orcs` may take the place of the program.
    if seen:find("/bin/orcs", -9, true) and not leaves(state.command) then ask(state, REPLACED:format(shown(text))) end
    local real = path.with_globs(text, function(lead, is_whole)
      if is_whole and how == "gone" then return path.target(lead, cwd, how) end
      return real_folder(lead, cwd, state)
    end)
    local refused = real and judge_place(text, real, how, state)
    return refused or (seen:sub(1, 1) == "/" and judge_place(text, seen, how, state)) or nil
  end

  -- Replaces variables in a target whose values are known.
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

  -- A line in which variables whose values are known have these as defaults: `${XDG_STATE_HOME:-/tmp}`, and
  -- what is assigned to another one: `D=$XDG_STATE_HOME`.
  local function with_known(line)
    if type(line) ~= "string" then return line end
    local function known(name)
      local value = options.variables[name]
      return value and "${" .. name .. ":-" .. value .. "}"
    end
    line = line:gsub("%$(%b{})", function(inside) return known(inside:match("^{([%w_]+):?[-=?]")) end)
    for _, variable in ipairs({ "%$([%w_]+)", "%${([%w_]+)}" }) do
      line = line:gsub('(="?)' .. variable, function(before, name) return known(name) and before .. known(name) end)
    end
    return line
  end

  -- Returns a function that returns the absolute path of a word, with unknown parts masked, or nil.
  local function seen_in(state)
    return function(word)
      word = path.given(filled(word, state))
      if word:sub(1, 1) ~= "/" then return nil end
      return path.normal(masked(word))
    end
  end

  local function named(text, state)
    state.names[text] = state.names[text] or { guarded:named(text, seen_in(state)) }
    return state.names[text][1], state.names[text][2]
  end

  -- Judges a relative target after a `cd`: tries all folders that the line may have changed to.
  function judge_moved(text, how, state)
    local relative = text:gsub("^%./+", "")
    for _, move in ipairs(state.line and state.line.moves or {}) do
      local place = path.normal((move.known or move.text) .. "/" .. relative)
      if move.known and not place:find(UNKNOWN) then
        local refused = judge_place(text, place, how, state)
        if refused then return refused end
      else
        local kind = not move.known and guarded:ends_in(place, true, how)
          or place:sub(1, 1) == "/" and guarded:could_reach(place, how)
        perhaps(state, text, kind)
      end
    end
    return nil
  end

  -- Returns the set of names in a line that are not expansions: the line may assign them.
  local function names_of(line)
    if not line.names then
      line.names = {}
      for mark, name in (" " .. line.text):gmatch("([^%w_])([%a_][%w_]*)") do
        if mark ~= "$" and mark ~= "{" then line.names[name] = true end
      end
    end
    return line.names
  end

  -- Whether the line itself may determine a word: by a command substitution, a variable that it may
  -- assign, or arguments from xargs or find.
  local function is_made(text, line)
    if text:find("[`(]") or text == "…" or text == "{}" then return true end
    for name in text:gmatch("%${?[#!]?([%w_@*]+)") do
      if name:find("^[%d@*]") or names_of(line)[name] then return true end
    end
    return false
  end

  -- Whether a word begins with a folder in a variable that the line does not assign: `$D/orcs/seals`. Folders of
  -- temporary files hold nothing of orcs.
  local function begins_unset(text, line)
    local name = text:match("^%${?([%a_][%w_]*)")
    return name ~= nil and not TEMPORARY[name] and not names_of(line)[name]
  end

  -- Whether a word looks up the path of orcs: `$(which orcs)`.
  local function looks_up(text)
    return text:find("npm%s+%a+%s+%-") and known_end(text):find("/orcs$") or words.matches(text, LOOKS_UP)
  end

  -- effect: what is done to it
  local function judge_unknown(text, effect, how, state)
    local line = state.line
    local full = path.given(filled(text, state))
    if full ~= text and not full:find("[$`]") and full:sub(1, 1) == "/" then
      return refusal(full, nil, how, state)
    end
    -- A folder that the line was in: `~-/orcs`, `~1/orcs`.
    local below = text:match("^~[-+%d]%d*/(.+)$")
    if below then return judge_moved(below, how, state) end
    if looks_up(text) then return DENIED:format(shown(text), PROGRAM.what) end
    local kind = guarded:ends_in(known_end(full))
    if kind then
      if not kind.asks then return DENIED:format(shown(text), kind.what) end
      ask(state, ASKED:format(shown(text), kind.what))
      return nil
    end
    local mask, makes = masked(full), effect.program == "mkdir"
    local place = path.resolve(mask, effect.cwd)
    local is_moved = not effect.cwd and mask:sub(1, 1) ~= "/"
    if place:sub(1, 1) == "/" and (mask:sub(1, 1) == "/" or mask:find(UNKNOWN)) then
      kind = guarded:could_reach(place, makes and "made" or how)
    end
    local refused = is_moved and judge_moved(mask, how, state)
    if refused then return refused end
    if not kind and not makes and begins_unset(full, line) then kind = guarded:ends_in(mask, true, how) end
    -- The line itself determines the word, or the folder that it is relative to: any name of a
    -- protected place in the line may be meant.
    local made = mask:find(UNKNOWN) and is_made(full, line) or is_moved and line.moved_unknown
    if not kind and made and not makes then kind = named(line.text, state) end
    perhaps(state, text, kind)
    return nil
  end

  -- Returns the kind of place that a word of an unknown program names, or nil.
  -- is_code: whether the word may be code, in which a path is judged with the code
  local function mentioned(word, cwd, state, is_code)
    if word:find("^%a[%w+.-]*://") and not word:find("^file:") then return nil end
    if word:find("%s") then
      local kind, above = named(word, state)
      return not is_code and word:find("/") and not above and kind or nil
    end
    local list = { word, word:match("^%-%a(.+)$"), word:match("[=@](.+)$") }
    for part in word:gmatch("[^=@:,]+") do list[#list + 1] = part end
    for _, part in pairs(list) do
      local text = path.given(part)
      if text ~= "" and text:sub(1, 1) ~= "-" and (cwd or text:sub(1, 1) == "/") then
        local place = path.resolve(text, cwd)
        local kind = guarded:reached(place, nil, state.root)
        if not kind then
          local real = place:find("[*?[]") == nil and real_folder(place, nil, state)
          kind = real and real ~= place and guarded:reached(real, nil, state.root) or nil
        end
        kind = kind or guarded:holds_settings(place)
        if kind and not orcs.contains(state.kept, place) and kind.name ~= "program" and kind.name ~= "runtime" then return kind end
      end
    end
    return nil
  end

  return {
    mentioned = mentioned, guarded = guarded, loosening = loosening, real_folder = real_folder,
    refusal = refusal, filled = filled, with_known = with_known, named = named, judge_moved = judge_moved,
    looks_up = looks_up, judge_unknown = judge_unknown,
  }
end
