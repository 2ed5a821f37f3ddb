-- Finds calls that would read or send a secret: see hooks/secret-guard.lua.
local call = require "file_guard.call"
local look_at_line = require "file_guard.secret_lines"
local patch = require "file_guard.patch"
local path = require "file_guard.path"
local secret_paths = require "file_guard.secret_paths"
local words = require "file_guard.words"
local set = words.set
local refusal = secret_paths.refusal

-- Words in tool names.
local LISTS = set "glob globs ls list listdir stat exists tree dir directory directories mkdir info metadata"
local SHOWS = set [[
  read cat content contents open view download upload send copy cp grep search exec run fetch load show print get dump
  head tail move mv rename share attach import parse ]]
local LOOKS_UP = set "info metadata stat exists"
local WRITES = set "write create save put delete remove unlink rm rmdir mkdir touch chmod overwrite"
-- Arguments of writing tools that name files to include in what is written.
local TAKEN = set "files file attachments attachment sources source inputs input from media images image documents"
local TAKES_AWAY = set "delete remove unlink rm rmdir mkdir touch chmod"
local CONTENT = set "content contents filetext text data body"
-- For a tool with several commands, the argument `command` says what it does.
local COMMANDS = set "create view insert delete"
local EDITS = set "edit replace patch update insert str multi apply read copy move rename upload send share attach get"
local SEARCHES = set "grep search rg ripgrep ag find text"
-- Arguments that are certainly paths: if their target is unknown, the call is denied.
local SURE = set [[
  path paths filepath notebookpath targetfile targetnotebook file files filename absolutepath relativepath ]]

local function is_address(text)
  return text:find("^%a[%w+.-]*://") ~= nil and not text:lower():find("^file:")
end

-- The actions that the words of a tool's name stand for.
local function said(words)
  local does = {}
  for word in pairs(words) do
    does.lists = does.lists or LISTS[word]
    does.shows = does.shows or SHOWS[word]
    does.looks_up = does.looks_up or LOOKS_UP[word]
    does.writes = does.writes or WRITES[word]
    does.takes_away = does.takes_away or TAKES_AWAY[word]
    does.edits = does.edits or EDITS[word]
    does.searches = does.searches or SEARCHES[word]
  end
  if does.looks_up and words.get then does.shows = nil end
  return does
end

-- Checks the files that patches name. Returns the reason to deny the call, or nil, and whether
-- there is a patch.
local function look_at_patches(read, paths, opted)
  local any = false
  for _, entry in ipairs(read.texts) do
    if (call.PATCH[entry.key] or entry.key == "") and patch.is_patch(entry.text) then
      any = true
      for _, file in ipairs(patch.files(entry.text)) do
        local shown = file.verb == "update" or file.verb == "move" or not opted.write
        if shown and (paths:named(file.path, read.cwd) or paths:linked(file.path, read.cwd)) then
          return refusal("a patch", file.path), any
        end
      end
    end
  end
  return nil, any
end

-- Expands a glob with braces, which stands for several globs: `*.{env,pem}`.
local MOST_GLOBS = 64
local function globs_of(text)
  local list = { text }
  local i = 1
  while list[i] and #list <= MOST_GLOBS do
    local before, inner, after = list[i]:match("^(.-){([^{}]*)}(.*)$")
    if before then
      table.remove(list, i)
      for part in (inner .. ","):gmatch("([^,]*),") do table.insert(list, i, before .. part .. after) end
    else
      i = i + 1
    end
  end
  return list
end

local function look_at_text(entry, read, paths, searches)
  local text = entry.text
  if #text > secret_paths.LONGEST_PATH or is_address(text) then return nil end
  -- A text with a line break, or with a space before the first slash, is prose.
  if not entry.path and (text:find("\n") or text:find("^[^/\\]*%s")) then return nil end
  local what = ('the argument "%s"'):format(entry.name)
  local found
  local function try(part)
    if found or part == "" then return end
    local given = path.given(part)
    if paths:named(given, read.cwd) then
      found = refusal(what, part)
    elseif entry.path and searches and secret_paths.is_above_home(path.resolve(given, read.cwd)) then
      found = secret_paths.takes("a search", part)
    end
  end
  -- A negated glob excludes files, so it is skipped.
  if entry.path and text:sub(1, 1) == "!" then return nil end
  words.parts(text, try)
  if entry.path and text:find("{") then
    for _, glob in ipairs(globs_of(text)) do try(glob) end
  end
  try((text:gsub("\\", "/")))
  if found or not entry.path then return found end
  local rule, why = paths:linked(path.given(text), read.cwd)
  if rule then return refusal(what, text .. " (a link)") end
  return why and SURE[entry.key] and ("it is unknown where %s leads to: %s."):format(what, why) or nil
end

local function look_at_tool(read, paths, opted)
  local reason, patched = look_at_patches(read, paths, opted)
  if reason or patched then return reason end
  local does = said(read.words)
  for _, entry in ipairs(read.texts) do
    if entry.key == "command" and COMMANDS[entry.text] then
      does = said({ [entry.text == "view" and "read" or entry.text] = true })
    end
  end
  if does.lists and not does.shows and not opted.strict then return nil end
  local writes = does.writes and not does.edits and opted.write
  local content = false
  for _, entry in ipairs(read.texts) do content = content or CONTENT[entry.key] or false end
  for _, entry in ipairs(read.texts) do
    local is_text = call.TEXT[entry.key] or call.COMMAND[entry.key] or entry.top == "env"
      or (does.searches and call.PATTERN[entry.key])
      or (writes and (content or does.takes_away or not TAKEN[entry.top]))
    reason = not is_text and look_at_text(entry, read, paths, does.searches) or nil
    if reason then return reason end
  end
  return nil
end

local function environment(read)
  local texts = {}
  for _, entry in ipairs(read.texts) do
    if entry.top == "env" then texts[#texts + 1] = entry.text end
  end
  return table.concat(texts, " ")
end

-- Checks a string that the tool runs, in any language.
local function look_at_script(script, read, paths, opted)
  local reason = look_at_line(script, read.command_cwd, environment(read), paths, opted)
  if reason then return reason end
  -- The files that strings of code name are the same in any language.
  for _, effect in ipairs(not reason and orcs.shell({ "python3", "-c", script }, read.command_cwd)[1].effects or {}) do
    if effect.kind == "read" and effect.target and paths:named(effect.target) then return refusal("a program", effect.word) end
  end
  return reason
end

-- opted: { strict, write, allowed, denied }; allowed and denied are from file_guard.globs, nil for
-- none
return function(opted)
  -- Returns why a call, as read by file_guard.call, is denied; nil when it is not.
  return function(read)
    if #read.texts == 0 then return nil end
    local paths = secret_paths.new(opted, read.cwd)
    for _, line in ipairs(read.commands or {}) do
      local reason = look_at_line(line, read.command_cwd, environment(read), paths, opted, read.dialect)
      if reason then return reason end
    end
    for _, script in ipairs(read.scripts or {}) do
      local reason = look_at_script(script, read, paths, opted)
      if reason then return reason end
    end
    return look_at_tool(read, paths, opted)
  end
end
