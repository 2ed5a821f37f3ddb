-- The targets that a call would write: of a tool that writes, of the commands in a line, and of
-- pieces of code. The guards decide which targets to deny.
local call = require "file_guard.call"
local command_lines = require "shell_guard.commands"
local patch = require "file_guard.patch"
local path = require "file_guard.path"
local code_written = require "file_guard.code_written"
local editor_written = require "file_guard.editor_written"
local ELSEWHERE = require "file_guard.elsewhere"
local sql_written = require "file_guard.sql_written"
local temp_target = require "file_guard.temp_targets"
local words = require "file_guard.words"
local write_targets = require "file_guard.write_targets"
local set = words.set

-- Words in tool names, and in arguments such as `command` that say what a tool does.
local VERBS = set [[
  write edit create delete remove move rename mkdir replace insert append save update put touch patch mv rm rmdir unlink
  symlink link chmod chown truncate overwrite download export upsert modify apply copy cp extract unzip undo
  init clone
  notebookedit multiedit strreplace ]]
local REMOVES = set "delete remove rm rmdir unlink move mv rename"
local COPIES = set "copy cp symlink link extract unzip upload"
local TALKS = set "comment review"
local READS = set "read grep search list view get send message post email fetch upload notify ask query find"
-- Arguments with content to write: a tool that has one writes. The arguments in PERHAPS don't count
-- in a tool that reads or sends (READS).
local CONTENT = set "content contents filetext newstring newstr newtext newsource inserttext insertline edits codeedit"
local PERHAPS = set "text body data replacement base64"
-- Paths that are only read: SOURCE by tools that copy, ONLY_READ by any tool.
local SOURCE = set [[
  from source src sourcepath oldpath include includes glob globpattern image images attachment attachments template
  templatepath ]]
local ONLY_READ = set "include includes glob globpattern image images attachment attachments"
-- Arguments that say what a tool does.
local ACTION = set "action operation op method verb mode type"
-- Values of ACTION arguments and of `command` with which nothing is written.
local VIEWS = set "view read list open show cat"
local PRINTS = set "find fd fdfind ls echo printf"
local PATCHES = set "apply_patch applypatch patch"

local CHANGES = set "write remove attributes"

-- Whether a text may be a path. Of URLs, only file: URLs are paths.
local function is_path(text)
  return not text:find("^%a[%w+.-]+://") or text:lower():find("^file:") ~= nil
end

local function takes_patch(command)
  if PATCHES[command.program] then return true end
  if command.program ~= "git" then return false end
  return orcs.contains(command.argv, "apply") or orcs.contains(command.argv, "am")
end

