-- Compiles a table of rules that deny a program to a function. Fields of the table:
--   options   the options of the program, in the format of flags.spec
--   rules     a list of rules; a rule matches if all of its conditions are true:
--     any       at least one of these options is set (names separated by spaces)
--     all       all of these options are set
--     unless    none of these options is set
--     sub       the first operand is one of these words
--     test      function(parsed, command) that returns true
--   and has the id of the rule (see shell_guard.rules) and the texts of its reason: what, because, instead (see
--   reasons.refusal)

local flags = require "shell_guard.flags"
local reasons = require "shell_guard.reasons"
local words = require "shell_guard.words"

local rule = {}

local function some(names, on)
  for _, name in ipairs(names) do
    if on[name] then return true end
  end
  return false
end

local function every(names, on)
  for _, name in ipairs(names) do
    if not on[name] then return false end
  end
  return true
end

local function prepared(entry)
  return {
    any = entry.any and words.list(entry.any),
    all = words.list(entry.all or ""),
    unless = words.list(entry.unless or ""),
    sub = entry.sub and words.set(entry.sub),
    test = entry.test,
    reason = reasons.refusal(entry.id, entry.what, entry.because, entry.instead),
  }
end

local function holds(entry, parsed, command)
  local on = parsed.on
  if entry.any and not some(entry.any, on) then return false end
  if not every(entry.all, on) or some(entry.unless, on) then return false end
  if entry.sub and not entry.sub[command.argv[parsed.operands[1]]] then return false end
  return entry.test == nil or entry.test(parsed, command)
end

--- Returns function(command, first), which returns a reason to deny the command, or nil and, if it
--- cannot be decided, what is unclear. first: position of the first argument; default 2
function rule.of(entry)
  -- Compiled on first use: a session runs few of all programs.
  local spec, rules
  return function(command, first)
    if not spec then
      spec, rules = flags.spec(entry.options or ""), {}
      for _, one in ipairs(entry.rules) do
        local ready = prepared(one)
        if ready.reason then rules[#rules + 1] = ready end
      end
    end
    local parsed = flags.read(spec, command.argv, first or 2, command.unknown)
    for _, one in ipairs(rules) do
      if holds(one, parsed, command) then return one.reason end
    end
    if parsed.unclear then return nil, reasons.shown(command.argv) end
  end
end

return rule
