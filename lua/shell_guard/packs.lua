-- The packs in `shell_guard/packs/`: tables of commands of other programs that cannot be undone. A table is loaded when one of
-- its rules is switched on. It has the fields
--   about    what the pack is about
--   values   program → its options whose value is the next word, separated by spaces ("*": all programs of the pack)
--   rules    rows, see shell_guard.row_rules, without the name of the pack in front of their ids. `strict`: whether level
--            "strict" switches the row on

local words = require "shell_guard.words"

local packs = {}

--- The names, sorted.
packs.names = words.list [[
  api-gateways aws azure backup cdn ci databases devices dns docker email feature-flags gcloud github gitlab helm hosting
  infrastructure kubernetes load-balancers messaging monitoring payment registries remote search secrets server storage terraform
]]

local is_pack = words.set(table.concat(packs.names, " "))

--- Whether there is a pack of this name.
function packs.has(name) return is_pack[name] == true end

--- Returns a pack.
function packs.load(name) return require("shell_guard.packs." .. name:gsub("-", "_")) end

--- Calls a function with each rule of a pack and its id.
function packs.each(name, call)
  for _, rule in ipairs(packs.load(name).rules) do call(name .. "." .. rule[1], rule) end
end

return packs
