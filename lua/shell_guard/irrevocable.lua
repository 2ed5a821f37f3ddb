-- Judges commands with irreversible effects by the table in strict.lua.

local patterns = require "shell_guard.patterns"
local reasons = require "shell_guard.reasons"
local strict = require "shell_guard.strict"

local irrevocable = {}

-- Rows by program; built on first use, since level "default" doesn't need them.
local rows

local function says(text, list)
  for _, part in ipairs(list) do
    if text:find(part, 1, true) then return true end
  end
  return false
end

local function judge_database(command)
  for at = 2, #command.argv do
    local text = command.argv[at]:lower():gsub("%s+", " ")
    local unfiltered = false
    for _, pattern in ipairs(strict.unfiltered) do
      unfiltered = unfiltered or (text:find(pattern) ~= nil and not text:find(" where ", 1, true))
    end
    if unfiltered or says(text .. " ", strict.statements) then
      return reasons.refusal(reasons.shown(command.argv), "removes what is in a database", "Let the user do it")
    end
  end
end

--- Returns a reason to deny a command at "strict" or "paranoid"; nil if there is none.
function irrevocable.judge(command)
  rows = rows or patterns.by_program(strict.rows)
  for _, row in ipairs(rows[command.program] or {}) do
    if patterns.holds(row, command.argv) then return reasons.refusal(row.what, row.because, "Let the user do it") end
  end
  if strict.databases[command.program] then return judge_database(command) end
end

return irrevocable
