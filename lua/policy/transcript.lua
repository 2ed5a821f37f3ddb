-- Calls count(ctx, usage, model) with what the agent of a call has written into its transcript since
-- the last time. A process that was faster has counted it. `name` is the prefix of the state key.
return function(name, ctx, count)
  local host = ctx.payload.host
  local path = type(host) == "table" and host.transcript_path
  if type(path) ~= "string" or path == "" then return end
  local key = name .. ":transcript:" .. path
  local mark = orcs.state.get(key)
  local found = orcs.transcript_usage(path, mark)
  if not found or found.mark.at == (mark and mark.at) then return end
  if not orcs.state.compare_and_set(key, mark, found.mark) then return end
  for model, usage in pairs(found.used) do count(ctx, usage, model ~= "" and model or nil) end
end
