-- The files that a patch touches: headers of apply_patch (`*** Update File: x`) and of unified
-- diffs (`+++ b/x`).
-- A line that only looks like a header counts as well: for a guard, an extra file is safer than a
-- missed one.

local VERBS = { add = "add", delete = "delete", update = "update", ["move to"] = "move" }

local function trimmed(text)
  return (text:match("^%s*(.-)%s*$"))
end

-- The name in a header of a diff, without quotes and timestamp; the second result also omits the
-- `a/` prefix.
local function diff_name(text)
  text = trimmed(text:gsub("\t.*$", ""))
  text = text:match('^"(.*)"$') or text
  if text == "/dev/null" then return nil end
  return text, text:match("^[a-z]/(.+)$")
end

-- Returns a list of { path, verb }; verb is add, delete, update or move.
local function files(text)
  local found = {}
  local function add(path, verb)
    if path and path ~= "" then found[#found + 1] = { path = path, verb = verb } end
  end
  local made = false
  for line in text:gmatch("[^\r\n]+") do
    local head = line:match("^%s*(%*%*%*.*)$")
    if head then
      local verb, path = head:match("^%*%*%*%s*(%a[%a ]-)%s*:(.*)$")
      verb = verb and verb:lower():gsub("%s+file$", "")
      if verb and VERBS[verb] then add(trimmed(path), VERBS[verb]) end
    end
    local sign, name = line:match("^([-+][-+][-+])%s+(.*)$")
    if not sign then
      sign, name = line:match("^(%a+ %a+) (.*)$")
      if sign ~= "rename from" and sign ~= "rename to" and sign ~= "copy from" and sign ~= "copy to" then sign = nil end
    end
    if sign then
      local path, short = diff_name(name)
      if sign == "---" then made = path == nil end
      local verb = sign == "+++" and made and "add" or sign:find(" to$") and "move" or "update"
      add(path, verb)
      add(short, verb)
    end
  end
  return found
end

-- Whether a text looks like a patch.
local function is_patch(text)
  return text:find("*** Begin Patch", 1, true) ~= nil
    or text:find("^%s*%*%*%*%s*%a+ [Ff]ile%s*:") ~= nil
    or text:find("\n%s*%*%*%*%s*%a+ [Ff]ile%s*:") ~= nil
    or (text:find("^%-%-%- ") ~= nil or text:find("\n--- ", 1, true) ~= nil) and text:find("\n+++ ", 1, true) ~= nil
    or text:find("^diff %-%-git ") ~= nil
end

return { files = files, is_patch = is_patch }
