-- What a person has allowed once with `orcs rules allow CODE`: one command line, in one folder and one session, for one
-- call.
-- The code stands in the text of the refusal. src/daemon/allow-once.ts reads and writes the same keys of orcs.state.

local sha256 = require "sha256"

local allow_once = {}

-- How long other checks of an allowed call may follow, by its id or, for permission checks, without one.
local CALL_MS = 24 * 60 * 60 * 1000
local PERMIT_MS = 10 * 60 * 1000
-- How many refusals `orcs rules allow` can find: the newest ones.
local REFUSALS = 64
-- Longer lines, in bytes of JSON, get no code.
local LONGEST = 8192
local SHOWN = 2000

local function text_of(value) return type(value) == "string" and value ~= "" and value or nil end

-- Identifies the line, its folder and its session; nil where nobody could allow it: without a session, or if no coding
-- agent made the call, since only its hooks keep orcs.state in a file.
local function digest_of(payload, line, cwd)
  local session = text_of(payload.session_id)
  if not session or not cwd or type(payload.host) ~= "table" then return nil end
  local written = orcs.json_encode({ line, cwd, session })
  return #written <= LONGEST and sha256(written) or nil
end

local function code_of(digest) return digest:sub(1, 8) end

--- Whether a person has allowed this call. At tool.pre_execute this uses the allowance up: another call needs another
--- one.
--- @param line the command line, or the list of its words
--- @param cwd the folder in which it starts
--- @param runs whether the call runs next; otherwise it is only asked whether it may
--- @return string|nil the code of the allowance
function allow_once.used(payload, line, cwd, runs)
  local digest = digest_of(payload, line, cwd)
  if not digest then return nil end
  local given, permit = "allow:given:" .. digest, "allow:permit:" .. digest
  local id = text_of(payload.tool_use_id)
  local same_call = id and "allow:call:" .. digest .. ":" .. id
  if same_call and orcs.state.get(same_call) then return code_of(digest) end
  if not runs then return (orcs.state.get(given) or orcs.state.get(permit)) and code_of(digest) end
  -- Of two calls at the same time, one gets it.
  if not orcs.state.get(given) or not orcs.state.delete(given) then return nil end
  if same_call then orcs.state.incr(same_call, 1, CALL_MS) end
  orcs.state.incr(permit, 1, PERMIT_MS)
  return code_of(digest)
end

-- What a line runs, without its words.
local function shape_of(line, cwd)
  local commands, unread = orcs.shell(line, cwd)
  if unread then return line end
  local parts = {}
  for i, one in ipairs(commands) do
    parts[i] = table.concat({ one.program, #one.argv, #one.redirects, table.concat(one.via, ",") }, " ")
  end
  return table.concat(parts, "\n")
end

-- A line for the person who decides about it. A mask hides values, never what runs: else words are masked one by one.
local function shown_line(line, cwd)
  local text = type(line) == "table" and table.concat(line, " ") or line
  local masked = orcs.redact(text)
  if masked == text or shape_of(masked, cwd) == shape_of(text, cwd) then return masked end
  return (text:gsub("[^%s;&|()<>`\"']+", orcs.redact))
end

--- Remembers a refusal, so that a person can allow it.
--- @return string what the refusal says about it: empty where nobody could allow it, as what the machine enforces
function allow_once.offer(payload, line, cwd, reason)
  if orcs.is_enforced() then return "" end
  local digest = digest_of(payload, line, cwd)
  if not digest then return "" end
  local number = orcs.state.incr("allow:refusals", 1)
  local shown = shown_line(line, cwd)
  orcs.state.set("allow:refused:" .. number % REFUSALS, {
    code = code_of(digest), digest = digest, line = shown:sub(1, SHOWN), cwd = cwd, session = payload.session_id,
    reason = reason, at = orcs.time(), number = number,
  })
  return " The user can allow this one call, in a terminal of their own: orcs rules allow " .. code_of(digest)
end

return allow_once
