-- Tables of file names, and whether a path is one of them.
--
-- A rule is a path whose last segments count: `id_rsa`, `*.pem`, `.aws/credentials` at any depth, `/etc/shadow` from
-- the root. `*` is any text within a segment. With a slash at the end it stands for a folder and all that is below.
-- Case does not count: on many disks `.ENV` is `.env`.
--
-- A path may be a glob of the shell's, and counts when it could come to such a name and says enough of it: `.e*` is
-- `.env`, but `*` and `*.json` are everyday words.
local names = {}

local function is_glob(text)
  return text:find("[*?[]") ~= nil or text:find("[!+@]%(") ~= nil
end

names.is_glob = is_glob

-- The characters of a glob: a text of one character, or true for any one, or false for any number.
local function tokens(glob)
  local list, at = {}, 1
  while at <= #glob do
    local char = glob:sub(at, at)
    if char == "*" then
      if list[#list] ~= false then list[#list + 1] = false end
    elseif char == "?" then
      list[#list + 1] = true
    elseif char == "[" then
      local close = glob:find("]", at + (glob:find("^%[[!^]?%]", at) and 3 or 2), true)
      -- Which characters are in it does not matter: one too many is no harm.
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
        row[j] = (i > 0 and one == false and (above[j] or (j > 0 and row[j - 1])))
          or (j > 0 and other == false and (row[j - 1] or (i > 0 and above[j])))
          or (i > 0 and j > 0 and one and other and above[j - 1] and (one == other or one == true or other == true))
          or false
      end
    end
  end
  return row[#b]
end

-- What a segment of a glob says: how long its plain text in front is, how much there is of it, and in which pieces.
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

-- Whether a glob says enough of a rule's segment to be meant for it.
local function tells(said, rule)
  local first = rule:sub(1, 1)
  -- No wildcard stands for a dot in front.
  if first == "." then return said.lead == "." end
  if first == "*" then
    -- `*.json` says little of `*-credentials.json`.
    for _, run in ipairs(said.runs) do
      if #run > 1 and #run * 2 >= #rule - 1 and rule:find(run, 1, true) then return true end
    end
    return false
  end
  return said.ahead > 1 or (said.count * 2 >= #rule and not is_glob(rule))
end

-- Bytes of the longest name that a file has.
local LONGEST_NAME = 255

local Table = {}
Table.__index = Table

local function add(into, key, rule)
  local list = into[key]
  if list then list[#list + 1] = rule else into[key] = { rule } end
end

-- A table of rules, one of them a text.
function names.table(rules)
  local self = setmetatable({
    -- Rules by their last segment: what it is, its extension, the character that it begins or ends with.
    exact = {}, extension = {}, beginning = {}, ending = {}, lead = {}, undotted = {}, folders = {},
    within = {}, all = {},
  }, Table)
  for _, written in ipairs(rules) do
    local rule = { written = written, absolute = written:sub(1, 1) == "/", folder = written:sub(-1) == "/" }
    for segment in written:lower():gmatch("[^/]+") do rule[#rule + 1] = segment end
    for i, segment in ipairs(rule) do
      if is_glob(segment) then
        rule.tokens = rule.tokens or {}
        rule.tokens[i] = tokens(segment)
        rule.pattern = rule.pattern or {}
        rule.pattern[i] = "^" .. segment:gsub("[%^$().%[%]+%-?%%]", "%%%0"):gsub("%*", ".*") .. "$"
      end
    end
    local last = rule[#rule]
    self.all[#self.all + 1] = rule
    if rule.folder then
      add(self.folders, last, rule)
    elseif not is_glob(last) then
      add(self.exact, last, rule)
    elseif last:find("^%*%.[^.*]+$") then
      add(self.extension, last:sub(3), rule)
    else
      local star = last:sub(1, 1) == "*"
      add(star and self.ending or self.beginning, star and last:sub(-1) or last:sub(1, 1), rule)
    end
    add(self.lead, last:sub(1, 1), rule)
    if last:sub(1, 1) ~= "." then self.undotted[#self.undotted + 1] = rule end
    for i = 1, #rule - 1 do self.within[rule[i]] = true end
    if rule.folder then self.within[last] = true end
  end
  return self
end

-- Whether the segments of a rule, the last one too when it says so, end at this segment of the path.
local function ends_at(rule, segments, at, last)
  local count = #rule
  if at < count or (rule.absolute and at ~= count) then return false end
  for i = last, 1, -1 do
    local segment = segments[at - count + i]
    local pattern = rule.pattern and rule.pattern[i]
    if pattern then
      if not segment:find(pattern) then return false end
    elseif rule[i] ~= segment then
      return false
    end
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

-- Whether the segments of a path that is a glob could be the rule's, ending at one of them.
local function could_end_at(rule, segments, globbed, at)
  local count = #rule
  local plain = not globbed[at] and not (rule.pattern and rule.pattern[count])
  if plain and segments[at] ~= rule[count] then return false end
  if at < count or (rule.absolute and at ~= count) then return false end
  local spelt = true
  for i = 1, count do
    local k = at - count + i
    local segment, want = segments[k], rule[i]
    if not globbed[k] then
      local pattern = rule.pattern and rule.pattern[i]
      if pattern then
        if not segment:find(pattern) then return false end
      elseif want ~= segment then
        return false
      end
    else
      local enough = tells(globbed[k], want) or (spelt and i > 1 and segment ~= "**" and want:sub(1, 1) ~= ".")
      if not enough then return false end
      if globbed[k].least > (rule.tokens and rule.tokens[i] and LONGEST_NAME or #want) then return false end
      if not meet(globbed[k].tokens, rule.tokens and rule.tokens[i] or tokens(want)) then return false end
      spelt = false
    end
  end
  return true
end

-- The rule that a path fits, a normal one, in any case; nil when there is none. The second result says that it is
-- the folder itself, not something below.
function Table:match(text)
  local globbed = is_glob(text)
  -- `.!(git)` may be nearly anything.
  if globbed then text = text:gsub("[!+@?*]%b()", "*") end
  local segments = {}
  for segment in text:lower():gmatch("[^/]+") do segments[#segments + 1] = segment end
  local count = #segments
  if count == 0 then return nil end
  if globbed then return self:could_match(segments) end
  for at = 1, count do
    local rule = first(self.folders[segments[at]], segments, at)
    if rule then return rule.written, at == count end
  end
  local base = segments[count]
  local rule = first(self.exact[base], segments, count)
    or first(self.extension[base:match("%.([^.]*)$") or ""], segments, count)
    or first(self.beginning[base:sub(1, 1)], segments, count, true)
    or first(self.ending[base:sub(-1)], segments, count, true)
  return rule and rule.written or nil
end

-- Whether a folder is one of those that rules with several segments name: what is in it depends on where it is.
function Table:matters(text)
  for segment in text:lower():gmatch("[^/]+") do
    if self.within[segment] then return true end
  end
  return false
end

function Table:could_match(segments)
  local count, globbed = #segments, {}
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
      rule = look(self.undotted, at)
    elseif globbed[at] then
      rule = look(self.lead[lead], at) or look(self.lead["*"], at)
    else
      rule = look(self.folders[segment], at)
      if not rule and at == count then
        rule = look(self.exact[segment], at) or look(self.lead["*"], at) or look(self.beginning[lead], at)
      end
    end
    if rule then return rule.written, rule.folder and at == count end
  end
  return nil
end

-- A rule that is below this folder: `.github/workflows/` is below `.github`. Of folders, unless files are wanted, too.
function Table:below(text, files)
  local segments = {}
  for segment in text:lower():gmatch("[^/]+") do segments[#segments + 1] = segment end
  for _, rule in ipairs(self.all) do
    for lead = 1, (rule.folder or files) and #rule - 1 or 0 do
      local held = #segments >= lead
      for i = 1, lead do
        held = held and segments[#segments - lead + i] == rule[i]
      end
      if held then return rule.written end
    end
  end
  return nil
end

return names
