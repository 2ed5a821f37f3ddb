-- Operations on paths as text. Only path.real and path.target resolve links.
local path = {}

-- The home directory of the user who runs the engine; nil when unknown.
local home = orcs.shell("cd ~")[1]
path.home = home and home.argv[2] and home.argv[2]:sub(1, 1) == "/" and home.argv[2] or nil

-- Folders of temporary files.
path.TEMPORARY = {
  "/tmp", "/var/tmp", "/private/tmp", "/private/var/tmp", "/var/folders", "/private/var/folders", "/dev/shm",
}

-- Removes `.`, `..`, empty segments and a trailing slash: `./a//b/../c/` becomes `a/c`. A relative
-- path keeps its leading `..` segments.
local function normal(text)
  if not (text:find("//") or text:find("/.", 1, true) or text:find("^%./?") or text:find("/$")) then
    return text
  end
  local absolute = text:sub(1, 1) == "/"
  local kept = {}
  for segment in text:gmatch("[^/]+") do
    if segment == ".." then
      if #kept > 0 and kept[#kept] ~= ".." then
        kept[#kept] = nil
      elseif not absolute then
        kept[#kept + 1] = segment
      end
    elseif segment ~= "." then
      kept[#kept + 1] = segment
    end
  end
  return (absolute and "/" or "") .. table.concat(kept, "/")
end

path.normal = normal

-- Resolves a path against a directory; a relative path stays relative when the directory is
-- unknown.
function path.resolve(text, cwd)
  if text:sub(1, 1) == "/" or not cwd then return normal(text) end
  return normal(cwd .. "/" .. text)
end

-- Expands a path argument of a tool: some tools accept `~`, `$HOME` and file: URLs.
function path.given(text)
  if text:find("^%s") or text:find("%s$") then text = text:match("^%s*(.-)%s*$") end
  if text:find("^[Ff][Ii][Ll][Ee]:/") then
    -- The host name is between the first two slashes and the next one.
    text = text:gsub("^%a+:", "", 1):gsub("^//[^/]*", "", 1)
    text = text:gsub("%%(%x%x)", function(code) return string.char(tonumber(code, 16)) end)
    return text:sub(1, 1) == "/" and text or "/" .. text
  end
  if path.home then
    for _, lead in ipairs({ "~", "$HOME", "${HOME}" }) do
      if text == lead or text:sub(1, #lead + 1) == lead .. "/" then
        return path.home .. text:sub(#lead + 1)
      end
    end
  end
  return text
end

-- A path relative to a directory that contains it, "" for the directory itself; nil when it is
-- outside. Both must be absolute and normalized.
function path.inside(directory, text)
  if text == directory then return "" end
  local lead = directory == "/" and "/" or directory .. "/"
  if text:sub(1, #lead) == lead then return text:sub(#lead + 1) end
  return nil
end

-- Resolves links. Returns nil and the reason when the target is unknown.
function path.real(text, cwd)
  local ok, real = pcall(orcs.real_path, text, cwd)
  if ok then return real end
  return nil, (tostring(real):gsub("^.-orcs%.real_path: ", ""))
end

-- The part of a path before the first segment that is a glob, because the file system doesn't
-- expand globs; the whole path when no segment is one.
function path.plain_lead(text)
  local at = text:find("[*?[]")
  if not at then return text end
  return text:sub(1, at - 1):match("^(.*/)") or "."
end

-- Calls resolve(part) with the part of a path before its first glob, and returns what that is with the rest behind it;
-- nil and the reason when unknown. Of a path without globs, `resolve` gets all, and true.
function path.with_globs(text, resolve)
  local lead = path.plain_lead(text)
  local real, why = resolve(lead, lead == text)
  if not real or lead == text then return real, why end
  return normal(real .. "/" .. (lead == "." and text or text:sub(#lead + 1)))
end

-- The directory that a call starts in: absolute; that of the process when the call names none.
function path.start(payload)
  local cwd = payload.cwd or payload.sandbox_root
  return type(cwd) == "string" and cwd:sub(1, 1) == "/" and normal(cwd) or path.real(".")
end

-- The absolute path that a write changes, with links resolved; nil and the reason when unknown.
-- `how`: with "gone", a link itself is removed, so the last segment is not resolved.
function path.target(text, cwd, how)
  if how ~= "gone" then return path.real(text, cwd) end
  local bare = text:gsub("(.)/+$", "%1")
  local folder, base = bare:match("^(.*/)([^/]*)$")
  if not folder then folder, base = ".", bare end
  if base == "." or base == ".." or text:find("/$") then return path.real(text, cwd) end
  local real, why = path.real(folder, cwd)
  return real and normal(real .. "/" .. base), why
end

return path
