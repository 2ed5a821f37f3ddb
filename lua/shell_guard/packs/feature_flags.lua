-- Feature flags. Source: the reference of ldcli, flipt, unleash and Split's Admin API.

return {
  about = "feature flags: LaunchDarkly, Flipt, Split, Unleash, Flagsmith",
  rules = {
    { "launchdarkly", runs = "ldcli * delete|archive|toggle-off", because = "removes a flag or what depends on it", instead = "ldcli flags get shows what it is" },
    { "launchdarkly-http", http = { "DELETE", "app.launchdarkly.com/*" }, because = "removes a flag or what depends on it" },
    { "flipt", runs = "flipt * delete", because = "removes a flag or what depends on it" },
    { "flipt-http", http = { "DELETE", "*flipt*/*", "*/api/v1/namespaces/*" }, because = "removes a flag or what depends on it" },
    { "split", runs = "split splits|environments|segments|traffic-types|workspaces delete|kill", because = "removes a split or what depends on it" },
    { "split-http", http = { "DELETE", "api.split.io/*" }, because = "removes a split or what depends on it" },
    { "unleash", runs = "unleash features|projects|environments|strategies|api-keys|segments delete|archive", because = "removes a flag or what depends on it" },
    { "unleash-http", http = { "DELETE", "*unleash*/*", "*/api/admin/*" }, because = "removes a flag or what depends on it" },
    { "flagsmith-http", http = { "DELETE", "api.flagsmith.com/*", "*/api/v1/environments/*" }, because = "removes a flag or what depends on it" },
  },
}
