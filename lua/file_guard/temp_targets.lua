-- Resolves targets that only the shell knows but that are predictable enough: those with numbers
-- and times in them, and files that mktemp creates.

-- Expressions whose output contains no slash and doesn't lead out of a folder.
local PLAIN = {
  "^%$%(%(.*%)%)$", "^%$%(%s*date%f[^%w][^/]*%)$", "^`%s*date%f[^%w][^/]*`$", "^%$%(%s*hostname%s*%)$",
  "^%$%(%s*whoami%s*%)$", "^%$%(%s*id %-[ug]n?%s*%)$", "^%$%(%s*uname[^/]*%)$", "^%$%(%s*nproc%s*%)$",
  "^%$%(%s*git rev%-parse %-%-short[^/|;&]*%)$", "^%$%(%s*git rev%-parse HEAD%s*%)$", "^%$%(%s*uuidgen%s*%)$",
  "^%$%(%s*wc %-%a [^/|;&]*%)$", "^%d+$",
}

local function is_plain(text)
  for _, pattern in ipairs(PLAIN) do
    if text:find(pattern) then return true end
  end
  return false
end

-- The values that a line assigns to a variable, as written.
local function values(name, line)
  local found, at = {}, 1
  local mark = name .. "="
  while true do
    local first, last = line:find(mark, at, true)
    if not first then return found end
    if first == 1 or line:find("^[%s;&(]", first - 1) then
      local rest = line:sub(last + 1, last + 4096)
      found[#found + 1] = rest:match('^"([^"]*)"') or rest:match("^'([^']*)'") or rest:match("^(`[^`]*`)")
        or rest:match("^(%$%b())") or rest:match("^[^%s;&|)]*")
    end
    at = last + 1
  end
end

-- Whether all values of a variable are plain.
local function is_number(name, line)
  local counted = line:find("for")
    and (line:find("%f[%w_]for%s+" .. name .. "%s+in%s+%$%(%s*seq%s") or line:find("%f[%w_]for%s*%(%(%s*" .. name .. "="))
  if counted then
    return not line:find("[%s;&]" .. name .. "=")
  end
  local found = values(name, line)
  for _, value in ipairs(found) do
    if not is_plain(value) then return false end
  end
  return #found > 0
end

-- Whether a variable is assigned only once, from the output of mktemp.
local function is_made(name, line)
  local _, assigned = line:gsub("%f[%w_]" .. name .. "=", "")
  return assigned == 1 and line:find("%f[%w_]" .. name .. "=[\"']?[$`]%(?%s*mktemp%f[%A]") ~= nil
end

-- Returns a target with its unknown parts replaced by placeholders; nil when it is not predictable.
-- line: the command line that contains it; temporary: the folder in which mktemp creates files, or
-- nil
return function(target, line, temporary)
  if target:sub(1, 1) == "~" then return nil end
  if target:find("..", 1, true) then return not target:find("[$`]") and target or nil end
  local name, rest = target:match("^%${?([%a_][%w_]*)}?(.*)$")
  if temporary and name and (rest == "" or rest:sub(1, 1) == "/") and is_made(name, line) then
    target = temporary .. "/made" .. rest
  end
  target = target:gsub("%$%$", "0"):gsub("%${?RANDOM}?", "0")
  target = target:gsub("%$%b()", function(text) return is_plain(text) and "0" or text end)
  target = target:gsub("`[^`]*`", function(text) return is_plain(text) and "0" or text end)
  target = target:gsub("%${?([%a_][%w_]*)}?", function(word) return is_number(word, line) and "0" or nil end)
  return not target:find("[$`]") and target or nil
end
