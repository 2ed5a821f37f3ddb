-- A small agent: reads this repository's history and files through its tools and writes release notes.
-- Run it with `npm start`; the hooks of orcs.toml act on every call it makes.

local function lines_of(text)
  local lines = {}
  for line in text:gmatch("[^\n]+") do lines[#lines + 1] = line end
  return lines
end

local function first_group(subject)
  local verb = subject:match("^(%a+)") or "Other"
  local groups = { Add = "Added", Fix = "Fixed", Remove = "Removed", Set = "Added" }
  return groups[verb] or "Changed"
end

-- 1. The history. A hook bounds it: the command that runs is not quite the one asked for.
local log = orcs.exec("git log --pretty=format:%h%x09%ad%x09%s --date=short")
if not log.ok then orcs.log("warn", "no history: " .. log.error) end

local groups, order, count = {}, { "Added", "Changed", "Fixed", "Removed" }, 0
for _, line in ipairs(lines_of(log.ok and log.stdout or "")) do
  local hash, date, subject = line:match("^(%x+)\t(%S+)\t(.*)$")
  if hash then
    local group = first_group(subject)
    groups[group] = groups[group] or {}
    table.insert(groups[group], ("- %s (%s, %s)"):format(subject, hash, date))
    count = count + 1
  end
end

-- 2. Pushing is not this agent's business, and a hook says so. The agent goes on without.
local push = orcs.exec("git push --force origin main")
if not push.ok then orcs.log("warn", "not pushed: " .. push.error) end

-- 3. Title and version from files. The token in the settings never arrives here.
local settings = orcs.read("examples/settings/sample.ini")
local title = settings.ok and settings.content:match("title%s*=%s*(%S+)") or "this project"
local token = settings.ok and settings.content:match("token%s*=%s*(%S+)") or "none"
local package = orcs.read("package.json")
local version = package.ok and orcs.json_decode(package.content).version or "0.0.0"

-- 4. What the code promises. The fourth search is one too many for the rate limit.
local counts = {}
for _, what in ipairs({ "export function", "export class", "export interface", "export type" }) do
  local found = orcs.grep("^" .. what, "src")
  if found.ok then
    counts[#counts + 1] = ("- %d × `%s`"):format(#found.matches, what)
  else
    counts[#counts + 1] = ("- `%s`: not counted (%s)"):format(what, found.error)
  end
end

-- 5. The file.
local out = { "# " .. title .. " " .. version, "", count .. " changes.", "" }
for _, group in ipairs(order) do
  if groups[group] then
    out[#out + 1] = "## " .. group
    out[#out + 1] = ""
    for _, line in ipairs(groups[group]) do out[#out + 1] = line end
    out[#out + 1] = ""
  end
end
out[#out + 1] = "## In the source"
out[#out + 1] = ""
for _, line in ipairs(counts) do out[#out + 1] = line end
out[#out + 1] = ""
out[#out + 1] = "The token in the settings reads: " .. token
out[#out + 1] = ""

orcs.mkdir("dist/notes")
local written = orcs.write("dist/notes/RELEASE_NOTES.md", table.concat(out, "\n"))
if not written.ok then error("not written: " .. written.error) end
orcs.emit_output(("wrote dist/notes/RELEASE_NOTES.md, %d bytes, %d changes"):format(written.size, count))
