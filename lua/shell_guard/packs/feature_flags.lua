-- Feature flags. Source: the reference of ldcli, flipt, unleash and Split's Admin API.

return [[
feature flags: LaunchDarkly, Flipt, Split, Unleash, Flagsmith
launchdarkly | ldcli * delete|archive|toggle-off | removes a flag or what depends on it | ldcli flags get shows what
  it is
launchdarkly-http | @http DELETE app.launchdarkly.com/* | removes a flag or what depends on it
flipt | flipt * delete | removes a flag or what depends on it
flipt-http | @http DELETE *flipt*/* */api/v1/namespaces/* | removes a flag or what depends on it
split | split splits|environments|segments|traffic-types|workspaces delete|kill | removes a split or what depends on
  it
split-http | @http DELETE api.split.io/* | removes a split or what depends on it
unleash | unleash features|projects|environments|strategies|api-keys|segments delete|archive | removes a flag or what
  depends on it
unleash-http | @http DELETE *unleash*/* */api/admin/* | removes a flag or what depends on it
flagsmith-http | @http DELETE api.flagsmith.com/* */api/v1/environments/* | removes a flag or what depends on it
]]