-- The files of a patch in a command line: in a here-document, or in the quotes of printf.
local function patched(text)
  if not text:find("---", 1, true) and not text:find("***", 1, true) then return {} end
  local loose = text:gsub("\\n", "\n"):gsub("[\"']", "\n")
  local found = patch.is_patch(text) and patch.files(text) or {}
  for _, file in ipairs(patch.is_patch(loose) and patch.files(loose) or {}) do found[#found + 1] = file end
  return found
end

-- Records the target of a link that the line creates, because the link doesn't exist yet.
local function note_link(command, cwd, state)
  local operands = words.split(command.argv, set "-t --target-directory -S --suffix")
  local target, link = operands[1], operands[2]
  if #operands > 2 or not target or not cwd then return end
  local at = path.resolve(link and link.text or target.text:match("[^/]*$"), cwd)
  state.links = state.links or {}
  table.insert(state.links, { at = at, target = path.resolve(target.text, at:match("^(.*)/") or cwd) })
end

-- Resolves a path through the links that the line creates.
local function through_links(text, state)
  -- A link may lead to another one.
  for _ in ipairs(state.links or {}) do
    for _, link in ipairs(state.links) do
      local below = path.inside(link.at, text)
      if below then text = path.normal(link.target .. "/" .. below) end
    end
  end
  return text
end

-- Whether xargs or parallel passes arguments from a pipe to a command.
local function is_handed(command)
  return orcs.contains(command.via, "xargs") or orcs.contains(command.via, "parallel")
end

-- The names of the files that find, fd or ls gives the command at a position; nil if they are not known.
local function names_given(commands, position, printed)
  local via = commands[position].via
  local lister = is_handed(commands[position]) and printed
  for at = position - 1, lister and position or 1, -1 do
    if commands[at].program == via[#via] then
      lister = commands[at]
      break
    end
  end
  return lister and write_targets.names_of(lister) or nil
end

-- Whether a command runs on another machine or in a container.
local function is_elsewhere(command)
  for _, via in ipairs(command.via) do
    if ELSEWHERE[via] then return true end
  end
  return false
end

-- Checks the targets of calls.
-- judge: {
--   refusal(text, cwd, how, read, state): returns why a target is denied, or nil. `how` is as in
--     file_guard.write_targets
--   unknown(text, command, how, state): called for a target that only the shell knows; returns why
--     it is denied, or nil
--   unreadable(line, state): the same for a line that cannot be parsed
--   command(position, commands, line, cwd, read, state), code(text, read, state): return why a
--     command or a piece of code is denied for other reasons, or nil; optional
--   is_code(read): whether the scripts of a tool are never command lines; optional, default false
--   glance(text): whether a text needs to be searched for code that writes; optional, default true
--   verbs, removes: sets of more words in tool names that mean writing and removing; optional, but
--     only together
--   in_script(state): returns the state for a script, which may be a command line or code in any
--     language
--   inner(line, read, state): judges a line that an editor or the shell of a database runs; optional
--   line(line, read, state): judges a line instead of this module; optional
--   made: the folder in which mktemp creates files; nil when unknown
-- }
-- Returns two functions. The first takes a call as read by file_guard.call, and a state table that
-- it passes to the functions above; it returns why the call is denied, or nil. The second does the
-- same for a single line, which is its first argument.
return function(judge)
  local refusal = judge.refusal

  local look_at_line

  -- Returns why a line is denied, or nil. The functions of `judge` record in `state` what is
  -- unknown.
  function look_at_line(line, read, state)
    local text = type(line) == "table" and table.concat(line, " ") or line
    local dialect = type(line) == "string" and read.dialect
    local commands = command_lines.read(line, read.command_cwd, dialect and { dialect = dialect } or nil)
    local refused, printed
    for position, command in ipairs(commands) do
      if command.opaque and #command.argv == 0 and #command.redirects == 0 then refused = judge.unreadable(text, state) end
      local cwd = command.cwd
      local function add(target, unknown, how)
        -- A word that xargs reads from a pipe is "…".
        if refused or (unknown and target == "…") then return end
        if unknown then
          local known = temp_target(target, text, judge.made)
          if known then target, unknown = known, false end
        end
        if unknown or (not cwd and target:sub(1, 1) ~= "/") then
          refused = judge.unknown(target, command, how, state)
          return
        end
        refused = refusal(target, cwd, how, read, state)
        if state.links and not refused then
          local seen = path.resolve(target, cwd)
          local folder, base = seen:match("^(.*)/([^/]*)$")
          -- Removing a link removes the link itself, so only its folder is resolved.
          local leads = how == "gone" and folder and through_links(folder, state) .. "/" .. base
            or through_links(seen, state)
          refused = leads ~= seen and refusal(leads, cwd, how, read, state) or nil
        end
      end
      if judge.command and not refused then refused = judge.command(position, commands, text, cwd, read, state) end
      if command.dialect then
        for _, effect in ipairs(command.effects) do
          if CHANGES[effect.kind] then add(effect.word, effect.target == nil, effect.kind == "remove" and "gone" or nil) end
        end
      elseif not is_elsewhere(command) then
        write_targets.each(command, add, command.via[1] and names_given(commands, position, printed))
        if not judge.glance or judge.glance(text) then
          local function file(target, how)
            if not write_targets.is_device(target) then add(target, false, how) end
          end
          -- A line that an editor passes to a shell is shorter than this one, so this ends.
          local function run(inner)
            local from = setmetatable({ command_cwd = cwd }, { __index = read })
            refused = refused or (judge.inner and judge.inner(inner, from, state))
          end
          code_written.of_command(command, text, file)
          editor_written(command, text, file, run)
          sql_written(command, text, file, run)
        end
        -- xargs passes what find or ls prints to a command such as rm.
        if printed and is_handed(command) and write_targets.writes_given(command.argv) then
          write_targets.printed(printed, add)
        end
      end
      if PRINTS[command.program] then printed = command end
      if command.program == "ln" then note_link(command, cwd, state) end
      if takes_patch(command) then
        for _, file in ipairs(patched(text)) do add(file.path, false, file.verb == "delete" and "gone" or nil) end
      end
      if refused then return refused end
    end
    return nil
  end

  look_at_line = judge.line or look_at_line

  -- Checks a piece of code in any language.
  local function look_at_code(text, read, state)
    local refused = judge.code and judge.code(text, read, state)
    if judge.glance and not judge.glance(text) then return refused end
    code_written.each(text, function(target, how)
      refused = refused or refusal(target, read.command_cwd, how, read, state)
    end)
    return refused
  end

  -- Returns whether a tool writes to its paths, whether it removes them, and whether it copies.
  local function writes(read)
    local verb, removes, copies, talks, reads = false, false, false, false, false
    local views, content = false, false
    for word in pairs(read.words) do
      verb = verb or VERBS[word] or (judge.verbs and judge.verbs[word]) or false
      removes = removes or REMOVES[word] or (judge.verbs and judge.removes[word]) or false
      copies = copies or COPIES[word] or false
      talks = talks or TALKS[word] or false
      reads = reads or READS[word] or false
    end
    for _, entry in ipairs(read.texts) do
      content = content or CONTENT[entry.key] or CONTENT[entry.top] or (PERHAPS[entry.key] and not reads) or false
      if (call.COMMAND[entry.key] or ACTION[entry.key]) and not entry.text:find("%s") then
        local word = (entry.text:match("^%a+") or ""):lower()
        verb = verb or VERBS[word] or (judge.verbs and judge.verbs[word]) or false
        removes = removes or REMOVES[word] or (judge.verbs and judge.removes[word]) or false
        views = views or VIEWS[word] or false
      end
    end
    return ((verb and not views) or content) and not talks, removes, copies
  end

  local function look_at_tool(read, state)
    local writing, removes, copies = writes(read)
    for _, entry in ipairs(read.texts) do
      -- What a command line patches was judged with it.
      local is_line = read.commands and call.COMMAND[entry.key]
      if not is_line and call.PATCH[entry.key] and patch.is_patch(entry.text) then
        for _, file in ipairs(patch.files(entry.text)) do
          local refused = refusal(path.given(file.path), read.cwd, file.verb == "delete" and "gone" or nil, read, state)
          if refused then return refused end
        end
      end
      local source = ONLY_READ[entry.key] or (copies and SOURCE[entry.key])
      if writing and entry.path and not source and entry.text ~= "" and is_path(entry.text) then
        local refused = refusal(path.given(entry.text), read.cwd, removes and "gone" or nil, read, state)
        if refused then return refused end
      end
    end
    return nil
  end

  return function(read, state)
    for _, line in ipairs(read.commands or {}) do
      local refused = look_at_line(line, read, state)
      if refused then return refused end
    end
    for _, line in ipairs(read.scripts or {}) do
      local is_code = judge.is_code and judge.is_code(read)
      local refused = not is_code and look_at_line(line, read, judge.in_script(state))
      refused = refused or look_at_code(line, read, state)
      if refused then return refused end
    end
    return look_at_tool(read, state)
  end, look_at_line
end
