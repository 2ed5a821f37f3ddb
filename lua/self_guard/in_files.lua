-- What files do to orcs that a command line runs. Only what surely weakens its protection counts.

local call = require "file_guard.call"

local in_files = {}

--- Returns the command lines of a call, each with its folder, as they are before they are judged.
function in_files.lines(read)
  local lines = {}
  for at, line in ipairs(read.commands or {}) do lines[at] = { line = line, cwd = read.command_cwd } end
  return lines
end

local function quoted(word) return "'" .. word:gsub("'", "'\\''") .. "'" end

-- A command as a line of its own; nil if it has nothing to do with orcs and the settings of agents.
local function line_of(command)
  local words = {}
  for at, word in ipairs(command.argv) do words[at] = command.unknown[1] and word or quoted(word) end
  for _, redirect in ipairs(command.redirects) do words[#words + 1] = redirect.op .. " " .. quoted(redirect.target) end
  local line = table.concat(words, " ")
  local near = line:lower()
  if near:find("orcs", 1, true) or near:find(".claude", 1, true) or near:find("settings", 1, true) then return line end
  if near:find(".local/state", 1, true) or near:find(".config", 1, true) then return line end
end

--- Returns a reason to deny a call because of a file that one of its lines runs, or nil.
--- @param judge function(read) that returns a reason
function in_files.judge(lines, judge)
  for _, one in ipairs(lines) do
    for _, command in ipairs(orcs.shell(one.line, one.cwd, { files = true })) do
      local line = command.file and not command.unread and line_of(command)
      local refused = line and judge(call.read({ tool_name = "exec", args = { command = line }, cwd = command.cwd }, true))
      if refused then return ("in %s, line %d: %s"):format(command.file, command.line, refused) end
    end
  end
end

return in_files
