-- Matches commands against rows of words, such as "docker|podman system prune" and "git clean -f*".

local patterns = {}

local function split(text, pattern)
  local parts = {}
  for part in text:gmatch(pattern) do parts[#parts + 1] = part end
  return parts
end

-- Converts a word with `*` for any text to a Lua pattern for the whole word.
local function glob(word)
  return "^" .. word:gsub("[%^%$%(%)%%%.%[%]%+%-%?]", "%%%0"):gsub("%*", ".*") .. "$"
end

local function alternatives(word)
  local each = split(word, "[^|]+")
  for at, one in ipairs(each) do each[at] = glob(one) end
  return each
end

local function fits(word, each)
  for _, one in ipairs(each) do
    if word:find(one) then return true end
  end
  return false
end

--- Compiles rows; returns a table from programs to lists of rows.
--- @param rows list of { words, because }
function patterns.by_program(rows)
  local found = {}
  for _, row in ipairs(rows) do
    local words = split(row[1], "%S+")
    local prepared = { because = row[2], what = row[1] }
    for at = 2, #words do prepared[at - 1] = { each = alternatives(words[at]), option = words[at]:sub(1, 1) == "-" } end
    for _, program in ipairs(split(words[1], "[^|]+")) do
      found[program] = found[program] or {}
      table.insert(found[program], prepared)
    end
  end
  return found
end

--- Whether a command has the words of a row: operands in the order of the row, options anywhere.
function patterns.holds(row, argv)
  local next_word = 2
  for _, wanted in ipairs(row) do
    local found = false
    local at = wanted.option and 2 or next_word
    while argv[at] and not found do
      local word = argv[at]
      local is_option = word:sub(1, 1) == "-"
      if wanted.option and is_option then
        found = fits(word, wanted.each) or fits(word:match("^[^=]*"), wanted.each)
      elseif not wanted.option and not is_option then
        found = fits(word, wanted.each)
        if found then next_word = at + 1 end
      end
      at = at + 1
    end
    if not found then return false end
  end
  return true
end

--- Compiles a pattern of the option `allow`. Each word matches one word of the command; `*` in a
--- word is any text, `*` as the last word is any number of further words.
function patterns.allowed(text)
  local words = split(text, "%S+")
  local open = words[#words] == "*" and #words > 1
  if open then words[#words] = nil end
  for at, word in ipairs(words) do words[at] = glob(word) end
  return { words = words, open = open }
end

--- Whether a pattern of `allow` matches a command. A word that is only known to the shell matches
--- only `*`, except the program, which matches as written: `$TOOL *`.
function patterns.allows(allowed, command)
  local words, argv = allowed.words, command.argv
  if #argv < #words or (#argv > #words and not allowed.open) then return false end
  for at, word in ipairs(words) do
    if command.unknown[at] and at > 1 and word ~= "^.*$" then return false end
    local fitting = argv[at]:find(word) or (at == 1 and command.program:find(word))
    if not fitting then return false end
  end
  return true
end

return patterns
