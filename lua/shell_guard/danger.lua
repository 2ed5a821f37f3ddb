-- Whether a call runs something that shell-guard denies at the level "strict", or may run it: for
-- policies that trust a program but not everything that it can do.

local calls = require "shell_guard.calls"
local judge = require "shell_guard.judge"
local paths = require "shell_guard.paths"

local options = require("shell_guard.options").read({ level = "strict" })

local danger = {}

--- @param args the arguments of a call
--- @param payload the payload that they are in, for the directories
function danger.is_in(args, payload)
  local read, lines = pcall(calls.lines, args)
  if not read then return true end
  local start, base, sandbox = calls.directories(args, payload)
  local around = {
    cwd = start, place = paths.place(start, base, sandbox, options.roots), level = options.level, allow = options.allow,
  }
  for _, one in ipairs(lines or {}) do
    local reason, unclear = judge.line(one.line, around)
    if reason or (unclear and one.name ~= "script") then return true end
  end
  return false
end

return danger
