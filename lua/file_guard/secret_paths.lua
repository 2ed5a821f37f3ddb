-- Whether a path is a secret, for one call. Uses the options `allow` and `deny`, and resolves
-- links.
local path = require "file_guard.path"
local secrets = require "file_guard.secrets"

-- Maximum number of paths in a call that are checked for links: each check accesses the disk.
local MOST_LINKS = 32
local LONGEST_PATH = 4096

local TAKES = "%s takes all of %s, and the keys and credentials in it. Name the folder that you need."
local SOURCED = " Give it to the program alone that needs it, as node --env-file and docker run --env-file do."
local HELP = " Work with an example of it (.env.example), or ask the user for what you need."

local Paths = {}
Paths.__index = Paths

-- opted: { allowed, denied } from file_guard.globs, nil for none; base: the directory that their
-- globs are relative to
local function new(opted, base)
  return setmetatable({ opted = opted, base = base, links = MOST_LINKS, known = {}, matters = {} }, Paths)
end

-- The rule that a path matches; nil when it is not a secret. The path is absolute, or relative when
-- its directory is unknown.
function Paths:rule(text)
  local opted = self.opted
  local rule = opted.denied and opted.denied(text, self.base) or secrets.match(text)
  if rule and opted.allowed and opted.allowed(text, self.base) then return nil end
  return rule
end

-- The same for a path as written; cwd: the directory that it is relative to, nil when unknown.
function Paths:named(text, cwd)
  -- Except in a few folders, whether a bare name is a secret doesn't depend on its directory.
  if cwd and not self.opted.denied and not text:find("/") and text ~= "." and text ~= ".." then
    if self.matters[cwd] == nil then self.matters[cwd] = secrets.matters(cwd) end
    if not self.matters[cwd] and not secrets.match(text) then return nil end
  end
  return self:rule(path.resolve(text, cwd))
end

-- The rule that the target of a link matches, or nil; when the target is unknown, nil and the
-- reason. A call may ask twice about a path: it is looked at once.
function Paths:linked(text, cwd)
  local key = (cwd or "") .. "\0" .. text
  local known = self.known[key]
  if known then return known.rule, known.why end
  if self.links == 0 or text == "" or #text > LONGEST_PATH then return nil end
  self.links = self.links - 1
  -- Of a glob, the folder that it begins with: `link/*`.
  local real, why = path.with_globs(text, function(lead) return path.real(lead, cwd) end)
  local rule = real and real ~= path.resolve(text, cwd) and self:rule(real) or nil
  self.known[key] = { rule = rule, why = why }
  return rule, why
end

-- Returns a word in a text that names a secret, or nil.
function Paths:mentioned(text, cwd)
  for word in text:gmatch("[^%s\"'`$(){}<>|;&=:@,\\]+") do
    if self:named(path.given(word), cwd) then return word end
  end
  return nil
end

-- Whether a path is the home directory, a folder above it, or a folder in it that secrets are below.
local function is_above_home(text)
  local home = path.home
  if not home then return false end
  if path.inside(text, home) then return true end
  local below = path.inside(home, text)
  return below ~= nil and secrets.below(below) ~= nil
end

local function shortened(text)
  text = text:gsub("%c", " ")
  return #text > 120 and text:sub(1, 117) .. "..." or text
end

-- A command as shown in a reason.
local function command_text(command)
  return '"' .. shortened(table.concat(command.argv, " ")) .. '"'
end

-- The possible paths in a word: the whole word, and its parts around the separators between a name and a value.
local function parts(word, add)
  local address = word:find("^%a[%w+.-]*:/") and word:lower():find("^file:")
  if not address and word:find("^%a[%w+.-]*://") then return end
  add(word)
  if address then add(path.given(word)) end
  local joined = word:match("^%-%a(.+)$")
  if joined then add(joined) end
  local _, _, after = word:find("[=@](.+)$")
  if after then
    if after:find("^%a[%w+.-]*://") and not after:lower():find("^file:") then return end
    add(after)
  end
  for part in word:gmatch("[^=@:,;<]+") do
    if part ~= word then add(part) end
  end
end

-- A secret that any word or redirect of a command names.
local function named_anywhere(command, paths)
  local found
  local function add(text)
    if not found and text ~= "" and paths:named(text, command.cwd) then found = text end
  end
  for at = 2, #command.argv do parts(command.argv[at], add) end
  for _, redirect in ipairs(command.redirects) do add(redirect.target) end
  return found
end

-- The reason for denying a call that would read or send a secret.
local function refusal(what, text)
  local help = (what:find('^"source ') or what:find('^"%. ')) and SOURCED or HELP
  return ("%s would read or send %s, which holds secrets or may hold them.%s"):format(what, shortened(text), help)
end

local function takes(what, text) return TAKES:format(what, shortened(text)) end

return {
  new = new, is_above_home = is_above_home, refusal = refusal, takes = takes, command_text = command_text,
  shortened = shortened, named_anywhere = named_anywhere,
}
