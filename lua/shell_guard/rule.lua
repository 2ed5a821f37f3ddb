-- Makes a function of a table that says when a program is refused. The table holds:
--   options   what options the program has, as flags.spec reads them
--   rules     a list of
--     any       one of these options, words apart; left out, none is needed
--     all       all of these
--     unless    none of these
--     sub       the first operand is one of these words
--     test      function(parsed, command) that must answer true
--     level     1 default, 2 strict, 3 paranoid; left out, 1
--     what      how the reason calls it; because, instead: see reasons.refusal

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
    level = entry.level or 1,
    reason = reasons.refusal(entry.what, entry.because, entry.instead),
  }
end

local function holds(entry, parsed, command)
  local on = parsed.on
  if entry.any and not some(entry.any, on) then return false end
  if not every(entry.all, on) or some(entry.unless, on) then return false end
  if entry.sub and not entry.sub[command.argv[parsed.operands[1]] or ""] then return false end
  return entry.test == nil or entry.test(parsed, command)
end

--- Gives function(command, first) that answers a reason to refuse it, or nil and, when it cannot be known, what of it.
function rule.of(entry)
  -- Made when it is first needed: a session meets few of all programs.
  local spec, rules
  return function(command, first)
    if not spec then
      spec, rules = flags.spec(entry.options or ""), {}
      for at, one in ipairs(entry.rules) do rules[at] = prepared(one) end
    end
    local parsed = flags.read(spec, command.argv, first or 2, command.unknown)
    for _, one in ipairs(rules) do
      if one.level <= command.level and holds(one, parsed, command) then return one.reason end
    end
    if parsed.unclear then return nil, reasons.shown(command.argv) end
  end
end

return rule
