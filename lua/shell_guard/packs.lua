-- Packs of rules as texts: those in pack_rules are about commands of other programs that cannot be undone, and are read
-- when one of their rules is switched on; `== NAME | WHAT` says what the pack is about. Those of the guard itself
-- (git_rules, machine_rules, windows_rules) have rules of several packs. Then, each as a line that goes on in lines with
-- blanks in front (behind `|` without a blank between):
--   NAME = TEXT              stands for `$NAME` below
--   values PROGRAM = -x …    options of a program whose value is the next word; `*`: of all programs of the pack
--   ID | WHAT | BECAUSE | INSTEAD
--                            a rule; `!` behind the id: level "strict" switches it on, `!!`: "paranoid"; `*`: it
--                            holds in files that are run; `^`: an undo point gives back what it is about (files, the
--                            index, references and their logs). WHAT is a list, separated by ` ; `: words of
--                            commands, and other conditions of shell_guard.row_rules: `@sql KIND`, `@http METHOD URL
--                            …`, `@says TEXT`, `@reads TEXT`, `@unless -x …`, `@without WORD|…`, `@operand PATTERN`,
--                            `@args PATTERN`, `@last`; `@when NAME`: a condition of the guard's own code, `@what TEXT`

local words = require "file_guard.words"

local packs = {}

--- The names, sorted.
packs.names = words.list [[
  api-gateways aws azure backup cdn ci databases devices dns docker email feature-flags gcloud github gitlab helm
  hosting infrastructure kubernetes load-balancers messaging monitoring payment registries remote search secrets server
  storage terraform
]]

-- Conditions, with what their text becomes.
local CONDITIONS = {
  http = words.list, last = function() return true end,
  -- Quotes keep blanks at the ends.
  says = function(text, before) return table.move({ text:match '^"(.*)"$' or text }, 1, 1, #before + 1, before) end,
}
CONDITIONS.reads, CONDITIONS.args = CONDITIONS.says, CONDITIONS.says
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

local LEVELS = { ["!"] = "strict", ["!!"] = "paranoid" }

local function rule_of(line, conditions, lead)
  local id, what, because, instead = table.unpack(split(line, " | "))
  local name, level, marks = id:match "^([^!*^]*)(!*)([*^]*)$"
  local rule = { lead .. name, because = because, instead = instead, level = LEVELS[level], marks = marks }
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

-- @param name of a pack; nil for the guard's own rules
-- @param conditions those of the guard's own rules
local function read(text, name, conditions)
  local constants, pack = {}, { values = {}, rules = {} }
  local joined = text:gsub("\n#[^\n]*", ""):gsub("|\n +", "|"):gsub("\n +", " "):gsub(" +%f[\n\0]", "")
  for line in joined:gmatch "[^\n]+" do
    line = line:gsub("%$([%u_]+)", constants)
    local constant, value = line:match "^([%u_]+) = (.*)$"
    local program, options = line:match "^values (%S+) = (.*)$"
    if name and not pack.about then
      pack.about = line
    elseif constant then
      constants[constant] = value
    elseif program then
      pack.values[program] = options
    else
      pack.rules[#pack.rules + 1] = rule_of(line, conditions, name and name .. "." or "")
    end
  end
  return pack
end

local own

--- The rules of the guard itself: lists of rows for git, for other programs, and for PowerShell and cmd; and all by the
--- names of their packs.
function packs.own()
  if own then return own end
  own = { by_pack = {} }
  local conditions = require "shell_guard.conditions"
  for n, name in ipairs { "git", "machine", "windows" } do
    own[n] = read(require("shell_guard." .. name .. "_rules"), nil, conditions).rules
    for _, row in ipairs(own[n]) do
      local pack = row[1]:match "^[^.]*"
      own.by_pack[pack] = own.by_pack[pack] or {}
      table.insert(own.by_pack[pack], row)
    end
  end
  return own
end

local loaded = {}

--- Returns a pack of other programs: { about, values, rules }; rules are rows of shell_guard.row_rules.
function packs.load(name)
  if not loaded[name] then
    local begins = "\n== " .. name:gsub("-", "%%-") .. " | "
    loaded[name] = read(("\n" .. require("shell_guard.pack_rules") .. "== "):match(begins .. "(.-)\n== "), name)
  end
  return loaded[name]
end

return packs
