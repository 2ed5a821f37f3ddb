-- Searches code in a command line (python -c, node -e, awk) for dangerous calls. It is a text
-- search: it finds literals, not strings that the code builds at run time.

local origins = require "shell_guard.origins"
local paths = require "shell_guard.paths"
local reasons = require "shell_guard.reasons"
local rules = require "shell_guard.rules"
local words = require "shell_guard.words"

local code = {}

local INTERPRETERS = words.set [[
  python python2 python3 pypy pypy3 ruby perl node nodejs deno bun php lua luajit rscript awk gawk mawk nawk osascript tclsh
  ts-node tsx irb groovy scala julia elixir swift Rscript R r octave octave-cli gnuplot maxima ghci ghc runghc runhaskell erl
  guile racket raku nim sbcl clojure clj bb ocaml crystal jshell iex rake rails rust-script kotlin kotlinc jrunscript mongosh mongo
]]

--- Whether a program is an interpreter of a language other than shell: python3.12, node.
function code.interprets(program)
  return INTERPRETERS[program] or INTERPRETERS[program:match("^(%a+)[%d.]*$")] or false
end

-- Lua patterns for calls that run a program.
local CALLS = {
  "system", "popen", "subprocess", "exec", "spawn", "check_call", "check_output", "getoutput", "qx", "passthru", "proc_open",
  "os.execute", "do shell script", "Deno.Command", "%%x", "|%s*getline", "|&?%s*\"", "`",
  "os:cmd", "System%.cmd", "%f[%w]shell%f[%W]", "callCommand", "run%-program", "sys%.process", "%.execute%(", "Sys%.command",
  "%f[%w]run%s*[(%s][\"']", "%f[%w]sh%s+\"",
}
-- Lua patterns for calls that remove a folder recursively.
local REMOVES = {
  "rmtree", "rm_rf", "rm_r%f[%W]", "rmSync", "rmdirSync", "fs%.rm%f[%W]", "fs%.promises%.rm", "fs/promises", "remove_tree",
  "removeSync",
  "emptyDir", "RemoveAll", "remove_dir_all", "rimraf", "Deno%.remove", "deleteDirectory", "%f[%w]rm%(.*recursive%s*=", "unlink%(.*recursive%s*=%s*T", "secure_rmtree", "remove_entry",
}
-- Lua patterns for calls that remove single files: checked from level "strict" on.
local UNLINKS = { "unlink", "os%.remove", "os%.rmdir", "File%.delete", "rm_f", "truncate", "shutil%.move", "Remove%-Item" }

local function refuse(id, command, because, instead)
  return reasons.refusal(id, reasons.shown(command.argv), because, instead)
end

local function mentions(text, list)
  for _, pattern in ipairs(list) do
    if text:find(pattern) then return true end
  end
  return false
end

-- Replaces characters that are escaped in a literal: `\"`, `\x20`, `\040`.
local function decoded(literal)
  if not literal:find("\\", 1, true) then return literal end
  literal = literal:gsub("\\([\"'`])", "%1")
  literal = literal:gsub("\\x(%x%x)", function(hex) return string.char(tonumber(hex, 16)) end)
  return (literal:gsub("\\([0-3]?[0-7][0-7])", function(octal) return string.char(tonumber(octal, 8)) end))
end

-- Whether the text between two literals concatenates them: `"a" "b"` of awk, `"a" + "b"`, `"a" . "b"`.
local function concatenates(between) return between:find("^%s*[+.]?%.?%s*$") ~= nil end

-- What names the home folder behind the literals of a command: `"-rf", $ENV{HOME}`.
local function home_follows(text, at)
  local rest = text:match("^%s*,%s*([^%s\"',;][^,;\n]*)", at)
  return rest ~= nil and not rest:find("[/+.]%s*[\"']?/") and (rest:find("HOME") or rest:find("homedir%(%s*%)") or rest:find("expanduser%([\"']~[\"']%)"))
end

