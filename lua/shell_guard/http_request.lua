-- Reads which requests a command of curl and the like makes.

local words = require "shell_guard.words"

local http_request = {}

--- Programs that make requests.
http_request.programs = words.list "curl wget wget2 http https xh curlie"

-- Options whose value is the next word, so that it is no URL.
local VALUES = words.set [[
  -H --header -o --output -u --user -A --user-agent -b --cookie -c --cookie-jar -e --referer -m --max-time -x --proxy -K --config -w
  --write-out --connect-timeout --retry --cacert --cert -E --key -F --form -T --upload-file --resolve --auth -a
]]
local BODIES = words.set "-d --data --data-raw --data-binary --data-ascii --data-urlencode --json --post-data --post-file --body-data"
local METHODS = words.set "GET HEAD OPTIONS POST PUT PATCH DELETE"

-- The value of an option with one letter that is written to it: `-XDELETE`, `-sXDELETE`.
local function joined_method(word) return word:match("^%-%-request=(.*)$") or word:match("^%-%-method=(.*)$") or word:match("^%-%l*X(.+)$") end

-- Clients whose method is a word of any case, and which send data that stands behind the URL: `http post URL a=1`.
local WITH_ITEMS = words.set "http https xh"

--- Returns the method of a command and a list of its URLs, without the scheme and the query.
function http_request.of(argv)
  local method, body, urls = nil, false, {}
  local has_items = WITH_ITEMS[argv[1]:match("[^/]*$"):lower()]
  local at = 2
  while at <= #argv do
    local word = argv[at]
    local given = joined_method(word)
    if word == "--request" or word == "--method" or word:find("^%-%l*X$") then
      at = at + 1
      method = argv[at]
    elseif given then
      method = given
    elseif word == "--url" then
      -- The next word is a URL.
    elseif BODIES[word] or BODIES[word:match("^[^=]*")] then
      body = true
      if not word:find("=") then at = at + 1 end
    elseif VALUES[word] then
      at = at + 1
    elseif word:find("^%-%l*d.") and not word:find("^%-%-") and not has_items then
      body = true
    elseif METHODS[word] or has_items and METHODS[word:upper()] then
      method = word
    elseif has_items and urls[1] then
      body = body or word:find("[^=]=[^=]") ~= nil or word:find(":=") ~= nil
    elseif word:sub(1, 1) ~= "-" then
      urls[#urls + 1] = word:gsub("^%a+://", ""):gsub("^[^/@]*@", "")
    elseif word == "-I" or word == "--head" then
      method = method or "HEAD"
    end
    at = at + 1
  end
  return (method or (body and "POST" or "GET")):upper(), urls
end

return http_request
