-- orcs.compat: the functions of ORCS' published Lua API that orcs has under other names or not at all. Loaded on
-- demand:
--   local orcs = require "orcs.compat"
-- It also becomes the global `orcs` of the script and its modules, so that a published script needs no change.
-- orcs keeps no board and no sessions of models, so board_recent, llm_dump_sessions and llm_load_sessions raise an
-- error.
local base, load_text = orcs, select(2, ...)
local compat = setmetatable({}, { __index = base })

compat.pwd = base.real_path(".")
compat.json_parse = base.json_decode
compat.dispatch = base.get
compat.output = base.emit_output

function compat.output_with_level(text, level)
  base.log(level == "debug" and level or (level == "warn" or level == "error") and level or "info", text)
  base.emit_output(text)
end

-- Results with the names of the published API, beside those of orcs.
local function named(result, names)
  for theirs, ours in pairs(names) do result[theirs] = result[ours] end
  return result
end

function compat.write(path, content)
  return named(base.write(path, content), { bytes_written = "size" })
end

function compat.grep(pattern, path)
  local found = base.grep(pattern, path)
  for _, match in ipairs(found.matches or {}) do named(match, { line_number = "line", line = "text" }) end
  if found.matches then found.count = #found.matches end
  return found
end

function compat.glob(pattern, dir)
  local found = base.glob(pattern, dir)
  if found.files then found.count = #found.files end
  return found
end

function compat.http(method, url, opts)
  opts = opts or {}
  local timeout = opts.timeout and opts.timeout * 1000
  return base.get("http", { method = method, url = url, headers = opts.headers, body = opts.body, timeout_ms = timeout })
end

function compat.llm(prompt, opts)
  opts = opts or {}
  local asked = { prompt = prompt, system_prompt = opts.system_prompt, model = opts.model, max_tokens = opts.max_tokens }
  return named(base.get("llm", asked), { content = "text" })
end

function compat.llm_ping(opts)
  local url = opts and opts.base_url
  if not url then return { ok = false, error = "the model is the program's: it has no address", error_kind = "invalid_options" } end
  local began = base.now_ms()
  local answer = base.http(url)
  answer.latency_ms, answer.base_url = base.now_ms() - began, url
  return answer
end

for _, name in ipairs({ "board_recent", "llm_dump_sessions", "llm_load_sessions" }) do
  compat[name] = function()
    error("orcs." .. name .. " is not available: orcs keeps neither a board nor sessions of models", 2)
  end
end

for _, name in ipairs({ "mcp_servers", "mcp_tools", "mcp_call" }) do
  compat[name] = function()
    return { ok = false, error = "scripts have no MCP servers: orcs mcp stands in front of them" }
  end
end

