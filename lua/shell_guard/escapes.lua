-- Programs that can run shell commands from their own options or scripts: `vim -c '!…'`.

local sed = require "shell_guard.sed"
local texts = require "shell_guard.texts"
local words = require "shell_guard.words"

local escapes = {}

-- What `as` begins is judged as a command.
local VIM_DELETE = { "delete%([\"'](.-)[\"']%s*,%s*[\"']rf[\"']%)", as = "rm -rf " }
local VIM = { "^%+?:?%s*!(.+)$", "^%+?:?%s*silent!?%s*!(.+)$", "system%([\"'](.-)[\"']%)", "os%.execute%([\"'](.-)[\"']%)", VIM_DELETE }
local DEBUGGER = { "^shell%s+(.+)$", "^!(.+)$", "^platform%s+shell%s+(.+)$", "^pipe%s+[^|]*|(.+)$" }
local LISP_DELETE = { "delete%-directory%s+\"(.-)\"", as = "rm -rf " }
local LISP = { LISP_DELETE, "shell%-command[%w-]*%s+\"(.-)\"", "call%-process%-shell%-command%s+\"(.-)\"" }
local ED = { "^!(.+)$", "^%d*,?[%d$]*[rw]%s+!(.+)$", "^[%d$,]*e%s+!(.+)$" }
local SQLITE = { "^%.shell%s+(.+)$", "^%.system%s+(.+)$" }
-- A rule with its command, in the value of --eval.
local MAKE = { "^%-%-eval=?[^;]*;%s*[@-]*(.+)$", "^[^%s-][^:=]*:[^;]*;%s*[@-]*(.+)$", "\n\t%s*[@-]*([^\n]+)", "%$%(shell%s+(.-)%)", "^SHELL=(.+)$" }
local SOCAT = { "^[Ee][Xx][Ee][Cc]:([^,]+)", "^[Ss][Yy][Ss][Tt][Ee][Mm]:([^,]+)", "^[Ss][Hh][Ee][Ll][Ll]:([^,]+)" }
local TCL_DELETE = { "file%s+delete%s+%-force%s+([^%]};\n]+)", as = "rm -rf " }

--- Lua patterns for the arguments of each program; the capture is a command line, or with `as` the end of one.
escapes.programs = {
  vim = VIM, nvim = VIM, vi = VIM, view = VIM, ex = VIM, gvim = VIM, vimdiff = VIM,
  emacs = LISP, emacsclient = LISP,
  gdb = DEBUGGER, lldb = DEBUGGER,
  less = { "^%+!(.+)$" }, more = { "^%+!(.+)$" },
  sed = {}, gsed = {},
  tar = { "^%-%-checkpoint%-action=exec=(.+)$" }, gtar = { "^%-%-checkpoint%-action=exec=(.+)$" },
  expect = { "spawn%s+([^;\n]+)", "exec%s+([^;\n]+)", "system%s+([^;\n]+)", TCL_DELETE },
  psql = { "\\!%s*(.+)$", "[Pp][Rr][Oo][Gg][Rr][Aa][Mm]%s+'([^']+)'" }, ftp = { "^!(.+)$" }, lftp = { "!(.+)$" },
  zip = { "^(%a%S*%s.+)$", "^%-%-unzip%-command=(.+)$" }, mysql = { "^system%s+(.+)$", "\\!%s*(.+)$" }, mariadb = { "^system%s+(.+)$", "\\!%s*(.+)$" },
  sqlite3 = SQLITE, sqlite = SQLITE, ed = ED, make = MAKE, gmake = MAKE, socat = SOCAT,
  tclsh = { "exec%s+([^%]\n]+)", TCL_DELETE },
  salt = { "^(.*)$" }, ["salt-call"] = { "^(.*)$" },
}

-- Programs whose standard input is a script with such lines.
local READS = words.set "ed sqlite3 sqlite tclsh psql mysql mariadb gdb ftp lftp"

local function judge_text(text, command, program, judge_line)
  if #text <= 4 then return nil end
  for _, pattern in ipairs(escapes.programs[program]) do
    local as = type(pattern) == "table" and pattern.as or ""
    local line = text:match(as == "" and pattern or pattern[1])
    -- In Tcl, `$env(HOME)` is `$HOME`.
    if line and as ~= "" then line = as .. line:gsub("%$::?env%(([%w_]+)%)", "$%1"):gsub("%$env%(([%w_]+)%)", "$%1") end
    -- A backslash is an escape of socat's own.
    if line and program == "socat" then line = line:gsub("\\(.)", "%1") end
    local reason = line and judge_line(line, command)
    if reason then return reason end
  end
end

--- Judges the command lines in a program's arguments and in its input. Returns a reason to deny it, or nil
--- and what is unclear.
--- @param judge_line function(line, command) that judges a command line
function escapes.judge(command, program, judge_line)
  for at = 2, #command.argv do
    local reason = judge_text(command.argv[at], command, program, judge_line)
    if reason then return reason end
  end
  if program:find("sed$") then return sed.judge(command, judge_line) end
  if not READS[program] then return nil end
  for _, text in ipairs(texts.input(command)) do
    for line in text:gmatch("[^\n]+") do
      local reason = judge_text(line, command, program, judge_line)
      if reason then return reason end
    end
  end
end

return escapes