-- Returns the position of the quote that ends a literal, or nil.
local function closing(text, quote, from)
  local to = text:find(quote, from, true)
  while to and #text:sub(from, to - 1):match("\\*$") % 2 == 1 do to = text:find(quote, to + 1, true) end
  return to
end

-- Whether the text between two literals separates the words of one command: `["rm", "-rf"]`, `(sh "rm" "-rf")` of Lisp.
local function separates(between) return between:find("^%s*,%s*%[?%s*$") ~= nil or between:find("^%s+$") ~= nil end

-- Returns all quoted literals, the concatenated ones as one, and the same literals grouped: those
-- that are the words of one command form one group, with the home folder if it follows.
-- @param quotes Lua pattern for a quote, with its position; default: any
local function literals(text, home, quotes)
  local found, joined = {}, {}
  local at, ended = 1, nil
  while true do
    local from, quote = text:match(quotes or "()([\"'`])", at)
    if not from then break end
    local to = closing(text, quote, from + 1)
    if not to then break end
    local literal = decoded(text:sub(from + 1, to - 1))
    if ended and concatenates(text:sub(ended + 1, from - 1)) then
      found[#found + 1] = found[#found] .. literal
    else
      found[#found + 1] = literal
    end
    if ended and separates(text:sub(ended + 1, from - 1)) then
      table.insert(joined[#joined], literal)
    else
      joined[#joined + 1] = { literal }
    end
    if home and home_follows(text, to + 1) then table.insert(joined[#joined], home) end
    ended = to
    at = to + 1
  end
  return found, joined
end

-- Brackets of `q`, `qq`, `qw` and `qx` in Perl, with what is in them.
local PERL_QUOTES = { "(%b())", "(%b{})", "(%b[])", "(%b<>)", "/([^/]*)/", "|([^|]*)|", "!([^!]*)!" }

-- Judges each literal as a command line, and each group of literals as the words of a command.
-- @param quotes see literals
local function judge_literals(text, command, judge_line, quotes)
  local found, joined = literals(text, command.place.home, quotes)
  for _, quotes in ipairs(PERL_QUOTES) do
    local words_of_perl = text:match("%f[%w]q[qwx]?%s*" .. quotes)
    if words_of_perl then found[#found + 1] = words_of_perl:match("^[({%[<](.*)[)}%]>]$") or words_of_perl end
  end
  found[#found + 1] = text:match("%%x%s*[{(%[]([^})%]]*)[})%]]")
  for _, literal in ipairs(found) do
    local reason = judge_line(literal, command)
    if reason then return reason end
  end
  for _, words in ipairs(joined) do
    if #words > 1 then
      local reason = judge_line(words, command)
      if reason then return reason end
    end
  end
end

-- A single quote is not always one: `# don't`, `'(a list of Lisp)`.
local function has_apostrophe(text) return select(2, text:gsub("'", "")) % 2 == 1 end

local function judge_calls(text, command, judge_line)
  return judge_literals(text, command, judge_line)
    or (has_apostrophe(text) and judge_literals(text, command, judge_line, "()([\"`])") or nil)
end

local NAME_ANOTHER = "Name a folder below the working directory"
local HOMES = { "HOME", "homedir%(", "expanduser", "Path%.home", "Dir%.home", "user_home" }
local HARMLESS = words.set "below temporary unclear"

-- The text without what stands behind a comma and is no part of a path: `{ force: true }`, `ignore_errors=True`, imports.
local function without_options(text)
  return (text:gsub("%f[%a]import%s[^\n;]*", ""):gsub(",%s*%b{}", ""):gsub(",%s*[%a_]+%s*=%s*[%w_]+", ""))
end

local function judge_removals(text, command)
  for _, literal in ipairs((literals(text))) do
    local is_path = literal ~= "" and not literal:find("[%s%%]")
    -- In a file, what a relative path is relative to is not known.
    is_path = is_path and not (command.in_file and literal:find("^%.?[^/~]"))
    local kind = is_path and paths.look(command.place, command.cwd, literal)
    -- Literals are often names of modules or flags: count only those that are clearly paths.
    if kind and not HARMLESS[kind] and (kind ~= "outside" or literal:find("/")) then
      local reason = refuse("code.remove-tree", command, "removes " .. literal .. " with all that is in it", NAME_ANOTHER)
      if reason then return reason end
    end
  end
  if mentions(text, HOMES) and not without_options(text):find("[/,]%s*[\"']?[%w_.]") then
    return refuse("code.remove-home", command, "may remove somebody's home", NAME_ANOTHER)
  end
end

-- Calls that download a text.
local FETCHES = {
  "urlopen", "urllib", "requests%.get", "httpx%.", "https?%.get", "fetch%(", "URI%.open", "open%-uri", "Net::HTTP", "LWP::",
  "file_get_contents%([\"']http", "%f[%w]get%s*%(?[\"']https?:",
}
-- Calls that run a text as code. Methods such as `pattern.exec()` and `model.eval()` don't match.
local RUNS_TEXT = {
  "[^%.%w_]exec%(", "[^%.%w_]eval%f[%W]", "^eval%f[%W]", "^exec%(", "Function%(", "vm%.run", "instance_eval",
  "include%s*%(?[\"']http",
}

local function forks(text)
  return text:find("%f[%w]fork%f[%W]")
    and (text:find("while") or text:find("loop") or text:find("for%s*%(?%s*;") or text:find("iter%(int") or text:find("itertools"))
end

-- Programs that stand at the beginning of a shell command, and seldom of a line in another language.
local OF_A_SHELL = words.set "rm git dd shred find chmod chown mkfs sudo"

-- Judges a text that may be a shell command by mistake: `node -e 'rm -rf x'`.
local function judge_shell_command(text, command, judge_line)
  text = text:gsub("^%-%-?[%w-]+=", "")
  local first = text:match("^%s*([%w.]+)%s+[-%a/~.]")
  return first and OF_A_SHELL[first] and judge_line(text, command) or nil
end

-- Judges the removal of single files: of those that the machine needs.
local function judge_unlinks(text, command)
  for _, literal in ipairs((literals(text))) do
    local reason = paths.is_needed(literal)
      and refuse("files.rm-system-file", command, "removes " .. literal .. ", which the machine needs", "Let the user do it")
    if reason then return reason end
  end
end

-- Judges a piece of code: one line of a program, or one argument.
local function judge_piece(text, command, judge_line)
  if #text <= 7 or not text:find("[%s(\"'`]") then return nil end
  local reason = forks(text) and refuse("processes.fork-bomb", command, "starts processes without end", "Bound how many are started")
    or judge_shell_command(text, command, judge_line)
  if reason then return reason end
  if mentions(text, CALLS) then
    reason = judge_calls(text, command, judge_line)
    if reason then return reason end
  end
  local removes = mentions(text, REMOVES)
  if removes then
    reason = judge_removals(text, command)
    if reason then return reason end
  end
  local unlinks = mentions(text, UNLINKS)
  reason = unlinks and judge_unlinks(text, command)
  if reason then return reason end
  if rules.on("code.remove-files") and (removes or unlinks) then
    return refuse("code.remove-files", command, "removes files from within a program", "Use rm, so that it can be seen what goes")
  end
end

local function judge_lines(text, command, judge_line)
  for line in text:gmatch("[^\n]+") do
    local reason = judge_piece(line, command, judge_line)
    if reason then return reason end
  end
end

-- Calls that decode a text, and calls that run one as a command.
local DECODES = {
  "b64decode", "base64%.%a*decode", "decode64", "decode_base64", "base64_decode", "fromhex", "unhexlify", "atob%(", "[\"']base64[\"']",
  "codecs%.decode", "fromCharCode",
}
local RUNS_COMMAND = { "system", "popen", "subprocess", "child_process", "passthru", "shell_exec", "Deno%.Command" }
local DECODERS = words.set "base64 base32 xxd uudecode openssl"

local function runs_decoded(text)
  return mentions(text, DECODES) and (mentions(text, RUNS_COMMAND) or mentions(text, RUNS_TEXT))
end

--- Whether a program runs what it decodes, or is itself what another program decodes.
--- @param given the texts that it reads as its program
function code.is_decoded(command, given)
  for at = 2, #command.argv do
    if runs_decoded(command.argv[at]) then return true end
  end
  for _, text in ipairs(given) do
    if runs_decoded(text) then return true end
  end
  if #given > 0 or #command.argv > 1 and command.argv[2] ~= "-" then return false end
  for _, name in ipairs(command.from) do
    if DECODERS[name] then return true end
  end
  return false
end

-- In a longer file, one has nothing to do with the other.
local LONGEST = 4000

local function judge_download(text, command)
  if command.in_file then
    if #text > LONGEST then return nil end
    text = text:gsub("eval%s*[\"'{]?%s*{?%s*require", "")
  end
  if text:find("[(\"']") and mentions(text, FETCHES) and mentions(text, RUNS_TEXT) then
    return refuse("code.run-download", command, "runs what is downloaded, unseen", "Download it to a file and look at it first")
  end
end

local CONNECTS = { "socket", "fsockopen", "TCPSocket", "%.connect%(", "createConnection", "/inet/tcp/" }
local STARTS = { "/bin/%a*sh%f[^%w]", "[\"'`]%a*sh%f[^%w]", "cmd%.exe" }
local JOINS = { "dup2", "pty%.spawn", "[<>]&[%%%w$]", "%.pipe%(" }

-- Judges code that connects a shell with a socket.
local function judge_socket(text)
  if #text > 30 and mentions(text, CONNECTS) and mentions(text, STARTS) and mentions(text, JOINS) then
    return origins.refuse_shell(reasons.shown({ text }))
  end
end

--- Judges what is searched for in the whole text of a program: downloads that are run, and endless forks.
function code.judge_whole(text, command)
  local reason = judge_download(text, command) or judge_socket(text)
  if reason then return reason end
  if text:find("while[%s(]+[T1t]%w*%s*%)?%s*:?%s*[%w_.]*fork%(") then
    reason = refuse("processes.fork-bomb", command, "starts processes without end", "Bound how many are started")
    if reason then return reason end
  end
end

--- Judges a whole program line by line: a literal is only related to a call on the same line.
function code.judge_program(text, command, judge_line)
  return code.judge_whole(text, command) or judge_lines(text, command, judge_line)
end

--- Whether code in the arguments of a command removes files.
function code.removes_files(command)
  for at = 2, #command.argv do
    if mentions(command.argv[at], UNLINKS) or mentions(command.argv[at], REMOVES) then return true end
  end
  return false
end

--- Judges the code in the arguments of a command.
--- @param judge_line function(line or words, command) that judges a command line
function code.judge(command, judge_line)
  -- What awk runs is read by its reader.
  local is_awk = command.program:find("awk$") ~= nil
  local all
  for at = 2, #command.argv do
    local text = command.argv[at]
    local reason = command.program == "osascript" and (text:find("to shut down") or text:find("to restart"))
      and refuse("system.shutdown", command, "shuts the machine down or restarts it", "Let the user do it")
    if reason then return reason end
    -- A quote that is not one ends with its line.
    reason = not is_awk and judge_piece(text, command, judge_line) or (not is_awk and has_apostrophe(text) and judge_lines(text, command, judge_line) or nil)
    if reason then return reason end
    all = all and all .. " " .. text or text
  end
  local reason = all and #all > 7 and (judge_download(all, command) or judge_socket(all))
  if reason then return reason end
  if rules.on("code.inline") then
    for at = 2, #command.argv do
      if command.argv[at]:find("^%-%-?[cepErnl]+$") or command.argv[at]:find("^%-%-eval") then
        return refuse("code.inline", command, "runs code that stands in the command line", "Write it to a file that can be looked at")
      end
    end
  end
end

return code
