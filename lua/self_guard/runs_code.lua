-- Judges code that a command or a tool runs. kit: see self_guard.reached; look_deeper(line, read,
-- state, cwd): judges a command line that the code runs.
local code = require "self_guard.code"
local path = require "file_guard.path"
local says = require "self_guard.says"
local shown, ask, masked = says.shown, says.ask, says.masked
local PERHAPS, VERB, MODULE, UNKNOWN = says.PERHAPS, says.VERB, says.MODULE, says.UNKNOWN

return function(kit, look_deeper)
  local guarded, loosening, refusal = kit.guarded, kit.loosening, kit.refusal

  local function matters(text)
    return text:lower():find("orcs") ~= nil or guarded:glanced(text)
  end

  -- Returns why code is denied, or nil. language: nil if unknown; given: list of its arguments
  local judge_code

  function judge_code(text, language, given, read, state, cwd)
    local whole = #given > 0 and text .. " " .. table.concat(given, " ") or text
    if not matters(whole) then return nil end
    local refused
    local runs_given = false
    code.runs(text, language, function(line)
      if refused then return end
      runs_given = true
      -- Interpolated values are unknown.
      if type(line) == "string" then line = line:gsub("%$?{[%w_.%[%]()\"']+}", "$UNKNOWN") end
      local words_of = type(line) == "table" and table.concat(line, " ") or line
      if matters(words_of) or (cwd and guarded:reached(cwd)) then refused = look_deeper(line, read, state, cwd) end
    end)
    if refused then return refused end
    if matters(table.concat(given, " ")) and code.runs_arguments(text, language) then
      refused = look_deeper({ table.unpack(given) }, read, state, cwd)
      for _, value in ipairs(given) do
        refused = refused or look_deeper(value, read, state, cwd) or judge_code(value, language, {}, read, state, cwd)
      end
      if refused then return refused end
    end
    local at_home = {}
    local list = code.ordered(text)
    local function look_at(literal)
      if loosening.is_module(literal) and (text:find("import") or text:find("require")) then
        ask(state, MODULE:format(shown(literal)))
      end
    end
    for i, literal in ipairs(list) do
      look_at(literal)
      -- Any other call may run its arguments too: `start("orcs", "trust")`.
      local after = list[i + 1]
      local named = after and not after:find("%s") and loosening.is_name(literal)
      if named and loosening.in_words(literal .. " " .. after) then
        ask(state, VERB:format(shown(literal .. " " .. after)))
      end
    end
    code.literals(text, look_at)
    if not guarded:glanced(whole) then return nil end
    for _, effect in ipairs(orcs.shell({ "node", "-e", text }, cwd)[1].effects) do
      local how = effect.kind == "remove" and "gone" or nil
      if effect.target and (how or effect.kind == "write" or effect.kind == "attributes") then
        refused = refused or refusal(path.given(effect.word), cwd, how, read, state)
      end
    end
    if refused or not (runs_given or code.changes(text)) then return refused end
    local how = code.removes(text) and "gone" or nil
    local found
    local function consider(literal)
      if found or literal:find("%s") or literal == "" then return end
      local place = path.given(literal)
      if place:find("[{}]") then place = masked(place:gsub("%$?%b{}", UNKNOWN)) end
      if place:sub(1, 1) == "/" and not place:find(UNKNOWN) then
        found = guarded:reached(path.normal(place), how, state.root)
      end
      if not found and cwd and guarded:glanced(place) and not place:find(UNKNOWN) then
        found = guarded:reached(path.resolve(place, cwd), nil, state.root)
      end
      found = found or guarded:ends_in(place)
      if found and found.name == "program" then found = nil end
    end
    text = code.without_replacements(code.uncommented(text))
    for _, literal in ipairs(code.ordered(text)) do
      at_home[#at_home + 1] = not literal:find("%s") and literal or nil
      consider(literal)
    end
    code.literals(text, consider)
    for _, word in ipairs(given) do consider(word) end
    found = found or guarded:joined(at_home)
    if found then ask(state, PERHAPS:format(shown(text), found.what)) end
    return nil
  end

  return judge_code
end
