-- Files that the shells of databases write: sqlite3, with its dot-commands, and duckdb. The script is
-- in the arguments, or in a here-document or a pipe.
local path = require "file_guard.path"
local words = require "file_guard.words"
local set, split = words.set, words.split

local SHELLS = set "sqlite3 sqlite duckdb sqlcipher"
-- Options that take a value; -A makes archives.
local VALUED = set "-cmd -init -separator -newline -nullvalue -vfs -maxsize -mmap -lookaside -pagecache -heap -key -c -s -f"
local SCRIPT = set "-cmd -c -s"
local PSQL = set "-c --command -f --file -d --dbname -h --host -p --port -U --username -v --set -o --output -L --log-file"
-- Dot-commands whose last argument is a file that they write. Beginnings of their names count as well.
local WRITES = { "output", "once", "backup", "save", "clone", "log", "trace", "open" }
-- Dot-commands that run a command of the shell, and those that change the database.
local RUNS, FILLS = { "shell", "system" }, { "import", "restore", "read", "archive", "load" }
-- Statements that change nothing.
local READS = set "select explain values with begin end commit pragma analyze show describe summarize"
-- Statements that change the database that is named in them.
local CHANGES = {
  "insert%s+.-into%s+", "replace%s+into%s+", "insert%s+into%s+", "update%s+", "delete%s+from%s+", "create%s+.-%s",
  "drop%s+.-%s", "alter%s+table%s+",
}

local function begins(names, name, least)
  for _, whole in ipairs(names) do
    if #name >= least and whole:sub(1, #name) == name then return true end
  end
  return false
end

local function unquoted(text)
  return text:match("^'(.*)'$") or text:match('^"(.*)"$') or text
end

-- Judges a dot-command.
local function dotted(line, add, run)
  local name, rest = line:match("^%s*%.(%a+)%s*(.-)%s*$")
  if not name then return end
  if begins(RUNS, name, 2) then return run(rest) end
  if not begins(WRITES, name, 1) or rest:find("%-%-?readonly") then return end
  local piped = rest:match("^['\"]?|%s*(.-)['\"]?$")
  if piped then return run(piped) end
  local last = rest:match("'([^']*)'$") or rest:match('"([^"]*)"$') or rest:match("(%S+)$")
  if last and last ~= "stdout" and last ~= "off" and last ~= "on" and last:sub(1, 1) ~= "-" then
    add(path.given(last))
  end
end

-- Whether the script changes a database of this name.
local function changes(sql, name)
  local dotted_name = name:gsub("%W", "%%%0") .. "%s*%."
  for _, lead in ipairs(CHANGES) do
    if sql:find("%f[%a]" .. lead .. dotted_name) then return true end
  end
  return false
end

local function each_statement(script, add)
  local sql = script:lower()
  -- Positions are the same in both, so names keep their case.
  local function named(pattern, judge)
    for from, to, rest in sql:gmatch(pattern) do
      local file = script:sub(from, to - 1)
      if not judge or judge(rest) then add(path.given(unquoted(file))) end
    end
  end
  named("%f[%a]vacuum%s[^;]-into%s+()['\"][^'\"]+['\"]()")
  named("%f[%a]writefile%s*%(%s*()'[^']+'()")
  named("%f[%a]copy%s[^;]-%sto%s+()'[^']+'()")
  named("%f[%a]export%s+database%s+()'[^']+'()")
  named("%f[%a]attach%s+()['\"][^'\"]+['\"]()%s+as%s+([%w_]+)", function(name) return changes(sql, name) end)
  named("%f[%a]attach%s+database%s+()['\"][^'\"]+['\"]()%s+as%s+([%w_]+)", function(name) return changes(sql, name) end)
end

-- Whether a script is known to read only: without one, a shell reads statements from its input.
local function only_reads(scripts)
  for _, script in ipairs(scripts) do
    for statement in script:gmatch("[^;\n]+") do
      local word, dot = statement:match("^%s*(%a+)"), statement:match("^%s*%.(%a+)")
      if dot and begins(FILLS, dot:lower(), 2) then return false end
      if word and not READS[word:lower()] then return false end
      if word and word:lower() == "pragma" and statement:find("=") then return false end
      if word and word:lower() == "with" and not statement:lower():find("%f[%a]select%f[%A]") then return false end
    end
  end
  return #scripts > 0
end

-- The file of a database; nil for one in memory or one that is opened for reading.
local function database(text)
  if text == ":memory:" or text == "" then return nil end
  local name, query = text:match("^file:([^?]*)%??(.*)$")
  if not name then return path.given(text) end
  if query:find("mode=ro") or query:find("mode=memory") or query:find("immutable=1") then
    return nil
  end
  return (name:gsub("^//[^/]*", ""))
end

-- Commands of psql whose argument is a file that they write, or a command behind a bar: `\o x`, `\o |sh`.
local PSQL_WRITES = set "o out w write s g gx"

-- Judges a line of a script of psql.
local function of_psql(line, add, run)
  local shell = line:match("\\!%s*(.+)$")
  if shell then return run(shell) end
  local name, rest = line:match("\\(%a+)%s+(.-)%s*$")
  if name == "copy" then rest = rest:match("%s[tT][oO]%s+(.*)$") or "" end
  if not PSQL_WRITES[name] and name ~= "copy" then return end
  if rest:sub(1, 1) == "|" then return run(rest:sub(2)) end
  local file = rest:match("^'([^']*)'") or rest:match("^[^%s]+")
  if file and not file:lower():find("^p?stdout$") and file:lower() ~= "program" then add(path.given(file)) end
end

-- Calls add(text) and run(line) as file_guard.editor_written does.
return function(command, line, add, run)
  if command.program == "psql" then
    local _, options = split(command.argv, PSQL)
    words.each_value(options, set "-c --command", function(text) of_psql(text, add, run) end)
    for text in line:match("[^\n]*\n?(.*)$"):gmatch("[^\n]+") do of_psql(text, add, run) end
    return
  end
  if not SHELLS[command.program:lower()] then return end
  local operands, options = split(command.argv, VALUED, true)
  local scripts, opens = {}, true
  for _, option in ipairs(options) do
    if SCRIPT[option.name] and option.text then scripts[#scripts + 1] = option.text end
    if option.name:find("^%-%-?readonly$") then opens = false end
  end
  for i = 2, #operands do scripts[#scripts + 1] = operands[i].text end
  -- What a here-document or a pipe contains: dot-commands begin a line.
  local piped = #operands < 2
  local input = piped and line:gsub("\\n", "\n"):gsub("<<<%s*[\"']", "\n"):gsub("%f[%w]echo%s[^\"']*[\"']", "\n")
    :gsub("%f[%w]printf%s[^\"']*[\"']", "\n"):gsub("[\"']%s*|", "\n") or ""
  for _, script in ipairs({ input, table.unpack(scripts) }) do
    for text in script:gmatch("[^\n]+") do
      dotted(script == input and text:gsub("[\"']%s*$", "") or text, add, run)
    end
    each_statement(script, add)
  end
  local file = opens and operands[1] and database(operands[1].text)
  if file and not only_reads(scripts) then add(file) end
end
