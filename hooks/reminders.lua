-- reminders: moves reminders that tools put into their results out of the results, and gives them
-- to the model as separate text, so that it does not overlook them.
--
--   [[hooks]]
--   script = "orcs:reminders"
--   options = { tag = "system-reminder", field = "reminder", strategy = "user_message" }
--
-- A reminder is the text between <tag> and </tag> in any text of the result, or the text in the
-- result's `field`. `strategy` is where the text is added: "user_message" (the default) or
-- "tool_result".

local options = require("policy.options").read("reminders", {
  tag = { kind = "text", default = "system-reminder" },
  field = { kind = "text", default = "reminder" },
  strategy = { of = { "user_message", "tool_result" } },
})
local open, close = "<" .. options.tag .. ">", "</" .. options.tag .. ">"

-- Returns the text without its reminders, and appends these to the list `found`.
local function take(text, found)
  local kept, at = {}, 1
  while true do
    local from, inside = text:find(open, at, true)
    if not from then break end
    local to, past = text:find(close, inside + 1, true)
    -- A tag that is not closed is kept as text.
    if not to then break end
    found[#found + 1] = text:sub(inside + 1, to - 1)
    kept[#kept + 1] = text:sub(at, from - 1)
    at = past + 1
  end
  kept[#kept + 1] = text:sub(at)
  return table.concat(kept)
end

local function clean(value, found)
  if type(value) == "string" then
    local text = take(value, found)
    if text ~= value then return text end
  elseif type(value) == "table" then
    for key, item in pairs(value) do
      local text = clean(item, found)
      if text then value[key] = text end
    end
  end
end

return {
  id = "reminders",
  point = "tool.post_execute",
  handler = function(ctx)
    local found = {}
    local result = ctx.payload.result
    if type(result) == "table" and type(result[options.field]) == "string" then
      found[1] = result[options.field]
      result[options.field] = nil
    end
    local text = clean(result, found)
    if text then ctx.payload.result = text end
    if #found == 0 then return end
    local inject = {}
    for i, reminder in ipairs(found) do
      inject[i] = { content = reminder:match("^%s*(.-)%s*$"), strategy = options.strategy }
    end
    return { inject = inject }
  end,
  tests = {
    {
      "takes reminders out of texts, however deep",
      event = {
        tool = "read",
        result = { parts = { "a <system-reminder>\n do it \n</system-reminder>b", "c" } },
      },
      expect = {
        action = "continue",
        payload = { result = { parts = { "a b", "c" } } },
        inject = { { content = "do it", strategy = "user_message" } },
      },
    },
    {
      "takes the text in a field",
      options = { field = "hint", strategy = "tool_result" },
      event = { tool = "read", result = { ok = true, hint = "check" } },
      expect = { result = { ok = true }, inject = { { content = "check", strategy = "tool_result" } } },
    },
    {
      "takes the text in the field reminder by default",
      event = { tool = "read", result = { reminder = "check" } },
      expect = { result = {}, inject = { { content = "check", strategy = "user_message" } } },
    },
    {
      "cleans a result that is a text, without other blanks or an empty tag",
      event = { tool = "read", result = "a <system-reminder></system-reminder> b<system-reminder>x</system-reminder>" },
      expect = { result = "a  b", inject = { { content = "", strategy = "user_message" }, { content = "x", strategy = "user_message" } } },
    },
    {
      "leaves one that is not closed",
      event = { tool = "read", result = "a <system-reminder> b" },
      expect = { result = "a <system-reminder> b", inject = {} },
    },
  },
}
