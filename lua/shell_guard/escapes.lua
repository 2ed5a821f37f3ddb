-- Programs that can run shell commands from their own options or scripts: `vim -c '!…'`.

local escapes = {}

local VIM = { "^%+?:?%s*!(.+)$", "^%+?:?%s*silent!?%s*!(.+)$", "system%([\"'](.-)[\"']%)" }
local DEBUGGER = { "^shell%s+(.+)$", "^!(.+)$", "^platform%s+shell%s+(.+)$", "^pipe%s+[^|]*|(.+)$" }
local LISP = { "shell%-command[%w-]*%s+\"(.-)\"", "call%-process%-shell%-command%s+\"(.-)\"" }
local SED = { "^%s*[%d$]*%s*e%s+(.+)$", "[;\n]%s*[%d$]*%s*e%s+(.+)$" }

--- Lua patterns for the arguments of each program; the capture is a command line.
escapes.programs = {
  vim = VIM, nvim = VIM, vi = VIM, view = VIM, ex = VIM, gvim = VIM, vimdiff = VIM,
  emacs = LISP, emacsclient = LISP,
  gdb = DEBUGGER, lldb = DEBUGGER,
  less = { "^%+!(.+)$" }, more = { "^%+!(.+)$" },
  sed = SED, gsed = SED,
  tar = { "^%-%-checkpoint%-action=exec=(.+)$" }, gtar = { "^%-%-checkpoint%-action=exec=(.+)$" },
  expect = { "spawn%s+([^;\n]+)", "exec%s+([^;\n]+)", "system%s+([^;\n]+)" },
  psql = { "\\!%s*(.+)$" }, mysql = { "^system%s+(.+)$", "\\!%s*(.+)$" }, mariadb = { "^system%s+(.+)$", "\\!%s*(.+)$" },
  sqlite3 = { "^%.shell%s+(.+)$", "^%.system%s+(.+)$" },
  salt = { "^(.*)$" }, ["salt-call"] = { "^(.*)$" },
}

--- Judges the command lines in a program's arguments. Returns a reason to deny it, or nil.
--- @param judge_line function(line, command) that judges a command line
function escapes.judge(command, program, judge_line)
  for at = 2, #command.argv do
    local word = command.argv[at]
    for _, pattern in ipairs(escapes.programs[program]) do
      local line = #word > 4 and word:match(pattern)
      local reason = line and judge_line(line, command)
      if reason then return reason end
    end
  end
end

return escapes
