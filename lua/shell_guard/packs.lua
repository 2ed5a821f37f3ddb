-- The packs in `shell_guard/packs/`: texts about commands of other programs that cannot be undone. A text is read when
-- one of its rules is switched on. Its first line says what the pack is about, but for those of the guard's own rules.
-- Then, each as a line that goes on in lines with blanks in front (behind `|` without a blank between):
--   NAME = TEXT              stands for `$NAME` below
--   values PROGRAM = -x …    options of a program whose value is the next word; `*`: of all programs of the pack
--   ID | WHAT | BECAUSE | INSTEAD
--                            a rule; level "strict" switches it on if `!` follows the id. WHAT is a list, separated by
--                            ` ; `: words of commands, and other conditions of shell_guard.row_rules: `@sql KIND`,
--                            `@http METHOD URL …`, `@says TEXT`, `@reads TEXT`, `@unless -x …`, `@without
--                            WORD|…`,
--                            `@operand PATTERN`, `@last`; `@when NAME`: a condition of the guard's own code, `@what
--                            TEXT`

local words = require "file_guard.words"

local packs = {}

--- The names, sorted.
packs.names = words.list [[
  api-gateways aws azure backup cdn ci databases devices dns docker email feature-flags gcloud github gitlab helm
  hosting infrastructure kubernetes load-balancers messaging monitoring payment registries remote search secrets server
  storage terraform
]]

local is_pack = words.set(table.concat(packs.names, " "))

--- Whether there is a pack of this name.
function packs.has(name) return is_pack[name] == true end

-- Conditions, with what their text becomes.
local CONDITIONS = {
  http = words.list, last = function() return true end,
  -- Quotes keep blanks at the ends.
  says = function(text, before) return table.move({ text:match '^"(.*)"$' or text }, 1, 1, #before + 1, before) end,
}
CONDITIONS.reads = CONDITIONS.says
for name in ("sql unless without operand what"):gmatch "%S+" do CONDITIONS[name] = tostring end

-- A condition of the guard's own code, by its name; words behind that are what it is made with.
function CONDITIONS.when(text, _, conditions)
  local name, given = text:match "^(%S+) ?(.*)$"
  return given == "" and conditions[name] or conditions[name](given)
end

-- The parts of a text between separators, which have a blank on both sides.
local function split(text, separator)
  local found = {}
  for part in (text .. separator):gmatch("(.-) " .. separator:sub(2, 2) .. " ") do found[#found + 1] = part end
  return found
end

local function rule_of(line, conditions)
  local id, what, because, instead = table.unpack(split(line, " | "))
  local rule = { id:gsub("!$", ""), because = because, instead = instead, strict = id:sub(-1) == "!" or nil }
  for _, part in ipairs(split(what, " ; ")) do
    local name, text = part:match "^@(%a+) ?(.*)$"
    if name then
      rule[name] = CONDITIONS[name](text, rule[name] or {}, conditions)
    else
      rule.runs = rule.runs or {}
      table.insert(rule.runs, part)
    end
  end
  return rule
end

-- @param conditions those of the guard's own rules; nil for a pack
local function read(text, conditions)
  local constants = {}
  local joined = text:gsub("\n#[^\n]*", ""):gsub("|\n +", "|"):gsub("\n +", " "):gsub(" +%f[\n\0]", "")
  local pack = conditions and { rules = {} }
  for line in joined:gmatch "[^\n]+" do
    line = line:gsub("%$([%u_]+)", constants)
    local name, value = line:match "^([%u_]+) = (.*)$"
    local program, options = line:match "^values (%S+) = (.*)$"
    if not pack then
      pack = { about = line, values = {}, rules = {} }
    elseif name then
      constants[name] = value
    elseif program then
      pack.values[program] = options
    else
      pack.rules[#pack.rules + 1] = rule_of(line, conditions)
    end
  end
  return pack
end

--- The rules of the guard itself: lists of rows.
function packs.own()
  local function rules_of(name)
    return read(require("shell_guard." .. name .. "_rules"), require("shell_guard." .. name .. "_conditions")).rules
  end
  return { rules_of("git"), rules_of("machine") }
end

local loaded = {}

--- Returns a pack: { about, values, rules }; rules are rows of shell_guard.row_rules, their ids without the pack's
--- name.
function packs.load(name)
  loaded[name] = loaded[name] or read(require("shell_guard.packs." .. name:gsub("-", "_")))
  return loaded[name]
end

--- Calls a function with each rule of a pack and its id.
function packs.each(name, call)
  for _, rule in ipairs(packs.load(name).rules) do call(name .. "." .. rule[1], rule) end
end

return packs
