-- What the agent is told: what was refused, why, and the safe way.

local reasons = {}

--- @param what the part of the command line that it is about
--- @param because goes on after it: "throws away what is not committed"
--- @param instead a sentence, or nil
function reasons.refusal(what, because, instead)
  local told = 'shell-guard: "' .. what .. '" ' .. because .. "."
  return instead and told .. " " .. instead .. "." or told
end

--- A command as it is shown, at most so many characters.
function reasons.shown(argv, most)
  local text = table.concat(argv, " "):gsub("%c", " ")
  most = most or 80
  if #text <= most then return text end
  -- Not in the middle of a character.
  return text:sub(1, (utf8.offset(text, 0, most + 1) or most + 1) - 1) .. "…"
end

--- A command with what it reads from: "curl | sh".
function reasons.piped(command)
  local shown = reasons.shown(command.argv)
  if #command.from == 0 or shown:find(command.from[1], 1, true) then return shown end
  return reasons.shown({ table.concat(command.from, " | "), "|", shown })
end

return reasons
