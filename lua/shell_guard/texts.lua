-- Texts and paths of a command, as rules compare them.

local paths = require "shell_guard.paths"

local texts = {}

--- Returns a path of a command as one that can be compared: in a folder that is not known, as it is written, and without
--- the variables within it, which may be empty.
function texts.placed(command, path)
  path = path:gsub("(.)%${[%a_][%w_]*}", "%1"):gsub("(.)%$[%a_][%w_]*", "%1")
  return paths.from(command.cwd, path) or (path:gsub("^%./+", ""))
end

--- Returns the texts that a command gets on standard input, as far as the line contains them.
function texts.input(command) return { command.stdin } end

return texts
