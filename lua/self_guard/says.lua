-- Messages of self-guard, and functions that show commands and mask unknown parts of a text.
local says = {}

-- Replaces a part of a target that is only known to the shell.
says.UNKNOWN = "\1"

says.DENIED = "%s is %s. An agent may not change it: ask the user to do it, in their own terminal."
says.ASKED = "%s is %s. An agent changes it only when a person allows it."
says.PERHAPS = "%s may change %s. An agent does that only when a person allows it: name the files explicitly."
says.VERB = "%s weakens the protection by orcs: only a person may run it, in their own terminal. Read-only commands are allowed "
  .. "(orcs trust --show, list, check, eval)."
says.WHY = {
  program = "%s removes orcs: only a person may do that, in their own terminal.",
  service = "%s stops the service of orcs: only a person may do that, in their own terminal.",
  route = "%s requests a change from the service of orcs that weakens its protection: only a person may do that.",
}
says.REPLACED = "%s may replace orcs with another program. An agent does that only when a person allows it."
says.MODULE = "%s is a module of orcs itself, which code can use to weaken its protection."
says.UNHOOKED = "%s starts a coding agent without the hooks that are installed for it. An agent does that only when a person allows it."
says.SWITCHED = "%s controls whether hooks run. An agent changes it only when a person allows it."

local shown = require("file_guard.words").shown

local function shown_command(command) return shown(table.concat(command.argv, " ")) end

local function ask(state, why) state.asks = state.asks or why end

-- Asks about a kind of place, if there is one, that a text or a command may change.
local function perhaps(state, by, kind)
  if kind then ask(state, says.PERHAPS:format(type(by) == "table" and shown_command(by) or shown(by), kind.what)) end
end

-- Replaces each part of a text that is only known to the shell by UNKNOWN.
local function masked(text)
  for _, pattern in ipairs({ "%$%b()", "%$%b{}", "`[^`]*`", "[<>]%b()" }) do text = text:gsub(pattern, says.UNKNOWN) end
  return (text:gsub("%$[%w_@*#?!-]+", says.UNKNOWN):gsub(says.UNKNOWN .. "+", says.UNKNOWN))
end

-- Returns the part of a target after its last expansion.
local function known_end(text)
  return text:match("^.*[)}`](.*)$") or text:match("^.*%$[%w_@*#?!-]+(.*)$") or text
end

says.shown, says.shown_command, says.ask, says.perhaps = shown, shown_command, ask, perhaps
says.masked, says.known_end = masked, known_end

return says
