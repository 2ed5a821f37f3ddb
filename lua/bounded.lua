-- Replaces library functions that can run long inside C, where no limit applies. Large jobs are
-- split into pieces, and the count hook checks the time between two pieces. Small jobs go to the C
-- functions unchanged. So do invalid arguments, for the error messages, and tables with
-- metamethods, whose calls are counted in C (src/engine/lua/count-calls.ts) and whose length is read once.

local PIECE = 10000

local insert, remove, move, concat, sort = table.insert, table.remove, table.move, table.concat, table.sort
local rep = string.rep
local min, tointeger, maxinteger = math.min, math.tointeger, math.maxinteger
local error, getmetatable, rawlen, select, type = error, getmetatable, rawlen, select, type

-- Returns a number as an integer; nil for any other value, which is left to the C functions.
local function integer(n)
  return type(n) == "number" and tointeger(n) or nil
end

function table.move(from, first, last, to, into)
  local f, e, t = integer(first), integer(last), integer(to)
  if not (f and e and t) or e - f < PIECE or t > maxinteger - (e - f) then
    return move(from, first, last, to, into)
  end
  if t > e or t <= f or (into ~= nil and into ~= from) then
    for at = f, e, PIECE do
      move(from, at, min(at + PIECE - 1, e), t + (at - f), into)
    end
  else
    for stop = e, f, -PIECE do
      local start = stop - PIECE + 1
      if start < f then start = f end
      move(from, start, stop, t + (start - f), into)
    end
  end
  return into == nil and from or into
end

local bounded_move = table.move

-- Raises the error of a C function here, so that it has the line of the caller.
local function missing(name)
  error("bad argument #1 to '" .. name .. "' (table expected, got nil)", 3)
end

-- Returns the length of a list (also of one in the context) if it is longer than a piece, or nil.
local function long(t)
  if type(t) ~= "table" then return nil end
  local meta = getmetatable(t)
  if meta then return nil end
  local length = meta == nil and rawlen(t) or integer(#t)
  return length and length > PIECE and length or nil
end

function table.insert(t, ...)
  local position, value = ...
  local at = select("#", ...) == 2 and integer(position)
  local length = at and long(t)
  if t == nil then missing("insert") end
  if not length then return insert(t, ...) end
  if at < 1 or at > length + 1 then
    error("bad argument #2 to 'insert' (position out of bounds)", 2)
  end
  bounded_move(t, at, length, at + 1)
  t[at] = value
end

function table.remove(t, ...)
  local at = select("#", ...) > 0 and integer((...))
  local length = at and long(t)
  if t == nil then missing("remove") end
  if not length then return remove(t, ...) end
  if at ~= length and (at < 1 or at > length + 1) then
    error("bad argument #2 to 'remove' (position out of bounds)", 2)
  end
  local value = t[at]
  if at < length then
    bounded_move(t, at + 1, length, at)
    at = length
  end
  t[at] = nil
  return value
end

function table.concat(t, separator, first, last)
  if t == nil then missing("concat") end
  local f = first == nil and 1 or integer(first)
  local e
  if last == nil then
    e = long(t)
    last = e
  else
    e = integer(last)
  end
  if not (f and e) or e - f < PIECE or e == maxinteger then
    return concat(t, separator, first, last)
  end
  local pieces = {}
  for at = f, e, PIECE do
    pieces[#pieces + 1] = concat(t, separator, at, min(at + PIECE - 1, e))
  end
  return concat(pieces, separator)
end

local function merged(a, b, before)
  local out, i, j = {}, 1, 1
  local x, y = a[1], b[1]
  for at = 1, #a + #b do
    if y == nil or (x ~= nil and not before(y, x)) then
      out[at] = x
      i = i + 1
      x = a[i]
    else
      out[at] = y
      j = j + 1
      y = b[j]
    end
  end
  return out
end

local function less(a, b) return a < b end

function table.sort(t, before)
  if t == nil then missing("sort") end
  local length = long(t)
  if not length or (before ~= nil and type(before) ~= "function") then
    return sort(t, before)
  end
  local runs = {}
  for at = 1, length, PIECE do
    local run = move(t, at, min(at + PIECE - 1, length), 1, {})
    sort(run, before)
    runs[#runs + 1] = run
  end
  while #runs > 1 do
    local next_runs = {}
    for i = 1, #runs, 2 do
      next_runs[#next_runs + 1] = runs[i + 1] and merged(runs[i], runs[i + 1], before or less) or runs[i]
    end
    runs = next_runs
  end
  bounded_move(runs[1], 1, length, 1, t)
end

function string.rep(s, n, separator)
  local count = integer(n)
  if type(s) ~= "string" or not count or count <= PIECE or (separator ~= nil and type(separator) ~= "string") then
    return rep(s, n, separator)
  end
  local joint = separator or ""
  local unit = #s + #joint
  if unit == 0 then return "" end
  -- Long units are copied fast, and a result that is too large fails at once.
  if unit > 1000 or unit * count > 1 << 31 or count > 1 << 31 then return rep(s, n, separator) end
  local block = rep(s, 1000, joint)
  local whole = rep(block, count // 1000, joint)
  local rest = count % 1000
  if rest == 0 then return whole end
  return whole .. joint .. rep(s, rest, joint)
end
