-- Judges what a command exchanges with another machine: effects of the kind `connect`, with `from` for what is sent.

local paths = require "shell_guard.paths"
local reasons = require "shell_guard.reasons"
local secrets = require "file_guard.secrets"
local words = require "file_guard.words"

local sent = {}

local OF_THE_PROJECT = words.set "below here temporary unclear"
local UPLOADS = words.set "curl curlie wget wget2 http https xh nc ncat netcat socat"
-- Addresses at which clouds give credentials to whoever asks from within a machine.
local METADATA = words.set [[
  169.254.169.254 169.254.170.2 metadata.google.internal metadata 100.100.100.200 [fd00:ec2::254]
]]

local function is_home(path, command)
  path = path:gsub("/%*+$", "")
  return path == command.place.home or path == "/root" or path == "/home" or path:find("^/home/[^/]+$") ~= nil
end

local function is_secret(path, command)
  if path:find("^env:") then return path == "env:*" end
  return not OF_THE_PROJECT[paths.look(command.place, command.cwd, path)] and secrets.match(path) ~= nil
end

local function is_of_others(path, command)
  if not UPLOADS[command.program] or path:sub(1, 1) ~= "/" then return false end
  return not OF_THE_PROJECT[paths.look(command.place, command.cwd, path)]
end

local function refuse(id, command, because)
  return reasons.of(id, command, because, "Let the user do it")
end

local function judge_effect(effect, command)
  local host, from = (effect.target or ""):gsub(":%d+$", ""), effect.from
  if METADATA[host] then
    return refuse("code.cloud-metadata", command, "asks for the credentials of this machine in its cloud")
  end
  if not from or host == "localhost" or host:find("^127%.") then return nil end
  -- In a line, secret-guard judges single secrets.
  if is_home(from, command) or command.file and is_secret(from, command) then
    local what = from:find("^env:") and "the environment" or from
    return refuse("code.send-secrets", command, "sends " .. what .. " to another machine")
  end
  return is_of_others(from, command)
    and refuse("code.send-outside", command, "sends " .. from .. ", which is not of the project, to another machine")
end

--- Returns a reason to deny a command, or nil.
function sent.judge(command)
  for _, effect in ipairs(command.effects) do
    local reason = effect.kind == "connect" and not effect.elsewhere and judge_effect(effect, command)
    if reason then return reason end
  end
end

local function is_connection(effect) return effect.kind == "connect" end

--- Whether a command exchanges something with another machine.
function sent.is_any(command) return words.any(command.effects, is_connection) end

return sent
