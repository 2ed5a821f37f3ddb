-- Paths by their text. Links are for orcs.real_path.
local path = {}

-- The home directory of whoever runs the engine; nil when it is not known.
local home = orcs.shell("cd ~")[1]
path.home = home and home.argv[2] and home.argv[2]:sub(1, 1) == "/" and home.argv[2] or nil

-- Without `.`, `..`, empty segments and a slash at the end: `./a//b/../c/` is `a/c`. A relative path keeps the
-- `..` that lead out of it.
local function normal(text)
  if not (text:find("//", 1, true) or text:find("/.", 1, true) or text:find("^%./?") or text:find("/$")) then
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

-- A path as it is seen from a directory; relative when the directory is not known.
function path.resolve(text, cwd)
  if text:sub(1, 1) == "/" or not cwd then return normal(text) end
  return normal(cwd .. "/" .. text)
end

-- A path that a tool was given, where `~`, `$HOME` and file: addresses are understood by some.
function path.given(text)
  if text:find("^%s") or text:find("%s$") then text = text:match("^%s*(.-)%s*$") end
  if text:find("^[Ff][Ii][Ll][Ee]:/") then
    -- Between two slashes and the next one stands the name of a host.
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

-- An absolute path as it is seen from a directory that it is in, "" for itself; nil elsewhere. Both normal.
function path.inside(directory, text)
  if text == directory then return "" end
  local lead = directory == "/" and "/" or directory .. "/"
  if text:sub(1, #lead) == lead then return text:sub(#lead + 1) end
  return nil
end

-- Where links lead to, or nothing and why that is not known.
function path.real(text, cwd)
  local ok, real = pcall(orcs.real_path, text, cwd)
  if ok then return real end
  return nil, (tostring(real):gsub("^.-orcs%.real_path: ", ""))
end

-- A path up to the segment that is a glob, for the disk knows none; all of it where none is.
function path.plain_lead(text)
  local at = text:find("[*?[]")
  if not at then return text end
  return text:sub(1, at - 1):match("^(.*/)") or "."
end

-- Where a write ends: absolute, links followed; nothing and why where that is not known. With `how` as in
-- file_guard.write_targets: of what goes, the entry goes, not what it leads to.
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
