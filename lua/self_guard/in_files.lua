-- What files do to orcs that a command line runs. Only what surely weakens its protection counts.

local call = require "file_guard.call"

local in_files = {}

local function quoted(word) return "'" .. word:gsub("'", "'\\''") .. "'" end

-- What commands mention that have to do with orcs or the settings of agents.
local NEAR = { "orcs", ".claude", "settings", ".local/state", ".config" }

-- A command as a line of its own.
local function line_of(command)
  local words = {}
  for at, word in ipairs(command.argv) do words[at] = command.unknown[1] and word or quoted(word) end
  for _, redirect in ipairs(command.redirects) do words[#words + 1] = redirect.op .. " " .. quoted(redirect.target) end
  return table.concat(words, " ")
end

-- Longer scripts than this are judged as far as it.
local MOST = 40

--- Returns a reason to deny a call because of a file that one of its lines runs, or nil.
--- @param judge function(payload) that returns a reason
function in_files.judge(payload, judge)
  local read = call.read(payload, true)
  for _, written in ipairs(read.commands or {}) do
    local count = 0
    for _, command in ipairs(orcs.shell(written, read.command_cwd, { files = NEAR })) do
      local line = command.file and not command.unread and line_of(command)
      count = line and count + 1 or count
      if count > MOST then break end
      local refused = line and judge({ tool_name = "exec", args = { command = line }, cwd = command.cwd })
      if refused then return ("in %s, line %d: %s"):format(command.file, command.line, refused) end
    end
  end
end

return in_files
