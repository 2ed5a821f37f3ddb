-- Tables of file name rules, and matching paths against them.
--
-- A rule is a path of which the last segments count: `id_rsa`, `*.pem` and `.aws/credentials` match
-- at any depth, `/etc/shadow` only from the root. `*` matches any text within a segment. A trailing
-- slash means a folder and everything below it. Matching ignores case, because on many disks `.ENV`
-- is `.env`.
--
-- A path may be a shell glob. It matches a rule when it could expand to such a name and is specific
-- enough: `.e*` matches `.env`, but `*` and `*.json` are too general.
local words = require "file_guard.words"

local names = {}

local function is_glob(text)
  return text:find("[*?[]") ~= nil or text:find("[!+@]%(") ~= nil
end

names.is_glob = is_glob

-- The tokens of a glob: a string of one character, true for any one character, or false for any
-- number of characters.
local function tokens(glob)
  local list, at = {}, 1
  while at <= #glob do
    local char = glob:sub(at, at)
    if char == "*" then
      list[#list + 1] = false
    elseif char == "?" then
      list[#list + 1] = true
    elseif char == "[" then
      local close = glob:find("]", at + (glob:find("^%[[!^]?%]", at) and 3 or 2), true)
      -- A bracket expression is treated as any character: matching too much is harmless.
      list[#list + 1] = close and true or "["
      at = close or at
    else
      list[#list + 1] = char
    end
    at = at + 1
  end
  return list
end

-- Whether some text matches both globs, which are lists of tokens.
local function meet(a, b)
  local row = {}
  for i = 0, #a do
    local above = row
    row = {}
    for j = 0, #b do
      local one, other = a[i], b[j]
      if i == 0 and j == 0 then
        row[j] = true
      else
        -- In front of the first token, there is nil.
        row[j] = ((one == false or other == false) and (above[j] or row[j - 1]))
          or (one and other and above[j - 1] and (one == other or one == true or other == true))
      end
    end
  end
  return row[#b]
end

-- Describes a segment of a glob: its tokens, minimum length and first character, the length of the
-- literal text at its start, and its literal parts with their total length.
local function plain_text(glob)
  local runs, count = {}, 0
  for run in glob:gsub("%[[^%]]*%]", "*"):gmatch("[^*?]+") do
    runs[#runs + 1] = run
    count = count + #run
  end
  local list, least = tokens(glob), 0
  for _, token in ipairs(list) do
    if token then least = least + 1 end
  end
  local ahead = #glob:match("^[^*?[]*")
  return { tokens = list, least = least, lead = glob:sub(1, 1), ahead = ahead, runs = runs, count = count }
end

-- Whether a segment of a glob is specific enough to be meant for a rule's segment.
local function tells(said, rule)
  local first = rule:sub(1, 1)
  -- Shell wildcards don't match a leading dot.
  if first == "." then return said.lead == "." end
  if first == "*" then
    -- `*.json` is too general for `*-credentials.json`.
    return words.any(said.runs, function(run)
      return #run > 1 and #run * 2 >= #rule - 1 and rule:find(run, 1, true)
    end)
  end
  return said.ahead > 1 or (said.count * 2 >= #rule and not is_glob(rule))
end

-- Maximum length of a file name in bytes.
local LONGEST_NAME = 255

local Table = {}
Table.__index = Table

local function add(into, key, rule)
  into[key] = into[key] or {}
  table.insert(into[key], rule)
end

-- The Lua pattern for segment i of a rule, created on first use; nil when it is not a glob.
local function pattern_of(rule, i)
  if not rule.globbed then return nil end
  local found = rule.patterns or {}
  rule.patterns = found
  if found[i] == nil then
    local segment = rule[i]
    found[i] = is_glob(segment) and "^" .. segment:gsub("[%^$().%[%]+%-?%%]", "%%%0"):gsub("%*", ".*") .. "$"
  end
  return found[i] or nil
end

-- The tokens of segment i of a rule, created on first use.
local function tokens_of(rule, i)
  rule.tokens = rule.tokens or {}
  rule.tokens[i] = rule.tokens[i] or tokens(rule[i])
  return rule.tokens[i]
end

-- Whether a segment of a path is segment i of a rule.
local function is_segment(rule, i, segment)
  local pattern = pattern_of(rule, i)
  if pattern then return segment:find(pattern) end
  return rule[i] == segment
end

-- The segments of a path, in lower case.
local function segments_of(text)
  local list = {}
  for segment in text:lower():gmatch("[^/]+") do list[#list + 1] = segment end
  return list
end

names.segments = segments_of

-- Indexes rules by their last segment: the whole segment, its extension, its first or last character.
local function index(self, rules)
  self.exact, self.extension, self.beginning, self.ending = {}, {}, {}, {}
  self.folders, self.within, self.all = {}, {}, {}
  local all, exact = self.all, self.exact
  for i = 1, #rules do
    local written = rules[i]
    if not written:find("[/*]") then
      all[i] = { written, written = written }
      add(exact, written, all[i])
    else
      local rule = segments_of(written)
      all[i], rule.written, rule.globbed = rule, written, is_glob(written)
      rule.absolute, rule.folder = written:sub(1, 1) == "/", written:sub(-1) == "/"
      local last = rule[#rule]
      if rule.folder then
        add(self.folders, last, rule)
        self.within[last] = true
      elseif not is_glob(last) then
        add(exact, last, rule)
      elseif last:find("^%*%.[^.*]+$") then
        add(self.extension, last:sub(3), rule)
      else
        local star = last:sub(1, 1) == "*"
        add(star and self.ending or self.beginning, star and last:sub(-1) or last:sub(1, 1), rule)
      end
      for k = 1, #rule - 1 do self.within[rule[k]] = true end
    end
  end
end

-- Creates a table of rules, which are strings in lower case. They are indexed on first use: most calls name no file
-- that needs them.
function names.table(rules)
  return setmetatable({}, {
    __index = function(self, key)
      if Table[key] then return Table[key] end
      setmetatable(self, Table)
      index(self, rules)
      return self[key]
    end,
  })
end

-- Rules by the first character of their last segment. Only globs need this index, so it is built on
-- first use.
function Table:leads()
  if not self.lead then
    self.lead = {}
    for _, rule in ipairs(self.all) do add(self.lead, rule[#rule]:sub(1, 1), rule) end
  end
  return self.lead
end

-- Whether the segments 1 to `last` of a rule match a path in which the rule ends at position `at`.
local function ends_at(rule, segments, at, last)
  local count = #rule
  if at < count or (rule.absolute and at ~= count) then return false end
  for i = last, 1, -1 do
    if not is_segment(rule, i, segments[at - count + i]) then return false end
  end
  return true
end

local function first(rules, segments, at, last)
  if not rules then return nil end
  for i = 1, #rules do
    local rule = rules[i]
    if ends_at(rule, segments, at, last and #rule or #rule - 1) then return rule end
  end
  return nil
end

-- Whether a path that is a glob could match a rule that ends at position `at`.
local function could_end_at(rule, segments, globbed, at)
  local count = #rule
  local plain = not globbed[at] and not pattern_of(rule, count)
  if plain and segments[at] ~= rule[count] then return false end
  if at < count or (rule.absolute and at ~= count) then return false end
  local spelt = true
  for i = 1, count do
    local k = at - count + i
    local segment, want = segments[k], rule[i]
    if not globbed[k] then
      if not is_segment(rule, i, segment) then return false end
    else
      local enough = tells(globbed[k], want) or (spelt and i > 1 and segment ~= "**" and want:sub(1, 1) ~= ".")
      if not enough then return false end
      if globbed[k].least > (pattern_of(rule, i) and LONGEST_NAME or #want) then return false end
      if not meet(globbed[k].tokens, tokens_of(rule, i)) then return false end
      spelt = false
    end
  end
  return true
end

-- Characters that some file systems ignore in names (HFS+), and those that they treat as a letter.
local UNSEEN = { "\xE2\x80[\x8B-\x8F\xAA-\xAE]", "\xE2\x81[\xA0-\xAF]", "\xEF\xBB\xBF" }
local LETTERS = { ["\xC5\xBF"] = "s", ["\xE2\x84\xAA"] = "k" }

-- A path as the most lenient file system reads it: without ignored characters, and without dots and
-- spaces at the end of a name (NTFS).
local function as_on_disk(text)
  if text:find("[\x80-\xFF]") then
    for _, pattern in ipairs(UNSEEN) do text = text:gsub(pattern, "") end
    for letter, plain in pairs(LETTERS) do text = text:gsub(letter, plain) end
  end
  return (text:gsub("([^/. ])[. ]+%f[/%z]", "%1"))
end

-- Returns the rule that a normalized path matches, or nil. The second result is true when the path
-- is the folder itself, not something below it.
function Table:match(text)
  text = as_on_disk(text)
  local globbed = is_glob(text)
  -- `.!(git)` can expand to nearly any name.
  if globbed then text = text:gsub("[!+@?*]%b()", "*") end
  local segments = segments_of(text)
  local count = #segments
  if count == 0 then return nil end
  if globbed then return self:could_match(segments) end
  for at = 1, count do
    local rule = first(self.folders[segments[at]], segments, at)
    if rule then return rule.written, at == count end
  end
  local base = segments[count]
  local rule = first(self.exact[base], segments, count)
    or first(self.extension[base:match("%.([^.]*)$")], segments, count)
    or first(self.beginning[base:sub(1, 1)], segments, count, true)
    or first(self.ending[base:sub(-1)], segments, count, true)
  return rule and rule.written or nil
end

-- Whether the path of a folder contains a folder that some rule names, so that a file in it may
-- match a rule because of its location.
function Table:matters(text)
  return words.any(segments_of(text), function(segment) return self.within[segment] end)
end

function Table:could_match(segments)
  local count, globbed = #segments, {}
  local leads = self:leads()
  for i, segment in ipairs(segments) do globbed[i] = is_glob(segment) and plain_text(segment) or false end
  local function look(rules, at)
    for i = 1, rules and #rules or 0 do
      local rule = rules[i]
      if (rule.folder or at == count) and could_end_at(rule, segments, globbed, at) then return rule end
    end
    return nil
  end
  for at, segment in ipairs(segments) do
    local lead = segment:sub(1, 1)
    local rule
    if globbed[at] and globbed[at].ahead == 0 then
      rule = look(self.all, at)
    elseif globbed[at] then
      rule = look(leads[lead], at) or look(leads["*"], at)
    else
      rule = look(self.folders[segment], at)
      if not rule and at == count then
        rule = look(self.exact[segment], at) or look(leads["*"], at) or look(self.beginning[lead], at)
      end
    end
    if rule then return rule.written, rule.folder and at == count end
  end
  return nil
end

-- Returns a rule for something below this folder, or nil: `.github/workflows/` is below `.github`.
-- Only rules for folders count, unless `files` is set; with `whole`, only those that begin with the whole path.
function Table:below(text, files, whole)
  local segments = segments_of(text)
  for _, rule in ipairs(self.all) do
    for lead = whole and #segments or 1, (rule.folder or files) and #rule - 1 or 0 do
      local held = #segments >= lead
      for i = 1, lead do
        held = held and segments[#segments - lead + i] == rule[i]
      end
      if held then return rule.written end
    end
  end
  return nil
end

-- Whether a glob of a command line matches a name. One that is not valid stands for itself, as for the shell.
function names.fits(glob, name)
  local valid, fits = pcall(orcs.glob_match, glob, name)
  return valid and fits or not valid and glob == name
end

return names
