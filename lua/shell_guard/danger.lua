-- Whether a call runs something that shell-guard denies at the level "strict", or may run it: for
-- policies that trust a program but not everything that it can do.

local calls = require "shell_guard.calls"
local judge = require "shell_guard.judge"
local words = require "file_guard.words"

local options = require("shell_guard.options").read({ level = "strict" })

local danger = {}

--- @param args the arguments of a call
--- @param payload the payload that they are in, for the directories
function danger.is_in(args, payload)
  local read, lines = pcall(calls.lines, args)
  if not read then return true end
  local around = calls.around(args, payload, options)
  return words.any(lines or {}, function(one)
    local reason, unclear = judge.line(one.line, around)
    return reason or (unclear and one.name ~= "script")
  end)
end

return danger
