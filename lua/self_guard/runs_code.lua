-- Judges code that a command or a tool runs, beside the command lines in it: modules of orcs, and places that it
-- names and may change. kit: see self_guard.reached
local code = require "self_guard.code"
local path = require "file_guard.path"
local says = require "self_guard.says"
local shown, ask, perhaps, masked = says.shown, says.ask, says.perhaps, says.masked
local VERB, MODULE, UNKNOWN = says.VERB, says.MODULE, says.UNKNOWN

return function(kit)
  local guarded, loosening = kit.guarded, kit.loosening

  local self = {}

  function self.matters(text) return text:lower():find("orcs") ~= nil or guarded:glanced(text) end

  -- runs: whether it runs commands
  function self.names(text, runs, state, cwd)
    local list = code.ordered(text)
    local function look_at(literal)
      if loosening.is_module(literal) and (text:find("import") or text:find("require")) then
        ask(state, MODULE:format(shown(literal)))
      end
    end
    for i, literal in ipairs(list) do
      look_at(literal)
      -- Any call may run its arguments: `start("orcs", "trust")`.
      local after = list[i + 1]
      local named = after and not after:find("%s") and loosening.is_name(literal)
      if named and loosening.in_words(literal .. " " .. after) then
        ask(state, VERB:format(shown(literal .. " " .. after)))
      end
    end
    code.literals(text, look_at)
    if not guarded:glanced(text) or not (runs or code.changes(text)) then return end
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
    local at_home = {}
    local plain = code.without_replacements(code.uncommented(text))
    for _, literal in ipairs(code.ordered(plain)) do
      at_home[#at_home + 1] = not literal:find("%s") and literal or nil
      consider(literal)
    end
    code.literals(plain, consider)
    -- Arguments of the code.
    for word in text:gmatch("[^\n]+") do consider(word) end
    found = found or guarded:joined(at_home)
    perhaps(state, text, found)
  end

  return self
end
