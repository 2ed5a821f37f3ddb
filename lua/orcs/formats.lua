-- Readers of TOML and of the YAML of front matter (mappings, lists and plain values), and a writer of TOML. Dates are
-- texts.
local M = {}

local ESCAPES = { b = "\b", t = "\t", n = "\n", f = "\f", r = "\r", ['"'] = '"', ["\\"] = "\\" }

local function unescaped(text)
  text = text:gsub("\\([uU])(%x%x%x%x)(%x?%x?%x?%x?)", function(kind, four, more)
    if kind == "U" then return utf8.char(tonumber(four .. more, 16)) end
    return utf8.char(tonumber(four, 16)) .. more
  end)
  return (text:gsub("\\(.)", ESCAPES))
end

local function number_or_text(word)
  local plain = word:gsub("_", "")
  local base = ({ ["0o"] = 8, ["0b"] = 2 })[plain:sub(1, 2)]
  return base and tonumber(plain:sub(3), base) or plain:find("^[+-]?[%d.]") and tonumber((plain:gsub("^%+", ""))) or nil
end

function M.toml_parse(text)
  local at, root, value = 1, {}, nil

  local function fail(why)
    local _, lines = text:sub(1, at - 1):gsub("\n", "")
    error(("TOML, line %d: %s"):format(lines + 1, why), 0)
  end

  local function skip(blank)
    repeat
      local from = at
      at = text:find("[^" .. blank .. "]", at) or #text + 1
      if text:sub(at, at) == "#" then at = text:find("\n", at, true) or #text + 1 end
    until at == from
  end

  local function take(pattern)
    local found, stop = text:match("^(" .. pattern .. ")()", at)
    if found then at = stop end
    return found
  end

  local function quoted()
    local quote = take('"""\r?\n?') or take("'''\r?\n?") or take("[\"']")
    local mark = quote:match("^[\"']+")
    local stop = at
    while true do
      stop = text:find(mark, stop, true) or fail("the text is not closed")
      local slashes = mark:sub(1, 1) == '"' and #text:sub(at, stop - 1):match("\\*$") or 0
      if slashes % 2 == 0 then break end
      stop = stop + 1
    end
    local inner = text:sub(at, stop - 1)
    if #mark == 1 and inner:find("\n", 1, true) then fail("the text is not closed") end
    at = stop + #mark
    if mark:sub(1, 1) == "'" then return inner end
    return unescaped((inner:gsub("\\\r?\n%s*", "")))
  end

  local function keys()
    local path = {}
    repeat
      skip(" \t")
      path[#path + 1] = text:find("^[\"']", at) and quoted() or take("[%w_-]+") or fail("a key is expected")
      skip(" \t")
    until not take("%.")
    return path
  end

  local function table_at(from, path, last)
    for i = 1, last do
      local inner = from[path[i]]
      if inner == nil then
        inner = {}
        from[path[i]] = inner
      end
      if type(inner) ~= "table" then fail(path[i] .. " is not a table") end
      from = inner[1] ~= nil and inner[#inner] or inner
    end
    return from
  end

  local function pair(into)
    local path = keys()
    if not take("=") then fail("= is expected") end
    skip(" \t")
    local holder = table_at(into, path, #path - 1)
    if holder[path[#path]] ~= nil then fail("the key " .. path[#path] .. " is there twice") end
    holder[path[#path]] = value()
  end

  local function list(close, blank, item)
    local result = close == "]" and orcs.array() or {}
    skip(blank)
    while not take("%" .. close) do
      item(result)
      skip(blank)
      if not take(",") and text:sub(at, at) ~= close then fail(close .. " is expected") end
      skip(blank)
    end
    return result
  end

  function value()
    if text:find("^[\"']", at) then return quoted() end
    if take("%[") then return list("]", " \t\r\n", function(items) items[#items + 1] = value() end) end
    if take("{") then return list("}", " \t", pair) end
    local word = take("[%w+.:_-]+") or fail("a value is expected")
    if word == "true" or word == "false" then return word == "true" end
    if word:find("^%d%d%d%d%-") or word:find("^%d%d:") then return word .. (take(" %d%d:[%w:.+-]+") or "") end
    return number_or_text(word) or fail("not a value: " .. word)
  end

  local current = root
  while true do
    skip(" \t\r\n")
    if at > #text then return root end
    local is_list = take("%[%[") ~= nil
    if is_list or take("%[") then
      local path = keys()
      if not take(is_list and "%]%]" or "%]") then fail("] is expected") end
      if is_list then
        local holder = table_at(root, path, #path - 1)
        local items = holder[path[#path]] or orcs.array()
        holder[path[#path]], current = items, {}
        items[#items + 1] = current
      else
        current = table_at(root, path, #path)
      end
    else
      pair(current)
    end
    skip(" \t\r")
    if at <= #text and not take("\n") then fail("the end of the line is expected") end
  end
end

local function sorted_keys(t)
  local names = {}
  for name in pairs(t) do names[#names + 1] = name end
  table.sort(names)
  return names
end

local function key_text(name) return name:find("^[%w_-]+$") and name or orcs.json_encode(name) end

local function is_list(t) return #t > 0 or orcs.json_encode(t) == "[]" end

local function inline(v)
  if type(v) ~= "table" then return orcs.json_encode(v) end
  local parts = {}
  if is_list(v) then
    for i, item in ipairs(v) do parts[i] = inline(item) end
    return "[" .. table.concat(parts, ", ") .. "]"
  end
  for i, name in ipairs(sorted_keys(v)) do parts[i] = key_text(name) .. " = " .. inline(v[name]) end
  return #parts == 0 and "{}" or "{ " .. table.concat(parts, ", ") .. " }"
end

function M.toml_encode(t)
  local lines = {}
  local function write(part, path)
    local sections = {}
    for _, name in ipairs(sorted_keys(part)) do
      local v = part[name]
      if type(v) == "table" and not is_list(v) then sections[#sections + 1] = name
      else lines[#lines + 1] = key_text(name) .. " = " .. inline(v) end
    end
    for _, name in ipairs(sections) do
      local full = path .. key_text(name)
      lines[#lines + 1] = "\n[" .. full .. "]"
      write(part[name], full .. ".")
    end
  end
  write(t, "")
  return table.concat(lines, "\n"):gsub("^\n", "") .. "\n"
end

local function yaml_value(text)
  text = text:gsub("%s+#.*$", ""):match("^%s*(.-)%s*$")
  if text:find("^%[.*%]$") then
    local items = orcs.array()
    for item in text:sub(2, -2):gmatch("[^,]+") do items[#items + 1] = yaml_value(item) end
    return items
  end
  local double, single = text:match('^"(.*)"$'), text:match("^'(.*)'$")
  if double then return unescaped(double) end
  if single then return (single:gsub("''", "'")) end
  if text == "true" or text == "false" then return text == "true" end
  if text == "" or text == "~" or text == "null" then return nil end
  return number_or_text(text) or text
end

function M.yaml_parse(text)
  local lines, at = {}, 1
  for line in (text .. "\n"):gmatch("(.-)\r?\n") do
    if line:find("%S") and not line:find("^%s*#") then lines[#lines + 1] = { indent = #line:match("^ *"), text = line:match("^ *(.*)$") } end
  end

  local function block(indent)
    local dash = lines[at].text:find("^%-%s") or lines[at].text == "-"
    local result = dash and orcs.array() or {}
    while lines[at] and lines[at].indent == indent and (not dash) == not (lines[at].text .. " "):find("^%-%s") do
      local line = lines[at].text
      local item = line:match("^%-%s*(.*)$")
      local key, rest = line:match("^[\"']?([%w_ ./-]-)[\"']?%s*:%s*(.*)$")
      if item and item:find("^[%w_-]+:%s") then
        -- A mapping that begins behind the dash.
        lines[at] = { indent = indent + 2, text = item }
        result[#result + 1] = block(indent + 2)
      elseif item or key then
        at = at + 1
        local v = yaml_value(item or rest)
        local next_line = lines[at]
        if (rest == "|" or rest == ">") and next_line then
          local parts = {}
          while lines[at] and lines[at].indent > indent do
            parts[#parts + 1] = lines[at].text
            at = at + 1
          end
          v = table.concat(parts, rest == "|" and "\n" or " ")
        elseif v == nil and next_line and (next_line.indent > indent or key and next_line.indent == indent and next_line.text:find("^%- ")) then
          v = block(next_line.indent)
        end
        if item then result[#result + 1] = v else result[key] = v end
      else
        error("YAML: not understood: " .. line, 0)
      end
    end
    return result
  end
  if not lines[1] then return {} end
  local result = block(lines[1].indent)
  if lines[at] then error("YAML: not understood: " .. lines[at].text, 0) end
  return result
end

return M
