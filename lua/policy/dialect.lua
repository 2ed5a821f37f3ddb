-- The language of the lines that a tool takes.

local DIALECTS = { powershell = "powershell", pwsh = "powershell", powershell_ise = "powershell", cmd = "cmd" }

--- The dialect, as orcs.shell names it, of a tool with this name; nil for that of POSIX shells.
return function(tool) return DIALECTS[tool:lower()] end
