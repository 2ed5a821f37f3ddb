-- Command lines without what changes nothing: comments, blanks beyond one between words, and commands that do nothing
-- around the others: `: 1; npm test`.

local SHELLS = { sh = true, bash = true, zsh = true, dash = true, ksh = true, ash = true }

-- Lines of more bytes than this stay as they are.
local LONGEST = 65536

-- A quoted text that begins at `at`: its last position. Without an end, the rest of the line.
local function quoted(line, at)
  local quote = line:sub(at, at)
  if quote == "'" then return line:find("'", at + 1, true) or #line end
  local to = at + 1
  while true do
    to = line:find('["\\]', to)
    if not to then return #line end
    if line:sub(to, to) == '"' then return to end
    to = to + 2
  end
end

-- Commands that do nothing, before or behind another one. Words that the shell expands may do something.
local NOTHING = { "^:%f[ ;&\n][%w ._=/-]*[;\n] ?", "^: ?[%w ._=/-]*&& ?", "^true *[;\n] ?", "^true *&& ?", " ?[;\n] ?:%f[ %z][%w ._=/-]*$", " ?&& ?:%f[ %z][%w ._=/-]*$" }

local function without_nothing(line)
  local count
  repeat
    count = 0
    for _, pattern in ipairs(NOTHING) do
      local changed
      line, changed = line:gsub(pattern, "")
      count = count + changed
    end
  until count == 0
  return line
end

local function plain_line(line)
  -- The text of a here-document is data.
  if #line > LONGEST or line:find("<<") then return line end
  local kept, at = {}, 1
  while at <= #line do
    local char = line:sub(at, at)
    local to
    if char == "\\" then
      to = at + 1
      kept[#kept + 1] = line:sub(at, to)
    elseif char == "'" or char == '"' then
      to = quoted(line, at)
      kept[#kept + 1] = line:sub(at, to)
    elseif char == "#" and (at == 1 or line:find("^[%s;&|(]", at - 1)) then
      to = (line:find("\n", at, true) or #line + 1) - 1
    elseif char:find("%s") then
      local blanks = line:match("^%s+", at)
      to = at + #blanks - 1
      kept[#kept + 1] = blanks:find("\n") and "\n" or " "
    else
      to = select(2, line:find("^[^\\'\"#%s]+", at)) or at
      kept[#kept + 1] = line:sub(at, to)
    end
    at = to + 1
  end
  -- A comment leaves the blanks around it.
  local plain = table.concat(kept):gsub(" *\n[ \n]*", "\n"):match("^%s*(.-)%s*$")
  local shorter = without_nothing(plain)
  return shorter ~= "" and shorter or plain
end

-- Returns a command, which is a line or a list of words, without comments and blanks. Of a list, only
-- the script of `sh -c` is a line. Any other value is returned as it is.
return function(command)
  if type(command) == "string" then return plain_line(command) end
  if type(command) ~= "table" or type(command[1]) ~= "string" or type(command[3]) ~= "string" then return command end
  local is_script = SHELLS[command[1]:match("[^/]*$")] and type(command[2]) == "string" and command[2]:find("^%-%a*c")
  if not is_script then return command end
  local words = {}
  for i = 1, #command do words[i] = command[i] end
  words[3] = plain_line(words[3])
  return words
end
