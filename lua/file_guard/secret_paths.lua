-- Whether a path is a secret, for one call: with what the options allow and deny, and links followed.
local names = require "file_guard.names"
local path = require "file_guard.path"
local secrets = require "file_guard.secrets"

-- Links of a call that are followed; each is a look at the disk.
local MOST_LINKS = 32
local LONGEST_PATH = 4096

local TAKES = "%s takes all of %s, and the keys and credentials in it. Name the folder that you need."
local SOURCED = " Give it to the program alone that needs it, as node --env-file and docker run --env-file do."
local HELP = " Work with an example of it (.env.example), or ask the user for what you need."

local Paths = {}
Paths.__index = Paths

-- opted: { allowed, denied } of file_guard.globs, nil for none; base: the directory that they are seen from
local function new(opted, base)
  return setmetatable({ opted = opted, base = base, links = MOST_LINKS, matters = {} }, Paths)
end

-- The rule that a path fits, an absolute one unless its directory is not known; nil when it is no secret.
function Paths:rule(text)
  local opted = self.opted
  local rule = opted.denied and opted.denied(text, self.base) or secrets.match(text)
  if rule and opted.allowed and opted.allowed(text, self.base) then return nil end
  return rule
end

-- The same for a path as it is written; cwd: where it is seen from, nil when that is not known.
function Paths:named(text, cwd)
  -- What a bare name is does not depend on where it stands, but in a few folders.
  if cwd and not self.opted.denied and not text:find("/", 1, true) and text ~= "." and text ~= ".." then
    local matters = self.matters[cwd]
    if matters == nil then
      matters = secrets.matters(cwd)
      self.matters[cwd] = matters
    end
    if not matters and not secrets.match(text) then return nil end
  end
  return self:rule(path.resolve(text, cwd))
end

-- The rule that a link leads to; nil, and why when that is not known.
function Paths:linked(text, cwd)
  if self.links == 0 or text == "" or #text > LONGEST_PATH or names.is_glob(text) then return nil end
  self.links = self.links - 1
  local real, why = path.real(text, cwd)
  if not real then return nil, why end
  if real == path.resolve(text, cwd) then return nil end
  return self:rule(real)
end

-- A secret that a piece of text names somewhere.
function Paths:mentioned(text, cwd)
  for word in text:gmatch("[^%s\"'`$(){}<>|;&=:@,\\]+") do
    if self:named(path.given(word), cwd) then return word end
  end
  return nil
end

-- Whether a path is the home directory, a folder above it, or one in it that secrets are in.
local function is_above_home(text)
  local home = path.home
  if not home then return false end
  if path.inside(text, home) then return true end
  local below = path.inside(home, text)
  return below ~= nil and not below:find("/", 1, true) and secrets.below(text) ~= nil
end

local function shortened(text)
  text = text:gsub("%c", " ")
  return #text > 120 and text:sub(1, 117) .. "..." or text
end

-- What a command is called in a reason.
local function command_text(command)
  return '"' .. shortened(table.concat(command.argv, " ")) .. '"'
end

-- The reason of a refusal.
local function refusal(what, text)
  local help = (what:find('^"source ') or what:find('^"%. ')) and SOURCED or HELP
  return ("%s would read or send %s, which holds secrets or may hold them.%s"):format(what, shortened(text), help)
end

local function takes(what, text)
  return TAKES:format(what, shortened(text))
end

return {
  new = new, is_above_home = is_above_home, refusal = refusal, takes = takes, command_text = command_text,
  shortened = shortened, LONGEST_PATH = LONGEST_PATH,
}
