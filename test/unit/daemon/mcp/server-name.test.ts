import { describe, expect, it } from "vitest";
import { expectComponentId } from "../../../../src/core/fql.ts";
import { isServerName, serverName } from "../../../../src/daemon/mcp/run-mcp.ts";

describe("the name of an MCP server", () => {
  it.each([
    ["npx -y @modelcontextprotocol/server-filesystem /tmp", "server-filesystem"],
    ["npx -y @scope/files@1.2.3 .", "files"],
    ["npx files@latest", "files"],
    ["node node_modules/@scope/server-files/dist/index.js .", "server-files"],
    ["node ./index.js", "index"],
    ["/usr/bin/python3 -m mcp_server_git --repository .", "mcp_server_git"],
    ["uvx mcp-server-fetch", "mcp-server-fetch"],
    ["uv run weather.py", "weather"],
    ["bun run src/main.ts", "main"],
    ["/opt/bin/tool.exe --stdio", "tool"],
    ["docker run -i --rm mcp/git", "git"],
    ["github-mcp-server stdio", "github-mcp-server"],
    ["node", "node"],
    ["", "server"],
    ["::", "server"],
    ["a::b", "a-b"],
    ["a#b", "a-b"],
  ])("of %j is %s", (command, name) => {
    expect(serverName(command.split(" "))).toBe(name);
    expect(() => expectComponentId(`mcp::${name}`)).not.toThrow();
  });

  it.each(["files", "a.b-c_1"])("may be %s", (name) => expect(isServerName(name)).toBe(true));
  it.each(["", "a b", "a::b", "a/b", "a#b", "-"])("may not be %j", (name) =>
    expect(isServerName(name)).toBe(false),
  );
});
