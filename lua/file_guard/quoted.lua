-- Which words of a line are quoted patterns: the shell does not expand them, so they are no globs.
local names = require "file_guard.names"
local set = require("file_guard.words").set

-- Programs that expand patterns themselves, and shells of other machines.
local EXPANDS = set [[
  git zip 7z 7za unzip tar bsdtar gtar rsync rclone aws gsutil s3cmd
  az scp sftp lftp ftp smbclient find fd fdfind ls-files kubectl restic borg cpio pax prettier eslint ]]
-- Options with a glob, of programs whose other patterns are regular expressions.
local GLOBBED = set "--include --glob --iglob -g -G --type-add"
local SEARCHES = set "grep egrep fgrep zgrep rg ripgrep ag ack"
-- Programs that pass their words to a shell once more.
local AGAIN = set "sh bash zsh dash ksh ash fish eval ssh mosh autossh su watch xargs parallel find entr"

-- Whether all wildcards of a word, as it stands in the line, are quoted.
local function is_quoted(raw)
  local quote, at = nil, 1
  while at <= #raw do
    local char = raw:sub(at, at)
    if quote == "'" then
      if char == "'" then quote = nil end
    elseif char == "\\" then
      at = at + 1
    elseif char == quote then
      quote = nil
    elseif char == "$" or char == "`" then
      return false
    elseif not quote and (char == "'" or char == '"') then
      quote = char
    elseif not quote and char:find("[*?[{(]") then
      return false
    end
    at = at + 1
  end
  return true
end

-- Whether a line may have such a word: a glance.
local function may_have(line)
  return type(line) == "string" and line:find("[*?[]") ~= nil and line:find("['\"\\]") ~= nil
end

-- The positions of the quoted patterns in a command, as a set.
-- line: the line that its spans refer to
local function positions(command, line)
  local found = {}
  if not command.spans or EXPANDS[command.program:lower()] then return found end
  for _, via in ipairs(command.via) do
    if AGAIN[via] then return found end
  end
  for at, word in ipairs(command.argv) do
    local span = command.spans[at]
    local globbed = SEARCHES[command.program:lower()] and (GLOBBED[word:match("^(%-[^=]+)=")] or GLOBBED[command.argv[at - 1]])
    if span and not globbed and names.is_glob(word) then found[at] = is_quoted(line:sub(span[1], span[2])) or nil end
  end
  return found
end

-- A line without the quoted patterns of its commands.
local function without(commands, line)
  local from, to = {}, {}
  for _, command in ipairs(commands) do
    for at in pairs(positions(command, line)) do
      from[#from + 1], to[#to + 1] = command.spans[at][1], command.spans[at][2]
    end
  end
  for i = 1, #from do
    line = line:sub(1, from[i] - 1) .. (" "):rep(to[i] - from[i] + 1) .. line:sub(to[i] + 1)
  end
  return line
end

return { may_have = may_have, positions = positions, without = without }
