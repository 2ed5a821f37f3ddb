-- Judges what a command runs that comes from another machine: effects of the kind `run` with `from`.

local distributors = require "shell_guard.distributors"
local reasons = require "shell_guard.reasons"
local words = require "file_guard.words"

local origins = {}

local function is_foreign(effect) return effect.from and effect.kind == "run" end

--- Whether a command runs something that comes from another machine.
function origins.is_foreign(command) return words.any(command.effects, is_foreign) end

-- Whether an address is known, and not that of a well-known distributor, from which projects' own scripts fetch.
-- @param at_once whether what it gives is run as it comes
local function is_elsewhere(address, at_once)
  -- Scripts build what they clone.
  if address:find("^git%+") then return false end
  local host = address:gsub("^%a[%w+.-]*://", ""):gsub("^[^/@]*@", "")
  return host ~= "" and not host:find("^[$`{]") and not distributors.know(host, at_once)
end

--- Returns a reason to deny a command, or nil.
function origins.judge(command)
  for _, effect in ipairs(command.effects) do
    local from = effect.kind == "run" and effect.from
    if from and from:find("^/dev/[tu][cd]p/") then
      local because = "gives whoever is at the other end a shell on this machine"
      local what = reasons.piped(command) .. (#from > 9 and " < " .. from or "")
      return reasons.refusal("code.reverse-shell", what, because, "Let the user do it")
    elseif from and (not command.in_file or is_elsewhere(from, effect.target == nil)) then
      local because, instead = "runs what was downloaded, unseen", "Download it to a file and look at it first"
      return reasons.refusal("code.run-download", reasons.piped(command), because, instead)
    end
  end
end

return origins
