-- Texts for the agent: what was denied, why, and the safe alternative.

local rules = require "shell_guard.rules"

local reasons = {}

--- Returns a reason to deny a command, or nil if the rule is switched off.
--- @param id the rule, as listed in shell_guard.rules
--- @param what the part of the command line that is denied
--- @param because continues the sentence: "throws away what is not committed"
--- @param instead the alternative: a sentence without a period, or nil
function reasons.refusal(id, what, because, instead)
  return rules.on(id) and reasons.text(id, what, because, instead) or nil
end

--- Returns the text of a refusal by a rule that is on.
function reasons.text(id, what, because, instead)
  local told = "shell-guard (" .. id .. '): "' .. what .. '" ' .. because .. "."
  return instead and told .. " " .. instead .. "." or told
end

--- Returns a command as text, cut to `most` bytes (default 80).
function reasons.shown(argv, most)
  local text = table.concat(argv, " "):gsub("%c", " ")
  most = most or 80
  if #text <= most then return text end
  -- Don't cut inside a UTF-8 character.
  return text:sub(1, (utf8.offset(text, 0, most + 1) or most + 1) - 1) .. "…"
end

--- The same as reasons.refusal of a whole command.
function reasons.of(id, command, because, instead)
  return reasons.refusal(id, reasons.shown(command.argv), because, instead)
end

--- Returns a command as text with the programs that it reads from: "curl | sh".
function reasons.piped(command)
  local shown = reasons.shown(command.argv)
  if #command.from == 0 or shown:find(command.from[1], 1, true) then return shown end
  return reasons.shown({ table.concat(command.from, " | "), "|", shown })
end

--- Judges each of a list. Returns the first reason to deny it, or nil and the first thing that is unclear.
function reasons.each(list, judge)
  local unclear
  for at, one in ipairs(list) do
    local reason, open = judge(one, at)
    if reason then return reason end
    unclear = unclear or open
  end
  return nil, unclear
end

return reasons