function compat.glob_match(patterns, paths)
  if type(patterns) == "string" then return base.glob_match(patterns, paths) end
  local result = { matched = base.array(), unmatched = base.array() }
  for _, path in ipairs(paths) do
    local list = result.unmatched
    for _, pattern in ipairs(patterns) do
      if base.glob_match(pattern, path) then list = result.matched end
    end
    list[#list + 1] = path
  end
  return result
end

-- Requests, and children: a runner is a child, and a request to it is what it is sent.
local children, runners = {}, {}

local function answered(result)
  local given = result.response == nil and result.result or result.response
  if result.ok and type(given) == "table" and type(given.success) == "boolean" then return given end
  return { success = result.ok, data = given, error = result.error }
end

function compat.request(target, operation, payload, opts)
  if runners[target] then
    return answered(base.send_to_child(target, { operation = operation, payload = payload }))
  end
  return answered(base.request(target, operation, payload, opts and { timeout_ms = opts.timeout_ms }))
end

function compat.request_batch(requests)
  local results = base.request_batch(requests)
  if not results.ok then error("request_batch: " .. results.error, 2) end
  for i, result in ipairs(results.results) do results.results[i] = answered(result) end
  return results.results
end

function compat.spawn_child(config)
  -- On the line of the script's own first one: its lines keep their numbers.
  local code = config.script and 'require "orcs.compat" ' .. config.script
  local given = { id = config.id, code = code, script = config.path }
  if config.code then given = config end
  local result = base.spawn_child(given)
  if result.ok then children[result.child_id] = true end
  return named(result, { id = "child_id" })
end

-- A runner is a component: what it is sent as a child is a request.
local RUNNER = [[
%s
local M = (function() %s
end)()
if type(M.init) == "function" then M.init(orcs.array()) end
return { run = M.run or function(request) return M.on_request(request) end }]]

function compat.spawn_runner(config)
  local lines = {}
  local script = config.script or ("return require %q"):format((config.builtin:gsub("%.lua$", "")))
  for name, value in pairs(config.globals or {}) do
    lines[#lines + 1] = ("%s = orcs.json_decode(%q) "):format(name, base.json_encode(value)):gsub("\\\n", "\\n")
  end
  local id = config.id or "runner-" .. base.uuid()
  local result = compat.spawn_child({ id = id, script = RUNNER:format(table.concat(lines), script) })
  if result.ok then runners[id] = true end
  return named(result, { fqn = "id", channel_id = "id" })
end

function compat.stop_child(id)
  children[id], runners[id] = nil, nil
  return base.stop_child(id)
end

function compat.send_to_child_async(id, input)
  return base.send_to_child(id, input, { wait = false })
end

function compat.send_to_children_batch(ids, inputs)
  if #ids ~= #inputs then error("send_to_children_batch: as many inputs as ids are needed", 2) end
  local results = {}
  for i, id in ipairs(ids) do results[i] = base.send_to_child(id, inputs[i]) end
  return results
end

function compat.child_count()
  local count = 0
  for _ in pairs(children) do count = count + 1 end
  return count
end

function compat.max_children() return 64 end

-- Tools and intents.
local TOOLS = {
  { "read", "Read a text file", "path" },
  { "write", "Write a text file", "path content" },
  { "grep", "Search files with a regular expression", "pattern path" },
  { "glob", "Find files by a pattern", "pattern" },
  { "mkdir", "Create a directory", "path" },
  { "remove", "Remove a file or directory", "path" },
  { "mv", "Move a file or directory", "from to" },
  { "scan_dir", "List a directory", "path" },
  { "exec", "Run a command line", "command" },
}
local intents = {}

function compat.tool_schemas()
  local schemas = {}
  for i, tool in ipairs(TOOLS) do
    local args = {}
    for name in tool[3]:gmatch("%S+") do
      args[#args + 1] = { name = name, type = "string", required = true, description = name }
    end
    schemas[i] = { name = tool[1], description = tool[2], args = args }
  end
  return schemas
end

function compat.tool_descriptions()
  local lines = {}
  for _, tool in ipairs(TOOLS) do
    lines[#lines + 1] = ("%s(%s): %s"):format(tool[1], tool[3]:gsub(" ", ", "), tool[2])
  end
  return table.concat(lines, "\n")
end

local function definition(name, description, params)
  local properties, required = {}, base.array()
  for key, param in pairs(params) do
    properties[key] = { type = param.type or "string", description = param.description }
    if param.required then required[#required + 1] = key end
  end
  table.sort(required)
  return { name = name, description = description, parameters = { type = "object", properties = properties, required = required } }
end

function compat.intent_defs()
  local defs = {}
  for _, schema in ipairs(compat.tool_schemas()) do
    local params = {}
    for _, arg in ipairs(schema.args) do params[arg.name] = arg end
    defs[#defs + 1] = definition(schema.name, schema.description, params)
  end
  for _, intent in ipairs(intents) do
    defs[#defs + 1] = definition(intent.name, intent.description, intent.params or {})
  end
  return defs
end

function compat.register_intent(def)
  for _, known in ipairs(compat.intent_defs()) do
    if known.name == def.name then return { ok = false, error = "the intent " .. def.name .. " exists already" } end
  end
  intents[#intents + 1] = def
  return { ok = true }
end

-- Git, and checks of input.
function compat.git_info()
  local function git(...) return base.exec_argv("git", { ... }) end
  local branch, status = git("rev-parse", "--abbrev-ref", "HEAD"), git("status", "--porcelain")
  if not branch.ok or not status.ok then return { ok = false } end
  local commit = git("rev-parse", "--short", "HEAD").stdout
  return { ok = true, branch = branch.stdout:match("%S+"), commit_short = commit:match("%S+"), dirty = status.stdout ~= "" }
end

local RULES = {
  control = function(s) return s:find("%c") end,
  traversal = function(s) return ("/" .. s:gsub("\\", "/") .. "/"):find("/../", 1, true) end,
  absolute = function(s) return s:find("^[/\\~]") or s:find("^%a:") end,
  shell_meta = function(s) return s:find("[;&|`<>(){}'\"\\!#\n]") end,
  env_expansion = function(s) return s:find("[$%%]") end,
  glob = function(s) return s:find("[*?%[%]]") end,
}

for name, rules in pairs({
  sanitize_arg = { "control" },
  sanitize_path = { "control", "traversal", "absolute" },
  sanitize_strict = { "control", "traversal", "shell_meta", "env_expansion", "glob" },
}) do
  compat[name] = function(s)
    local violations = {}
    for _, rule in ipairs(rules) do
      if RULES[rule](s) then violations[#violations + 1] = rule end
    end
    if #violations == 0 then return { ok = true, value = s } end
    return { ok = false, error = "not allowed: " .. table.concat(violations, ", "), violations = violations }
  end
end

-- TOML, YAML and Lua.
local formats = require "orcs.formats"
compat.toml_parse, compat.parse_toml, compat.toml_encode = formats.toml_parse, formats.toml_parse, formats.toml_encode

function compat.parse_frontmatter_str(content)
  for fence, format in pairs({ ["---"] = "yaml", ["+++"] = "toml" }) do
    if content:sub(1, 3) == fence then
      local from, to = content:find("\n" .. fence, 4, true)
      local header = from and content:sub(4, from):match("^%s*\n(.*)$")
      if header then
        local parse = format == "yaml" and formats.yaml_parse or formats.toml_parse
        return { frontmatter = parse(header), body = content:sub(to + 1):gsub("^[ \t]*\r?\n", ""), format = format }
      end
    end
  end
  return { body = content }
end

function compat.parse_frontmatter(path)
  local file = base.read(path)
  return file.ok and compat.parse_frontmatter_str(file.content) or { ok = false, error = file.error, body = "" }
end

function compat.load_lua(content, name)
  local env = {}
  for key, value in pairs(_G) do
    if key ~= "orcs" and key ~= "require" and key ~= "_G" then env[key] = value end
  end
  return load_text(content, "=" .. (name or "(eval)"), env)()
end

orcs = compat
os = os or { time = base.time, date = base.date, clock = function() return base.now_ms() / 1000 end, getenv = function() end }
return compat
