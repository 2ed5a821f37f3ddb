-- Kinds of statements in SQL, by their first words. Literals and comments are left out before.

local sql = {}

-- Kind → Lua patterns for a statement in lower case with single spaces.
local KINDS = {
  { "drop", {
    "^drop database ", "^drop schema ", "^drop table ", "^drop keyspace ", "^drop user ", "^drop role ", "^drop view ", "^drop materialized view ",
    "^drop index ", "^drop sequence ", "^drop tablespace ", "^drop extension ", "^drop function ", "^drop type ", "^drop owned ",
  } },
  { "drop", { "^alter table .* drop " } },
  { "truncate", { "^truncate ", "^alter table .* truncate partition" } },
  { "delete-all", { "^delete from ", "^with .* delete from " }, unless = " where " },
  { "update-all", { "^update .* set " }, unless = " where " },
  { "grant-all", { "^grant all " } },
  { "purge-logs", { "^reset master", "^purge binary logs", "^purge master logs" } },
}

local function statements(text)
  text = text:gsub("/%*.-%*/", " "):gsub("%-%-[^\n]*", ""):gsub("'[^']*'", "''")
  return text:lower():gsub("%s+", " "):gmatch("[^;]+")
end

--- Returns the kinds of the statements in a text that remove much: a set of "drop", "truncate", "delete-all",
--- "update-all", "grant-all", "purge-logs".
function sql.kinds(text)
  local found = {}
  for statement in statements(text) do
    statement = statement:gsub("^ +", "") .. " "
    for _, kind in ipairs(KINDS) do
      for _, pattern in ipairs(kind[2]) do
        if statement:find(pattern) and not (kind.unless and statement:find(kind.unless)) then found[kind[1]] = true end
      end
    end
  end
  return found
end

return sql
